"""Tokens: the sentence as it is typed, and as the chips it becomes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPointF, QRectF, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QLabel,
    QListView,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.theme import Theme
from posenc_gui.session import Session
from posenc_gui.text import MAX_TOKENS, clean, shown

_CHIP_TEXT_PIXELS = 120
_LONGEST_MEASURED = 60  # characters; more can't be read on a chip anyway


class TokensPanel(QWidget):
    """The text, the switch for case, and the chips."""

    focused = Signal(int)  # index of the token that was chosen

    def __init__(self, propose: Callable[..., str], theme: Theme) -> None:
        super().__init__()
        self._propose = propose
        self._session: Session | None = None
        self._text = QPlainTextEdit()
        self._text.setAccessibleName("Text")
        self._text.setPlaceholderText("Type or paste a sentence")
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(self._text.fontMetrics().lineSpacing() * 3 + 14)
        self._text.textChanged.connect(self._on_text)
        self._keep_case = QCheckBox("Keep case: “The” and “the” apart")
        self._keep_case.toggled.connect(lambda on: self._propose(keep_case=on))
        self._chips = ChipsView(theme)
        self._chips.chosen.connect(self.focused)
        self._legend = QLabel(wordWrap=True)
        self._legend.setObjectName("muted")
        self._legend.setTextFormat(Qt.TextFormat.PlainText)
        self._refusal = QLabel(wordWrap=True)
        self._refusal.setObjectName("refusal")
        self._refusal.setTextFormat(Qt.TextFormat.PlainText)
        self._refusal.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._text)
        column.addWidget(self._refusal)
        column.addWidget(self._chips, 1)
        column.addWidget(self._legend)
        column.addWidget(self._keep_case)

    def show_session(self, session: Session) -> None:
        """Show a session's text, unless it was typed here; a text that was refused stays until another one comes."""
        before, self._session = self._session, session
        with QSignalBlocker(self._text), QSignalBlocker(self._keep_case):
            if (before is None or before.text != session.text) and clean(self._typed()) != session.text:
                self._text.setPlainText(session.text)
                self._refuse("")
            self._keep_case.setChecked(session.keep_case)

    def show_tokens(self, session: Session) -> None:
        """Show a session's tokens as chips; the focus may have moved on while they were computed."""
        newest = self._session
        same = newest is not None and (newest.text, newest.keep_case) == (session.text, session.keep_case)
        self._chips.show_tokens(session.tokens, session.twins, newest.focused if newest and same else session.focused)
        parts = [f"{len(session.tokens):,} token{'' if len(session.tokens) == 1 else 's'}"]
        if session.twins:
            parts.append("underlined: the same token more than once")
        if len(session.tokens) == MAX_TOKENS:
            parts.append("the rest of the text is not read")
        self._legend.setText(" · ".join(parts) if session.tokens else "No tokens yet: type a sentence.")

    def set_theme(self, theme: Theme) -> None:
        """Draw the chips in another theme."""
        self._chips.set_theme(theme)

    def text_edit(self) -> QPlainTextEdit:
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
        self._refuse(self._propose(text=self._typed()))

    def _refuse(self, why: str) -> None:
        self._refusal.setText(why)
        self._refusal.setVisible(bool(why))


class ChipsView(QListView):
    """Tokens as chips with their positions; arrow keys and clicks choose one."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName("Tokens")
        self.setModel(QStringListModel(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(200)
        self.setSpacing(2)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)  # the card's paper shows through
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._delegate = _ChipDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self._tokens: tuple[str, ...] = ()

    def show_tokens(self, tokens: tuple[str, ...], twins: frozenset[int], focus: int | None) -> None:
        """Show these tokens, the twins marked and one in focus."""
        self._delegate.twins = twins
        with QSignalBlocker(self.selectionModel()):
            if tokens != self._tokens:
                self._tokens = tokens
                self.model().setStringList([shown(token) for token in tokens])
            if focus is not None:
                self.setCurrentIndex(self.model().index(focus))
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in another theme."""
        self._delegate.theme = theme
        self.viewport().update()

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:  # noqa: N802
        """Say which chip was chosen."""
        super().currentChanged(current, previous)
        if current.isValid() and not self.selectionModel().signalsBlocked():
            self.chosen.emit(current.row())


class _ChipDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.twins: frozenset[int] = frozenset()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # noqa: N802
        """As wide as its token, within limits; high enough for the position above it."""
        metrics = QFontMetrics(option.font)
        width = metrics.horizontalAdvance(_elided(metrics, index.data()))
        number = QFontMetrics(_small(option.font))
        return QSize(
            max(width, number.horizontalAdvance(str(index.row()))) + 16, metrics.height() + number.height() + 10
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """A rounded chip: position above, token below, a bar under twins, filled where it is in focus."""
        theme, box = self.theme, QRectF(option.rect).adjusted(1, 1, -1, -1)
        focused = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent if focused or hovered else theme.line), 1))
        painter.setBrush(QColor(theme.accent if focused else theme.base))
        painter.drawRoundedRect(box, 5, 5)
        if index.row() in self.twins:
            painter.setPen(QPen(QColor(theme.twin), 3))
            painter.drawLine(QPointF(box.left() + 5, box.bottom()), QPointF(box.right() - 5, box.bottom()))
        flags = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(_small(option.font))
        painter.setPen(QColor(theme.on_accent if focused else theme.muted))
        painter.drawText(box.adjusted(0, 3, 0, 0), flags | Qt.AlignmentFlag.AlignTop, str(index.row()))
        painter.setFont(option.font)
        painter.setPen(QColor(theme.on_accent if focused else theme.ink))
        text = _elided(QFontMetrics(option.font), index.data())
        painter.drawText(box.adjusted(0, 0, 0, -5), flags | Qt.AlignmentFlag.AlignBottom, text)
        painter.restore()


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * 0.8)
    return small


def _elided(metrics: QFontMetrics, token: str) -> str:
    return metrics.elidedText(token[:_LONGEST_MEASURED], Qt.TextElideMode.ElideMiddle, _CHIP_TEXT_PIXELS)
