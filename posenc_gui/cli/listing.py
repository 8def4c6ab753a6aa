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


def print_schema(_options: argparse.Namespace) -> None:
    """Print the JSON schema of session files."""
    console.tell(*json_schema.text().splitlines())


def _said(entry: object, *words: str) -> dict[str, Any]:
    """Return what an entry says of itself under these words."""
    return {word: getattr(entry, word) for word in words}


def _encodings() -> list[dict[str, Any]]:
    return [
        _said(encoding, "name", "title", "door", "tag", "summary")
        | {"source": dataclasses.asdict(encoding.source), "parameters": _parameters(encoding)}
        for encoding in encodings.listed().values()
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
    told = ("title", "group", "question", "summary")
    return [{"name": name, **_said(plot, *told)} for name, plot in plots.plots().items()]


def _measures() -> list[dict[str, Any]]:
    return [{"name": name, **_said(measure, "title", "summary")} for name, measure in measures.measures().items()]


def _labs() -> list[dict[str, Any]]:
    labs = map(lab_library.lab, lab_library.names())
    return [{**_said(lab, "name", "title", "minutes"), "steps": len(lab.steps), "summary": lab.summary} for lab in labs]


def _presets() -> list[dict[str, Any]]:
    first = ("name", "title", "year", "summary")
    return [
        _said(preset, *first) | preset.model_dump(mode="json", exclude=set(first), exclude_unset=True)
        for preset in catalogue().values()
    ]


_LISTS = {"encodings": _encodings, "plots": _plots, "measures": _measures, "labs": _labs, "presets": _presets}
