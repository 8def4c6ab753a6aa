"""Batch export: one plot for several encodings, values or sentences, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from posenc_gui import encodings
from posenc_gui.app.export.export_process import FigureRequest
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import format_value
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import quote
from posenc_gui.scene import example_sentences, sweepable_fields
from posenc_gui.scene.sweepable_fields import SweepableNumber
from posenc_gui.session.session import Session

MOST = 100  # figures of one batch
_TOLD = 40  # characters quoted of a refused line


@dataclass(frozen=True)
class Batch:
    """A way to export one plot several times: its name, proposed lines, and how a line changes the session."""

    title: str
    lines: tuple[str, ...]
    _picture: FigureRequest
    _change: Callable[[str], Session]

    def wanted(self, text: str) -> list[FigureRequest]:
        """Request a figure for each line that isn't blank. Raises ValueError with a one-sentence message for an invalid line,
        and for too few or too many lines."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not 1 <= len(lines) <= MOST:
            raise ValueError(f"{self.title}: give 1 to {MOST} lines, a figure each; there are {len(lines):,}.")
        return [
            FigureRequest(self._picture.plot, self._picture.title, None, self._session(line).to_json())
            for line in lines
        ]

    def _session(self, line: str) -> Session:
        try:
            return self._change(line)
        except ValueError as error:
            raise ValueError(f"{quote(shorten_middle(line, _TOLD))}: {describe_error(error)}") from None


def batches(one: FigureRequest) -> list[Batch]:
    """Return the batches that a figure offers; none if it carries no session."""
    if one.figure is None or not one.figure.session:
        return []
    session = Session.from_json(one.figure.session).here  # a figure carries no path of a model
    return [
        Batch("Every encoding", _possible(session), one, partial(_with_encoding, session)),
        *_of_numbers(one, session),
        *_of_sentences(one, session),
    ]


def _of_numbers(one: FigureRequest, session: Session) -> Iterator[Batch]:
    for number in sweepable_fields.sweepable_numbers(session).values():
        lines = tuple(map(format_value, sweepable_fields.propose_values(session, number)))
        if len(lines) > 1:
            yield Batch(f"{number.title}: values", lines, one, partial(_with_value, session, number))


def _of_sentences(one: FigureRequest, session: Session) -> Iterator[Batch]:
    change = partial(_with_sentence, session)
    yield Batch("Sentences of your own", tuple(session.text.splitlines()[:1]), one, change)
    for group in example_sentences.sentences():
        texts = tuple(" ".join(known.session["text"].split()) for known in group.sentences)
        yield Batch(f"Sentences: {group.title}", texts, one, change)


def _possible(session: Session) -> tuple[str, ...]:
    found = list[str]()
    for name in encodings.names():
        with suppress(ValueError):
            _with_encoding(session, name)
            found.append(name)
    return tuple(found)


def _with_encoding(session: Session, name: str) -> Session:
    """Return the session with an encoding's defaults; if it already has that encoding, unchanged."""
    return session if name == session.encoding.name else session.changed(encoding=encodings.encoding(name))


def _with_value(session: Session, number: SweepableNumber, line: str) -> Session:
    text = line.replace(",", "").replace("−", "-")
    try:
        value = int(text) if declared_fields.kind(number.declared).type is int else float(text)
    except ValueError:
        raise ValueError(f"{number.title} is a number, such as {format_value(number.value)}") from None
    return sweepable_fields.with_number(session, number, value)


def _with_sentence(session: Session, text: str) -> Session:
    """Return the session with a text; an example sentence brings the settings that belong to it."""
    for group in example_sentences.sentences():
        for known in group.sentences:
            if " ".join(known.session["text"].split()) == text:
                return known.chosen(session)
    return session.changed(text=text)
