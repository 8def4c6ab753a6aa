"""What the labs' words say beside their goals: every number and every "would be" of them, measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Step
from posenc_gui.labs.play.observe import outcome_of
from posenc_gui.measures.recurrence import Recurrence
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

ENGINE = Engine()
FIRST = first_session()
STEPS = {f"{name}:{step.name}": step for name in lab_library.names() for step in lab_library.lab(name).steps}


def step_of(lab: str, name: str) -> Step:
    return STEPS[next(one for one in STEPS if one.startswith(lab) and one.endswith(f":{name}"))]


def solved(step: Step) -> Session:
    return step.solved(step.begun(FIRST))


def value(text: str, session: Session, before: Session | None = None) -> object:
    return Expression(text).answer(session, ENGINE, before)


@pytest.mark.parametrize("encoding", [name for name in pe.encodings() if name != "none"])
def test_with_any_encoding_of_a_learner_s_choice_an_output_changes(encoding: str) -> None:
    session = step_of("attention", "encoding").begun(FIRST).changed(encoding=encoding)
    assert value("equivariance.value > 1e-4", session) is True


@pytest.mark.parametrize("model", [{"n_heads": heads, "n_layers": layers} for heads in (1, 2, 4) for layers in (1, 2)])
@pytest.mark.parametrize("bias_max", [0.5, 8.0, 16.0])
def test_no_slope_head_or_layer_takes_alibi_out_of_the_mirror(model: dict[str, int], bias_max: float) -> None:
    step = step_of("same", "cure")
    begun = step.begun(FIRST)
    alibi = pe.encoding("alibi", bias_max=bias_max)
    session = begun.changed(encoding=alibi, model=begun.model.model_copy(update=model))
    assert value("meaning.value < 1e-4", session) is True
    masked = session.changed(model=session.model.model_copy(update={"causal": True}))
    assert value("meaning.value > 1e-5", masked) is True


def test_alibi_sees_an_order_that_is_no_mirror() -> None:
    session = step_of("same", "mirror").begun(FIRST).changed(encoding="alibi", order=(1, 0, 2))
    assert value("equivariance.value > 1e-4", session) is True


def test_a_word_whose_predecessors_change_places_gets_the_same_under_a_mask() -> None:
    step = step_of("attention", "mask")
    for text in ("a b c d", "The cat sat on the mat"):
        assert value("generation.value < 1e-5", solved(step).changed(text=text)) is True


def test_the_near_answers_of_the_second_hand_are_what_their_words_say() -> None:
    session = solved(step_of("waves", "base"))
    wavelength = float(str(value("frequencies.wavelengths[1]", session)))
    assert wavelength == pytest.approx(2 * torch.pi * 100**0.5)
    near = step_of("waves", "base").prediction.near  # type: ignore[union-attr]
    assert float(near["limit"].text) == pytest.approx(2 * torch.pi * 100, rel=1e-3)
    assert float(near["radian"].text) == 100**0.5
    # With many dimensions the slowest comes near to 2π · base, and never reaches it.
    for d_model, at_least in ((4, 0.09), (64, 0.8), (1024, 0.98)):
        wide = session.changed(model=session.model.model_copy(update={"d_model": d_model}))
        slowest = float(str(value("frequencies.wavelengths[-1]", wide)))
        assert at_least < slowest / (2 * torch.pi * 100) < 1


def test_the_dot_product_knows_how_far_and_not_which_way() -> None:
    found = pe.measure("similarity", solved(step_of("waves", "distance")))
    assert torch.allclose(found.dots, found.dots.T)
    assert not torch.allclose(found.projected[0], found.projected[0].T, atol=1e-2)


def test_rope_has_the_speeds_of_waves_as_wide_as_its_heads() -> None:
    rope = step_of("rope", "angle").begun(FIRST)
    waves = rope.changed(encoding="sinusoidal")
    assert rope.model.head_width == rope.model.d_model
    asked = "frequencies.frequencies"
    assert value(f"{asked}[0]", rope) == value(f"{asked}[0]", waves)
    assert value(f"{asked}[1]", rope) == pytest.approx(value(f"{asked}[1]", waves))


def test_equal_words_have_equal_rows_and_columns_without_an_encoding() -> None:
    session = step_of("attention", "apart").begun(FIRST)
    weights = pe.attend(session).probabilities[0]
    assert torch.allclose(weights[0], weights[4], atol=1e-6)
    assert torch.allclose(weights[:, 0], weights[:, 4], atol=1e-6)


def test_other_pairings_give_other_scores_but_on_the_diagonal() -> None:
    step = step_of("rope", "pairing")
    before, now = (pe.measure("shift", one).before[0] for one in (step.begun(FIRST), solved(step)))
    assert torch.allclose(before.diagonal(), now.diagonal(), atol=1e-5)
    assert (before - now).abs().max() > 0.1


@pytest.mark.parametrize("base", [1.5, 3, 10, 20, 45])
def test_every_vector_past_those_seen_is_new_where_no_value_is(base: float) -> None:
    step = step_of("what", "missing")
    waves = pe.encoding("sinusoidal", base=base)
    begun = step.begun(FIRST)
    assert all(condition.holds(begun.changed(encoding=waves), ENGINE, begun) for condition in step.goal)
    vectors = waves.vectors(torch.arange(512, dtype=torch.float64), begun.model.d_model)
    apart = torch.cdist(vectors[128:], vectors[:128], compute_mode="donot_use_mm_for_euclid_dist")
    assert apart.min() > 0.4 * vectors[0].norm()


def test_the_ranking_s_remarks_on_its_three_encodings_hold() -> None:
    step = step_of("what", "rank")
    begun = step.begun(FIRST)
    verdicts = {
        ("learned", "generalizable"): "not",
        ("sinusoidal", "generalizable"): "partly",
        ("alibi", "unique"): "not",
        ("alibi", "bounded"): "not",
    }
    for (name, demand), verdict in verdicts.items():
        session = begun.changed(encoding=name)
        assert all(condition.holds(session, ENGINE, begun) for condition in step.goal)
        assert value(f'requirements.{demand}.verdict == "{verdict}"', session) is True


def test_the_mark_of_the_waves_stands_after_the_positions_that_are_asked_about() -> None:
    assert step_of("what", "missing").begun(FIRST).n_tokens == 128


def left_of_the_last_weight(encoding: str, *, seed: int) -> list[float]:
    """The share of the last word's weight on itself that a text eight times as long leaves, by head."""
    step = step_of("past", "rope")
    begun = step.begun(FIRST).changed(encoding=encoding)
    begun = begun.changed(model=begun.model.model_copy(update={"seed": seed}))
    before, now = pe.attend(begun), pe.attend(step.solved(begun))
    assert torch.allclose(before.scores[:, -1, -1], now.scores[:, -1, -1], atol=1e-4)
    return (now.probabilities[:, -1, -1] / before.probabilities[:, -1, -1]).tolist()


@pytest.mark.parametrize("seed", [FIRST.model.seed, *range(3)])
def test_the_softmax_thins_attention_in_a_longer_text_whether_rope_turns_or_not_but_not_where_alibi_looks_near(
    seed: int,
) -> None:
    assert left_of_the_last_weight("none", seed=seed) == pytest.approx([64 / 512] * 4, rel=1e-4)
    assert all(0.05 < left < 0.3 for left in left_of_the_last_weight("rope", seed=seed))
    by_slope = left_of_the_last_weight("alibi", seed=seed)
    assert by_slope == sorted(by_slope, reverse=True)
    assert by_slope[0] > 0.99


def walked(step: str, seed: int, text: str = "") -> Recurrence:
    """What the network and attention make of a step's text, once it is solved, or of another one, with a seed's weights."""
    session = solved(step_of("a-network", step))
    model = session.model.model_copy(update={"seed": seed})
    return pe.measure("recurrence", session.changed(model=model, **({"text": text} if text else {})))


@pytest.mark.parametrize("seed", [FIRST.model.seed, *range(10)])
def test_with_any_weights_each_word_halves_a_trace_and_words_between_thin_what_the_last_reads_of_the_first(
    seed: int,
) -> None:
    read = walked("order-long", seed)
    assert 0.4 < (read.order_difference / float(read.apart[5])) ** (1 / 6) < 0.6
    longer, shorter = walked("fading", seed), walked("fading", seed, step_of("a-network", "fading").begun(FIRST).text)
    assert longer.attention_share < shorter.attention_share
    assert longer.value / shorter.value < 0.1 * longer.attention_share / shorter.attention_share


def test_each_step_s_act_changes_what_its_picture_shows() -> None:
    seen = {("same", "mirror"): "equivariance.value", ("rope-", "move"): "shift.value"}
    for place, asked in seen.items():
        begun = step_of(*place).begun(FIRST)
        assert float(str(value(asked, begun))) > 0.1
        assert float(str(value(asked, solved(step_of(*place))))) < 1e-4


def test_who_slows_whom_when_rope_is_stretched() -> None:
    plain = pe.encoding("rope")
    positions = torch.tensor([1.0, 4095.0, 16_380.0, 16_383.0], dtype=torch.float64)
    as_trained = plain.angles(positions, 128)
    lab = {name: solved(step_of("stretching", name)).encoding for name in ("pi", "ntk", "yarn")}
    stretched = {name: encoding.angles(positions, 128) for name, encoding in lab.items()}
    slower = {name: as_trained[0] / angles[0] for name, angles in stretched.items()}
    turns = 4096 * as_trained[0] / (2 * torch.pi)

    assert torch.allclose(slower["pi"], torch.tensor(4.0, dtype=torch.float64))
    assert torch.allclose(stretched["pi"][2], as_trained[1])

    assert (slower["ntk"].diff() > 0).all()
    assert slower["ntk"][[0, -1]].tolist() == pytest.approx([1, 8])
    never_round = turns < 1
    past_training = stretched["ntk"][3] > as_trained[1]
    assert not (never_round & past_training).any()

    assert torch.allclose(slower["yarn"][never_round], torch.tensor(4.0, dtype=torch.float64))
    assert torch.allclose(slower["yarn"][turns > 50], torch.tensor(1.0, dtype=torch.float64))
    between = slower["yarn"][(turns < 20) & (turns > 2)]
    assert ((between > 1) & (between < 4)).all()
    assert lab["yarn"].attention_factor > 1


def test_a_level_line_isn_t_a_peak_and_a_rough_hill_is() -> None:
    step = step_of("rope-turn-dont-add", "friend")
    session = solved(step)

    def is_right(height: Callable[[float], float]) -> bool:
        drawn = tuple((float(x), height(x)) for x in range(-128, 129, 4))
        return bool(outcome_of(step.prediction, drawn, session, ENGINE).right)

    assert is_right(lambda x: 8 - 6 * abs(x) / 128)
    assert not is_right(lambda x: 4.0)
