"""Sweeps: one figure a value on one scale, as many as were asked for; small multiples; what is refused."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from PIL import Image

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
        ("encoding", ["rope", "alibo"], "there is no encoding 'alibo' (did you mean 'alibi'?)"),
        ("encoding", "rope", "encoding: a sweep takes a list of values"),
        ("encoding", ["rope", "rope"], "encoding: a sweep needs at least two different encodings"),
        ("encoding", ["rope(base=5", "alibi"], "encoding: a closing bracket is missing in 'rope(base=5'"),
        ("largest", [1.0], "allowed are encoding, base"),
        ("bias_max", [1.0], "there is no setting 'bias_max' with RoPE, which has base, "),
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


# Sweeps over encodings

THREE = ["sinusoidal", pe.encoding("rope", base=500), {"name": "alibi", "bias_max": 1}]


def numbers_told(figure: pe.Figure) -> list[str]:
    return [run.text for run in figure.headline if run.kind == "number"]


def test_encodings_stand_side_by_side_on_one_model_and_one_scale() -> None:
    figures = pe.sweep("attention", SESSION, "encoding", THREE)
    assert [one.value for one in figures] == ["Sinusoidal", "RoPE (base 500)", "ALiBi (slope ½)"]
    assert {pe.Session.from_json(one.session).model for one in figures} == {SESSION.model}
    assert len({(panel.low, panel.high) for one in figures for panel in one.panels}) == 1
    assert [pe.Session.from_json(one.session).encoding for one in figures][1] == THREE[1]


def test_a_sweep_is_saved_as_slides_as_a_film_or_as_small_multiples(tmp_path: Path) -> None:
    figures = pe.sweep("attention", SESSION, "encoding", THREE)
    with zipfile.ZipFile(figures.save(tmp_path / "a.pptx")) as deck:
        assert sum(bool(re.fullmatch(r"ppt/slides/slide\d+\.xml", name)) for name in deck.namelist()) == len(THREE)
    table = figures.save(tmp_path / "a.csv").read_text("utf-8-sig").splitlines()
    assert list(dict.fromkeys(line.split(",")[0] for line in table[1:])) == [one.value for one in figures]
    with Image.open(figures.save(tmp_path / "a.gif")) as film:
        assert film.n_frames >= len(THREE)


def test_multiples_of_encodings_show_each_once_and_tell_its_weights() -> None:
    session = swept(SESSION.changed(other="xpos"), encodings=THREE)
    figure = pe.plot("sweep", session)
    assert [panel.title for panel in figure.panels] == ["Sinusoidal", "RoPE (base 500)", "ALiBi (slope ½)"]
    weights = [panel.values[2, [0, 4]] for panel in figure.panels]  # of “sat”, which gives ALiBi's twins the same
    told = [f"{weight:.2f}" for row in weights for weight in row]
    assert numbers_told(figure) == told[:5]
    assert figure.subject == "Sinusoidal, RoPE (base 500) and ALiBi (slope ½)"
    assert len(figure.frames) == len(THREE)
    assert (small_multiples("attention", SESSION, "encoding", THREE).panels[1].values == figure.panels[1].values).all()


def test_an_encoding_without_the_plot_or_refused_by_the_model_keeps_its_place() -> None:
    session = pe.Session(model=pe.ToyModel(d_model=12, n_heads=4))  # three dimensions a head have no pairs
    figure = pe.plot("sweep", swept(session, encodings=("alibi", "rope", "sinusoidal")))
    assert [type(panel).__name__ for panel in figure.panels] == ["Heatmap", "Note", "Heatmap"]
    assert figure.panels[1].title == "RoPE"
    assert "even" in figure.panels[1].text
    assert figure.pictured.panels == figure.panels
    clocks = pe.plot("sweep", swept(SESSION, plot="clocks", encodings=("alibi", "rope")))
    assert [type(panel).__name__ for panel in clocks.panels] == ["Note", "Clocks"]


def test_of_many_encodings_the_two_that_differ_most_are_told() -> None:
    names = ("none", "sinusoidal", "learned", "rope", "alibi", "t5")
    figure = pe.plot("sweep", swept(SESSION, encodings=names))
    rows = [panel.values[2] for panel in figure.panels]
    apart = {(a, b): abs(rows[a] - rows[b]).max() for a in range(len(rows)) for b in range(a)}
    pair = max(apart, key=apart.__getitem__)
    said = "".join(run.text for run in figure.headline)
    assert all(("without position" if not at else figure.panels[at].title) in said for at in pair)


def test_encodings_are_kept_in_the_session_s_file_and_one_is_too_few(tmp_path) -> None:
    session = swept(SESSION, plot="waves", encodings="rope(base=500), alibi")
    assert pe.Session.load(session.save(tmp_path / "swept.json")) == session
    (note,) = pe.plot("sweep", swept(SESSION, encodings="rope, rope")).panels
    assert note.text == "Small multiples show 2 to 9 encodings: one is given."


@pytest.mark.parametrize("name", pe.encodings())
def test_proposed_encodings_hold_the_one_at_hand_and_move_weights_on_the_same_model(name: str) -> None:
    session = SESSION.changed(encoding=name)
    found = sweepable_fields.propose_encodings(session)
    assert name in [one.name for one in found]
    assert len({one.door for one in found}) == len(found) == 4
    plain, *moved = (panel.values for panel in pe.plot("sweep", swept(session, encodings=found)).panels)
    assert all(abs(one - plain).max() > 0.05 for one in moved)  # also a single head of ALiBi


def test_a_single_head_of_alibi_is_offered_the_slope_that_is_seen() -> None:
    figure = pe.plot("sweep", swept(SESSION, encodings=("rope", "alibi")))
    remedied = swept(SESSION, **figure.remedy.options)
    assert remedied.options_of("sweep").encodings == (pe.encoding("rope"), pe.encoding("alibi", bias_max=1))
    assert pe.plot("sweep", remedied).remedy is None
    assert "ALiBi at slope ½ (the first of eight heads)" in pe.plot("sweep", remedied).caption
    eight = remedied.changed(model=pe.ToyModel(d_model=16, n_heads=8))
    assert "first slope" not in pe.plot("sweep", eight).caption


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


def test_where_no_number_of_the_sentence_changes_it_says_so_and_which_of_the_map_does() -> None:
    figure = pe.plot(
        "sweep", swept(SESSION.changed(encoding="sinusoidal"), plot="linear_shift", values=(10, 100, 1000))
    )
    assert figure.headline[0].text == "base 10 → 1,000 changes none of this: "
    assert "→" in numbers_told(figure)[-1]  # of a number of the map
    bases = small_multiples("waves", SESSION, "base", [100, 1000, 10_000])
    assert bases.headline[0].text.startswith("base 100 → 10,000: ")


def test_of_two_that_are_compared_the_one_is_swept_that_has_the_number() -> None:
    session = SESSION.changed(encoding="none", other="alibi", plots={"sweep": {"number": "other.bias_max"}})
    figure = pe.plot("sweep", session)
    assert "Attention of ALiBi" in figure.caption
    assert "the same in both" not in figure.caption


@pytest.mark.parametrize(
    ("encoding", "options", "said"),
    [
        ("integer", {}, "“Integer” has no number to sweep"),
        ("rope", {"number": "bass"}, "“RoPE” has no number called bass (did you mean 'base'?)."),
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
