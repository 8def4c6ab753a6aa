"""Tokens: the sentence as it is typed, how it is split, the chips it becomes, and the order in which they stand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui import order, sentences
from posenc_gui.app.card import Card
from posenc_gui.app.controls import Choices, plain, tool
from posenc_gui.app.dialogs import Dialogs
from posenc_gui.app.panels.chips import ChipsView
from posenc_gui.app.panels.sentence import SentenceEdit
from posenc_gui.errors import sentence
from posenc_gui.letters import cut
from posenc_gui.look import Roles
from posenc_gui.scene import Split
from posenc_gui.session import Session
from posenc_gui.text import MAX_TOKENS, TOKENIZERS, clean, shown, twins

_LONGEST_NAME = 40  # letters of a file's name in the list
_FROM_FILE = "tokenizer.json …"


class TokensPanel(QWidget):
    """The text and its sentences to choose from, the tokenizer, the chips and their order."""

    shared = Signal(str)  # a share string that was pasted into the text

    def __init__(
        self, card: Card, propose: Callable[..., str], replace: Callable[..., None], dialogs: Dialogs, theme: Roles
    ) -> None:
        super().__init__()
        self._propose, self._replace, self._dialogs = propose, replace, dialogs
        self._session: Session | None = None
        self._split: Split | None = None
        self._text = SentenceEdit()
        self._text.setAccessibleName("Text")
        self._text.setPlaceholderText("Type or paste a sentence")
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(self._text.fontMetrics().lineSpacing() * 2 + 14)
        self._text.textChanged.connect(self._on_text)
        self._text.shared.connect(self.shared)
        self._note, self._legend, self._refusal = plain(), plain("", "muted"), plain("", "refusal")
        for label in (self._note, self._refusal):
            label.hide()
        self._chips = ChipsView(theme)
        self._chips.chosen.connect(self._on_chosen)
        self._chips.moved.connect(lambda source, target: self._reorder(order.moved, source, target, continuing=True))
        self._tokenizer = Choices("Split into")
        self._tokenizer.setToolTip("How the text is split into tokens")
        for name in TOKENIZERS:
            self._tokenizer.addItem(name.capitalize(), name)
        self._tokenizer.addItem(_FROM_FILE, _FROM_FILE)
        self._tokenizer.activated.connect(self._on_tokenizer)
        self._keep_case = QCheckBox("Keep case")
        self._keep_case.setToolTip("Leave “The” and “the” apart")
        self._keep_case.toggled.connect(self._on_keep_case)
        self._swap = tool("Swap", hint="Then click the token that changes places with the one in focus", framed=True)
        self._swap.setCheckable(True)
        self._why_not_typed = ""
        self._quiet = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._text)
        column.addWidget(self._refusal)
        column.addLayout(self._orders())
        column.addWidget(self._chips, 1)  # what comes and goes stands below, so that chips stay under the mouse
        column.addWidget(self._note)
        column.addWidget(self._legend)
        column.addLayout(_line(self._tokenizer, self._keep_case))
        card.add_button(self._sentences())

    def show_session(self, session: Session) -> None:
        """Show a session's text, unless it was typed here; a text that was refused stays until another one comes."""
        before, self._session = self._session, session
        with QSignalBlocker(self._text), QSignalBlocker(self._keep_case):
            if (before is None or before.text != session.text) and clean(self._typed()) != session.text:
                self._text.setPlainText(session.text)
                self._why_not_typed = ""
                self._refuse("")
            self._keep_case.setChecked(session.keep_case)
        self._show_tokenizer(session.tokenizer)
        note = sentences.note_of(session)
        self._note.setText(note)
        self._note.setHidden(self._quiet or not note)

    def show_split(self, split: Split) -> None:
        """Show the session's tokens as chips. Those of another text stay until its own are there: its tokenizer is at work."""
        session, self._split = self._session, split
        if session is None:
            return
        if split.of != session.splitting:
            self._legend.setText(f"Splitting by {_called(session.tokenizer)} …")
            return
        tokens = session.standing(split.tokens)
        alike = twins(tokens)
        self._chips.show_tokens(tokens, alike, session.focus_of(len(tokens)))
        parts = [f"{len(tokens):,} token{'' if len(tokens) == 1 else 's'}"]
        if alike:
            parts.append("underlined: the same token more than once")
        if len(tokens) == MAX_TOKENS:
            parts.append("the rest of the text is not read")
        self._legend.setText(split.why or (" · ".join(parts) if tokens else "No tokens yet: type a sentence."))

    def quiet(self, quiet: bool) -> None:
        """Say nothing of what the sentence shows, or say it again."""
        self._quiet = quiet
        self._note.setHidden(quiet or not self._note.text())

    def set_theme(self, theme: Roles) -> None:
        """Draw the chips in another theme."""
        self._chips.set_theme(theme)

    def text_edit(self) -> SentenceEdit:
        """Where the text is typed."""
        return self._text

    def chips(self) -> ChipsView:
        """The chips."""
        return self._chips

    def refusal(self) -> str:
        """Why the text was refused; empty where it wasn't."""
        return self._refusal.text()

    def _typed(self) -> str:
        return self._text.toPlainText()

    def _on_text(self) -> None:
        self._why_not_typed = self._propose(text=self._typed())
        self._refuse("")

    def _on_keep_case(self, keep: bool) -> None:
        self._refuse(self._propose(keep_case=keep))

    def _on_chosen(self, index: int) -> None:
        focused = self._session.focus_of(len(self._split.tokens)) if self._session and self._split else None
        if self._swap.isChecked() and focused is not None:
            self._swap.setChecked(False)
            self._reorder(order.swapped, focused, index)
        else:
            self._propose(focus=index)

    def _on_tokenizer(self) -> None:
        chosen = self._tokenizer.currentData()
        if chosen == _FROM_FILE:
            chosen = self._dialogs.to_open(self, "Split by a tokenizer", "Tokenizer (*.json)")
        why = self._propose(tokenizer=str(chosen)) if chosen else ""
        self._refuse(why)
        if self._session:
            self._show_tokenizer(self._session.tokenizer)

    def _show_tokenizer(self, tokenizer: str) -> None:
        with QSignalBlocker(self._tokenizer):
            known = self._tokenizer.findData(tokenizer)
            if known < 0:
                self._tokenizer.insertItem(len(TOKENIZERS), _called(tokenizer), tokenizer)
                known = len(TOKENIZERS)
            self._tokenizer.setCurrentIndex(known)

    def _reorder(self, change: Callable[..., order.Order], *places: int, continuing: bool = False) -> None:
        session, split = self._session, self._split
        if session is None or split is None or split.of != session.splitting or not split.tokens:
            return
        try:
            reordered = session.reordered(change(session.order_of(len(split.tokens)), *places))
        except IndexError:  # the tokens changed while a chip was dragged
            return
        self._replace(reordered, continuing=continuing)

    def _orders(self) -> QHBoxLayout:
        reverse = tool("Reverse", hint="The last token first", framed=True)
        reverse.clicked.connect(lambda: self._reorder(lambda now: now[::-1]))
        same = "Another order; the same start always gives the same row of shuffles"
        shuffle = tool("Shuffle", hint=same, framed=True)
        shuffle.clicked.connect(lambda: self._reorder(order.shuffled))
        typed = tool("As typed", hint="Back to the order in which the tokens were typed", framed=True)
        typed.clicked.connect(lambda: self._reorder(lambda now: tuple(sorted(now))))
        return _line(reverse, shuffle, self._swap, typed)

    def _sentences(self) -> QToolButton:
        button = tool("Sentences", hint="Sentences that show why order matters, and what they mean", framed=True)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        for group in sentences.sentences():
            submenu = menu.addMenu(group.title)
            submenu.setToolTipsVisible(True)
            for one in group.sentences:
                action = submenu.addAction(one.title)
                action.setToolTip(one.note)
                action.triggered.connect(lambda _=False, one=one: self._choose(one))
        button.setMenu(menu)
        return button

    def _choose(self, chosen: sentences.Sentence) -> None:
        if self._session:
            try:
                self._replace(chosen.chosen(self._session))
            except ValueError as error:
                self._refuse(sentence(error))

    def _refuse(self, why: str) -> None:
        why = why or self._why_not_typed  # a refused text still stands there when something else is accepted
        self._refusal.setText(why)
        self._refusal.setVisible(bool(why))


def _called(tokenizer: str) -> str:
    """The name of a tokenizer's file, as it can be read."""
    return cut(shown(tokenizer.replace("\\", "/").rsplit("/", 1)[-1]), _LONGEST_NAME)


def _line(*widgets: QWidget) -> QHBoxLayout:
    line = QHBoxLayout()
    line.setSpacing(4)
    for widget in widgets:
        line.addWidget(widget)
    line.addStretch(1)
    return line
