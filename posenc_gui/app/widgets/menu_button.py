"""Quiet buttons that unfold something, or open a menu."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QToolButton

from posenc_gui.app.widgets.controls import ToolButton, set_styled
from posenc_gui.app.widgets.icons import icon


class Turning(ToolButton):
    """A button that shows something, or hides it: heard as a button, where Qt's own checkable ones are heard as check boxes."""

    toggled = Signal(bool)
    turned = Signal(bool)  # by a press

    def __init__(self) -> None:
        super().__init__()
        self.clicked.connect(self._turn)

    def _turn(self) -> None:
        self.setChecked(not self.isChecked())
        self.turned.emit(self.isChecked())

    def isChecked(self) -> bool:
        """True while it shows something."""
        return bool(self.property("turned"))

    def setChecked(self, shows: bool) -> None:
        """Show it, or hide it."""
        if shows != self.isChecked():
            set_styled(self, "turned", shows)
            self.toggled.emit(shows)


class Unfolding(Turning):
    """A button with a text and an arrow behind it; pressing it shows more."""

    def __init__(self, text: str = "", *, says: str = "", hint: str = "") -> None:
        super().__init__()
        self.setObjectName("unfolding")
        self.setText(text)
        self.setAccessibleName(says or text)
        self.setToolTip(hint)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the arrow in the new theme's colour."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self.setIcon(icon("chevron-down", self.palette().buttonText().color().name()))


class MenuButton(Unfolding):
    """An unfolding button that opens a menu."""

    def __init__(self, text: str, *, says: str = "", hint: str = "") -> None:
        super().__init__(text, says=says, hint=hint)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        opened = QMenu(self)
        opened.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        opened.setToolTipsVisible(True)
        opened.aboutToHide.connect(lambda: release(self))
        self.setMenu(opened)


def release(button: QToolButton) -> None:
    """Reset a button's hover state once its menu has closed: Qt doesn't report that the pointer has left meanwhile."""
    button.setDown(False)
    inside = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, inside)
    button.update()
