"""The lab's stage: which cards a step shows, covers and locks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel

from posenc_gui.app.docks.card import Card
from posenc_gui.app.labs.lab_card import LabPanel
from posenc_gui.app.labs.played_lab import LabDesk
from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.window.commands import keys_of
from posenc_gui.figure.figure import Figure, Lines
from posenc_gui.foundation.theme import Roles
from posenc_gui.labs.definition.lab import PANELS, Sketch
from posenc_gui.labs.play.observe import Observation
from posenc_gui.labs.play.progress import Play
from posenc_gui.render.screen import FigureView

_FREE: tuple[tuple[str, ...], tuple[str, ...]] = PANELS, ()  # all panels, and the plots of a first start

Arrange = Callable[[tuple[str, ...], tuple[str, ...], bool], None]
ShowBefore = Callable[[str, Figure | None], None]


class LabStage(QObject):
    """Sets the window's cards as the play at hand wants them, and as they were when it is over."""

    def __init__(
        self,
        desk: LabDesk,
        panel: LabPanel,
        cards: dict[str, Card],
        quiet: Callable[[bool], None],
        show_before: ShowBefore,
        arrange: Arrange,
        give_back: Callable[[], None],
        theme: Roles,
    ) -> None:
        super().__init__(panel)
        self._panel, self._cards, self._quiet, self._show_before = panel, cards, quiet, show_before
        self._arrange, self._give_back, self._theme = arrange, give_back, theme
        self._set: tuple[tuple[str, ...], tuple[str, ...], bool] | None = None
        self._play: Play | None = None
        self._pad: SketchPad | None = None
        self._axes: Lines | None = None  # over which the pad stands
        self._compared: FigureView | None = None  # the sketch beside what was measured, in the plot's place
        self._before: tuple[str, ...] = ()  # plots beside whose picture that of the step's beginning stands
        desk.changed.connect(self._on_changed)
        desk.observed.connect(self._on_observed)
        panel.currentChanged.connect(self._arrange_cards)
        cards["lab"].visibilityChanged.connect(lambda: self._cover(self._play))

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme from now on."""
        self._theme = theme
        if self._pad:
            self._pad.set_theme(theme)
        if self._compared:
            self._compared.set_colours(theme)

    def _on_changed(self, play: Play | None) -> None:
        moved = play is None or self._play is None or play.index != self._play.index or play.lab != self._play.lab
        self._play = play
        self._cards["lab"].set_caption(_where(play) if play else "")
        self._arrange_cards()
        if moved or play is None or not play.covers(_sketched(play)):
            self._pad = self._axes = None
        if moved or play is None or play.free:
            self._let_go()
        if moved or play is None or play.free or play.phase != "done":
            self._compared = None
        self._cover(play)
        for name in PANELS:
            self._cards[name].show_foot(play is None or play.free)  # what leads away from the step
            why = "after your prediction" if play and play.phase == "predict" else "locked by the lab"
            self._cards[name].lock(why if play and play.locks(name) else "")

    def _arrange_cards(self) -> None:
        """Before the prediction and at the lab's end the page has the column alone, and what there is to read has most of it."""
        play = self._play
        if play is None:
            if self._set is not None:
                self._give_back()
            self._set = None
            return
        wanted = (*_FREE, False)
        if not play.free:
            panels = () if self._panel.currentWidget() is self._panel.end else play.panels
            wanted = panels, (*play.step.show, *play.step.reveal), play.phase == "done"
        if wanted != self._set:
            self._set = wanted
            self._arrange(*wanted)

    def _cover(self, play: Play | None) -> None:
        sketched = f"plot.{_sketched(play)}" if play and (self._pad or self._compared) else ""
        for name, card in self._cards.items():
            covered = name.startswith("plot.") and play is not None and play.covers(name.removeprefix("plot."))
            if name != sketched:  # what is drawn there stays
                card.cover(_covering(play, self._cards["lab"].in_view) if covered and play else None)
        self._quiet(play is not None and play.quiet)

    def _on_observed(self, seen: Observation) -> None:
        """What takes the place of a plot, or stands beside it: the pad, the sketch as it was measured, the picture before."""
        if self._play is None or self._play.free:
            return
        if seen.curves is not None and not _same_axes(seen.curves, self._axes):
            self._pad, self._axes = SketchPad(seen.curves, self._theme), seen.curves
            self._cards[f"plot.{_sketched(self._play)}"].cover(self._pad)
            self._panel.step.take_pad(self._pad)
        if seen.compared is not None and self._compared is None:
            self._compared = FigureView(self._theme)
            self._compared.setObjectName("compared")
            self._compared.setAccessibleName("Your sketch and the measured curve")
            self._compared.show_figure(seen.compared)
            self._cards[f"plot.{_sketched(self._play)}"].cover(self._compared)
        if seen.before and not self._before:
            self._before = tuple(seen.before)
            for name, figure in seen.before.items():
                self._show_before(name, figure)

    def _let_go(self) -> None:
        for name in self._before:
            self._show_before(name, None)
        self._before = ()


def _sketched(play: Play) -> str:
    """The plot over whose axes a step's prediction is drawn; empty for other kinds."""
    return play.step.prediction.plot if isinstance(play.step.prediction, Sketch) else ""


def _same_axes(one: Lines, other: Lines | None) -> bool:
    return other is not None and (one.x, one.low, one.high, one.log) == (other.x, other.low, other.high, other.log)


def _where(play: Play) -> str:
    return f"step {play.index + 1} of {len(play.lab.steps)} · {play.lab.title}"


def _covering(play: Play, asks: bool) -> QLabel:
    """What stands in a covered plot's place; where the question is out of sight, it says how it comes back."""
    until = "predicted" if play.phase == "predict" else "made another order"
    back = "" if asks else f" {keys_of('lab')} brings the question back."
    label = QLabel(f"Covered until you have {until}.{back}", alignment=Qt.AlignmentFlag.AlignCenter)
    label.setObjectName("cover")
    label.setWordWrap(True)
    return label
