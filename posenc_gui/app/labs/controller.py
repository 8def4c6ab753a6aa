"""Labs in the window: their actions, and the connections between desk (state), card and stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.labs.authoring.step_parts import StepList
from posenc_gui.app.labs.authoring.step_writer import Measured, StepWriter, Tried, Written
from posenc_gui.app.labs.card_stage import Arrange, LabStage
from posenc_gui.app.labs.class_windows import ClassroomWindow, LessonPage
from posenc_gui.app.labs.lab_card import LabPanel
from posenc_gui.app.labs.played_lab import COMES_BACK, LabDesk
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.action import LABS, Action
from posenc_gui.app.state.lab_progress import HalfWritten, LabMemory
from posenc_gui.app.state.reader import Reader
from posenc_gui.app.state.sheet import Sheet, SheetFile
from posenc_gui.app.widgets.controls import delayed
from posenc_gui.app.widgets.focus_order import step_focus
from posenc_gui.foundation.errors import describe_error, describe_file_error
from posenc_gui.foundation.files import atomic, turns
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.authoring import write
from posenc_gui.labs.definition import lab_folder, lab_library, parse
from posenc_gui.labs.definition.lab import Lab, arranged
from posenc_gui.labs.definition.lab_folder import LabFolder
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.labs.play.observe import Observation
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.reports import report
from posenc_gui.session.first_session import first_session

_KEPT = "The step of a lab that you were writing is there as you left it: Labs ▸ Make this state a step."
_LAB_FILES = f"Lab ({' '.join(f'*{suffix}' for suffix in parse.SUFFIXES)})"
_KEEP_AFTER = 500  # milliseconds from the first change of a step


class Labs(QObject):
    """Owner of the labs' actions, card and stage; it reports results and failures to the window."""

    said = Signal(str)
    done = Signal(str)
    wrote = Signal(object)  # Path of a lab file with one more step

    def __init__(
        self,
        workbench: Workbench,
        memory: LabMemory,
        cards: dict[str, Card],
        arrange: Arrange,
        give_back: Callable[[], None],
        enter: Callable[[], None],
        open_large: Callable[[str], None],
        reader: Reader,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._reader = reader
        self._workbench, self._cards, self._window = workbench, cards, window
        self._enter, self._open_large, self._dialogs = enter, open_large, workbench.exporter.dialogs
        self.classroom: ClassroomWindow | None = None
        self.writer: StepWriter | None = None
        self._own_lab: Path | None = None  # the file to which the author's steps are written
        self._memory = memory
        self._step_due = delayed(self, self._keep_step, _KEEP_AFTER)
        self.desk = LabDesk(workbench.store, memory, self)
        self.panel = LabPanel(self.desk, self._open_plots)
        self._stage = LabStage(self.desk, self.panel, cards, workbench, arrange, give_back)
        self.desk.changed.connect(self._ask_for_fields)  # after the stage has arranged the cards
        self.desk.said.connect(self.said)
        self.desk.done.connect(self.done)
        self.desk.watched.connect(self._watch)
        self.desk.entered.connect(workbench.rest)
        self.desk.changed.connect(self._list_own)
        workbench.observed.connect(self._on_observed)
        workbench.gave_up.connect(self._on_given_up)
        workbench.store.changed.connect(self.panel.step.show_session)
        workbench.begun.connect(self.panel.step.show_session)
        self.panel.home.asked.connect(self.follow)
        self.panel.home.plan_wanted.connect(self.show_plan)
        self.panel.home.reports_wanted.connect(self.show_reports)
        self.panel.home.step_wanted.connect(self.ask_for_step)
        self.panel.end.folder_wanted.connect(self.ask_and_save_report)
        self.panel.end.pdf_wanted.connect(self.ask_and_print_report)
        self.panel.end.more_wanted.connect(self._show_list)

    def actions(self) -> Iterator[Action]:
        """Yield the actions of the Labs menu."""
        menu = (LABS,)
        yield Action("labs", "&All labs and questions", menu, self._show_home)
        for number, lab in enumerate(lab_library.labs()):
            begin = partial(self.begin, lab)
            yield Action(f"lab.{lab.name}", lab.title, menu, begin, apart=not number, summary=COMES_BACK)
        yield Action("open_lab", "&Open a lab …", menu, self.ask_and_open, apart=True)
        yield Action("folder_of_labs", "&Folder of labs …", menu, self.ask_for_folder)
        yield Action("write_step", "&Make this state a step …", menu, self.ask_for_step)
        yield Action("plan", "&Plan of the lesson", menu, self.show_plan, apart=True)
        yield Action("reports", "&Reports of a class …", menu, self.show_reports)

    def take_keyboard(self) -> None:
        """Give the keyboard to where a lab begins, or goes on."""
        if self.panel.currentWidget() is self.panel.home:
            self.panel.home.take_keyboard()
        else:
            step_focus([(self.panel,)], None, True)

    def keep(self) -> None:
        """Save what is written, and the learner's name, for the next start."""
        self.panel.step.keep_words()
        self.panel.end.keep_name()
        self._keep_step()

    @property
    def has_unwritten_step(self) -> bool:
        """True if the dialog for a step holds something that no file has."""
        return self.writer is not None and self.writer.holds_unwritten

    def close(self) -> None:
        """Release the lab for other windows, and close the teacher's window."""
        self.desk.close()
        if self.classroom:
            self.classroom.close()

    def begin(self, lab: Lab, step: str = "") -> None:
        """Play a lab, from where the learner left it or from the given step."""
        self.desk.begin(lab, step=step)
        self._enter()

    def follow(self, way: Way) -> None:
        """Open the lab step or the plot that answers a question from the index."""
        if way.lab:
            self.desk.begin(lab_library.lab(way.lab), step=way.step)
            return
        self.desk.leave(told=False)
        self.desk.entering.emit("Undo brings your own session back.")
        store, session = self._workbench.store, arranged(first_session(), way.session)
        store.replace(session, named=way.question, sheet=Sheet(SheetFile(title=way.question), store.sheet.marks))
        self._open_large(f"plot.{way.plot}")
        self._workbench.take_in_hand(way.plot)
        self.panel.home.say(way.say)

    def ask_and_open(self) -> None:
        """Ask for a lab file and play it."""
        if path := self._dialogs.to_open(self._window, "Open a lab", _LAB_FILES):
            self._reader.read(
                path.absolute(), parse.load, self.desk.open, lambda why: self.said.emit(f"Not opened: {why}")
            )

    def ask_for_folder(self) -> None:
        """Ask for a folder and list its labs."""
        if folder := self._dialogs.folder_of(self._window, "A folder of labs"):
            self.show_folder(folder)

    def show_folder(self, folder: Path) -> None:
        """Close the current lab, list the labs in a folder, and report files that are not valid labs."""
        self._reader.read(folder, lab_folder.read, self._list, lambda why: self.said.emit(f"Not listed: {why}"))

    def _list(self, folder: LabFolder) -> None:
        self.panel.home.show_folder(folder.path, folder.labs)
        self._show_list()
        if folder.refused:
            more = f" (and {len(folder.refused) - 1} more)" if folder.refused[1:] else ""
            self.said.emit(f"Not listed: {folder.refused[0]}{more}")
        elif not folder.labs:
            self.said.emit(f"There are no labs in {folder.path}: labs are Markdown files (.md).")

    def ask_for_step(self) -> None:
        """Open the dialog that turns the current session into a lab step; a lab that is being played is paused."""
        writer = self.writer = self.writer or self._make_writer()
        self.desk.roam()
        self._stage.lend_panels(tuple(self._open_plots()))
        writer.bring()

    def _make_writer(self) -> StepWriter:
        writer = StepWriter(self._workbench.store, self._open_plots, lambda: self._workbench.in_front[0], self._window)
        half = self._memory.half_written
        if half != HalfWritten():
            try:
                writer.take_up(half)
            except ValueError as error:
                self.said.emit(self._put_step_aside(describe_error(error)))
            self._own_lab = Path(half.file) if half.file else None
        writer.watched.connect(self._watch)
        writer.wanted.connect(self._on_written)
        writer.another_wanted.connect(partial(self._follow_own_lab, None))
        writer.existing_wanted.connect(self._ask_for_own_lab)
        writer.list_wanted.connect(self.list_steps)
        writer.finished.connect(self._stage.take_panels_back)
        writer.edited.connect(self._note_step)
        for name in self._workbench.plots:
            self._cards[f"plot.{name}"].visibilityChanged.connect(writer.follow_plots)
        return writer

    def kept_step(self) -> str:
        """Say that a step is half written, and where it can be gone on with, or why it can't; empty if none is."""
        try:
            return _KEPT if self._memory.half_written != HalfWritten() else ""
        except OSError as error:
            return self._put_step_aside(describe_error(error))
        except ValueError:
            return self._put_step_aside("its file is damaged")

    def _put_step_aside(self, why: str) -> str:
        """Put the file of the step that is being written aside, since it can't be read whole; say so."""
        aside = self._memory.put_aside_half_written()
        where = f" The file is kept as {aside}." if aside else ""
        return f"The step of a lab that you were writing can't be read whole: {why}.{where}"

    def drop_step(self) -> None:
        """Forget the step that is being written."""
        if self.writer:
            self.writer.clear()
            self._memory.keep_half_written(HalfWritten())

    def _note_step(self) -> None:
        # Later changes don't restart the timer: constant typing would never be saved.
        if not self._step_due.isActive():
            self._step_due.start()

    def _keep_step(self) -> None:
        if self.writer:
            self._memory.keep_half_written(self.writer.half_written)

    def write_step(self, path: Path, wanted: Written) -> bool:
        """Append a step to a lab file, or create the file, and play it if `wanted` says so. Return whether it was written. A
        step that was written before takes its own place, wherever it stands by now; if it was changed there, the end."""
        try:
            with turns.turn(path, patience=0):
                before = parse.content_of(path) if path.exists() else ""
                old = parse.read(before, path.stem, path) if before.strip() else None
                at = write.place_of(old, wanted.again) if old and wanted.again else None
                content = write.with_step(before, wanted.draft, wanted.title, wanted.summary, old, at)
                lab = parse.read(content, path.stem, path.absolute())
                step = lab.steps[-1 if at is None else at]
                write.require_same(step, wanted.draft)
                atomic.write(path, write.with_minutes(content, lab).encode())
                lab = parse.load(path.absolute())  # as it stands there: the minutes may be others
        except (OSError, ValueError) as error:
            self._say_in_writer(f"Not written: {describe_file_error(error)}")
            return False
        if wanted.played:
            self.begin(lab, step.name)
        self.panel.home.show_own(lab)
        self.wrote.emit(path)
        where = "the end of " if old and wanted.again and at is None else ""
        self.done.emit(f"Written to {where}{path}. Edit it in any editor; the window reloads it.")
        return True

    def list_steps(self, path: Path) -> None:
        """Open the list in which the steps of a lab file are reordered and removed."""
        self._reader.read(path.absolute(), parse.load, self._list_steps, self._say_in_writer)

    def _list_steps(self, lab: Lab) -> None:
        listed = StepList(lab, self.writer or self._window)
        listed.wanted.connect(partial(self._rearrange, listed))
        listed.open()  # the writer waits: what it wrote meanwhile would make the list out of date

    def _rearrange(self, listed: StepList, order: Sequence[int]) -> None:
        """Write a lab's file with these of its steps, in this order, unless it was changed since they were listed."""
        path = listed.lab.path
        assert path  # it was read there
        try:
            with turns.turn(path, patience=0):
                before = parse.content_of(path)
                if parse.read(before, path.stem, path) != listed.lab:
                    raise ValueError("the file was changed meanwhile. Close this list and open it again.")
                content = write.rearranged(before, listed.lab, order)
                lab = parse.read(content, path.stem, path)
                atomic.write(path, content.encode())
        except (OSError, ValueError) as error:
            listed.say(f"Not written: {describe_file_error(error)}")
            return
        listed.close()
        self.panel.home.show_own(lab)
        self.done.emit(f"Written to {path}: {format_count(len(lab.steps), 'step')}.")

    def _say_in_writer(self, why: str) -> None:
        (self.writer.say if self.writer and self.writer.isVisible() else self.said.emit)(why)

    def _ask_for_fields(self, play: Play | None) -> None:
        """Scroll to the form fields that the step asks the learner to change, and keep them unfolded."""
        step = play.step if play and not play.free and play.phase == "act" else None
        self._workbench.encoding.ask_for(step.fields_of("encoding") if step else ())
        self._workbench.model.form.ask_for(step.fields_of("model") if step else ())
        self._workbench.tokens.length_form.ask_for(step.solve if step else ())
        for name, plot in self._workbench.plots.items():
            plot.ask_for(step.options_of(name) if step else ())

    def _list_own(self, play: Play | None) -> None:
        """List the lab that is played, if it is a file's."""
        if play:
            self.panel.home.show_own(play.lab)

    def _watch(self) -> None:
        """Set what the workbench observes: the draft being checked, else the played step, else what the dialog measures."""
        writer, played = self.writer, self.desk.watch()
        self._workbench.watch((writer.trial() or played or writer.watch()) if writer else played)

    def _on_observed(self, seen: object) -> None:
        match seen:
            case Observation():
                self.desk.on_observed(seen)
            case Measured() if self.writer:
                self.writer.show_measured(seen)
            case Tried() if self.writer:
                self.writer.show_tried(seen)

    def _on_given_up(self, why: str) -> None:
        if self.writer:
            self.writer.end_trial(why)

    def _on_written(self, wanted: Written) -> None:
        """Save the dialog's step to the file used last, or ask for one."""
        title, name = "Make this state a step of a lab", _file_name(wanted.title)
        path = self._own_lab or self._dialogs.to_save(self._window, title, name, _LAB_FILES, is_extended=True)
        if path and self.write_step(path, wanted) and self.writer:
            self._follow_own_lab(path)
            if wanted.played:
                self.writer.keep(wanted.draft)
            else:
                self.writer.clear()

    def _ask_for_own_lab(self) -> None:
        """Ask for a lab file to which the next step is written."""
        if self.writer and (path := self._dialogs.to_open(self.writer, "The lab to write to", _LAB_FILES)):
            self._reader.read(path.absolute(), parse.load, lambda lab: self._follow_own_lab(lab.path), self.writer.say)

    def _follow_own_lab(self, path: Path | None) -> None:
        self._own_lab = path
        if self.writer:
            self.writer.show_file(path)

    def ask_and_save_report(self) -> None:
        """Ask for a folder, such as a teacher's USB stick, and save the current lab's report in it."""
        folder = self._dialogs.folder_of(self._window, "Save the report to a folder")
        if folder and self.desk.play:
            say = self.panel.end.say
            say("Writing the report …")
            self._workbench.exporter.report(self.desk.play.record, folder, say, say)

    def ask_and_print_report(self) -> None:
        """Ask for a file and save the current lab's report to it as a PDF."""
        if not self.desk.play:
            return
        name = f"{report.file_name(self.desk.play.record)}.pdf"
        if path := self._dialogs.to_save(self._window, "Save the report as PDF", name, "PDF (*.pdf)"):
            say = self.panel.end.say
            say("Writing the report …")
            self._workbench.exporter.print_report(self.desk.play.record, path, say, say)

    def show_reports(self) -> None:
        """Open the teacher's view of the reports in a folder."""
        if folder := self._dialogs.folder_of(self._window, "A folder of lab reports"):
            self.show_reports_in(folder)

    def show_reports_in(self, folder: Path) -> None:
        """Open the teacher's view of the reports in this folder."""
        if self.classroom is None:
            self.classroom = ClassroomWindow(self._workbench.exporter, self._window)
        self.classroom.show_folder(folder)
        self.classroom.show()
        self.classroom.raise_()

    def show_plan(self) -> None:
        """Show the lesson plan: which steps to play for how long, and the teacher's notes; it can begin them."""
        begin = partial(self.begin, lab_library.lab(lab_library.LESSON))
        LessonPage(lab_library.lesson(), begin, self._window).show()

    def _open_plots(self) -> list[str]:
        cards = {name: self._cards[f"plot.{name}"] for name in self._workbench.plots}
        return [name for name, card in cards.items() if card.in_view and not card.covered]

    def _show_home(self) -> None:
        self._show_list()
        self.panel.home.ask()

    def _show_list(self) -> None:
        self.desk.leave()
        self._enter()


def _file_name(title: str) -> str:
    """Return a file name for a lab with this title: its words in a-z and 0-9, or “my-lab.md”."""
    return f"{'-'.join(re.findall('[a-z0-9]+', title.lower())) or 'my-lab'}.md"
