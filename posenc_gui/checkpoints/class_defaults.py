"""What transformers' config classes fill in where a config.json is silent, as recorded by `tools/class_defaults.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from posenc_gui.foundation.resources import folder

FILE = folder() / "class_defaults.json"


def class_defaults(family: str) -> Mapping[str, Any]:
    """Return the fields of a model_type's class at their defaults; empty if no class of that name is recorded."""
    defaults: Mapping[str, Any] = _recorded()["classes"].get(family, {})
    return defaults


def version() -> str:
    """Return the version of transformers that was recorded."""
    said: str = _recorded()["transformers"]
    return said


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found
