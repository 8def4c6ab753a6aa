"""Words of any length: every label, title and sentence of every figure stays as short as can be read, on each output."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.unicode_text import LONGEST
from posenc_gui.text.tokenization import MAX_CHARACTERS

LONGEST_SENTENCE = 2000  # characters of a caption, headline or description that quotes tokens
AROUND = 40  # characters that a word of ours has around a token: "Without position, …"
HARD = {
    "letters": "abcdefghij" * (MAX_CHARACTERS // 10),
    "marks": "e" + "\u0301" * (MAX_CHARACTERS - 1),
    "emoji": "👩\u200d" * (MAX_CHARACTERS // 2),
    "overrides": "\u202e" * MAX_CHARACTERS,
    "twins": " ".join(["x" * 60_000] * 3),
    "hundred": " ".join("word" * 490 + str(at) for at in range(100)),
    "Arabic": "سلام" * (MAX_CHARACTERS // 10) + " 12 " + "كتاب" * (MAX_CHARACTERS // 10),
    "controls": "a\x00b" + "\u202ec" * 10_000 + " \x1b " + "d" * 100_000,
}
OUTPUTS = render.suffixes()
seeded = random.Random(5)
CASES = [(plot, seeded.choice(list(HARD))) for plot in pe.plots()]
SAVED = [(*case, suffix) for case, suffix in zip(seeded.sample(CASES, len(OUTPUTS)), OUTPUTS, strict=True)]


@cache
def drawn(plot: str, name: str) -> Figure:
    encoding = random.Random(plot).choice(["sinusoidal", "rope", "alibi"])
    return pe.plot(plot, pe.Session(text=HARD[name], encoding=encoding))


def words_of(thing: Any) -> Iterator[str]:
    """All texts in a part of a figure."""
    if isinstance(thing, str):
        yield thing
    elif dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            if field.name != "session":  # which is the whole text, to be opened again
                yield from words_of(getattr(thing, field.name))
    elif isinstance(thing, tuple) and not (thing and isinstance(thing[0], float)):
        for part in thing:
            yield from words_of(part)


def axes_of(thing: Any) -> Iterator[Axis]:
    if isinstance(thing, Axis):
        yield thing
    elif dataclasses.is_dataclass(thing):
        yield from (axis for field in dataclasses.fields(thing) for axis in axes_of(getattr(thing, field.name)))
    elif isinstance(thing, tuple):
        yield from (axis for part in thing if dataclasses.is_dataclass(part) for axis in axes_of(part))


@pytest.mark.slow
@pytest.mark.parametrize(("plot", "name"), CASES)
def test_no_figure_holds_a_label_that_is_longer_than_can_be_read(plot: str, name: str) -> None:
    figure = drawn(plot, name)
    for axis in axes_of(figure.panels):
        assert all(len(label) <= LONGEST for label in axis.labels)
    for panel in figure.panels:
        assert all(len(words) <= 2 * (LONGEST + AROUND) for words in words_of(panel) if " " not in words.strip())
        assert all(len(words) <= LONGEST_SENTENCE for words in words_of(panel))
    words = [figure.title, figure.caption, quote_runs(figure.headline)]
    assert all(len(text) <= LONGEST_SENTENCE for text in words)
    assert len(figure.description) <= 100 * LONGEST_SENTENCE  # an order of tokens in words


@pytest.mark.slow
@pytest.mark.parametrize(("plot", "name", "suffix"), SAVED)
def test_every_output_takes_them(tmp_path: Path, plot: str, name: str, suffix: str) -> None:
    assert drawn(plot, name).save(tmp_path / f"figure{suffix}").stat().st_size > 0


def test_numbers_of_long_words_stay_small(tmp_path: Path) -> None:
    figure = pe.plot("attention", pe.Session(text=HARD["hundred"]))
    assert figure.nbytes < 2_000_000
    path = figure.save(tmp_path / "numbers.npz")
    with np.load(path) as arrays:
        assert sum(arrays[name].nbytes for name in arrays.files) < 2_000_000


def test_tokens_themselves_stay_whole() -> None:
    session = pe.Session(text=HARD["twins"])
    assert pe.attend(session).tokens == ("x" * 60_000,) * 3
    assert pe.Session.from_json(session.to_json()) == session


def test_what_is_read_from_right_to_left_takes_no_number_of_the_sentence_along() -> None:
    figure = pe.plot("attention", pe.Session(text="سلام قال سلام", focus=1))
    assert "“\u2068قال\u2069”" in quote_runs(figure.headline)
    assert figure.panels[0].rows.labels == ("سلام", "قال", "سلام")
    assert figure.panels[0].read(0, 1).startswith("query \u2068قال\u2069 (1) · key \u2068سلام\u2069 (0)")
