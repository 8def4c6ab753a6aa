"""The one place that builds the services and connects their signals."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from posenc_gui.app.docks import layouts
from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.room_for_cells import RoomForCells
from posenc_gui.app.documents.document import Documents
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.documents.history_window import HistoryWindow
from posenc_gui.app.documents.listed_files import EarlierSessions, ModelsHere, RecentFiles
from posenc_gui.app.documents.weights_hash import WeightsHash
from posenc_gui.app.export.export_dialog import ExportCommands
from posenc_gui.app.labs.controller import Labs
from posenc_gui.app.panels.compare_panel import CompareMode
from posenc_gui.app.panels.sweep_row import WORDS, Sweeping
from posenc_gui.app.panels.workbench import Workbench, make_panels
from posenc_gui.app.state.lab_progress import LabMemory
from posenc_gui.app.state.reader import Reader
from posenc_gui.app.state.settings import Memory, Preferences
from posenc_gui.app.state.store import Store
from posenc_gui.app.state.worker import BackgroundWriter, Worker
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.talk.bookmarks_window import BookmarkCommands
from posenc_gui.app.talk.presenter import Presenter
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.widgets.link_rows import LinkRows
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.window.command_palette import CommandPalette
from posenc_gui.app.window.first_start import FirstStart, LabsOffer
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.app.window.menus import Menus
from posenc_gui.app.window.navigation import Navigation
from posenc_gui.app.window.notifications import Messages, StatusBar
from posenc_gui.app.window.status_progress import Progress
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Door
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_SUBJECTS: dict[Door, layouts.Subject] = {
    "none": "nothing",
    "input": "table",
    "rotation": "rotation",
    "score": "bias",
}  # of models that have learned


@dataclass(frozen=True)
class Frame:
    """The window's parts, made before anything heavy is imported."""

    window: MainWindow
    memory: Memory
    preferences: Preferences
    worker: Worker
    writer: BackgroundWriter
    dialogs: FileDialogs
    recent: RecentFiles
    earlier: EarlierSessions
    here: ModelsHere
    cards: dict[str, Card]
    arranger: Arranger
    navigation: Navigation
    headline: Headline
    questions: Questions
    messages: Messages
    status: StatusBar
    menus: Menus
    finder: CommandPalette

    def bring_plot(self, name: str) -> None:
        """Show a plot's card in front; the keyboard stays."""
        self.arranger.open(f"plot.{name}")


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


def build_services(frame: Frame, memory: LabMemory) -> Generator[None, None, Services]:
    """Build all services, one step at a time, and show their messages in the window."""
    store = Store(first_session(), frame.window)
    panels = yield from make_panels(frame.cards, store, frame.dialogs)
    workbench = Workbench(
        frame.cards, store, panels, frame.worker, frame.dialogs, lambda: frame.preferences.reduces_motion, frame.window
    )
    yield
    yield from workbench.fill_open()
    bookmarks = Bookmarks(frame.window)
    reader = Reader(frame.window)
    documents = _documents(frame, workbench, bookmarks, reader)
    yield
    labs = _labs(frame, workbench, documents, memory, reader)
    yield
    _show(frame, workbench, reader)
    _give_room(frame, workbench)
    _lay_out(frame, workbench)
    first_start = _first_start(frame, workbench, labs)
    _tell(frame.messages, workbench, documents, labs)
    yield
    bookmark_commands = BookmarkCommands(
        bookmarks,
        store,
        lambda: workbench.in_front,
        frame.bring_plot,
        frame.window,
        lambda: frame.headline.geometry().bottom(),
    )
    bookmark_commands.said.connect(frame.messages.say)
    bookmark_commands.list.presented.connect(frame.navigation.present)
    yield
    presenter = Presenter(store, bookmarks, lambda: workbench.in_front, lambda: workbench.device, frame.window)
    presenter.bookmarks_wanted.connect(bookmark_commands.list.bring)
    presenter.done.connect(frame.status.tell)
    yield
    history, comparing = HistoryWindow(store, frame.window), CompareMode(store)
    weights_hash = _follow_weights(frame, workbench)
    export_commands = ExportCommands(
        lambda: workbench.in_front, lambda: workbench.in_sight, workbench.exporter, documents, frame.window
    )
    _tell(frame.messages, export_commands)
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


def _first_start(frame: Frame, workbench: Workbench, labs: Labs) -> FirstStart:
    """Build the first start, whose offers stand in the column with the rows that lead on."""
    foot, rows = _lead_on(frame, workbench)
    offer = _offer_labs(frame, foot, labs)
    explore = partial(frame.navigation.go, "explore")
    asked = frame.questions, frame.navigation.answer, explore
    return FirstStart(workbench, frame.headline, frame.preferences, frame.arranger, *asked, offer, rows)


def _follow_weights(frame: Frame, workbench: Workbench) -> WeightsHash:
    """Compute the SHA-256 of the model that is seen once its pictures are drawn, and draw them again with it."""
    found = WeightsHash(frame.memory.folder_path, frame.window)
    workbench.status.connect(lambda _status: found.follow(workbench.store.session))
    found.came.connect(workbench.draw_again)
    found.said.connect(frame.messages.say)
    return found


def _documents(frame: Frame, workbench: Workbench, bookmarks: Bookmarks, reader: Reader) -> Documents:
    """Build the session's file handling; failures to save are reported at once."""
    window, messages, status = frame.window, frame.messages, frame.status
    documents = Documents(
        workbench.store,
        bookmarks,
        reader,
        frame.dialogs,
        frame.recent,
        frame.arranger,
        lambda: workbench.refused,
        window,
    )

    def say_unkept(error: Exception | None) -> None:
        told = ""
        if error:
            told = f"Neither the session nor lab progress can be saved automatically: {describe_file_error(error)}"
            messages.say(told, ("Save the session as …", documents.ask_and_save))
        status.say_unkept(told)

    documents.titled.connect(window.setWindowTitle)
    documents.remarked.connect(messages.add)
    documents.asked.connect(lambda told, offers: messages.say(told, *offers))
    frame.writer.failing.connect(say_unkept)
    status.save_wanted.connect(documents.ask_and_save)
    workbench.tokens.shared.connect(documents.paste_share)
    return documents


def _labs(frame: Frame, workbench: Workbench, documents: Documents, memory: LabMemory, reader: Reader) -> Labs:
    """Build the labs: opening a lab puts the session aside, and opening a session the lab."""
    arranger = frame.arranger
    stage = arranger.set_for_lab, arranger.give_back, arranger.enter_lab, arranger.open_large
    labs = Labs(workbench, memory, frame.cards, *stage, reader, frame.window)
    documents.lab_opened.connect(labs.desk.open)
    documents.leaving.connect(labs.desk.make_way)
    labs.desk.entering.connect(documents.leave)
    for signal in (labs.desk.opened, labs.wrote):
        signal.connect(frame.recent.add)
    return labs


def _show(frame: Frame, workbench: Workbench, reader: Reader) -> None:
    """Connect the status bar and the headline to the workbench, and the status bar to what reads and writes files."""
    frame.status.add_progress(Progress(frame.worker, workbench))
    workbench.status.connect(frame.status.show_state)
    workbench.hovered.connect(frame.status.show_read)
    workbench.exporter.working.connect(frame.status.writing.show_working)
    frame.status.writing.stop_wanted.connect(workbench.exporter.stop)
    reader.working.connect(frame.status.reading.show_working)
    frame.status.reading.stop_wanted.connect(reader.stop)
    workbench.told.connect(frame.headline.show_sentence)
    workbench.offered.connect(frame.headline.offer_remedy)
    frame.headline.remedy.clicked.connect(workbench.take_remedy)
    workbench.silenced.connect(frame.headline.fold)


def _give_room(frame: Frame, workbench: Workbench) -> None:
    """Let plots of many pictures take the room of the others where their cells would be too small."""

    def watch(name: str) -> None:
        def smallest_cell() -> float:
            return workbench.plots[name].view.smallest_cell if name in workbench.plots else math.inf

        room = RoomForCells(frame.cards[f"plot.{name}"], frame.arranger, smallest_cell)
        workbench.drawn.connect(lambda drawn: room.look_soon() if drawn == name else None)

    for card in layouts.LARGE:
        watch(card.removeprefix("plot."))


def _lay_out(frame: Frame, workbench: Workbench) -> None:
    """Let the plots below the map be those of the model that is seen."""

    def lay_out(session: Session) -> None:
        model = session.model
        frame.arranger.show_plots_of("toy" if isinstance(model, ToyModel) else _SUBJECTS[model.encoding.door])

    workbench.store.changed.connect(lay_out)
    workbench.begun.connect(lay_out)


def _lead_on(frame: Frame, workbench: Workbench) -> tuple[LinkRows, LinkRows]:
    """Add rows below the Encoding and Compare cards that lead to the model, sweeps and code; return the foot of Encoding, and
    these rows in it."""
    store = workbench.store
    sweeping = Sweeping(store, frame.navigation.open_plot)
    foot, below_one, below_two = LinkRows(), LinkRows(), LinkRows()
    foot.append(below_one)
    toy = below_one.add("Toy model", frame.cards["model"].bring)

    def add_to(rows: LinkRows, code: str) -> None:
        sweep = rows.add("Sweep", lambda: sweeping.ask(sweep))
        sweep.say(WORDS)
        rows.add("Code", frame.cards["code"].bring).say(code)

    add_to(below_one, "PyTorch")
    add_to(below_two, "of A and of B")

    def say_model(session: Session) -> None:
        shape = session.model
        toy.setVisible(isinstance(shape, ToyModel))
        mask = "causal mask" if shape.causal else "no mask"
        toy.say(f"{format_count(shape.d_model, 'dimension')}, {format_count(shape.n_heads, 'head')}, {mask}")

    workbench.encoding.verdicts.asked_for.connect(frame.bring_plot)
    store.changed.connect(say_model)
    workbench.begun.connect(say_model)
    say_model(store.session)
    frame.cards["encoding"].add_foot(foot)
    frame.cards["compare"].add_foot(below_two)
    return foot, below_one


def _offer_labs(frame: Frame, rows: LinkRows, labs: Labs) -> LabsOffer:
    """Add a row that leads to the labs, and the offer at the column's bottom that replaces it at a first start."""
    row = rows.add("Labs", partial(frame.navigation.go, "lab"))
    row.say(f"{len(lab_library.names())}, at most 20 minutes each")
    offer = LabsOffer(row, frame.preferences, lambda: labs.begin(lab_library.labs()[0]))
    frame.cards["encoding"].add_at_bottom(offer)
    labs.desk.entered.connect(offer.end)
    return offer
