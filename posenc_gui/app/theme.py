"""The look as Qt takes it: the palette, the size of type, and the styles that neither can say."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.look import (
    BODY,
    CAPTION,
    CARD_CORNER,
    CORNER,
    DARK,
    FIELD,
    GAP,
    ICON,
    LIGHT,
    PADDING,
    QUIET,
    SMALL,
    TIGHT,
    Roles,
)
from posenc_gui.render.colours import mixed

Choice = Literal["system", "light", "dark"]
SCALES = (0.75, 0.875, 1.0, 1.125, 1.25, 1.5, 1.75, 2.0)  # of type


def theme_for(choice: Choice, app: QApplication) -> Roles:
    """The theme of a choice; "system" follows the desktop, and is light where the desktop doesn't say."""
    if choice == "system":
        return DARK if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def apply(theme: Roles, styled: QApplication | QWidget, scale: float = 1.0) -> None:
    """Give the whole application these colours and type so many times as large as it was made, and what is `styled` its styles.

    A window and what it opens rather than the application: that visits the menus, too, which pyqtgraph keeps for each plot.
    """
    QApplication.setFont(_font(scale))
    QApplication.setPalette(_palette(theme))
    styled.setStyleSheet(_styles(theme))


def scaled(length: float) -> int:
    """A length of the look at the present size of type, in pixels."""
    return round(length * QFontInfo(QApplication.font()).pixelSize() / BODY.size)


def _font(scale: float) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(round(scale * max(BODY.size, QFontInfo(font).pixelSize())))  # whoever has larger type keeps it
    font.setFeature(QFont.Tag("tnum"), 1)  # figures of one width, where the system's font has them
    return font


def _palette(theme: Roles) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in {
        role.Window: theme.window,
        role.WindowText: theme.ink,
        role.Base: theme.field,
        role.AlternateBase: theme.window,
        role.Text: theme.ink,
        role.PlaceholderText: theme.muted,
        role.Button: theme.field,
        role.ButtonText: theme.ink,
        role.BrightText: theme.bad,
        role.Highlight: theme.focus,
        role.HighlightedText: theme.on_focus,
        role.Accent: theme.focus,
        role.Link: theme.focus,
        role.LinkVisited: theme.focus,
        role.ToolTipBase: theme.card,
        role.ToolTipText: theme.ink,
        role.Light: theme.card,
        role.Midlight: theme.line,
        role.Mid: theme.line,
        role.Dark: theme.muted,
        role.Shadow: theme.line,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(theme.muted))
    return palette


def _styles(theme: Roles) -> str:
    frame, inside = 2, scaled(SMALL)
    high, quiet = scaled(FIELD) - 2, scaled(QUIET) - 2 * frame
    fields = "QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit"
    buttons = 'QPushButton, QToolButton[framed="true"]'
    strong = mixed(theme.ink, theme.focus, 0.2)  # the one action, under the pointer
    return f"""
    QMainWindow::separator {{ background: {theme.window}; width: {GAP}px; height: {GAP}px; }}
    QMainWindow::separator:hover {{ background: {theme.line}; }}
    #bar {{ border: none; padding: 0; }}
    #well {{ background: {theme.sunk}; border-radius: {CARD_CORNER}px; }}
    #choice {{ padding: 0 {scaled(PADDING)}px; color: {theme.muted}; }}
    #choice:checked {{ background: {theme.card}; color: {theme.ink}; font-weight: 600; }}
    #gallery {{ background: {theme.card}; border: 1px solid {theme.line}; border-radius: {CARD_CORNER}px; }}
    #found {{ background: {theme.card}; border: 1px solid {theme.edge}; border-radius: {CORNER}px; }}
    #found::item {{ padding: {TIGHT}px {inside}px; }}
    QScrollArea, #scrolled {{ background: transparent; }}
    #cardTitle, #stepTitle {{ font-weight: 600; }}
    #muted, #caption {{ color: {theme.muted}; font-size: {scaled(CAPTION.size)}px; }}
    #refusal {{ color: {theme.bad}; font-size: {scaled(CAPTION.size)}px; }}
    #boxed {{ background: {theme.window}; border-radius: {CARD_CORNER}px; padding: {inside}px; }}
    #cover {{ background: {theme.window}; color: {theme.muted}; border: 1px dashed {theme.edge};
        border-radius: {CARD_CORNER}px; }}
    #badgeA {{ background: {theme.muted}; color: {theme.card}; border-radius: {CORNER}px; font-weight: 600; }}
    #badgeB {{ background: {theme.ink}; color: {theme.card}; border-radius: {CORNER}px; font-weight: 600; }}
    #group {{ border-left: 2px solid {theme.line}; }}
    #banner {{ background: {theme.card}; border: 1px solid {theme.focus}; border-radius: {CARD_CORNER}px; }}
    #banner[kind="problem"] {{ border-color: {theme.bad}; }}

    {fields}, {buttons} {{ background: {theme.field}; border: 1px solid {theme.edge}; border-radius: {CORNER}px; }}
    QLineEdit, QAbstractSpinBox, QComboBox, {buttons} {{ min-height: {high}px; padding: 0 {inside}px; }}
    {_all(fields, ":hover")} {{ border-color: {theme.ink}; }}
    {_all(buttons, ":hover")} {{ background: {theme.hover}; border-color: {theme.ink}; }}
    {_all(fields + ", " + buttons, ":focus")} {{ border: 2px solid {theme.focus}; padding: 0 {inside - 1}px; }}
    {_all(fields, '[refused="true"]')} {{ border: 2px solid {theme.bad}; padding: 0 {inside - 1}px; }}
    {_all(fields + ", " + buttons, ":disabled")} {{ background: transparent; border-color: {theme.line};
        color: {theme.muted}; }}
    QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; background: transparent; min-height: 0; padding: 0; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: none; }}
    QComboBox::drop-down {{ border: none; width: {scaled(ICON) + inside}px; }}
    QComboBox::down-arrow {{ image: none; }}

    QPushButton[accent="true"] {{ background: {theme.focus}; border: none; color: {theme.on_focus}; font-weight: 600;
        min-height: {high + 2}px; padding: 0 {inside + TIGHT}px; }}
    QPushButton[accent="true"]:hover {{ background: {strong}; border: none; }}
    QPushButton[accent="true"]:focus {{ background-clip: content; border: 2px solid {theme.focus}; padding: 2px; }}
    QPushButton[accent="true"]:disabled {{ background: {theme.sunk}; color: {theme.muted}; }}

    QToolButton {{ border: {frame}px solid transparent; border-radius: {CORNER}px; min-height: {quiet}px; padding: 0 4px;
        icon-size: {scaled(ICON)}px; }}
    QToolButton:hover {{ background: {theme.hover}; }}
    QToolButton:checked {{ background: {theme.sunk}; }}
    QToolButton:focus {{ border-color: {theme.focus}; }}
    QToolButton:disabled {{ color: {theme.muted}; }}
    QToolButton[framed="true"]:checked {{ background: {theme.focus}; color: {theme.on_focus}; }}
    QToolButton#verdict {{ text-align: left; }}
    QToolButton#verdict[old="true"] {{ color: {theme.muted}; }}
    QToolButton::menu-indicator {{ image: none; }}

    FigureView {{ border: 2px solid transparent; }}
    FigureView:focus, QListView:focus {{ border: 2px solid {theme.focus}; border-radius: {CORNER}px; }}
    QToolTip {{ color: {theme.ink}; background: {theme.card}; border: 1px solid {theme.line}; padding: {TIGHT}px;
        font-size: {scaled(CAPTION.size)}px; }}
    QStatusBar::item {{ border: none; }}
    QTabBar {{ qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: true; }}
    QTabBar::tab {{ padding: {TIGHT}px 12px; border: none; border-bottom: 2px solid transparent; color: {theme.muted}; }}
    QTabBar::tab:selected {{ color: {theme.ink}; border-bottom-color: {theme.focus}; }}
    QTabBar::tab:focus {{ color: {theme.focus}; }}
    """


def _all(selectors: str, state: str) -> str:
    """Each of these selectors, in that state."""
    return ", ".join(f"{selector}{state}" for selector in selectors.split(", "))
