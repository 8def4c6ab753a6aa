"""The sentence card: the text, how it is split, the resulting chips, and their order."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.panels.field_form import FieldForm
from posenc_gui.app.panels.split_menu import SplitMenu, tokenizer_name
from posenc_gui.app.panels.text_edit import MOST_EDITED, SentenceEdit
from posenc_gui.app.panels.token_chips import ChipsView, MoveHint
from posenc_gui.app.panels.token_order import OrderMenu, TokenOrder
from posenc_gui.app.state.playing import at_token
from posenc_gui.app.widgets.controls import add_to, in_column, in_row, line_field, plain_label, show_words
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.figure.told_marks import told_twins
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.scene import example_sentences
from posenc_gui.scene.image_patches import Patches
from posenc_gui.scene.splitting import Split
from posenc_gui.scene.word_marks import word_marks
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import MAX_TOKENS, find_token, format_token, twins

_EXAMPLES = "Sentences that show why order matters, and what they mean"


class TokensPanel(QWidget):
    """The panel with the text and the reason if it is refused, the chips, the menus to split and reorder them, and
    a token search."""

    moved = Signal()  # a word was moved to another place

    def __init__(
        self, card: Card, propose: Callable[..., str], replace: Callable[..., None], dialogs: FileDialogs
    ) -> None:
        super().__init__()
        self._propose, self._replace = propose, replace
        self._session: Session | None = None
        self._split: Split | None = None
        self._named: frozenset[str] = frozenset()  # the twins of the window's headline
        self._why_not_typed = ""
        self._quiet = self._is_brief = False
        self.text_edit = SentenceEdit()
        self.text_edit.textChanged.connect(self._on_text)
        self._note, self._refusal = plain_label("", "muted"), plain_label("", "refusal")
        self._order = TokenOrder(propose, replace, self._refuse)
        self.chips = ChipsView(self._move)
        self.chips.chosen.connect(self._on_chosen)
        self.hint = MoveHint(self.chips)
        self.chips.overflows.connect(self._offer_search)
        self._search = line_field("Go to", "Go to: a position or letters")
        self._search.setToolTip(
            "A position, or letters: Enter goes there, and again to the next place with these letters"
        )
        self._search.returnPressed.connect(self._on_search)
        self._search.installEventFilter(self)
        self.patches_form = ModelForm(Patches, self._order.propose_patches, inline=True)
        self.length_form = FieldForm("fill_to", propose, lambda session: session.fill != "none", inline=True)
        self.start_form = FieldForm("start", propose, self._has_start, lambda session: session.why_no_start)
        self._splitting = SplitMenu(self._attempt, self._set_patches, dialogs)
        self._ordering = OrderMenu(self._order)
        self._examples = MenuButton("Examples", hint=_EXAMPLES)
        self._groups: list[QMenu] = []
        self._fill_examples()
        card.add_button(self._examples)
        for widget in (self._note, self._refusal, self._search, self.patches_form, self.length_form, self.hint):
            widget.hide()
        self._lay_out()
        self.text_edit.show_text("")

    def _lay_out(self) -> None:
        column = in_column(self.text_edit, self._refusal, of=self, gap=4)
        column.addSpacing(4)
        column.addWidget(self.chips)  # widgets that come and go are below, so that chips don't move under the mouse
        column.addWidget(self.hint)
        line = in_row(self._splitting, None, self._ordering)
        add_to(column, line, self.start_form, self.length_form, self.patches_form, self._search, self._note, None)

    def show_session(self, session: Session) -> None:
        """Show a session's text, unless it was typed here. A refused text stays until the session has another one."""
        before, self._session = self._session, session
        self._order.session = session
        if before is None or before.text != session.text:
            self.take_back()
        self._splitting.show_session(session)
        self._ordering.show_session(session)
        self.length_form.show_session(session)
        self.start_form.show_session(session)
        self.patches_form.setVisible(session.patches is not None)
        if session.patches is not None:
            self.patches_form.show_value(session.patches)
        self._show_example_note()

    def offer_move(self, offers: bool) -> None:
        """Keep room for the hint that words can be moved, blank until it is shown; or don't."""
        self.hint.show_hint(False)
        self.hint.setVisible(offers)

    def brief(self, brief: bool) -> None:
        """Leave out what a first start has no use for: the first position, as long as it is 0."""
        self._is_brief = brief
        self.start_form.setVisible(self._session is not None and self._has_start(self._session))

    def _has_start(self, session: Session) -> bool:
        return session.start > 0 or not self._is_brief

    @property
    def last_moved(self) -> int | None:
        """The token that was moved to another place, if that was the last change of the order here."""
        return self._order.last_moved

    def take_back(self) -> None:
        """Replace a refused text by the session's."""
        if self._session and self.text_edit.show_text(self._session.text):
            self._why_not_typed = ""
            self._refuse("")

    def show_split(self, split: Split) -> None:
        """Show the session's tokens as chips. A former text's chips stay until the new text is split."""
        session, self._split = self._session, split
        self._order.split = split
        if session is None:
            return
        if split.of != session.splitting:
            show_words(self._note, f"Splitting the text with {quote(tokenizer_name(session.splitting.tokenizer))} …")
            return
        tokens = session.standing(split.tokens)
        self._show_chips(tokens)
        self._splitting.show_count(session, len(tokens))
        is_cut = len(tokens) == MAX_TOKENS
        cut_off = (
            f"Only the first {format_count(session.n_words(len(tokens)), session.unit)} are used." if is_cut else ""
        )
        longer = f"Longer than typed: {split.filling}." if split.filling else ""
        whole = split.why or longer or cut_off
        show_words(self._note, " ".join(filter(None, (whole, _of_long_text(session.text), self.chips.said_of_part))))

    def name_twins(self, named: frozenset[str]) -> None:
        """Underline the chips of these words alone, which the headline names."""
        if named != self._named:
            self._named = named
            if self._session and self._split and self._split.of == self._session.splitting:
                self._show_chips(self._session.standing(self._split.tokens))

    def _show_chips(self, tokens: tuple[str, ...]) -> None:
        assert self._session
        told = told_twins(twins(tokens), lambda at: format_token(tokens[at]), self._named)
        focus = self._session.focus_of(len(tokens))
        self.chips.show_marks(word_marks(self._session, len(tokens), focus))  # before tokens: all is laid out once
        self.chips.show_tokens(tokens, told, focus, self._session.start)

    def quiet(self, quiet: bool) -> None:
        """Hide or show the texts that interpret the sentence."""
        self._quiet = quiet
        self._show_example_note()

    def ask_to_go(self) -> None:
        """Open the search that chooses a token by its position or its letters."""
        self._search.show()
        self._search.setFocus()
        self._search.selectAll()

    def give_room(self, height: int) -> None:
        """Set the lines of text and rows of chips to suit a window of this height, in pixels."""
        self.text_edit.give_room(height)
        self.chips.give_room(height)

    def choices(self) -> dict[str, QAction]:
        """Return the actions of the panel's menus by their labels, including the example sentences in submenus."""
        menus = [self._splitting.menu(), self._ordering.menu(), *self._groups]
        return {entry.text(): entry for menu in menus for entry in menu.actions() if entry.text()}

    def refusal(self) -> str:
        """Return why the text was refused; empty if it was accepted."""
        return self._refusal.text()

    def _on_text(self) -> None:
        self._why_not_typed = self._propose(text=self.text_edit.toPlainText())
        self._refuse("")

    def _attempt(self, **fields: object) -> None:
        """Propose a change, and show why it was refused, if so."""
        self._refuse(self._propose(**fields))

    def _set_patches(self, wanted: bool) -> None:
        self._refuse(self._order.propose_patches(Patches() if wanted else None))

    def _move(self, source: int, target: int, held: bool) -> int:
        stands = self._order.move(source, target, held=held)
        if stands != source:
            self.moved.emit()
        return stands

    def _on_chosen(self, index: int) -> None:
        focused = self._order.focus
        if self._ordering.swap.isChecked() and focused is not None:
            self._ordering.swap.setChecked(False)
            self._order.swap(focused, index)
        else:
            self._focus_on(index)

    def _focus_on(self, index: int) -> None:
        if self._session:
            self._propose(**at_token(self._session, {"focus": index}))

    def _refuse(self, why: str) -> None:
        why = why or self._why_not_typed  # a refused text stays visible when another change is accepted
        show_words(self._refusal, why)

    def _offer_search(self, overflows: bool) -> None:
        self._search.setVisible(overflows or self._search.hasFocus())

    def _on_search(self) -> None:
        split, session, wanted = self._split, self._session, self._search.text().strip()
        if split is None or session is None or split.of != session.splitting or not wanted:
            return
        tokens = session.standing(split.tokens)
        at, start = find_token(tokens, wanted, session.focus_of(len(tokens)) or 0, session.start), session.start
        if at is None:
            last = f"Positions are {start:,} to {start + len(tokens) - 1:,}" if tokens else "The sentence is empty"
            self._refuse(f"No position and no {session.unit} matches {quote(wanted)}. {last}.")
            return
        self._refuse("")
        self._focus_on(at)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Escape return from the search to the chips."""
        if watched is self._search and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self.chips.setFocus()
                self._search.setVisible(self.chips.is_overflowing)
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _fill_examples(self) -> None:
        for group in example_sentences.sentences():
            submenu = self._examples.menu().addMenu(group.title)
            self._groups.append(submenu)
            submenu.setToolTipsVisible(True)
            for one in group.sentences:
                action = submenu.addAction(one.title)
                action.setToolTip(one.note)
                action.triggered.connect(lambda _=False, one=one: self._choose(one))

    def _choose(self, chosen: example_sentences.ExampleSentence) -> None:
        if self._session:
            try:
                self._replace(chosen.chosen(self._session))
            except ValueError as error:
                self._refuse(describe_error(error))

    def _show_example_note(self) -> None:
        note = example_sentences.sentence_note(self._session) if self._session and not self._quiet else ""
        self._examples.setToolTip(f"{_EXAMPLES}.\n\nThis one: {note}" if note else _EXAMPLES)
        self._examples.setAccessibleDescription(note)


def _of_long_text(text: str) -> str:
    """Return a note if a text is too long to be edited; empty otherwise."""
    if len(text) <= MOST_EDITED:
        return ""
    return (
        f"The field shows the beginning of {len(text):,} characters: texts over {MOST_EDITED:,} can't be edited here. "
        "For a shorter one, use Undo or Examples."
    )
