"""What encodings say of how public code holds their numbers: against that code, and for shapes that nobody would paste."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

import pytest
import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.encodings import classes
from posenc_gui.encodings.common.conventions import KIND_NAMES, Convention, Kind, Seen
from posenc_gui.foundation.errors import Undefined
from tools.later import Later

transformers = Later("transformers")
models = Later("transformers.models")
x_transformers = Later("x_transformers.x_transformers")
rotary = Later("rotary_embedding_torch")
ROWS, WIDTH = 40, 16
POSITIONS = torch.arange(ROWS, dtype=torch.float64)
QUERY = torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(0))


def seen(kind: Kind, values: Tensor, rates: Tensor | None = None, before: Tensor | None = None) -> Seen:
    columns = values.shape[0] if values.ndim == 1 or kind == "bias" else values.shape[1]
    rates = torch.full((columns,), math.nan, dtype=torch.float64) if rates is None else rates
    return Seen(kind, tuple(values.shape), rates, before, values.double())


def all_conventions(given: Seen) -> list[Convention]:
    return [known for model in classes().values() for known in model.conventions(given)]


def nearest(given: Seen, start: int = 0) -> tuple[float, Convention]:
    """The convention with the smallest difference, the first of equals, and that difference."""
    n = given.shape[0] if given.kind != "bias" else given.shape[-1]
    n = given.shape[-1] if given.kind == "buckets" else n
    found = []
    for known in all_conventions(given):
        try:
            numbers = known.numbers(known.encoding, torch.arange(start, start + n).double())
        except Undefined:
            continue
        found.append((float((numbers - given.values).abs().max()), known))
    return min(found, key=lambda one: one[0])


def config(kind: str, **settings: Any) -> Any:
    return getattr(transformers, f"{kind}Config")(**settings)


def llama(which: int, **parameters: Any) -> Tensor:
    """Cosines (0) or sines (1) of transformers' Llama."""
    own = config(
        "Llama",
        hidden_size=WIDTH,
        num_attention_heads=1,
        head_dim=WIDTH,
        rope_parameters={"rope_type": "default", **parameters},
    )
    module = models.llama.modeling_llama.LlamaRotaryEmbedding(own)
    return module(torch.zeros(1), POSITIONS[None])[which][0]


def rates_of(cosines: Tensor) -> Tensor:
    return cosines[1].double().acos()


def bucket(bidirectional: bool, buckets: int = 32, distance: int = 128) -> Tensor:
    relative = torch.arange(300) - torch.arange(300)[:, None]
    made = models.t5.modeling_t5.T5Attention._relative_position_bucket
    return made(relative, bidirectional, buckets, distance)


# What public code makes, its kind, and the encoding, its parameters and the convention that must be nearest.
MADE: dict[str, tuple[Kind, Callable[[], Tensor], str, dict[str, Any], str]] = {
    "Llama, cosines": ("cosines", lambda: llama(0, rope_theta=5e5), "rope", {"base": 5e5}, "half-split"),
    "Llama, sines": ("sines", lambda: llama(1, rope_theta=1e4), "rope", {"base": 1e4}, "half-split"),
    "x-transformers": (
        "angles",
        lambda: x_transformers.RotaryEmbedding(WIDTH)(torch.arange(ROWS))[0][0],
        "rope", {"pairing": "interleaved"}, "interleaved",
    ),
    "rotary-embedding-torch": (
        "angles", lambda: rotary.RotaryEmbedding(WIDTH)(torch.arange(ROWS)), "rope", {"pairing": "interleaved"}, "interleaved",
    ),
    "rotary-embedding-torch's frequencies": (
        "frequencies", lambda: rotary.RotaryEmbedding(WIDTH, theta=1e6).freqs.detach(),
        "rope", {"base": 1e6}, "one for each pair",
    ),
    "GPT-J": (
        "waves", lambda: models.gptj.modeling_gptj.create_sinusoidal_positions(ROWS, WIDTH), "rope", {}, "sines, then cosines",
    ),
    "GPT-J as a table": (
        "table", lambda: models.gptj.modeling_gptj.create_sinusoidal_positions(ROWS, WIDTH),
        "sinusoidal", {"layout": "concatenated", "spacing": "paper"}, "sines, then cosines, exponent 2i/d",
    ),
    "Whisper": (
        "table", lambda: models.whisper.modeling_whisper.sinusoids(ROWS, WIDTH),
        "sinusoidal", {"layout": "concatenated", "spacing": "tensor2tensor"}, "sines, then cosines, exponent i/(d/2 − 1)",
    ),
    "MusicGen": (
        "table",
        lambda: models.musicgen.modeling_musicgen.MusicgenSinusoidalPositionalEmbedding.get_embedding(ROWS, WIDTH),
        "sinusoidal", {"layout": "cosine_first", "spacing": "tensor2tensor"}, "cosines, then sines, exponent i/(d/2 − 1)",
    ),
    "BLOOM": (
        "bias",
        lambda: models.bloom.modeling_bloom.build_alibi_tensor(torch.ones(1, ROWS), 12, torch.float32),
        "alibi", {}, "slope × key, as BLOOM",
    ),
    "MPT": (
        "bias", lambda: models.mpt.modeling_mpt.build_mpt_alibi_tensor(12, ROWS), "alibi", {}, "slope × (key − query)",
    ),
    "x-transformers' ALiBi": (
        "bias", lambda: x_transformers.AlibiPositionalBias(8)(ROWS, ROWS), "alibi", {}, "−slope × distance",
    ),
    "T5's encoder": ("buckets", lambda: bucket(True), "t5", {"bidirectional": True, "buckets": 32}, "both directions"),
    "T5's decoder": (
        "buckets", lambda: bucket(False), "t5", {"bidirectional": False, "max_distance": 128}, "keys before the query",
    ),
    "WavLM": ("buckets", lambda: bucket(True, 320, 800), "t5", {"buckets": 320, "max_distance": 800}, "both directions"),
    "DeBERTa-v2": (
        "buckets",
        lambda: models.deberta_v2.modeling_deberta_v2.build_relative_position(
            torch.zeros(300, 1), torch.zeros(300, 1), bucket_size=256, max_position=512
        )[0],
        "deberta", {"span": 256, "log_buckets": True}, "far offsets share rows, 0 at offset 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_public_codes_numbers_are_met(name: str) -> None:
    kind, made, encoding, parameters, words = MADE[name]
    off_by, known = nearest(seen(kind, made()))
    assert off_by < 3e-5
    assert (known.encoding.name, known.words) == (encoding, words)
    assert {field: getattr(known.encoding, field) for field in parameters} == parameters


@pytest.mark.parametrize(
    "parameters",
    [
        {"rope_type": "linear", "factor": 3.0, "rope_theta": 1e6},
        {"rope_type": "llama3", "factor": 8.0, "rope_theta": 5e5, "original_max_position_embeddings": 8192}
        | {"low_freq_factor": 1.0, "high_freq_factor": 4.0},
        {"rope_type": "yarn", "factor": 16.0, "rope_theta": 1e6, "original_max_position_embeddings": 4096},
    ],
    ids=lambda parameters: parameters["rope_type"],
)
def test_scalings_are_suggested_by_the_rates(parameters: dict[str, Any]) -> None:
    cosines = llama(0, **parameters)
    rates = (cosines[1] / cosines[0]).double().acos()
    known = nearest(seen("cosines", cosines, rates))[1].encoding
    assert (known.base, known.scaling.rope_type, known.scaling.factor) == tuple(
        parameters[field] for field in ("rope_theta", "rope_type", "factor")
    )


def test_a_list_of_longrope_is_read_off_inv_freq() -> None:
    factors = (1.0, 1.05, 1.2, 2.37, 4.06, 9.81, 20.3, 31.14)
    scaling = {"rope_type": "longrope", "short_factor": factors, "long_factor": factors}
    frequencies = pe.encoding("rope", scaling=scaling).angles(torch.ones(1), WIDTH)[0].float()
    assert nearest(seen("frequencies", frequencies, frequencies.double()))[1].encoding.scaling.long_factor == factors


@pytest.mark.parametrize("pairing", ["half", "interleaved"])
def test_turned_queries_are_met(pairing: str) -> None:
    for encoding in (pe.encoding("rope", pairing=pairing, fraction=0.25), pe.encoding("xpos", pairing=pairing)):
        for side in encoding.sides:
            after = encoding.rotate(QUERY.double(), POSITIONS + 3, side)
            off_by, known = nearest(seen("rotated", after, before=QUERY), start=3)
            assert off_by < 1e-12
            assert (known.encoding, side in known.words) == (encoding, len(encoding.sides) > 1)


def test_axial_numbers_are_met_on_a_grid_of_patches() -> None:
    encoding = pe.encoding("axial", ladder="shared", pairing="half")
    places = torch.cartesian_prod(torch.arange(5.0), torch.arange(5.0))
    angles = encoding.angles(places, WIDTH)
    off_by, known = nearest(seen("angles", torch.cat((angles, angles), -1)))
    assert off_by < 1e-12
    assert known.encoding == encoding
    assert "row first" in known.words


def test_what_the_numbers_dont_show_is_said() -> None:
    for kind, values in (("frequencies", torch.ones(8)), ("waves", torch.ones(5, 8, 2)), ("cosines", torch.ones(5, 8))):
        for known in pe.encoding("rope").conventions(seen(kind, values)):
            spread = known.words in ("half-split", "interleaved")
            assert (known.hidden, bool(known.tell)) == (() if spread else ("pairing",), not spread)


def test_unusual_bases_are_explained() -> None:
    sinusoidal = pe.encoding("sinusoidal", base=1e4 ** (32 / 31))
    assert "10,000 with the exponent −i / 31" in sinusoidal.mistaken_for(64)[0]
    assert "NTK-aware scaling by 8" in pe.encoding("rope", base=1e4 * 8 ** (128 / 126)).mistaken_for(128)[0]
    assert "20,000" not in str(pe.encoding("rope", base=20_000.0).mistaken_for(128))
    assert pe.encoding("rope", base=5e5).mistaken_for(128) == ()


SHAPES: dict[Kind, tuple[tuple[int, ...], ...]] = {
    **dict.fromkeys(("table", "cosines", "sines", "angles", "waves"), ((1, 1), (1, 2), (4, 3), (9, 5), (7, 8), (9, 4, 2))),
    "rotated": ((1, 1), (1, 2), (4, 3), (7, 8)),
    **dict.fromkeys(("frequencies", "slopes"), ((1,), (2,), (3,), (12,))),
    "bias": ((1, 1), (3, 5), (1, 1, 1), (3, 2, 4), (12, 5, 5)),
    "buckets": ((1,), (6,), (1, 1), (3, 3), (2, 5)),
}  # fmt: skip


@pytest.mark.parametrize("kind", get_args(Kind))
def test_any_shape_gets_finite_numbers_of_its_own(kind: Kind) -> None:
    assert KIND_NAMES[kind]
    for shape in SHAPES[kind]:
        for fill in (math.nan, 0.0, 0.7):
            values = torch.ones(shape)
            before = torch.ones(shape) if kind == "rotated" and len(shape) == 2 else None
            own = seen(kind, values, torch.full((shape[0] if kind == "bias" else shape[-1],), fill).double(), before)
            found = all_conventions(own)
            assert len(found) <= 400
            n = shape[-1] if kind in ("bias", "buckets") else shape[0]
            for known in found:
                try:
                    numbers = known.numbers(known.encoding, torch.arange(1, 1 + n).double())
                except Undefined:
                    continue
                assert tuple(numbers.shape) == shape
                assert numbers.dtype == torch.float64
                assert bool(numbers.isfinite().all())


def test_pairs_of_numbers_are_read_as_complex_ones() -> None:
    angles = pe.encoding("rope", base=5e5).angles(POSITIONS, WIDTH)
    found = pe.identify(torch.stack((angles.cos(), angles.sin()), -1).float())
    assert (found.encoding, found.kind, found.numbers.complex) == (pe.encoding("rope", base=5e5), "waves", True)
