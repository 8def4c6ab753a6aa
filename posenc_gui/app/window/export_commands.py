"""What leaves the window from its menu: the plot in front, all in sight, the bookmarks as a talk, a plot as it moves."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from posenc_gui import plots
from posenc_gui.app.documents.document import Documents
from posenc_gui.app.export.export_dialog import ExportDialog
from posenc_gui.app.export.export_process import Wanted, wanted_of
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.measures.base import counted
from posenc_gui.render import DECK
from posenc_gui.session import settings_by_name as parts
from posenc_gui.session.sweeps import moving


class Outlet(QObject):
    """Opens the export dialog for what was asked for."""

    said = Signal(str)  # why nothing was exported, in a sentence
    done = Signal(str)  # what was done, in a sentence

    def __init__(self, workbench: Workbench, documents: Documents, window: QWidget) -> None:
        super().__init__(window)
        self._workbench, self._documents, self._window = workbench, documents, window

    def export_front(self) -> None:
        """The plot that is in front."""
        name, figure = self._workbench.in_front
        if figure is None:
            self.said.emit("Not exported: there is no picture yet.")
        else:
            self._open([wanted_of(figure)], plots.find(name).title)

    def export_sight(self) -> None:
        """All plots in sight, a slide or a file each."""
        figures = self._workbench.in_sight
        what = f"{counted(len(figures), 'plot')} in sight, without those behind tabs"
        self._open_several([wanted_of(figure) for figure in figures], what, "no plot is in sight")

    def export_talk(self) -> None:
        """The bookmarks, a slide each, with their notes."""
        document, front = self._documents.at_hand, self._workbench.in_front[0]
        carried = document.to_json()
        wanted = [
            Wanted(one.plot or front, one.name, None, one.session.to_json(), one.note, carried, one.name)
            for one in document.bookmarks
        ]
        self._open_several(wanted, "the bookmarks", "there are no bookmarks; Ctrl+D adds one")

    def export_film(self) -> None:
        """The plot in front while its position, or else the focus, moves on."""
        name, session = self._workbench.in_front[0], self._documents.at_hand.session
        try:
            field, values = moving(name, session)
            steps = [session.changed(**parts.changed(session, name, {field: value})) for value in values]
        except ValueError as error:
            self.said.emit(f"Not exported: {error}.")
            return
        title = plots.find(name).title
        self._open([Wanted(name, title, None, one.to_json()) for one in steps], f"{title}, as it moves", ".gif")

    def _open_several(self, wanted: Sequence[Wanted], what: str, why_none: str) -> None:
        if wanted:
            self._open(wanted, what)
        else:
            self.said.emit(f"Not exported: {why_none}.")

    def _open(self, wanted: Sequence[Wanted], what: str, kind: str = DECK) -> None:
        exporter = self._workbench.exporter
        ExportDialog(wanted, what, exporter, self.done.emit, self.said.emit, self._window, kind).open()
