"""The sentence as it is typed, how it is split, the chips it becomes, and the order in which they stand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.documents.file_dialogs import Dialogs
from posenc_gui.app.panels.text_edit import SentenceEdit
from posenc_gui.app.panels.token_chips import ChipsView
from posenc_gui.app.widgets.controls import LineField, plain
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import sentence
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import cut, quoted
from posenc_gui.measures.base import counted
from posenc_gui.scene import example_sentences as sentences
from posenc_gui.scene import permutations as order
from posenc_gui.scene.image_patches import Patches
from posenc_gui.scene.scene import Split
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import MAX_TOKENS, TOKENIZERS, Fill, clean, found_at, shown, twins

_LONGEST_NAME = 40  # letters of a file's name in the list
MOST_EDITED = 200_000  # characters; Qt would stop at each key in more
_BEGINNING = 2000  # characters that are shown of more
_FROM_FILE = "tokenizer.json …"
_LENGTHS = 64, 512, 1024, 4096, 16_384, 131_072  # tokens that are offered
_LINES, _PER_LINE = range(2, 5), 200  # of text, after which it scrolls, and pixels of the window for each
_EXAMPLES = "Sentences that show why order matters, and what they mean"


class TokensPanel(QWidget):
    """The text and examples to choose from, the chips, how they are split and ordered, and a way to one of many."""

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
        self._text.document().setDocumentMargin(5)
        self._text.document().documentLayout().documentSizeChanged.connect(self._fit_text)
        self._text.textChanged.connect(self._on_text)
        self._text.shared.connect(self.shared)
        self._told, self._refusal = plain("", "muted"), plain("", "refusal")
        for label in (self._told, self._refusal):
            label.hide()
        self._chips = ChipsView(theme)
        self._chips.chosen.connect(self._on_chosen)
        self._chips.moved.connect(self._on_moved)
        self._chips.overflows.connect(self._offer_to_go)
        self._go = LineField()
        self._go.setAccessibleName("Go to a token")
        self._go.setPlaceholderText("Go to: a number, or letters")
        self._go.setToolTip(
            "The token at this position, or the next one with these letters; Enter again goes on to another"
        )
        self._go.returnPressed.connect(self._on_go)
        self._go.installEventFilter(self)
        self._go.hide()
        self._splitting = MenuButton("0 words", says="Split into", hint="How the text is split into tokens")
        self._kinds = QActionGroup(self)
        self._lengths = QActionGroup(self)
        self._lengths.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)  # a file may have any length
        self._from_file, self._keep_case, self._with_patches = self._fill_splitting()
        self._patches = ModelForm(Patches, self._propose_patches, inline=True)
        self._patches.hide()
        self._ordering = MenuButton("Order", hint="In which order the tokens stand")
        self._swap = self._fill_ordering()
        self._examples = MenuButton("Examples", hint=_EXAMPLES)
        self._groups: list[QMenu] = []
        self._fill_examples()
        self._why_not_typed = ""
        self._quiet = False
        self._most_lines = _LINES[-1]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._text)
        column.addWidget(self._refusal)
        column.addSpacing(4)
        column.addWidget(self._chips)  # what comes and goes stands below, so that chips stay under the mouse
        line = QHBoxLayout()
        line.addWidget(self._splitting)
        line.addStretch(1)
        line.addWidget(self._ordering)
        column.addLayout(line)
        column.addWidget(self._patches)
        column.addWidget(self._go)
        column.addWidget(self._told)
        card.add_button(self._examples)
        self._fit_text()

    def show_session(self, session: Session) -> None:
        """Show a session's text, unless it was typed here; a text that was refused stays until another one comes."""
        before, self._session = self._session, session
        if before is None or before.text != session.text:
            self.take_back()
        self._keep_case.setChecked(session.keep_case)
        self._show_tokenizer(session.tokenizer)
        self._show_length(session)
        self._show_patches(session.patches)
        self._show_order()
        self._show_note()

    def take_back(self) -> None:
        """Show the session's text in the place of one that was refused."""
        if self._session is None:
            return
        text, is_whole = self._session.text, len(self._session.text) <= MOST_EDITED
        shown_text = text if is_whole else f"{text[:_BEGINNING]} …"
        self._text.setReadOnly(not is_whole)
        if clean(self._typed()) != shown_text:
            with QSignalBlocker(self._text):
                self._text.setPlainText(shown_text)
            self._why_not_typed = ""
            self._refuse("")
            self._fit_text()

    def show_split(self, split: Split) -> None:
        """Show the session's tokens as chips. Those of another text stay until its own are there: its tokenizer is at work."""
        session, self._split = self._session, split
        if session is None:
            return
        if split.of != session.splitting:
            self._tell(f"Splitting by {_called(session.tokenizer)} …")
            return
        tokens = session.standing(split.tokens)
        self._chips.show_tokens(tokens, twins(tokens), session.focus_of(len(tokens)))
        is_cut = len(tokens) == MAX_TOKENS
        n_words = session.n_words(len(tokens)) if tokens else 0
        unit = session.tokenizer.removesuffix("s") if session.tokenizer in TOKENIZERS else "token"
        beside = f", {counted(len(tokens) - n_words, 'patch', 'patches')}" if len(tokens) > n_words else ""
        self._splitting.setText(f"{counted(n_words, unit)}{beside}")
        self._splitting.setAccessibleName(f"Split into: {counted(n_words, unit)}{beside}")
        cut_off = f"At most {n_words:,} are read: a longer text ends there." if is_cut else ""
        longer = f"Longer than typed: {session.filling}." if tokens and session.filling else ""
        whole = split.why or longer or cut_off or ("" if tokens else "No tokens yet: type a sentence.")
        self._tell(" ".join(filter(None, (whole, _of_long_text(session.text), self._chips.said_of_part))))

    def quiet(self, quiet: bool) -> None:
        """Say nothing of what the sentence shows, or say it again."""
        self._quiet = quiet
        self._show_note()

    def ask_to_go(self) -> None:
        """Let a token be chosen by its position or its letters."""
        self._go.show()
        self._go.setFocus()
        self._go.selectAll()

    def give_room(self, height: int) -> None:
        """Take what is fit in a window of this height, in pixels: so many lines, and so many rows of tokens."""
        self._most_lines = max(_LINES[0], min(height // scaled(_PER_LINE), _LINES[-1]))
        self._fit_text()
        self._chips.give_room(height)

    def set_theme(self, theme: Roles) -> None:
        """Draw the chips in another theme."""
        self._chips.set_theme(theme)

    def text_edit(self) -> SentenceEdit:
        """Where the text is typed."""
        return self._text

    def chips(self) -> ChipsView:
        """The chips."""
        return self._chips

    def choices(self) -> dict[str, QAction]:
        """What can be chosen in the panel's menus by its words, those of the examples' groups too."""
        menus = [self._splitting.menu(), self._ordering.menu(), *self._groups]
        return {entry.text(): entry for menu in menus for entry in menu.actions() if entry.text()}

    def patches_form(self) -> ModelForm:
        """The form of the grid of patches, which is there where they are."""
        return self._patches

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
            if {focused, index}.isdisjoint(self._patch_indices):
                self._reorder(order.swapped, focused, index)
            else:
                self._refuse("Patches keep their order: only two tokens of the text change places.")
        else:
            self._propose(focus=index)

    def _on_moved(self, source: int, target: int) -> None:
        """A token goes elsewhere; a patch takes all of them along, and a token that comes upon them passes them as one."""
        patches = self._patch_indices
        passes = target in patches and abs(target - source) == 1
        if self._session is None or self._split is None or not (source in patches or passes):
            self._reorder(order.moved, source, target, continuing=True)
            return
        assert self._session.patches is not None
        step = target - source if source in patches else source - target
        before = min(max(0, patches.start + step), self._session.n_words(len(self._split.tokens)))
        self._refuse(self._propose_patches(self._session.patches.model_copy(update={"before": before})))

    @property
    def _patch_indices(self) -> range:
        """Which of the tokens that are shown are patches."""
        patches, tokens = self._session.patches if self._session else None, self._split.tokens if self._split else ()
        return patches.indices(len(tokens)) if patches and tokens else range(0)

    def _shuffled(self, now: order.Order) -> order.Order:
        """The text's tokens in another order, patches where they are."""
        patches = self._session.patches if self._session else None
        return patches.order_with(order.shuffled(patches.order_without(now))) if patches else order.shuffled(now)

    def _on_patches(self, wanted: bool) -> None:
        self._refuse(self._propose_patches(Patches() if wanted else None))

    def _propose_patches(self, patches: Frozen | None) -> str:
        """Patches or none, with the same token in focus; says why they are refused."""
        session, split = self._session, self._split
        assert isinstance(patches, Patches | None)
        if session is None or split is None or split.of != session.splitting:
            return self._propose(patches=patches)
        changed = session.with_patches(patches, len(split.tokens))
        return self._propose(patches=changed.patches, focus=changed.focus, key=changed.key)

    def _show_patches(self, patches: Patches | None) -> None:
        self._with_patches.setChecked(patches is not None)
        self._patches.setVisible(patches is not None)
        if patches is not None:
            self._patches.show_value(patches)

    def _on_tokenizer(self, chosen: QAction) -> None:
        tokenizer = chosen.data() or self._dialogs.to_open(self, "Split by a tokenizer", "Tokenizer (*.json)")
        self._refuse(self._propose(tokenizer=str(tokenizer)) if tokenizer else "")
        if self._session:
            self._show_tokenizer(self._session.tokenizer)

    def _show_tokenizer(self, tokenizer: str) -> None:
        known = {action.data(): action for action in self._kinds.actions()}
        if tokenizer not in known:
            known[tokenizer] = self._add_kind(_called(tokenizer), tokenizer)
        known[tokenizer].setChecked(True)

    def _add_kind(self, words: str, tokenizer: str) -> QAction:
        kind = QAction(words, self._kinds, checkable=True)
        kind.setData(tokenizer)
        self._splitting.menu().insertAction(self._from_file, kind)
        return kind

    def _show_order(self) -> None:
        typed = self._session is None or not self._session.order
        words = "Swap with …" if self._swap.isChecked() else "Order" if typed else "Reordered"
        self._ordering.setText(words)
        self._ordering.setAccessibleName("Order: as typed" if typed else "Order: not as typed")

    def _show_note(self) -> None:
        note = sentences.note_of(self._session) if self._session and not self._quiet else ""
        told = f"{_EXAMPLES}.\n\nThis one: {note}" if note else _EXAMPLES
        self._examples.setToolTip(told)
        self._examples.setAccessibleDescription(note)

    def _tell(self, words: str) -> None:
        self._told.setText(words)
        self._told.setVisible(bool(words))

    def _fit_text(self) -> None:
        """As many lines as there are, up to some; then it scrolls."""
        lines = min(max(1, round(self._text.document().size().height())), self._most_lines)
        margins = 2 * (round(self._text.document().documentMargin()) + self._text.frameWidth())
        self._text.setFixedHeight(self._text.fontMetrics().lineSpacing() * lines + margins)
        bar = Qt.ScrollBarPolicy
        self._text.setVerticalScrollBarPolicy(
            bar.ScrollBarAsNeeded if lines == self._most_lines else bar.ScrollBarAlwaysOff
        )

    def _offer_to_go(self, overflows: bool) -> None:
        self._go.setVisible(overflows or self._go.hasFocus())

    def _on_go(self) -> None:
        """To the token at a number, or to the next one with these letters."""
        split, session, wanted = self._split, self._session, self._go.text().strip()
        if split is None or session is None or split.of != session.splitting or not wanted:
            return
        tokens = session.standing(split.tokens)
        at = found_at(tokens, wanted, session.focus_of(len(tokens)) or 0)
        if at is None:
            last = f"positions are 0 to {len(tokens) - 1:,}" if tokens else "there are no tokens"
            self._refuse(f"No token is at {quoted(wanted)} or has these letters: {last}.")
            return
        self._refuse("")
        self._propose(focus=at)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Escape leads from the search back to the chips."""
        if watched is self._go and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self._chips.setFocus()
                self._go.setVisible(self._chips.is_overflowing)
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _reorder(self, change: Callable[..., order.Order], *places: int, continuing: bool = False) -> None:
        session, split = self._session, self._split
        if session is None or split is None or split.of != session.splitting or not split.tokens:
            return
        try:
            reordered = session.reordered(change(session.order_of(len(split.tokens)), *places))
        except IndexError:  # the tokens changed while a chip was dragged
            return
        self._replace(reordered, continuing=continuing)

    def _fill_splitting(self) -> tuple[QAction, QAction, QAction]:
        menu = self._splitting.menu()
        self._from_file = QAction(_FROM_FILE, self._kinds, checkable=True)
        self._from_file.setToolTip("A file of the tokenizers library, read on this machine")
        menu.addAction(self._from_file)
        for name in TOKENIZERS:
            self._add_kind(name.capitalize(), name)
        self._kinds.triggered.connect(self._on_tokenizer)
        menu.addSeparator()
        keep = menu.addAction("Keep case")
        keep.setCheckable(True)
        keep.setToolTip("Leave “The” and “the” apart")
        keep.triggered.connect(self._on_keep_case)
        self._fill_lengths(menu.addMenu("Longer text"))
        patches = menu.addAction("Image patches")
        patches.setCheckable(True)
        patches.setToolTip("A grid of patches of a picture between the words")
        patches.triggered.connect(self._on_patches)
        return self._from_file, keep, patches

    def _fill_lengths(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        lengths = [length for length in _LENGTHS if length <= MAX_TOKENS]
        choices: list[tuple[str, Fill, int]] = [("As typed", "none", 0)]
        choices += [(f"Repeated to {length:,} tokens", "repeat", length) for length in lengths]
        choices += [(f"Random words up to {length:,} tokens", "random", length) for length in lengths]
        for words, fill, length in choices:
            action = QAction(words, self._lengths, checkable=True)
            action.setData((fill, length))
            menu.addAction(action)
        self._lengths.triggered.connect(self._on_length)

    def _on_length(self, chosen: QAction) -> None:
        fill, length = chosen.data()
        self._refuse(self._propose(fill=fill, **({"fill_to": length} if length else {})))
        if self._session:
            self._show_length(self._session)

    def _show_length(self, session: Session) -> None:
        *_, fill, length, _patches = session.splitting
        for action in self._lengths.actions():
            action.setChecked(action.data() == (fill, length))

    def _fill_ordering(self) -> QAction:
        menu = self._ordering.menu()
        reverse = menu.addAction("Reverse", lambda: self._reorder(lambda now: now[::-1]))
        reverse.setToolTip("The last token first")
        shuffle = menu.addAction("Shuffle", lambda: self._reorder(self._shuffled))
        shuffle.setToolTip("Another order; the same start always gives the same row of shuffles")
        swap = menu.addAction("Swap")
        swap.setToolTip("Then click the token that changes places with the one in focus")
        swap.setCheckable(True)
        swap.toggled.connect(self._show_order)
        menu.addSeparator()
        typed = menu.addAction("As typed", lambda: self._reorder(lambda now: tuple(sorted(now))))
        typed.setToolTip("Back to the order in which the tokens were typed")
        return swap

    def _fill_examples(self) -> None:
        for group in sentences.sentences():
            submenu = self._examples.menu().addMenu(group.title)
            self._groups.append(submenu)
            submenu.setToolTipsVisible(True)
            for one in group.sentences:
                action = submenu.addAction(one.title)
                action.setToolTip(one.note)
                action.triggered.connect(lambda _=False, one=one: self._choose(one))

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


def _of_long_text(text: str) -> str:
    """What the field shows of a text that is too long to be changed in it; empty of others."""
    if len(text) <= MOST_EDITED:
        return ""
    return (
        f"Of {len(text):,} characters the field shows the beginning: more than {MOST_EDITED:,} are not edited here. "
        "Undo and Examples bring a shorter text."
    )


def _called(tokenizer: str) -> str:
    """The name of a tokenizer's file, as it can be read."""
    return cut(shown(tokenizer.replace("\\", "/").rsplit("/", 1)[-1]), _LONGEST_NAME)
