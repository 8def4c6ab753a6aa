"""An encoding as a field of a declared model: by its name, with its parameters, or as it is typed: rope(base=500)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from posenc_gui import encodings
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.errors import quote_value

# As JSON writes it, up to the end where it isn't closed: a formula may hold commas, brackets and the like.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|$)')
_TYPED = re.compile(r"\s*(\w*)\s*\((.*)\)\s*", re.DOTALL)


def pieces(text: str) -> Iterator[str]:
    """Yield the parts of a list between its commas, but for those within brackets or quotation marks."""
    start = depth = 0
    for at, sign in enumerate(f"{_unquoted(text)},"):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth <= 0) or at == len(text):
            if (piece := text[start:at].strip()) or at < len(text):
                yield piece
            start = at + 1


def read_encoding(text: str) -> Encoding:
    """Return the encoding in a text: rope, rope(base=500), rope(scaling.rope_type=yarn, scaling.factor=8). Raises ValueError."""
    if opened := _unquoted(text).count("(") - _unquoted(text).count(")"):
        raise ValueError(f"{'a closing' if opened > 0 else 'an opening'} bracket is missing in {quote_value(text)}")
    name, inside = found.groups() if (found := _TYPED.fullmatch(text)) else (text.strip(), "")
    encoding, given = encodings.encoding(name), (piece.partition("=") for piece in pieces(inside))
    try:
        return declared_fields.with_values(encoding, {field.strip(): _read_value(value) for field, _, value in given})
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def read_encodings(text: str) -> tuple[Encoding, ...]:
    """Return the encodings in a list of texts: sinusoidal, rope(base=500), alibi. Raises ValueError in one sentence."""
    return tuple(map(read_encoding, pieces(text)))


def write_encoding(encoding: Encoding) -> str:
    """Write an encoding as `read_encoding` takes it, with the parameters that aren't at their defaults."""
    default, changed = (one.model_dump(mode="json") for one in (encodings.encoding(encoding.name), encoding))
    told = (f"{name}={_write_value(value)}" for name, value in changed.items() if value != default[name])
    return f"{encoding.name}({inside})" if (inside := ", ".join(told)) else encoding.name


def _write_value(value: Any) -> str:
    """Write a value as `_read_value` takes it: 500 rather than 500.0, a word without quotation marks."""
    if isinstance(value, str):
        return value if re.fullmatch(r"[\w./-]*", value) else json.dumps(value, ensure_ascii=False)
    return re.sub(r"\.0\b", "", json.dumps(value))


def _unquoted(text: str) -> str:
    """Return a text of the same length without what stands in quotation marks."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)


def _read_value(text: str) -> Any:
    """Return a number, a list, a group or a word."""
    try:
        return json.loads(text if _QUOTED.search(text) else text.replace("none", "null"))
    except ValueError:
        return text.strip()


def _to_encoding(value: object) -> object:
    if isinstance(value, str):
        return read_encoding(value)
    if isinstance(value, dict):
        parameters = {str(name): parameter for name, parameter in value.items()}
        return encodings.encoding(str(parameters.pop("name", "")), **parameters)
    if not isinstance(value, Encoding):
        raise ValueError(f"should be an encoding or the name of one, such as 'rope', not {quote_value(value)}")
    return value


def _from_encoding(value: Encoding) -> dict[str, Any]:
    return {"name": value.name, **value.model_dump()}


AnyEncoding = Annotated[Encoding, BeforeValidator(_to_encoding), PlainSerializer(_from_encoding)]
SeveralEncodings = Annotated[
    tuple[AnyEncoding, ...], BeforeValidator(lambda value: read_encodings(value) if isinstance(value, str) else value)
]
