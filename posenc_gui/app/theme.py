"""Light and dark: the palette, the few styles that a palette can't say, and the screen renderer's colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.render.colours import CURVES

Choice = Literal["system", "light", "dark"]


@dataclass(frozen=True)
class Theme:
    """The colours of one look, as "#rrggbb"."""

    window: str
    base: str
    field: str
    ink: str
    muted: str
    line: str
    button: str
    accent: str
    on_accent: str
    twin: str
    masked: str
    warning: str
    curves: tuple[str, ...]


LIGHT = Theme(
    window="#f3f4f6",
    base="#ffffff",
    field="#ffffff",
    ink="#1b1d21",
    muted="#586070",
    line="#d5d9e0",
    button="#ffffff",
    accent="#1f5fdb",
    on_accent="#ffffff",
    twin="#a85f00",
    masked="#e4e7eb",
    warning="#9c2b1b",
    curves=tuple(hue.light for hue in CURVES),
)
DARK = Theme(
    window="#1e2023",
    base="#17191c",
    field="#2b2f36",
    ink="#e8eaed",
    muted="#9ba4b0",
    line="#343940",
    button="#2b2f36",
    accent="#7aa9ff",
    on_accent="#0b1526",
    twin="#f0b04a",
    masked="#2a2e34",
    warning="#ff9d8a",
    curves=tuple(hue.dark for hue in CURVES),
)


def theme_for(choice: Choice, app: QApplication) -> Theme:
    """The theme of a choice; "system" follows the desktop, and is light where the desktop doesn't say."""
    if choice == "system":
        return DARK if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def apply(theme: Theme, styled: QApplication | QWidget) -> None:
    """Give the whole application these colours, and what is `styled` these styles.

    A window and what it opens rather than the application: that visits the menus, too, which pyqtgraph keeps for each plot.
    """
    QApplication.setPalette(_palette(theme))
    styled.setStyleSheet(_styles(theme))


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in {
        role.Window: theme.window,
        role.WindowText: theme.ink,
        role.Base: theme.field,
        role.AlternateBase: theme.window,
        role.Text: theme.ink,
        role.PlaceholderText: theme.muted,
        role.Button: theme.button,
        role.ButtonText: theme.ink,
        role.BrightText: theme.warning,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.ToolTipBase: theme.base,
        role.ToolTipText: theme.ink,
        role.Light: theme.base,
        role.Midlight: theme.line,
        role.Mid: theme.line,
        role.Dark: theme.muted,
        role.Shadow: theme.line,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(theme.muted))
    return palette


def _styles(theme: Theme) -> str:
    return f"""
    QMainWindow::separator {{ background: {theme.window}; width: 12px; height: 12px; }}
    QMainWindow::separator:hover {{ background: {theme.line}; }}
    #bar {{ border: none; padding: 0; }}
    #well {{ background: {theme.line}; border-radius: 6px; }}
    #choice {{ padding: 4px 16px; color: {theme.muted}; }}
    #choice:checked {{ background: {theme.base}; color: {theme.ink}; font-weight: 600; }}
    #choice:focus {{ border: 2px solid {theme.accent}; padding: 2px 14px; }}
    #gallery {{ background: {theme.base}; border: 1px solid {theme.line}; border-radius: 6px; }}
    #found {{ background: {theme.base}; border: 1px solid {theme.muted}; border-radius: 4px; }}
    #found::item {{ padding: 4px 8px; }}
    QScrollArea, #scrolled {{ background: transparent; }}
    #cardTitle {{ font-weight: 600; }}
    #stepTitle {{ font-size: 15px; font-weight: 600; }}
    #boxed {{ background: {theme.window}; border-radius: 6px; padding: 6px; }}
    #cover {{ background: {theme.window}; color: {theme.muted}; border: 1px dashed {theme.line}; border-radius: 6px; }}
    QPushButton[accent="true"] {{ background: {theme.accent}; color: {theme.on_accent}; border: none; border-radius: 4px;
        padding: 4px 10px; font-weight: 600; }}
    QPushButton[accent="true"]:focus {{ border: 2px solid {theme.ink}; padding: 2px 8px; }}
    QToolButton#way {{ padding: 3px; }}
    QPushButton[accent="true"]:disabled {{ background: {theme.line}; color: {theme.muted}; }}
    #muted {{ color: {theme.muted}; }}
    #group {{ border-left: 2px solid {theme.line}; }}
    #refusal {{ color: {theme.warning}; }}
    #banner {{ background: {theme.base}; border: 1px solid {theme.accent}; border-radius: 6px; }}
    #banner[kind="problem"] {{ border-color: {theme.warning}; }}
    FigureView {{ border: 1px solid transparent; }}
    FigureView:focus, QListView:focus {{ border: 1px solid {theme.accent}; border-radius: 3px; }}
    QToolButton {{ border: none; border-radius: 4px; padding: 3px 6px; }}
    QToolButton:hover, QToolButton:focus {{ background: {theme.line}; }}
    QToolButton#verdict {{ text-align: left; padding: 2px 4px; }}
    QToolButton#verdict[old="true"] {{ color: {theme.muted}; }}
    QToolButton[framed="true"] {{ border: 1px solid {theme.line}; background: {theme.button}; }}
    QToolButton[framed="true"]:checked {{ background: {theme.accent}; color: {theme.on_accent}; }}
    QToolButton[framed="true"]:hover, QToolButton[framed="true"]:focus {{ border-color: {theme.accent}; }}
    *[refused="true"] {{ border: 1px solid {theme.warning}; }}
    QToolButton::menu-indicator {{ image: none; }}
    QToolTip {{ color: {theme.ink}; background: {theme.base}; border: 1px solid {theme.line}; padding: 4px; }}
    QStatusBar::item {{ border: none; }}
    QTabBar {{ qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: true; }}
    QTabBar::tab {{ padding: 5px 14px; border: none; border-bottom: 2px solid transparent; color: {theme.muted}; }}
    QTabBar::tab:selected {{ color: {theme.ink}; border-bottom-color: {theme.accent}; }}
    QTabBar::tab:focus {{ color: {theme.accent}; }}
    """
