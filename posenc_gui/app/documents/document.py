"""Open, save and share the session with its bookmarks; and the files of its model, and the SHA-256 of its weights."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.documents import file_content
from posenc_gui.app.documents.file_content import DocumentFile
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.documents.listed_files import RecentFiles
from posenc_gui.app.state.reader import Reader
from posenc_gui.app.state.sheet import Marks, Sheet, SheetFile
from posenc_gui.app.state.store import Store
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.widgets.controls import delayed
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints import opening
from posenc_gui.checkpoints.fingerprint import Fingerprints
from posenc_gui.checkpoints.folder import name_of
from posenc_gui.checkpoints.identity import Identity
from posenc_gui.encodings.rope import RoPE
from posenc_gui.foundation.errors import Invalid, describe_error, describe_file_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import list_names
from posenc_gui.foundation.stopped import Stopped
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.parse import SUFFIXES
from posenc_gui.models.comparison_search import Pair
from posenc_gui.models.model_facts import Published
from posenc_gui.models.presets import Preset
from posenc_gui.models.rope_parameters import block_of
from posenc_gui.render import session_suffixes
from posenc_gui.scene.same_word import on_the_same_words
from posenc_gui.session.bookmarks import Document
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text import tokenization

T = TypeVar("T")

_AT_REST = 200  # ms after a file was written last
_SESSION_FILES = "Session (*.json)"


class Documents(QObject):
    """The current session's file, and everything that opens or saves one."""

    said = Signal(str)  # what went wrong, in a sentence
    done = Signal(str)  # what was done, in a sentence
    remarked = Signal(str)  # a sentence beside what was just said, or nothing
    asked = Signal(str, object)  # what went wrong, in a sentence, and what can be done about it: a tuple of offers
    titled = Signal(str)  # the window's title
    opening = Signal()  # a file is being opened: earlier problems are over
    leaving = Signal()  # the current session is about to be replaced
    left = Signal(object)  # the replaced Document, if it is in no file
    lab_opened = Signal(object)  # Lab, from a file
    numbers_opened = Signal(object)  # the Path of a file of numbers, whose encoding is asked for

    def __init__(
        self,
        store: Store,
        bookmarks: Bookmarks,
        reader: Reader,
        dialogs: FileDialogs,
        recent: RecentFiles,
        arranger: Arranger,
        refused: Callable[[], Sequence[str]],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._store, self._bookmarks, self._refused, self._window = store, bookmarks, refused, window
        self._reader, self._dialogs, self._recent, self._arranger = reader, dialogs, recent, arranger
        self._put_by: Document | None = None  # the last that was kept as an earlier session
        bookmarks.take_up(store.sheet.marks)
        self.file.saved = self.current
        store.turned.connect(self._on_turned)
        store.changed.connect(self.say_title)
        bookmarks.changed.connect(self.say_title)

    @property
    def file(self) -> SheetFile:
        """The current session's file."""
        return self._store.sheet.file

    @property
    def is_reading(self) -> bool:
        """True while a file is being read."""
        return self._reader.busy

    @property
    def current(self) -> Document:
        """The current session with its bookmarks."""
        return Document(self._store.session, self._bookmarks.all)

    @property
    def is_safe(self) -> bool:
        """True if nothing would be lost: the session is in a file, a share string, or new."""
        return self.file.is_elsewhere and self.current == self.file.saved

    def begin(self, path: Path | None, stamp: atomic.Stamp | None = None, title: str = "") -> None:
        """Associate the current session with a file of this stamp, or with none, as a model of this title has none."""
        self._store.sheet.file = file_content.sheet_file(self.current, path, stamp, title)
        self.say_title()

    def open(self, source: Path | str, remark: str = "") -> None:
        """Open a file, a share string or a model's folder; on failure keep the current session and say why.

        A lab is passed on by `lab_opened`; a text, a config.json or a model replaces only its part of the session. `remark` is a
        sentence that is said once it is opened or refused.
        """
        take = partial(self._open, source)
        if isinstance(source, Path) and source.is_dir():
            name = quote(shorten_middle(name_of(source)))
            work = partial(file_content.read_model, self._store.session)
            self._take_what_is_read(partial(self._reader.read_here, source, name, work), take, remark)
        elif isinstance(source, Path) and source.suffix.lower() in file_content.NUMBERS:
            self.numbers_opened.emit(source)
        else:
            self._read(source, file_content.read, take, remark)

    def open_text(self, path: Path) -> None:
        """Replace the session's text by a file's; undo returns to it."""
        self._read(path, tokenization.read_text_file, partial(self._open, path))

    def _read(self, source: Path | str, work: Callable[[Any], T], take: Callable[[T], None], remark: str = "") -> None:
        """Read a file beside the UI thread, and take what it holds, or say why that can't be."""
        self._take_what_is_read(partial(self._reader.read, source, work), take, remark)

    def _take_what_is_read(
        self, read: Callable[[Callable[[T], None], Callable[[str], None]], None], take: Callable[[T], None], remark: str
    ) -> None:
        def refuse(why: str) -> None:
            self.said.emit(f"Not opened: {why}")
            self.remarked.emit(remark)

        def try_to_take(found: T) -> None:
            try:
                take(found)
            except ValueError as error:
                refuse(describe_error(error))
            else:
                self.remarked.emit(remark)

        self.opening.emit()
        read(try_to_take, refuse)

    def _open(self, source: Path | str, found: file_content.Content | file_content.OpenedForText) -> None:
        """Replace the session, or a part of it, by what was read. Raises ValueError if the session can't hold that."""
        name = shorten_middle(source.name) if isinstance(source, Path) else "the share string"
        match found:
            case DocumentFile():
                self._open_document(source, found, f"Open {name}")
            case Lab():
                self.lab_opened.emit(found)
            case file_content.OfNumbers(path):
                self.numbers_opened.emit(path)
            case Published():
                self._open_model(found, name, f"Open {name}")
                self._recent.add(Path(source))
            case file_content.OpenedForText(model, before, split):
                now = self._store.session
                session = on_the_same_words(now.with_trained(model), split, now, before)
                self._begin_elsewhere(session, model.name, f"Open {model.name}")
                self.done.emit(f"{model.name} is read from its folder on this computer; nothing is sent.")
                self._recent.add(Path(source))
            case str():
                self._store.replace(self._store.session.changed(text=found, fill="none"), named=f"Open {name}")

    def _open_document(self, source: Path | str, file: DocumentFile, named: str) -> None:
        self.leave()
        path = source if isinstance(source, Path) and source.suffix == ".json" else None
        opened = self.file if path and path == self.file.path else SheetFile(path)
        opened.stamp, opened.saved, opened.is_elsewhere = file.stamp, file.document, True
        self._take(file.document, opened, named)
        if isinstance(source, Path):
            self._recent.add(source)
        remarks = (*file.remarks, *self._show_cards(file))
        if remarks:
            self.said.emit(" ".join(remarks))
        elif isinstance(source, str):
            self.done.emit("Opened the share string's session. Undo returns to yours.")

    def ask_and_open_text(self) -> None:
        """Ask for a file of text and open it."""
        kinds = f"Text in UTF-8 (*{file_content.TEXT});;All files (*)"
        if path := self._dialogs.to_open(self._window, "Open a text", kinds):
            self.open_text(path)

    def ask_and_open_model(self) -> None:
        """Ask for a model's folder and open it."""
        opening.prepare()
        if path := self._dialogs.folder_of(self._window, "Open a model: a folder with config.json and safetensors"):
            self.open(path)

    def choose_model(self, model: Preset) -> None:
        """Open a published model; the sentence stays."""
        try:
            self._open_model(model, model.title, model.title)
        except ValueError as error:
            self.said.emit(f"Not chosen: {describe_error(error)}")

    def compare(self, pair: Pair) -> None:
        """Compare two encodings or models; the sentence stays."""
        try:
            session = pair.chosen(self._store.session)
        except ValueError as error:
            self.said.emit(f"Not compared: {describe_error(error)}")
            return
        self._store.replace(session, named=f"Compare {pair.title}")
        if pair.remark:
            self.done.emit(f"{pair.title}, {pair.remark}.")

    def _open_model(self, model: Published, title: str, named: str) -> None:
        """Show a model with the sentence of the session before, as a document in no file. Raises ValueError."""
        self._begin_elsewhere(model.chosen(self._store.session), title, named)
        told = f"{title}: {model.summary}. Its attention stays a toy model's, with seeded weights. {model.remark}"
        self.done.emit(told.rstrip())

    def _begin_elsewhere(self, session: Session, title: str, named: str) -> None:
        """Show a session that can be had again, from a model's file or name and the session before, as a document in no file."""
        self.leave()
        self._store.replace(session, named=named, sheet=Sheet(marks=self._store.sheet.marks))
        self.begin(None, title=title)
        self.file.is_elsewhere = True

    def leave(self) -> None:
        """Make sure that the current session can be reopened, before another one replaces it."""
        self.leaving.emit()
        if not self.is_safe and self.current != self._put_by:
            self._put_by = self.current
            self.left.emit(self.current)

    def open_recent(self, path: Path) -> None:
        """Open a recent file; remove it from the list if it no longer exists."""
        if os.path.exists(path):  # noqa: PTH110 (Path.exists raises where a folder may not be read)
            self.open(path)
        else:
            self._recent.drop(path)
            self.said.emit(f"Not opened: {path} no longer exists and was removed from the list.")

    def ask_and_open(self) -> None:
        """Ask for a file and open it."""
        opened = " ".join(f"*{suffix}" for suffix in (".json", *session_suffixes(), *SUFFIXES))
        kinds = f"Sessions, exported figures, models' config.json and labs ({opened});;All files (*)"
        if path := self._dialogs.to_open(self._window, "Open a session, a model or a lab", kinds):
            self.open(path)

    def copy_share(self) -> None:
        """Copy the session as a share string."""
        try:
            shared, alone = self.current.share(), self._store.session.share()
        except ValueError as error:
            self.said.emit(f"Not copied: {describe_error(error)}")
            return
        QGuiApplication.clipboard().setText(shared)
        is_shortened = self._bookmarks.all and shared == alone
        without = ", without its bookmarks, with which it would be too long" if is_shortened else ""
        self.done.emit(f"Copied the session as a share string of {len(shared):,} characters{without}.")

    def copy_rotation(self) -> None:
        """Copy the encoding as a config's `rope_parameters`."""
        session = self._store.session
        if isinstance(session.encoding, RoPE):
            block = {"rope_parameters": block_of(session.encoding, session.model.head_width)}
            QGuiApplication.clipboard().setText(json.dumps(block, indent=2))
            self.done.emit("Copied the encoding as a config.json's rope_parameters.")

    @property
    def has_rotation(self) -> bool:
        """True if the encoding can be written as `rope_parameters`."""
        return isinstance(self._store.session.encoding, RoPE)

    def paste_share(self, shared: str = "") -> None:
        """Open a share string, by default the clipboard's; undo returns from it."""
        pasted = shared or QGuiApplication.clipboard().text()
        if pasted:
            self.open(pasted)
        else:
            self.said.emit("Nothing to paste: there is no text on the clipboard.")

    def save(self) -> None:
        """Save to the session's file; ask for one if there is none, and confirm if the file was changed elsewhere."""
        if self.file.path is None:
            self.ask_and_save()
        elif atomic.stamp(self.file.path) in (None, self.file.stamp):
            self._save_again()
        else:
            told = (
                f"Not saved: {quote(self.file.path.name)} was changed by another window or program since it was opened."
            )
            self.asked.emit(told, (("Save as …", self.ask_and_save), ("Replace it", self._save_again)))

    def ask_and_save(self, *, with_cards: bool = False) -> bool:
        """Ask for a file and save to it, with the card layout if wanted; return True if it was saved."""
        title = "Save the session with its card layout" if with_cards else "Save the session"
        path = self._dialogs.to_save(self._window, title, self.file.path or "session.json", _SESSION_FILES)
        return path is not None and self.save_to(path, with_cards=with_cards)

    def save_to(self, path: Path, *, with_cards: bool = False) -> bool:
        """Save to a file atomically; return True if it was saved."""
        try:
            content = self.current.to_json(self._arranger.area if with_cards else None)
            stamp = atomic.write(path, content.encode())
        except OSError as error:
            self.said.emit(f"Not saved: {describe_file_error(error)}")
            return False
        file = self.file
        file.path, file.stamp, file.saved, file.holds_cards = path, stamp, self.current, with_cards
        file.is_elsewhere = True
        self._recent.add(path)
        saved = f"Saved {path}{' with the card layout' if with_cards else ''}."
        if refused := self._refused():
            self.said.emit(f"{saved} Fields with invalid input were not saved: {', '.join(refused)}.")
        else:
            self.done.emit(saved)
        self.say_title()
        return True

    def open_earlier(self, path: Path) -> None:
        """Open an earlier session, which has no file of its own."""

        def take(file: DocumentFile) -> None:
            self.leave()
            self._take(file.document, file_content.sheet_file(file.document, None), "Open an earlier session")

        self._read(path, file_content.read_document, take)

    def new(self) -> None:
        """Start a new session, the one that a first start shows; undo returns to this one, its bookmarks and its file."""
        self._reader.drop()
        self.leave()
        new = Document(first_session())
        if self.current != new or self.file.path or self.file.title:
            self._take(new, file_content.sheet_file(new, None), "New session")

    def revert(self) -> None:
        """Revert to the session as it was opened or last saved; undo returns from that."""
        if self.file.saved is None:
            self.said.emit(f"Not reverted: {self.file.path} could not be read at the start.")
        elif self.current != (saved := self.file.saved):
            marks = self._store.sheet.marks  # shared, in a lab, with the document before it
            sheet = Sheet(self.file, marks if marks.all == saved.bookmarks else Marks(saved.bookmarks))
            self._store.replace(saved.session, named="Revert to the opened session", sheet=sheet)

    def say_title(self) -> None:
        """Emit the window's title: the file's name, with a star for unsaved changes."""
        changed = "*" if self.current != self.file.saved else ""
        name = self.file.path.name if self.file.path else self.file.title or "Untitled"
        self.titled.emit(f"{name}{changed} — Positional encodings")

    def _take(self, document: Document, file: SheetFile, named: str) -> None:
        """Replace session, bookmarks and file, in one step of undo."""
        self._store.replace(document.session, named=named, sheet=Sheet(file, Marks(document.bookmarks)))

    def _on_turned(self, sheet: Sheet) -> None:
        """Go on with the bookmarks and the file of the document whose session is shown now."""
        self._bookmarks.take_up(sheet.marks)
        self.say_title()

    def _save_again(self) -> None:
        if self.file.path:
            self.save_to(self.file.path, with_cards=self.file.holds_cards)

    def _show_cards(self, file: DocumentFile) -> tuple[str, ...]:
        """Lay out the cards as the file says, if it does; return a sentence for what can't be done of that."""
        self.file.holds_cards = file.holds_cards
        if file.cards is None:
            return ()
        unknown = self._arranger.show(file.cards)
        if unknown:
            return (f"Left out of the card layout: {list_names(unknown)}, which this version doesn't have.",)
        self.done.emit("The cards are laid out as in the file. View ▸ Back to my layout restores yours.")
        return ()


class ModelFiles(QObject):
    """Follows the files of the model that is seen."""

    written = Signal()  # one of them was written, replaced or removed, a moment ago

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        soon = delayed(self, self.written.emit, _AT_REST)  # a file is written in many pieces
        self._watcher.fileChanged.connect(lambda: soon.start())
        self._watcher.directoryChanged.connect(lambda: soon.start())

    def follow(self, session: Session) -> None:
        """Watch the files of a session's model; again those that were replaced, which ends the watch on them."""
        model = session.model if isinstance(session.model, TrainedModel) else None
        folder = model.here.path if model else ""
        wanted = {folder, *(str(Path(folder, one.name)) for one in model.files)} if model and folder else set()
        watched = {*self._watcher.files(), *self._watcher.directories()}
        for change, paths in (
            (self._watcher.removePaths, watched - wanted),
            (self._watcher.addPaths, wanted - watched),
        ):
            if paths:
                change(sorted(paths))


class WeightsHash(QObject):
    """Follows the session: of each model that is seen the SHA-256 becomes known, one model at a time."""

    came = Signal()  # the SHA-256 of the model that is seen
    said = Signal(str)  # that a session was saved with other weights, in a sentence
    _computed = Signal(object, str)  # a model and its weights' SHA-256, empty if they can't be read; from the thread

    def __init__(self, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._fingerprints = Fingerprints(folder)
        self._seen: TrainedModel | None = None
        self._of: Identity | None = None  # what is being computed
        self._stop = Event()
        self._computed.connect(self._on_computed, Qt.ConnectionType.QueuedConnection)

    def follow(self, session: Session) -> None:
        """Compute the SHA-256 of a session's model, if it has learned, is open, and that isn't known."""
        model = session.model if isinstance(session.model, TrainedModel) else None
        before, self._seen = self._seen, model
        if model is None:
            return
        if opening.known_sha256(model.identity):
            if before is None or (before.identity, before.sha256) != (model.identity, model.sha256):
                self._compare(model)
        elif model.identity != self._of and (folder := opening.opened_path(model.identity)):
            self._begin(folder, model.identity)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()

    def _begin(self, folder: Path, model: Identity) -> None:
        self._stop.set()
        self._stop, self._of = Event(), model
        Thread(target=self._compute, args=(folder, model, self._stop), name="weights", daemon=True).start()

    def _compute(self, folder: Path, model: Identity, stop: Event) -> None:
        def check_stop() -> None:
            if stop.is_set():
                raise Stopped

        with suppress(Stopped, RuntimeError):  # RuntimeError: the window went away first
            try:
                found = self._fingerprints.compute(folder, model.weights, check_stop)
            except Invalid:  # gone or changed, which the plots say
                found = ""
            check_stop()
            self._computed.emit(model, found)

    def _on_computed(self, model: Identity, sha256: str) -> None:
        if model == self._of:
            self._of = None  # what couldn't be read is tried again once something is drawn
        if sha256:
            opening.tell_sha256(model, sha256)
            if self._seen is not None and self._seen.identity == model:
                self._compare(self._seen)
                self.came.emit()

    def _compare(self, model: TrainedModel) -> None:
        if model.sha256 not in ("", model.fingerprint):
            self.said.emit(
                f"{model.name} has other weights than this session was saved with: their SHA-256 is another."
            )
