"""The lab desk: state machine of the played lab. It has no widgets itself."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit

from posenc_gui.app.documents import file_content
from posenc_gui.app.panels.jobs import Observer
from posenc_gui.app.state.lab_progress import LabMemory, Underway
from posenc_gui.app.state.reader import Reader
from posenc_gui.app.state.sheet import Sheet, SheetFile
from posenc_gui.app.state.store import History, HistoryStep, Store
from posenc_gui.app.widgets.controls import delayed
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import describe_error, describe_file_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import Opened
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.definition import lab_library, parse
from posenc_gui.labs.definition.lab import Lab, arranged
from posenc_gui.labs.definition.record import LONGEST_WORDS, Answer, DraftAnswer, Picture, Record
from posenc_gui.labs.play.observe import Observation, look, session_beside
from posenc_gui.labs.play.progress import Play
from posenc_gui.session.bookmarks import Document
from posenc_gui.session.change_names import NamedChange, between
from posenc_gui.session.session import Session

COMES_BACK = "Your own sentence and settings come back when you leave the lab."
GAVE_BACK = "Your own sentence and settings are back. What you did in the lab is kept."
_LAB = "Lab: "  # how steps of undo begin that lead to a lab's session
# Milliseconds for which a goal must hold before it counts: half-typed text or numbers may meet it by accident.
NOTICED, TYPED = 300, 1500
_WRITTEN = 200  # milliseconds without a change before a lab file is read again


class LabDesk(QObject):
    """Keeper of the current play: replaces it by its successor states, and saves it for the next start."""

    changed = Signal(object)  # Play, or None if no lab is open
    observed = Signal(object)  # Observation of the current session
    opened = Signal(object)  # Path of the lab file that is now played
    entering = Signal(str)  # a lab, or a question's plot, is about to replace the session: how that comes back
    gave_back = Signal(object)  # what was there before is back: how to keep the lab's session; None if another follows
    entered = Signal()  # another step is about to begin, or the lab to close: save the notes of this one
    watched = Signal()  # `watch` has changed: observe sessions by the new one
    said = Signal(str)  # a sentence about what went wrong
    done = Signal(str)  # a sentence about what was done

    def __init__(self, store: Store, memory: LabMemory, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._memory = store, memory
        self.play: Play | None = None
        self._own: History | None = None  # what the lab took the place of; given back when it is left
        self._waiting: tuple[Lab, Session] | None = None  # the lab that was left for a while, and the session in it
        self._learner = memory.underway().learner
        self._reached: Observation | None = None
        self._patience = delayed(self, self._on_patient)
        store.changed.connect(self._on_session)
        self._reader = Reader(self)  # of the file that is played, so that following it never stops an opening
        self._files = QFileSystemWatcher(self)
        self._written = delayed(self, self._reread, _WRITTEN)
        self._files.fileChanged.connect(lambda _: self._written.start())
        self._files.directoryChanged.connect(lambda _: self._written.start())
        self._read: atomic.Stamp | None = None  # the lab file's stamp when it was last read

    def resume(self) -> None:
        """Resume the lab that was being played when the window was last closed, if there was one."""
        underway = self._memory.underway()
        if not underway.lab:
            return
        try:
            if underway.before:
                self._own = self._own_of(Session.read(underway.before).content, underway)
            lab = parse.load(Path(underway.path)) if underway.path else lab_library.lab(underway.lab)
            left = Session.read(underway.left) if underway.left else None
            if not self._memory.take(_key(lab)):
                raise ValueError(_elsewhere(lab))
        except (OSError, ValueError) as error:  # the learner's record on disk is kept
            own, self._own = self._own, None
            if own:
                self._store.exchange(own)
            self._show(None)
            self.said.emit(f"The lab can't continue: {describe_file_error(error)}")
            return
        record, why = self._found(lab)
        if why:
            self._put_aside(lab, why)
        play = Play.begin(lab, record, self._learner)
        self._follow(lab)
        session = self._store.session
        if self._own and self._own.steps[0].session == session:  # the window was killed just as the lab began
            session = self._begun(play) or session
        if left is None:
            self._go_on_from(session, lab)
        self._show(play if left is None else play.out(left.content))
        if left and left.remarks:
            self.said.emit(f"The session to come back to: {' '.join(left.remarks)}")

    def _own_of(self, before: Session, underway: Underway) -> History:
        """Return the history of the session before the lab as the window was left, with the bookmarks, which a lab shares."""
        marks, path = self._store.sheet.marks, Path(underway.file) if underway.file else None
        file = file_content.sheet_file(Document(before, marks.all), path, underway.stamp, underway.title)
        return History.of(before, Sheet(file, marks))

    def record_of(self, lab: Lab) -> Record | None:
        """Return the learner's earlier record of a lab; None if none exists or it can't be read (reported when the
        lab begins)."""
        return self._found(lab)[0]

    def begin(self, lab: Lab, *, step: str = "", again: bool = False, there: Session | None = None) -> bool:
        """Play a lab: from where the learner left it, `there` being the session then, from a step, or again from its
        beginning. Return whether it began. If it can't begin, report why and keep the current lab."""
        self.entered.emit()
        if not self._memory.take(_key(lab)):
            self.said.emit(_elsewhere(lab))
            return False
        record, why = (None, "") if again else self._found(lab)
        play = Play.begin(lab, record, self._learner)
        names = [one.name for one in lab.steps]
        if step in names:
            play = play.at(names.index(step))
        session = there or self._begun(play)
        if session is None:
            return False
        kept = self._put_aside(lab, why) if again or why else None
        if self.play is None:
            self.entering.emit(COMES_BACK)
            self._own = self._store.whole
        self._waiting = None
        self._follow(lab)
        self._show(play)
        self._go_on_from(session, lab)
        if again and kept:
            self.done.emit(f"A new run of {quote(lab.title)}. The one before is kept as a report: {kept}")
        return True

    def open(self, lab: Lab) -> None:
        """Play a lab that was read from a file, and reload the file whenever it is saved."""
        if self.begin(lab):
            self.opened.emit(lab.path)

    def go(self, index: int) -> None:
        """Go to another step: a finished step shows the session in which it was finished, others their first session. If a
        goal was just reached, stay and show its outcome at once."""
        if self._patience.isActive():
            self._patience.stop()
            self._on_patient()
            return
        self.entered.emit()
        if self.play:
            self._enter(self.play.at(index))

    def reset_step(self) -> None:
        """Restore the step's first session, so that the action can be repeated. The prediction is kept."""
        if not self.play:
            return
        try:
            session = self.play.step.begun(self._store.session)
        except ValueError as error:
            self.said.emit(f"Not reset: {describe_error(error)}")
            return
        self._show(self.play.again())
        self._store.replace(session)

    def commit(self, answer: Answer, words: str, reason: str) -> None:
        """Commit a prediction, which can't be changed afterwards."""
        if self.play:
            self._show(self.play.committed(answer, words, reason))

    def transfer(self, answer: str) -> None:
        """Answer the step's transfer question, and show the session that it asks about."""
        if self.play is None or self.play.step.transfer is None or self.play.done.transfer:
            return
        self._show(self.play.transferred(answer))
        try:
            done = Session.read(self.play.done.session).content
            self._store.replace(arranged(done, self.play.step.transfer.changes))
        except ValueError as error:
            self.said.emit(f"Not shown: {describe_error(error)}")

    def hint(self) -> None:
        """Show the next hint."""
        if self.play:
            self._show(self.play.hinted())

    def show_me(self) -> None:
        """Reach the goal for the learner, and say what was done."""
        if not self.play:
            return
        before = self._store.session
        try:
            after = self.play.step.solved(before)
        except ValueError as error:
            self.said.emit(f"Not shown: {describe_error(error)}")
            return
        self._show(self.play.noted(shown=True))
        if after == before:  # or else the card says what was done
            self.done.emit("Shown: nothing had to change.")
        self._store.replace(after)

    def roam(self) -> None:
        """Begin free play: all controls are available, and the lab is paused."""
        if self.play and not self.play.free:
            self._show(self.play.out(self._store.session))

    def come_back(self) -> bool:
        """Return from free play to the lab, or to one that waits, and to the session in which it was paused; return False if
        no lab is paused or it can't go on."""
        if self.play and (left := self.play.left):
            self._show(self.play.back())
            self._go_on_from(left, self.play.lab)
            return True
        if self._waiting is None:
            return False
        (lab, there), self._waiting = self._waiting, None
        try:
            return self.begin(parse.load(lab.path) if lab.path else lab, there=there)
        except (OSError, ValueError) as error:
            self.said.emit(f"The lab can't continue: {describe_file_error(error)}")
            return False

    def step_out(self, *, told: bool = True) -> None:
        """Leave the lab for a while: it waits, in the session in which it is left."""
        if self.play:
            waiting = self.play.lab, self.play.left or self._store.session
            self.leave(told=told)
            self._waiting = waiting

    def leave(self, *, told: bool = True) -> None:
        """Close the lab and give back what it took the place of, which is `told`; the learner's progress is kept."""
        self.entered.emit()
        self._unfollow()
        left, own, self._own, self._waiting = self.play, self._own, None, None
        if left and own:
            self._give_back(own, f"{_LAB}{left.lab.title}", told)
        self._show(None)

    def _give_back(self, own: History, named: str, told: bool) -> None:
        """Go on with what was there before the lab; redo leads to the lab's session, unless to what was undone before."""
        before, after, sheet = own.steps[own.at].session, self._store.session, self._store.sheet
        if all(step.change.name.startswith(_LAB) for step in own.steps[own.at + 1 :]):
            change = NamedChange(between(before, after).paths, named)
            own.steps[own.at + 1 :] = [HistoryStep(after, change, sheet)]
        self._store.exchange(own)
        self.gave_back.emit(partial(self._keep_left, after, named, sheet) if told else None)

    def _keep_left(self, session: Session, named: str, sheet: Sheet) -> None:
        """Show the session of a lab that was left, but not in the step of another one."""
        if self.play is None:
            self._store.replace(session, named=named, sheet=sheet)

    def close(self) -> None:
        """Release the lab so that other windows can play it; this window resumes it at its next start."""
        self._memory.release()

    def note(self, words: str) -> None:
        """Save the learner's own explanation."""
        if self.play and words != self.play.done.notes:
            self._keep(self.play.noted(notes=words[:LONGEST_WORDS]))

    def draft(self, draft: DraftAnswer) -> None:
        """Save a prediction that isn't committed yet."""
        if self.play and self.play.phase == "predict" and draft != (self.play.done.draft or DraftAnswer()):
            self._keep(self.play.noted(draft=draft))

    def take_picture(self, plot: str) -> None:
        """Save a plot's current picture with the record, and the one that stands beside it."""
        if self.play:
            session = self._store.session
            before = session_beside(plot, self.play.step, self.play.done, session)
            picture = Picture(
                plot=plot, session=session.for_others.to_json(), before=before.for_others.to_json() if before else ""
            )
            self._show(self.play.with_picture(picture))

    def name_learner(self, name: str) -> None:
        """Set the name under which reports are saved."""
        self._learner = name
        if self.play:
            record = Record(**{**dict(self.play.record), "learner": name})
            self._keep(replace(self.play, record=record))

    def on_observed(self, seen: Observation) -> None:
        """Show the worker's observation, and accept a reached goal once it has held for a while. A step without a goal waits
        for nothing, nor do the numbers of a step that is done. While a plot plays, observations lag behind the session."""
        if self.play is None:
            return
        self.observed.emit(seen)
        if (tried := self.play.trying(seen)) is not self.play:
            self._keep(tried)
        if (play := self.play.visiting(seen).judged(seen)) is not self.play:
            self._show(play)  # the next observation counts it
            return
        self._reached = seen
        if not seen.reached:
            self._patience.stop()
        elif not self.play.step.goal or self.play.phase == "done":
            self._take(seen)
        elif _is_typing():
            self._patience.start(TYPED)
        elif not self._patience.isActive():
            self._patience.start(NOTICED)

    # --- replacing one play by the next

    def _on_patient(self) -> None:
        if self._reached and (self._reached.session == self._store.session or not _is_typing()):
            self._take(self._reached)

    def _on_session(self) -> None:
        if _is_typing():
            self._patience.stop()

    def _take(self, seen: Observation) -> None:
        if self.play and (play := self.play.observed(seen)) is not self.play:
            self._show(play)

    def _enter(self, play: Play) -> None:
        """Enter a play's current step, with the session that belongs to it."""
        play = play.back()
        session = self._begun(play)
        if session is not None:
            self._show(play)
            self._go_on_from(session, play.lab)

    def _go_on_from(self, session: Session, lab: Lab) -> None:
        """Continue from a session of the lab, in a history of its own: earlier sessions would not match the step's text."""
        marks = self._store.sheet.marks
        sheet = Sheet(SheetFile(title=lab.title, saved=Document(session, marks.all)), marks)
        self._store.exchange(History.of(session, sheet, "As the lab's step began"))

    def _begun(self, play: Play) -> Session | None:
        """Return the session that belongs to a play's step; if it can't be built, report why and return None."""
        try:
            return _session_of(play, self._store.session)
        except ValueError as error:
            self.said.emit(f"This step can't begin: {describe_error(error)}")
            self._show(self.play)
            return None

    def _found(self, lab: Lab) -> tuple[Record | None, str]:
        """Return the earlier record of a lab and, if it must be set aside before the next save, the reason."""
        try:
            opened = self._memory.record(_key(lab)) or self._taken_over(lab)
        except (OSError, ValueError) as error:
            return None, (
                f"Your earlier work in {quote(lab.title)} could not be read and was set aside: {describe_file_error(error)}"
            )
        if opened is None:
            return None, ""
        if opened.remarks:  # don't overwrite what another version of the program wrote
            return opened.content, f"From your earlier work in {quote(lab.title)}: {' '.join(opened.remarks)}"
        return opened.content, ""

    def _taken_over(self, lab: Lab) -> Opened[Record] | None:
        """Return the learner's work in labs whose steps this one has taken over; None if there is none."""
        former = [opened for name in lab.formerly if (opened := self._memory.record(name))]
        record = Record.taken_over([opened.content for opened in former], [step.name for step in lab.steps])
        if record is None:
            return None
        return Opened(record, tuple(remark for opened in former for remark in opened.remarks))

    def _put_aside(self, lab: Lab, why: str) -> Path | None:
        kept = self._memory.put_aside_record(_key(lab))
        if why:
            self.said.emit(why)
        return kept

    def _show(self, play: Play | None) -> None:
        self._patience.stop()
        self._reached = None
        self._keep(play)
        self.changed.emit(play)
        self.watched.emit()

    def watch(self) -> Observer | None:
        """Return the watch for the played step; None if no lab is played."""
        return None if self.play is None or self.play.free else partial(_look, self.play)

    def _keep(self, play: Play | None) -> None:
        self.play = play
        self._memory.hold_only(_key(play.lab) if play else "")
        if play is None:
            self._memory.keep_underway(Underway(learner=self._learner))
            return
        path = str(play.lab.path or "")
        left = play.left.to_json() if play.left else ""
        underway = Underway(lab=play.lab.name, path=path, left=left, learner=self._learner)
        if self._own:
            own = self._own.steps[self._own.at]
            file, before = own.sheet.file, own.session.to_json()
            of_own = {"before": before, "file": str(file.path or ""), "stamp": file.stamp, "title": file.title}
            underway = underway.model_copy(update=of_own)
        self._memory.keep_underway(underway)
        self._memory.keep_record(_key(play.lab), play.record)

    # --- following the lab file

    def _follow(self, lab: Lab) -> None:
        self._unfollow()
        if lab.path:
            self._files.addPaths([str(lab.path), str(lab.path.parent)])
            self._read = atomic.stamp(lab.path)

    def _unfollow(self) -> None:
        if watched := [*self._files.files(), *self._files.directories()]:
            self._files.removePaths(watched)

    def _reread(self) -> None:
        """Reload the changed file, or report its faults and keep the lab as it was."""
        if self.play is None or self.play.lab.path is None:
            return
        path = self.play.lab.path
        self._files.addPath(str(path))  # editors replace the file, which ends the watch on it
        if atomic.stamp(path) == self._read:
            return
        self._read = atomic.stamp(path)
        self._reader.read(
            path, parse.load, self._reload, lambda why: self.said.emit(f"The lab was not reloaded: {why}")
        )

    def _reload(self, lab: Lab) -> None:
        """Go on in a lab as its file has it now."""
        if self.play is None or lab.path is None or self.play.lab.path != lab.path:
            return
        self.entered.emit()
        self._show(replace(Play.begin(lab, self.play.record), left=self.play.left))
        self.done.emit(f"{quote(lab.path.name)} was reloaded.")


def _is_typing() -> bool:
    """Return True if the focus is in a text or number field: a change may be half typed."""
    return isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit | QAbstractSpinBox)


def _session_of(play: Play, before: Session) -> Session:
    """Return the session in which the step was left, its result's or that of its answered transfer question, if it can still
    be read; otherwise the step's first session."""
    with suppress(ValueError):
        done, transfer = Session.read(play.done.session).content, play.step.transfer
        return arranged(done, transfer.changes) if transfer and play.done.transfer else done
    begun = play.step.begun(before)
    with suppress(ValueError):
        return begun.changed(encoding={"name": "own", "formula": play.done.formula}) if play.done.formula else begun
    return begun


def _look(play: Play, session: Session, engine: Engine) -> Observation:
    return look(play.step, play.done, session, engine)


def _elsewhere(lab: Lab) -> str:
    return f"{quote(lab.title)} is open in another window. Continue there, or close it there first."


def _key(lab: Lab) -> str:
    """Return the name under which a lab's record is kept. Files of the same name in two folders are different labs."""
    if lab.path is None:
        return lab.name
    return f"{lab.name}-{hashlib.sha256(os.fsencode(lab.path)).hexdigest()[:8]}"
