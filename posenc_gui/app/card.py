"""Cards: docks with a header of their own, which float, close and come back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.controls import plain, tool
from posenc_gui.app.icons import icon
from posenc_gui.look import Roles


class Card(QDockWidget):
    """A dock with a title, room for buttons beside it, and a body. It says that it loads until it is filled."""

    came_into_view = Signal()

    def __init__(self, name: str, title: str, theme: Roles, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.setObjectName(name)
        self.in_view = False  # Qt's isVisible counts a card behind another's tab as visible
        self.visibilityChanged.connect(self._on_visibility)
        self.toggleViewAction().triggered.connect(self._on_chosen)
        self._frame = QFrame()
        self._frame.setObjectName("card")
        self._body = QVBoxLayout(self._frame)
        self._body.setContentsMargins(8, 2, 8, 8)
        self._body.setSpacing(4)
        self._loading = QLabel("Loading …", alignment=Qt.AlignmentFlag.AlignCenter)
        self._loading.setObjectName("muted")
        self._body.addWidget(self._loading, 1)

        self._title = plain(title, "cardTitle", wraps=False)
        self._lock_sign = plain("", "muted", wraps=False)
        self._lock_sign.hide()
        self._own_buttons = QWidget()
        self._buttons = QHBoxLayout(self._own_buttons)
        self._buttons.setContentsMargins(0, 0, 0, 0)
        self._buttons.setSpacing(2)
        self._content: QWidget | None = None
        self._cover: QWidget | None = None
        self._locked = False
        self._float = _header_button("float", f"Float {title}, or dock it again")
        self._float.clicked.connect(lambda: self.setFloating(not self.isFloating()))
        self._close = _header_button("close", f"Close {title} (the menus bring it back)")
        self._close.clicked.connect(self.close)
        header = QWidget()
        line = QHBoxLayout(header)
        line.setContentsMargins(10, 4, 4, 2)
        self._caption = plain("", "muted", wraps=False)
        self._caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        line.addWidget(self._title)
        line.addWidget(self._caption, 1)
        line.addWidget(self._lock_sign)
        line.addWidget(self._own_buttons)
        line.addWidget(self._float)
        line.addWidget(self._close)
        header.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTitleBarWidget(header)
        self.setWidget(self._frame)
        self.set_theme(theme)

    def fill(self, content: QWidget) -> None:
        """Show the content in the body, once nothing covers it."""
        self._loading.setParent(None)
        self._content = content
        _enable(content, not self._locked)
        self._body.addWidget(content, 1)
        content.setVisible(self._cover is None)

    def cover(self, cover: QWidget | None) -> None:
        """Put something over the content, or take it away again; covered, the header's buttons give nothing away."""
        if self._cover is not None and self._cover is not cover:
            self._body.removeWidget(self._cover)
            self._cover.hide()
            self._cover.deleteLater()
        if cover is not None and self._cover is not cover:
            self._body.addWidget(cover, 1)
        self._cover = cover
        for part in (self._content, self._own_buttons, self._caption):
            if part is not None:
                part.setVisible(cover is None)

    @property
    def covered(self) -> bool:
        """Whether something stands over the content."""
        return self._cover is not None

    def lock(self, why: str) -> None:
        """Let the content be read but not changed, for a reason that the header says; without one, changed again."""
        self._locked = locked = bool(why)
        self._lock_sign.setText(why)
        self._lock_sign.setVisible(locked)
        self._own_buttons.setEnabled(not locked)
        if self._content is not None:
            _enable(self._content, not locked)

    def add_button(self, button: QToolButton) -> None:
        """Put a button into the header."""
        self._buttons.addWidget(button)

    def add_faint(self, button: QToolButton) -> None:
        """Let a button of the header be seen only while the pointer or the keyboard is in the card; Tab reaches it always."""

    def set_caption(self, caption: str) -> None:
        """Say beside the title what is shown; as much of it as there is room for."""
        self._caption.setText(caption)
        self._caption.setToolTip(caption)

    def set_card_title(self, title: str) -> None:
        """Name the card."""
        self.setWindowTitle(title)
        self._title.setText(title)

    def bring(self) -> None:
        """Show the card, in front of the others behind whose tabs it may be."""
        self.show()
        self.raise_()

    def set_theme(self, theme: Roles) -> None:
        """Draw the header's icons in a theme's ink."""
        self._float.setIcon(icon("float", theme.muted))
        self._close.setIcon(icon("close", theme.muted))

    def _on_chosen(self, shown: bool) -> None:
        if shown:
            self.raise_()  # Qt brings a card back behind the tab of another

    def _on_visibility(self, visible: bool) -> None:
        came, self.in_view = visible and not self.in_view, visible
        if came:
            self.came_into_view.emit()


def _header_button(name: str, help_text: str) -> QToolButton:
    return tool(says=help_text, hint=help_text, name=name)


def _enable(content: QWidget, enabled: bool) -> None:
    """Let a content be used, or only read: what scrolls goes on to scroll."""
    for part in content.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inside = part.widget() if isinstance(part, QScrollArea) else part
        if inside is not None:
            inside.setEnabled(enabled)
