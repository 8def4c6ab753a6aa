"""Published models by name: what each says about positions, with the source of every number."""

from __future__ import annotations

from functools import cache

from pydantic import TypeAdapter

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown
from posenc_gui.foundation.resources import folder
from posenc_gui.models.model_facts import Published
from posenc_gui.session.session import Session

_TAGS = {"none": "no position", "both": "absolute and relative"}


class Cited(Frozen):
    """A source, and the fields of a preset whose numbers it gives: `encoding` stands for all that lies in it."""

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
        """The model, its year, the kind of position it has and how."""
        tag = self.encoding.tag
        return f"{self.title} ({self.year}): {_TAGS.get(tag, tag)}, {self.encoding.called}"


@cache
def catalogue() -> dict[str, Preset]:
    """All of them by name, the oldest first."""
    found = TypeAdapter(tuple[Preset, ...]).validate_json((folder() / "presets.json").read_bytes())
    return {preset.name: preset for preset in sorted(found, key=lambda preset: preset.year)}


def presets() -> list[str]:
    """The names of all models, the oldest first."""
    return list(catalogue())


def preset(name: str) -> Session:
    """A session with that model's encoding, parameters, shape, mask and score scale; its weights stay seeded.

    Raises ValueError, in one sentence that says what is allowed, for an unknown name.
    """
    return find(name).chosen(Session())


def find(name: str) -> Preset:
    """The model of that name. Raises ValueError as `preset` does."""
    if not isinstance(name, str) or name not in catalogue():
        raise ValueError(unknown("preset", name, catalogue()))
    return catalogue()[name]


def shown_by(session: Session) -> list[Preset]:
    """The models that a session shows as they are published, which may agree in all that counts here."""
    return [preset for preset in catalogue().values() if preset.is_shown_by(session)]
