"""Published models by name: their encoding, shape and trained length, with the source of every number."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache

from pydantic import TypeAdapter

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.foundation.resources import folder
from posenc_gui.models.model_facts import ModelSession, Published, identity
from posenc_gui.session.session import Session

_TAGS = {"none": "no position", "both": "absolute and relative"}


class Cited(Frozen):
    """A source, and the fields of a preset whose numbers come from it; `encoding` means all of its fields."""

    source: str
    of: tuple[str, ...]


class Preset(Published):
    """A published model with a name and the sources of its numbers."""

    name: str
    title: str
    year: int
    sources: tuple[Cited, ...]

    @property
    def description(self) -> str:
        """The model, its year, its kind of position and its encoding, in one line."""
        tag = self.encoding.tag
        return f"{self.title} ({self.year}): {_TAGS.get(tag, tag)}, {self.encoding.called}"


@cache
def catalogue() -> dict[str, Preset]:
    """Return all presets by name, the oldest first."""
    found = TypeAdapter(tuple[Preset, ...]).validate_json((folder() / "presets.json").read_bytes())
    return {preset.name: preset for preset in sorted(found, key=lambda preset: preset.year)}


def models() -> tuple[Preset, ...]:
    """Return the published models, the oldest first."""
    return tuple(catalogue().values())


def presets() -> list[str]:
    """Return the names of all models, the oldest first."""
    return list(catalogue())


def preset(name: str) -> ModelSession:
    """Return a session with that model's encoding, parameters, shape, mask and score scale; its weights are random
    from a seed. Its `unmodelled` says what else the model has, in sentences.

    Raises ValueError for an unknown name, in one sentence that says what is allowed.
    """
    return find(name).session()


def find(name: str) -> Preset:
    """Return the model of that name. Raises ValueError as `preset` does."""
    if not isinstance(name, str) or name not in catalogue():
        raise ValueError(unknown_name("preset", name, catalogue()))
    return catalogue()[name]


def presets_shown_by(session: Session) -> list[Preset]:
    """Return the models that a session shows as published; several may be alike."""
    return _by_identity().get(identity(session), [])


@cache
def _by_identity() -> dict[Hashable, list[Preset]]:
    found: dict[Hashable, list[Preset]] = {}
    for preset in models():
        found.setdefault(identity(preset), []).append(preset)
    return found
