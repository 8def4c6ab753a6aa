"""One plot in its card: picture, caption, options, copy and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QButtonGroup, QMenu, QTableView, QToolButton, QWidget

from posenc_gui import plots
from posenc_gui.app.docks.card import Card
from posenc_gui.app.export.export_dialog import ExportDialog
from posenc_gui.app.export.export_process import request_figure
from posenc_gui.app.export.exporter import Exporter
from posenc_gui.app.state.playing import advance, follow_focus, is_ahead, playable_fields, settle
from posenc_gui.app.widgets.aloud import Announcer
from posenc_gui.app.widgets.controls import (
    delayed,
    in_column,
    in_row,
    plain_label,
    push_button,
    show_words,
    tool_button,
    wrap_tooltip,
)
from posenc_gui.app.widgets.focus_order import holds_keyboard
from posenc_gui.app.widgets.forms.editors import declared
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.icons import Thumbnail, icon, recorded_picture
from posenc_gui.app.widgets.menu_button import Turning, release
from posenc_gui.app.widgets.player import Player
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.compare import (
    band_of,
    changes_alone,
    compare,
    fits_in_bands,
    on_one_scale,
    on_scale_of_way,
    with_panels_of,
)
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Flow, Hands, Heatmap, Note, Ranged
from posenc_gui.figure.runs import Run
from posenc_gui.figure.told_marks import Told, with_told_marked
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.theme import ICON
from posenc_gui.foundation.wording import format_number
from posenc_gui.plots.base import WINDOW
from posenc_gui.render.numbers import as_table
from posenc_gui.render.screen import Change, FigureView
from posenc_gui.scene import comparison, diff
from posenc_gui.scene.splitting import Split
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_LEAST_HEIGHT, _LEAST_WIDTH = 430, 780  # pixels of a picture with all bands, and with all their columns
_BETWEEN_STEPS = 150  # milliseconds: a key that is held is heard where it rests
_FIRST = 1  # the band that is shown until another is chosen: Now

Form = int | str  # the number of the only band that is shown, or what is shown of all


class PlotPanel(QWidget):
    """The panel of one plot: its picture, options, caption, copy and export."""

    exported = Signal(str)  # a sentence about what was done
    commanded = Signal(str)  # the name of a command of the window
    failed = Signal(str)  # a sentence about why it failed
    asked = Signal()  # another part of the picture is needed

    def __init__(self, name: str, card: Card, propose: Callable[..., str], exporter: Exporter) -> None:
        super().__init__()
        self._name, self._plot, self._propose, self._exporter = name, plots.plots()[name], propose, exporter
        self._card = card
        fields = self._plot.options.model_fields.items()
        self._evident = frozenset(option for option, field in fields if declared(field).get("evident"))
        self._session: Session | None = None
        self._n_tokens = 0
        self.asked_view = EVERYTHING
        self._quiet = False
        self._is_asked = False  # whether a lab asks for a change of options
        self._idle: frozenset[str] = frozenset()  # options that have no effect on the session's picture
        self._now: Figure | None = None
        self._before: Figure | None = None  # the figure pinned as “Before”
        self._encoding_before: Encoding | None = None  # the encoding in the pinned figure, if it shows only one
        self._whole: Figure | None = None  # with the pinned one, before it is fitted to the room
        self._held: Figure | None = None  # whose scales hold during a move
        self._told: tuple[Told, ...] = ()  # what a lab speaks of
        self._form_of_both: Form = "all"
        self._fitting = delayed(self, self._fit_bands)
        self._look = THEME.roles, scaled(ICON)
        at_first = first_session().options_of(name)
        self.form = ModelForm(self._plot.options, self._propose_options, inline=True, defaults=at_first)
        self.form.hide()
        kept = card.take_for_now()
        self.view = kept if isinstance(kept, FigureView) else FigureView(THEME.roles, headed=True)
        self.view.setAccessibleName(self._plot.title)
        self.view.show_example(lambda painter, box: Thumbnail(recorded_picture(name), THEME.roles).draw(painter, box))
        self.view.looked_at.connect(self._on_looked_at)
        self.view.stepped.connect(Announcer(self.view, _BETWEEN_STEPS).say)
        self.view.remedied.connect(self._mend)
        self.setFocusProxy(self.view)
        in_column(self.form, self.view, of=self, gap=2, grows=self.view)
        self._state = plain_label("", "muted", wraps=False)
        self._state.setParent(self)  # overlaid, so that the picture keeps its size
        self._state.setAutoFillBackground(True)
        self._state.hide()
        card.setWindowTitle(self._plot.title)
        self._ways_out = self._fill_header(card)
        self._add_players(card)
        self._add_pin(card)
        self._add_options(card)
        self._draw_icons()

    def _add_options(self, card: Card) -> None:
        self.options_button = Turning()
        self.options_button.setObjectName("options")
        self._say_options(False)
        self.options_button.toggled.connect(self._say_options)
        self.options_button.toggled.connect(self.form.setVisible)
        card.add_button(self.options_button)
        self.options_button.setVisible(bool(self.form.names()))

    def _say_options(self, shown: bool) -> None:
        self.options_button.setAccessibleName(f"{'Hide options' if shown else 'Options'} of {self._plot.title}")

    def _add_players(self, card: Card) -> None:
        fields = playable_fields(self._name)
        self._stopped: dict[str, QToolButton] = {}  # by option: what ends the position that a pause left
        self.players = [Player(partial(self._play, one), unit) for one, unit in fields.items()]
        for player, one in zip(self.players, fields, strict=True):
            player.turned.connect(lambda playing, one=one: self._rest(one, playing))
            player.hide()  # until an option can be played
            self.form.add(player.speed)
            card.add_button(player)
            if fields[one] == "position":
                follow = partial(self._follow_focus, one)
                self._stopped[one] = tool_button(
                    says="Follow the focus again", framed=True, name="stopped", does=follow
                )
                player.toggled.connect(self._say_stopped)
                card.add_button(self._stopped[one])

    def _add_pin(self, card: Card) -> None:
        self._bands = BandSwitch()
        self._bands.chosen.connect(self._fit_bands)
        card.add_button(self._bands)
        self.pin = QAction("Pin as Before", card, checkable=True)
        self.pin.setToolTip("Keep this picture and show later ones beside it on the same scale")
        self.pin.toggled.connect(self._on_pin)
        card.addAction(self.pin)
        self._pinned = tool_button(
            says=f"Unpin the picture of {self._plot.title}",
            hint="An earlier picture is pinned as Before. Press to unpin it.",
            name="pin",
            does=partial(self.pin.setChecked, False),
        )
        card.add_button(self._pinned)
        self._pinned.hide()

    def show_session(self, session: Session) -> None:
        """Show a session's options for this plot, and scroll to a token that has become the focus."""
        before, self._session = self._session, session
        if before is not None and before.focus != session.focus:
            self.view.viewport.bring_token(session.focus)
        for name, field in self._plot.options.model_fields.items():
            if below := declared(field).get("below"):
                self.form.limit(name, getattr(session.model, below) - 1)
        options, idle = session.options_of(self._name), self._idle
        self.form.show_value(options)
        self._leave_out_idle(session)
        self.pin.setEnabled(session.other is None)  # a comparison already shows two pictures
        if session.other is not None:
            self.pin.setChecked(False)
        self._say_stopped()
        if before is None or before.options_of(self._name) != options or self._idle != idle:
            self._say()

    def show_split(self, split: Split) -> None:
        """Note the number of tokens; when it changes, request the whole picture, of many tokens at the size of this view."""
        if self._n_tokens != len(split.tokens):
            self._n_tokens = len(split.tokens)
            self.asked_view = self.view.viewport.whole() if self._n_tokens > WINDOW else EVERYTHING
        if self._session is not None:
            self._leave_out_idle(self._session)

    def _leave_out_idle(self, session: Session) -> None:
        elsewhere = {"alone" if session.other is not None else "compared"}
        if self._n_tokens <= WINDOW:
            elsewhere.add("in blocks")
        options = self._plot.options.model_fields.items()
        self._idle = frozenset(name for name, field in options if declared(field).get("shown") in elsewhere)
        self.form.leave_out(self._idle)

    def _on_looked_at(self, view: View) -> None:
        maps = [one for one in self._now.panels if isinstance(one, Heatmap)] if self._now else []
        of_these = any(one.part and one.part.every_column == range(self._n_tokens) for one in maps)
        if of_these and view != self.asked_view:
            self.asked_view = view
            self.asked.emit()

    def show_figure(self, figure: Figure, change: Change | None = None, ahead: Sequence[Figure] | None = None) -> None:
        """Show a finished figure, beside the pinned one if there is one; with a change it moves there."""
        self._now = figure
        if ahead is None:
            self._held = None
        elif not self._held and self._whole:
            self._held = on_scale_of_way((self._whole, *map(self._pictured, ahead)))
        self._show(change)
        self.mark_old("")

    @property
    def has_scale(self) -> bool:
        """True if what is shown has a scale that a move could change."""
        return self._whole is not None and any(isinstance(panel, Ranged | Flow | Hands) for panel in self._whole.panels)

    def let_scale_go(self) -> None:
        """Show the figure on its own scale again, since a move has ended."""
        if self._held:
            self._held = None
            self._show(lets_go=True)

    def _pictured(self, figure: Figure) -> Figure:
        """A figure beside the pinned one, if there is one."""
        if not self._before:
            return figure
        names = comparison.before_and_now_labels(self._encoding_before, self._encoding_alone)
        return compare((self._before, figure), names, over_time=True)

    def _show(self, change: Change | None = None, *, lets_go: bool = False) -> None:
        if self._now is None:
            return
        now = _without_remedies(self._now) if self._quiet else self._now
        figure = self._pictured(now)
        self._pinned.setVisible(figure is not now)  # the current picture may show all of the pinned one
        if self._held:
            _, figure = on_one_scale((self._held, figure))
            self._held = figure
        self._whole = figure
        if self._told:
            figure = with_told_marked(figure, self._told)
        self._form_of_both = self._bands.form_of(figure, self.view.size())
        figure = self._bands.shown(figure, self._form_of_both)
        if shown := self.view.figure():
            figure = with_panels_of(figure, shown)
        if self._reads.isChecked():
            figure, change = replace(figure, panels=tuple(map(as_table, figure.panels))), None
        self.view.show_figure(figure, change, lets_go=lets_go)
        is_picture = bool(self._n_tokens) and not any(isinstance(panel, Note) for panel in figure.panels)
        for player in self.players:
            player.setVisible(is_picture)
            player.setChecked(player.isChecked() and is_picture and not self._now.pauses)
        self._say_stopped()
        self._near.setVisible(self.view.viewport.can_approach)
        self._everything.setVisible(self.view.viewport.can_approach)
        self._say()

    def _fit_bands(self) -> None:
        """Show as much of both pictures as has room."""
        if self._whole and self._bands.form_of(self._whole, self.view.size()) != self._form_of_both:
            self._show()

    def quiet(self, quiet: bool) -> None:
        """Hide or show the texts that interpret the picture, and what a note offers to change in place of a picture."""
        self._quiet = quiet
        if self._now and self._now.is_note:
            self._show()
        self._say()

    def mark_old(self, why: str) -> None:
        """Mark the picture as out of date, or as still to come, and say why; an empty reason removes the mark."""
        show_words(self._state, why)
        self._place_state()

    def restyle(self) -> None:
        """Draw the picture again if the theme or the font size has changed."""
        look = THEME.roles, scaled(ICON)
        if look == self._look:
            return
        self._look = look
        self.view.set_colours(THEME.roles)
        self._draw_icons()

    def _draw_icons(self) -> None:
        theme = THEME.roles
        self.pin.setIcon(icon("pin", theme.muted))
        for button in (*self._ways_out, self._pinned, self.options_button):
            button.setIcon(icon(button.objectName(), theme.muted))

    def ask_for(self, names: tuple[str, ...]) -> None:
        """Show the options while some of these names are asked for, and as long as the keyboard is in them."""
        keyboard = QApplication.focusWidget()
        if not names and keyboard is not None and self.form.isAncestorOf(keyboard):
            return
        if bool(names) != self._is_asked:
            self._is_asked = bool(names)
            self.options_button.setChecked(self._is_asked)
        self.form.ask_for(names)

    def state(self) -> str:
        """Return why there is no picture of the current session; empty if there is."""
        return self._state.text()

    def copy_picture(self) -> None:
        """Copy the picture to the clipboard, drawn as for an exported file."""
        if figure := self.view.figure():
            looks = self._exporter.dialogs.looks
            self._exporter.copy_picture(request_figure(figure), looks, self.exported.emit, self.failed.emit)

    def copy_numbers(self) -> None:
        """Copy the numbers, tab-separated, to the clipboard."""
        if figure := self.view.figure():
            self._exporter.copy_numbers(figure, self.exported.emit, self.failed.emit)

    def ask_and_export(self) -> None:
        """Open the export dialog for the figure."""
        if figure := self.view.figure():
            wanted, told = [request_figure(figure)], (self.exported.emit, self.failed.emit)
            ExportDialog(wanted, self._plot.title, self._exporter, *told, self).open()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the note over the picture in its place, and fit what stands in bands."""
        super().resizeEvent(event)
        self._place_state()
        self._fitting.start()  # cards have several temporary sizes during layout

    def _fill_header(self, card: Card) -> tuple[QToolButton, ...]:
        """Add Copy and Export to the card's menu and to its header, where they appear on hover and focus."""
        title = self._plot.title
        picture = card.addAction("Copy picture", QKeySequence.StandardKey.Copy, self.copy_picture)
        picture.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        numbers = card.addAction("Copy numbers", self.copy_numbers)
        card.addAction("Export …", self.ask_and_export)
        self._reads = QAction("Read as a table", card, checkable=True)
        self._reads.setShortcut("T")
        self._reads.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._reads.toggled.connect(self._on_reads)
        card.addAction(self._reads)
        self._near = card.addAction("Zoom to the focus", self._approach)
        self._everything = card.addAction("Show everything", self.view.viewport.reset)
        card.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        copy = tool_button(says=f"Copy {title}", hint="Put the picture or its numbers on the clipboard", name="copy")
        menu = QMenu(copy)
        menu.addActions((picture, numbers))
        menu.aboutToHide.connect(partial(release, copy))
        copy.setMenu(menu)
        copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        export = tool_button(
            says=f"Export {title} to a file",
            hint="Save it as a picture, a slide, data or an animation",
            name="export",
            does=self.ask_and_export,
        )
        for button in (copy, export):
            card.add_faint(button)
        return copy, export

    def _on_reads(self) -> None:
        had_keyboard = holds_keyboard(self)
        if had_keyboard and (keyboard := QApplication.focusWidget()):
            keyboard.clearFocus()  # else Qt would take it elsewhere, which is heard, while what has it is taken away
        self._show()
        if had_keyboard:
            tables = (one for one in self.view.findChildren(QTableView) if one.isVisibleTo(self))
            next(tables, self.view).setFocus()

    def _approach(self) -> None:
        if self._session is not None and self._n_tokens:
            self.view.viewport.approach_token(min(self._session.focus, self._n_tokens - 1))

    def show_before(self, figure: Figure | None, encoding: Encoding | None) -> None:
        """Pin a figure as “Before”, and the encoding that it shows; None unpins it."""
        self.pin.setChecked(figure is not None)
        self._before, self._encoding_before = figure, encoding
        self._show()

    @property
    def headline_of_now(self) -> tuple[Run, ...]:
        """The headline of the current picture alone, also where an earlier one stands beside it."""
        return self._now.headline if self._now else ()

    @property
    def whole_figure(self) -> Figure | None:
        """The current picture alone, unless a part of a larger one was asked for; None without one."""
        return self._now if self.asked_view in (EVERYTHING, self.view.viewport.whole()) else None

    def mark(self, told: tuple[Told, ...]) -> None:
        """Frame what a text speaks of."""
        self._told = told
        self._show()

    def _on_pin(self, pinned: bool) -> None:
        self._before = self._now if pinned else None
        self._encoding_before = self._encoding_alone if pinned else None
        self._show()

    @property
    def _encoding_alone(self) -> Encoding | None:
        """The current encoding; None if two are compared."""
        return self._session.encoding if self._session and self._session.other is None else None

    def _say(self) -> None:
        """Set the card's caption: options that differ from their defaults and aren't visible in the picture, then
        the figure's own."""
        options = self._session.options_of(self._name) if self._session else self._plot.options()
        found = [one for one in diff.between(self._plot.options(), options) if one.path[0] not in self._idle]
        changed = ", ".join(map(_told, found)) or "all at their defaults"
        self.options_button.setToolTip(wrap_tooltip(f"Options ({changed})"))
        unseen = [_told(one) for one in found if one.path[0] not in self._evident]
        figure = self.view.figure()
        title = "" if figure is None or figure.alone is None else figure.alone.title  # which the picture leaves out
        parts = [part for part in (figure.caption_parts if figure else ()) if part.kind == "seeded" or not self._quiet]
        told = [f" {part.text} " for part in parts]  # such as the head, in words
        settings = (CaptionPart(one, "settings") for one in unseen if not any(f" {one} " in text for text in told))
        self._card.set_caption(*settings, title, *parts)

    def _place_state(self) -> None:
        self._state.adjustSize()
        place = self._state.rect()
        if self.view.figure():
            place.moveBottomLeft(self.rect().bottomLeft())
        else:
            place.moveCenter(self.rect().center())
        self._state.move(place.topLeft())
        self._state.raise_()

    def _play(self, name: str, step: float) -> None:
        if self._session is not None and self._n_tokens and not is_ahead(self._session, self._name, name, self._now):
            self._propose_options(advance(self._session, self._name, name, self._n_tokens, step))

    def _rest(self, name: str, playing: bool) -> None:
        if self._session is not None and not playing:
            self._propose_options(settle(self._session, self._name, name))

    def _mend(self, remedy: Remedy) -> None:
        """Make the change that a note offers."""
        self.take(remedy)
        self.view.setFocus()  # the button is gone

    def take(self, remedy: Remedy) -> None:
        """Change the session and the plot's options as a note or a headline offers."""
        if remedy.command:
            self.commanded.emit(remedy.command)
            return
        if self._session is None:
            return
        options = self._session.options_of(self._name).model_copy(update=dict(remedy.options))
        plots = self._session.plots.model_copy(update={self._name: options})
        if why := self._propose(**remedy.fields, plots=plots):
            self.failed.emit(why)

    def _follow_focus(self, name: str) -> None:
        if self._session is not None:
            self._propose_options(follow_focus(self._session, self._name, name))

    def _say_stopped(self) -> None:
        """Say at which position a pause left the picture, on the button that ends it."""
        playing = any(player.playing for player in self.players)
        for name, button in self._stopped.items():
            position = None if self._session is None else getattr(self._session.options_of(self._name), name)
            is_drawn = self._now is not None and not self._now.is_note
            button.setVisible(is_drawn and position is not None and not playing)
            if position is not None:
                at = format_number(position)
                button.setText(f"at {at} ×")
                button.setAccessibleName(f"Stays at {at}; press to follow the sentence")
                button.setToolTip(f"{self._plot.title} stays at {at}. Press to follow the sentence again.")

    def _propose_options(self, options: Frozen) -> str:
        if self._session is None:
            return ""
        return self._propose(plots=self._session.plots.model_copy(update={self._name: options}))


def _without_remedies(figure: Figure) -> Figure:
    notes = (replace(panel, remedy=None) if isinstance(panel, Note) else panel for panel in figure.panels)
    return replace(figure, panels=tuple(notes)) if figure.is_note else figure


def _told(option: diff.Difference) -> str:
    """Return an option and its value; the colon keeps “show: outputs” from reading as a command."""
    colon = "" if option.after[:1].isdigit() else ":"
    return f"{option.title.lower()}{colon} {option.after}"


class BandSwitch(QWidget):
    """Buttons that choose one band of a figure; they show only where the bands have no room below each other."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._band = _FIRST
        row, buttons = in_row(of=self, gap=2), QButtonGroup(self)
        for number, name in enumerate(("Before", "Now")):
            button = push_button(name, partial(self._choose, number))
            button.setAccessibleName(f"Show {name} alone")
            button.setCheckable(True)
            button.setAutoExclusive(True)  # heard as radio buttons
            button.setChecked(number == self._band)
            buttons.addButton(button, number)
            row.addWidget(button)
        self.hide()

    def form_of(self, figure: Figure, room: QSize) -> Form:
        """Return which form of a figure fits a room."""
        if not figure.bands:
            return "all"
        if room.height() < scaled(_LEAST_HEIGHT) or not fits_in_bands(figure):
            return self._band
        return "all" if room.width() >= scaled(_LEAST_WIDTH) else "changes"

    def shown(self, figure: Figure, form: Form) -> Figure:
        """Return a figure in one of its forms, and offer the other band if that is a single one."""
        self.setVisible(isinstance(form, int))
        if isinstance(form, int):
            return band_of(figure, form)
        return figure if form == "all" else changes_alone(figure)

    def _choose(self, number: int) -> None:
        self._band = number
        self.chosen.emit()
