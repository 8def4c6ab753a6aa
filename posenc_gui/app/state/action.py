"""Actions as data: what a user can do, from which menus, keys and the help's list of keys follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtGui import QKeySequence

# The menus that the window has, from left to right.
MENUS = FILE, EDIT, PLOTS, VIEW, LABS, DEVICE, HELP = (
    "&File",
    "&Edit",
    "&Plots",
    "&View",
    "&Labs",
    "&Device",
    "&Help",
)


@dataclass(frozen=True)
class Action:
    """One thing that a user can do in the window."""

    name: str  # no two have the same
    title: str  # as its menu shows it; & stands before the letter that chooses it there
    menu: tuple[str, ...]  # in which it stands: the titles from the menu bar down
    run: Callable[[], object]
    keys: QKeySequence.StandardKey | str | tuple[str, ...] = ""
    enabled: Callable[[], bool] = lambda: True
    step: Callable[[], str] = lambda: ""  # what it would do just now, in words that follow the title
    shown: Callable[[], bool] = lambda: True  # whether it stands in its menu just now
    checked: Callable[[], bool] | None = None  # whether it is on, where it can be on and off
    exclusive: bool = False  # whether it is on alone of all in its menu
    apart: bool = False  # whether a line parts it from what stands above it
    icon: str = ""
    summary: str = ""  # one sentence, shown where the mouse rests on it

    @property
    def words(self) -> str:
        """The title without the signs that only a menu needs."""
        return self.title.replace("&", "").removesuffix(" …")

    @property
    def shortcuts(self) -> list[QKeySequence]:
        """The keys that run it, those to be told first; none where there are none."""
        keys = self.keys if isinstance(self.keys, tuple) else (self.keys,)
        return [QKeySequence(one) for one in keys if one]


def numbered(
    name: str,
    menu: tuple[str, ...],
    most: int,
    paths: Callable[[], Sequence[Path]],
    words: Callable[[Path], str],
    open_one: Callable[[Path], object],
    enabled: Callable[[], bool] = lambda: True,
) -> Iterator[Action]:
    """What opens each of at most so many files, as their list is just then; a digit chooses one of the first ten."""

    def is_there(place: int) -> bool:
        return place < len(paths())

    def told(place: int) -> str:
        return words(paths()[place]) if is_there(place) else ""

    def run(place: int) -> None:
        open_one(paths()[place])

    for place in range(most):
        title = f"{place + 1}"
        title = f"{title[:-1]}&{title[-1]}"
        of = partial(told, place), partial(is_there, place)
        yield Action(f"{name}.{place}", title, menu, partial(run, place), enabled=enabled, step=of[0], shown=of[1])
