"""The session: everything that a picture depends on, frozen, and its file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from posenc_gui import plots, render
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic as files
from posenc_gui.foundation.files import embedded_session as provenance
from posenc_gui.foundation.files import share_string as share
from posenc_gui.foundation.files.header import Kind, Opened, named
from posenc_gui.scene.scene import Scene
from posenc_gui.session import card_layout as areas
from posenc_gui.session import released_defaults as ageing

if TYPE_CHECKING:
    PlotOptions = Frozen  # made at run time: one field a plot
else:
    PlotOptions = plots.options_model()

T = TypeVar("T")

BOOKMARKS = "bookmarks"  # the part of a file that holds bookmarks, which are named sessions themselves
Beside = Mapping[str, Any]  # what a file holds beside the session, by the names of its parts


def _exported() -> str:
    """The kinds of exported files that carry a session: "NPZ, PDF, PNG or SVG"."""
    *others, last = (suffix[1:].upper() for suffix in render.session_suffixes())
    return f"exported {', '.join(others)} or {last}"


FILE = Kind(
    name="session",
    format="posenc-gui session",
    version=2,
    part="session",
    beside=(areas.PART, BOOKMARKS),
    or_else=_exported,
    largest=25_000_000,  # the longest text and order take less than a third of it
)


class Session(Scene):
    """A scene and each plot's options: everything that a picture depends on.

    Two equal sessions give equal pictures. Never part of it: theme, device, zoom, or how the window is arranged.
    """

    file_defaults: ClassVar[ageing.Defaults] = ageing.DEFAULTS  # what a file means by what it leaves out

    plots: PlotOptions = PlotOptions()

    @property
    def scene(self) -> Scene:
        """What all plots show, without their options."""
        return Scene.model_construct(**{name: getattr(self, name) for name in Scene.model_fields})

    def options_of(self, plot: str) -> Any:
        """The options of a plot. Raises ValueError for a name that is no plot."""
        plots.find(plot)
        return getattr(self.plots, plot)

    def to_json(self, beside: Beside | None = None) -> str:
        """The session as the text of its file, and what is to be kept beside it."""
        return FILE.text(self.file_defaults.shortened(self), beside)

    def save(self, path: str | Path, beside: Beside | None = None) -> Path:
        """Write the session to a file, whole or not at all; `beside` as for `to_json`. Raises OSError."""
        path = Path(path)
        files.write(path, self.to_json(beside).encode())
        return path

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a session file, or the session that an exported figure carries; warns of what had to be left out.

        Raises ValueError, in one sentence, for a file that is damaged, foreign or holds what this version doesn't know;
        OSError where it can't be read.
        """
        return _told(cls.open(path))

    @classmethod
    def from_json(cls, data: str | bytes) -> Self:
        """The session in the text of its file; warns of what had to be left out. Raises ValueError in one sentence."""
        return _told(cls.read(data))

    def share(self, beside: Beside | None = None) -> str:
        """The session as one line: a word of lower-case letters and digits, for chats, mails and hand-outs."""
        return share.packed(FILE.text(self.file_defaults.shortened(self), beside, short=True))

    @classmethod
    def from_share(cls, text: str) -> Self:
        """The session in a share string, whatever text stands around it; warns of what had to be left out.

        Raises ValueError, in one sentence, for one that is cut short or changed, and for what is none.
        """
        return _told(cls.read_share(text))

    @classmethod
    def read_share(cls, text: str) -> Opened[Self]:
        """What `from_share` gives, with a sentence for what had to be left out instead of a warning."""
        return cls.read(share.unpacked(text, FILE.largest))

    @classmethod
    def open(cls, path: str | Path) -> Opened[Self]:
        """What `load` gives, with a sentence for what had to be left out instead of a warning."""
        return FILE.opened_at(Path(path), cls.found)

    @classmethod
    def read(cls, data: str | bytes) -> Opened[Self]:
        """What `from_json` gives, with a sentence for what had to be left out instead of a warning.

        Options of plots that this version doesn't have are left out: they change no picture that it has.
        """
        letter = FILE.opened(data)
        content, remarks = cls._completed(letter.content)
        return Opened(letter.made(cls, content), (*letter.remarks, *remarks), letter.beside)

    @classmethod
    def of_content(cls, content: object) -> tuple[Self, tuple[str, ...]]:
        """What a file holds of a session as a session, and what `read` would say of it. Raises ValidationError."""
        completed, remarks = cls._completed(content)
        return cls.model_validate(completed), remarks

    @classmethod
    def _completed(cls, content: object) -> tuple[object, tuple[str, ...]]:
        known, remarks = _without_unknown_plots(content)
        return cls.file_defaults.completed(cls, known), remarks

    @classmethod
    def found(cls, data: bytes) -> Opened[Self]:
        """What `open` gives of what stands in a file."""
        # A session's own text may hold what looks like another session's mark.
        carried = None if data.lstrip().startswith(b"{") else provenance.find(data)
        return cls.read(data if carried is None else carried)


def _without_unknown_plots(content: Any) -> tuple[Any, tuple[str, ...]]:
    options = content.get("plots") if isinstance(content, dict) else None
    if not isinstance(options, dict) or options.keys() <= set(plots.names()):
        return content, ()
    known = {name: own for name, own in options.items() if name in plots.names()}
    unknown = [name for name in options if name not in known]
    which = "plot" if len(unknown) == 1 else "plots"
    remark = f"left out the options of {named(unknown)}, since this explorer has no such {which}."
    return {**content, "plots": known}, (remark,)


def _told(opened: Opened[T]) -> T:
    for remark in opened.remarks:
        warnings.warn(remark, UserWarning, stacklevel=3)
    return opened.content
