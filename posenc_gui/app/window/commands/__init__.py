"""The window's actions: what its menus hold and its keys do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from PySide6.QtGui import QKeySequence

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import Name
from posenc_gui.app.documents.earlier_sessions import Earlier
from posenc_gui.app.documents.recent_files import Recent
from posenc_gui.app.state.action import DEVICE, EDIT, FILE, HELP, PLOTS, VIEW, Action
from posenc_gui.app.state.preferences import Habits
from posenc_gui.app.widgets.style_sheet import SCALES, Choice
from posenc_gui.app.window.help import Help

if TYPE_CHECKING:  # heavy: there only once the window has painted
    from posenc_gui.app.window.composition import Loaded
    from posenc_gui.models.presets import Preset

ARRANGEMENTS: dict[Name, str] = {"explore": "Explore", "compare": "Compare", "lab": "Lab"}
_OPENS, _SAVES = (
    "A session, an exported figure, a model's config.json or a lab.",
    "The session and its bookmarks, to their file.",
)
_ROTATION = "The rotation, as a block of a model's config.json."
_EXPORTS = "The plot in front, to a file: a picture, a slide, numbers, a film."
_READS = "The words of a file in UTF-8, in the place of the sentence."
_UNDOES, _REDOES = "Take the last step back.", "Do the step again that was taken back."
_THEMES: dict[Choice, str] = {"system": "Follow the system", "light": "Light", "dark": "Dark"}


def of_session(loaded: Callable[[], Loaded | None], recent: Recent, earlier: Earlier) -> Iterator[Action]:
    """What is done with the session; until everything is loaded it is only shown."""

    def on(run: Callable[[Loaded], object]) -> Callable[[], object]:
        return lambda: run(found) if (found := loaded()) else None

    def undone() -> str:
        return found.store.undo_name if (found := loaded()) else ""

    def redone() -> str:
        return found.store.redo_name if (found := loaded()) else ""

    def open_recent(path: Path) -> None:
        if found := loaded():
            found.documents.open_recent(path)

    def open_earlier(path: Path) -> None:
        if found := loaded():
            found.documents.open_earlier(path)

    there, keys, file, edit = partial(_there, loaded), QKeySequence.StandardKey, (FILE,), (EDIT,)
    yield Action("new", "&New session", file, on(lambda to: to.documents.new()), keys.New, there)
    ask = on(lambda to: to.documents.ask_and_open())
    yield Action("open", "&Open …", file, ask, keys.Open, there, icon="open", summary=_OPENS)
    ask_text = on(lambda to: to.documents.ask_and_open_text())
    yield Action("open_text", "Open &text …", file, ask_text, "Ctrl+Shift+O", there, summary=_READS)
    yield from recent.actions(open_recent, there)
    yield from earlier.actions(open_earlier)
    save = on(lambda to: to.documents.save())
    yield Action("save", "&Save", file, save, keys.Save, there, icon="save", summary=_SAVES)
    yield Action("save_as", "Save &as …", file, on(lambda to: to.documents.ask_and_save()), "Ctrl+Shift+S", there)
    with_cards = "Save with the arrangement of &cards …"
    yield Action("save_cards", with_cards, file, on(lambda to: to.documents.ask_and_save(with_cards=True)), "", there)
    front = on(lambda to: to.outlet.export_front())
    yield Action("export", "&Export …", file, front, "Ctrl+E", there, apart=True, icon="export", summary=_EXPORTS)
    yield Action(
        "export_sight", "Export all &plots in sight …", file, on(lambda to: to.outlet.export_sight()), "", there
    )
    yield Action("export_talk", "Export the &bookmarks …", file, on(lambda to: to.outlet.export_talk()), "", there)
    yield Action("export_film", "Export as it &moves …", file, on(lambda to: to.outlet.export_film()), "", there)
    undo, redo = on(lambda to: to.store.undo()), on(lambda to: to.store.redo())
    can_undo, can_redo = lambda: bool(undone()), lambda: bool(redone())
    yield Action("undo", "&Undo", edit, undo, keys.Undo, can_undo, undone, icon="undo", summary=_UNDOES)
    yield Action("redo", "&Redo", edit, redo, keys.Redo, can_redo, redone, icon="redo", summary=_REDOES)
    yield Action("history", "&History …", edit, on(lambda to: to.history.bring()), "Ctrl+H", there)
    back = "&Back to the session as it was opened"
    yield Action("revert", back, edit, on(lambda to: to.documents.revert()), "Ctrl+Shift+R", there, apart=True)
    go = "&Go to token …"
    yield Action("go_to_token", go, edit, on(lambda to: to.workbench.tokens.ask_to_go()), "Ctrl+G", there, apart=True)
    copy, paste = "&Copy as share string", "&Paste a share string"
    yield Action("copy_share", copy, edit, on(lambda to: to.documents.copy_share()), "Ctrl+Shift+C", there, apart=True)
    rotation = on(lambda to: to.documents.copy_rotation())
    can_copy = lambda: (found := loaded()) is not None and found.documents.has_rotation  # noqa: E731
    yield Action("copy_rotation", "Copy as &rope_parameters", edit, rotation, "", can_copy, summary=_ROTATION)
    yield Action("paste_share", paste, edit, on(lambda to: to.documents.paste_share()), "Ctrl+Shift+V", there)


def keys_of(name: Name) -> str:
    """The keys that bring an arrangement."""
    return f"Ctrl+{list(ARRANGEMENTS).index(name) + 1}"


def of_arrangements(
    loaded: Callable[[], Loaded | None], arranger: Arranger, go: Callable[[Name], object]
) -> Iterator[Action]:
    """The arrangements, which the bar has, too."""

    def is_there(name: Name) -> bool:
        return arranger.at == name

    can = partial(_there, loaded)
    for name, title in ARRANGEMENTS.items():
        run, there = partial(go, name), partial(is_there, name)
        yield Action(f"go.{name}", f"&{title}", (VIEW,), run, keys_of(name), can, checked=there, exclusive=True)


def of_keyboard(
    find: Callable[[], object], open_menus: Callable[[], object], step_part: Callable[[bool], object]
) -> Iterator[Action]:
    """What leads the keyboard to the bar, and from part to part."""
    yield Action("find", "&Find anything", (EDIT,), find, "Ctrl+K", apart=True)
    yield Action("menus", "Men&us", (VIEW,), open_menus, "F10")
    yield Action("next_part", "Keyboard to the &next part", (VIEW,), partial(step_part, True), "F6")
    yield Action("previous_part", "Keyboard to the part &before", (VIEW,), partial(step_part, False), "Shift+F6")


def of_window(
    cards: dict[str, Card],
    habits: Habits,
    arranger: Arranger,
    arrange: Callable[[Callable[[], None]], None],
    show_menu_bar: Callable[[bool], object],
    close: Callable[[], object],
) -> Iterator[Action]:
    """What is done with the window itself."""

    def has_theme(choice: Choice) -> bool:
        return habits.settings.theme == choice

    def has_menu_bar() -> bool:
        return habits.settings.menu_bar

    yield Action("quit", "&Quit", (FILE,), close, "Ctrl+Q", apart=True)
    for name, card in cards.items():
        if not name.startswith("plot.") and name != "lab":
            yield _of_card(card, (VIEW, "Pa&nels"))
    for choice, title in _THEMES.items():
        choose, chosen = partial(habits.choose_theme, choice), partial(has_theme, choice)
        yield Action(f"theme.{choice}", title, (VIEW, "&Theme"), choose, checked=chosen, exclusive=True)
    if sys.platform != "darwin":
        shown = "&Menu bar"
        yield Action("menu_bar", shown, (VIEW,), lambda: show_menu_bar(not has_menu_bar()), checked=has_menu_bar)
    yield from _of_type(habits)
    back = "&Back to my arrangement"
    own, first = partial(arrange, arranger.go_back), partial(arrange, arranger.reset)
    yield Action("own_arrangement", back, (VIEW,), own, enabled=lambda: not arranger.is_own, apart=True)
    yield Action("reset_arrangement", "&Reset the arrangement", (VIEW,), first)


def of_talks(loaded: Callable[[], Loaded | None], present: Callable[[], object]) -> Iterator[Action]:
    """What is done with bookmarks."""

    def on(run: Callable[[Loaded], object]) -> Callable[[], object]:
        return lambda: run(found) if (found := loaded()) else None

    there = partial(_there, loaded)
    yield Action("present", "&Present", (VIEW,), present, ("F11", "Ctrl+4"), there, apart=True)
    yield Action("bookmark", "Add a &bookmark", (VIEW,), on(lambda to: to.shelf.add()), "Ctrl+D", there)
    yield Action("bookmarks", "Book&marks …", (VIEW,), on(lambda to: to.shelf.list.bring()), "Ctrl+B", there)


def _of_type(habits: Habits) -> Iterator[Action]:
    """How large type is."""

    def size() -> float:
        return habits.settings.scale

    def larger() -> float:
        return min((scale for scale in SCALES if scale > size()), default=size())

    def smaller() -> float:
        return max((scale for scale in SCALES if scale < size()), default=size())

    def choose(of: Callable[[], float]) -> tuple[Callable[[], None], Callable[[], bool]]:
        return lambda: habits.choose_scale(of()), lambda: of() != size()

    (grow, may_grow), (shrink, may_shrink), (go_back, may_go_back) = map(choose, (larger, smaller, lambda: 1.0))
    yield Action("larger", "Larger t&ype", (VIEW,), grow, ("Ctrl++", "Ctrl+="), may_grow, apart=True)
    yield Action("smaller", "&Smaller type", (VIEW,), shrink, "Ctrl+-", may_shrink)
    yield Action("type", "Type as it &was", (VIEW,), go_back, "Ctrl+0", may_go_back)


def of_help(pages: Help, loaded: Callable[[], Loaded | None], diagnose: Callable[[], object]) -> Iterator[Action]:
    """What explains."""
    yield Action("keys", "&Keys and mouse", (HELP,), pages.show_keys)
    yield Action(
        "glossary", "&Glossary", (HELP,), pages.show_glossary, summary="The words of the field, each in a sentence."
    )
    there = partial(_there, loaded)  # what is measured is known only then
    yield Action("measures", "&Measures and requirements", (HELP,), pages.show_measures, enabled=there)
    yield Action("diagnostics", "&Diagnostics …", (HELP,), diagnose, apart=True)
    yield Action("about", "&About", (HELP,), pages.show_about)


def of_plots(cards: dict[str, Card], show_all: Callable[[], object]) -> Iterator[Action]:
    """The plots in their groups, which are known only when everything is loaded; a group may be empty."""
    from posenc_gui.plots import plots
    from posenc_gui.plots.base import Group

    yield Action("plots", "&All plots", (PLOTS,), show_all, "Ctrl+P")
    for group in get_args(Group):
        for name, plot in plots().items():
            if plot.group == group:
                yield _of_card(cards[f"plot.{name}"], (PLOTS, group), plot.summary)


def of_models(choose: Callable[[Preset, str], object]) -> Iterator[Action]:
    """The published models by their encodings, which are known only when everything is loaded."""
    from posenc_gui.models.presets import catalogue

    for preset in catalogue().values():
        menu = (FILE, "&Model", preset.encoding.title)
        summary = f"{preset.summary}. {preset.remark}".rstrip()
        yield Action(f"model.{preset.name}", preset.title, menu, partial(choose, preset, preset.title), summary=summary)


def of_devices(devices: dict[str, str], habits: Habits, choose: Callable[[str], None]) -> Iterator[Action]:
    """The devices that are there."""

    def at_hand(name: str) -> bool:
        return habits.device_of(devices) == name

    for name, title in devices.items():
        chosen = partial(at_hand, name)
        yield Action(f"device.{name}", title, (DEVICE,), partial(choose, name), checked=chosen, exclusive=True)


def _there(loaded: Callable[[], Loaded | None]) -> bool:
    return loaded() is not None


def _of_card(card: Card, menu: tuple[str, ...], summary: str = "") -> Action:
    """Shows a card; one that is open stays so."""
    is_open = card.toggleViewAction().isChecked
    return Action(f"card.{card.objectName()}", card.windowTitle(), menu, card.bring, checked=is_open, summary=summary)
