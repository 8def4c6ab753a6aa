"""`list` and `schema`: names and descriptions of what the program offers, as lines or as JSON."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import Any

from posenc_gui import encodings, measures, plots
from posenc_gui.cli import console
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.labs.definition import lab_library
from posenc_gui.models.presets import catalogue
from posenc_gui.session import json_schema


def print_list(options: argparse.Namespace) -> None:
    """Print one kind of entries. Raises ValueError for an unknown kind."""
    if options.kind not in _LISTS:
        raise ValueError(unknown_name("list", options.kind, _LISTS))
    entries = _LISTS[options.kind]()
    if options.json:
        console.tell(*json.dumps(entries, indent=2).splitlines())
    else:
        width = max(len(entry["name"]) for entry in entries)
        console.tell(*(f"{entry['name']:{width}}  {entry['title']}: {entry['summary']}" for entry in entries))


def print_schema() -> None:
    """Print the JSON schema of session files."""
    console.tell(*json_schema.text().splitlines())


def _encodings() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "title": encoding.title,
            "door": encoding.door,
            "tag": encoding.tag,
            "summary": encoding.summary,
            "source": dataclasses.asdict(encoding.source),
            "parameters": _parameters(encoding),
        }
        for name, encoding in encodings.classes().items()
    ]


def _parameters(model: type[Frozen]) -> list[dict[str, Any]]:
    """Return a model's fields in the terms of JSON Schema; a group lists its members, each with its own fields."""
    schemas = model.model_json_schema().get("properties", {})
    found = []
    for name, field in model.model_fields.items():
        parameter = {"name": name, **schemas[name]}
        group = declared_fields.kind(field)
        if group.members:
            for word in ("anyOf", "oneOf", "discriminator", "$ref"):  # `members` replaces these keywords
                parameter.pop(word, None)
            parameter |= {"optional": group.optional, "tag": group.tag or None}
            parameter["members"] = [
                {"title": declared_fields.title(member), "parameters": _parameters(member)} for member in group.members
            ]
        found.append(parameter)
    return found


def _plots() -> list[dict[str, Any]]:
    return [
        {"name": name, "title": plot.title, "group": plot.group, "question": plot.question, "summary": plot.summary}
        for name, plot in plots.plots().items()
    ]


def _measures() -> list[dict[str, Any]]:
    return [
        {"name": name, "title": measure.title, "summary": measure.summary}
        for name, measure in measures.measures().items()
    ]


def _labs() -> list[dict[str, Any]]:
    return [
        {"name": lab.name, "title": lab.title, "minutes": lab.minutes, "steps": len(lab.steps), "summary": lab.summary}
        for lab in map(lab_library.lab, lab_library.names())
    ]


def _presets() -> list[dict[str, Any]]:
    first = {"name", "title", "year", "summary"}
    return [
        {
            "name": preset.name,
            "title": preset.title,
            "year": preset.year,
            "summary": preset.summary,
            **preset.model_dump(mode="json", exclude=first, exclude_unset=True),
        }
        for preset in catalogue().values()
    ]


_LISTS = {"encodings": _encodings, "plots": _plots, "measures": _measures, "labs": _labs, "presets": _presets}
