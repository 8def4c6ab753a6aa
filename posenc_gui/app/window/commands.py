"""The window's actions by menu, from left to right: entries, keys, and when they are enabled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from PySide6.QtGui import QKeySequence

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.card_header import ROOM_KEY
from posenc_gui.app.docks.layouts import ARRANGEMENTS, shortcut_of
from posenc_gui.app.documents.listed_files import EarlierSessions, ModelsHere, RecentFiles
from posenc_gui.app.state.action import DEVICE, EDIT, FILE, HELP, LABS, PLOTS, VIEW, Action, note
from posenc_gui.app.state.settings import Preferences
from posenc_gui.app.widgets.controls import REDO
from posenc_gui.app.widgets.style_sheet import SCALES, Choice
from posenc_gui.app.window.help import Help
from posenc_gui.app.window.when_loaded import WhenLoaded

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.window.navigation import Navigation
    from posenc_gui.models.presets import Preset

T = TypeVar("T")

_OPENS = "Open a session, an exported figure, a model's config.json or a lab."
_LEARNED = "Open a model that has learned, from a folder on this computer; nothing is sent."
_SAVES = "Save the session and its bookmarks to their file."
_READS = "Replace the sentence by the text of a UTF-8 file."
_EXPORTS = "Export the plot in front: image, slide, numbers or animation."
_IDENTIFIES = "Paste or drop numbers from your own code, and see which encoding they are, in which convention."
_UNDOES, _REDOES = "Undo the last step.", "Redo the step that was undone."
_ROTATION = "Copy the rotation as a block of a model's config.json."
_THEMES: dict[Choice, str] = {"system": "Follow the system", "light": "Light", "dark": "Dark"}


def show_card(card: Card, menu: tuple[str, ...], bring: Callable[[], object], summary: str = "") -> Action:
    """Return an action that brings a card to the front by calling `bring`; it is checked while the card is open."""
    is_open = card.toggleViewAction().isChecked
    return Action(f"card.{card.objectName()}", card.windowTitle(), menu, bring, checked=is_open, summary=summary)


def file_menu(
    loaded: WhenLoaded, recent: RecentFiles, earlier: EarlierSessions, here: ModelsHere, close: Callable[[], object]
) -> Iterator[Action]:
    """Yield the actions that open, save and export a session, and Quit."""
    run, keys, action = loaded.run, QKeySequence.StandardKey, partial(loaded.action, FILE)
    yield action("new", "&New session", lambda to: to.documents.new(), keys.New)
    yield action("open", "&Open …", lambda to: to.documents.ask_and_open(), keys.Open, icon="open", summary=_OPENS)
    yield action("open_model", "Open mo&del …", lambda to: to.documents.ask_and_open_model(), summary=_LEARNED)
    yield action(
        "open_text", "Open &text …", lambda to: to.documents.ask_and_open_text(), "Ctrl+Shift+O", summary=_READS
    )
    yield from recent.actions(run(lambda to, path: to.documents.open_recent(path)), loaded.is_there)
    yield from earlier.actions(run(lambda to, path: to.documents.open_earlier(path)))
    yield from here.actions(run(lambda to, path: to.documents.open(path)))
    yield action("save", "&Save", lambda to: to.documents.save(), keys.Save, icon="save", summary=_SAVES)
    yield action("save_as", "Save &as …", lambda to: to.documents.ask_and_save(), "Ctrl+Shift+S")
    yield action("save_cards", "Save with card la&yout …", lambda to: to.documents.ask_and_save(with_cards=True))
    look: dict[str, Any] = {"apart": True, "icon": "export", "summary": _EXPORTS}
    yield action("export", "&Export …", lambda to: to.export_commands.export_front(), "Ctrl+E", **look)
    yield action("export_sight", "Export all &plots in view …", lambda to: to.export_commands.export_sight())
    yield action("export_talk", "Export &bookmarks …", lambda to: to.export_commands.export_talk())
    yield action("export_film", "Export an&imation …", lambda to: to.export_commands.export_film())
    yield Action("quit", "&Quit", (FILE,), close, "Ctrl+Q", apart=True)


def model_actions(choose: Callable[[Preset], object]) -> Iterator[Action]:
    """Yield an action for each published model, in a submenu of its encoding. Call it once everything is loaded."""
    from posenc_gui.models.presets import catalogue

    for preset in catalogue().values():
        menu = (FILE, "&Model", preset.encoding.title)
        summary = f"{preset.summary}. {preset.remark}".rstrip()
        yield Action(f"model.{preset.name}", preset.title, menu, partial(choose, preset), summary=summary)


def edit_menu(loaded: WhenLoaded, find: Callable[[], object], identify: Callable[[], object]) -> Iterator[Action]:
    """Yield the actions that undo, copy or replace the session, the search, and what names the encoding of numbers."""
    undone, redone = loaded.ask(lambda to: to.store.undo_name, ""), loaded.ask(lambda to: to.store.redo_name, "")
    undo, redo = loaded.run(lambda to: to.store.undo()), loaded.run(lambda to: to.store.redo())
    keys, menu, action = QKeySequence.StandardKey, (EDIT,), partial(loaded.action, EDIT)
    can_undo, can_redo = (lambda: loaded.has_kept or bool(undone())), (lambda: loaded.has_kept or bool(redone()))
    yield Action("undo", "&Undo", menu, undo, keys.Undo, can_undo, undone, icon="undo", summary=_UNDOES)
    yield Action("redo", "&Redo", menu, redo, REDO, can_redo, redone, icon="redo", summary=_REDOES)
    yield action("history", "&History …", lambda to: to.history.bring(), "Ctrl+H")
    back = "Re&vert to the opened session"
    yield action("revert", back, lambda to: to.documents.revert(), "Ctrl+Shift+R", apart=True)
    yield action("go_to_token", "&Go to position …", lambda to: to.workbench.tokens.ask_to_go(), "Ctrl+G", apart=True)
    share = "&Copy as share string"
    yield action("copy_share", share, lambda to: to.documents.copy_share(), "Ctrl+Shift+C", apart=True)
    yield action(
        "copy_rotation", "Copy as r&ope_parameters", lambda to: to.documents.copy_rotation(),
        can=lambda to: to.documents.has_rotation, summary=_ROTATION,
    )  # fmt: skip
    yield action("paste_share", "&Paste share string", lambda to: to.documents.paste_share(), "Ctrl+Shift+V")
    yield Action("find", "&Find anything", menu, find, "Ctrl+K", apart=True)
    there = loaded.is_there
    yield Action("identify", "&Identify numbers", menu, loaded.later(identify), "Ctrl+I", there, summary=_IDENTIFIES)


def all_plots(loaded: WhenLoaded, show: Callable[[], object]) -> Action:
    """Return the gallery's action."""
    return Action("plots", "&All plots", (PLOTS,), loaded.later(show), "Ctrl+P", enabled=loaded.is_there)


def to_come(loaded: WhenLoaded) -> Iterator[Action]:
    """Yield a line for each menu that is filled once everything is loaded."""
    for menu in (PLOTS, LABS, DEVICE):
        yield note(f"to_come{menu}", "Here once torch is loaded", (menu,), loaded.ask(lambda _: False, True))


def plots_menu(cards: dict[str, Card], open_plot: Callable[[str], object]) -> Iterator[Action]:
    """Yield an action for each plot by group. Call it once everything is loaded."""
    from posenc_gui.plots import plots
    from posenc_gui.plots.base import Group, of_group

    for group in get_args(Group):
        for name in of_group(plots(), group):
            run = partial(open_plot, name)
            yield show_card(cards[f"plot.{name}"], (PLOTS, group), run, plots()[name].summary)


def view_menu(
    loaded: WhenLoaded,
    cards: dict[str, Card],
    arranger: Arranger,
    navigation: Navigation,
    preferences: Preferences,
    show_menu_bar: Callable[[bool], object],
) -> Iterator[Action]:
    """Yield the whole menu, from top to bottom."""
    for at, title in ARRANGEMENTS.items():
        action = _choice(f"go.{at}", f"&{title}", (VIEW,), at, lambda: arranger.at, loaded.later(navigation.go))
        yield replace(action, keys=shortcut_of(at), enabled=loaded.is_there)
    for name, card in cards.items():
        if not name.startswith("plot.") and name != "lab":
            yield show_card(card, (VIEW, "Pa&nels"), card.bring)
    for theme, title in _THEMES.items():
        menu, choose = (VIEW, "&Theme"), preferences.choose_theme
        yield _choice(f"theme.{theme}", title, menu, theme, lambda: preferences.settings.theme, choose)
    if sys.platform != "darwin":
        yield _switch("menu_bar", "&Menu bar", preferences, show_menu_bar)
    yield _switch("reduce_motion", "Re&duce motion", preferences)
    yield loaded.action(
        VIEW, "demonstrate", "Pla&y what position does", lambda it: it.first_start.play(),
        can=lambda it: it.first_start.can_play,
        summary="Two words change places and back; then position comes in by degrees",
    )  # fmt: skip
    yield from _text_sizes(preferences)
    own, first = partial(navigation.arrange, arranger.go_back), partial(navigation.arrange, arranger.reset)
    back = "&Back to my layout"
    yield Action("own_arrangement", back, (VIEW,), own, enabled=lambda: not arranger.is_own, apart=True)
    yield Action("reset_arrangement", "&Reset layout", (VIEW,), first)
    yield Action(
        "maximise", "Max&imise plot", (VIEW,), navigation.maximise_or_restore, ROOM_KEY, inside=True,
        enabled=navigation.can_maximise_or_restore, checked=lambda: arranger.maximised is not None,
    )  # fmt: skip
    yield from _talk(loaded, navigation)
    yield Action("menus", "Open men&us", (VIEW,), navigation.open_menus, "F10")
    yield Action("next_part", "&Focus next pane", (VIEW,), partial(navigation.step_pane, True), "F6")
    before = partial(navigation.step_pane, False)
    yield Action("previous_part", "Focus pre&vious pane", (VIEW,), before, "Shift+F6")


def _choice(
    name: str, title: str, menu: tuple[str, ...], value: T, now: Callable[[], T], choose: Callable[[T], object]
) -> Action:
    """Return an action that chooses a value, one of several in its menu; that which is chosen `now` is checked."""
    return Action(name, title, menu, partial(choose, value), checked=lambda: now() == value, exclusive=True)


def _switch(name: str, title: str, preferences: Preferences, show: Callable[[bool], object] | None = None) -> Action:
    """Return an action that turns the setting of its name on and off, and shows that if need be."""

    def is_on() -> bool:
        return bool(getattr(preferences.settings, name))

    def switch() -> None:
        preferences.keep(**{name: not is_on()})
        if show:
            show(is_on())

    return Action(name, title, (VIEW,), switch, checked=is_on)


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
    there = loaded.is_there
    yield Action(
        "present", "&Present", (VIEW,), loaded.later(navigation.present), ("F11", "F5", "Ctrl+4"), there, apart=True
    )
    yield Action("resume", "Resume presenting", (VIEW,), loaded.later(navigation.resume_presenting), "Shift+F5", there)
    yield loaded.action(VIEW, "bookmark", "&Add bookmark", lambda to: to.bookmark_commands.add(), "Ctrl+D")
    yield loaded.action(VIEW, "bookmarks", "B&ookmarks …", lambda to: to.bookmark_commands.list.bring(), "Ctrl+B")


def device_menu(devices: dict[str, str], preferences: Preferences, choose: Callable[[str], None]) -> Iterator[Action]:
    """Yield an action for each device; the current one is checked."""
    for name, title in devices.items():
        now = partial(preferences.device_of, devices)
        yield _choice(f"device.{name}", title, (DEVICE,), name, now, choose)


def help_menu(loaded: WhenLoaded, pages: Help, diagnose: Callable[[], object]) -> Iterator[Action]:
    """Yield the actions that open pages of help, the diagnostics and About."""
    glossary = "The terms of the field, a sentence each."
    yield Action("keys", "&Keys and mouse", (HELP,), pages.show_keys)
    yield loaded.action(
        HELP, "first_start", "&First start", lambda it: it.first_start.again(),
        can=lambda it: it.first_start.can_begin,
        summary="The usual layout, the encoding in brief and the questions that lead on, as at the first start",
    )  # fmt: skip
    yield Action("glossary", "&Glossary", (HELP,), pages.show_glossary, summary=glossary)
    measures = "&Measures and requirements"  # known only once everything is loaded
    yield Action("measures", measures, (HELP,), loaded.later(pages.show_measures), enabled=loaded.is_there)
    yield Action("diagnostics", "&Diagnostics …", (HELP,), diagnose, apart=True)
    yield Action("about", "&About", (HELP,), pages.show_about)
