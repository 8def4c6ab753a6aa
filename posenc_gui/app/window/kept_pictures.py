"""The pictures of the last window's end, shown until what computes them is imported, and this window's, kept for the next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import is_plot
from posenc_gui.app.state.sealed_file import SealedFile, digest_of_program
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.app.state.worker import BackgroundWriter
from posenc_gui.app.widgets import painted_over
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.widgets.painted_over import PaintedOver, picture_of
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.window.notifications import StatusBar
from posenc_gui.app.window.when_loaded import WhenLoaded

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.panels.workbench import Workbench
    from posenc_gui.app.state.kept_figures import KeptFigures, KeptSight
    from posenc_gui.figure.axis import Pointer
    from posenc_gui.render.screen import FigureView

_HEADLINE, _COLUMN, _UNFILLED = "headline", "column", "unfilled column"
_KEPT = "Pictures from before this start; they are drawn anew once torch is loaded."


class InSight(NamedTuple):
    """What is in sight: figures and headline, and the pictures of all cards in view and of the headline, in one look."""

    figures: KeptSight
    pictures: dict[str, QImage]
    look: str


class KeptPictures(QObject):
    """Shows what was in sight at the last window's end: at first as pictures over the cards, then as figures in them, which it
    hands over to the workbench."""

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
        self._figures: KeptFigures | None = None
        self._pictures = SealedFile(place, place.pictures, digest_of_program())
        self._over: dict[str, PaintedOver] = {}
        self._views: list[FigureView] = []
        THEME.changed.connect(self._restyle)

    def paint(self, *, wanted: bool) -> Iterator[None]:
        """Show cards and headline as they were, if that is `wanted`, one in each step; of another size or look, not at all."""
        found = dict[str, bytes]()
        if wanted and not self._place.plays_lab:
            with suppress(ValueError):
                found = painted_over.from_bytes(self._pictures.take(), painted_over.look_of(self._headline))
        places = self._places()
        for name in found.keys() & places.keys():
            place, part = places[name]
            if picture := picture_of(found[name], part.size(), place.devicePixelRatioF()):
                self._over[name] = PaintedOver(place, part.topLeft(), picture)
                self._status.show_state(_KEPT)
                yield

    def shows_at(self, point: QPoint) -> bool:
        """True if a picture of the last window's end is shown at this point of the window."""
        shown = (over for name, over in self._over.items() if name != _UNFILLED and over.isVisible())
        return any(over.rect().contains(over.mapFrom(over.window(), point)) for over in shown)

    def take(self, *, wanted: bool) -> KeptSight | None:
        """Return what is kept to be shown, if it is `wanted`. Runs on the worker's thread."""
        from posenc_gui.app.state.kept_figures import KeptFigures

        self._figures = KeptFigures(self._place, self._pictures.program)
        return self._figures.take() if wanted and not self._place.plays_lab else None

    def show(self, sight: KeptSight) -> Iterator[None]:
        """Show the pictures of cards that are in view again, one in each step; the pointer is followed in them."""
        from posenc_gui.render.screen import FigureView

        self._headline.show_again(sight.headline)  # first: it takes room from the cards
        self._status.show_state(_KEPT)
        yield
        self._uncover(_HEADLINE)
        for kept in sight.plots:
            card = self._cards.get(f"plot.{kept.figure.name}")
            if card is None or not card.in_view or kept.figure.is_note:  # whose button isn't kept: its picture stays
                continue
            view = FigureView(THEME.roles, headed=True)
            view.pointed.connect(self._on_pointed)
            self._when_loaded.keep(view.clicked, view.door_pressed)
            card.setWindowTitle(kept.title)
            card.set_caption(*kept.caption)
            card.show_for_now(view)
            view.show_figure(replace(kept.figure, session=sight.session))
            self._views.append(view)
            yield  # the view gets its place
            if over := self._over.get(card.objectName()):
                over.show_top(card.titleBarWidget().geometry().bottom() + 1)  # its buttons come when it is filled

    def hand_over(self) -> bool:
        """Leave the figures to the workbench, which takes them from their cards. The column looks as it does until `uncover`;
        return True if that is as it was."""
        places, is_painted = self._places(), _COLUMN in self._over
        if _COLUMN in places and not is_painted:
            window, column = places[_COLUMN]
            self._over[_UNFILLED] = PaintedOver(window, column.topLeft(), window.grab(column))
        for view in self._views:
            view.pointed.disconnect(self._on_pointed)
        self._views.clear()
        for card in self._cards.values():
            if card.isHidden() and (left := card.take_for_now()):  # closed meanwhile: what it shows later is drawn then
                left.deleteLater()
        return is_painted

    def uncover(self) -> None:
        """Show all as it is now."""
        for name in tuple(self._over):
            self._uncover(name)

    def sight_of(self, workbench: Workbench) -> InSight | None:
        """Return what is in sight, if it is finished and follows from the session alone."""
        from posenc_gui.app.state.kept_figures import KeptPlot, KeptSight

        figures = workbench.finished_figures()
        cards = {name: self._cards[f"plot.{name}"] for name in figures}
        plots = tuple(
            KeptPlot(replace(figure, session=""), cards[name].windowTitle(), cards[name].caption)
            for name, figure in figures.items()
        )
        session = next((figure.session for figure in figures.values()), "")
        if not plots:
            return None
        unfinished = {name for name in self._places() if is_plot(name)} - {f"plot.{name}" for name in figures}
        pictures = {
            name: place.grab(part).toImage() for name, (place, part) in self._places().items() if name not in unfinished
        }
        sight = KeptSight(plots, self._headline.shown, session)
        return InSight(sight, pictures, painted_over.look_of(self._headline))

    def keep(self, sight: InSight) -> None:
        """Keep what is in sight, once the session that was given to the writer is written."""
        if self._figures:
            self._writer.write(self._place.figures, partial(self._figures.content_of, sight.figures))
        pictures = partial(painted_over.to_bytes, sight.pictures, sight.look)
        self._writer.write(self._place.pictures, lambda: self._pictures.sealed(pictures()))

    def put_back(self) -> None:
        """Keep what was taken for the start that follows this one, which was ended early."""
        for file in (self._figures and self._figures.file, self._pictures):
            if file and file.taken:
                self._writer.write(file.path, partial(bytes, file.taken))

    def _places(self) -> dict[str, tuple[QWidget, QRect]]:
        """What is kept as pictures, by name: widgets, each with its part that is; the column beside plots is one picture."""
        shown = [card for card in self._cards.values() if card.in_view]
        plots = {card.objectName(): (card, card.rect()) for card in shown if is_plot(card.objectName())}
        docked = [card for card in shown if not card.isFloating()]
        column = reduce(QRect.united, (card.geometry() for card in docked if card.objectName() not in plots), QRect())
        stands_apart = not any(column.intersects(card.geometry()) for card in docked if card.objectName() in plots)
        apart = {_COLUMN: (self._headline.window(), column)} if stands_apart and not column.isEmpty() else {}
        return {_HEADLINE: (self._headline, self._headline.rect()), **plots, **apart}

    def _uncover(self, name: str) -> None:
        if over := self._over.pop(name, None):
            over.hide()
            over.deleteLater()

    def _on_pointed(self, pointer: Pointer, words: str) -> None:
        self._status.show_read(words)
        for view in self._views:
            view.show_pointer(pointer)

    def _restyle(self) -> None:
        self.uncover()
        for view in self._views:
            view.set_colours(THEME.roles)
