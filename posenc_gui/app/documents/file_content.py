"""What a file holds: the one place that reads any file that the window opens. Without Qt."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from posenc_gui.app.state.sheet import SheetFile
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import Opened
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.models.config import is_config_at, understood
from posenc_gui.models.model_facts import Published
from posenc_gui.models.opening import open_model
from posenc_gui.scene.splitting import Split
from posenc_gui.session.bookmarks import Document
from posenc_gui.session.card_layout import PART, Area
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text import tokenization

TEXT = ".txt"
_BEGINNING = 1000  # letters by which an array is known
_ONE = r"[-+]?(?:\d+\.?\d*|\.\d+|nan|inf)(?:[eE][-+]?\d+)?j?"
_PRINTED = re.compile(rf"\s*(?:[\w.]+\s*=\s*)?(?:[\w.]+\()?[\[(\s]*{_ONE}(?:[\])\s,;]+[\[(\s]*{_ONE}){{2}}")
NUMBERS = (".npy", ".safetensors", ".pt", ".pth")  # of files that hold nothing else


@dataclass(frozen=True)
class DocumentFile:
    """A document from a file or a share string, with remarks on what was left out. holds_cards: True if the file has a card
    layout; cards: that layout, if it can be used. stamp: the file's."""

    document: Document
    remarks: tuple[str, ...] = ()
    holds_cards: bool = False
    cards: Area | None = None
    stamp: atomic.Stamp | None = None


def sheet_file(current: Document, path: Path | None, stamp: atomic.Stamp | None = None, title: str = "") -> SheetFile:
    """Return what is known of a document's file: one of this stamp, or none, as a model of this title has none."""
    found = None
    with suppress(OSError, ValueError):
        found = DocumentFile(current) if path is None else read_document(path)
    saved = found.document if found else None
    is_elsewhere = path is not None or saved == Document(first_session())
    return SheetFile(path, stamp, title, saved, is_elsewhere, found is not None and found.holds_cards)


def reads_as_numbers(text: str) -> bool:
    """True if a text begins as an array that was printed: with three numbers, and brackets and names alone before them."""
    return bool(_PRINTED.match(text[:_BEGINNING]))


@dataclass(frozen=True)
class OfNumbers:
    """A file that holds numbers and no session, such as a table of positions; who identifies them reads it."""

    path: Path


Content = DocumentFile | Lab | Published | OfNumbers | str


def read(source: Path | str) -> Content:
    """Read a file of any kind or a share string: a document, a lab, a published model, a file of numbers, or the content of a
    text file. Raises ValueError in one sentence; OSError if the file can't be read."""
    if isinstance(source, str):
        return _document_file(Document.of(Session.read_share(source)))
    if source.suffix.lower() in parse.SUFFIXES:
        return parse.load(source.absolute())
    if source.suffix.lower() == TEXT:
        with source.open("rb") as file:
            begins = file.read(_BEGINNING).decode(errors="replace")
        return OfNumbers(source) if reads_as_numbers(begins) else tokenization.read_text_file(source)
    if source.suffix.lower() in (".csv", ".npz"):  # which may carry a session
        try:
            return read_document(source)
        except ValueError:
            return OfNumbers(source)
    return understood(source) if is_config_at(source) else read_document(source)


@dataclass(frozen=True)
class OpenedForText:
    """A model that has learned; how the text for which it was opened was split before, and how the model splits it."""

    model: TrainedModel
    before: Split
    split: Split


def read_model(
    session: Session, folder: Path, check_stop: Callable[[], None], progress: Callable[[int, int], None]
) -> OpenedForText:
    """Open a model's folder, for a session's text. Raises as `read` does, and as `check_stop`."""
    model = open_model(folder, watch=Watch(check_stop, progress))
    return OpenedForText(
        model, *(one.scene.sentence.split(check_stop) for one in (session, session.with_trained(model)))
    )


def read_document(path: Path) -> DocumentFile:
    """Read a session's file, or an exported figure. Raises as `read` does."""
    stamp = atomic.stamp(path)  # before reading: what is written meanwhile is noticed when the session is saved
    return _document_file(Document.open(path), stamp)


def _document_file(opened: Opened[Document], stamp: atomic.Stamp | None = None) -> DocumentFile:
    if PART not in opened.beside:
        return DocumentFile(opened.content, opened.remarks, stamp=stamp)
    remarks, cards = opened.remarks, None
    try:
        cards = Area.read(opened.beside[PART])
    except ValueError as error:
        remarks += (f"The file's card layout can't be used: {describe_error(error)}.",)
    return DocumentFile(opened.content, remarks, holds_cards=True, cards=cards, stamp=stamp)
