"""The File menu: sessions, exports and models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from posenc_gui.app.documents.earlier_sessions import EarlierSessions
from posenc_gui.app.documents.models_here import ModelsHere
from posenc_gui.app.documents.recent_files import RecentFiles
from posenc_gui.app.state.action import FILE, Action
from posenc_gui.app.window.commands import WhenLoaded

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.models.presets import Preset

_OPENS = "Open a session, an exported figure, a model's config.json or a lab."
_LEARNED = "Open a model that has learned, from a folder on this computer; nothing is sent."
_SAVES = "Save the session and its bookmarks to their file."
_READS = "Replace the sentence by the text of a UTF-8 file."
_EXPORTS = "Export the plot in front: image, slide, numbers or animation."


def actions(
    loaded: WhenLoaded,
    recent: RecentFiles,
    earlier: EarlierSessions,
    here: ModelsHere,
    close: Callable[[], object],
) -> Iterator[Action]:
    """Yield the actions that open, save and export a session, and Quit."""

    def open_recent(path: Path) -> None:
        loaded.run(lambda to: to.documents.open_recent(path))()

    def open_earlier(path: Path) -> None:
        loaded.run(lambda to: to.documents.open_earlier(path))()

    def open_model(path: Path) -> None:
        loaded.run(lambda to: to.documents.open(path))()

    run, there, keys, menu = loaded.run, loaded.is_there, QKeySequence.StandardKey, (FILE,)
    yield Action("new", "&New session", menu, run(lambda to: to.documents.new()), keys.New, there)
    ask = run(lambda to: to.documents.ask_and_open())
    yield Action("open", "&Open …", menu, ask, keys.Open, there, icon="open", summary=_OPENS)
    ask_model = run(lambda to: to.documents.ask_and_open_model())
    yield Action("open_model", "Open mo&del …", menu, ask_model, "", there, summary=_LEARNED)
    ask_text = run(lambda to: to.documents.ask_and_open_text())
    yield Action("open_text", "Open &text …", menu, ask_text, "Ctrl+Shift+O", there, summary=_READS)
    yield from recent.actions(open_recent, there)
    yield from earlier.actions(open_earlier)
    yield from here.actions(open_model)
    save = run(lambda to: to.documents.save())
    yield Action("save", "&Save", menu, save, keys.Save, there, icon="save", summary=_SAVES)
    yield Action("save_as", "Save &as …", menu, run(lambda to: to.documents.ask_and_save()), "Ctrl+Shift+S", there)
    save_cards = run(lambda to: to.documents.ask_and_save(with_cards=True))
    yield Action("save_cards", "Save with card la&yout …", menu, save_cards, "", there)
    front = run(lambda to: to.export_commands.export_front())
    yield Action("export", "&Export …", menu, front, "Ctrl+E", there, apart=True, icon="export", summary=_EXPORTS)
    sight = run(lambda to: to.export_commands.export_sight())
    yield Action("export_sight", "Export all &plots in view …", menu, sight, "", there)
    talk = run(lambda to: to.export_commands.export_talk())
    yield Action("export_talk", "Export &bookmarks …", menu, talk, "", there)
    film = run(lambda to: to.export_commands.export_film())
    yield Action("export_film", "Export an&imation …", menu, film, "", there)
    yield Action("quit", "&Quit", menu, close, "Ctrl+Q", apart=True)


def model_actions(choose: Callable[[Preset, str], object]) -> Iterator[Action]:
    """Yield an action for each published model, in a submenu of its encoding. Call it once everything is loaded."""
    from posenc_gui.models.presets import catalogue

    for preset in catalogue().values():
        menu = (FILE, "&Model", preset.encoding.title)
        summary = f"{preset.summary}. {preset.remark}".rstrip()
        yield Action(f"model.{preset.name}", preset.title, menu, partial(choose, preset, preset.title), summary=summary)
