"""The session: everything that a picture depends on, frozen, and its file."""

from __future__ import annotations

import math
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from posenc_gui import plots, render
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Note, Panel
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen, parameter_table
from posenc_gui.foundation.derived_once import for_latest
from posenc_gui.foundation.errors import TooLarge, path_of, require_type
from posenc_gui.foundation.files import atomic, embedded_session, share_string
from posenc_gui.foundation.files.header import FileKind, Opened, list_names
from posenc_gui.foundation.former_names import by_current_plots
from posenc_gui.foundation.wording import inflect, join_words
from posenc_gui.scene.caption import describe_encodings, describe_settings
from posenc_gui.scene.scene import Scene, scene_of
from posenc_gui.scene.setup import Setup
from posenc_gui.session import card_layout, released_defaults

if TYPE_CHECKING:
    PlotOptions = Frozen  # built at run time, with one field per plot
else:
    PlotOptions = plots.options_model(__name__)

T = TypeVar("T")

LARGEST_SHARED = 8_000_000  # bytes of a session in a share string: the longest text and order take less
BOOKMARKS = "bookmarks"  # the part of a file that holds bookmarks, which are named sessions themselves
_WRITTEN = 4  # sessions whose text is kept: figures and the file of one session share it
Beside = Mapping[str, Any]  # the other parts of a file, by name


FILE = FileKind(
    name="session",
    format="posenc-gui session",
    version=2,
    part="session",
    beside=(card_layout.PART, BOOKMARKS),
    or_else=lambda: f"exported {join_words((suffix[1:].upper() for suffix in render.session_suffixes()), 'or')}",
    largest=embedded_session.LARGEST,  # the longest text and order take less than a third of it
)


class Session(Setup):
    """A scene and each plot's options: everything that a picture depends on. Two equal sessions give equal pictures. Never
    part of it: theme, device, zoom, or how the window is arranged."""

    # What a file means by what it leaves out.
    file_defaults: ClassVar[released_defaults.Defaults] = released_defaults.DEFAULTS

    plots: PlotOptions = PlotOptions()

    @property
    def scene(self) -> Scene:
        """What its pictures show: the session without the plots' options, and what follows from it, each derived once."""
        return scene_of(self)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens in their current order. Raises Undefined if the tokenizer file fails."""
        return self.scene.tokens

    @property
    def n_tokens(self) -> int:
        """The number of tokens; 0 if the tokenizer file fails."""
        return self.scene.n_tokens

    @property
    def focused(self) -> int | None:
        """The index of the query in focus; None without tokens. Raises Undefined as `tokens` does."""
        return self.scene.focused

    @property
    def keyed(self) -> int | None:
        """The index of the selected key; None without tokens. Raises Undefined as `tokens` does."""
        return self.scene.keyed

    def _repr_mimebundle_(self, **asked: object) -> dict[str, str]:
        """Return the session for a notebook: its attention, the parameters of its encodings and its model, itself as text."""
        shown = self.picture("attention", Engine())._repr_mimebundle_(**asked)
        sides = {"": self.encoding} if self.other is None else {"A: ": self.encoding, "B: ": self.other}
        tables = (parameter_table(part, side) for side, part in (*sides.items(), ("", self.model)))
        return {**shown, "text/html": "\n".join((shown["text/html"], *tables)), "text/plain": repr(self)}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield the fields that aren't at their defaults, options of plots as the mapping that makes them."""
        for name, value in super().__repr_args__():
            if name == "plots":
                value = {plot: own for plot, options in self.plots if (own := dict(options.__repr_args__()))}
            yield name, value

    def picture(self, plot: str, engine: Engine, view: View = EVERYTHING) -> Figure:
        """Return a finished figure, with the session; a note if it needs more memory than is free. Raises ValueError."""
        try:
            (figure,) = deque(self.steps(plot, view, replace(engine, pause=math.inf)), maxlen=1)
        except TooLarge as why:
            figure = plots.note(plot, why)
        return self.carried_by(figure)

    def steps(self, plot: str, view: View, engine: Engine) -> Iterator[Figure]:
        """Yield the figures of a plot, from coarse to final, before they carry the session. Raises as `plots.draw` does."""
        yield from plots.draw(plot, self.scene, self.options_of(plot), view, engine)

    def carried_by(self, figure: Figure) -> Figure:
        """Return the figure with the session, and with its subject and settings; a note, or a plot of all encodings, has none."""
        written = _text_for_others(self)
        frames = tuple(replace(frame, session=written) for frame in figure.frames)
        figure = replace(figure, session=written, frames=frames)
        if isinstance(self.model, TrainedModel):
            figure = replace(figure, panels=tuple(self._with_possible_remedy(panel) for panel in figure.panels))
        if figure.is_note or plots.find(figure.name).shows == "all":
            return figure
        one = plots.find(figure.name).shows == "chosen"  # of two compared encodings only A
        scene = self.scene.sides[0] if one and self.other is not None else self.scene
        told = figure.subject if figure.frames else ""  # what small multiples are of
        return replace(figure, subject=told or describe_encodings(scene), settings=describe_settings(self.scene, told))

    def _with_possible_remedy(self, panel: Panel) -> Panel:
        """Return a panel without a remedy that the session's model refuses."""
        if not isinstance(panel, Note) or panel.remedy is None:
            return panel
        try:
            self.changed(**panel.remedy.fields)
        except ValueError:
            return replace(panel, remedy=None)
        return panel

    @property
    def here(self) -> Self:
        """The session for another process of this computer: with the path of a model's folder that is open."""
        if not isinstance(self.model, TrainedModel):
            return self
        return self.model_copy(update={"model": self.model.here})

    @property
    def for_others(self) -> Self:
        """The session as it leaves this computer: without the path of a model's folder."""
        if not isinstance(self.model, TrainedModel):
            return self
        return self.model_copy(update={"model": self.model.for_others})

    def at_head(self, layer: int, head: int) -> Self:
        """Return the session at this layer of a learned model, and at this head wherever a plot shows one. Raises ValueError."""
        model = self.model.at_layer(layer) if isinstance(self.model, TrainedModel) else self.model
        shown = {name: options for name, options in self.plots if "head" in type(options).model_fields}
        seen = {name: options.model_copy(update={"head": head}) for name, options in shown.items()}
        return self.changed(model=model, plots=self.plots.model_copy(update=seen))

    def options_of(self, plot: str) -> Any:
        """Return the options of a plot. Raises ValueError for an unknown plot."""
        plots.find(plot)
        return getattr(self.plots, plot)

    def to_json(self, beside: Beside | None = None) -> str:
        """Return the session, and the file's other parts in `beside`, as the text of a file."""
        return FILE.text(_content(self), beside) if beside else _text(self)

    def save(self, path: str | Path, beside: Beside | None = None) -> Path:
        """Write the session to a file, whole or not at all; `beside` as for `to_json`. Raises OSError."""
        path = path_of(path)
        atomic.write(path, self.to_json(beside).encode())
        return path

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a session file, or the session that an exported figure carries; warns of what had to be left out.

        Raises ValueError, in one sentence, for a file that is damaged, foreign, or newer than this version understands;
        OSError where it can't be read.
        """
        return with_warnings(cls.open(path))

    @classmethod
    def from_json(cls, data: str | bytes) -> Self:
        """The session in the text of its file; warns of what had to be left out. Raises ValueError in one sentence."""
        return with_warnings(cls.read(data))

    def share(self, beside: Beside | None = None) -> str:
        """The session as one word of lower-case letters and digits. Raises ValueError if too many vectors were typed."""
        text = FILE.text(self.file_defaults.shortened(self.for_others), beside, short=True)
        if len(text.encode()) > LARGEST_SHARED:
            most = LARGEST_SHARED // 10**6
            raise ValueError(f"this session is too large for a share string, which holds at most {most} MB.")
        return share_string.encode_share_string(text)

    @classmethod
    def from_share(cls, text: str) -> Self:
        """Return the session in a share string, which may be surrounded by other text; warns of what had to be left out.
        Raises ValueError, in one sentence, for a string that is cut short or changed, and for a text without one."""
        return with_warnings(cls.read_share(text))

    @classmethod
    def read_share(cls, text: str) -> Opened[Self]:
        """Read a share string, with remarks in place of warnings. Raises as `from_share` does."""
        require_type(text, str, "share string")
        return cls.read(share_string.decode_share_string(text, LARGEST_SHARED))

    @classmethod
    def open(cls, path: str | Path) -> Opened[Self]:
        """Read a file, with remarks in place of warnings. Raises as `load` does."""
        return FILE.opened_at(path_of(path), cls.found)

    @classmethod
    def read(cls, data: str | bytes) -> Opened[Self]:
        """Read a file's text, with remarks in place of warnings; unknown plots' options are left out. Raises as `from_json`."""
        require_type(data, str | bytes, "session file's text")
        letter = FILE.opened(data)
        content, remarks = cls._completed(letter.content)
        return Opened(letter.made(cls, content), (*letter.remarks, *remarks), letter.beside)

    @classmethod
    def of_content(cls, content: object) -> tuple[Self, tuple[str, ...]]:
        """The session in a file's content, and the remarks of `read`. Raises ValidationError."""
        completed, remarks = cls._completed(content)
        return cls.model_validate(completed), remarks

    @classmethod
    def _completed(cls, content: object) -> tuple[object, tuple[str, ...]]:
        known, remarks = _without_unknown_plots(content)
        return cls.file_defaults.completed(cls, known), remarks

    @classmethod
    def found(cls, data: bytes) -> Opened[Self]:
        """Read the bytes of a file, as `open` does."""
        # The text in a session file may look like the mark of an embedded session.
        carried = None if data.lstrip().startswith(b"{") else embedded_session.find_session(data)
        return cls.read(data if carried is None else carried)


def _fingerprint(session: Session) -> str:
    """Return the SHA-256 of a trained model's weights, which becomes known some time after it was opened."""
    return session.model.fingerprint if isinstance(session.model, TrainedModel) else ""


@for_latest(_WRITTEN, _fingerprint)
def _content(session: Session) -> dict[str, Any]:
    return session.file_defaults.shortened(session)


@for_latest(_WRITTEN, _fingerprint)
def _text(session: Session) -> str:
    return FILE.text(_content(session))


@for_latest(_WRITTEN, _fingerprint)
def _text_for_others(session: Session) -> str:
    return session.for_others.to_json()


def _without_unknown_plots(content: Any) -> tuple[Any, tuple[str, ...]]:
    options = content.get("plots") if isinstance(content, dict) else None
    if not isinstance(options, dict):
        return content, ()
    options = by_current_plots(options)
    known = {name: own for name, own in options.items() if name in plots.names()}
    unknown = [name for name in options if name not in known]
    if not unknown:
        return {**content, "plots": known}, ()
    remark = (
        f"left out the options of {list_names(unknown)}, "
        f"since this explorer has no such {inflect(len(unknown), 'plot')}."
    )
    return {**content, "plots": known}, (remark,)


def with_warnings(opened: Opened[T]) -> T:
    """Return what was opened, and warn who called for it of what had to be left out."""
    for remark in opened.remarks:
        warnings.warn(remark, UserWarning, stacklevel=3)
    return opened.content
