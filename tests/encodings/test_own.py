"""Your formula as an encoding: one name for three doors, a text that is its whole state, and the numbers that it names."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.encodings.base import Context
from posenc_gui.encodings.common.any_encoding import pieces, read_encoding, write_encoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.encodings.own import FIRST
from posenc_gui.scene import comparison, diff, sweepable_fields
from posenc_gui.scene.caption import describe_encodings, describe_settings
from posenc_gui.scene.scene import Scene
from posenc_gui.session import settings_by_name
from posenc_gui.session.change_names import between

WAVES = "p[m, 2i] = sin(m / base^(2i/d))\np[m, 2i+1] = cos(m / base^(2i/d))\nbase = 10000  # 100 to 1000000"
TURNS = "angle[m, 2i] = m / base^(2i/d)\nbase = 10000  # 100 to 1000000"
SLOPES = "bias[m, n, h] = -2^(-8*(h+1)/H) * abs(m - n)"
DOORS = {"input": WAVES, "rotation": TURNS, "score": SLOPES}
TEXT = "The cat sat on the mat"


def own(formula: str = FIRST, **numbers: Any) -> Any:
    return pe.encoding("own", formula=formula, **numbers)


def test_it_is_listed_last_and_all_encodings_are_the_built_in_ones() -> None:
    assert pe.encodings()[-1] == "own"
    assert "own" not in encodings.classes()
    assert len(encodings.every(own())) == len(encodings.classes()) + 1
    assert encodings.every(pe.encoding("rope")) == [cls() for cls in encodings.classes().values()]


@pytest.mark.parametrize("door", DOORS)
def test_the_left_side_says_the_door_and_a_copy_is_the_same(door: str) -> None:
    encoding = own(DOORS[door])
    assert encoding.door == door
    assert encoding.name == "own"
    weaker = at_strength(encoding, 0.5)
    assert (weaker.strength, weaker.formula, at_strength(weaker, 1.0)) == (0.5, encoding.formula, encoding)
    for one in (copy.copy(encoding), copy.deepcopy(encoding), pickle.loads(pickle.dumps(encoding))):
        assert one == encoding
        assert hash(one) == hash(encoding)
        assert type(one) is type(encoding)
    assert type(encoding)().door == door  # an example of the door


def test_columns_that_no_line_fills_are_zero_and_of_an_odd_width_the_first_half_has_one_more() -> None:
    assert own("p[m, 2i] = 1").vectors([0, 1], 5).tolist() == [[1, 0, 1, 0, 1]] * 2
    halves = own("p[m, i] = i\np[m, i + d/2] = -i")
    assert halves.vectors([0], 4).tolist() == [[0, 1, 0, -1]]
    assert halves.vectors([0], 5).tolist() == [[0, 1, 2, 0, -1]]


def test_length_is_the_contexts_and_without_one_reaches_the_last_position() -> None:
    share = own("p[m, i] = m / L")
    assert share.vectors([0, 3], 1).flatten().tolist() == [0, 0.75]
    assert share.vectors([0, 3], 1, Context(6)).flatten().tolist() == [0, 0.5]
    assert "6" in share.remark(Context(6))
    assert own("bias[m, n, h] = n / L").bias([0], [0, 3], 1).flatten().tolist() == [0, 0.75]


@pytest.mark.parametrize(
    ("numbers", "named"),
    [({"growht": 3}, "did you mean 'growth'"), ({"growth": 9}, "between 1.1 and 4"), ({"growth": "x"}, "a number")],
)
def test_a_number_that_it_does_not_take_is_refused_in_a_sentence(numbers: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named.replace("(", r"\(")) as why:
        own(**numbers)
    assert "\n" not in str(why.value)


def test_a_number_is_written_into_the_text_by_a_setting_and_a_sweep() -> None:
    session = pe.Session(text=TEXT, encoding=own(), other=own())
    fields = settings_by_name.changed(session, "attention", {"growth": 3, "other.growth": 1.5})
    assert "growth = 3 " in fields["encoding"].formula
    assert "growth = 1.5 " in fields["other"].formula
    numbers = sweepable_fields.sweepable_numbers(session)
    assert {"growth", "other.growth"} <= numbers.keys()
    proposed = sweepable_fields.propose_values(session, numbers["growth"])
    assert 2 in proposed
    assert min(proposed) == 1.1
    assert max(proposed) == 4
    swept = pe.sweep("attention", session.changed(other=None), "growth", [1.5, 3])
    assert [figure.value for figure in swept] == ["growth 1.5", "growth 3"]
    with pytest.raises(ValueError, match="your formula, which has formula and growth"):
        settings_by_name.changed(session, "attention", {"base": 5})


@pytest.mark.parametrize("formula", [FIRST, *DOORS.values(), 'p[m, i] = min(m, 2 * (i + 1))  # a "b", c) none\n'])
def test_it_goes_round_as_text_in_files_and_in_share_strings(formula: str) -> None:
    encoding = own(formula)
    written = write_encoding(encoding)
    assert "\n" not in written
    assert read_encoding(written) == encoding
    assert [*pieces(f"rope, {written}, alibi")] == ["rope", written, "alibi"]
    session = pe.Session(text=TEXT, encoding=encoding, other=own(TURNS))
    assert pe.Session.from_json(session.to_json()) == session
    assert pe.Session.from_share(session.share()) == session


def test_two_formulas_are_told_apart_by_their_numbers_or_in_words() -> None:
    numbers = Scene(pe.Session(text=TEXT, encoding=own(), other=own(growth=3)))
    assert comparison.side_names(numbers) == ("growth 2", "growth 3")
    assert describe_encodings(numbers) == "Your formula, A: growth 2, B: growth 3"
    held, differs = comparison.held_and_different(numbers)
    assert differs == "differs: growth"
    assert "formula" in held
    texts = Scene(pe.Session(text=TEXT, encoding=own(), other=own(TURNS)))
    assert comparison.names(texts) == ("A: your formula", "B: your other formula")
    assert describe_encodings(texts) == "A: your formula, B: your other formula"
    assert comparison.held_and_different(texts)[1] == "differs: formula"
    assert {"Your formula", "Your other formula"} <= comparison.every_encoding(texts).keys()
    same = Scene(pe.Session(text=TEXT, encoding=own(), other=own()))
    assert comparison.side_names(same) == ("your formula", "your formula")
    mixed = Scene(pe.Session(text=TEXT, encoding=own(), other=pe.encoding("rope")))
    assert comparison.phrases(mixed) == ("with your formula", "with RoPE")


def test_a_change_is_named_by_the_number_that_changed() -> None:
    session = pe.Session(text=TEXT, encoding=own())
    assert between(session, session.changed(encoding=own(growth=3))).name == "growth 2 → 3"
    assert between(session, session.changed(encoding=own(TURNS))).name
    assert [one.title for one in diff.between(own(), own("p[m, i] = m"))] == ["Formula"]


def test_captions_carry_the_formula_on_one_line_and_shorten_a_long_one() -> None:
    session = pe.Session(text=TEXT, encoding=own(growth=3))
    assert "· p[m, i] = abs(m / growth^i mod 2 - 1); growth = 3 ·" in describe_settings(session.scene)
    long = session.changed(encoding=own(f"p[m, i] = m{' + sin(m)' * 40}"))
    figure = pe.plot("attention", long)
    assert long.encoding.written in figure.settings
    assert len(figure.printed_settings) < 300
    assert pe.Session.from_json(figure.session).encoding == long.encoding


def test_a_sentence_says_your_formula() -> None:
    session = pe.Session(text=TEXT, encoding=own())
    told = "".join(run.text for run in pe.plot("row", session).headline)
    assert "with your formula, " in told
    assert "".join(run.text for run in pe.plot("flow", session).headline).startswith("Your formula comes in")


def test_what_is_not_true_of_a_formula_is_not_said() -> None:
    session = pe.Session(text=TEXT, encoding=own("angle[m, i] = m^2 / 10^i"))
    found = pe.measure("frequencies", session)
    assert found.value is None
    assert "from step to step" in found.reason
    assert "evenly" in "".join(run.text for run in pe.plot("angles", session).headline)
    far = session.changed(encoding=own("bias[m, n, h] = -abs(m - n) / (m + 1)"))
    assert "of a query at position" in pe.plot("rulers", far).caption


def test_sines_and_cosines_of_one_angle_are_pairs_that_turn() -> None:
    session = pe.Session(text=TEXT, encoding=own(WAVES))
    found, known = (pe.measure("frequencies", one) for one in (session, session.changed(encoding="sinusoidal")))
    torch.testing.assert_close(found.frequencies, known.frequencies)
    assert own().phases(torch.arange(3), 16, Context(3)) is None
    assert "sine and the cosine" in pe.measure("frequencies", session.changed(encoding=own())).reason
