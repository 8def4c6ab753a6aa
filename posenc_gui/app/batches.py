"""One plot several times: with every encoding, at the values of a number, of every sentence of a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from posenc_gui import encodings, sentences, sweepable
from posenc_gui.app.exporter import Wanted
from posenc_gui.differences import worded
from posenc_gui.session import Session

Batch = Callable[[], list[Wanted]]
_Change = Callable[[Session], Session]


def batches(one: Wanted) -> dict[str, Batch]:
    """What a picture can be made several times of, in words, with what gives what is then wanted."""
    if one.figure is None or not one.figure.session:
        return {}
    session = Session.from_json(one.figure.session)
    changes: dict[str, Iterable[_Change]] = {"every encoding": map(_with_encoding, encodings.names())}
    for number in sweepable.numbers(session).values():
        values = sweepable.proposed(session, number)
        if len(values) > 1:
            words = f"{number.title} {', '.join(map(worded, values))}"
            changes[words] = [partial(sweepable.changed, number=number, value=value) for value in values]
    for group in sentences.sentences():
        changes[f"sentence of “{group.title}”"] = [sentence.chosen for sentence in group.sentences]
    return {words: partial(_wanted, one, session, tuple(each)) for words, each in changes.items()}


def _with_encoding(name: str) -> _Change:
    return lambda session: session.changed(encoding=encodings.encoding(name))


def _wanted(one: Wanted, session: Session, changes: Iterable[_Change]) -> list[Wanted]:
    """The plot of each changed session that there can be."""
    made = list[Wanted]()
    for change in changes:
        with suppress(ValueError):
            made.append(Wanted(one.plot, one.title, None, change(session).to_json()))
    return made
