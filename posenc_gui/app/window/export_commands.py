"""Export from the File menu: the plot in front, all plots in view, the bookmarks, or an animation."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from posenc_gui import plots
from posenc_gui.app.documents.document import Documents
from posenc_gui.app.export.export_dialog import ExportDialog
from posenc_gui.app.export.export_process import FigureRequest, request_figure
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.foundation.wording import format_count
from posenc_gui.render import DECK
from posenc_gui.session import settings_by_name
from posenc_gui.session.sweeps import moving_field


class ExportCommands(QObject):
    """Opens the export dialog for one or several figures."""

    said = Signal(str)  # why nothing was exported, in a sentence
    done = Signal(str)  # what was done, in a sentence

    def __init__(self, workbench: Workbench, documents: Documents, window: QWidget) -> None:
        super().__init__(window)
        self._workbench, self._documents, self._window = workbench, documents, window

    def export_front(self) -> None:
        """Export the plot in front."""
        name, figure = self._workbench.in_front
        if figure is None:
            self.said.emit("Not exported: nothing has been drawn yet.")
        else:
            self._open([request_figure(figure)], plots.find(name).title)

    def export_sight(self) -> None:
        """Export all plots in view, a slide or a file each."""
        figures = self._workbench.in_sight
        what = f"{format_count(len(figures), 'plot')} in view, without those behind other tabs"
        self._open_several([request_figure(figure) for figure in figures], what, "no plot is in view")

    def export_talk(self) -> None:
        """Export the bookmarks, a slide each, with their notes."""
        document, front = self._documents.current, self._workbench.in_front[0]
        carried = document.for_others.to_json()
        wanted = [
            FigureRequest(one.plot or front, one.name, None, one.session.to_json(), one.note, carried, one.name)
            for one in document.bookmarks
        ]
        self._open_several(wanted, "the bookmarks", "there are no bookmarks. Ctrl+D adds one")

    def export_film(self) -> None:
        """Export the plot in front as an animation: of a sweep over its values, else over its position or the focus."""
        (name, figure), session = self._workbench.in_front, self._documents.current.session
        if figure is not None and figure.frames:
            self._open([request_figure(frame) for frame in figure.frames], f"{figure.title}, animated", ".gif")
            return
        try:
            field, values = moving_field(name, session)
            steps = [session.changed(**settings_by_name.changed(session, name, {field: value})) for value in values]
        except ValueError as error:
            self.said.emit(f"Not exported: {error}.")
            return
        title = plots.find(name).title
        self._open([FigureRequest(name, title, None, one.to_json()) for one in steps], f"{title}, animated", ".gif")

    def _open_several(self, wanted: Sequence[FigureRequest], what: str, why_none: str) -> None:
        if wanted:
            self._open(wanted, what)
        else:
            self.said.emit(f"Not exported: {why_none}.")

    def _open(self, wanted: Sequence[FigureRequest], what: str, kind: str = DECK) -> None:
        exporter = self._workbench.exporter
        ExportDialog(wanted, what, exporter, self.done.emit, self.said.emit, self._window, kind).open()
