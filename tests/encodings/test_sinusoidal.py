"""The sinusoidal encoding against transformers, against exact arithmetic, and against what lectures say about it."""

from __future__ import annotations

import mpmath
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from tools.later import Later

marian = Later("transformers.models.marian.modeling_marian")
musicgen = Later("transformers.models.musicgen.modeling_musicgen")
speech_to_text = Later("transformers.models.speech_to_text.modeling_speech_to_text")
whisper = Later("transformers.models.whisper.modeling_whisper")
xlm = Later("transformers.models.xlm.modeling_xlm")

lengths = st.integers(1, 40)
widths = st.integers(1, 65)
halves = st.integers(2, 32)
layouts = st.sampled_from(["interleaved", "concatenated", "cosine_first"])
spacings = st.sampled_from(["paper", "tensor2tensor"])
bases = st.floats(1.5, 1e9)


def table(length: int, d_model: int, **parameters: object) -> Tensor:
    return pe.encoding("sinusoidal", **parameters).vectors(torch.arange(length), d_model)


def waves(layout: str, d_model: int) -> tuple[slice, slice]:
    """The columns of the sines and of the cosines; the width is even."""
    half = d_model // 2
    first, second = slice(0, half), slice(half, 2 * half)
    return {
        "interleaved": (slice(0, 2 * half, 2), slice(1, 2 * half, 2)),
        "concatenated": (first, second),
        "cosine_first": (second, first),
    }[layout]


CONCATENATED = {"layout": "concatenated"}
TENSOR2TENSOR = {"spacing": "tensor2tensor"}
THEIRS = {
    "XLM": ({}, lambda n, d: xlm.create_sinusoidal_embeddings(n, d, torch.empty(n, d))),
    "Marian": (CONCATENATED, lambda n, d: marian.MarianSinusoidalPositionalEmbedding(n, d).create_weight()),
    "Whisper": (CONCATENATED | TENSOR2TENSOR, lambda n, d: whisper.sinusoids(n, d)),
    "Speech2Text": (
        CONCATENATED | TENSOR2TENSOR,
        lambda n, d: speech_to_text.Speech2TextSinusoidalPositionalEmbedding.get_embedding(n, d),
    ),
    "MusicGen": (
        {"layout": "cosine_first"} | TENSOR2TENSOR,
        lambda n, d: musicgen.MusicgenSinusoidalPositionalEmbedding.get_embedding(n, d),
    ),
}


@pytest.mark.parametrize("name", THEIRS)
@given(lengths, widths)
def test_it_is_the_table_of_transformers(name: str, length: int, d_model: int) -> None:
    parameters, theirs = THEIRS[name]
    if "spacing" in parameters:
        d_model = max(4, d_model)  # theirs divides by half the width minus 1
    if name == "Whisper":
        d_model -= d_model % 2
    assert_close(table(length, d_model, **parameters).float(), theirs(length, d_model), atol=1e-5, rtol=0)


@given(st.integers(0, 1_000_000), st.integers(2, 32), bases, layouts, spacings)
def test_values_are_exact_up_to_position_one_million(
    position: int, half: int, base: float, layout: str, spacing: str
) -> None:
    encoding = pe.encoding("sinusoidal", base=base, layout=layout, spacing=spacing)
    vector = encoding.vectors(torch.tensor([position]), 2 * half)[0]
    steps = half if spacing == "paper" else half - 1
    with mpmath.workdps(40):
        angles = [position * mpmath.mpf(base) ** (-mpmath.mpf(i) / steps) for i in range(half)]
        sines, cosines = [float(mpmath.sin(a)) for a in angles], [float(mpmath.cos(a)) for a in angles]
    sine, cosine = waves(layout, 2 * half)
    assert_close(vector[sine].tolist(), sines, atol=3e-7, rtol=0)
    assert_close(vector[cosine].tolist(), cosines, atol=3e-7, rtol=0)


@pytest.mark.parametrize("spacing", ["paper", "tensor2tensor"])
def test_the_fastest_wave_turns_a_radian_a_position_and_the_slowest_ends_where_the_spacing_says(spacing: str) -> None:
    frequencies = pe.encoding("sinusoidal", spacing=spacing).frequencies(512)
    assert float(frequencies[0]) == 1
    last = 10_000 ** (-510 / 512) if spacing == "paper" else 1 / 10_000
    assert float(frequencies[-1]) == pytest.approx(last, rel=1e-12)


def test_dot_products_at_width_512_are_the_published_ones() -> None:
    offsets = [0, 1, 2, 4, 16, 64, 256]
    vectors = pe.encoding("sinusoidal").vectors(torch.tensor(offsets), 512)
    expected = [256.0, 249.102098, 231.73362, 196.688231, 161.533, 124.26, 80.247]
    assert_close((vectors @ vectors[0]).tolist(), expected, atol=5e-4, rtol=0)


@pytest.mark.parametrize(("d_model", "rises"), [(512, [44, 50, 56, 62]), (128, [12, 18, 24])])
def test_similarity_falls_with_distance_but_not_always(d_model: int, rises: list[int]) -> None:
    vectors = pe.encoding("sinusoidal").vectors(torch.arange(100), d_model)
    similarity = vectors @ vectors[0]
    peaks = [k for k in range(1, 99) if similarity[k - 1] < similarity[k] > similarity[k + 1]]
    assert peaks[: len(rises)] == rises


def test_the_courses_three_dimensions_have_a_slow_third() -> None:
    expected = [[0.0, 1.0, 0.0], [0.8415, 0.5403, 0.0022], [0.9093, -0.4161, 0.0043]]
    assert_close(table(3, 3).tolist(), expected, atol=5e-5, rtol=0)


@given(st.floats(0, 1e6), widths, layouts, spacings)
def test_positions_between_whole_ones_have_finite_values_of_at_most_one(
    position: float, d_model: int, layout: str, spacing: str
) -> None:
    vectors = pe.encoding("sinusoidal", layout=layout, spacing=spacing).vectors(torch.tensor([position]), d_model)
    assert vectors.shape == (1, d_model)
    assert float(vectors.abs().max()) <= 1


@given(layouts, spacings, halves)
def test_the_phases_are_the_arguments_of_the_waves(layout: str, spacing: str, half: int) -> None:
    encoding = pe.encoding("sinusoidal", layout=layout, spacing=spacing)
    positions = torch.arange(50)
    phases = encoding.phases(positions, 2 * half, Context(50))
    vectors = encoding.vectors(positions, 2 * half)
    sine, cosine = waves(layout, 2 * half)
    assert_close(vectors[:, sine], phases.sin())
    assert_close(vectors[:, cosine], phases.cos())
