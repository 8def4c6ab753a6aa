"""Paths in what the window remembers, which is kept as JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator


def _kept(path: object) -> object:
    try:
        return path.encode().decode() if isinstance(path, str) else path
    except UnicodeEncodeError:
        return ""


Remembered = Annotated[str, BeforeValidator(_kept)]
"""A path; empty where its name is no text, as some systems allow."""
