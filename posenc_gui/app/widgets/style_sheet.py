"""The theme as Qt objects: palette, font and style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeGuard

from PySide6.QtCore import QDir, QObject, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QMainWindow, QMenu, QTabBar, QToolTip, QWidget

from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.contrast import ink_on, mixed, parts_of
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import (
    BLACK,
    BODY,
    CAPTION,
    CARD_CORNER,
    CORNER,
    DARK,
    FIELD,
    GAP,
    HEADLINE,
    ICON,
    LIGHT,
    PADDING,
    QUIET,
    SCROLL_BAR,
    SECTION,
    SMALL,
    TIGHT,
    Roles,
    Type,
)

Choice = Literal["system", "light", "dark"]
TAB_MARGIN = 10  # pixels on both sides of a title in a header
_FRAME = 2  # pixels around a quiet button
_OF_WINDOW = f"""
    QMainWindow::separator {{ background: palette(window); width: {GAP}px; height: {GAP}px; }}
    QMainWindow::separator:hover {{ background: palette(mid); }}
    QMainWindow > QTabBar::tab {{ width: 0; height: 0; padding: 0; border: none; }}
    QToolTip {{ color: palette(tooltip-text); background: palette(tooltip-base); border: 1px solid palette(mid);
        padding: {TIGHT}px; }}
"""  # for all themes: setting it visits every widget
SCALES = (0.75, 0.875, 1.0, 1.125, 1.25, 1.5, 1.75, 2.0)  # of type


def theme_for(choice: Choice, app: QApplication) -> Roles:
    """Return the theme for a setting; "system" follows the desktop, or is light if the desktop has no preference."""
    if choice == "system":
        return DARK if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def apply(theme: Roles, styled: QApplication | QWidget, scale: float = 1.0) -> None:
    """Apply a theme: palette and scaled font to the application, the style sheet to `styled`. A main window is dressed part
    by part, without hidden docks, which dress themselves when they are shown: Qt takes 50 µs for each widget."""
    QApplication.setFont(_font(scale))
    QApplication.setPalette(_palette(theme))
    QToolTip.setFont(font_like(QApplication.font(), CAPTION))
    THEME.sheet = _styles(theme)
    for part in _parts(styled, other_size=scale != THEME.scale) if isinstance(styled, QMainWindow) else (styled,):
        dress(part)
    THEME.use(theme, scale)


def dress(part: QApplication | QWidget) -> None:
    """Give a part of the window the style sheet of the theme in use, unless it has it."""
    if part.styleSheet() != THEME.sheet:
        part.setStyleSheet(THEME.sheet)


def is_part(child: QObject) -> TypeGuard[QWidget]:
    """True if a main window's child is to be dressed: menus and the tab bars of docks have no colours but the palette's."""
    return isinstance(child, QWidget) and not isinstance(child, QMenu | QTabBar)


def _parts(window: QMainWindow, *, other_size: bool) -> Iterator[QWidget]:
    """Yield what is to be dressed at once, after the window itself, whose own rules have the palette's colours."""
    if not window.styleSheet():
        window.setStyleSheet(_OF_WINDOW)
    window.style().unpolish(window)  # or it keeps the palette that it had
    window.style().polish(window)
    for part in {*filter(is_part, window.children()), *window.findChildren(QDialog)}:
        if not isinstance(part, QDockWidget) or (
            part.isVisible() and (other_size or not part.visibleRegion().isEmpty())
        ):
            yield part


def scaled(length: float) -> int:
    """A length of the design, scaled to the current text size, in pixels."""
    return round(length * QFontInfo(QApplication.font()).pixelSize() / BODY.size)


def font_like(font: QFont, size: Type | None = None, *, bold: bool = False) -> QFont:
    """Return a font like this one, in a size of the design or bold."""
    found = QFont(font)
    if size:
        found.setPixelSize(scaled(size.size))
    if bold:
        found.setWeight(QFont.Weight.DemiBold)
    return found


def _font(scale: float) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(round(scale * max(BODY.size, QFontInfo(font).pixelSize())))  # whoever has larger type keeps it
    font.setFeature(QFont.Tag("tnum"), 1)  # digits of one width, if the system's font has them
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


class _Pixels(NamedTuple):
    """Lengths at the current text size: beside a text, of an icon, and the heights of fields and quiet buttons without frames."""

    inside: int
    icon: int
    high: int
    quiet: int


def _styles(theme: Roles) -> str:
    QDir.setSearchPaths("icons", [str(folder() / "icons")])
    px = _Pixels(scaled(SMALL), scaled(ICON), scaled(FIELD) - 2, scaled(QUIET) - 2 * _FRAME)
    kinds = _frames(theme, px), _lists(theme, px), _boxes(theme, px), _sliders(theme), _buttons(theme, px)
    return "".join((_surfaces(theme, px), _words(theme, px), *kinds, _pictures_and_tabs(theme)))


def _surfaces(theme: Roles, px: _Pixels) -> str:
    """What lies below other things: bars, columns, pages."""
    return f"""
    #bar {{ border: none; padding: 0; }}
    #well {{ background: {theme.sunk}; border-radius: {CARD_CORNER}px; }}
    #choice {{ padding: 0 {scaled(PADDING)}px; color: {theme.muted}; background: transparent;
        border: {_FRAME}px solid transparent; min-height: {px.quiet}px; max-height: {px.quiet}px; }}
    #choice:hover {{ background: {theme.hover}; }}
    #choice:focus {{ border-color: {theme.focus}; }}
    #choice:checked {{ background: {theme.card}; color: {theme.ink}; font-weight: 600; }}
    #gallery, #paper {{ background: {theme.card}; border: 1px solid {theme.line}; border-radius: {CARD_CORNER}px; }}
    #found {{ background: {theme.card}; border: 1px solid {theme.edge}; border-radius: {CORNER}px; }}
    #column {{ background: transparent; border: none; }}
    #page {{ background: {theme.card}; }}
    #identify {{ background: {theme.window}; }}
    #foot {{ background: {theme.window}; border-top: 1px solid {theme.line}; }}
    #sunk {{ background: {theme.sunk}; color: {theme.muted}; border-radius: {CORNER}px; }}
    #hairline {{ background: {theme.line}; }}
    #find {{ text-align: left; color: {theme.muted}; }}
    QScrollArea, #scrolled {{ background: transparent; }}
    #scrolls {{ background: transparent; border: 1px solid transparent; border-radius: {CORNER}px; }}
    #scrolls:focus {{ border-color: {theme.focus}; }}
    """


def _words(theme: Roles, px: _Pixels) -> str:
    """Labels, badges and what says something in a box of its own."""
    badge = scaled(BODY.line)
    return f"""
    #cardTitle, #stepTitle {{ font-weight: 600; }}
    #labNumber {{ font-size: {scaled(HEADLINE.size)}px; color: {theme.muted}; }}
    #summary {{ color: {theme.muted}; }}
    #stepTitle {{ font-size: {scaled(HEADLINE.size)}px; }}
    #muted, #caption, #missing {{ color: {theme.muted}; font-size: {scaled(CAPTION.size)}px; }}
    #refusal {{ color: {theme.bad}; font-size: {scaled(CAPTION.size)}px; }}
    #boxed {{ background: {theme.card}; border: 1px solid {theme.line}; border-radius: {CARD_CORNER}px; padding: {px.inside}px; }}
    #cap {{ background: {theme.field}; border: 1px solid {theme.edge}; border-bottom-width: 2px; border-radius: {CORNER}px;
        padding: 1px {TIGHT}px; font-size: {scaled(CAPTION.size)}px; }}
    #cover {{ background: {theme.card}; color: {theme.muted}; border: 1px dashed {theme.edge};
        border-radius: {CARD_CORNER}px; }}
    #badgeA, #badgeB {{ border-radius: {CORNER}px; font-weight: 600; min-width: {badge}px; max-width: {badge}px;
        min-height: {badge}px; max-height: {badge}px; }}
    #badgeA {{ background: {theme.ref}; color: {theme.ink}; }}
    #badgeB {{ background: {theme.ink}; color: {theme.card}; }}
    #group {{ border-left: 2px solid {theme.line}; }}
    #banner {{ background: {theme.card}; border: 1px solid {theme.focus}; border-radius: {CARD_CORNER}px; }}
    #banner[kind="problem"] {{ border-color: {theme.bad}; }}
    """


def _frames(theme: Roles, px: _Pixels) -> str:
    """The frames of fields and buttons, and how they show that they are used, refused or disabled."""
    fields = "QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit"
    buttons = 'QPushButton, QToolButton[framed="true"]'
    framed, padded = f"{fields}, {buttons}", f"QLineEdit, QComboBox, {buttons}"
    return f"""
    {framed} {{ background: {theme.field}; border: 1px solid {theme.edge}; border-radius: {CORNER}px; }}
    QAbstractSpinBox, {padded} {{ min-height: {px.high}px; max-height: {px.high}px; }}
    {padded} {{ padding: 0 {px.inside}px; }}
    {_all(fields, ":hover")} {{ border-color: {theme.ink}; }}
    {_all(buttons, ":hover")} {{ background: {theme.hover}; border-color: {theme.ink}; }}
    {_all(framed, ":focus")} {{ border: 2px solid {theme.focus}; }}
    {_all(framed, '[refused="true"]')} {{ border: 2px solid {theme.bad}; }}
    {_all(padded, ":focus")}, {_all(padded, '[refused="true"]')} {{ padding: 0 {px.inside - 1}px; }}
    {_all(f"QAbstractSpinBox, {padded}", '[refused="true"]')} {{ min-height: {px.high - 2}px; max-height: {px.high - 2}px; }}
    {_all(framed, ":disabled")} {{ background: transparent; border-color: {theme.line};
        color: {theme.muted}; }}
    QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; background: transparent; min-height: 0; padding: 0; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ subcontrol-origin: border; width: 0; border: none; }}
    #stopped {{ min-height: {px.quiet}px; max-height: {px.quiet}px; padding: 0 {TIGHT}px; }}
    #value {{ text-align: left; min-height: {px.quiet}px; max-height: {px.quiet}px; }}
    #value:!hover:!focus {{ background: transparent; border-color: {theme.line}; }}
    """


def _lists(theme: Roles, px: _Pixels) -> str:
    """Drop-down lists."""
    return f"""
    QComboBox {{ combobox-popup: 0; }}
    QComboBox::drop-down {{ border: none; width: {px.icon + px.inside}px; }}
    QComboBox[narrow="true"] {{ padding: 0 0 0 {TIGHT}px; }}
    QComboBox[narrow="true"]::drop-down {{ width: {px.icon}px; }}
    QComboBox::down-arrow {{ image: url(icons:arrow-{_on(theme.field)}.svg); width: {px.icon}px; height: {px.icon}px; }}
    QComboBox::down-arrow:disabled {{ image: none; }}
    QComboBox QAbstractItemView {{ background: {theme.card}; border: 1px solid {theme.edge}; outline: none; color: {theme.ink};
        selection-background-color: {theme.focus}; selection-color: {theme.on_focus}; }}
    QComboBox QAbstractItemView::item {{ min-height: {px.quiet}px; padding: 0 {TIGHT}px; }}
    """


def _boxes(theme: Roles, px: _Pixels) -> str:
    """Check boxes and radio buttons."""
    boxes = "QCheckBox::indicator, QRadioButton::indicator"
    return f"""
    QCheckBox, QRadioButton {{ spacing: {px.inside}px; min-height: {px.quiet}px; border: {_FRAME}px solid transparent;
        border-radius: {CORNER}px; }}
    QGroupBox {{ border: none; margin: 0; padding: 0; }}
    QCheckBox:focus, QRadioButton:focus {{ border-color: {theme.focus}; }}
    {boxes} {{ width: {px.icon - 2}px; height: {px.icon - 2}px;
        background: {theme.field}; border: 1px solid {theme.edge}; border-radius: {CORNER}px; }}
    QRadioButton::indicator {{ border-radius: {px.icon // 2}px; }}
    {_all(boxes, ":hover")} {{ border-color: {theme.ink}; }}
    QCheckBox::indicator:checked {{ background: {theme.focus}; border-color: {theme.focus};
        image: url(icons:tick-{_on(theme.focus)}.svg); }}
    QRadioButton::indicator:checked {{ border: {px.icon // 3}px solid {theme.focus};
        width: {px.icon - 2 * (px.icon // 3)}px; height: {px.icon - 2 * (px.icon // 3)}px; }}
    {_all(boxes, ":disabled")} {{ background: transparent; border-color: {theme.line}; }}
    QCheckBox::indicator:checked:disabled {{ background: {theme.muted}; }}
    """


def _sliders(theme: Roles) -> str:
    """Sliders and scroll bars."""
    knob, groove = 2 * scaled(5), 2 * max(1, scaled(1))  # even, so that the knob's middle is the groove's
    return f"""
    QSlider {{ min-height: {knob + 4}px; }}
    QSlider::groove:horizontal {{ height: {groove}px; background: {theme.edge}; border-radius: {groove // 2}px; }}
    QSlider::handle:horizontal {{ width: {knob}px; height: {knob}px; margin: -{(knob + 4 - groove) // 2}px 0;
        background: {theme.field}; border: 2px solid {theme.ink}; border-radius: {knob // 2 + 2}px; }}
    QSlider::handle:horizontal:focus {{ background: {theme.focus}; border-color: {theme.focus}; }}
    QSlider::handle:horizontal:disabled {{ border-color: {theme.line}; }}

    QScrollBar {{ background: transparent; border: none; margin: 0; }}
    QScrollBar:vertical {{ width: {SCROLL_BAR}px; }}
    QScrollBar:horizontal {{ height: {SCROLL_BAR}px; }}
    QScrollBar::handle {{ background: {theme.edge}; border-radius: 3px; margin: 3px; min-height: {SECTION}px;
        min-width: {SECTION}px; }}
    QScrollBar::handle:hover {{ background: {theme.muted}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    """


def _buttons(theme: Roles, px: _Pixels) -> str:
    """The main action's button, quiet ones, and verdicts."""
    strong = mixed(theme.ink, theme.focus, 0.2)  # under the pointer
    return f"""
    QPushButton[accent="true"] {{ background: {theme.focus}; border: none; color: {theme.on_focus}; font-weight: 600;
        min-height: {px.high + 2}px; max-height: {px.high + 2}px; padding: 0 {px.inside + TIGHT}px; }}
    QPushButton[accent="true"]:hover {{ background: {strong}; border: none; }}
    QPushButton[accent="true"]:focus {{ border: 2px solid {theme.ink}; padding: 0 {px.inside + TIGHT - 2}px; }}
    QPushButton[accent="true"]:disabled {{ background: {theme.sunk}; color: {theme.muted}; }}

    QToolButton#unfolding, QToolButton#unfold {{ padding: 0; }}
    QToolButton#unfolding[turned="true"] {{ background: transparent; }}
    #plots:checked {{ background: {theme.ink}; border-color: {theme.ink}; color: {theme.card}; }}
    #plots:checked:focus {{ border-color: {theme.focus}; }}

    QToolButton {{ border: {_FRAME}px solid transparent; border-radius: {CORNER}px;
        min-height: {px.quiet}px; max-height: {px.quiet}px;
        padding: 0 {TIGHT}px; icon-size: {px.icon}px; }}
    #changed {{ padding: 0; min-width: {px.icon}px; icon-size: {px.icon - 2}px; border-width: 1px; }}
    QLineEdit QToolButton {{ min-height: 0; border: none; padding: 0; }}
    QToolButton:hover {{ background: {theme.hover}; }}
    QToolButton:checked, QToolButton[turned="true"] {{ background: {theme.sunk}; }}
    QToolButton:focus {{ border-color: {theme.focus}; }}
    QToolButton:disabled {{ color: {theme.muted}; }}
    QToolButton[framed="true"]:checked, QPushButton:checked {{ background: {theme.focus}; color: {theme.on_focus}; }}
    QLabel[verdict="met"]:enabled {{ color: {theme.met}; }}
    QLabel[verdict="partly"]:enabled {{ color: {theme.partly}; }}
    QLabel[verdict="not"]:enabled {{ color: {theme.bad}; }}
    QLabel[verdict="n/a"]:enabled {{ color: {theme.muted}; }}
    QToolButton#verdict {{ text-align: left; }}
    QToolButton#verdict[old="true"] {{ color: {theme.muted}; }}
    QToolButton::menu-indicator {{ image: none; }}
    """


def _pictures_and_tabs(theme: Roles) -> str:
    """Figures, the status bar and tabs."""
    return f"""
    FigureView {{ border: 2px solid transparent; }}
    QListView:focus {{ border: 2px solid {theme.focus}; border-radius: {CORNER}px; }}
    #chips:focus {{ border: none; }}
    QStatusBar {{ color: {theme.muted}; font-size: {scaled(CAPTION.size)}px; }}
    QStatusBar::item {{ border: none; }}
    QTabBar {{ qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: true; }}
    QTabBar::tab {{ padding: {TIGHT}px 12px; border: none; border-bottom: 2px solid transparent; color: {theme.muted}; }}
    #paper QTabBar::tab {{ padding: 12px; }}
    QTabBar::tab:selected {{ color: {theme.ink}; border-bottom-color: {theme.focus}; }}
    QTabBar::tab:focus {{ color: {theme.focus}; }}
    #tabs {{ qproperty-elideMode: ElideRight; qproperty-usesScrollButtons: false; }}
    #tabs::tab {{ padding: 0; margin: 0 {TAB_MARGIN}px; }}
    #tabs::tab:selected {{ font-weight: 600; border-bottom-color: transparent; }}
    #tabs::tab:hover:!selected {{ color: {theme.ink}; }}
    #tabs::tab:selected:focus {{ color: {theme.focus}; border-bottom-color: {theme.focus}; }}
    """


def _on(ground: str) -> Literal["black", "white"]:
    """Return black or white, whichever contrasts more with a background; Qt reads these icons from files."""
    return "black" if ink_on(*parts_of(ground)) == BLACK else "white"


def _all(selectors: str, state: str) -> str:
    """Return each of these selectors with that state."""
    return ", ".join(f"{selector}{state}" for selector in selectors.split(", "))
