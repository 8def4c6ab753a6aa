"""One plot in its card: the options above, the picture, its caption, and what leads out of the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QRegion
from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from posenc_gui import plots
from posenc_gui.app.card import Card
from posenc_gui.app.controls import plain, tool
from posenc_gui.app.exporter import Exporter, ask_and_export
from posenc_gui.app.icons import icon
from posenc_gui.app.panels.editors import declared
from posenc_gui.app.panels.form import ModelForm
from posenc_gui.app.panels.player import Player, moved_on, played
from posenc_gui.app.theme import scaled
from posenc_gui.figure import Figure, Pointer
from posenc_gui.frozen import Frozen
from posenc_gui.look import ICON, Roles
from posenc_gui.render.screen import FigureView
from posenc_gui.scene import Split
from posenc_gui.session import Session

_TOY = "toy model, seeded weights"  # what pictures of attention say also where they say nothing else
_COPY_SCALE = 3  # times the screen's pixels: sharp on a slide


class PlotPanel(QWidget):
    """A plot's options, picture and caption."""

    pointed = Signal(object, str)  # Pointer, words
    clicked = Signal(object)  # Pointer
    exported = Signal(str)  # what was done, in a sentence
    failed = Signal(str)  # why nothing was, in a sentence

    def __init__(self, name: str, card: Card, propose: Callable[..., str], exporter: Exporter, theme: Roles) -> None:
        super().__init__()
        self._name, self._plot, self._propose, self._exporter = name, plots.plots()[name], propose, exporter
        self._session: Session | None = None
        self._n_tokens = 0
        self._quiet = False
        self._look: tuple[Roles, int] | None = None
        self._form = ModelForm(self._plot.options, self._propose_options, inline=True)
        self._view = FigureView(theme)
        self._view.setAccessibleName(self._plot.title)
        self._view.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)  # shows by its border that it has the keyboard
        self._view.pointed.connect(self.pointed)
        self._view.clicked.connect(self.clicked)
        self._caption = plain("", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._players = [Player(partial(self._play, name), "position") for name in played(self._name)]
        for player in self._players:
            self._form.add(player)
        column.addWidget(self._form)
        column.addWidget(self._view, 1)
        column.addWidget(self._caption)
        self._copy = _button("copy", f"Copy {self._plot.title}", card)
        menu = QMenu(self._copy)
        menu.addAction("Copy picture", self.copy_picture)
        menu.addAction("Copy numbers", self.copy_numbers)
        self._copy.setMenu(menu)
        self._copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._export = _button("export", f"Export {self._plot.title} to a file", card)
        self._export.clicked.connect(self.ask_and_export)
        card.set_card_title(self._plot.title)
        self.set_theme(theme)

    def show_session(self, session: Session) -> None:
        """Show the options that a session has for this plot."""
        self._session = session
        for name, field in self._plot.options.model_fields.items():
            if below := declared(field).get("below"):
                self._form.limit(name, getattr(session.model, below) - 1)
        self._form.show_value(session.options_of(self._name))

    def show_split(self, split: Split) -> None:
        """Play over so many tokens."""
        self._n_tokens = len(split.tokens)

    def show_figure(self, figure: Figure) -> None:
        """Show a finished figure."""
        self._view.show_figure(figure)
        self.mark_old("")

    def quiet(self, quiet: bool) -> None:
        """Show the picture without a word of what is to be seen in it, or with them again."""
        self._quiet = quiet
        self.mark_old("")

    def mark_old(self, why: str) -> None:
        """Mark the picture as old, since it is being computed anew or that was stopped; for no reason, as finished."""
        figure = self._view.figure()
        if figure:
            self._caption.setEnabled(not why)
            caption = figure.caption
            if self._quiet:
                caption = _TOY if caption.startswith(_TOY) else ""
            self._caption.setText(f"{why} {caption}" if why else caption)
            self._caption.setVisible(bool(self._caption.text()))

    def show_pointer(self, pointer: Pointer) -> None:
        """Draw the crosshair where another plot's pointer is."""
        self._view.show_pointer(pointer)

    def set_theme(self, theme: Roles) -> None:
        """Draw in this theme and at the present size of type, where one of them is new."""
        look = theme, scaled(ICON)
        if look == self._look:
            return
        self._look = look
        self._view.set_colours(theme)
        self._copy.setIcon(icon("copy", theme.muted))
        self._export.setIcon(icon("export", theme.muted))

    def view(self) -> FigureView:
        """The picture."""
        return self._view

    def form(self) -> ModelForm:
        """The options."""
        return self._form

    def players(self) -> list[Player]:
        """What can be played, if anything."""
        return self._players

    def _play(self, name: str, step: float) -> None:
        if self._session is not None and self._n_tokens:
            self._propose_options(moved_on(self._session, self._name, name, self._n_tokens, step))

    def copy_picture(self) -> None:
        """Put the picture, as it is on the screen but sharper, on the clipboard."""
        size = self._view.size()
        image = QImage(size * _COPY_SCALE, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(_COPY_SCALE)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self._view.render(painter, QPoint(), QRegion(QRect(QPoint(), size)))
        painter.end()
        QGuiApplication.clipboard().setImage(image)
        self.exported.emit(f"Copied the picture of {self._plot.title}.")

    def copy_numbers(self) -> None:
        """Put the numbers, tab-separated, on the clipboard."""
        if figure := self._view.figure():
            self._exporter.copy_numbers(figure, self.exported.emit, self.failed.emit)

    def ask_and_export(self) -> None:
        """Ask for a file and write the figure to it; its suffix decides how."""
        if figure := self._view.figure():
            title, exporter = self._plot.title, self._exporter
            ask_and_export(self, figure, title, exporter, self.exported.emit, self.failed.emit)

    def _propose_options(self, options: Frozen) -> str:
        if self._session is None:
            return ""
        return self._propose(plots=self._session.plots.model_copy(update={self._name: options}))


def _button(name: str, help_text: str, card: Card) -> QToolButton:
    button = tool(name.capitalize(), help_text, hint=help_text, name=name)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    card.add_button(button)
    return button
