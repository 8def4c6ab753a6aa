"""Moves the panels of a view from a former state to the present one, and lets the marks of the former one fade."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Panel
from posenc_gui.render.drawings import motion
from posenc_gui.render.drawings.motion import Change, Motion
from posenc_gui.render.screen.panel_view import PanelView


class Mover(QObject):
    """Draws the moments of a change, with a timer that runs only until the marks are gone.

    A change that comes while panels move, as all but the first do while a slider is dragged, or that belongs to the same drag,
    is shown at once, and the marks stay those of the state at rest before.
    """

    rested = Signal()  # nothing of the former state is seen any more

    def __init__(self, parent: QObject, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._figure: Figure | None = None  # the former one
        self._former: list[Panel] = []  # its panels as they were drawn
        self._change = Change()
        self._moving: list[tuple[PanelView, Motion]] = []
        self._began = float("-inf")
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._draw)

    @property
    def is_at_rest(self) -> bool:
        """True if nothing moves and no mark is left."""
        return not self._moving

    @property
    def former(self) -> Figure | None:
        """The figure of which marks are seen; None at rest."""
        return self._figure if self._moving else None

    def begin(self, views: Sequence[PanelView], figure: Figure, before: Sequence[Panel], change: Change) -> None:
        """Move views, which show the present state already, from the figure and the panels that they showed before."""
        goes_on = change.drag is not None and change.drag == self._change.drag
        if goes_on or (self._moving and self._clock() - self._began < motion.MOVES):
            change, before = change.after(self._change), self._former
        else:
            self._figure = figure
        self._former, self._change, self._began = list(before), change, self._clock()
        found = motion.motions(before, [view.shown for view in views], change)
        self._moving = [(view, one) for view, one in zip(views, found, strict=True) if one is not None]
        self._draw()

    def forget(self) -> None:
        """Move nothing any more, because the views show other panels or are gone."""
        self._timer.stop()
        self._moving = []

    def finish(self) -> None:
        """Show the present state alone."""
        for view, one in self._moving:
            view.show_moment(one, motion.REST)
        self.forget()
        self.rested.emit()

    def _draw(self) -> None:
        """Draw this moment, and come again when another is to be drawn."""
        if not self._moving:
            return
        passed, still = self._clock() - self._began, self._change.still
        now = motion.moment(passed, still)
        if now == motion.REST:
            self.finish()
            return
        for view, one in self._moving:
            view.show_moment(one, now)
        self._timer.start(round(1000 * motion.until_next(passed, still)))
