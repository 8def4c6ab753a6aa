"""Devices beside the CPU: nothing of two devices meets, nothing waits in the walk over the keys, and numbers are the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from pretended import pretended

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import attend
from posenc_gui.attention.layer import Layer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Note
from posenc_gui.session.evaluate import evaluate

DEVICES = "cuda", "mps"
BOUND = 1e-5  # of what two devices may differ by, in numbers of about 1


def roomy(device: str) -> Engine:
    """On a device with as much memory as is asked for."""
    return Engine(device, free=lambda _device: 2**40)


def session_by(rng: random.Random, encoding: str) -> pe.Session:
    """An encoding in a small model of one or two layers."""
    model = pe.ToyModel(d_model=16, n_heads=2, causal=rng.random() < 0.5, n_layers=rng.choice((1, 2)))
    return pe.Session(encoding=encoding, model=model)


def drawn_on(device: str, plot: str, session: pe.Session) -> Figure:
    """The last figure of a plot, which must have been drawn there."""
    with pretended(device):
        *_, drawn = evaluate(session, [plot], roomy(device))
    assert (drawn.device, drawn.notice) == (device, "")
    return drawn.figure


def assert_agree(one: Figure, other: Figure) -> None:
    for ours, theirs in zip(one.panels, other.panels, strict=True):
        assert type(ours) is type(theirs)
        if isinstance(ours, Heatmap) and isinstance(theirs, Heatmap):
            np.testing.assert_allclose(ours.values, theirs.values, atol=BOUND)
        elif isinstance(ours, Lines) and isinstance(theirs, Lines):
            for a, b in zip(ours.series, theirs.series, strict=True):
                np.testing.assert_allclose(a.y, b.y, atol=BOUND)
        elif isinstance(ours, Note) and isinstance(theirs, Note):
            assert ours.text == theirs.text


@pytest.mark.slow
@pytest.mark.most(4)
@pytest.mark.parametrize("plot", [name for name in pe.plots() if name != "comparison"])  # all encodings' requirements
def test_every_plot_is_drawn_on_a_device(plot: str) -> None:
    rng = random.Random(plot)
    device, session = rng.choice(DEVICES), session_by(rng, rng.choice(pe.encodings()))
    assert_agree(drawn_on(device, plot, session), pe.plot(plot, session))


@pytest.mark.parametrize("device", ["cuda", pytest.param("mps", marks=pytest.mark.slow)])
@pytest.mark.parametrize("encoding", pe.encodings())
def test_attention_under_every_encoding_is_computed_on_a_device(encoding: str, device: str) -> None:
    session = session_by(random.Random(f"{encoding} {device}"), encoding)
    for plot in ("attention", "why"):
        assert_agree(drawn_on(device, plot, session), pe.plot(plot, session))


@pytest.mark.parametrize("encoding", ["none", "sinusoidal", "rope", "alibi", "t5"])
@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
def test_nothing_waits_for_a_device_between_two_chunks_of_keys(encoding: str, causal: bool) -> None:
    session = pe.Session(text="a b c d e f g h " * 6, encoding=encoding, model=pe.ToyModel(causal=causal))
    with pretended("cuda") as device:
        layer = Layer.over(session.scene.prompt, "cuda")
        every = range(layer.n_tokens)
        list(attend(layer, every, every))  # what is found once
        before = device.waits
        list(attend(layer, every, every, n_keys=8))
        assert device.waits == before


def test_tensors_of_two_devices_that_meet_are_seen() -> None:
    with pretended("cuda") as device:
        there, here = torch.ones(3, device="cuda"), torch.ones(3)
        assert there.device.type == "cuda"
        assert (there + there.new_ones(3)).cpu().tolist() == [2, 2, 2]
        with pytest.raises(RuntimeError, match="on the same device, cuda"):
            there + here
        assert device.waits == 1
        assert float(there.sum()) == 3
        assert device.waits == 2
    with pretended("mps"), pytest.raises(TypeError, match="float64"):
        torch.ones(3, dtype=torch.float64).to("mps")
