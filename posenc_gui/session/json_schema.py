"""The JSON schema of a session file, for editors and programs that write one.

It accepts every file that the explorer writes. The explorer also accepts what pydantic converts, such as a number in
quotation marks. A schema can't say how fields go together, so the explorer refuses more than the schema does:
an `order` that is not a permutation of the tokens' indices, heads that don't divide d_model, an encoding that a model's shape
can't take, typed vectors that aren't d_model long or hold too many numbers together, a tokenizer that doesn't exist, and a name
that occurs twice in an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from posenc_gui import encodings
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.common.trained import KINDS
from posenc_gui.session.bookmarks import MOST, Bookmark
from posenc_gui.session.card_layout import PART, Area
from posenc_gui.session.session import BOOKMARKS, FILE, Session

Schema = dict[str, Any]

_SINGLE, _LISTED, _NAMED = ("items", "additionalProperties"), ("anyOf", "oneOf", "prefixItems"), ("properties", "$defs")
_WORDS = {
    *(*_SINGLE, *_LISTED, *_NAMED, "$ref", "type", "const", "enum", "title", "description", "default", "required"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"),
    *("minLength", "maxLength", "minItems", "maxItems"),
}
_ABOUT = (
    "Everything that a picture of the explorer depends on. What is left out means the default with which its field was first "
    "released. Names of plots and parts beside the session that an explorer doesn't know it leaves out; all else it refuses."
)


def session_schema() -> Schema:
    """Return the schema of session files, in JSON Schema's 2020-12 dialect."""
    kinds = encodings.listed() | KINDS
    models: list[type] = [Session, Area, Bookmark, TrainedModel, *kinds.values()]
    places, whole = TypeAdapter.json_schemas([(model, "validation", TypeAdapter(model)) for model in models])
    parts: Schema = whole["$defs"]
    session = _part(parts, places[Session, "validation"])
    encoding = _part(parts, session["properties"]["encoding"])
    chosen = [places[kind, "validation"] for kind in kinds.values()]
    for (name, kind), place in zip(kinds.items(), chosen, strict=True):
        own = _part(parts, place)
        named = {"const": name, "title": kind.title, "description": kind.summary}
        own["properties"] = {"name": named} | own["properties"]
        own["required"] = ["name", *own.get("required", ())]
    encoding.clear()
    encoding |= {"title": "Encoding", "oneOf": [*chosen, {"enum": list(kinds), "description": "One at its defaults."}]}
    learned = places[TrainedModel, "validation"]
    _part(parts, learned)["required"].append("kind")
    toy = {"$ref": session["properties"]["model"]["$ref"]}  # without what is said beside the reference
    session["properties"]["model"] = {"title": "Model", "anyOf": [toy, learned]}
    _part(parts, session["properties"]["plots"])["additionalProperties"] = True
    for union in _unions(parts):
        for reference in union["mapping"].values():
            _part(parts, {"$ref": reference})["required"] = [union["propertyName"]]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FILE.format,
        "description": _ABOUT,
        "type": "object",
        "properties": {
            "format": {"const": FILE.format},
            "version": {"type": "integer", "minimum": 1, "maximum": FILE.version},
            "written_by": {"type": "string", "description": "The version of the explorer that wrote it."},
            FILE.part: places[Session, "validation"],
            PART: places[Area, "validation"],
            BOOKMARKS: {"type": "array", "maxItems": MOST, "items": places[Bookmark, "validation"]},
        },
        "required": ["format", "version", FILE.part],
        "$defs": {name: _plain(part) for name, part in parts.items()},
    }


def text() -> str:
    """Return the schema as text: ASCII, so that it is the same on every console."""
    return json.dumps(session_schema(), indent=1)


def _part(parts: Schema, place: Schema) -> Schema:
    """Return the definition that a reference points to."""
    part: Schema = parts[place["$ref"].removeprefix("#/$defs/")]
    return part


def _unions(part: object) -> Iterator[Schema]:
    """Yield all discriminators in a schema: pydantic requires a member's tag, but says so only there."""
    if isinstance(part, dict):
        if "mapping" in (union := part.get("discriminator", {})):
            yield union
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        yield from _unions(inner)


def _plain(schema: Schema) -> Schema:
    """Return the schema with JSON Schema's own keywords only, without those added for the window's forms."""
    found = {word: value for word, value in schema.items() if word in _WORDS}
    for word in found.keys() & _SINGLE:
        found[word] = _plain(found[word]) if isinstance(found[word], dict) else found[word]
    for word in found.keys() & _LISTED:
        found[word] = [_plain(one) for one in found[word]]
    for word in found.keys() & _NAMED:
        found[word] = {name: _plain(one) for name, one in found[word].items()}
    return found
