"""Strength: a share of what an encoding brings in, from nothing to all of it."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.encodings.common.strength import at_strength

BY_DEGREES = tuple(name for name in pe.encodings() if pe.encoding(name).by_degrees)
MODEL = pe.ToyModel(d_model=32, n_heads=1)


def session_of(encoding: object, strength: float = 1.0) -> pe.Session:
    return pe.Session(encoding=encoding, strength=strength, model=MODEL)


@pytest.mark.parametrize("name", BY_DEGREES)
def test_strength_leads_from_no_position_to_the_encoding(name: str) -> None:
    whole, half, none = (session_of(name, strength) for strength in (1.0, 0.5, 0.0))
    assert torch.equal(pe.attend(none).scores, pe.attend(pe.Session(**dict(whole.scene.without_position.setup))).scores)
    assert torch.equal(pe.attend(none).position, torch.zeros_like(pe.attend(none).position))
    assert not torch.allclose(pe.attend(half).scores, pe.attend(whole).scores)
    assert not torch.allclose(pe.attend(half).scores, pe.attend(none).scores)
    again = at_strength(half.scene.acting.encoding, 1.0)
    assert again == whole.encoding
    assert type(again) is type(whole.encoding)


@settings(max_examples=8, deadline=None)
@given(strength=st.floats(0.05, 1), base=st.sampled_from((100.0, 10_000.0)))
def test_rope_at_a_strength_is_position_interpolation(strength: float, base: float) -> None:
    """Chen et al. 2023: positions divided by a factor, which configurations call the linear scaling."""
    linear = pe.encoding("rope", base=base, scaling={"rope_type": "linear", "factor": 1 / strength})
    found = pe.attend(session_of(pe.encoding("rope", base=base), strength)).scores
    assert torch.allclose(found, pe.attend(session_of(linear)).scores, atol=1e-5)


def test_each_door_brings_in_its_share() -> None:
    positions = torch.arange(7.0, dtype=torch.float64)
    for name, hook, arguments in (
        ("sinusoidal", "vectors", (positions, 16)),
        ("rope", "angles", (positions, 16)),
        ("alibi", "bias", (positions, positions, 4)),
    ):
        whole, share = (
            getattr(one, hook)(*arguments) for one in (pe.encoding(name), at_strength(pe.encoding(name), 0.25))
        )
        assert torch.equal(share, 0.25 * whole)
    xpos = pe.encoding("xpos")
    assert torch.allclose(at_strength(xpos, 0.5).sizes(positions, 16, "key"), xpos.sizes(0.5 * positions, 16, "key"))
    yarn = pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64})
    assert at_strength(yarn, 0.5).attention_factor == pytest.approx(1 + (yarn.attention_factor - 1) / 2)


@pytest.mark.parametrize(("name", "why"), [("none", "there is nothing to bring in"), ("pope", "PoPE comes in whole")])
def test_what_comes_in_whole_or_not_at_all_stays_as_it_is_and_says_so(name: str, why: str) -> None:
    session = session_of(name, 0.3)
    assert session.scene.acting.encoding is session.encoding
    assert re.search(f"strength 0.3 does nothing: .*{why}", pe.plot("attention", session).caption)


def test_requirements_are_judged_at_full_strength_and_say_so() -> None:
    whole, weak = session_of("rope"), session_of("rope", 0.1)
    assert pe.measure("requirements", weak).reason == f"At full strength {pe.measure('requirements', whole).reason}"
    for plot, session in (("requirements", weak), ("requirements", weak.changed(other="alibi")), ("comparison", weak)):
        at_1, at_less = (pe.plot(plot, session.changed(strength=strength)) for strength in (1.0, 0.1))
        assert at_less.headline == at_1.headline
        assert set(at_less.caption.split(" · ")) - set(at_1.caption.split(" · ")) == {
            "judged at full strength, not at 0.1"
        }


_ADDED, _TURNED = (
    {"input": "what is added to the inputs", "score": "what is added to the scores"},
    "all angles (position interpolation)",
)
_FACTOR = f"{_TURNED} and the attention factor's distance from 1"
_LONGROPE = {
    "rope_type": "longrope",
    "factor": 4.0,
    "original_max_position_embeddings": 64,
    "short_factor": [1.0] * 16,
    "long_factor": [2.0] * 16,
}
_ALL_THAT_FOLLOWS = {
    "yarn": (
        "rope",
        {"scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}},
        _FACTOR,
    ),
    "longrope": ("rope", {"scaling": _LONGROPE}, _FACTOR),
    "linear": ("rope", {"scaling": {"rope_type": "linear", "factor": 4.0}}, _TURNED),
    "xpos": ("xpos", {}, f"{_TURNED} and all exponents of ζ"),
    "shaw": ("shaw", {}, "what is added to the scores and what is added to the values"),
    "keys alone": ("shaw", {"value_term": False}, "what is added to the scores"),
}


@pytest.mark.parametrize("case", dict.fromkeys((*BY_DEGREES, *_ALL_THAT_FOLLOWS)))
def test_a_caption_names_all_that_follows(case: str) -> None:
    name, parameters, told = _ALL_THAT_FOLLOWS.get(case, (case, {}, ""))
    encoding = pe.encoding(name, **parameters)
    told = told or _ADDED.get(encoding.door, _TURNED)
    for strength in ("0.5", "0"):
        scene = session_of(encoding, float(strength)).scene
        assert scene.shared_in == scene.acting.shared_in == f"strength {strength} multiplies {told}"
    half, positions = at_strength(encoding, 0.5), torch.arange(9.0)
    x = torch.ones(9, 32)
    lengths = half.rotate(x, positions).norm(dim=-1) / x.norm(dim=-1)
    assert ("attention factor" in told) == (not torch.allclose(lengths[:1], torch.ones(1)))
    assert ("ζ" in told) == (not torch.allclose(lengths, lengths[:1]))


def test_captions_headlines_and_code_say_how_much_is_brought_in() -> None:
    session = session_of("rope", 0.5)
    figure = pe.plot("attention", session)
    assert "strength 0.5 multiplies all angles (position interpolation)" in figure.caption
    assert figure.subject == "RoPE, strength 0.5"
    assert "With RoPE at strength 0.5" in "".join(run.text for run in figure.headline)
    assert "    angles = 0.5 * angles  #" in session.scene.acting.encoding.code(32, 1, 32)
    both = pe.Session(encoding="rope", other="pope", strength=0.5, model=MODEL)
    assert both.scene.shared_in == "strength 0.5, in A alone, multiplies all angles (position interpolation)"


def test_strength_is_kept_in_files_and_swept() -> None:
    session = session_of("alibi", 0.4)
    assert pe.Session.from_json(session.to_json()) == session
    figures = pe.sweep("attention", session, "strength", [0.0, 0.5, 1.0])
    assert ["strength" in figure.subject for figure in figures] == [True, True, False]
    figure = pe.plot("sweep", session.changed(plots={"sweep": {"number": "strength"}}))
    assert [panel.title for panel in figure.panels][:2] == ["strength 0", "0.2"]


@pytest.mark.parametrize("plot", ["waves", "encoding"])
@pytest.mark.parametrize("name", ["sinusoidal", "rope", "alibi", "shaw"])
def test_axes_and_colours_stay_while_the_strength_falls(plot: str, name: str) -> None:
    whole, some = (pe.plot(plot, session_of(name, strength)).panels[0] for strength in (1.0, 0.25))
    assert (some.low, some.high) == pytest.approx((whole.low, whole.high), rel=1e-4)
    if name != "rope":
        values, full = ([one.y for one in of.series] if plot == "waves" else of.values for of in (some, whole))
        assert np.allclose(values, 0.25 * np.asarray(full))
