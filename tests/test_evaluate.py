"""Evaluating sessions: on a device that fails, stopped in the middle, and within bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from cachetools import LRUCache

import posenc_gui as pe
from posenc_gui.attention.engine import MEMORY, Engine
from posenc_gui.evaluate import evaluate
from posenc_gui.figure import Dials, Figure, Heatmap, Lines, Note, Table

LONG = "a b c d e f g h " * 250  # 2,000 tokens: several chunks of rows


class Stopped(Exception):
    """Raised by a check."""


def stop_at(call: int) -> Callable[[], None]:
    """A check that raises when it is called for that time."""
    calls = iter(range(1, 10**6))

    def check() -> None:
        if next(calls) == call:
            raise Stopped

    return check


def numbers(figure: Figure) -> list[np.ndarray]:
    found = []
    for panel in figure.panels:
        if isinstance(panel, Heatmap):
            found.append(panel.values)
        elif isinstance(panel, Lines):
            found += [one for series in panel.series for one in (series.x, series.y)]
        elif isinstance(panel, Dials):
            found.append(np.array([dial.angle for dial in panel.dials]))
        elif isinstance(panel, Table):
            found.append(np.array(panel.rows))
        elif isinstance(panel, Note):
            found.append(np.array([panel.text]))
    return found


def assert_same(one: Figure, other: Figure) -> None:
    assert (one.title, one.caption, one.description, one.session) == (
        other.title, other.caption, other.description, other.session,
    )  # fmt: skip
    assert all(np.array_equal(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


@pytest.mark.parametrize("name", pe.encodings())
def test_the_wanted_plots_come_back_as_they_come_one_by_one(name: str) -> None:
    session = pe.Session(encoding=pe.encoding(name))
    done = evaluate(session, pe.plots(), Engine())
    assert list(done.figures) == pe.plots()
    assert (done.session, done.device, done.notice) == (session, "cpu", "")
    assert done.seconds >= 0
    for plot, figure in done.figures.items():
        assert_same(figure, pe.plot(plot, session))


def test_nothing_wanted_is_nothing_done() -> None:
    assert evaluate(pe.Session(), [], Engine()).figures == {}


def test_a_plot_that_does_not_exist_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="there is no plot 'wavs'"):
        evaluate(pe.Session(), ["attention", "wavs"], Engine())


missing = [
    pytest.param("cuda", marks=pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has one")),
    pytest.param("mps", marks=pytest.mark.skipif(torch.backends.mps.is_available(), reason="this machine has one")),
    "quantum",
]


@pytest.mark.parametrize("device", missing)
def test_a_device_that_does_not_exist_falls_back_to_the_cpu_with_a_sentence(device: str) -> None:
    engine = Engine(device)
    done = evaluate(pe.Session(), ["attention", "waves"], engine)
    assert done.device == "cpu"
    assert re.fullmatch(rf"{device} .*CPU.*\.", done.notice)
    assert_same(done.figures["attention"], pe.plot("attention", pe.Session()))
    assert engine.device == device


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", pe.encodings())
def test_a_gpu_computes_what_the_cpu_computes(name: str) -> None:
    session = pe.Session(encoding=pe.encoding(name), model=pe.ToyModel(causal=True))
    done = evaluate(session, ["attention"], Engine("cuda"))
    assert (done.device, done.notice) == ("cuda", "")
    expected = numbers(pe.plot("attention", session))
    for ours, cpus in zip(numbers(done.figures["attention"]), expected, strict=True):
        np.testing.assert_allclose(ours, cpus, atol=1e-5)


@pytest.mark.parametrize("plot", ["attention", "waves", "encoding", "angles"])
def test_a_check_that_raises_stops_a_plot(plot: str) -> None:
    with pytest.raises(Stopped):
        evaluate(pe.Session(encoding="rope"), [plot], Engine(check_stop=stop_at(1)))


def test_a_long_sentence_can_be_stopped_between_chunks_and_computed_afterwards() -> None:
    session = pe.Session(text=LONG, model=pe.ToyModel(d_model=8, n_heads=8))
    stopping = Engine(check_stop=stop_at(3))
    with pytest.raises(Stopped):
        evaluate(session, ["attention"], stopping)
    continued = Engine(memory=stopping.memory)
    figure = evaluate(session, ["attention"], continued).figures["attention"]
    assert_same(figure, pe.plot("attention", session))


def test_stopping_is_no_failure_of_the_device() -> None:
    with pytest.raises(Stopped):
        evaluate(pe.Session(), ["waves"], Engine("quantum", check_stop=stop_at(1)))


def passes(engine: Engine) -> set[object]:
    """What is remembered but for finished figures and measurements."""
    return {what for _, what in engine.memory if what[0] not in ("figure", "measure")}


def test_plots_of_one_session_share_one_pass() -> None:
    engine, session = Engine(), pe.Session(encoding="rope")
    arguments = session.tokens, session.model, session.encoding, range(6)
    evaluate(session, ["attention"], engine)
    held = passes(engine)
    for quantity in ("scores", "position", "probabilities"):
        evaluate(session.changed(plots={"attention": {"quantity": quantity}}), ["attention"], engine)
    evaluate(session.changed(focus=5), ["attention"], engine)
    assert passes(engine) == held
    assert engine.maps(*arguments) is engine.maps(*arguments)
    assert engine.layer(*arguments[:3]) is engine.layer(*arguments[:3])


@pytest.mark.parametrize("plot", ["attention", "row", "why", "projections"])
def test_a_remembered_pass_is_not_taken_for_another_sessions(plot: str) -> None:
    engine = Engine()
    session = pe.Session()
    changes = [
        {},
        {"text": "the cat sat on the hat"},
        {"encoding": "rope"},
        {"encoding": pe.encoding("sinusoidal", base=100.0)},
        {"model": pe.ToyModel(seed=1)},
        {"model": pe.ToyModel(causal=True)},
        {"model": pe.ToyModel(n_heads=2)},
        {"model": pe.ToyModel(projections="identity")},
        {"model": pe.ToyModel(n_layers=2)},
        {"model": pe.ToyModel(scale=0.5)},
        {"order": (5, 4, 3, 2, 1, 0)},
        {"tokenizer": "characters"},
        {"keep_case": True},
        {"focus": 4},
        {"key": 1},
        {"plots": {plot: {"head": 1}}},
    ]
    for change in changes * 2:
        changed = session.changed(**change)
        assert_same(pe.plot(plot, changed, engine), pe.plot(plot, changed))


def test_a_figure_is_not_drawn_again_while_another_plots_options_change() -> None:
    engine, session = Engine(), pe.Session(encoding="rope")
    before = pe.plot("attention", session, engine)
    other = session.changed(plots={"waves": {"first": 5}})
    after = pe.plot("attention", other, engine)
    assert after.panels is before.panels
    assert pe.Session.from_json(after.session) == other


def test_memory_stays_bounded_and_a_result_that_does_not_fit_is_right_all_the_same() -> None:
    small = LRUCache(20_000, getsizeof=lambda result: result.nbytes)
    engine = Engine(memory=small)
    for length in (1, 5, 20, 200):
        for seed in range(3):
            session = pe.Session(text="a b " * length, model=pe.ToyModel(d_model=16, seed=seed))
            assert_same(pe.plot("attention", session, engine), pe.plot("attention", session))
            assert small.currsize <= 20_000
            assert small.currsize == sum(result.nbytes for result in small.values())
    assert Engine().memory.maxsize == MEMORY


def test_what_is_remembered_is_counted_in_full() -> None:
    session = pe.Session(text=LONG)
    layer = Engine().layer(session.tokens, session.model, session.encoding)
    maps = Engine().maps(session.tokens, session.model, session.encoding, range(100))
    for result in (layer, maps):
        storages = {
            tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
            for tensor in vars(result).values()
            if isinstance(tensor, torch.Tensor)
        }
        assert sum(storages.values()) <= 1.05 * result.nbytes
