"""Figures that are kept for the next start: they come back as they were, and bytes that hold none are refused at no cost."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from drawn import sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.kept import LARGEST_WORDS, from_bytes, to_bytes
from posenc_gui.figure.panels import BarSeries, MapPart
from posenc_gui.foundation.errors import Remedy
from posenc_gui.session.first_session import first_session

SESSIONS = {
    "the first start's": first_session(),
    "compared": pe.Session(encoding=pe.encoding("rope"), other=pe.encoding("alibi")),
    "of many tokens": pe.Session(text="the cat sat on the mat " * 30, encoding=pe.encoding("rope")),
    "of three tokens in any script": pe.Session(text="狗 <b> naïve", encoding=pe.encoding("t5")),
}


def parts(value: Any, where: str = "figure") -> Iterator[tuple[str, Any]]:
    """All that a figure holds, with its place and type; of what sessions change, and of films, nothing."""
    if isinstance(value, Remedy):
        value = None
    if is_dataclass(value):
        for one in fields(value):
            if one.name != "frames":
                yield from parts(getattr(value, one.name), f"{where}.{one.name}")
    elif isinstance(value, tuple):
        for at, one in enumerate(value):
            yield from parts(one, f"{where}[{at}]")
    elif isinstance(value, np.ndarray):
        yield where, (value.dtype, value.shape, value.tobytes())
    else:
        yield where, (type(value), value, getattr(value, "verdict", None))


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
@pytest.mark.parametrize("plot", pe.plots())
def test_a_figure_comes_back_bit_for_bit(plot: str, session: pe.Session) -> None:
    figure = pe.plot(plot, session)
    assert dict(parts(from_bytes(Figure, to_bytes(figure)))) == dict(parts(figure))


@pytest.mark.slow
@settings(max_examples=40)
@given(session=sessions(), plot=st.sampled_from(pe.plots()))
def test_a_figure_of_any_session_comes_back_bit_for_bit(session: pe.Session, plot: str) -> None:
    figure = pe.plot(plot, session)
    assert dict(parts(from_bytes(Figure, to_bytes(figure)))) == dict(parts(figure))


def changed(path: str, value: Any) -> bytes:
    """The bytes of a figure of two maps, with another value at a place in their words."""
    words, _, arrays = to_bytes(pe.plot("attention", first_session())).partition(b"\n")
    told = json.loads(words)
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    inside = told
    for step in way:
        inside = inside[step]
    inside[last] = value
    return json.dumps(told).encode() + b"\n" + arrays


DAMAGED = {
    "nothing": b"",
    "no words": b"\n\n\n",
    "no line": b"{}",
    "words without an end": b'{"": "Figure", "title": "\n',
    "words nested 100,000 deep": b"[" * 100_000 + b"\n",
    "many words": b"[" + b"[]," * (LARGEST_WORDS // 3) + b"[]]\n",
    "too many words": b" " * LARGEST_WORDS + b"{}\n",
    "another kind": changed("", "Table"),
    "a field that there isn't": changed("colour", "red"),
    "a number for a text": changed("title", 3),
    "a text for a number": changed("panels.0.low", "0"),
    "truth for a number": changed("panels.0.low", True),
    "no finite number": changed("panels.0.low", float("nan")),
    "a number without end": changed("panels.0.rows.first", 10**400),
    "a text for a list": changed("panels.0.rows.labels", "labels"),
    "numbers for labels": changed("panels.0.rows.labels", [1] * 6),
    "labels of too few cells": changed("panels.0.rows.labels", ["a"]),
    "a role that no axis has": changed("panels.0.rows.role", "os.system"),
    "a panel of a kind that there isn't": changed("panels.0", {"": "Path", "title": "/"}),
    "a remedy, which would change the session": changed("remedy", {"": "Remedy", "words": "Press", "fields": {}}),
    "an array as large as memory": changed("panels.0.values", ["f4", [2**40, 2**10], 0]),
    "an array of a negative size": changed("panels.0.values", ["f4", [-6, -6], 0]),
    "an array behind the end": changed("panels.0.values", ["f4", [6, 6], 2**30]),
    "an array before the beginning": changed("panels.0.values", ["f4", [6, 6], -8]),
    "an array of objects": changed("panels.0.values", ["O", [6, 6], 0]),
    "an array of another shape": changed("panels.0.values", ["f4", [36], 0]),
    "a mask of numbers": changed("panels.0.mask", ["f4", [6, 6], 0]),
    "a mask that is neither true nor false": changed("panels.0.mask", ["b1", [6, 6], 0]),
    "cut in the middle of its numbers": to_bytes(pe.plot("attention", first_session()))[:-100],
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_bytes_that_hold_no_figure_are_refused_within_16_megabytes(content: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match="no Figure is kept"):
        from_bytes(Figure, content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 16 * 2**20


PART = {"": "MapPart", "height": 1, "width": 1} | {
    name: [0, 2**23, 1] for name in ("rows", "columns", "every_row", "every_column")
}
HUGE = {
    "a longer range": (MapPart, PART | {"rows": [0, 2**23 + 1, 1]}),
    "no rows of more columns": (BarSeries, {"": "BarSeries", "label": "", "values": ["f4", [0, 2**23 + 1], 0]}),
    "more axes": (BarSeries, {"": "BarSeries", "label": "", "values": ["f4", [1] * 5, 0]}),
}


@pytest.mark.parametrize(("kind", "told"), HUGE.values(), ids=HUGE)
def test_what_is_larger_than_any_picture_is_refused(kind: type, told: dict[str, Any]) -> None:
    assert from_bytes(MapPart, json.dumps(PART).encode() + b"\n").rows == range(2**23)
    with pytest.raises(ValueError, match=f"no {kind.__name__} is kept"):
        from_bytes(kind, json.dumps(told).encode() + b"\n" + bytes(8))


def test_what_could_not_be_read_is_not_written() -> None:
    with pytest.raises(TypeError, match="Path can't be kept"):
        to_bytes(Figure(title=__import__("pathlib").Path("/")))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="too many"):
        to_bytes(Figure(title="a" * LARGEST_WORDS))
