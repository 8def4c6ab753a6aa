"""What the labs' words say beside their goals: every number and every "would be" of them, measured."""

from __future__ import annotations

import itertools

import pytest
import torch

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.labs import shelf
from posenc_gui.labs.lab import Step
from posenc_gui.labs.questions import Question
from posenc_gui.session import Session
from posenc_gui.ways_in import first_session

ENGINE = Engine()
FIRST = first_session()
STEPS = {f"{name}:{step.name}": step for name in shelf.names() for step in shelf.lab(name).steps}


def step_of(lab: str, name: str) -> Step:
    return STEPS[next(one for one in STEPS if one.startswith(lab) and one.endswith(f":{name}"))]


def solved(step: Step) -> Session:
    return step.solved(step.begun(FIRST))


def value(text: str, session: Session, before: Session | None = None) -> object:
    return Question(text).answer(session, ENGINE, before)


@pytest.mark.parametrize("encoding", [name for name in pe.encodings() if name != "none"])
def test_with_any_encoding_of_a_learner_s_choice_an_output_changes(encoding: str) -> None:
    session = step_of("1-", "encoding").begun(FIRST).changed(encoding=encoding)
    assert value("equivariance.value > 1e-4", session) is True


@pytest.mark.parametrize("model", [{"n_heads": heads, "n_layers": layers} for heads in (1, 2, 4) for layers in (1, 2)])
@pytest.mark.parametrize("bias_max", [0.5, 8.0, 16.0])
def test_no_slope_head_or_layer_takes_alibi_out_of_the_mirror(model: dict[str, int], bias_max: float) -> None:
    step = step_of("2-", "cure")
    begun = step.begun(FIRST)
    session = begun.changed(
        encoding=pe.encoding("alibi", bias_max=bias_max), model=begun.model.model_copy(update=model)
    )
    assert value("meaning.value < 1e-4", session) is True
    masked = session.changed(model=session.model.model_copy(update={"causal": True}))
    assert value("meaning.value > 1e-5", masked) is True


def test_alibi_sees_an_order_that_is_no_mirror() -> None:
    session = step_of("2-", "mirror").begun(FIRST).changed(encoding="alibi", order=(1, 0, 2))
    assert value("equivariance.value > 1e-4", session) is True


@pytest.mark.parametrize("text", ["She told only him", "one two three four five six", "x y y x z"])
def test_a_mean_never_moves_further_than_what_moves_most(text: str) -> None:
    session = step_of("2-", "own").begun(FIRST).changed(text=text)
    for order in itertools.islice(itertools.permutations(range(session.n_tokens)), 1, 12, 4):
        asked = session.changed(order=order)
        pooled = value('meaning.comparisons[0].distances["Sinusoidal"].pooled', asked)
        assert isinstance(pooled, float)
        assert pooled <= float(str(value("meaning.value", asked))) + 1e-9


def test_a_word_whose_predecessors_change_places_gets_the_same_under_a_mask() -> None:
    step = step_of("1-", "mask")
    for text in ("a b c d", "The cat sat on the mat"):
        assert value("generation.value < 1e-5", solved(step).changed(text=text)) is True


def test_the_near_answers_of_the_second_hand_are_what_their_words_say() -> None:
    session = solved(step_of("4-", "base"))
    wavelength = float(str(value("frequencies.wavelengths[1]", session)))
    assert wavelength == pytest.approx(2 * torch.pi * 100**0.5)
    near = step_of("4-", "base").prediction.near  # type: ignore[union-attr]
    assert float(near["limit"].text) == pytest.approx(2 * torch.pi * 100, rel=1e-3)
    assert float(near["radian"].text) == 100**0.5
    # With many dimensions the slowest comes near to 2π · base, and never reaches it.
    for d_model, at_least in ((4, 0.09), (64, 0.8), (1024, 0.98)):
        wide = session.changed(model=session.model.model_copy(update={"d_model": d_model}))
        slowest = float(str(value("frequencies.wavelengths[-1]", wide)))
        assert at_least < slowest / (2 * torch.pi * 100) < 1


def test_the_dot_product_knows_how_far_and_not_which_way() -> None:
    found = pe.measure("similarity", solved(step_of("4-", "distance")))
    assert torch.allclose(found.dots, found.dots.T)
    assert not torch.allclose(found.projected[0], found.projected[0].T, atol=1e-2)


def test_rope_has_the_speeds_of_waves_as_wide_as_its_heads() -> None:
    rope = step_of("5-", "angle").begun(FIRST)
    waves = rope.changed(encoding="sinusoidal")
    assert rope.model.head_width == rope.model.d_model
    asked = "frequencies.frequencies"
    assert value(f"{asked}[0]", rope) == value(f"{asked}[0]", waves)
    assert value(f"{asked}[1]", rope) == pytest.approx(value(f"{asked}[1]", waves))


def test_equal_words_have_equal_rows_and_columns_without_an_encoding() -> None:
    session = solved(step_of("4-", "twins"))
    weights = pe.attend(session).probabilities[0]
    assert torch.allclose(weights[0], weights[4], atol=1e-6)
    assert torch.allclose(weights[:, 0], weights[:, 4], atol=1e-6)


def test_other_pairings_give_other_scores_but_on_the_diagonal() -> None:
    step = step_of("5-", "pairing")
    before, now = (pe.measure("shift", one).before[0] for one in (step.begun(FIRST), solved(step)))
    assert torch.allclose(before.diagonal(), now.diagonal(), atol=1e-5)
    assert (before - now).abs().max() > 0.1


@pytest.mark.parametrize(("base", "median"), [(20.0, 2.73), (10_000.0, 2.20), (1_000_000.0, 1.35)])
def test_vectors_past_those_seen_are_as_far_from_them_as_the_third_lab_says(base: float, median: float) -> None:
    waves = pe.encoding("sinusoidal", base=base).vectors(torch.arange(512, dtype=torch.float64), 16)
    apart = torch.cdist(waves[128:], waves[:128], compute_mode="donot_use_mm_for_euclid_dist")
    nearest = apart.min(1).values
    assert float(nearest.median()) == pytest.approx(median, abs=0.005)
    assert f"{median:.2f}" in step_of("3-", "missing").explain


def test_the_mark_of_the_waves_stands_after_the_positions_that_are_asked_about() -> None:
    assert step_of("3-", "missing").begun(FIRST).n_tokens == 128
