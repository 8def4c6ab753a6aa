"""Moving around the window: between arrangements, panes and plots, and into Present."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import ARRANGEMENTS
from posenc_gui.app.widgets.focus_order import Pane, PaneCycle, keyboard_of, step_focus
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.window.menus import Toolbar
from posenc_gui.app.window.notifications import Messages
from posenc_gui.foundation.theme import GAP

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.state.settings import ArrangementName
    from posenc_gui.app.window.identify_page import IdentifyPage
    from posenc_gui.app.window.plot_gallery import Gallery
    from posenc_gui.app.window.services import Services
    from posenc_gui.labs.play.progress import Play


class Navigation(QObject):
    """Moves between arrangements, panes and plots, and keeps the gallery and messages on top of the cards.

    Until `load`, there are no plots to go to and no session that an arrangement could follow.
    """

    def __init__(
        self,
        window: QMainWindow,
        cards: dict[str, Card],
        arranger: Arranger,
        headline: Headline,
        messages: Messages,
        bar: Toolbar,
    ) -> None:
        super().__init__(window)
        self._window, self._cards, self._arranger = window, cards, arranger
        self._headline, self._messages, self._bar = headline, messages, bar
        self._loaded: Services | None = None
        self._gallery: Gallery | None = None
        self._page: IdentifyPage | None = None  # until numbers are to be identified
        self._rounds = PaneCycle(self.panes)
        arranger.changed.connect(self._cover)
        arranger.restored.connect(self._on_restored)

    def load(self, loaded: Services, gallery: Gallery) -> None:
        """Connect to the session and the plots once they are there."""
        self._loaded, self._gallery = loaded, gallery
        gallery.chosen.connect(self.open_plot)
        gallery.closed.connect(lambda: self._headline.plots.setChecked(False))
        loaded.store.changed.connect(self._follow)
        loaded.labs.desk.changed.connect(self._on_lab)
        for elsewhere in (loaded.documents.leaving, loaded.labs.desk.entering):
            elsewhere.connect(lambda *_: self._uncover())
        for card in self._cards.values():
            card.tab_chosen.connect(self._on_tab_chosen)
            card.room_changed.connect(self._cover_cards)  # the bars' heights may have changed
        self._follow()

    def watch_focus(self) -> None:
        """Start following the keyboard focus."""
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]

    def end(self) -> None:
        """Stop following the keyboard focus."""
        QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr]

    def go(self, name: ArrangementName) -> None:
        """Switch arrangements: one encoding in Explore, two in Compare. A lab that is left gives back what was there before it,
        waits, and goes on in Lab."""
        if self._loaded is None:
            return
        desk, was = self._loaded.labs.desk, self._arranger.at
        if self._uncover() and name == was:
            return
        if name == "lab" and desk.come_back():
            return
        if name != "lab":
            desk.step_out()
            if why := self._loaded.comparing.turn(name == "compare"):
                self._messages.say(f"Not compared: {why}")
                return
        if self._arranger.at != name or was == name:
            self.arrange(lambda: self._arranger.go(name))
        if was != name or name != "explore":
            self._take_keyboard()

    def _take_keyboard(self) -> None:
        """Give the keyboard to where comparing, a lab or exploring begins: what had it may be hidden now."""
        if self._loaded and self._arranger.at == "lab":
            self._loaded.labs.take_keyboard()
        elif self._loaded:
            panels = self._loaded.workbench
            one, two = panels.encoding.choice, panels.compare.choices["encoding"]
            (two if self._arranger.at == "compare" else one).setFocus()

    def _on_lab(self, play: Play | None) -> None:
        if play is None and self._arranger.at != "lab":
            self._follow()
            self._take_keyboard()

    def present(self, at: int | None = None) -> None:
        """Show a figure on the whole screen."""
        if self._loaded and self._may("Present"):
            self._loaded.presenter.begin(at)

    def resume_presenting(self) -> None:
        """Show the bookmark at which Present was left."""
        if self._loaded and self._may("Present"):
            self._loaded.presenter.resume()

    def _may(self, what: str) -> bool:
        """Return False, and say why, during a lab's step, whose answer Present or Identify could reveal."""
        play = self._loaded.labs.desk.play if self._loaded else None
        if play and not play.free:
            self._messages.say(
                f"{what} is off during a lab step, since it could reveal the answer. Choose Free play first."
            )
            return False
        return True

    def step_pane(self, forward: bool) -> None:
        """Focus the next pane, or the previous one."""
        self._rounds.step_part(self._window.focusWidget(), forward)

    def step_control(self, forward: bool) -> bool:
        """Focus the next or previous control in reading order; return False as `step_focus` does."""
        return step_focus(self.panes(), keyboard_of(self._window), forward)

    def panes(self) -> Iterator[Pane]:
        """Yield the panes in reading order: the bar, the column of forms, the plots, messages, and the status bar."""
        column: list[Pane] = []
        others: list[Pane] = []
        for card in self._arranger.in_order:
            in_column = self._window.dockWidgetArea(card) == Qt.DockWidgetArea.LeftDockWidgetArea
            (column if in_column else others).append((card.titleBarWidget(), card.widget()))
        yield (self._bar,)
        if self._page and self._page.isVisible():
            sentence = self._cards["tokens"]
            yield from [(sentence.titleBarWidget(), sentence.widget())] if self._page.is_beside_sentence else []
            yield (self._page,)
        else:
            yield from column
            yield (self._headline,)
            yield from [(self._gallery,)] if self._gallery and self._gallery.isVisible() else others
        yield (self._messages,)
        yield (self._window.statusBar(),)

    def open_menus(self) -> None:
        """Give the keyboard to the menus."""
        bar = self._window.menuBar()
        if bar.isVisible():
            bar.setActiveAction(bar.actions()[0])
        else:
            self._bar.open_menus()

    def show_all_plots(self) -> None:
        """Show the gallery, or hide it."""
        if self._gallery is None:
            return
        self._uncover()
        if self._gallery.isVisible():
            self._gallery.close_again()
        else:
            self._headline.plots.setChecked(True)
            self._gallery.open(self._room_of_plots)

    def identify(self, source: str | Path | None = None) -> None:
        """Show the page that says which encoding numbers are, with these if there are any; not during a lab's step."""
        if self._loaded is None or not self._may("Identify"):
            return
        if self._page is None:
            from posenc_gui.app.window.identify_page import IdentifyPage

            bench, sentence = self._loaded.workbench, self._cards["tokens"]
            self._page = IdentifyPage(bench.store, bench.exporter, self._messages, sentence, self._window)
        self._page.open(self._room_of_cards)
        self._messages.place()
        if source is not None:
            self._page.take(source)

    def paste_numbers(self) -> None:
        """Identify what is on the clipboard, if that is the page's to read, or numbers."""
        from posenc_gui.app.documents.file_content import reads_as_numbers

        if (self._page and self._page.isVisible()) or reads_as_numbers(QGuiApplication.clipboard().text()):
            self.identify()
            if self._page and self._page.isVisible():  # not during a lab's step
                self._page.paste()

    def _uncover(self) -> bool:
        """Leave the page that covers the cards; return False if there is none."""
        return self._page is not None and self._page.leave()

    def open_plot(self, name: str) -> None:
        """Bring a plot into view and focus it."""
        self._uncover()
        card = f"plot.{name}"
        self.arrange(partial(self._arranger.open, card))
        self._cards[card].take_keyboard()

    def maximise_or_restore(self) -> None:
        """Give the plot that is used all the room of plots, or take the room back."""
        if card := self._growing:
            self.arrange(partial(self._arranger.maximise_or_restore, card))

    def can_maximise_or_restore(self) -> bool:
        """True if a plot is maximised, or if the one that is used would get more room."""
        return self._growing is not None

    def go_back(self) -> bool:
        """Leave Identify, or take the room of a maximised plot back, or else close a plot that is over another one, or
        else show the questions again that led here; return False if none is there."""
        if self._uncover():
            return True
        if self._arranger.maximised is not None:
            self.arrange(self._arranger.restore)
            return True
        if self._arranger.close_over():
            return True
        return self._loaded is not None and self._loaded.first_start.ask_again()

    def arrange(self, move: Callable[[], None]) -> None:
        """Move cards by calling `move`, then put the gallery and messages back on top of them."""
        move()
        self._cover()

    def fit(self) -> None:
        """Fit the cards to the window's size and to the text size."""
        self.arrange(self._arranger.fit)
        if self._loaded:
            self._loaded.workbench.tokens.give_room(self._window.height())

    def _follow(self) -> None:
        """Show Compare while two encodings are compared, Explore while there is one; Lab allows both."""
        if self._loaded and self._arranger.at != "lab":
            name: ArrangementName = "compare" if self._loaded.comparing.is_on else "explore"
            if self._arranger.at != name:
                self.arrange(lambda: self._arranger.go(name))

    def _on_restored(self, name: ArrangementName) -> None:
        """Offer to undo a layout's reset."""
        told = f"{ARRANGEMENTS[name]} layout reset."
        self._messages.tell(told, ("Undo", lambda: self.arrange(lambda: self._arranger.take_back(name))))

    @property
    def _growing(self) -> Card | None:
        """The plot that is maximised, or else the one that can be: that with the keyboard, or the largest."""
        if self._arranger.maximised:
            return self._arranger.maximised
        used = self._cards[f"plot.{self._loaded.workbench.in_front[0]}"] if self._loaded else None
        return used if used and self._arranger.can_maximise(used) else None

    @property
    def _room_of_plots(self) -> QRect:
        head, foot = self._headline.geometry(), self._window.statusBar().geometry()
        return QRect(head.left(), head.bottom() + GAP, head.width(), foot.top() - head.bottom() - GAP)

    @property
    def _room_of_cards(self) -> QRect:
        top, foot = self._bar.geometry().bottom() + 1, self._window.statusBar().geometry().top()
        return QRect(0, top, self._window.width(), foot - top)

    def _cover(self) -> None:
        """Raise Identify, the gallery and messages: a card that moves, and its tabs, would cover them."""
        self._cover_cards()
        self._messages.place()
        if self._gallery and self._gallery.isVisible():
            self._gallery.place(self._room_of_plots)

    def _cover_cards(self) -> None:
        if self._page and self._page.isVisible():
            self._page.place(self._room_of_cards)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Mark the card that has the focus; a plot in which it comes to rest is the current one."""
        if self._gallery:
            self._gallery.follow(now)
        for name, card in self._cards.items():
            if self._page and name != "tokens" and not card.isFloating() and now is not None and card.isAncestorOf(now):
                self._page.follow()
        for card in self._cards.values():
            card.set_keyboard(now is not None and card.isAncestorOf(now))
        QTimer.singleShot(0, self, self._take_in_hand)  # the focus passes through many cards while they are laid out

    def _on_tab_chosen(self, name: str) -> None:
        """Let a plot whose tab was pressed be the current one, as one that takes the focus is."""
        if self._loaded and name.startswith("plot."):
            self._loaded.workbench.take_in_hand(name.removeprefix("plot."))

    def _take_in_hand(self) -> None:
        now = QApplication.focusWidget()
        for name, card in self._cards.items():
            if now is not None and card.isAncestorOf(now) and name.startswith("plot.") and self._loaded:
                self._loaded.workbench.take_in_hand(name.removeprefix("plot."))
