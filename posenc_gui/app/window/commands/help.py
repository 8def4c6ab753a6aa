"""The Help menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from posenc_gui.app.state.action import HELP, Action
from posenc_gui.app.window.commands import WhenLoaded
from posenc_gui.app.window.help import Help


def actions(loaded: WhenLoaded, pages: Help, diagnose: Callable[[], object]) -> Iterator[Action]:
    """Yield the actions that open pages of help, the diagnostics and About."""
    glossary = "The terms of the field, a sentence each."
    yield Action("keys", "&Keys and mouse", (HELP,), pages.show_keys)
    yield Action(
        "first_start", "&First start", (HELP,), loaded.run(lambda it: it.first_start.again()),
        enabled=lambda: bool((it := loaded.found()) and it.first_start.can_begin),
        summary="One plot with three questions below it, as at the first start",
    )  # fmt: skip
    yield Action("glossary", "&Glossary", (HELP,), pages.show_glossary, summary=glossary)
    measures = "&Measures and requirements"  # known only once everything is loaded
    yield Action("measures", measures, (HELP,), pages.show_measures, enabled=loaded.is_there)
    yield Action("diagnostics", "&Diagnostics …", (HELP,), diagnose, apart=True)
    yield Action("about", "&About", (HELP,), pages.show_about)
