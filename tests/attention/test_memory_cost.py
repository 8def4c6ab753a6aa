"""What attention costs is said before it is computed, and what the machine can't give is refused in a sentence."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

import posenc_gui as pe
from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel, times
from posenc_gui.figure.panels import Note
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.errors import TooLarge, Undefined
from posenc_gui.labs.definition.expressions import parse
from posenc_gui.session.evaluate import evaluate

LITTLE = memory_cost.LITTLE + 1


def engine(free: int) -> Engine:
    return Engine(free=lambda _device: free)


def sentence(count: int, **shape: object) -> pe.Session:
    return pe.Session(text=" ".join(f"w{index}" for index in range(count)), encoding="rope", model=ToyModel(**shape))


# --- Estimates

MEASURED = """
import os, resource, sys
import posenc_gui as pe
from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.measures import measure

unit = 1 if sys.platform == "darwin" else 1024

def growth(ask):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading, writing = os.pipe()
    child = os.fork()  # nothing was computed yet
    if not child:
        ask()
        os.write(writing, str((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        return int(told.read())

measure  # imported before it is measured
for count, shape, encoding in (
    (512, {"d_model": 512, "n_heads": 64, "d_head": 16}, "rope"),
    (300, {"d_model": 1024, "n_heads": 16, "n_layers": 2}, "sinusoidal"),
    (1000, {"d_model": 64, "n_heads": 16}, "t5"),
):
    session = pe.Session(text=" ".join(f"w{i}" for i in range(count)), encoding=encoding, model=pe.ToyModel(**shape))
    prompt, window = session.scene.prompt, range(min(count, 512))
    cost = memory_cost.attention_bytes(count, session.model, len(window), len(window))
    print(cost, growth(lambda: Engine().maps(prompt, window)))
    cost = memory_cost.full_maps_bytes(count, session.model)
    print(cost, growth(lambda: pe.attend(session)))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_estimates_are_never_below_what_is_taken_and_not_far_above() -> None:
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, timeout=300, check=True)
    found = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(found) == 6
    for cost, taken in found:
        assert taken <= cost <= 4 * max(taken, memory_cost.LITTLE)


models = st.builds(
    ToyModel,
    d_model=st.integers(1, 64).map(lambda number: 64 * number),
    n_heads=st.sampled_from([1, 2, 16, 64]),
    d_head=st.none() | st.integers(1, 512),
    n_layers=st.integers(1, 2),
)


@given(model=models, count=st.integers(1, 16_384), free=st.integers(0, 2**36))
def test_what_a_refusal_allows_fits_and_no_more_does(model: ToyModel, count: int, free: int) -> None:
    def fits(count: int, model: ToyModel) -> bool:
        return memory_cost.layer_bytes(count, model) <= free

    try:
        memory_cost.require(memory_cost.layer_bytes, count, model, lambda: free)
    except TooLarge as refused:
        told = str(refused).replace(",", "")
        assert not fits(count, model)
    else:
        assert fits(count, model) or memory_cost.layer_bytes(count, model) <= memory_cost.LITTLE
        return
    if tokens := re.search(r"(?:most|or) (\d+) tokens", told):
        assert fits(int(tokens[1]), model)
        assert not fits(int(tokens[1]) + 1, model)
    if width := re.search(r"d_model (\d+)\.?$", told):
        assert fits(count, ToyModel(**{**dict(model), "d_model": int(width[1])}))


# --- Refusals

REFUSED = re.compile(
    r"\d[\d,]* tokens? with d_model [\d,]+ and \d+ heads? of \d+ needs? about \d.* [GM]B of memory, and [\d.]+ [GM]B are free: "
    r"(at most .*|fewer or narrower heads need less)\."
)


@pytest.mark.parametrize("plot", ["attention", "row", "why", "projections", "generation", "kernel", "equivariance"])
def test_a_plot_that_is_too_large_says_so_where_the_picture_would_stand(plot: str) -> None:
    session = sentence(600, d_model=4096, n_heads=16, d_head=512)
    (panel,) = pe.plot(plot, session, engine(LITTLE)).panels
    assert isinstance(panel, Note)
    assert REFUSED.fullmatch(panel.text), panel.text


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["equivariance", "kernel", "recurrence", "shift", "requirements", "length"])
def test_a_measure_that_is_too_large_says_so_and_gives_no_verdict(measure: str) -> None:
    found = pe.measure(measure, sentence(600, d_model=4096, n_heads=16, d_head=512), engine(LITTLE))
    assert found.value is None
    assert REFUSED.fullmatch(found.reason), found.reason


def test_a_lab_s_question_says_why_it_has_no_answer() -> None:
    with pytest.raises(Undefined) as refused:
        parse("attention.scores[0][1][2]").answer(sentence(600, d_model=4096, n_heads=16, d_head=512), engine(LITTLE))
    assert REFUSED.fullmatch(str(refused.value))


@pytest.mark.slow
def test_what_was_refused_is_computed_once_there_is_room() -> None:
    session, room = sentence(300, d_model=1024, n_heads=64), [LITTLE]
    asked = Engine(free=lambda _device: room[0])
    assert isinstance(pe.plot("attention", session, asked).panels[0], Note)
    assert pe.measure("equivariance", session, asked).value is None
    room[0] = 2**40
    assert not isinstance(pe.plot("attention", session, asked).panels[0], Note)
    assert pe.measure("equivariance", session, asked).value is not None


def test_in_the_window_one_refusal_takes_no_other_picture_with_it() -> None:
    session = sentence(600, d_model=4096, n_heads=16, d_head=512)
    refused, drawn = evaluate(session, ["attention", "waves"], engine(LITTLE))
    (panel,) = refused.figure.panels
    assert isinstance(panel, Note)
    assert REFUSED.fullmatch(panel.text)
    assert not isinstance(drawn.figure.panels[0], Note)


def test_what_is_too_large_for_a_device_is_computed_on_the_cpu_and_told() -> None:
    session = sentence(300, d_model=1024, n_heads=64)
    small = Engine("cuda", free=lambda device: LITTLE if device == "cuda" else 2**40)
    first, *_ = evaluate(session, ["attention"], small)
    assert first.device == "cpu"
    assert first.notice == "cuda has too little memory: computed on the CPU instead."
    assert not isinstance(first.figure.panels[0], Note)


LIMITED = """
import resource, sys, psutil, torch
from posenc_gui import cli
from posenc_gui.attention import memory_cost
from posenc_gui.foundation import devices
limit = psutil.Process().memory_info().vms + devices.RESERVE + memory_cost.LITTLE
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
asked = sys.argv.index("lab")
assert cli.main(sys.argv[1:asked]) == cli.main(sys.argv[asked:]) == 2
"""
LAB = """# Too large

Is it refused?

```lab
format = 1
minutes = 5
```

## A wide layer

Read one score.

```step
name = "wide"
session.encoding = "rope"
session.model.d_model = 4096
session.model.d_head = 512
session.model.n_heads = 16
show = ["row"]
claims = ["attention.scores[0][1][2] < 100"]
```
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts addresses on Linux alone")
def test_the_command_line_refuses_in_a_sentence(tmp_path: Path) -> None:
    lab, out = tmp_path / "lab.md", tmp_path / "attention.csv"
    lab.write_text(LAB, encoding="utf-8")
    wide = [part for setting in ("d_model=4096", "n_heads=16", "d_head=512") for part in ("--set", f"model.{setting}")]
    asked = ["export", "attention", *wide, "--out", str(out), "lab", "check", str(lab)]
    done = subprocess.run([sys.executable, "-c", LIMITED, *asked], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert REFUSED.search(done.stderr)
    assert REFUSED.search(done.stdout)
    assert not out.exists()


# --- One score of a long sentence


class Largest(TorchDispatchMode):
    """Remembers the largest tensor that was made, in bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.n_bytes = 0

    def __torch_dispatch__(self, func: Callable[..., object], types: object, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        if isinstance(made, Tensor):
            self.n_bytes = max(self.n_bytes, made.untyped_storage().nbytes())
        return made


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["rope", "shaw"])
def test_one_score_of_the_longest_lab_takes_no_map(encoding: str) -> None:
    session = sentence(8_190).changed(encoding=encoding)
    with Largest() as largest:
        found = parse("attention.scores[3][8000][17]").answer(session, Engine())
    assert isinstance(found, float)
    assert largest.n_bytes <= 2**25  # a map would take 2³⁰


def test_rows_are_those_of_the_whole() -> None:
    session = sentence(600)
    whole, asked = pe.attend(session), Engine()
    for part in ("scores", "position", "probabilities"):
        found = parse(f"attention.{part}[2][-1][599]").answer(session, asked)
        assert_close(found, float(getattr(whole, part)[2, 599, 599]), atol=1e-5, rtol=1e-4)
    found = parse("attention.output[7][3]").answer(session, asked)
    assert_close(found, float(whole.output[7, 3]), atol=1e-5, rtol=1e-4)
    assert parse("len(attention.scores)").answer(session, asked) == 4
    assert parse("len(attention.scores[0])").answer(session, asked) == 600
    assert parse("len(attention.output)").answer(session, asked) == 600


# --- In parts, to be stopped between them


@pytest.mark.slow
def test_seeded_numbers_are_the_same_however_many_are_drawn_at_a_time() -> None:
    asked: list[None] = []
    for shape in ((), (0,), (7,), (2**24 + 15,), (3, 2**23), (2**25 + 1,)):
        asked.clear()
        found = random_streams.normal(5, "parts", shape=shape, check_stop=lambda: asked.append(None))
        assert torch.equal(found, torch.randn(shape, generator=random_streams.stream(5, "parts")))
    assert len(asked) == 2


def test_a_product_in_parts_is_the_product() -> None:
    generator = torch.Generator().manual_seed(0)
    vectors, matrix = (torch.randn(shape, generator=generator) for shape in ((2_048, 1_024), (1_024, 5_000)))
    asked: list[None] = []
    assert_close(times(vectors, matrix, lambda: asked.append(None)), vectors @ matrix)
    assert len(asked) > 1


class Enough(BaseException):
    """Asked often enough."""


def test_a_wide_layer_can_be_stopped_at_any_of_many_places() -> None:
    session, asked = sentence(600, d_model=2048, n_heads=128, seed=17), [0]

    def count() -> None:
        asked[0] += 1
        if asked[0] == 640:
            raise Enough

    with pytest.raises(Enough):
        pe.plot("attention", session, replace(Engine(), check_stop=count))
