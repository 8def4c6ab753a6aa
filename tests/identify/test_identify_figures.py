"""The three figures of what some numbers are."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import posenc_gui as pe
from posenc_gui.encodings import encoding
from posenc_gui.figure.panels import Heatmap, Note, OnScale, Table, Told
from posenc_gui.figure.runs import quote_runs
from posenc_gui.identify.figures import conventions, figures, left, mixed_up, reorderings, width_of
from posenc_gui.session.session import Session
from tests.identify.identified import candidate, cosines, identified, of_rope

CAT = Session(text="The cat sat on the mat")


def test_a_row_for_each_convention_says_what_counts() -> None:
    (table,) = conventions(of_rope(), CAT).panels
    assert isinstance(table, Table)
    assert table.focus == 0
    verdict, base, start, pairing = table.rows
    assert [row[0] for row in table.rows] == ["RoPE, half-split", "base 1,000,000", "from position 0", "interleaved"]
    assert isinstance(verdict[1], OnScale)
    assert verdict[1].share <= verdict[1].shaded
    assert isinstance(pairing[1], OnScale)
    assert pairing[1].share > pairing[1].shaded
    told = [row[3] for row in (base, start, pairing)]
    assert all(isinstance(one, Told) for one in told)
    assert [(one.text, one.verdict) for one in told] == [("0.05", "not"), ("0", "met"), ("2.13", "not")]


def test_what_is_left_is_on_one_scale_and_the_chosen_one_takes_the_second_place() -> None:
    found = of_rope()
    panels = left(found).panels
    assert [one.title for one in panels] == ["RoPE, half-split", "Base 1,000,000", "Interleaved"]
    assert len({(one.low, one.high, one.log) for one in panels if isinstance(one, Heatmap)}) == 1
    _first, beside = left(found, found.others[2]).panels
    assert isinstance(beside, Heatmap)
    assert beside.title == "Interleaved"
    assert beside.values.max() == pytest.approx(found.others[2].off_by)


@pytest.mark.parametrize("shape", [(16,), (3, 400, 200), (2, 3, 5, 8), (1, 1)])
def test_numbers_of_every_shape_have_a_map(shape: tuple[int, ...]) -> None:
    pasted = torch.linspace(-1, 1, torch.Size(shape).numel()).double().view(shape)
    off = pasted.clone()
    off.view(-1)[-1] += 0.5
    found = identified(pasted, "table", candidate(encoding("sinusoidal"), 0, "it", off, pasted))
    (panel,) = left(found).panels
    assert isinstance(panel, Heatmap)
    assert panel.values.max() == pytest.approx(0.5)


def test_mixed_up_is_mended_by_the_order_and_says_so() -> None:
    figure = mixed_up(of_rope(), CAT)
    right, mixed, mended = (one.values for one in figure.panels if isinstance(one, Heatmap))
    assert abs(right - mixed).max() > 0.05
    assert abs(right - mended).max() < 1e-6
    assert "2.13" in quote_runs(figure.headline)
    assert "seeded weights" in figure.caption
    assert (
        "Weights for interleaved → your code, half-split; rows of W_q and W_k, each head: 0 2 4" in figure.description
    )
    assert (
        "Weights for half-split → code, interleaved; rows of W_q and W_k, each head: 0 8 1 9 2 10" in figure.description
    )


def test_the_chosen_convention_is_mixed_up_and_may_have_no_order() -> None:
    found = of_rope()
    base, start = mixed_up(found, CAT, found.others[0]), mixed_up(found, CAT, found.others[1])
    assert len(base.panels) == len(start.panels) == 2
    assert "no order mends it" in quote_runs(base.headline)
    assert "no score" in quote_runs(start.headline)


def test_the_order_is_as_wide_as_the_numbers() -> None:
    found = of_rope(width=64)
    assert width_of(found) == len(reorderings(found, found.others[2])[0].order) == 64
    alone = cosines(encoding("rope"), 0, width=16)[:, :8]
    assert width_of(identified(alone, "cosines", found.others[0])) == 16
    assert width_of(identified(torch.ones(8), "frequencies", found.others[0])) == 16


def test_what_can_t_be_shown_is_said() -> None:
    found = of_rope()
    unknown = identified(found.numbers.values, "cosines", *found.others[:1], is_known=False)
    odd = CAT.changed(model=CAT.model.model_copy(update={"d_head": 7}))
    assert [one.name for one in figures(unknown, CAT)] == ["conventions", "left"]
    for session in (odd, CAT.changed(text="")):
        *_, mixed = figures(found, session)
        assert isinstance(mixed.panels[0], Note)
    (table,) = conventions(found, odd).panels
    assert isinstance(table, Table)
    assert table.rows[1][3] == "not defined"


@pytest.mark.parametrize("suffix", [".svg", ".csv", ".html", ".npz", ".json"])
def test_every_export_holds_them(suffix: str, tmp_path: Path) -> None:
    for figure in figures(of_rope(), CAT):
        assert figure.description
        assert figure.save(tmp_path / f"{figure.name}{suffix}").stat().st_size > 100


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".pdf", ".pptx"])
def test_pages_and_slides_hold_them(suffix: str, tmp_path: Path) -> None:
    for figure in figures(of_rope(), CAT):
        assert figure.save(tmp_path / f"{figure.name}{suffix}").stat().st_size > 100


def test_a_pairing_that_numbers_cant_tell_is_mixed_up_too() -> None:
    found = pe.identify(1.0 / 500_000.0 ** (torch.arange(0, 16, 2).float() / 16))
    figure = mixed_up(found, CAT)
    assert [panel.title.partition(":")[0] for panel in figure.panels] == [
        "Pairing half", "Pairing interleaved", "Pairing interleaved, rows permuted"
    ]  # fmt: skip
    assert "can’t tell" in figure.panels[0].title
