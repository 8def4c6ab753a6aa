"""Measures: numbers computed from a scene. Each file in this folder defines one measure and is found automatically.

A file `name.py` defines `MEASURE`: the measure's title, the question it answers, its options, and a pure function that
computes a `Measurement` from a scene. No measure refers to an encoding by name, so a new encoding needs no change here.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import TooLarge, Undefined, require_type, unknown_name
from posenc_gui.foundation.registry import list_when_called, module_names
from posenc_gui.measures.base import Measure, Measurement, Unmeasured
from posenc_gui.scene.scene import Scene, scene_of
from posenc_gui.scene.setup import Setup


@cache
def measures() -> dict[str, Measure]:
    """Return every measure by name."""
    return {name: importlib.import_module(f"{__name__}.{name}").MEASURE for name in module_names(__name__)}


def names() -> list[str]:
    """Return the names of all measures."""
    return list(measures())


def measure(name: str, session: Setup, engine: Engine | None = None, **options: Any) -> Any:
    """Compute a measure of a session and return a `Measurement` with `.value`, `.reason` and the fields of its own class.

    If the measure doesn't apply to it, or needs more memory than is free, return a plain `Measurement` whose
    value is None and whose reason explains why. Raises ValueError for an unknown measure or option.
    """
    require_type(session, Setup, "Session")
    try:
        return taken(name, scene_of(session), engine or Engine(), **options)
    except TooLarge as why:
        return Unmeasured(None, str(why))


def taken(name: str, scene: Scene, engine: Engine, **options: Any) -> Any:
    """Compute a measure as `measure` does, but raise TooLarge where memory is short: a later call may succeed.

    What is measured counts from position 0, wherever the sentence starts.
    """
    scene = scene.acting.from_zero
    found = measures().get(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(unknown_name("measure", name, names()))
    for option in options:
        if option not in found.options.model_fields:
            raise ValueError(f"{name}: {unknown_name('option', option, found.options.model_fields)}")
    try:
        chosen = found.options(**options)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None

    def take() -> Measurement:
        try:
            return found.take(scene, chosen, engine)
        except Undefined as why:
            return Unmeasured(None, str(why), why.remedy)

    return engine.remembered(("measure", name, chosen, *found.basis(scene)), take)


list_when_called(__name__)
