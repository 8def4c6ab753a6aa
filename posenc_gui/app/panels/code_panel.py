"""The session's encodings as PyTorch code, to copy into one's own model."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.widgets.controls import tool_button
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.errors import Undefined
from posenc_gui.scene import comparison
from posenc_gui.session.session import Session


class CodePanel(QWidget):
    """The encoding's code with the current parameters filled in; when two encodings are compared, A's and then B's."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName("PyTorch code of the encoding")
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._text)
        copy = tool_button("Copy", "Copy the code", hint="Copy the code")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text.toPlainText()))
        card.add_button(copy)

    def show_session(self, session: Session) -> None:
        """Show the code of a session's encodings, with the shape of its model."""
        code = _code_of(session)
        if code != self._text.toPlainText():
            self._text.setPlainText(code)


def _code_of(session: Session) -> str:
    scene, model = session.scene.acting, session.model
    shape = (model.d_model, model.n_heads, model.head_width, model.causal)
    if scene.other is None:
        return _of_one(scene.encoding, *shape)
    both = zip(comparison.names(scene), (scene.encoding, scene.other), strict=True)
    return "\n\n".join(f"# {name}\n{_of_one(encoding, *shape)}" for name, encoding in both)


def _of_one(encoding: Encoding, d_model: int, n_heads: int, d_head: int, causal: bool) -> str:
    try:
        return encoding.code(d_model, n_heads, d_head, causal)
    except Undefined as why:
        return f"# {why}"
