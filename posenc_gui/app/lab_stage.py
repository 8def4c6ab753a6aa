"""The lab's stage: which cards a step shows, covers and locks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel

from posenc_gui.app.card import Card
from posenc_gui.app.lab import LabPanel
from posenc_gui.app.lab_desk import LabDesk
from posenc_gui.app.sketch import SketchPad
from posenc_gui.app.theme import Theme
from posenc_gui.labs.lab import PANELS
from posenc_gui.labs.observe import Observation
from posenc_gui.labs.play import Play

Arrange = Callable[[tuple[str, ...], tuple[str, ...]], None]


class LabStage(QObject):
    """Sets the window's cards as the play at hand wants them, and as they were when it is over."""

    def __init__(
        self,
        desk: LabDesk,
        panel: LabPanel,
        cards: dict[str, Card],
        quiet: Callable[[bool], None],
        arrange: Arrange,
        give_back: Callable[[], None],
        theme: Theme,
    ) -> None:
        super().__init__(panel)
        self._panel, self._cards, self._quiet = panel, cards, quiet
        self._arrange, self._give_back, self._theme = arrange, give_back, theme
        self._set: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._play: Play | None = None
        self._sketching = ""  # the plot over which the pad stands
        desk.changed.connect(self._on_changed)
        desk.observed.connect(self._on_observed)

    def set_theme(self, theme: Theme) -> None:
        """Draw in another theme from now on."""
        self._theme = theme
        for pad in self._panel.window().findChildren(SketchPad):
            pad.set_theme(theme)

    def _on_changed(self, play: Play | None) -> None:
        moved = play is None or self._play is None or play.index != self._play.index or play.lab != self._play.lab
        self._play = play
        if play is None or play.free:
            if self._set is not None:
                self._give_back()
            self._set = None
        else:
            wanted = play.step.panels, (*play.step.show, *play.step.reveal)
            if wanted != self._set:
                self._set = wanted
                self._arrange(*wanted)
        self._cover(play, moved)
        for name in PANELS:
            why = "after your prediction" if play and play.phase == "predict" else "locked by the lab"
            self._cards[name].lock(why if play and play.locks(name) else "")

    def _cover(self, play: Play | None, moved: bool) -> None:
        for name, card in self._cards.items():
            if not name.startswith("plot."):
                continue
            plot = name.removeprefix("plot.")
            covered = play is not None and play.covers(plot)
            if plot == self._sketching and covered and not moved:
                continue  # what is drawn on the pad stays
            if plot == self._sketching:
                self._sketching = ""
            card.cover(_cover() if covered else None)
        self._quiet(play is not None and play.quiet)

    def _on_observed(self, seen: Observation) -> None:
        """The axes are known: the pad takes the place of the plot."""
        play = self._play
        if seen.curves is None or play is None or play.phase != "predict" or play.step.prediction is None:
            return
        plot = getattr(play.step.prediction, "plot", "")
        if not plot or self._sketching == plot:
            return
        pad = SketchPad(seen.curves, self._theme)
        self._sketching = plot
        self._cards[f"plot.{plot}"].cover(pad)
        self._panel.step.take_pad(pad)


def _cover() -> QLabel:
    label = QLabel("Covered until you have predicted.", alignment=Qt.AlignmentFlag.AlignCenter)
    label.setObjectName("cover")
    label.setWordWrap(True)
    return label
