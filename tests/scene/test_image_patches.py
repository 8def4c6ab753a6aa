"""A grid of image patches among the words: where they stand, for which encodings, and what else of a session stays as it is."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.cli import main
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.text.tokenization import MAX_TOKENS, extend_tokens
from tools.later import Later

qwen2 = Later("transformers.models.qwen2_vl.modeling_qwen2_vl")
qwen2_vl = Later("transformers.models.qwen2_vl.configuration_qwen2_vl")
qwen3 = Later("transformers.models.qwen3_vl.modeling_qwen3_vl")
qwen3_vl = Later("transformers.models.qwen3_vl.configuration_qwen3_vl")

SMALL = pe.ToyModel(d_model=24, n_heads=1)
TEXT = {"num_hidden_layers": 0, "hidden_size": 16, "num_attention_heads": 1, "num_key_value_heads": 1}
VISION = {"depth": 0, "hidden_size": 16, "num_heads": 1}
sides = st.integers(1, 7)
texts = st.lists(st.sampled_from(["the", "dog", "bites", "man"]), max_size=9).map(" ".join)
grids = st.builds(pe.Patches, rows=sides, columns=sides, before=st.integers(0, 12))


def models() -> dict[str, Any]:
    """The models that give tokens their places, without weights."""
    second = qwen2_vl.Qwen2VLConfig(text_config=TEXT, vision_config={**VISION, "embed_dim": 16})
    third = {"text_config": {**TEXT, "head_dim": 16}, "vision_config": {**VISION, "deepstack_visual_indexes": []}}
    with torch.device("meta"):
        return {"Qwen2-VL": qwen2.Qwen2VLModel(second), "Qwen3-VL": qwen3.Qwen3VLModel(qwen3_vl.Qwen3VLConfig(**third))}


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    return models()


def published(model: Any, session: pe.Session) -> torch.Tensor:
    """Time, row and column of each token as transformers counts them, (n, 3)."""
    grid = session.patches
    is_patch = torch.tensor([[int(token.startswith("▦")) for token in session.tokens]])
    merged = model.config.vision_config.spatial_merge_size  # so many patches each way become one token
    thw = torch.tensor([[1, grid.rows * merged, grid.columns * merged]])
    ids, _ = model.get_rope_index(torch.zeros_like(is_patch), is_patch, image_grid_thw=thw)
    return ids[:, 0].T


@pytest.mark.slow
@pytest.mark.parametrize("model", ["Qwen2-VL", "Qwen3-VL"])
@given(text=texts, patches=grids)
def test_tokens_stand_as_in_public_models(theirs: dict[str, Any], model: str, text: str, patches: pe.Patches) -> None:
    session = pe.Session(text=text, patches=patches, encoding="mrope", model=SMALL)
    places = session.scene.places
    assert places is not None
    ours, expected = places.coordinates(session.n_tokens, 3), published(theirs[model], session)
    assert torch.equal(ours.long(), expected)
    assert places.reach(session.n_tokens) == session.scene.context.length == int(expected.max()) + 1
    indices = torch.arange(session.n_tokens, dtype=torch.float64)
    assert torch.equal(session.scene.at(indices), ours)
    assert torch.equal(session.changed(encoding="axial").scene.at(indices), ours[:, 1:])
    assert torch.equal(session.changed(encoding="rope").scene.at(indices), indices)


@pytest.mark.parametrize(
    ("model", "module", "configs", "embedding", "interleaved"),
    [
        ("Qwen2-VL", qwen2, qwen2_vl, "Qwen2VLRotaryEmbedding", False),
        ("Qwen3-VL", qwen3, qwen3_vl, "Qwen3VLTextRotaryEmbedding", True),
    ],
)
def test_scores_are_those_of_queries_and_keys_that_the_published_code_turns(
    theirs: dict[str, Any], model: str, module: Any, configs: Any, embedding: str, interleaved: bool
) -> None:
    sections = (4, 4, 4)
    encoding = pe.encoding("mrope", mrope_section=sections, mrope_interleaved=interleaved)
    session = pe.Session(patches={"rows": 2, "columns": 5}, encoding=encoding, model=SMALL)
    found = pe.attend(session)
    rope = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": sections, "mrope_interleaved": interleaved}
    shape = {"hidden_size": 24, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 24}
    ids = published(theirs[model], session).T[:, None]
    config = getattr(configs, f"{model.replace('-', '')}TextConfig")(**shape, rope_parameters=rope)
    cos, sin = getattr(module, embedding)(config)(found.queries, ids)
    queries, keys = module.apply_rotary_pos_emb(found.queries[None], found.keys[None], cos, sin)
    assert_close(found.scores, (queries @ keys.mT)[0] / 24**0.5, atol=1e-4, rtol=0)


@given(patches=grids)
def test_a_picture_alone_stands_at_its_rows_and_columns(patches: pe.Patches) -> None:
    session = pe.Session(text="", patches=patches, encoding="axial", model=SMALL)
    expected = [[row, column] for row in range(patches.rows) for column in range(patches.columns)]
    assert session.scene.places is not None
    assert session.scene.places.coordinates(session.n_tokens, 2).tolist() == expected
    assert session.tokens == tuple(f"▦{row},{column}" for row, column in expected)


def test_the_length_that_an_encoding_knows_is_that_of_its_positions() -> None:
    scaling = {"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 8}
    encoding = pe.encoding("mrope", scaling=scaling)
    session = pe.Session(text="a b", patches={"rows": 2, "columns": 6}, encoding=encoding, model=SMALL)
    assert (session.n_tokens, session.scene.context.length) == (14, 8)
    assert torch.equal(pe.attend(session).scores, pe.attend(session.changed(encoding="mrope")).scores)


@pytest.mark.parametrize("encoding", ["none", "sinusoidal", "learned", "rope", "alibi", "t5", "cope"])
def test_an_encoding_of_one_axis_takes_them_in_reading_order(encoding: str) -> None:
    session = pe.Session(patches={}, encoding=encoding, model=SMALL)
    assert session.scene.prompt.positions is None
    assert session.scene.context.length == session.n_tokens == 18


@given(text=texts, patches=grids, fill=st.sampled_from(["none", "repeat", "random"]), to=st.integers(1, 30))
def test_the_text_stays_what_it_is_and_a_file_holds_both(text: str, patches: pe.Patches, fill: str, to: int) -> None:
    plain = pe.Session(text=text, fill=fill, fill_to=to)
    session = plain.changed(patches=patches)
    first = min(patches.before, plain.n_tokens)
    assert session.text == text
    assert session.tokens == (*plain.tokens[:first], *patches.labels, *plain.tokens[first:])
    twins = plain.scene.sentence.twins
    assert session.scene.sentence.twins == {at if at < first else at + patches.count for at in twins}
    assert session.scene.sentence.split().filling == plain.scene.sentence.split().filling
    assert pe.Session.from_json(session.to_json()) == session
    assert pe.Session.from_share(session.share()) == session
    assert session.changed(patches=None) == plain
    assert '"patches"' not in plain.to_json()


@given(patches=grids, order=st.permutations(range(6)), focus=st.integers(0, 5))
def test_an_order_is_of_the_words_and_patches_stay(patches: pe.Patches, order: list[int], focus: int) -> None:
    session = pe.Session(patches=patches, encoding="mrope", model=SMALL, order=order)
    stand = patches.indices(session.n_tokens)
    assert session.tokens[stand.start : stand.stop] == patches.labels
    words = [token for at, token in enumerate(session.tokens) if at not in stand]
    assert words == list(session.changed(patches=None).standing(pe.Session().tokens)) or session.order == ()
    assert sorted(session.scene.sentence.order) == list(range(session.n_tokens))
    session = session.changed(focus=[at for at in range(session.n_tokens) if at not in stand][focus])
    back = session.reordered(session.scene.sentence.order[::-1])
    assert back.tokens[back.focus] == session.tokens[session.focus]
    assert back.reordered(back.scene.sentence.order[::-1]).tokens == session.tokens
    assert back.reordered(tuple(range(back.n_tokens))).order == ()
    assert back.scene.places == session.scene.places


@given(before=st.none() | grids, after=st.none() | grids, focus=st.integers(0, 60), key=st.none() | st.integers(0, 60))
def test_what_is_in_focus_stays_so_when_patches_come_and_go(
    before: pe.Patches | None, after: pe.Patches | None, focus: int, key: int | None
) -> None:
    session = pe.Session(patches=before, focus=focus, key=key)
    changed = session.with_patches(after, session.n_tokens)
    assert changed.patches == after
    for old, new in ((session.focused, changed.focused), (session.keyed, changed.keyed)):
        assert old is not None
        assert new is not None
        was = session.tokens[old]
        if not was.startswith("▦") or (after and was in after.labels):
            assert changed.tokens[new] == was


def test_the_longest_text_gives_way_to_the_patches() -> None:
    session = pe.Session(fill="random", fill_to=MAX_TOKENS, patches={"rows": 64, "columns": 64}, encoding="mrope")
    assert session.n_tokens == MAX_TOKENS
    assert session.tokens[-1] == extend_tokens(pe.Session().tokens, "random", MAX_TOKENS)[MAX_TOKENS - 64 * 64 - 1]
    assert session.scene.sentence.split().filling == f"the text, then {MAX_TOKENS - 64 * 64 - 6:,} seeded random words"
    assert session.scene.context.length == MAX_TOKENS - 64 * 64 + 64
    assert len(session.to_json()) < 500


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"patches": {"rows": 0}}, "rows"),
        ({"patches": {"rows": 65}}, "rows"),
        ({"patches": {"columns": 1e9}}, "columns"),
        ({"patches": {"before": -1}}, "before"),
        ({"patches": {"before": MAX_TOKENS + 1}}, "before"),
        ({"patches": {"columns": 2, "time": 1}}, "time"),
        ({"patches": "3 x 4"}, "patches"),
        (
            {"patches": {}, "order": range(18)},
            "order must hold each of 0 to 5 once, as there are tokens beside the pat",
        ),
    ],
)
def test_what_is_no_grid_and_no_order_beside_one_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pe.Session(**fields)


def test_moving_the_whole_sentence_changes_no_score_and_another_order_does() -> None:
    session = pe.Session(patches={}, encoding="mrope", model=SMALL)
    assert pe.measure("shift", session).changed == 0
    assert not pe.measure("equivariance", session).reason.startswith("With M-RoPE, reordering the tokens only")
    assert pe.measure("equivariance", session.changed(encoding="none")).most is None


def test_verdicts_are_of_the_encoding_whatever_stands_in_the_sentence() -> None:
    sentence = "one two three four five six"
    session = pe.Session(text=sentence, encoding="axial", model=SMALL)
    found = (pe.measure("requirements", one) for one in (session, session.changed(patches={"rows": 5, "columns": 3})))
    told, other = ([(row.verdict, row.reason) for row in one.values()] for one in found)
    assert told == other


def test_another_sentence_of_the_same_words_has_the_same_patches() -> None:
    session = pe.Session(text="dog bites man", patches={"rows": 1, "columns": 2, "before": 1}, model=SMALL)
    found = pe.measure("meaning", session, other="man bites dog")
    assert found.comparisons[0].tokens == ("man", "▦0,0", "▦0,1", "bites", "dog")


@pytest.mark.parametrize("encoding", ["mrope", "axial"])
def test_a_curve_gives_each_token_the_angles_at_its_own_place(encoding: str) -> None:
    session = pe.Session(patches={"rows": 2, "columns": 3}, encoding=encoding, model=SMALL)
    panel = pe.plot("angles", session).panels[0]
    assert panel.x.title == "token"
    assert session.scene.places is not None
    count = session.n_tokens + 5
    places = session.scene.places.coordinates(count, session.encoding.axes)
    expected = session.encoding.angles(places, 24, session.scene.context)
    for series in panel.series:
        assert_close(torch.tensor(series.y[:count]) * 2 * torch.pi, expected[:, int(series.label.split()[1])].float())
    steps = pe.plot("why", session.changed(focus=8, key=11, plots={"why": {"show": "steps"}})).panels[0].rows
    place = "(3, 4, 5)" if encoding == "mrope" else "(4, 5)"
    assert f"each pair by its angle at {place}" in [how for _, _, how in steps]
    assert "each pair by its angle at position 8" in [how for _, _, how in steps]


def test_the_picture_of_one_query_is_its_row_laid_out_as_the_grid() -> None:
    session = pe.Session(patches={"rows": 2, "columns": 3, "before": 2}, encoding="mrope", model=SMALL, focus=4)
    figure, weights = pe.plot("patches", session), pe.attend(session).probabilities[0, 4, 2:8]
    assert_close(torch.tensor(figure.panels[1].values), weights.view(2, 3))
    assert f"{float(weights.sum()):.3g}" in "".join(run.text for run in figure.headline)
    causal = session.changed(model=SMALL.model_copy(update={"causal": True}))
    assert pe.plot("patches", causal).panels[0].mask.tolist() == [[False] * 3, [True] * 3]
    assert "mask hides" in pe.plot("patches", causal.changed(focus=1)).description
    assert "no image patches" in pe.plot("patches", session.changed(patches=None)).description


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "word"])
@pytest.mark.parametrize("encoding", ["none", "mrope", "axial", "cope"])
def test_few_words_or_none_beside_patches_are_drawn_and_measured(text: str, encoding: str) -> None:
    session = pe.Session(text=text, patches={"rows": 1, "columns": 2, "before": 5}, encoding=encoding, model=SMALL)
    assert not pe.plot("attention", session).is_note
    drawn = Random(f"{text} {encoding}")
    for name in drawn.sample(sorted(pe.measures()), 6):
        assert pe.measure(name, session).reason
    for name in drawn.sample(sorted(pe.plots()), 6):
        assert pe.plot(name, session).description


def test_places_far_out_are_found_without_those_before_them() -> None:
    places = PatchPlaces(before=2, rows=2, columns=3, start=10)
    assert places.at(torch.tensor([1e9], dtype=torch.float64), 3).tolist() == [[10 + 1e9 - 3] * 3]
    assert places.at(torch.tensor([1.5, 2.5]), 3).tolist() == [[11.5] * 3, [12, 12, 12.5]]
    assert [places.reach(count) for count in (0, 1, 3, 8, 9)] == [10, 11, 13, 15, 16]


def test_the_command_line_sets_a_grid_and_the_figure_carries_it(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    settings = ["patches.rows=2", "patches.columns=5", "order=5,4,3,2,1,0", "focus=9"]
    asked = [part for setting in settings for part in ("--set", setting)]
    assert main(["export", "attention", "--out", str(path), "--encoding", "mrope", *asked]) == 0
    expected = pe.Session(encoding="mrope", patches={"rows": 2, "columns": 5}, order=(5, 4, 3, 2, 1, 0), focus=9)
    assert pe.Session.load(path) == expected
    assert main(["export", "row", "--out", str(path), "--session", str(path), "--set", "patches=none"]) == 0
    assert pe.Session.load(path) == expected.changed(patches=None)


def test_a_sweep_goes_over_the_size_of_the_grid() -> None:
    session = pe.Session(text="a b", encoding="mrope", model=SMALL)
    figures = pe.sweep("attention", session, "patches.rows", [1, 2])
    assert [len(one.panels[0].values) for one in figures] == [2 + 4, 2 + 8]


def test_a_lab_asks_for_the_grid_and_for_angles_at_a_patch() -> None:
    session = pe.Session(patches={"rows": 2, "columns": 3, "before": 1}, encoding="axial", model=SMALL)
    for text, answer in (("session.patches.rows", 2), ("angles[6][0]", 2), ("angles[6][6]", 3)):
        assert Expression(text).answer(session, Engine()) == answer


def test_beside_an_encoding_of_one_axis_each_side_says_where_its_patches_stand() -> None:
    session = pe.Session(patches={}, encoding="mrope", other="rope", model=SMALL)
    told = pe.plot("waves", session).caption
    assert told.count("3 × 4 patches before token 3") == 2


def test_the_patch_in_focus_is_marked_in_the_picture_and_no_word_is() -> None:
    session = pe.Session(encoding="mrope", patches={"rows": 2, "columns": 3, "before": 2})
    marked = []
    for focus in (2 + 3 + 1, 0):
        (panel, *_) = pe.plot("patches", session.changed(focus=focus)).panels
        marked.append((panel.rows.focus, panel.columns.focus))
    assert marked == [(1, 1), (None, None)]
