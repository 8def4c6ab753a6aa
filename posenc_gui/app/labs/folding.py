"""Words that fold to a short form."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from posenc_gui.app.widgets.controls import rich_label, tool_button
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import ICON, QUIET, TIGHT


class Folding(QWidget):
    """A label that folds to its short words; once it has folded, a click on it or its arrow unfolds it and folds it again."""

    def __init__(self, says: str, name: str = "") -> None:
        super().__init__()
        self._says, self._short, self._whole = says, "", ""
        self._is_folded, self._is_chosen = False, False
        self._arrow = tool_button(says=f"Fold {says}", name="unfolding")
        self._arrow.setFixedSize(scaled(ICON), scaled(QUIET))
        self._arrow.clicked.connect(self._on_chosen)
        self._label = rich_label(name)
        self._label.installEventFilter(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(scaled(TIGHT))
        row.addWidget(self._arrow, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._label, 1)
        THEME.changed.connect(self._draw)
        self._arrow.hide()

    def begin(self) -> None:
        """Forget what was unfolded by hand."""
        self._is_folded = self._is_chosen = False
        self._arrow.hide()

    def show_words(self, short: str, whole: str) -> None:
        """Set the words of both forms, as safe HTML."""
        if (short, whole) != (self._short, self._whole):
            self._short, self._whole = short, whole
            self._draw()

    def fold(self, folded: bool) -> None:
        """Fold or unfold, unless that was chosen by hand."""
        if not self._is_chosen:
            self._is_folded = folded
            self._draw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fold or unfold on a click on the words."""
        if event.type() == QEvent.Type.MouseButtonRelease and self._arrow.isVisible():
            self._on_chosen()
        return super().eventFilter(watched, event)

    def _on_chosen(self) -> None:
        self._is_chosen, self._is_folded = True, not self._is_folded
        self._draw()

    def _draw(self) -> None:
        self._label.setText(self._short if self._is_folded else self._whole)
        self._arrow.setVisible(self._is_folded or self._is_chosen)
        self._arrow.setIcon(icon(f"chevron-{'right' if self._is_folded else 'down'}", THEME.roles.muted))
        self._arrow.setAccessibleName(f"{'Unfold' if self._is_folded else 'Fold'} {self._says}")
