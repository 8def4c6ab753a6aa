"""The figures in sight when a window ended, kept beside its session, so that the next start can show them before torch."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from posenc_gui.app.state.sealed_file import LARGEST, SealedFile
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.app.widgets.headline_label import ShownHeadline
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.kept import from_bytes, to_bytes
from posenc_gui.foundation import resources
from posenc_gui.foundation.files import atomic

FIRST = resources.folder() / "first_pictures.kept"
"""What a window without a session shows; `python -m tools.first_pictures` makes it."""


@dataclass(frozen=True)
class KeptPlot:
    """A plot in its card: the figure, without its session, and the card's title and caption."""

    figure: Figure
    title: str
    caption: tuple[CaptionPart, ...]


@dataclass(frozen=True)
class KeptSight:
    """What was in sight: the plots, the headline, and the session that all figures carry."""

    plots: tuple[KeptPlot, ...]
    headline: ShownHeadline
    session: str


class KeptFigures:
    """The file of figures in a window's slot; make it when the window starts."""

    def __init__(self, place: WindowSlot, program: bytes) -> None:
        self._place, self.file = place, SealedFile(place, place.figures, program)

    def take(self) -> KeptSight | None:
        """Read the file, once; a window without a session gets the figures of the first session."""
        with suppress(OSError, ValueError):
            if self._place.found is None:
                return from_bytes(KeptSight, atomic.read_bytes(FIRST, LARGEST, "file of figures"))
            return from_bytes(KeptSight, self.file.take())
        return None

    def content_of(self, sight: KeptSight) -> bytes:
        """Return the file's bytes, empty for what can't be kept. Call it when the session is written."""
        with suppress(TypeError, ValueError):
            return self.file.sealed(to_bytes(sight))
        return b""
