"""Actions as data: what a user can do, from which menus, keys and the help's list of keys follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QKeySequence

# The menus that the window has, from left to right.
MENUS = FILE, EDIT, PLOTS, VIEW, LABS, DEVICE, HELP = ("&File", "&Edit", "&Plots", "&View", "&Labs", "&Device", "&Help")

Keys = QKeySequence.StandardKey | str | tuple[str, ...]


def _always() -> bool:
    return True


def _unsaid() -> str:
    return ""


@dataclass(frozen=True)
class Action:
    """One thing that a user can do in the window."""

    name: str  # unique
    title: str  # as in the menu; & marks the mnemonic
    menu: tuple[str, ...]  # the path of menu titles, from the menu bar down
    run: Callable[[], object]
    keys: Keys = ""
    enabled: Callable[[], bool] = _always
    step: Callable[[], str] = _unsaid  # what it would do now, appended to the title
    shown: Callable[[], bool] = _always  # true while it is in its menu
    checked: Callable[[], bool] | None = None  # true while it is on; None if it can't be
    exclusive: bool = False  # true if it is a radio item of its menu
    apart: bool = False  # true if a separator precedes it
    icon: str = ""
    summary: str = ""  # the tooltip, one sentence
    inside: bool = False  # true if its keys act only in what has the keyboard, which reads them itself

    @property
    def varies(self) -> bool:
        """True if its entry can change: what it would do, and whether it is enabled, shown or on."""
        return (self.step, self.enabled, self.shown, self.checked) != (_unsaid, _always, _always, None)

    @property
    def words(self) -> str:
        """The title without mnemonic and ellipsis."""
        return self.title.replace("&", "").removesuffix(" …")

    @property
    def shortcuts(self) -> list[QKeySequence]:
        """The keys that run it; menus and help name the first."""
        keys = self.keys if isinstance(self.keys, tuple) else (self.keys,)
        return [QKeySequence(one) for one in keys if one]


def note(
    name: str, title: str, menu: tuple[str, ...], shown: Callable[[], bool], step: Callable[[], str] = _unsaid
) -> Action:
    """Return an entry that only says something, while it is shown."""
    return Action(name, title, menu, lambda: None, enabled=lambda: False, shown=shown, step=step)


def file_actions(
    name: str,
    menu: tuple[str, ...],
    most: int,
    paths: Callable[[], Sequence[Path]],
    words: Callable[[Path], str],
    open_one: Callable[[Path], object],
    enabled: Callable[[], bool] = _always,
) -> Iterator[Action]:
    """Return menu entries for up to `most` files, whose list may change; digits choose the first ten."""

    def action(place: int) -> Action:
        def is_there() -> bool:
            return place < len(paths())

        def told() -> str:
            return words(paths()[place]) if is_there() else ""

        def run() -> None:
            open_one(paths()[place])

        digits = str(place + 1)
        title = f"{digits[:-1]}&{digits[-1]}"
        return Action(f"{name}.{place}", title, menu, run, enabled=enabled, step=told, shown=is_there)

    return map(action, range(most))
