"""An encoding as a field of a declared model: by its name, or with its parameters."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from posenc_gui import encodings
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.errors import quote_value


def _to_encoding(value: object) -> object:
    if isinstance(value, str):
        return encodings.encoding(value)
    if isinstance(value, dict):
        parameters = {str(name): parameter for name, parameter in value.items()}
        return encodings.encoding(str(parameters.pop("name", "")), **parameters)
    if not isinstance(value, Encoding):
        raise ValueError(f"should be an encoding or the name of one, such as 'rope', not {quote_value(value)}")
    return value


def _from_encoding(value: Encoding) -> dict[str, Any]:
    return {"name": value.name, **value.model_dump()}


AnyEncoding = Annotated[Encoding, BeforeValidator(_to_encoding), PlainSerializer(_from_encoding)]
