"""The one place that builds the services and connects their signals."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QAction, QPixmap

from posenc_gui import plots
from posenc_gui.app.docks import layouts
from posenc_gui.app.docks.arranger import RoomForCells
from posenc_gui.app.documents.document import Documents, ModelFiles, WeightsHash
from posenc_gui.app.documents.listed_files import HistoryWindow
from posenc_gui.app.export.export_dialog import ExportCommands
from posenc_gui.app.labs.controller import Labs
from posenc_gui.app.labs.played_lab import GAVE_BACK
from posenc_gui.app.panels.compare_panel import CompareMode
from posenc_gui.app.panels.sweep_row import WORDS, Sweeping
from posenc_gui.app.panels.workbench import Workbench, make_panels
from posenc_gui.app.state.lab_progress import LabMemory
from posenc_gui.app.state.reader import Reader
from posenc_gui.app.state.recent_formulas import RecentFormulas
from posenc_gui.app.state.store import Store
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.talk.bookmarks_window import BookmarkCommands
from posenc_gui.app.talk.presenter import Presenter
from posenc_gui.app.widgets.link_rows import LinkRows
from posenc_gui.app.widgets.painted_over import PaintedOver
from posenc_gui.app.window.first_start import FirstStart
from posenc_gui.app.window.notifications import Messages
from posenc_gui.app.window.startup import Startup
from posenc_gui.app.window.status_progress import Progress
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Door
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.scene.caption import model_changes
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

# Of models that have learned.
_SUBJECTS: dict[Door, layouts.Subject] = {"none": "nothing", "input": "table", "rotation": "rotation", "score": "bias"}


_LONGEST_COVERED = 1000  # milliseconds for which a picture that is left is shown while that in its place is computed


class Services(NamedTuple):
    """The services that exist once everything is imported."""

    workbench: Workbench
    reader: Reader
    documents: Documents
    labs: Labs
    history: HistoryWindow
    bookmarks: Bookmarks
    bookmark_commands: BookmarkCommands
    presenter: Presenter
    comparing: CompareMode
    weights_hash: WeightsHash
    export_commands: ExportCommands
    first_start: FirstStart

    @property
    def store(self) -> Store:
        """The store of the session."""
        return self.workbench.store


def build_services(parts: Startup, memory: LabMemory) -> Generator[None, None, Services]:
    """Build all services, one step at a time, and show their messages in the window."""
    window, store = parts.window, Store(first_session(), parts.window)
    panels = yield from make_panels(parts.cards, store, parts.dialogs, RecentFormulas(parts.preferences, store))
    workbench = Workbench(
        parts.cards, store, panels, parts.worker, parts.dialogs, lambda: parts.preferences.reduces_motion, window
    )
    yield
    yield from workbench.fill_open()
    bookmarks = Bookmarks(window)
    reader = Reader(window)
    documents = _documents(parts, workbench, bookmarks, reader)
    yield
    labs = _labs(parts, workbench, documents, memory, reader)
    yield
    parts.cards["lab"].fill(labs.panel)
    yield
    _show(parts, workbench, reader)
    _give_room(parts, workbench)
    _lay_out(parts, workbench)
    first_start = _first_start(parts, workbench, labs)
    _tell(parts.messages, workbench, documents, labs)
    yield
    head = parts.headline
    bookmark_commands = BookmarkCommands(
        bookmarks, store, lambda: workbench.in_front, parts.bring_plot, window, lambda: head.geometry().bottom()
    )
    bookmark_commands.said.connect(parts.messages.say)
    bookmark_commands.list.presented.connect(parts.navigation.present)
    yield
    presenter = _presenter(parts, workbench, bookmarks, bookmark_commands)
    yield
    history, comparing = HistoryWindow(store, window), CompareMode(store)
    weights_hash = _follow_weights(parts, workbench)
    export_commands = ExportCommands(
        lambda: workbench.in_front, lambda: workbench.in_sight, workbench.exporter, documents, window
    )
    _tell(parts.messages, export_commands)
    return Services(
        workbench,
        reader,
        documents,
        labs,
        history,
        bookmarks,
        bookmark_commands,
        presenter,
        comparing,
        weights_hash,
        export_commands,
        first_start,
    )


def _tell(messages: Messages, *parts: Workbench | Documents | Labs | ExportCommands) -> None:
    """Show what these parts say went wrong, and what they have done."""
    for part in parts:
        part.said.connect(messages.say)
        part.done.connect(messages.tell)


def _first_start(parts: Startup, workbench: Workbench, labs: Labs) -> FirstStart:
    """Build the first start, whose questions stand in the column in place of the rows that lead on."""
    rows = _lead_on(parts, workbench)
    begin_lab = partial(labs.begin, lab_library.labs()[0])
    asked = parts.questions, parts.navigation, begin_lab, rows
    return FirstStart(workbench, parts.headline, parts.preferences, parts.arranger, *asked)


def _presenter(parts: Startup, workbench: Workbench, bookmarks: Bookmarks, commands: BookmarkCommands) -> Presenter:
    """Build Present, and let the list of bookmarks plan its minutes."""
    preferences = parts.preferences
    commands.list.plan(preferences.settings.minutes, lambda chosen: preferences.keep(minutes=chosen))
    seen = workbench.store, bookmarks, lambda: workbench.in_front, lambda: workbench.device
    presenter = Presenter(*seen, lambda: preferences.settings.minutes, parts.window)
    presenter.bookmarks_wanted.connect(commands.list.bring)
    presenter.done.connect(parts.status.tell)
    return presenter


def _follow_weights(parts: Startup, workbench: Workbench) -> WeightsHash:
    """Compute the SHA-256 of the model that is seen once its pictures are drawn; draw them again with it, and when its files
    were written.
    """
    found = WeightsHash(parts.memory.folder_path, parts.window)
    workbench.status.connect(lambda _status: found.follow(workbench.store.session))
    found.came.connect(workbench.draw_again)
    found.said.connect(parts.messages.say)
    files = ModelFiles(parts.window)
    workbench.status.connect(lambda _status: files.follow(workbench.store.session))
    files.written.connect(workbench.draw_again)
    return found


def _documents(parts: Startup, workbench: Workbench, bookmarks: Bookmarks, reader: Reader) -> Documents:
    """Build the session's file handling; failures to save are reported at once."""
    window, recent, messages = parts.window, parts.recent, parts.messages
    documents = Documents(
        workbench.store, bookmarks, reader, parts.dialogs, recent, parts.arranger, lambda: workbench.refused, window
    )

    def say_unkept(error: Exception | None) -> None:
        told = ""
        if error:
            told = f"Neither the session nor lab progress can be saved automatically: {describe_file_error(error)}"
            messages.say(told, ("Save the session as …", documents.ask_and_save))
        parts.status.say_unkept(told)

    documents.titled.connect(window.setWindowTitle)
    documents.remarked.connect(messages.add)
    documents.asked.connect(lambda told, offers: messages.say(told, *offers))
    parts.writer.failing.connect(say_unkept)
    parts.status.save_wanted.connect(documents.ask_and_save)
    workbench.tokens.text_edit.shared.connect(documents.paste_share)
    return documents


def _labs(parts: Startup, workbench: Workbench, documents: Documents, memory: LabMemory, reader: Reader) -> Labs:
    """Build the labs: opening a lab puts the session aside, and opening a session the lab."""
    arranger = parts.arranger
    stage = arranger.set_for_lab, arranger.give_back, arranger.enter_lab, arranger.open_large
    labs = Labs(workbench, memory, parts.cards, *stage, reader, parts.window)
    documents.lab_opened.connect(labs.desk.open)
    documents.leaving.connect(lambda: labs.desk.step_out(told=False))
    labs.desk.entering.connect(lambda _: documents.leave())
    labs.desk.entering.connect(parts.status.tell)  # also where that told of earlier sessions
    labs.desk.gave_back.connect(partial(_tell_back, parts.messages))
    for signal in (labs.desk.opened, labs.wrote):
        signal.connect(parts.recent.add)
    return labs


def _tell_back(messages: Messages, keep: Callable[[], None] | None) -> None:
    """Tell that what was there before a lab is back, unless another session follows; offer to `keep` the lab's instead."""
    if keep:
        messages.tell(GAVE_BACK, ("Keep the lab's session", keep))


def _show(parts: Startup, workbench: Workbench, reader: Reader) -> None:
    """Connect the status bar and the headline to the workbench, and the status bar to what reads and writes files."""
    parts.status.add_progress(Progress(parts.worker, workbench))
    workbench.status.connect(parts.status.show_state)
    workbench.hovered.connect(parts.status.show_read)
    workbench.exporter.working.connect(parts.status.writing.show_working)
    parts.status.writing.stop_wanted.connect(workbench.exporter.stop)
    reader.working.connect(parts.status.reading.show_working)
    parts.status.reading.stop_wanted.connect(reader.stop)
    workbench.told.connect(parts.headline.show_sentence)
    workbench.held.connect(parts.headline.hold)
    workbench.offered.connect(parts.headline.offer_remedy)
    workbench.silenced.connect(parts.headline.fold)

    def carry_out(name: str) -> None:
        if name in parts.cards:
            parts.navigation.open_plot(name.removeprefix("plot."))
        elif command := parts.window.findChild(QAction, name):
            command.trigger()

    workbench.commanded.connect(carry_out)
    workbench.code.identify.clicked.connect(partial(workbench.commanded.emit, "identify"))


def _give_room(parts: Startup, workbench: Workbench) -> None:
    """Let plots of many pictures take the room of the others where their cells would be too small."""

    def watch(name: str) -> None:
        def smallest_cell() -> float:
            return workbench.plots[name].view.smallest_cell if name in workbench.plots else math.inf

        room = RoomForCells(parts.cards[f"plot.{name}"], parts.arranger, smallest_cell)
        workbench.drawn.connect(lambda drawn: room.look_soon() if drawn == name else None)

    for card in layouts.LARGE:
        watch(card.removeprefix("plot."))


def _lay_out(parts: Startup, workbench: Workbench) -> None:
    """Let the plots beside and below the map be those of the model that is seen, and one the encoding's own picture."""

    def lay_out(session: Session) -> None:
        model = session.model
        subject = "toy" if isinstance(model, ToyModel) else _SUBJECTS[model.encoding.door]
        parts.arranger.show_plots_of(subject, plots.own_picture(session))

    covers: dict[str, PaintedOver] = {}  # one at most, by the plot that is below it

    def cover(new: str, at: QPoint, former: QPixmap) -> None:
        """Show the former picture until the new one is drawn, so that the place isn't blank between."""
        workbench.rest()  # what plays there
        for plot in tuple(covers):
            uncover(plot)
        covers[new] = PaintedOver(parts.window, at, former)
        QTimer.singleShot(_LONGEST_COVERED, covers[new], partial(uncover, new))

    def uncover(plot: str) -> None:
        if over := covers.pop(plot, None):
            over.deleteLater()

    workbench.drawn.connect(uncover)
    parts.arranger.hung.connect(cover)
    workbench.row_pressed.connect(partial(parts.arranger.open_over, "slopes", "waves"))
    workbench.cell_pressed.connect(
        lambda: parts.arranger.open_over(layouts.OF_A_CELL[0], plots.own_picture(workbench.store.session))
    )
    workbench.store.changed.connect(lay_out)
    workbench.begun.connect(lay_out)


def _lead_on(parts: Startup, workbench: Workbench) -> LinkRows:
    """Add rows at the foot of the Encoding and Compare cards that lead to the model, sweeps, code and labs; return Encoding's,
    which begin with its requirements."""
    store = workbench.store
    sweeping = Sweeping(store, parts.navigation.open_plot)
    below_one, below_two = LinkRows(), LinkRows()
    below_one.append(workbench.encoding.verdicts)
    toy = below_one.add("Toy model", parts.cards["model"].bring)

    def add_to(rows: LinkRows, code: str) -> None:
        sweep = rows.add("Sweep", lambda: sweeping.ask(sweep))
        sweep.say(WORDS)
        rows.add("Code", parts.cards["code"].bring).say(code)

    add_to(below_one, "PyTorch")
    add_to(below_two, "of A and of B")
    labs = below_one.add("Labs", partial(parts.navigation.go, "lab"))
    labs.say(f"{len(lab_library.names())}, at most 20 minutes each")

    def say_model(session: Session) -> None:
        shape = session.model
        toy.setVisible(isinstance(shape, ToyModel))
        said = format_count(shape.d_model, "dimension"), format_count(shape.n_heads, "head")
        changed = model_changes(first_session().model, shape) if isinstance(shape, ToyModel) else []
        toy.say(", ".join((*said, *(changed or ["no mask"]))))

    workbench.encoding.verdicts.asked_for.connect(parts.bring_plot)
    store.changed.connect(say_model)
    workbench.begun.connect(say_model)
    say_model(store.session)
    parts.cards["encoding"].add_foot(below_one)
    parts.cards["compare"].add_foot(below_two)
    return below_one
