"""The pictures of the last window's end, shown until what computes them is imported, and this window's, kept for the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from posenc_gui.app.docks.card import Card
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.app.state.worker import BackgroundWriter
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.window.notifications import StatusBar
from posenc_gui.app.window.when_loaded import WhenLoaded

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.panels.workbench import Workbench
    from posenc_gui.app.state.kept_figures import KeptFigures, KeptSight
    from posenc_gui.figure.axis import Pointer
    from posenc_gui.render.screen import FigureView

_KEPT = "These are kept pictures until torch is loaded and draws them."


class KeptPictures(QObject):
    """Shows kept pictures in their cards, and hands them over to the workbench."""

    def __init__(
        self,
        place: WindowSlot,
        writer: BackgroundWriter,
        cards: dict[str, Card],
        headline: Headline,
        status: StatusBar,
        when_loaded: WhenLoaded,
    ) -> None:
        super().__init__(headline)
        self._place, self._writer, self._when_loaded = place, writer, when_loaded
        self._cards, self._headline, self._status = cards, headline, status
        self._file: KeptFigures | None = None
        self._views: list[FigureView] = []
        THEME.changed.connect(self._restyle)

    def take(self, *, wanted: bool) -> KeptSight | None:
        """Return what is kept to be shown, if it is `wanted`. Runs on the worker's thread."""
        from posenc_gui.app.state.kept_figures import KeptFigures

        self._file = KeptFigures(self._place)
        return self._file.take() if wanted and not self._place.underway.exists() else None

    def show(self, sight: KeptSight, *, plays: bool) -> Iterator[None]:
        """Show the pictures of cards that are in view again, one in each step; the pointer is followed in them.

        plays: whether the headline may offer that.
        """
        from posenc_gui.render.screen import FigureView

        headline = replace(sight.headline, plays=sight.headline.plays and plays)
        self._headline.show_again(headline)  # first: it takes room from the cards
        self._status.show_state(_KEPT)
        yield
        for kept in sight.plots:
            card = self._cards.get(f"plot.{kept.figure.name}")
            if card is None or not card.in_view:
                continue
            view = FigureView(THEME.roles, headed=True)
            view.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
            view.pointed.connect(self._on_pointed)
            self._when_loaded.keep(view.clicked, view.door_pressed, only_while=partial(card.shows_for_now, view))
            card.setWindowTitle(kept.title)
            card.set_caption(*kept.caption)
            card.show_for_now(view)
            view.show_figure(replace(kept.figure, session=sight.session))
            self._views.append(view)
            yield

    def hand_over(self) -> None:
        """Leave the pictures to the workbench, which takes them from their cards."""
        THEME.changed.disconnect(self._restyle)
        for view in self._views:
            view.pointed.disconnect(self._on_pointed)
        self._views.clear()

    def sight_of(self, workbench: Workbench) -> KeptSight | None:
        """Return what is in sight, if it is finished and follows from the session alone."""
        from posenc_gui.app.state.kept_figures import KeptPlot, KeptSight

        figures = workbench.finished_figures()
        cards = {name: self._cards[f"plot.{name}"] for name in figures}
        plots = tuple(
            KeptPlot(replace(figure, session=""), cards[name].windowTitle(), cards[name].caption)
            for name, figure in figures.items()
        )
        session = next((figure.session for figure in figures.values()), "")
        return KeptSight(plots, self._headline.shown, session) if plots else None

    def keep(self, sight: KeptSight) -> None:
        """Keep what is in sight, once the session that was given to the writer is written."""
        if self._file:
            self._writer.write(self._place.figures, partial(self._file.content_of, sight))

    def put_back(self) -> None:
        """Keep what was taken for the start that follows this one, which was ended early."""
        if self._file and (taken := self._file.taken):
            self._writer.write(self._place.figures, lambda: taken)

    def _on_pointed(self, pointer: Pointer, words: str) -> None:
        self._status.show_read(words)
        for view in self._views:
            view.show_pointer(pointer)

    def _restyle(self) -> None:
        for view in self._views:
            view.set_colours(THEME.roles)
