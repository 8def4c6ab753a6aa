"""The View menu: arrangements, panels, theme and text size, Present and bookmarks, and the keyboard."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.card_header import ROOM_KEY
from posenc_gui.app.docks.layouts import ARRANGEMENTS, shortcut_of
from posenc_gui.app.state.action import VIEW, Action
from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.state.settings import ArrangementName
from posenc_gui.app.widgets.style_sheet import SCALES, Choice
from posenc_gui.app.window.commands import WhenLoaded, show_card

if TYPE_CHECKING:
    from posenc_gui.app.window.navigation import Navigation

_THEMES: dict[Choice, str] = {"system": "Follow the system", "light": "Light", "dark": "Dark"}


def actions(
    loaded: WhenLoaded,
    cards: dict[str, Card],
    arranger: Arranger,
    navigation: Navigation,
    preferences: Preferences,
    show_menu_bar: Callable[[bool], object],
) -> Iterator[Action]:
    """Yield the whole menu, from top to bottom."""
    yield from _arrangements(loaded, arranger, navigation.go)
    for name, card in cards.items():
        if not name.startswith("plot.") and name != "lab":
            yield show_card(card, (VIEW, "Pa&nels"), card.bring)
    yield from _themes(preferences)
    if sys.platform != "darwin":
        yield _menu_bar(preferences, show_menu_bar)
    yield _reduce_motion(preferences)
    yield Action(
        "demonstrate", "Pla&y what position does", (VIEW,), loaded.run(lambda it: it.first_start.play()),
        enabled=lambda: bool((it := loaded.found()) and it.first_start.can_play),
        summary="Two words change places and back; then position comes in by degrees",
    )  # fmt: skip
    yield from _text_sizes(preferences)
    own, first = partial(navigation.arrange, arranger.go_back), partial(navigation.arrange, arranger.reset)
    back = "&Back to my layout"
    yield Action("own_arrangement", back, (VIEW,), own, enabled=lambda: not arranger.is_own, apart=True)
    yield Action("reset_arrangement", "&Reset layout", (VIEW,), first)

    def is_maximised() -> bool:
        return arranger.maximised is not None

    yield Action(
        "maximise", "Max&imise plot", (VIEW,), navigation.maximise_or_restore, ROOM_KEY, inside=True,
        enabled=navigation.can_maximise_or_restore, checked=is_maximised,
    )  # fmt: skip
    yield from _talk(loaded, navigation)
    yield Action("menus", "Open men&us", (VIEW,), navigation.open_menus, "F10")
    yield Action("next_part", "&Focus next pane", (VIEW,), partial(navigation.step_pane, True), "F6")
    before = partial(navigation.step_pane, False)
    yield Action("previous_part", "Focus pre&vious pane", (VIEW,), before, "Shift+F6")


def _arrangements(loaded: WhenLoaded, arranger: Arranger, go: Callable[[ArrangementName], object]) -> Iterator[Action]:
    """Yield the arrangements, which the toolbar has, too."""

    def is_at(name: ArrangementName) -> bool:
        return arranger.at == name

    for name, title in ARRANGEMENTS.items():
        run, checked = partial(go, name), partial(is_at, name)
        keys, can = shortcut_of(name), loaded.is_there
        yield Action(f"go.{name}", f"&{title}", (VIEW,), run, keys, can, checked=checked, exclusive=True)


def _themes(preferences: Preferences) -> Iterator[Action]:
    def is_chosen(choice: Choice) -> bool:
        return preferences.settings.theme == choice

    for choice, title in _THEMES.items():
        choose, checked = partial(preferences.choose_theme, choice), partial(is_chosen, choice)
        yield Action(f"theme.{choice}", title, (VIEW, "&Theme"), choose, checked=checked, exclusive=True)


def _menu_bar(preferences: Preferences, show: Callable[[bool], object]) -> Action:
    def is_shown() -> bool:
        return preferences.settings.menu_bar

    def switch() -> None:
        preferences.keep(menu_bar=not is_shown())
        show(is_shown())

    return Action("menu_bar", "&Menu bar", (VIEW,), switch, checked=is_shown)


def _reduce_motion(preferences: Preferences) -> Action:
    def is_chosen() -> bool:
        return preferences.settings.reduce_motion

    def switch() -> None:
        preferences.keep(reduce_motion=not is_chosen())

    return Action("reduce_motion", "Re&duce motion", (VIEW,), switch, checked=is_chosen)


def _text_sizes(preferences: Preferences) -> Iterator[Action]:
    def size() -> float:
        return preferences.settings.scale

    def larger() -> float:
        return min((scale for scale in SCALES if scale > size()), default=size())

    def smaller() -> float:
        return max((scale for scale in SCALES if scale < size()), default=size())

    def choose(of: Callable[[], float]) -> tuple[Callable[[], None], Callable[[], bool]]:
        return lambda: preferences.choose_scale(of()), lambda: of() != size()

    (grow, may_grow), (shrink, may_shrink), (go_back, may_go_back) = map(choose, (larger, smaller, lambda: 1.0))
    yield Action("larger", "Lar&ger text", (VIEW,), grow, ("Ctrl++", "Ctrl+="), may_grow, apart=True)
    yield Action("smaller", "&Smaller text", (VIEW,), shrink, "Ctrl+-", may_shrink)
    yield Action("type", "Reset te&xt size", (VIEW,), go_back, "Ctrl+0", may_go_back)


def _talk(loaded: WhenLoaded, navigation: Navigation) -> Iterator[Action]:
    """Yield Present, and the actions for the bookmarks that it shows."""
    run, there = loaded.run, loaded.is_there
    yield Action("present", "&Present", (VIEW,), navigation.present, ("F11", "F5", "Ctrl+4"), there, apart=True)
    yield Action("resume", "Resume presenting", (VIEW,), navigation.resume_presenting, "Shift+F5", there)
    yield Action("bookmark", "&Add bookmark", (VIEW,), run(lambda to: to.bookmark_commands.add()), "Ctrl+D", there)
    yield Action(
        "bookmarks", "B&ookmarks …", (VIEW,), run(lambda to: to.bookmark_commands.list.bring()), "Ctrl+B", there
    )
