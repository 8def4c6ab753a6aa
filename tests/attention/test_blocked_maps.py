"""Maps in blocks: tiles, overview and the whole map agree, whatever the sizes, and nothing as large as the map is held."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_of, words
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.blocked_maps import CELLS, STEPS, BlockGrid, Overview, ScorePass, sampled
from posenc_gui.attention.forward import tile
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.attention.score_tiles import Denominators, ScoreMap, ScoreRow, ScoreTiles
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Context, Encoding, ScoreEncoding
from posenc_gui.foundation.threads import Threads
from tests.attention.test_hooks import every_encoding, models


def parts(n: int) -> st.SearchStrategy[range]:
    return st.tuples(st.integers(0, n - 1), st.integers(1, n)).map(lambda of: range(of[0], min(n, of[0] + of[1])))


@st.composite
def grids(draw: st.DrawFn, n: int) -> BlockGrid:
    pixels = draw(st.tuples(st.integers(1, n), st.integers(1, n)))
    return BlockGrid.within(draw(parts(n)), draw(parts(n)), pixels)


def whole(layer: Layer) -> tuple[Tensor, Tensor]:
    """Scores and weights by the law as it is written: (h, n, n)."""
    every = range(layer.n_tokens)
    scores = tile(layer, every, every).scores
    hidden = ~layer.visible(torch.tensor(every), torch.tensor(every))
    return scores, scores.masked_fill(hidden, -torch.inf).softmax(-1)


def in_blocks(values: Tensor, layer: Layer, grid: BlockGrid) -> Overview:
    """A whole map, (h, n, n), in blocks, one by one."""
    every = torch.arange(layer.n_tokens)
    visible = layer.visible(every, every)
    mean, maximum = torch.zeros(grid.shape).to(values), torch.zeros(grid.shape).to(values)
    seen = torch.zeros(grid.shape, dtype=torch.bool)
    for row in range(grid.shape[0]):
        queries = torch.tensor(grid.queries[row * grid.height : (row + 1) * grid.height])[:, None]
        for column in range(grid.shape[1]):
            keys = torch.tensor(grid.keys[column * grid.width : (column + 1) * grid.width])
            cells = values[:, queries, keys][:, visible[queries, keys]]
            seen[row, column] = bool(cells.numel())
            if cells.numel():
                mean[row, column], maximum[row, column] = cells.mean(), cells.max()
    return Overview(mean, maximum, seen, grid.shape[0])


def assert_alike(found: Overview, expected: Overview) -> None:
    assert torch.equal(found.seen, expected.seen)
    assert found.done == expected.done
    assert_close(found.mean, expected.mean)
    assert_close(found.maximum, expected.maximum)


def of(values: Tensor, head: int | None) -> Tensor:
    return values if head is None else values[head : head + 1]


@pytest.mark.slow
@every_encoding
@settings(max_examples=5)
@given(model=models, n=st.integers(1, 37), data=st.data())
def test_an_overview_is_the_whole_map_in_blocks(
    encoding: Encoding, model: ToyModel, n: int, data: st.DataObject
) -> None:
    n = min(n, encoding.length_limit(model.d_model) or n)
    layer = layer_of(encoding, model, n)
    plain = layer_of(pe.encoding("none"), model, n)
    scores, weights = whole(layer)
    grid, head = data.draw(grids(n)), data.draw(st.none() | st.integers(0, model.n_heads - 1))
    for first, values in (
        (ScoreMap(layer, head=head), scores),
        (ScoreMap(layer, plain, head), scores - whole(plain)[0]),
        (weighed := ScoreMap(layer, None, head, Denominators.of(layer)), weights),
        (weighed, weights),  # now the denominators are there
    ):
        *_, found = ScorePass([first]).overviews(grid)
        assert_alike(found[0], in_blocks(of(values, head), layer, grid))
    view = BlockGrid(grid.queries, data.draw(parts(n)))
    *_, (exact,) = ScorePass([weighed]).overviews(view)
    assert view.exact
    assert_alike(exact, in_blocks(of(weights, head), layer, view))


@pytest.mark.slow
@pytest.mark.most(4)
@pytest.mark.parametrize("name", ["none", "rope", "alibi", "t5", "shaw"])
@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
def test_several_tiles_and_bands_are_one_map(name: str, causal: bool) -> None:
    layer = layer_of(pe.encoding(name), ToyModel(d_model=8, n_heads=2, causal=causal, n_layers=1), 1300)
    grid = BlockGrid.within(range(1300), range(1300), (10, 40))
    known = Denominators.of(layer)
    *steps, (found,) = ScorePass([ScoreMap(layer, denominators=known)]).overviews(grid)
    assert 0 < len(steps) <= STEPS
    assert [step.done for (step,) in steps] == sorted({step.done for (step,) in steps})
    for (step,) in steps:
        assert_close(step.mean[: step.done], found.mean[: step.done])
        assert torch.equal(step.maximum[: step.done], found.maximum[: step.done])
    assert_alike(found, in_blocks(whole(layer)[1], layer, grid))
    scores = whole(layer)[0].masked_fill(~layer.visible(torch.arange(1300), torch.arange(1300)), -torch.inf)
    assert_close(known.highest + known.total.log(), scores.logsumexp(-1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "names", [("none", "alibi"), ("none", "rope"), ("kerple", "t5"), ("none", "shaw", "alibi")], ids=str
)
@pytest.mark.parametrize("shows", ["weights", "scores", "position"])
def test_maps_together_are_those_of_each_alone_and_the_same_to_the_bit_on_any_number_of_threads(
    names: tuple[str, ...], shows: str
) -> None:
    layers = [layer_of(pe.encoding(name), ToyModel(d_model=8, n_heads=2, n_layers=1), 1300) for name in names]
    plain = layers[0] if shows == "position" else None
    grid = BlockGrid.within(range(100, 1300), range(1000), (50, 40))

    def drawn(layers: list[Layer], threads: int) -> list[Overview]:
        known = [Denominators.of(layer) if shows == "weights" else None for layer in layers]
        maps = [ScoreMap(layer, plain, None, of) for layer, of in zip(layers, known, strict=True)]
        *_, found = ScorePass(maps, threads=Threads(threads)).overviews(grid)
        return list(found)

    together = drawn(layers, 1)
    for threads in (2, 5):
        for found, expected in zip(drawn(layers, threads), together, strict=True):
            for part in ("mean", "maximum", "seen"):
                assert torch.equal(getattr(found, part), getattr(expected, part))
    for layer, found in zip(layers, together, strict=True):
        assert_alike(found, drawn([layer], 1)[0])


@pytest.mark.parametrize("head", [None, 0, 3])
@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
def test_tiles_are_left_out_only_where_no_weight_is_a_normal_number(head: int | None, causal: bool) -> None:
    """Under ALiBi's slope of 1/4 that is so some 500 tokens away; the eighth of 1/256 reaches everywhere."""
    layer = layer_of(pe.encoding("alibi"), ToyModel(d_model=32, n_heads=4, causal=causal, n_layers=1), 1500)
    weights, step = of(whole(layer)[1], head), 100
    tiles, left_out = ScoreTiles([ScoreMap(layer, None, head, Denominators.of(layer))]), 0
    for start in range(0, 1500, step):
        queries = range(start, start + step)
        row = ScoreRow(tiles, queries)
        for keys in (range(first, first + step) for first in range(0, 1500, step)):
            ((_, scores),) = row.scores(keys, [0])
            if scores is None:
                left_out += layer.sight(queries, keys) != "none"
                assert float(weights[:, start : start + step, keys.start : keys.stop].max()) < torch.finfo().tiny
    assert (left_out > 0) == (head == 0)


@pytest.mark.parametrize("size", [1.0, 100.0, 1e4])
def test_denominators_hold_however_far_scores_spread(size: float) -> None:
    """A bound on a row's scores from the lengths of query and keys would leave nothing of any row of large ones."""
    layer = layer_of(pe.encoding("none"), ToyModel(d_model=8, n_heads=2, n_layers=1), 60)
    layer = layer.fed(layer.inputs.float() * math.sqrt(size))
    grid, known = BlockGrid(range(60), range(60)), Denominators.of(layer)
    *_, (found,) = ScorePass([ScoreMap(layer, None, 0, known)]).overviews(grid)
    assert bool((known.total[0] >= 1).all())
    assert_close(found.mean.sum(-1), torch.ones(60))
    assert_close(found.mean, whole(layer)[1][0], atol=1e-5, rtol=1e-3)


@every_encoding
def test_a_sample_has_the_scores_in_the_middles_of_blocks(encoding: Encoding) -> None:
    layer = layer_of(encoding, ToyModel(d_model=64, n_heads=2, causal=True, n_layers=1), 40)
    grid, (scores, weights) = BlockGrid.within(range(40), range(10, 40), (6, 8)), whole(layer)
    rows, columns = torch.arange(2, 40, 5), torch.tensor([12, 17, 22, 27, 32, 37])
    visible = layer.visible(rows, columns)
    for head in (None, 1):
        for known, values in (
            (None, scores),
            (Denominators.of(layer), weights),  # so few keys that all are in the sample
        ):
            sample = sampled(ScoreMap(layer, None, head, known), grid)
            expected = of(values, head)[:, rows[:, None], columns].masked_fill(~visible, 0)
            assert sample.done == 0
            assert torch.equal(sample.seen, visible)
            assert_close(sample.mean, expected.mean(0))
            assert_close(sample.maximum, expected.amax(0))


def test_estimated_weights_stay_weights_where_a_key_outside_the_sample_has_a_far_higher_score() -> None:
    """exp of a difference of 89 overflows float32."""
    layer = layer_of(pe.encoding("none"), ToyModel(d_model=8, n_heads=1), 2000)
    layer = layer.fed(100 * torch.randn(2000, 8, generator=torch.Generator().manual_seed(0)))
    grid = BlockGrid.within(range(2000), range(2000), (1000, 1000))
    sample = sampled(ScoreMap(layer, denominators=Denominators.of(layer)), grid)
    assert float(sample.maximum.max()) == 1


def test_work_is_done_in_pieces_between_which_it_can_be_stopped() -> None:
    asked: list[int] = []

    class Watched(ScoreEncoding):
        def bias(
            self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None
        ) -> Tensor:
            asked.append(n_heads * len(q_positions) * len(k_positions))
            return super().bias(q_positions, k_positions, n_heads, context)

    class Stop(BaseException):
        pass

    def stop() -> None:
        if sum(asked) >= CELLS:
            raise Stop

    layer = Layer.over(Prompt(words(5000), ToyModel(d_model=8, n_heads=2), Watched()))
    grid, known = BlockGrid.within(range(5000), range(5000), (100, 100)), Denominators.of(layer)
    with pytest.raises(Stop):
        list(ScorePass([ScoreMap(layer, denominators=known)], stop).overviews(grid))
    assert sum(asked) < 2 * CELLS
    assert not known.known(range(5000))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in pe.encodings() if pe.encoding(name).of_offset])
@given(queries=parts(50), keys=parts(50), causal=st.booleans())
def test_what_is_said_to_depend_on_offsets_alone_does(name: str, queries: range, keys: range, causal: bool) -> None:
    layer = layer_of(pe.encoding(name), ToyModel(d_model=8, n_heads=2, causal=causal, n_layers=1), 50)
    places = (torch.tensor(one) for one in (queries, keys))
    expected = layer.encoding.bias(*places, 2, layer.context)
    assert_close(layer.bias(queries, keys), expected)
    assert_close(layer.bias(torch.tensor(queries).flip(0), keys), expected.flip(1))
