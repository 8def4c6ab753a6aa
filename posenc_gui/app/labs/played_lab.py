"""The lab desk: which lab is being played, and what becomes of it when the learner acts. Shows nothing itself."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit

from posenc_gui.app.panels.workbench import Watch
from posenc_gui.app.state.lab_progress import LabMemory, Underway
from posenc_gui.app.state.store import Store
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import explain, sentence
from posenc_gui.foundation.files import atomic as files
from posenc_gui.labs.definition import lab_library as shelf
from posenc_gui.labs.definition import parse as read
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.record import LONGEST_WORDS, Answer, Picture, Record
from posenc_gui.labs.play.observe import Observation, look
from posenc_gui.labs.play.progress import Play
from posenc_gui.session.change_names import between
from posenc_gui.session.session import Session

# Milliseconds for which a goal must hold: half a sentence, or half a number, that is being typed may reach it too.
NOTICED, TYPED = 300, 1500
_WRITTEN = 200  # milliseconds after which a file that is being written is read


class LabDesk(QObject):
    """Holds the play at hand, replaces it by the next one, and keeps it for the next start."""

    changed = Signal(object)  # Play, or None without a lab
    observed = Signal(object)  # Observation of the session at hand
    opened = Signal(object)  # Path of the lab's file that is played now
    entering = Signal()  # a lab is about to take the place of the session at hand
    entered = Signal()  # a step begins, or the lab is closed: what stood there before is to be kept now
    watched = Signal()  # sessions are to be looked at in another way from now on
    said = Signal(str)  # what went wrong, in a sentence
    done = Signal(str)  # what was done, in a sentence

    def __init__(self, store: Store, memory: LabMemory, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._memory = store, memory
        self._play: Play | None = None
        self._before: Session | None = None  # what the lab took the place of, and gives it back to
        self._learner = memory.underway().learner
        self._reached: Observation | None = None
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._on_patient)
        store.changed.connect(self._on_session)
        self._files = QFileSystemWatcher(self)
        self._written = QTimer(self, singleShot=True, interval=_WRITTEN)
        self._written.timeout.connect(self._reread)
        self._files.fileChanged.connect(lambda _: self._written.start())
        self._files.directoryChanged.connect(lambda _: self._written.start())
        self._read: files.Stamp | None = None  # of the file as it was read

    @property
    def play(self) -> Play | None:
        """The play at hand; None without a lab."""
        return self._play

    def resume(self) -> None:
        """Go on with the lab that was being played when the window was closed, if there was one."""
        underway = self._memory.underway()
        if not underway.lab:
            return
        try:
            lab = read.load(Path(underway.path)) if underway.path else shelf.lab(underway.lab)
            left = Session.read(underway.left) if underway.left else None
            before = Session.read(underway.before).content if underway.before else None
        except (OSError, ValueError) as error:  # the learner's record stays
            self.said.emit(f"The lab can't go on: {explain(error)}")
            return
        if not self._memory.take(_key(lab)):
            self.said.emit(_elsewhere(lab))
            return
        record, why = self._found(lab)
        if why:
            self._put_aside(lab, why)
        play = Play.begin(lab, record, self._learner)
        self._before = before
        self._follow(lab)
        self._show(play if left is None else play.out(left.content))
        if left is None:
            self._store.hold()
        if left and left.remarks:
            self.said.emit(f"The session to come back to: {' '.join(left.remarks)}")

    def record_of(self, lab: Lab) -> Record | None:
        """What was done of a lab before; None where nothing was, or it can't be read, which is said when the lab begins."""
        return self._found(lab)[0]

    def begin(self, lab: Lab, *, step: str = "", again: bool = False) -> bool:
        """Play a lab, from where it was left, from a step, or once more from its beginning; gives whether it is played.

        Where that can't be, which is said, the one at hand goes on.
        """
        self.entered.emit()
        if not self._memory.take(_key(lab)):
            self.said.emit(_elsewhere(lab))
            return False
        record, why = (None, "") if again else self._found(lab)
        play = Play.begin(lab, record, self._learner)
        names = [one.name for one in lab.steps]
        if step in names:
            play = play.at(names.index(step))
        session = self._begun(play)
        if session is None:
            return False
        kept = self._put_aside(lab, why) if again or why else None
        if self._play is None:
            self.entering.emit()
            self._before = self._store.session
        self._follow(lab)
        self._show(play)
        self._go_on_from(session, named=f"Lab: {lab.title}")
        if again and kept:
            self.done.emit(f"A new run of “{lab.title}”. The one before is kept as a report: {kept}")
        return True

    def open(self, path: Path) -> None:
        """Play the lab in a file, and follow the file while it is written."""
        try:
            lab = read.load(path.absolute())
        except (OSError, ValueError) as error:
            self.said.emit(f"Not opened: {explain(error)}")
            return
        if self.begin(lab):
            self.opened.emit(path)

    def go(self, index: int) -> None:
        """To another step: where it is done, to the session in which it was; else to its beginning.

        Not before what has just reached the goal was told.
        """
        if self._patience.isActive():
            self._patience.stop()
            self._on_patient()
            return
        self.entered.emit()
        if self._play:
            self._enter(self._play.at(index))

    def reset_step(self) -> None:
        """Back to the session with which the step begins, to do it once more. What was predicted stays."""
        if not self._play:
            return
        try:
            session = self._play.step.begun(self._store.session)
        except ValueError as error:
            self.said.emit(f"Not reset: {sentence(error)}")
            return
        self._show(self._play.again())
        self._store.replace(session)

    def commit(self, answer: Answer, words: str, reason: str) -> None:
        """Commit a prediction: from now on it stays as it is."""
        if self._play:
            self._show(self._play.committed(answer, words, reason))

    def hint(self) -> None:
        """One more stage of hints."""
        if self._play:
            self._show(self._play.hinted())

    def show_me(self) -> None:
        """Do what reaches the goal, and say what it was."""
        if not self._play:
            return
        before = self._store.session
        try:
            after = self._play.step.solved(before)
        except ValueError as error:
            self.said.emit(f"Not shown: {sentence(error)}")
            return
        self._show(self._play.noted(shown=True))
        change = between(before, after).name
        self.done.emit(f"Shown: {change}. Undo takes it back." if change else "Shown: nothing had to be changed.")
        self._store.replace(after)

    def roam(self) -> None:
        """Free play: everything is there; the lab waits."""
        if self._play and not self._play.free:
            self._show(self._play.out(self._store.session))
            self._store.let_go()

    def make_way(self) -> None:
        """Let something else be opened: the lab waits, and will not take its place when it is closed."""
        self._before = None
        if self._play:
            self._keep(self._play)
        self.roam()

    def come_back(self) -> None:
        """Back to the lab, and to the session that was left."""
        if self._play and self._play.left:
            left = self._play.left
            self._show(self._play.back())
            self._go_on_from(left)

    def leave(self) -> None:
        """Close the lab, and go back to the session before it; what was done of it is kept."""
        self.entered.emit()
        self._unfollow()
        before, self._before = self._before, None
        left = self._play
        self._show(None)
        self._store.let_go()
        if left and before:
            self._store.replace(before, named=f"Close the lab: {left.lab.title}")

    def close(self) -> None:
        """Let other windows play the lab; at the next start this one goes on with it."""
        self._memory.release()

    def note(self, words: str) -> None:
        """Keep the learner's own explanation."""
        if self._play and words != self._play.done.notes:
            self._keep(self._play.noted(notes=words[:LONGEST_WORDS]))

    def take_picture(self, plot: str) -> None:
        """Keep a picture of a plot as it is now."""
        if self._play:
            self._show(self._play.with_picture(Picture(plot=plot, session=self._store.session.to_json())))
            self.done.emit("Kept for your report.")

    def name_learner(self, name: str) -> None:
        """Under which name reports are saved, from now on."""
        self._learner = name
        if self._play:
            record = Record(**{**dict(self._play.record), "learner": name})
            self._keep(replace(self._play, record=record))

    def on_observed(self, seen: Observation) -> None:
        """Take what the worker saw, once it has held for a while. While a plot plays, it is a moment old."""
        if self._play is None:
            return
        self.observed.emit(seen)
        self._reached = seen
        if not seen.reached:
            self._patience.stop()
        elif not self._play.step.goal:
            self._take(seen)
        elif _is_typing():
            self._patience.start(TYPED)
        elif not self._patience.isActive():
            self._patience.start(NOTICED)

    # --- one play after the other

    def _on_patient(self) -> None:
        if self._reached and (self._reached.session == self._store.session or not _is_typing()):
            self._take(self._reached)

    def _on_session(self) -> None:
        if _is_typing():
            self._patience.stop()

    def _take(self, seen: Observation) -> None:
        if self._play and (play := self._play.observed(seen)) is not self._play:
            self._show(play)

    def _enter(self, play: Play) -> None:
        """At a step, with the session that belongs to it."""
        play = play.back()
        session = self._begun(play)
        if session is not None:
            self._show(play)
            self._go_on_from(session)

    def _go_on_from(self, session: Session, named: str = "") -> None:
        """With a session of the lab's. Undo leads nowhere before it: there the step's words would be of something else."""
        self._store.replace(session, named=named)
        self._store.hold()

    def _begun(self, play: Play) -> Session | None:
        """The session that belongs to a step; where it can't be had, that is said, and the play at hand goes on."""
        try:
            return _session_of(play, self._store.session)
        except ValueError as error:
            self.said.emit(f"This step can't begin: {sentence(error)}")
            self._show(self._play)
            return None

    def _found(self, lab: Lab) -> tuple[Record | None, str]:
        """What was done of a lab before, and why it is to be put aside before it is written again, if it is."""
        try:
            opened = self._memory.record(_key(lab))
        except (OSError, ValueError) as error:
            return None, (f"What you did in “{lab.title}” before could not be read and was put aside: {explain(error)}")
        if opened is None:
            return None, ""
        if opened.remarks:  # nothing of what another version wrote is overwritten
            return opened.content, f"Of what you did in “{lab.title}” before: {' '.join(opened.remarks)}"
        return opened.content, ""

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

    def watch(self) -> Watch | None:
        """How sessions are to be looked at for the step that is played; None where none is."""
        return None if self._play is None or self._play.free else partial(_look, self._play)

    def _keep(self, play: Play | None) -> None:
        self._play = play
        self._memory.hold_only(_key(play.lab) if play else "")
        if play is None:
            self._memory.keep_underway(Underway(learner=self._learner))
            return
        path = str(play.lab.path or "")
        left, before = (one.to_json() if one else "" for one in (play.left, self._before))
        underway = Underway(lab=play.lab.name, path=path, left=left, before=before, learner=self._learner)
        self._memory.keep_underway(underway)
        self._memory.keep_record(_key(play.lab), play.record)

    # --- a file that is being written

    def _follow(self, lab: Lab) -> None:
        self._unfollow()
        if lab.path:
            self._files.addPaths([str(lab.path), str(lab.path.parent)])
            self._read = files.stamp(lab.path)

    def _unfollow(self) -> None:
        if watched := [*self._files.files(), *self._files.directories()]:
            self._files.removePaths(watched)

    def _reread(self) -> None:
        """The file was written: show it as it is now, or say what is wrong with it and keep what was there."""
        if self._play is None or self._play.lab.path is None:
            return
        path = self._play.lab.path
        self._files.addPath(str(path))  # editors replace the file, and with it the watch
        if files.stamp(path) == self._read:
            return
        self._read = files.stamp(path)
        try:
            lab = read.load(path)
        except (OSError, ValueError) as error:
            self.said.emit(f"The lab stays as it was: {explain(error)}")
            return
        self.entered.emit()
        self._show(replace(Play.begin(lab, self._play.record), left=self._play.left))
        self.done.emit(f"{path.name} was read again.")


def _is_typing() -> bool:
    """Whether what changes the session is likely to be a hand on the keyboard, in the middle of a word."""
    return isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit | QAbstractSpinBox)


def _session_of(play: Play, before: Session) -> Session:
    """Where a step is done, the session in which it was, unless that can't be read any more; else its beginning."""
    with suppress(ValueError):
        return Session.read(play.done.session).content
    return play.step.begun(before)


def _look(play: Play, session: Session, engine: Engine) -> Observation:
    return look(play.step, play.done, session, engine)


def _elsewhere(lab: Lab) -> str:
    return f"“{lab.title}” is being played in another window: go on there, or close it there first."


def _key(lab: Lab) -> str:
    """Under which name a lab's record is kept: files of the same name in two folders are two labs."""
    if lab.path is None:
        return lab.name
    return f"{lab.name}-{hashlib.sha256(os.fsencode(lab.path)).hexdigest()[:8]}"
