"""The Edit menu: undo and history, share strings, and the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtGui import QKeySequence

from posenc_gui.app.state.action import EDIT, Action
from posenc_gui.app.window.commands import WhenLoaded

_UNDOES, _REDOES = "Undo the last step.", "Redo the step that was undone."
_ROTATION = "Copy the rotation as a block of a model's config.json."


def actions(loaded: WhenLoaded, find: Callable[[], object]) -> Iterator[Action]:
    """Yield the actions that undo, copy or replace the session, and the search."""

    def undone() -> str:
        return found.store.undo_name if (found := loaded.found()) else ""

    def redone() -> str:
        return found.store.redo_name if (found := loaded.found()) else ""

    def can_undo() -> bool:
        return bool(undone())

    def can_redo() -> bool:
        return bool(redone())

    def has_rotation() -> bool:
        return (found := loaded.found()) is not None and found.documents.has_rotation

    run, there, keys, menu = loaded.run, loaded.is_there, QKeySequence.StandardKey, (EDIT,)
    undo, redo = run(lambda to: to.store.undo()), run(lambda to: to.store.redo())
    yield Action("undo", "&Undo", menu, undo, keys.Undo, can_undo, undone, icon="undo", summary=_UNDOES)
    yield Action("redo", "&Redo", menu, redo, keys.Redo, can_redo, redone, icon="redo", summary=_REDOES)
    yield Action("history", "&History …", menu, run(lambda to: to.history.bring()), "Ctrl+H", there)
    back, revert = "Re&vert to the opened session", run(lambda to: to.documents.revert())
    yield Action("revert", back, menu, revert, "Ctrl+Shift+R", there, apart=True)
    go = run(lambda to: to.workbench.tokens.ask_to_go())
    yield Action("go_to_token", "&Go to token …", menu, go, "Ctrl+G", there, apart=True)
    copy, paste = run(lambda to: to.documents.copy_share()), run(lambda to: to.documents.paste_share())
    yield Action("copy_share", "&Copy as share string", menu, copy, "Ctrl+Shift+C", there, apart=True)
    rotation = run(lambda to: to.documents.copy_rotation())
    yield Action("copy_rotation", "Copy as r&ope_parameters", menu, rotation, enabled=has_rotation, summary=_ROTATION)
    yield Action("paste_share", "&Paste share string", menu, paste, "Ctrl+Shift+V", there)
    yield Action("find", "&Find anything", menu, find, "Ctrl+K", apart=True)
