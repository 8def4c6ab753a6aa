import csv
import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from panels import HOSTILE, TOKENS, attention, bars, clocks, links, waves

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Note, Panel, Series, Table
from posenc_gui.render import csv_table, npz_arrays

SESSION = '{"text": "The cat – 位置"}'


def figure(*panels: Panel) -> Figure:
    return Figure("attention", "Attention – 位置", panels, caption_parts=compose_caption("caption"), session=SESSION)


def read_csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def test_masked_cells_are_empty(tmp_path: Path) -> None:
    records = read_csv(figure(attention(TOKENS[:2], masked=True)).save(tmp_path / "figure.csv"))
    assert [record["probability"] == "" for record in records] == [False, True, False, False]


def test_panels_of_several_kinds_are_one_table(tmp_path: Path) -> None:
    records = read_csv(figure(attention(TOKENS[:2]), waves(steps=2), Note("why")).save(tmp_path / "figure.csv"))
    assert [record["panel"] for record in records] == ["RoPE"] * 4 + ["Waves"] * 4 + ["panel"]
    assert records[0]["value"] == ""
    assert records[-1]["note"] == "why"
    assert all(None not in record for record in records)


def test_panels_of_the_same_title_stay_apart(tmp_path: Path) -> None:
    records = read_csv(figure(attention(), attention()).save(tmp_path / "figure.csv"))
    assert {record["panel"] for record in records} == {"RoPE (1)", "RoPE (2)"}


def test_axes_of_the_same_role_stay_apart(tmp_path: Path) -> None:
    axis = Axis("position", "position")
    panel = Heatmap("", "similarity", np.eye(2, dtype=np.float32), axis, axis, 0, 1)
    records = read_csv(figure(panel).save(tmp_path / "figure.csv"))
    assert [(record["row position"], record["column position"]) for record in records[:2]] == [("0", "0"), ("0", "1")]


def test_no_word_is_run_by_a_spreadsheet(tmp_path: Path) -> None:
    panels = [attention(HOSTILE, title="=1+1"), Note("@SUM(1)"), bars(HOSTILE, HOSTILE), links(HOSTILE)]
    panels += [
        panel
        for word in HOSTILE
        for panel in (
            clocks(1, title=word, labels=(word,), readings=(word,), words=(word,)),
            cells((word,), (word, word)),
        )
    ]
    for panel in panels:
        path = figure(panel).save(tmp_path / "figure.csv")
        lines = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
        found = [cell for line in lines for cell in line if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
        assert all(float(cell) for cell in found)


def test_labels_come_back_and_negative_numbers_stay_numbers(tmp_path: Path) -> None:
    negative = replace(attention(HOSTILE), values=attention(HOSTILE).values - np.float32(1 / 3))
    records = read_csv(figure(negative, links(HOSTILE)).save(tmp_path / "figure.csv"))
    for name, some in (("key label", records[: len(HOSTILE)]), ("other position label", records[-len(HOSTILE) :])):
        assert [record[name].removeprefix("'") for record in some] == list(HOSTILE)
    assert float(records[0]["probability"]) == pytest.approx(-1 / 3)


def test_a_spreadsheet_is_told_that_it_is_utf8(tmp_path: Path) -> None:
    assert figure(attention()).save(tmp_path / "figure.csv").read_bytes().startswith(b"\xef\xbb\xbfpanel,")


def test_the_clipboard_gets_the_same_table_with_tabs(tmp_path: Path) -> None:
    shown = figure(attention(HOSTILE))
    pasted = csv.DictReader(io.StringIO(csv_table.text(shown, "\t"), newline=""), delimiter="\t")
    assert list(pasted) == read_csv(shown.save(tmp_path / "figure.csv"))


def test_a_figure_without_panels_is_an_empty_table(tmp_path: Path) -> None:
    assert read_csv(figure().save(tmp_path / "figure.csv")) == []


def test_arrays_come_back_without_pickle(tmp_path: Path) -> None:
    panel = attention(HOSTILE, first=5, masked=True)
    with np.load(figure(panel, waves(), Note("why")).save(tmp_path / "figure.npz"), allow_pickle=False) as arrays:
        assert (arrays["panel0_values"] == panel.values).all()
        assert (arrays["panel0_mask"] == panel.mask).all()
        assert tuple(arrays["panel0_rows"]) == HOSTILE
        assert arrays["panel0_column_coordinates"][0] == 5
        assert list(arrays["panel1_series"]) == ["dim 0", "dim 2"]
        assert (arrays["panel1_y1"] == waves().series[1].y).all()
        assert str(arrays["panel2_text"]) == "why"
        assert str(arrays["title"]) == "Attention – 位置"


@pytest.mark.parametrize("suffix", [*csv_table.SUFFIXES, *npz_arrays.SUFFIXES])
def test_the_same_figure_gives_the_same_bytes(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = figure(attention(), waves()).save(tmp_path / f"first{suffix}").read_bytes()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert figure(attention(), waves()).save(tmp_path / f"second{suffix}").read_bytes() == first


def cells(words: tuple[str, ...] = ("the", "cat"), header: tuple[str, ...] = ("key X", "weight")) -> Table:
    rows = tuple((word, 1 / 3) for word in words)
    return Table("Row", header, (*rows, ("sum", 1.0)), frozenset({len(words)}))


@pytest.mark.parametrize("header", [("panel", "panel"), ("", ""), ("=1+1", "=1+1"), ("query", "probability")])
def test_headings_that_occur_twice_stay_apart(tmp_path: Path, header: tuple[str, ...]) -> None:
    path = figure(attention(), cells(header=header)).save(tmp_path / "figure.csv")
    lines = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    assert len(set(lines[0])) == len(lines[0])
    assert any("the" in line and repr(1 / 3) in line for line in lines)
    assert not any(name.startswith("=") for name in lines[0])


def test_arrays_of_clocks_and_tables_come_back(tmp_path: Path) -> None:
    path = figure(clocks(2), cells(HOSTILE), clocks(2, trail=None)).save(tmp_path / "figure.npz")
    with np.load(path, allow_pickle=False) as arrays:
        assert arrays["panel0_turns"] * math.tau == pytest.approx(np.array([[2.0, 3.0], [0.02, 0.03]]))
        assert list(arrays["panel0_pairs"]) == [0, 1]
        assert list(arrays["panel0_hands"]) == ["the", "sat"]
        assert arrays["panel0_trail"].shape == (2, 20)
        assert "panel2_trail" not in arrays
        assert tuple(arrays["panel1_texts"][:-1, 0]) == HOSTILE
        assert np.isnan(arrays["panel1_numbers"][:, 0]).all()
        assert arrays["panel1_numbers"][-1, 1] == 1.0
        assert list(arrays["panel1_sums"]) == [len(HOSTILE)]


def test_arrays_of_bars_and_links_come_back(tmp_path: Path) -> None:
    shown, joined = bars(HOSTILE, ("near", "far")), links(HOSTILE, first=5)
    with np.load(figure(shown, joined).save(tmp_path / "figure.npz"), allow_pickle=False) as arrays:
        assert arrays["panel0_values"].shape == (len(HOSTILE), 2)
        assert (arrays["panel0_values"][:, 1] == shown.series[1].values).all()
        assert list(arrays["panel0_series"]) == ["near", "far"]
        assert tuple(arrays["panel0_categories"]) == HOSTILE
        assert arrays["panel0_category_coordinates"][0] == 3
        assert (arrays["panel1_values"] == joined.values).all()
        assert tuple(map(tuple, arrays["panel1_ends"])) == joined.ends
        assert tuple(arrays["panel1_left"]) == tuple(arrays["panel1_right"][::-1]) == HOSTILE
        assert (arrays["panel1_left_coordinates"][0], arrays["panel1_right_coordinates"][0]) == (5, 5)


def test_words_along_curves_stand_beside_their_numbers() -> None:
    starts = Axis("step", "start", labels=("0", "1", "512"))
    curve = Series("score", np.float32([1, 1.5, 2]), np.float32([3, 4, 5]))
    found = list(csv_table.rows(Figure("t", "T", (Lines("", "score", (curve,), starts, 0, 5),))))
    assert found[0] == ["panel", "series", "step", "step label", "score"]
    assert [row[3] for row in found[1:]] == ["1", "", "512"]
