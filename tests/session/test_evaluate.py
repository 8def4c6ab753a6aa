"""Evaluating sessions: figure by figure, on a device that fails, stopped in the middle, and within bounded memory."""

from __future__ import annotations

import gc
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from cachetools import LRUCache
from sampled import dealt

import posenc_gui as pe
from posenc_gui.attention.engine import MEMORY, Engine
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Clocks, Heatmap, Lines, Note, Table
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures import measures
from posenc_gui.plots import plots
from posenc_gui.scene.scene import Scene
from posenc_gui.session.evaluate import Drawn, evaluate, judge

LONG = "a b c d e f g h " * 250  # 2,000 tokens: several chunks of rows


class Stopped(BaseException):
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
        elif isinstance(panel, Clocks):
            found.append(panel.angles)
        elif isinstance(panel, Table):
            found.append(np.array(panel.rows))
        elif isinstance(panel, Note):
            found.append(np.array([panel.text]))
    return found


def assert_same(one: Figure, other: Figure) -> None:
    for name in ("title", "caption", "description", "session"):
        assert getattr(one, name) == getattr(other, name)
    titles, others = ([getattr(panel, "title", "") for panel in figure.panels] for figure in (one, other))
    assert titles == others
    assert all(np.array_equal(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wanted"), dealt(pe.encodings(), pe.plots(), 2))
def test_the_wanted_plots_come_back_as_they_come_one_by_one(name: str, wanted: list[str]) -> None:
    session = pe.Session(encoding=pe.encoding(name))
    done = list(evaluate(session, wanted, Engine()))
    assert [drawn.name for drawn in done] == wanted
    assert {(drawn.device, drawn.notice) for drawn in done} == {("cpu", "")}
    for drawn in done:
        assert_same(drawn.figure, pe.plot(drawn.name, session))


def test_a_plot_that_does_not_exist_is_a_value_error_before_anything_is_drawn() -> None:
    with pytest.raises(ValueError, match="there is no plot 'wavs'"):
        next(evaluate(pe.Session(), ["attention", "wavs"], Engine()))


missing = [
    pytest.param("cuda", marks=pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has one")),
    pytest.param("mps", marks=pytest.mark.skipif(torch.backends.mps.is_available(), reason="this machine has one")),
    "quantum",
]


@pytest.mark.parametrize("device", missing)
def test_a_device_that_does_not_exist_falls_back_to_the_cpu_with_a_sentence(device: str) -> None:
    engine = Engine(device)
    attention, waves = evaluate(pe.Session(), ["attention", "waves"], engine)
    assert attention.device == waves.device == "cpu"
    assert re.fullmatch(rf"{device} .*CPU.*\.", attention.notice)
    assert waves.notice == ""
    assert_same(attention.figure, pe.plot("attention", pe.Session()))
    assert engine.device == device


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", pe.encodings())
def test_a_gpu_computes_what_the_cpu_computes(name: str) -> None:
    session = pe.Session(encoding=pe.encoding(name), model=pe.ToyModel(causal=True))
    (drawn,) = evaluate(session, ["attention"], Engine("cuda"))
    assert (drawn.device, drawn.notice) == ("cuda", "")
    expected = numbers(pe.plot("attention", session))
    for ours, cpus in zip(numbers(drawn.figure), expected, strict=True):
        np.testing.assert_allclose(ours, cpus, atol=1e-5)


@pytest.mark.parametrize("plot", ["attention", "waves", "encoding", "angles"])
def test_a_check_that_raises_stops_a_plot(plot: str) -> None:
    with pytest.raises(Stopped):
        pe.plot(plot, pe.Session(encoding="rope"), Engine(check_stop=stop_at(1)))


@pytest.mark.slow
def test_a_long_sentence_can_be_stopped_between_chunks_and_computed_afterwards() -> None:
    session = pe.Session(text=LONG, model=pe.ToyModel(d_model=8, n_heads=8))
    stopping = Engine(check_stop=stop_at(3))
    with pytest.raises(Stopped):
        list(evaluate(session, ["attention"], stopping))
    continued = Engine(memory=stopping.memory)
    *_, drawn = evaluate(session, ["attention"], continued)
    assert_same(drawn.figure, pe.plot("attention", session))


def test_stopping_is_no_failure_of_the_device() -> None:
    with pytest.raises(Stopped):
        list(evaluate(pe.Session(), ["waves"], Engine("quantum", check_stop=stop_at(1))))


# --- Plots that answer in steps, and plots that fail: they exist only here, in the place of one that draws at once


Draw = Callable[[Engine], Iterator[str]]


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let plots draw in steps, each a picture with one sentence."""

    def register(**how: Draw) -> None:
        for name, steps in how.items():

            def draw(_scene: Scene, _options: object, engine: Engine, steps: Draw = steps) -> Iterator[Figure]:
                return (Figure("steps", "Steps", (Note(said),)) for said in steps(engine))

            monkeypatch.setitem(plots(), name, replace(plots()[name], title=name.title(), draw=draw))

    return register


def said(figure: Figure) -> str:
    (note,) = figure.panels
    assert isinstance(note, Note)
    return note.text


def told(drawn: Iterator[Drawn]) -> list[tuple[str, str]]:
    return [(one.name, said(one.figure)) for one in drawn]


def three_steps(_engine: Engine) -> Iterator[str]:
    yield from ("coarse", "finer", "whole")


def ends_undefined(_engine: Engine) -> Iterator[str]:
    yield "coarse"
    raise Undefined("There is no position 7.")


def fails(_engine: Engine) -> Iterator[str]:
    yield "coarse"
    raise IndexError("no such <b>row</b>")


def fails_but_on_the_cpu(engine: Engine) -> Iterator[str]:
    yield f"coarse on {engine.device}"
    if engine.device != "cpu":
        raise RuntimeError("CUDA out of memory")
    yield f"whole on {engine.device}"


def where(engine: Engine) -> Iterator[str]:
    yield f"drawn on {engine.device}"


def test_each_step_is_handed_over_when_it_is_there(draws) -> None:
    begun = []

    def noted(_engine: Engine) -> Iterator[str]:
        for step in ("coarse", "whole"):
            begun.append(step)
            yield step

    draws(waves=noted)
    coming = evaluate(pe.Session(), ["waves", "angles"], Engine())
    assert said(next(coming).figure) == "coarse"
    assert begun == ["coarse"]
    assert said(next(coming).figure) == "whole"
    assert next(coming).name == "angles"


def test_a_plot_is_its_last_step_and_only_that_is_remembered(draws) -> None:
    draws(waves=three_steps)
    engine, session = Engine(), pe.Session()
    assert told(evaluate(session, ["waves"], engine)) == [("waves", "coarse"), ("waves", "finer"), ("waves", "whole")]
    assert told(evaluate(session, ["waves"], engine)) == [("waves", "whole")]
    figure = pe.plot("waves", session)
    assert said(figure) == "whole"
    assert pe.Session.from_json(figure.session) == session


def test_another_view_is_another_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw_part(_scene: Scene, _options: object, view: View, _engine: Engine) -> Iterator[Figure]:
        yield Figure("view", "View", (Note(str(view.rows)),))

    def draw(scene: Scene, options: object, engine: Engine) -> Iterator[Figure]:
        return draw_part(scene, options, EVERYTHING, engine)

    monkeypatch.setitem(plots(), "waves", replace(plots()["waves"], draw=draw, draw_part=draw_part))
    engine, session = Engine(), pe.Session()
    views = [View(rows=range(2, 5)), View(rows=range(3, 5)), View(), View(rows=range(2, 5), pixels=(300, 200))]
    for view in views * 2:
        assert said(pe.plot("waves", session, engine, view)) == str(view.rows)
    assert said(pe.plot("waves", session)) == "None"
    assert View() == EVERYTHING


def test_what_turns_out_to_be_undefined_is_a_note_in_the_place_of_what_was_drawn_of_it(draws) -> None:
    draws(waves=ends_undefined)
    engine, session = Engine(), pe.Session()
    assert told(evaluate(session, ["waves"], engine)) == [("waves", "coarse"), ("waves", "There is no position 7.")]
    assert told(evaluate(session, ["waves"], engine)) == [("waves", "There is no position 7.")]
    assert said(pe.plot("waves", session)) == "There is no position 7."


def test_a_plot_is_stopped_between_its_steps_and_what_was_not_finished_is_not_remembered(draws) -> None:
    draws(waves=three_steps)
    stopping = Engine(check_stop=stop_at(2))
    with pytest.raises(Stopped):
        pe.plot("waves", pe.Session(), stopping)
    assert told(evaluate(pe.Session(), ["waves"], Engine(memory=stopping.memory)))[0] == ("waves", "coarse")


def test_stopping_is_no_error_of_a_plot_even_of_one_that_catches_errors(draws) -> None:
    def careless(engine: Engine) -> Iterator[str]:
        try:
            engine.check_stop()
        except Exception:
            yield "an error"
        yield "whole"

    draws(waves=careless)
    with pytest.raises(Stopped):
        list(evaluate(pe.Session(), ["waves"], Engine(check_stop=stop_at(2))))


def test_a_device_that_fails_half_way_leaves_what_was_shown_and_says_so_once(draws) -> None:
    draws(angles=where, clocks=fails_but_on_the_cpu, waves=where)
    done = list(evaluate(pe.Session(), ["angles", "clocks", "waves"], Engine("cuda")))
    assert told(iter(done)) == [
        ("angles", "drawn on cuda"),
        ("clocks", "coarse on cuda"),
        ("clocks", "coarse on cpu"),
        ("clocks", "whole on cpu"),
        ("waves", "drawn on cpu"),
    ]
    assert [one.notice for one in done if one.notice] == ["cuda ran out of memory: computed on the CPU instead."]
    assert [one.device for one in done] == ["cuda", "cuda", "cpu", "cpu", "cpu"]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_an_error_of_one_plot_says_so_in_its_place_reaches_the_log_and_takes_no_other_with_it(
    draws, caplog: pytest.LogCaptureFixture, device: str
) -> None:
    draws(angles=where, clocks=fails, waves=where)
    *_, failed, after = evaluate(pe.Session(), ["angles", "clocks", "waves"], Engine(device))
    assert said(failed.figure) == (
        "“Clocks” could not be computed: this is an error of the explorer (IndexError: no such <b>row</b>); Help ▸ "
        "Diagnostics has the details."
    )
    assert failed.figure.session == pe.Session().to_json()
    assert said(after.figure) == f"drawn on {device}"
    (record,) = caplog.records
    assert record.name.startswith("posenc_gui.")
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], IndexError)


def test_an_error_on_the_device_and_on_the_cpu_is_the_plots_and_those_after_it_are_drawn_on_the_cpu(draws) -> None:
    def fails_everywhere(_engine: Engine) -> Iterator[str]:
        raise RuntimeError("shapes don't fit")
        yield ""

    draws(clocks=fails_everywhere, waves=where)
    failed, after = evaluate(pe.Session(), ["clocks", "waves"], Engine("cuda"))
    assert "RuntimeError: shapes don't fit" in said(failed.figure)
    assert failed.notice == "cuda failed: computed on the CPU instead."
    assert (said(after.figure), after.notice) == ("drawn on cpu", "")


def test_too_little_memory_is_no_error_of_the_explorer(draws) -> None:
    def asks_for_much(_engine: Engine) -> Iterator[str]:
        yield str(torch.empty(2**55))

    draws(waves=asks_for_much)
    (failed,) = evaluate(pe.Session(), ["waves"], Engine())
    assert said(failed.figure).startswith("“Waves” could not be computed: there is not enough memory; ")


def test_from_python_an_error_is_raised_as_it_is(draws) -> None:
    draws(waves=fails)
    with pytest.raises(IndexError, match="no such <b>row</b>"):
        pe.plot("waves", pe.Session())


def test_requirements_that_fail_say_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def take(*_: object) -> None:
        raise TypeError("unhashable")

    monkeypatch.setitem(measures(), "requirements", replace(measures()["requirements"], take=take))
    found = judge(pe.Session(), Engine())
    assert found.value is None
    assert "an error of the explorer (TypeError: unhashable)" in found.reason
    assert caplog.records
    with pytest.raises(TypeError, match="unhashable"):
        pe.measure("requirements", pe.Session())


# --- What is remembered


def passes(engine: Engine) -> set[object]:
    """The remembered results other than finished figures and measurements."""
    return {what for _, what in engine.memory if what[0] not in ("figure", "measure")}


def test_plots_of_one_session_share_one_pass() -> None:
    engine, session = Engine(), pe.Session(encoding="rope")
    prompt, window = session.scene.prompt, range(6)
    pe.plot("attention", session, engine)
    held = passes(engine)
    for quantity in ("scores", "position", "probabilities"):
        pe.plot("attention", session.changed(plots={"attention": {"quantity": quantity}}), engine)
    pe.plot("attention", session.changed(focus=5), engine)
    assert passes(engine) == held
    assert engine.maps(prompt, window) is engine.maps(prompt, window)
    assert engine.layer(prompt) is engine.layer(prompt)


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["attention", "row", "why", "projections"])
def test_a_remembered_pass_is_not_taken_for_another_sessions(plot: str) -> None:
    engine = Engine()
    session = pe.Session()
    model = {"seed": 1, "causal": True, "n_heads": 2, "projections": "identity", "n_layers": 2, "scale": 0.5}
    changes = [
        {}, {"text": "the cat sat on the hat"}, {"encoding": "rope"}, {"encoding": pe.encoding("sinusoidal", base=100.0)},
        {"order": (5, 4, 3, 2, 1, 0)}, {"tokenizer": "characters"}, {"keep_case": True}, {"focus": 4}, {"key": 1},
        {"plots": {plot: {"head": 1}}}, *({"model": pe.ToyModel(**{name: value})} for name, value in model.items()),
    ]  # fmt: skip
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


@pytest.mark.slow
def test_after_many_edits_no_more_tensors_are_alive() -> None:
    engine = Engine(memory=LRUCache(MEMORY / 100, getsizeof=Engine().memory.getsizeof))
    alive = list[int]()
    for base in range(1, 19):
        pe.plot("attention", pe.Session(encoding=pe.encoding("rope", base=1000 * base)), engine)
        if base % 6 == 0:
            gc.collect()
            alive.append(sum(issubclass(type(one), torch.Tensor) for one in gc.get_objects()))
    assert 20 < alive[1] == alive[2] == alive[0]


def test_what_is_remembered_is_counted_in_full() -> None:
    session = pe.Session(text=LONG)
    layer = Engine().layer(session.scene.prompt)
    maps = Engine().maps(session.scene.prompt, range(100))
    for result in (layer, maps):
        storages = {
            tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
            for tensor in vars(result).values()
            if isinstance(tensor, torch.Tensor)
        }
        assert sum(storages.values()) <= 1.05 * result.nbytes
