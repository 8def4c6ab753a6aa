"""What people asked in public trackers, with numbers as their own code makes them: each verdict says what they had to know."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import posenc_gui as pe

N, D = 12, 32
PLACES = torch.arange(N).float()[:, None]
BEFORE = torch.randn(N, D, generator=torch.Generator().manual_seed(1))
ANGLES = PLACES / 10_000 ** (torch.arange(0, D, 2) / D)  # (n, d / 2)


def sines_then_cosines(angles: Tensor) -> Tensor:
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


def by_turns(sines: Tensor, cosines: Tensor) -> Tensor:
    return torch.stack((sines, cosines), dim=-1).flatten(1)


def rotate_half(x: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotate_every_two(x: Tensor) -> Tensor:
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def turned(x: Tensor, rotate: Callable[[Tensor], Tensor], spread: Callable[[Tensor], Tensor]) -> Tensor:
    angles = spread(ANGLES[:, : x.shape[-1] // 2])
    return x * angles.cos() + rotate(x) * angles.sin()


def twice(angles: Tensor) -> Tensor:
    return torch.cat((angles, angles), dim=-1)


def each_twice(angles: Tensor) -> Tensor:
    return angles.repeat_interleave(2, dim=-1)


def tensorflow_text() -> Tensor:
    depths = torch.arange(D // 2)[None] / (D // 2)
    return sines_then_cosines(PLACES * (1 / 10_000**depths))


def tensorflow_examples() -> Tensor:
    i = torch.arange(D)[None]
    angles = PLACES * (1 / 10_000 ** ((2 * (i // 2)) / D))
    return torch.cat((angles[:, 0::2].sin(), angles[:, 1::2].cos()), dim=-1)


def ddpm() -> Tensor:
    exponents = torch.exp(torch.arange(D // 2) * -(torch.log(torch.tensor(10_000.0)) / (D // 2 - 1)))
    return sines_then_cosines(PLACES * exponents[None])


def pulfer_with_a_mistake() -> Tensor:
    """Each column has an exponent of its own, so no sine has the rate of its cosine."""
    rates = 1 / 10_000.0 ** (2 * torch.arange(D) / D)
    angles = PLACES * rates
    return by_turns(angles[:, ::2].sin(), angles[:, 1::2].cos())


def pulfer_as_mended() -> Tensor:
    """Sine and cosine of a pair go together, but the exponent is twice the paper's."""
    rates = 1 / 10_000.0 ** (2 * torch.arange(D) / D)
    return by_turns((PLACES * rates[::2]).sin(), (PLACES * rates[::2]).cos())


def nanochat() -> Tensor:
    first, second = BEFORE.chunk(2, dim=-1)
    cos, sin = ANGLES.cos(), ANGLES.sin()
    return torch.cat((first * cos + second * sin, -first * sin + second * cos), dim=-1)


def chatglm() -> Tensor:
    """Half of each head turns by the position, half by that in a block, 0 in the prompt."""
    x = BEFORE[:, : D // 2]
    angles = twice(PLACES / 10_000 ** (torch.arange(0, D // 2, 2) / (D // 2)))
    return torch.cat((x * angles.cos() + rotate_half(x) * angles.sin(), BEFORE[:, D // 2 :]), dim=-1)


def megatron(x: Tensor) -> Tensor:
    """Even dimensions first, then odd ones: from interleaved pairs to half-split ones."""
    return torch.cat((x[..., 0::2], x[..., 1::2]), dim=-1)


SINES_FIRST = {"layout": "concatenated", "spacing": "paper", "base": 10_000.0}
HALF, TURNS = {"pairing": "half", "base": 10_000.0}, {"pairing": "interleaved", "base": 10_000.0}
# Numbers, what they were before they were turned, the encoding's name or none, its fields, and what is said.
THREADS: dict[str, tuple[Callable[[], Any], Tensor | None, str, dict[str, Any], str]] = {
    "tensorflow/text#1122": (tensorflow_text, None, "sinusoidal", SINES_FIRST, "sines, then cosines"),
    "tensorflow/examples#270": (tensorflow_examples, None, "sinusoidal", SINES_FIRST, "sines, then cosines"),
    "denoising-diffusion-pytorch#357": (ddpm, None, "sinusoidal", SINES_FIRST | {"spacing": "tensor2tensor"}, "sines, then"),
    "Diffusion-Models-pytorch#45": (lambda: sines_then_cosines(ANGLES), None, "sinusoidal", SINES_FIRST, "sines, then cosines"),
    "bojone/attention#2": (lambda: torch.cat((ANGLES.cos(), ANGLES.sin()), 1), None, "sinusoidal",
                           SINES_FIRST | {"layout": "cosine_first"}, "cosines, then sines"),
    "DML-OpenProblem#495": (lambda: "[[0. 0. 0. 0. 1. 1. 1. 1.]\n [0.8415 0.0998 0.01 0.001 0.5403 0.995 1. 1.]]", None,
                            "sinusoidal", SINES_FIRST, "sines, then cosines"),
    "PapersReimplementations#9": (pulfer_with_a_mistake, None, "", {}, "exponent"),
    "PapersReimplementations#9, mended": (pulfer_as_mended, None, "sinusoidal", {"layout": "interleaved"}, "exponent"),
    "LLMs-from-scratch#838": (lambda: twice(ANGLES).cos(), None, "rope", HALF, "half-split"),
    "soundstorm-pytorch#23": (lambda: twice(ANGLES), None, "rope", HALF, "half-split"),
    "pyllama#83": (lambda: turned(BEFORE, rotate_half, twice), BEFORE, "rope", HALF, "half-split"),
    "pyllama#83, as asked": (lambda: turned(BEFORE, rotate_every_two, each_twice), BEFORE, "rope", TURNS, "interleaved"),
    "nanochat#264": (lambda: twice(ANGLES).sin(), None, "rope", HALF, "half-split"),
    "nanochat#489": (nanochat, BEFORE, "", {}, "half-split.*the other way"),
    "ChatGLM-6B#838": (chatglm, BEFORE, "rope", HALF | {"fraction": 0.5}, "half-split"),
    "Megatron-LM#1547": (lambda: turned(megatron(BEFORE), rotate_half, twice), megatron(BEFORE), "rope", HALF, "half-split"),
    "Megatron-LM#1547, from the query": (lambda: turned(megatron(BEFORE), rotate_half, twice), BEFORE, "", {}, "interleaved"),
    "how-to-train-your-gpt#6": (lambda: turned(BEFORE, rotate_half, each_twice), BEFORE, "", {}, "half-split|interleaved"),
}  # fmt: skip


@pytest.mark.most(20)
@pytest.mark.parametrize("thread", THREADS)
def test_a_threads_question_is_answered(thread: str) -> None:
    make, before, name, fields, said = THREADS[thread]
    found = pe.identify(make(), before=before)
    assert (found.encoding.name if found.encoding else "") == name, found.sentence
    assert {field: getattr(found.encoding, field) for field in fields} == fields, found.sentence
    told = " ".join((found.sentence, found.explained, found.convention, *found.undecided))
    assert re.search(said, told), told
