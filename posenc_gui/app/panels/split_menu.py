"""The sentence card's menu for splitting a text: tokenizer, case, a longer text, image patches."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.state.store import where_changed
from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import MAX_TOKENS, TOKENIZERS, Fill, format_token

_LONGEST_NAME = 40  # characters of a file's name in the list
_FROM_FILE = "tokenizer.json …"
_FILLS: dict[Fill, str] = {"none": "As typed", "repeat": "Repeated to", "random": "Random words up to"}
_LENGTHS = 64, 512, 1024, 4096, 16_384, 131_072  # token counts offered


class SplitMenu(MenuButton):
    """The button that shows into how many parts the text is split; its menu chooses how the text is split."""

    def __init__(self, propose: Callable[..., None], set_patches: Callable[[bool], None], dialogs: FileDialogs) -> None:
        super().__init__("0 words", says="Split into", hint="How the text is split")
        self._propose, self._set_patches, self._dialogs = propose, set_patches, dialogs
        self._session: Session | None = None
        self._kinds = QActionGroup(self)
        self._lengths = QActionGroup(self)
        self._lengths.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)  # a file may have any length
        menu = self.menu()
        self._from_file = QAction(_FROM_FILE, self._kinds, checkable=True)
        self._from_file.setToolTip(
            "Use a tokenizer.json of the Hugging Face tokenizers library; it is read on this machine"
        )
        menu.addAction(self._from_file)
        for name in TOKENIZERS:
            self._add_kind(name.capitalize(), name)
        self._kinds.triggered.connect(self._on_tokenizer)
        self._line = menu.addSeparator()
        self._keep_case = menu.addAction("Keep case")
        self._keep_case.setCheckable(True)
        self._keep_case.setToolTip("Treat “The” and “the” as different")
        self._keep_case.triggered.connect(lambda keep: propose(keep_case=keep))
        self._fill_lengths(menu.addMenu("Longer text"))
        self._patches = menu.addAction("Image patches")
        self._patches.setCheckable(True)
        self._patches.setToolTip("Insert a grid of image patches among the words")
        self._patches.triggered.connect(self._on_patches)

    @where_changed(lambda session: (session.splitting._replace(text=""), session.tokenizer, session.keep_case))
    def show_session(self, session: Session) -> None:
        """Tick the session's choices in the menu."""
        self._session = session
        self._keep_case.setChecked(session.keep_case)
        self._patches.setChecked(session.patches is not None)
        is_toy = isinstance(session.model, ToyModel)
        for action in (*self._kinds.actions(), self._line, self._keep_case, self._patches):
            action.setVisible(is_toy)  # a model that has learned splits the text by its own tokenizer
        for action in self._lengths.actions():
            action.setVisible(is_toy or action.data()[0] != "random")
        self._show_tokenizer(session.tokenizer)
        self._show_length(session)

    def show_count(self, session: Session, n_tokens: int) -> None:
        """Show into how many tokens and patches a session's text is split."""
        n_words = session.n_words(n_tokens) if n_tokens else 0
        patches = f", {format_count(n_tokens - n_words, 'patch', 'patches')}" if n_tokens > n_words else ""
        self._say(f"{format_count(n_words, session.unit)}{patches}")

    def _say(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(f"Split into: {words}")

    def _on_tokenizer(self, chosen: QAction) -> None:
        tokenizer = chosen.data() or self._dialogs.to_open(self, "Split by a tokenizer", "Tokenizer (*.json)")
        self._propose(**({"tokenizer": str(tokenizer)} if tokenizer else {}))  # cancelled, it ends an earlier refusal
        if self._session:
            self._show_tokenizer(self._session.tokenizer)

    def _show_tokenizer(self, tokenizer: str) -> None:
        known = {action.data(): action for action in self._kinds.actions()}
        if tokenizer not in known:
            known[tokenizer] = self._add_kind(tokenizer_name(tokenizer), tokenizer)
        known[tokenizer].setChecked(True)

    def _add_kind(self, words: str, tokenizer: str) -> QAction:
        kind = QAction(words, self._kinds, checkable=True)
        kind.setData(tokenizer)
        self.menu().insertAction(self._from_file, kind)
        return kind

    def _on_patches(self, wanted: bool) -> None:
        self._set_patches(wanted)
        if self._session:
            self._patches.setChecked(self._session.patches is not None)

    def _fill_lengths(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        lengths = [length for length in _LENGTHS if length <= MAX_TOKENS]
        choices: list[tuple[Fill, int]] = [("none", 0)]
        choices += [(fill, length) for fill in ("repeat", "random") for length in lengths]
        for choice in choices:
            QAction(self._lengths, checkable=True).setData(choice)
        menu.addActions(self._lengths.actions())
        self._lengths.triggered.connect(self._on_length)

    def _on_length(self, chosen: QAction) -> None:
        fill, length = chosen.data()
        self._propose(fill=fill, **({"fill_to": length} if length else {}))
        if self._session:
            self._show_length(self._session)

    def _show_length(self, session: Session) -> None:
        splitting = session.splitting
        for action in self._lengths.actions():
            fill, length = action.data()
            action.setText(f"{_FILLS[fill]} {format_count(length, session.unit)}" if length else _FILLS[fill])
            action.setChecked((fill, length) == (splitting.fill, splitting.fill_to))


def tokenizer_name(tokenizer: str) -> str:
    """Return the name of a tokenizer or of its file, shortened and printable."""
    return shorten_middle(format_token(tokenizer.replace("\\", "/").rsplit("/", 1)[-1]), _LONGEST_NAME)
