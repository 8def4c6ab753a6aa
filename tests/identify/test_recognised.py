"""What a typed formula is: known encodings are named, others never."""

from __future__ import annotations

from random import Random

import pytest

import posenc_gui as pe
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.stopped import Stopped
from posenc_gui.identify.matching import identify
from posenc_gui.identify.recognised import recognise

SMALL, CAUSAL, WIDE = (
    pe.ToyModel(d_model=16, n_heads=1),
    pe.ToyModel(d_model=64, causal=True),
    pe.ToyModel(d_model=96, n_heads=12),
)
MODELS = [SMALL, CAUSAL, WIDE]
BASE, MODEL = Random(1).choice, Random(2).choice
BASES = (100.0, 500.0, 12_345.6, 1e6)


def said(formula: str, model: pe.ToyModel = SMALL) -> str:
    return recognise(pe.encoding("own", formula=formula), model)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        (pe.encoding("integer"), "Integer"),
        (pe.encoding("normalized"), "Normalized"),
        (pe.encoding("normalized", divisor="last"), "Normalized, divide by last"),
        (pe.encoding("one_hot"), "One-hot"),
        (pe.encoding("binary", order="slow_first"), "Binary, order slow first"),
        (pe.encoding("binary", digits="signs"), "Binary, digits −1 and +1"),
        *(
            (pe.encoding("sinusoidal", base=base, **fields), f"Sinusoidal{words}, base {base:,g}")
            for base, fields, words in (
                (10_000.0, {}, ""),
                (BASE(BASES), {"layout": "concatenated"}, ", layout concatenated"),
                (BASE(BASES), {"layout": "cosine_first", "spacing": "tensor2tensor"}, ", layout cosine first"),
            )
        ),
        (pe.encoding("rope", base=500), "RoPE, base 500"),
        (pe.encoding("rope", pairing="interleaved"), "RoPE, pairing interleaved, base 10,000"),
        (
            pe.encoding("rope", scaling={"rope_type": "linear", "factor": 3}),
            "RoPE (Linear), base 10,000, scaling factor 3",
        ),
        (
            pe.encoding("rope", pairing="interleaved", fraction=0.5, base=500),
            "RoPE, pairing interleaved, base 500, rotated fraction 0.5",
        ),
        (pe.encoding("alibi"), "ALiBi"),
        (pe.encoding("alibi", bias_max=3), "ALiBi, largest exponent 3"),
    ],
    ids=str,
)
def test_a_formula_to_start_from_is_recognised(encoding: Encoding, words: str) -> None:
    model = MODEL(MODELS)
    named = said(encoding.typed(), model).replace(", spacing tensor2tensor", "")
    assert named == f"Your formula is {words}."


@pytest.mark.parametrize(
    ("formula", "model", "words"),
    [
        ("p[m, i] = m + 1", SMALL, "Integer, from position 1"),
        ("angle[m, i] = (m + 3) * 500^(-2i/d)", SMALL, "RoPE, base 500, from position 3"),
        ("angle[m, i] = m", pe.ToyModel(d_model=8, n_heads=4), "RoPE"),  # of one pair, which any base turns alike
        (
            "p[m, 2i] = cos(m / 500^(2i/d))\np[m, 2i+1] = sin(m / 500^(2i/d))",
            WIDE,
            "Sinusoidal, base 500, with its columns in another order",
        ),
        ("angle[m, i] = m * 500^(2i/d - 1 + 2/d)", SMALL, "RoPE, base 500, with its pairs in another order"),
        ("bias[m, n, h] = 2^(-8*(h + 1)/H) * (n - m)", CAUSAL, "ALiBi"),
        ("bias[m, n, h] = 2^(-8*(h + 1)/H) * (n - m)", SMALL, "ALiBi where a causal mask hides later keys"),
        (
            "bias[m, n, h] = 2^(-8*(h + 1)/H) * n",
            CAUSAL,
            "ALiBi, but for a constant in each row, which softmax doesn't see",
        ),
    ],
)
def test_what_is_the_same_but_for_start_order_or_a_constant_is_said_so(
    formula: str, model: pe.ToyModel, words: str
) -> None:
    assert said(formula, model) == f"Your formula is {words}."


@pytest.mark.parametrize(
    "formula",
    [
        pe.encoding("own").formula,  # triangle waves
        "p[m, i] = 0",
        "p[m, i] = 2 * m",
        "p[m, i] = sin(m)",
        "p[m, i] = floor(m / 2^i) mod 2 if i < 4 else 0",
        "p[m, 2i] = sin(m / 500^(2i/d))",
        "p[m, i] = 1 / m",
        "angle[m, i] = 0",
        "angle[m, i] = -m * 500^(-2i/d)",
        "angle[m, i] = m * (i + 1)",
        "bias[m, n, h] = 0",
        "bias[m, n, h] = -abs(m - n)",
        "bias[m, n, h] = -2^(-h) * abs(m - n)",
        "bias[m, n, h] = 2^(-8*(h + 1)/H) * abs(m - n)",
        "bias[m, n, h] = -2^(-8*(h + 1)/H) * abs(m - n) if m < 100 else 0",
    ],
)
def test_what_is_no_known_encoding_is_not_named(formula: str) -> None:
    assert not said(formula, MODEL(MODELS))


def test_whose_numbers_they_are_is_the_same_asked_of_the_values_alone() -> None:
    encoding = pe.encoding("sinusoidal", base=500, layout="concatenated")
    values = pe.encoding("own", formula=encoding.typed()).vectors(list(range(64)), 16)
    assert identify(values, "table").encoding == encoding


def test_slopes_of_powers_of_two_are_not_those_of_twelve_heads() -> None:
    formula = "bias[m, n, h] = -2^(-8*(h + 1)/H) * abs(m - n)"
    assert said(formula, SMALL) == "Your formula is ALiBi."
    assert not said(formula, WIDE)


@pytest.mark.parametrize(
    "shape", [{"d_model": 1, "n_heads": 1}, {"d_model": 3, "n_heads": 1}, {"n_heads": 128, "d_head": 1}]
)
def test_in_models_of_any_shape_there_is_a_sentence_or_none(shape: dict[str, int]) -> None:
    formulas = (pe.encoding(name).typed() for name in ("integer", "one_hot", "sinusoidal", "rope", "alibi"))
    sentences = [said(formula, pe.ToyModel(**shape)) for formula in formulas]
    assert sentences[0] == "Your formula is Integer."
    assert not sentences[3]  # there are no pairs to turn


def test_it_can_be_stopped() -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        recognise(pe.encoding("own"), SMALL, stop)
