"""The bar at the window's top: the menus, what is done most, the four arrangements, and the search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QWindow
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QMenu, QToolBar, QToolButton, QWidget

from posenc_gui.app.widgets.controls import tool
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import BAR, FIELD, GAP, ICON, PADDING, TIGHT, Roles


class Bar(QToolBar):
    """Stands at the top of the window and can't be moved."""

    def __init__(self, menus: QMenu, choices: Choices, finder: QWidget) -> None:
        super().__init__("Bar")
        self.setObjectName("bar")
        self.setMovable(False)
        self.setFloatable(False)
        self.toggleViewAction().setEnabled(False)
        self._menus = tool(says="Menus", hint="All menus (F10 or Alt)", name="menus")
        self._menus.setMenu(menus)
        self._menus.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._row = QWidget()
        self._quick = _Quick()
        left = QHBoxLayout()
        left.setSpacing(0)
        left.addWidget(self._menus)
        left.addWidget(self._quick)
        line = QGridLayout(self._row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setHorizontalSpacing(GAP)
        line.addLayout(left, 0, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(choices, 0, 1, Qt.AlignmentFlag.AlignCenter)
        line.addWidget(finder, 0, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line.setColumnStretch(0, 1)
        line.setColumnStretch(2, 1)
        self.addWidget(self._row)
        self._fit()

    def add(self, actions: Iterable[QAction]) -> None:
        """Show these, which have icons, as buttons, apart from those before."""
        self._quick.add(actions)
        self._fit()

    def open_menus(self) -> None:
        """Open the menus, for the keyboard to go on."""
        self._menus.menu().popup(self._menus.mapToGlobal(self._menus.rect().bottomLeft()))

    def set_theme(self, theme: Roles) -> None:
        """Draw in a theme's ink."""
        self._menus.setIcon(icon("menu", theme.ink))
        self._fit()

    def _fit(self) -> None:
        """As high as type is large."""
        self._row.setFixedHeight(scaled(BAR))
        _fit_icon(self._menus)
        self._quick.fit()


class _Quick(QWidget):
    """What is done most, as buttons; as many are seen as there is room for, since all of them are in the menus, too."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[list[QToolButton]] = []

    def add(self, actions: Iterable[QAction]) -> None:
        """A group of buttons, behind the others."""
        self._groups.append([])
        for action in actions:
            button = QToolButton(self)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._groups[-1].append(button)

    def fit(self) -> None:
        """As large as type is."""
        for button, _ in self._placed():
            _fit_icon(button)
        self.updateGeometry()
        self._place()

    def sizeHint(self) -> QSize:  # noqa: N802
        """All of them."""
        return QSize(max((end for _, end in self._placed()), default=0), scaled(FIELD))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """None of them: the window may be narrow."""
        return QSize(0, scaled(FIELD))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """More or fewer are seen."""
        super().resizeEvent(event)
        self._place()

    def _placed(self) -> Iterator[tuple[QToolButton, int]]:
        """The buttons from left to right, and where each ends, in pixels."""
        end = 0
        for group in self._groups:
            end += GAP
            for button in group:
                end += TIGHT + scaled(FIELD)
                yield button, end

    def _place(self) -> None:
        for button, end in self._placed():
            button.move(end - scaled(FIELD), (self.height() - scaled(FIELD)) // 2)
            button.setVisible(end <= self.width())


def _fit_icon(button: QToolButton) -> None:
    button.setIconSize(QSize(scaled(ICON), scaled(ICON)))
    button.setFixedSize(scaled(FIELD), scaled(FIELD))


class AltKey(QObject):
    """Says when Alt was pressed alone in a window, which calls for the menus."""

    pressed = Signal()

    def __init__(self, window: QWindow) -> None:
        super().__init__(window)
        self._is_alone = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """See each key before the widget that takes it."""
        match event.type():
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent):
                self._is_alone = event.key() == Qt.Key.Key_Alt
            case QEvent.Type.KeyRelease if isinstance(event, QKeyEvent):
                if self._is_alone and event.key() == Qt.Key.Key_Alt:
                    self.pressed.emit()
                self._is_alone = False
            case QEvent.Type.MouseButtonPress | QEvent.Type.FocusOut:
                self._is_alone = False
        return super().eventFilter(watched, event)


class Choices(QWidget):
    """Buttons of which one is on; arrow keys go from one to the next."""

    chosen = Signal(str)

    def __init__(self, says: str, choices: dict[str, str]) -> None:
        super().__init__()
        self.setObjectName("well")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(says)
        line = QHBoxLayout(self)
        line.setContentsMargins(2, 2, 2, 2)
        line.setSpacing(2)
        group = QButtonGroup(self)
        self._buttons: dict[str, _Choice] = {}
        for name, title in choices.items():
            button = self._buttons[name] = _Choice(title)
            button.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            button.installEventFilter(self)
            group.addButton(button)
            line.addWidget(button)

    def button(self, name: str) -> QToolButton:
        """The button of a choice."""
        return self._buttons[name]

    def show_chosen(self, name: str) -> None:
        """Show which one is on; Tab leads to it, and arrow keys on."""
        for other, button in self._buttons.items():
            button.setChecked(other == name)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if other == name else Qt.FocusPolicy.ClickFocus)

    def show_changed(self, changed: bool) -> None:
        """Show whether the one that is on was changed, so that choosing it again restores it."""
        for button in self._buttons.values():
            button.show_changed(changed and button.isChecked())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Go on to the next button by arrow keys, and choose it."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
            if step:
                buttons = [*self._buttons.values()]
                at = next(index for index, button in enumerate(buttons) if button is watched)
                buttons[(at + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)


class _Choice(QToolButton):
    """One of the choices; a dot behind its name says that it was changed."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._is_changed = False

    def show_changed(self, changed: bool) -> None:
        """Show the dot, and say what it means, or neither."""
        self._is_changed = changed
        said = f"You changed how cards stand in {self.text()}: press again to restore it" if changed else ""
        self.setToolTip(said)
        self.setAccessibleDescription(said)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The dot stands in the margin behind the name."""
        super().paintEvent(event)
        if self._is_changed:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().highlight())
            painter.drawEllipse(QPointF(self.width() - scaled(PADDING) / 2, self.height() / 2), scaled(2), scaled(2))
