"""Measures: numbers about a scene, one file a measure, found by being here.

A file `name.py` holds `MEASURE`: its title, the question it answers, its options, and the pure function from a scene
to a `Measurement`. No measure knows an encoding by name, so neither has to be told about the other.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import TooLarge, Undefined, require, unknown
from posenc_gui.foundation.registry import list_when_called, modules
from posenc_gui.measures.base import Measure, Measurement
from posenc_gui.scene.scene import Scene


@cache
def measures() -> dict[str, Measure]:
    """Every measure by its name."""
    return {name: importlib.import_module(f"{__name__}.{name}").MEASURE for name in modules(__name__)}


def names() -> list[str]:
    """The names of all measures."""
    return list(measures())


def measure(name: str, session: Scene, engine: Engine | None = None, **options: Any) -> Any:
    """What a measure finds of a scene: a `Measurement` with `.value`, `.reason`, and the fields of its own class.

    Where the measure doesn't apply to the scene, or takes more memory than is free, a bare `Measurement` whose value is
    None and whose reason says why. Raises ValueError for a name that is no measure and for an option that it doesn't have.
    """
    try:
        return taken(name, session, engine or Engine(), **options)
    except TooLarge as why:
        return Measurement(None, str(why))


def taken(name: str, session: Scene, engine: Engine, **options: Any) -> Any:
    """What `measure` gives, but raises TooLarge where it takes more memory than is free: tomorrow it may not."""
    require(session, Scene)
    found = measures().get(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(unknown("measure", name, names()))
    for option in options:
        if option not in found.options.model_fields:
            raise ValueError(f"{name}: {unknown('option', option, found.options.model_fields)}")
    try:
        chosen = found.options(**options)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None

    def take() -> Measurement:
        try:
            return found.take(session, chosen, engine)
        except Undefined as why:
            return Measurement(None, str(why))

    return engine.remembered(("measure", name, chosen, *found.basis(session)), take)


list_when_called(__name__)
