"""Sweeps: one figure a value on one scale, as many as were asked for; small multiples; what is refused."""

from __future__ import annotations

import re

import pytest

import posenc_gui as pe
from posenc_gui.scene import sweepable_fields
from posenc_gui.session.sweeps import small_multiples

SESSION = pe.Session(encoding="rope", model=pe.ToyModel(d_model=16, n_heads=1))


def test_a_sweep_is_one_figure_a_value_each_with_its_session_on_one_scale() -> None:
    bases = [100, 10_000, 1_000_000]
    figures = pe.sweep("attention", SESSION, "base", bases)
    assert [pe.Session.from_json(one.session).encoding.base for one in figures] == bases
    assert len({(panel.low, panel.high) for one in figures for panel in one.panels}) == 1
    for base, one in zip(bases, figures, strict=True):
        alone = pe.plot("attention", SESSION.changed(encoding=pe.encoding("rope", base=base)))
        assert (one.panels[1].values == alone.panels[1].values).all()


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("model.d_model", [8, 16]),
        ("model.causal", [False, True]),
        ("plot.head", [0]),
        ("focus", range(6)),
        ("pairing", ["half", "interleaved"]),
    ],
)
def test_any_field_that_set_names_is_swept(field: str, values: list[object]) -> None:
    assert len(pe.sweep("row", SESSION, field, values)) == len(values)


def test_of_two_encodings_either_is_swept() -> None:
    session = SESSION.changed(other="rope")
    figures = pe.sweep("attention", session, "other.base", [100.0, 1000.0])
    found = [pe.Session.from_json(one.session) for one in figures]
    assert [(one.encoding.base, one.other.base) for one in found] == [(10_000, 100), (10_000, 1000)]


@pytest.mark.parametrize(
    ("field", "values", "said"),
    [
        ("bass", [1.0], "there is no setting 'bass' (did you mean 'base'?)"),
        ("other.base", [1.0], "other.base: there is no encoding to compare with"),
        ("base", [], "base: a sweep needs at least one value"),
        ("base", [100.0, 0.5], "base: should be at least 1"),
        ("model.d_model", [16, 15], "d_head must be even"),
    ],
)
def test_what_cannot_be_swept_is_refused_in_a_sentence(field: str, values: list[float], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        pe.sweep("attention", SESSION, field, values)
    assert "\n" not in str(refused.value)


def test_an_unknown_plot_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no plot 'atention'"):
        pe.sweep("atention", SESSION, "base", [1.0])


@pytest.mark.parametrize("plot", ["waves", "encoding", "similarity", "clocks", "requirements"])
def test_small_multiples_are_one_figure_named_by_their_values(plot: str) -> None:
    figure = small_multiples(plot, SESSION, "base", [100, 1000, 10_000])
    titles = " ".join(panel.title for panel in figure.panels)
    assert all(base in titles for base in ("base 100", "1,000", "10,000"))
    assert pe.Session.from_json(figure.session) == SESSION
    assert figure.caption.startswith("differs: base")


@pytest.mark.parametrize("count", [2, 10])
def test_small_multiples_are_3_to_9(count: int) -> None:
    with pytest.raises(ValueError, match=f"base: small multiples show 3 to 9 values, not {count}"):
        small_multiples("waves", SESSION, "base", range(1, count + 1))


# Sweeps as a plot


def swept(session: pe.Session, **options: object) -> pe.Session:
    return session.changed(plots={"sweep": options})


def test_a_sweep_is_a_plot_whose_choices_are_a_part_of_the_session(tmp_path) -> None:
    session = swept(SESSION, number="base", values=(100, 10_000, 500_000))
    figure = pe.plot("sweep", pe.Session.load(session.save(tmp_path / "swept.json")))
    assert [panel.title for panel in figure.panels] == ["base 100", "10,000", "500,000"]
    assert len({(panel.low, panel.high) for panel in figure.panels}) == 1
    for base, panel in zip((100, 10_000, 500_000), figure.panels, strict=True):
        alone = pe.plot("attention", SESSION.changed(encoding=pe.encoding("rope", base=base))).panels[1]
        assert (panel.values == alone.values).all()


def test_without_a_choice_the_first_number_is_swept_around_the_one_at_hand() -> None:
    figure = pe.plot("sweep", SESSION)
    assert [panel.title for panel in figure.panels] == ["base 10", "100", "1,000", "10,000", "100,000", "1,000,000"]
    assert figure.caption.startswith("Attention of RoPE · differs: base · one colour scale")


def test_of_two_that_are_compared_the_one_is_swept_that_has_the_number() -> None:
    session = SESSION.changed(encoding="none", other="alibi", plots={"sweep": {"number": "other.bias_max"}})
    figure = pe.plot("sweep", session)
    assert "Attention of ALiBi" in figure.caption
    assert "the same in both" not in figure.caption


@pytest.mark.parametrize(
    ("encoding", "options", "said"),
    [
        ("integer", {}, "“Integer” has no number to sweep"),
        ("rope", {"number": "bass"}, "“RoPE” has no number called bass. Did you mean base?"),
        ("rope", {"number": "other.base"}, "There is no second encoding whose base could be swept."),
        ("rope", {"values": [100, 1000]}, "Small multiples show 3 to 9 values of Base: 2 are given."),
        ("rope", {"values": [0, 1, 10]}, "Base can't be 0: base: should be at least 1"),
        ("rope", {"number": "model.d_model", "values": [8, 9, 10]}, "d_model can't be 9: "),
    ],
)
def test_what_cannot_be_swept_is_a_sentence_in_the_place_of_the_picture(encoding, options, said: str) -> None:
    (note,) = pe.plot("sweep", swept(SESSION.changed(encoding=encoding), **options)).panels
    assert said in note.text


@pytest.mark.parametrize("name", pe.encodings())
def test_the_values_that_are_proposed_are_taken_and_hold_the_one_at_hand(name: str) -> None:
    scene = pe.Session(encoding=name, other="rope")
    for number in sweepable_fields.sweepable_numbers(scene).values():
        values = sweepable_fields.propose_values(scene, number)
        assert number.value in values
        assert list(values) == sorted(set(values))
        assert len(values) <= sweepable_fields.MOST
        for value in values:
            changed = sweepable_fields.with_number(scene, number, value)
            assert sweepable_fields.sweepable_numbers(changed)[number.name].value == value
