"""The lab's stage: shows, covers and locks the window's cards for each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit

from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import shortcut_of
from posenc_gui.app.labs.lab_card import LabPanel
from posenc_gui.app.labs.played_lab import LabDesk
from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.widgets.focus_order import keyboard_of
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines
from posenc_gui.figure.told_marks import with_told_marked
from posenc_gui.labs.definition.lab import PANELS, FreeText, Sketch
from posenc_gui.labs.play.observe import Marks, Observation
from posenc_gui.labs.play.progress import Play
from posenc_gui.render.screen import FigureView
from posenc_gui.session.session import Session

Arrange = Callable[[tuple[str, ...], tuple[str, ...], bool], None]


class LabStage(QObject):
    """Arranges the window's cards for the current step, and restores them when the lab is closed."""

    def __init__(
        self,
        desk: LabDesk,
        panel: LabPanel,
        cards: dict[str, Card],
        workbench: Workbench,
        arrange: Arrange,
        give_back: Callable[[], None],
    ) -> None:
        super().__init__(panel)
        self._panel, self._cards, self._workbench = panel, cards, workbench
        self._arrange, self._give_back = arrange, give_back
        self._set: tuple[tuple[str, ...], tuple[str, ...], bool] | None = None
        self._play: Play | None = None
        self._pad: SketchPad | None = None
        self._axes: Lines | None = None  # the panel that gives the sketch pad its axes
        self._compared: FigureView | None = None  # the learner's sketch beside the measured curve, shown over the plot
        self._marks = Marks()
        self._is_reordered = False  # whether the learner has made another order in this step
        self._tries = False  # whether a result also shows the cards in which the step's session can be changed
        self._before: Mapping[str, Figure] = {}  # of plots that also show their picture of the earlier session
        desk.changed.connect(self._on_changed)
        desk.observed.connect(self._on_observed)
        THEME.changed.connect(self._restyle)
        panel.currentChanged.connect(self._arrange_cards)
        panel.step.tries_wanted.connect(self._try_more)
        cards["lab"].visibilityChanged.connect(lambda: self._cover(self._play))

    def _restyle(self) -> None:
        if self._compared:
            self._compared.set_colours(THEME.roles)

    def _on_changed(self, play: Play | None) -> None:
        moved = play is None or self._play is None or play.index != self._play.index or play.lab != self._play.lab
        if moved or play is None or play.phase != "done":
            self._tries = False
        elif self._play and self._play.phase != "done":
            self._tries = self._is_typing_in(play.panels)  # whoever is typing goes on
        self._play = play
        self._arrange_cards()
        if moved or play is None or not play.covers(_sketched(play)):
            self._pad = self._axes = None
        if moved:
            self._is_reordered = False
        if moved or play is None or play.free:
            self._keep_before({}, None)
            self._keep_marks(Marks())
        if moved or play is None or play.free or play.phase != "done" or play.done.transfer:
            self._compared = None
        self._cover(play)
        for name in PANELS:
            self._cards[name].show_foot(play is None or play.free)  # hide links that lead away from the step
            why = "after your prediction" if play and play.phase == "predict" else "locked by the lab"
            self._cards[name].lock(why if play and play.locks(name) else "")

    def _arrange_cards(self) -> None:
        """Show the cards of the current step, with all panels in free play, and those from before once the lab is closed."""
        play = self._play
        at_end = self._panel.currentWidget() is self._panel.end
        self._cards["lab"].set_caption(_where(play, at_end=at_end) if play else "")
        if play is None:
            if self._set is not None:
                self._give_back()
            self._set = None
            return
        shown = (*play.step.show, *play.step.reveal)
        wanted: tuple[tuple[str, ...], tuple[str, ...], bool] = (PANELS, shown, False)
        if not play.free:
            panels = () if self._hides_panels(play) else play.panels
            wanted = panels, shown, play.phase == "done"
            self._panel.step.show_tries(play.panels if play.phase == "done" else (), self._tries)
        if wanted != self._set:
            self._set = wanted
            if self._has_keyboard([name for name in PANELS if name not in wanted[0]]):
                self._panel.step.take_keyboard()  # else it would go wherever Qt finds room for it
            self._arrange(*wanted)

    def lend_panels(self, plots: tuple[str, ...]) -> None:
        """Show the cards in which a session is changed beside these plots, where Lab without a step has none of them."""
        if self._play is None and self._cards["lab"].in_view and self._cards["encoding"].isHidden():
            self._set = tuple(dict.fromkeys(("encoding", *PANELS))), plots, False
            self._arrange(*self._set)

    def take_panels_back(self) -> None:
        """Show Lab as it was before its panels were lent, unless a lab has begun meanwhile."""
        if self._play is None:
            self._arrange_cards()

    def _hides_panels(self, play: Play) -> bool:
        """True where the page gets the whole column: at the end, and on a result until more is to be tried."""
        return self._panel.currentWidget() is self._panel.end or (play.phase == "done" and not self._tries)

    def _is_typing_in(self, panels: Sequence[str]) -> bool:
        keyboard = keyboard_of(self._panel.window())
        is_typing = isinstance(keyboard, QLineEdit | QPlainTextEdit)  # a number that reaches a goal is whole
        return is_typing and self._has_keyboard(panels)

    def _has_keyboard(self, panels: Sequence[str]) -> bool:
        keyboard = keyboard_of(self._panel.window())  # a card that floats remembers its own last field
        return keyboard is not None and any(self._cards[name].isAncestorOf(keyboard) for name in panels)

    def _try_more(self) -> None:
        self._tries = not self._tries
        self._arrange_cards()

    def _cover(self, play: Play | None) -> None:
        sketched = f"plot.{_sketched(play)}" if play and (self._pad or self._compared) else ""
        for name, card in self._cards.items():
            covered = name.startswith("plot.") and play is not None and play.covers(name.removeprefix("plot."))
            covered = covered and not (play is not None and play.phase == "act" and self._is_reordered)
            if name != sketched:  # keep the curve that is being drawn on the pad
                card.cover(_covering(play, self._cards["lab"].in_view) if covered and play else None)
        self._workbench.quiet(play is not None and play.quiet)
        self._workbench.silence(play is not None and play.silent)

    def _on_observed(self, seen: Observation) -> None:
        """Show the sketch pad, the compared sketch or the earlier picture over or beside a plot."""
        if self._play is None or self._play.free:
            return
        if seen.curves is not None and not _same_axes(seen.curves, self._axes):
            self._pad, self._axes = SketchPad(seen.curves), seen.curves
            self._cards[f"plot.{_sketched(self._play)}"].cover(self._pad)
            self._panel.step.take_pad(self._pad)
        if seen.compared is not None and self._compared is None:
            self._compared = FigureView(THEME.roles)
            self._compared.setObjectName("compared")
            self._compared.setAccessibleName("Your sketch and the measured curve")
            told = seen.marks.by_plot.get(_sketched(self._play), ())
            self._compared.show_figure(with_told_marked(seen.compared, told))
            self._cards[f"plot.{_sketched(self._play)}"].cover(self._compared)
        reordered = seen.earlier is not None and seen.session.order != seen.earlier.order
        if reordered != self._is_reordered:
            self._is_reordered = reordered
            self._cover(self._play)
        self._keep_before(seen.before, seen.earlier)
        self._keep_marks(seen.marks)

    def _keep_marks(self, marks: Marks) -> None:
        """Frame what is told, and nothing else, and its numbers in the text."""
        if marks == self._marks:
            return
        for name in self._marks.by_plot.keys() | marks.by_plot.keys():
            self._workbench.mark(name, marks.by_plot.get(name, ()))
        self._marks = marks
        self._panel.step.show_marks(marks.texts)

    def _keep_before(self, before: Mapping[str, Figure], earlier: Session | None) -> None:
        """Show these pictures beside the current ones of their plots, and no others."""
        known, self._before = self._before, before
        for name in known.keys() - before.keys():
            self._workbench.show_before(name, None, None)
        for name, figure in before.items():
            if name not in known or known[name].session != figure.session:
                alone = earlier.encoding if earlier and earlier.other is None else None
                self._workbench.show_before(name, figure, alone)


def _sketched(play: Play) -> str:
    """Return the name of the plot on whose axes the learner sketches a prediction; empty for other kinds."""
    return play.step.prediction.plot if isinstance(play.step.prediction, Sketch) else ""


def _same_axes(one: Lines, other: Lines | None) -> bool:
    return other is not None and (one.x, one.low, one.high, one.log) == (other.x, other.low, other.high, other.log)


def _where(play: Play, *, at_end: bool) -> str:
    return "results" if at_end else f"step {play.index + 1} of {len(play.lab.steps)} · {play.lab.title}"


def _covering(play: Play, asks: bool) -> QLabel:
    """Return the label that covers a plot; if the lab card with the question is hidden, it says how to show it
    again."""
    given = "answered" if isinstance(play.step.prediction, FreeText) else "predicted"
    until = given if play.phase == "predict" else "made another order"
    back = "" if asks else f" {shortcut_of('lab')} brings the question back."
    label = QLabel(f"Covered until you have {until}.{back}", alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
    label.setObjectName("cover")
    return label
