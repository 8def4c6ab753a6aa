"""Quiet buttons that open a menu."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QToolButton

from posenc_gui.app.icons import icon


class MenuButton(QToolButton):
    """Words and an arrow behind them; a press opens the menu."""

    def __init__(self, text: str, ink: str, *, says: str = "", hint: str = "") -> None:
        super().__init__()
        self.setText(text)
        self.setAccessibleName(says or text)
        self.setToolTip(hint)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        opened = QMenu(self)
        opened.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        opened.setToolTipsVisible(True)
        opened.aboutToHide.connect(lambda: release(self))
        self.setMenu(opened)
        self.set_ink(ink)

    def set_ink(self, ink: str) -> None:
        """Draw the arrow in this colour ("#rrggbb")."""
        self.setIcon(icon("chevron-down", ink))


def release(button: QToolButton) -> None:
    """Let a button look as it does at rest once its menu has closed: Qt tells it not that the pointer has left meanwhile."""
    button.setDown(False)
    inside = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, inside)
    button.update()
