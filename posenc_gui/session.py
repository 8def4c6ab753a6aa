"""The session: everything that a picture depends on, frozen, and its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError
from pydantic_core import from_json

from posenc_gui import plots, provenance, render
from posenc_gui.errors import sentence
from posenc_gui.files import replacing
from posenc_gui.frozen import Frozen
from posenc_gui.scene import Scene

if TYPE_CHECKING:
    PlotOptions = Frozen  # made at run time: one field a plot
else:
    PlotOptions = plots.options_model()

FORMAT = "posenc-gui session"
VERSION = 1
LARGEST_FILE = 50_000_000  # bytes that are read before a file is refused


class Session(Scene):
    """A scene and each plot's options: everything that a picture depends on.

    Two equal sessions give equal pictures. Never part of it: theme, device, zoom, or how the window is arranged.
    """

    plots: PlotOptions = PlotOptions()

    @property
    def scene(self) -> Scene:
        """What all plots show, without their options."""
        return Scene.model_construct(**{name: getattr(self, name) for name in Scene.model_fields})

    def to_json(self) -> str:
        """The session as the text of its file."""
        return json.dumps(
            {"format": FORMAT, "version": VERSION, "session": self.model_dump(mode="json")},
            ensure_ascii=False,
            indent=2,
        )

    def save(self, path: str | Path) -> Path:
        """Write the session to a file, whole or not at all. Raises OSError."""
        path = Path(path)
        with replacing(path) as unfinished:
            unfinished.write_text(self.to_json(), encoding="utf-8")
        return path

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a session file, or the session that an exported figure carries.

        Raises ValueError, in one sentence, for a file that is damaged, foreign or newer than this version; OSError where
        it can't be read.
        """
        path = Path(path)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise ValueError(f"{path.name} is larger than {LARGEST_FILE // 10**6} MB: that is no session.")
        # A session's own text may hold what looks like another session's mark.
        carried = None if data.lstrip().startswith(b"{") else provenance.find(data)
        try:
            return cls.from_json(data if carried is None else carried)
        except ValueError as error:
            raise ValueError(f"{path.name}: {sentence(error)}") from None

    @classmethod
    def from_json(cls, data: str | bytes) -> Self:
        """The session in the text of its file. Raises ValueError in one sentence."""
        try:
            content = from_json(data, allow_inf_nan=False)
        except ValueError:
            raise ValueError(
                f"this is no session and no exported {_exported()}: it is damaged, cut short, or another kind of file."
            ) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError("this is no session of the explorer, but another kind of file.")
        version = content.get("version")
        if type(version) is not int or version < 1:
            raise ValueError(f"this session has no version that is known: {str(version)[:40]!r}.")
        if version > VERSION:
            raise ValueError(
                f"this session was saved by a newer explorer (format {version}; this one reads {VERSION})."
            )
        try:
            return cls.model_validate(content.get("session"))
        except ValidationError as error:
            raise ValueError(f"this session can't be used: {sentence(error)}") from None


def _exported() -> str:
    """The kinds of exported files that carry a session: "NPZ, PDF, PNG or SVG"."""
    *others, last = (suffix[1:].upper() for suffix in render.session_suffixes())
    return f"{', '.join(others)} or {last}"
