"""Moves the panels of a view from a former state to the present one, and lets the marks of the former one fade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Panel
from posenc_gui.render.drawings import motion
from posenc_gui.render.drawings.motion import Change, Motion
from posenc_gui.render.screen.panel_view import PanelView


class Mover(QObject):
    """Draws the moments of a change, with a timer that runs only until the marks are gone.

    A change that comes while panels move, or that belongs to the same drag, is shown at once, and the marks stay those of the
    state at rest before. Those of a drag fade after its end.
    """

    rested = Signal()  # nothing of the former state is seen any more

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
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
        if goes_on or (self._moving and monotonic() - self._began < motion.MOVES):
            change, before = change.after(self._change), self._former
        else:
            self._figure = figure
        self._former, self._change = list(before), change
        self._move(views)

    def let_go(self, views: Sequence[PanelView]) -> None:
        """End a drag: the views may show its last state on another scale."""
        if self._moving:
            self._change = replace(self._change, still=True, drag=None)
            self._move(views)

    def _move(self, views: Sequence[PanelView]) -> None:
        self._began = monotonic()
        found = motion.motions(self._former, [view.shown for view in views], self._change)
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
        passed = monotonic() - self._began
        now = motion.moment(passed, self._change)
        if now == motion.REST:
            self.finish()
            return
        for view, one in self._moving:
            view.show_moment(one, now)
        if (wait := motion.until_next(passed, self._change)) is not None:
            self._timer.start(round(1000 * wait))
