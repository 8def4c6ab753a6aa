"""Help: keys and mouse, glossary, measures, About; and diagnostics, to be copied into a bug report."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QEvent, QLocale, Qt, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QListWidget, QPlainTextEdit, QVBoxLayout, QWidget

from posenc_gui import __version__
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.state.action import MENUS, Action
from posenc_gui.app.state.log import last_errors
from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.widgets.controls import (
    LineField,
    add_to,
    elided_label,
    in_row,
    plain_label,
    push_button,
    scrolling_column,
)
from posenc_gui.app.widgets.dialogs import HIGHEST, PassingDialog, TextPage
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import GAP, PADDING, SMALL, TIGHT

_ABOUT = (
    f"Positional encodings, an explorer. Version {__version__}.\n\n"
    "Unless you open a trained model, attention and all that follows from it come from a toy model with seeded weights: it "
    "shows what an encoding does, not what a trained model has learned.\n\n"
    "Built with Qt for Python (LGPL 3), pyqtgraph, PyTorch and Matplotlib."
)
_SIZE = 720, 520  # pixels
_SIZE_OF_KEYS = 860, HIGHEST  # pixels
_HEADING = 2  # rows that a group's title takes
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_EDITS = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Shift, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)
_SIGNS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "-": "−", "Return": "Enter"}
_PARTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # keys that no menu has, by where they act
    "Words": {"Choose a word": ("Left", "Right"), "Move it, or drag it": ("Alt+Left", "Alt+Right")},
    "In a plot": {
        "Move the crosshair": ("Left", "Right", "Up", "Down"),
        "Token under it in focus, or click": ("Return",),
        "Crosshair away": ("Esc",),
        "Zoom, or the wheel": ("+", "-"),
        "Move a map, or drag it": ("Shift+Left", "Shift+Right"),
        "Show everything, or double-click": ("0",),
        "More pictures, or the wheel": ("PgUp", "PgDown"),
        "Read as a table": ("T",),
        "Copy picture": ("Ctrl+C",),
    },
    "In Present": {
        "Step, or a clicker": ("Left", "Right"),
        "First and last": ("Home", "End"),
        "Add a bookmark": ("Ctrl+D",),
        "Speaker's window, a larger note": ("S", "N"),
        "Go to a bookmark": ("G",),
        "Black or white screen": ("B", "W"),
        "All its keys": ("?",),
        "End": ("Esc", "Ctrl+W"),
    },
    "Everywhere": {
        "Next control, control before": ("Tab", "Shift+Tab"),
        "Back from a plot with all the room": ("Esc",),
    },
}
_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "torch", "numpy", "pydantic", "tokenizers", "matplotlib")
_MOST_ERRORS = 5
_MOUSE = (
    "Drag a card by its title to move or float it; cards that share a place are tabs in its header. A double-click on a "
    "plot's title gives it the room of all plots. A map of a long text shows blocks: press one to see what is in it. Over "
    "form fields the wheel only scrolls; where a plot scrolls, Ctrl with the wheel zooms."
)


class Help:
    """Opens help in windows of their own."""

    def __init__(self, window: QWidget, actions: Callable[[], Iterable[Action]]) -> None:
        self._window, self._actions = window, actions

    def show_keys(self) -> None:
        """Show all shortcuts, and how to use the mouse."""
        KeysPage(self._actions(), self._window).show()

    def show_measures(self) -> None:
        """Show each measure, and the definitions of the requirements."""
        from posenc_gui.measures import measures
        from posenc_gui.measures.base import SIGNATURE
        from posenc_gui.measures.requirements import definitions

        required = {
            one.title: f"{one.definition}\n\nA requirement that is not defined is not met."
            for one in definitions().values()
        }
        asked = {one.title: one.summary for one in measures().values()}
        Pages("Measures and requirements", required | {"Signatures": SIGNATURE} | asked, self._window).show()

    def show_glossary(self) -> None:
        """Show the terms of the field with their definitions."""
        Pages("Glossary", GLOSSARY, self._window).show()

    def show_about(self) -> None:
        """Show the version and the libraries used."""
        TextPage("About", _ABOUT, self._window).show()


class Pages(PassingDialog):
    """A list of titles beside the text of the selected one, in a non-modal window."""

    def __init__(self, title: str, entries: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(title, parent)
        titles = QListWidget()
        titles.setAccessibleName(title)
        titles.addItems(list(entries))
        area, column = scrolling_column("Definition")
        heading, text = plain_label("", "cardTitle"), plain_label()
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        add_to(column, heading, text, None)
        line = QHBoxLayout()
        line.setSpacing(scaled(PADDING))
        line.addWidget(titles, 2)
        line.addWidget(area, 3)
        self.body.addLayout(line, 1)
        self.fit(*_SIZE)

        def show(name: str) -> None:
            heading.setText(name)
            text.setText(entries[name])
            titles.setAccessibleDescription(entries[name])  # heard without leaving the list

        titles.currentTextChanged.connect(show)
        titles.setCurrentRow(0)


@dataclass(frozen=True)
class Keyed:
    """What some keys do, and the keys, any of which does it."""

    words: str
    keys: tuple[str, ...]

    def is_found_by(self, typed: str) -> bool:
        """True if it holds the typed words, or has the typed or pressed key."""
        typed = typed.strip().casefold()
        return typed in self.words.casefold() or typed in [key.casefold() for key in self.keys]


class KeysPage(PassingDialog):
    """All keys in two columns of groups, with a field that finds one."""

    def __init__(self, actions: Iterable[Action], parent: QWidget) -> None:
        super().__init__("Keys and mouse", parent)
        self._field = _KeyField()
        self._field.textChanged.connect(self._find)
        self._nothing = plain_label("", "muted")
        self._nothing.hide()
        area, body = scrolling_column("Keys")
        columns = QHBoxLayout()
        columns.setSpacing(2 * GAP)
        add_to(body, columns, plain_label(_MOUSE, "muted"), None)
        self._groups: list[tuple[QWidget, list[tuple[Keyed, QWidget]]]] = []
        for half in _halves(dict(_groups(actions))):
            column = QVBoxLayout()
            columns.addLayout(column, 1)
            for title, rows in half.items():
                column.addWidget(self._group(title, rows))
            column.addStretch(1)
        add_to(self.body, self._field, self._nothing, area, grows=area)
        self.fit(*_SIZE_OF_KEYS)

    def _group(self, title: str, rows: list[Keyed]) -> QWidget:
        group = QWidget()
        lines = QVBoxLayout(group)
        lines.setContentsMargins(0, 0, 0, SMALL)
        lines.setSpacing(2)
        lines.addWidget(plain_label(title, "cardTitle"))
        made = [(row, _line(row)) for row in rows]
        for _, line in made:
            lines.addWidget(line)
        self._groups.append((group, made))
        return group

    def _find(self, typed: str) -> None:
        """Leave the rows that hold what is typed, or that have the pressed key."""
        found = False
        for group, rows in self._groups:
            fitting = [row.is_found_by(typed) for row, _ in rows]
            for (_, line), fits in zip(rows, fitting, strict=True):
                line.setVisible(fits)
            group.setVisible(any(fitting))
            found = found or any(fitting)
        self._nothing.setText("" if found else f"Nothing is called {typed} or has this key.")
        self._nothing.setVisible(not found)


class _KeyField(LineField):
    """A search field that takes a pressed key as what is searched; letters are typed."""

    def __init__(self) -> None:
        super().__init__(placeholderText="Find a key, or press one", clearButtonEnabled=True)
        self.setAccessibleName("Find a key, or press one")

    def event(self, event: QEvent) -> bool:
        """Keep the window's shortcuts from running."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Search a key with Ctrl or Alt, or one that types nothing; Escape clears the field, and then closes the page."""
        key = Qt.Key(event.key())
        is_typed = bool(event.text()) and event.text().isprintable() and not event.modifiers() & _HELD
        if key == Qt.Key.Key_Escape and not self.text():
            event.ignore()
        elif key == Qt.Key.Key_Escape:
            self.clear()
        elif is_typed or key in _EDITS:
            super().keyPressEvent(event)
        elif key not in _MODIFIERS:
            held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            self.setText(_native(QKeySequence(held.value | key.value)))
            self.selectAll()


def _groups(actions: Iterable[Action]) -> Iterator[tuple[str, list[Keyed]]]:
    """Yield the actions with keys by menu, then the keys that no menu has."""
    keyed = sorted(filter(_keys_of, actions), key=lambda action: MENUS.index(action.menu[0]))
    for menu, its in groupby(keyed, key=lambda action: action.menu[0]):
        yield menu.replace("&", ""), [Keyed(one.words, _keys_of(one)) for one in its]
    for title, rows_of in _PARTS.items():
        rows = [Keyed(words, tuple(_native(QKeySequence(key)) for key in keys)) for words, keys in rows_of.items()]
        yield title, rows


def _halves(groups: Mapping[str, list[Keyed]]) -> tuple[dict[str, list[Keyed]], dict[str, list[Keyed]]]:
    """Put each group into the column that is shorter so far."""
    columns: tuple[dict[str, list[Keyed]], dict[str, list[Keyed]]] = ({}, {})
    for title, rows in groups.items():
        min(columns, key=lambda column: sum(len(above) + _HEADING for above in column.values()))[title] = rows
    return columns


def _line(row: Keyed) -> QWidget:
    """Return a row: what the keys do at the left, their caps at the right."""
    line = QWidget()
    line.setAccessibleName(f"{' or '.join(row.keys)}: {row.words}")
    across = in_row(of=line, gap=TIGHT)
    across.addWidget(plain_label(row.words), 1)
    for key in row.keys:
        if key != row.keys[0]:
            across.addWidget(plain_label("or" if "+" in key[:-1] else "", "muted", wraps=False))
        for cap in _caps(key):
            label = plain_label(cap, "cap", wraps=False)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setMinimumWidth(scaled(22))
            across.addWidget(label)
    return line


def _keys_of(action: Action) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_native, action.shortcuts[:2]))))


def _native(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)


def _caps(keys: str) -> list[str]:
    """Return the single keys of a shortcut; its last may be “+” itself."""
    held, last = (keys[:-1], "+") if keys.endswith("+") else (keys.rpartition("+")[0], keys.rpartition("+")[2])
    return [_SIGNS.get(key, key) for key in (*filter(None, held.split("+")), last)]


def report(memory: Memory, settings: Settings, session: str | None) -> str:
    """Return a bug report as plain text; of the user's data it contains only the session, if one is given.

    session: its file's text; None leaves out the messages of errors, too, since they may quote it.
    """
    errors = last_errors(memory.folder_path, _MOST_ERRORS, with_words=session is not None)
    parts = ["\n".join(_surroundings(memory, settings)), "The last errors:" if errors else "No errors are in the log."]
    parts += errors
    if session is not None:
        parts.append(f"The session:\n{session}")
    return _without_home("\n\n".join(parts))


class DiagnosticsWindow(PassingDialog):
    """The report in a window of its own, to be copied or saved."""

    def __init__(
        self,
        memory: Memory,
        settings: Settings,
        dialogs: FileDialogs,
        session: Callable[[], str | None],
        parent: QWidget,
    ) -> None:
        super().__init__("Diagnostics", parent)
        self._memory, self._settings, self._dialogs, self._session = memory, settings, dialogs, session
        self._text = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        self._text.setAccessibleName("Diagnostics")
        self._text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._with_session = QCheckBox("Include the sentence, the session and error messages, which may quote them")
        self._with_session.toggled.connect(self._show_report)
        self._told = elided_label("muted")
        save, close, copy = push_button("&Save …"), push_button("Close"), push_button("&Copy", accent=True)
        for button, run in ((copy, self._copy), (save, self._ask_and_save), (close, self.close)):
            button.clicked.connect(run)
        self.body.addWidget(self._text, 1)
        self.body.addWidget(self._with_session)
        self.add_foot((save, self._told), (close, copy))
        self.fit(*_SIZE)
        self._show_report()
        copy.setFocus()

    def _show_report(self) -> None:
        session = (self._session() or "No session is loaded.") if self._with_session.isChecked() else None
        self._text.setPlainText(report(self._memory, self._settings, session))
        self._told.setText("")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())
        self._told.setText("Copied.")

    def _ask_and_save(self) -> None:
        path = self._dialogs.to_save(self, "Save the diagnostics", "posenc-gui-diagnostics.txt", "Text (*.txt)")
        if path is None:
            return
        try:
            atomic.write(path, f"{self._text.toPlainText()}\n".encode())
            self._told.setText(f"Saved {path}.")
        except OSError as error:
            self._told.setText(f"Not saved: {describe_file_error(error)}")


def _surroundings(memory: Memory, settings: Settings) -> Iterator[str]:
    yield f"posenc-gui {__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield f"Qt {qVersion()}, {', '.join(f'{name} {_version(name)}' for name in _PACKAGES)}"
    yield f"platform {QGuiApplication.platformName()}, language {QLocale().name()}, theme {settings.theme}"
    for number, screen in enumerate(QGuiApplication.screens(), 1):
        size, ratio = screen.size(), screen.devicePixelRatio()
        dpi = screen.logicalDotsPerInch()
        yield f"screen {number}: {size.width()} × {size.height()}, scaled by {ratio:g}, {dpi:.0f} dots per inch"
    yield f"device {settings.device}, {os.cpu_count()} processor cores"
    unkept = "" if os.access(memory.folder_path, os.W_OK) else ", not writable"
    yield f"settings in {memory.folder_path}{unkept}"


def _version(package: str) -> str:
    from importlib import metadata  # takes a moment, which menus needn't wait for

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _without_home(text: str) -> str:
    """Replace the home folder by ~, since its name is usually the user's."""
    home = str(Path.home())
    for form in {home, os.path.realpath(home), Path(home).as_posix(), home.replace("\\", "\\\\")}:
        if len(form) > 1:
            text = text.replace(form, "~")
    return text
