import csv
import io
from pathlib import Path

import numpy as np
import pytest

from posenc_gui import provenance
from posenc_gui.figure import Axis, Figure, Heatmap, Lines, Note, Panel, Series
from posenc_gui.render import table

HOSTILE = (
    "$x$",
    "<b>",
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@now",
    "\tx",
    "السلام",
    "位置编码",
    "🙂",
    "a" * 300,
    "␀",
    'a,"b"\nc',
)
SESSION = '{"text": "The cat – 位置"}'


def attention(tokens: tuple[str, ...] = ("the", "cat"), title: str = "RoPE", masked: bool = False) -> Heatmap:
    count = len(tokens)
    values = np.linspace(-0.1, 0.4, count * count, dtype=np.float32).reshape(count, count)
    mask = np.triu(np.ones((count, count), dtype=bool), 1) if masked else None
    query, key = Axis("query", "query", 5, tokens), Axis("key", "key", 5, tokens)
    return Heatmap(title, "probability", np.where(mask, 0, values) if masked else values, query, key, -1, 1, mask=mask)


def waves() -> Lines:
    x = np.array([0, 0.1], dtype=np.float32)
    series = (Series("dim 0", x, np.sin(x)), Series("dim 2", x, np.cos(x)))
    return Lines("Waves", "value", series, Axis("position", "position"), -1, 1)


def figure(*panels: Panel) -> Figure:
    return Figure("attention", "Attention – 位置", panels, "caption", session=SESSION)


def read_csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def test_a_map_has_one_row_a_cell(tmp_path: Path) -> None:
    path = figure(attention()).save(tmp_path / "figure.csv")
    records = read_csv(path)
    assert len(records) == 4
    assert list(records[0]) == ["panel", "query", "query label", "key", "key label", "probability"]
    assert list(records[1].values())[:5] == ["RoPE", "5", "the", "6", "cat"]


def test_numbers_come_back_exactly(tmp_path: Path) -> None:
    panel = attention(("the", "cat", "sat"))
    records = read_csv(figure(panel).save(tmp_path / "figure.csv"))
    numbers = np.array([record["probability"] for record in records], dtype=np.float32)
    assert (numbers == panel.values.ravel()).all()


def test_masked_cells_are_empty(tmp_path: Path) -> None:
    records = read_csv(figure(attention(masked=True)).save(tmp_path / "figure.csv"))
    assert [record["probability"] == "" for record in records] == [False, True, False, False]


def test_curves_have_one_row_a_point(tmp_path: Path) -> None:
    records = read_csv(figure(waves()).save(tmp_path / "figure.csv"))
    assert records[1] == {"panel": "Waves", "series": "dim 0", "position": "0.1", "value": "0.09983342"}
    assert len(records) == 4


def test_a_note_is_a_row(tmp_path: Path) -> None:
    records = read_csv(figure(Note("No vectors here.", "ALiBi")).save(tmp_path / "figure.csv"))
    assert records == [{"panel": "ALiBi", "note": "No vectors here."}]


def test_panels_of_several_kinds_are_one_table(tmp_path: Path) -> None:
    records = read_csv(figure(attention(), waves(), Note("why")).save(tmp_path / "figure.csv"))
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


def test_no_label_is_run_by_a_spreadsheet(tmp_path: Path) -> None:
    path = figure(attention(HOSTILE, title="=1+1"), Note("@SUM(1)")).save(tmp_path / "figure.csv")
    for record in read_csv(path):
        words = (record["panel"], record["query label"], record["key label"], record["note"])
        assert not any(word.startswith(("=", "+", "-", "@", "\t", "\r")) for word in words)


def test_labels_come_back_and_negative_numbers_stay_numbers(tmp_path: Path) -> None:
    records = read_csv(figure(attention(HOSTILE)).save(tmp_path / "figure.csv"))
    labels = [record["key label"] for record in records[: len(HOSTILE)]]
    assert [label.removeprefix("'") for label in labels] == list(HOSTILE)
    assert float(records[0]["probability"]) == pytest.approx(-0.1)


def test_a_spreadsheet_is_told_that_it_is_utf8(tmp_path: Path) -> None:
    assert figure(attention()).save(tmp_path / "figure.csv").read_bytes().startswith(b"\xef\xbb\xbfpanel,")


def test_the_clipboard_gets_the_same_table_with_tabs() -> None:
    pasted = table.text(figure(attention(HOSTILE)), "\t")
    assert list(csv.reader(io.StringIO(pasted, newline=""), delimiter="\t")) == list(
        table.rows(figure(attention(HOSTILE)))
    )


def test_a_figure_without_panels_is_an_empty_table(tmp_path: Path) -> None:
    assert read_csv(figure().save(tmp_path / "figure.csv")) == []


def test_arrays_come_back_without_pickle(tmp_path: Path) -> None:
    panel = attention(HOSTILE, masked=True)
    with np.load(figure(panel, waves(), Note("why")).save(tmp_path / "figure.npz"), allow_pickle=False) as arrays:
        assert (arrays["panel0_values"] == panel.values).all()
        assert (arrays["panel0_mask"] == panel.mask).all()
        assert tuple(arrays["panel0_rows"]) == HOSTILE
        assert arrays["panel0_column_coordinates"][0] == 5
        assert list(arrays["panel1_series"]) == ["dim 0", "dim 2"]
        assert (arrays["panel1_y1"] == waves().series[1].y).all()
        assert str(arrays["panel2_text"]) == "why"
        assert str(arrays["title"]) == "Attention – 位置"


def test_the_session_comes_back_from_arrays(tmp_path: Path) -> None:
    path = figure(attention()).save(tmp_path / "figure.npz")
    assert provenance.find(path.read_bytes()) == SESSION


def test_arrays_of_a_figure_without_a_session_carry_none(tmp_path: Path) -> None:
    path = Figure("attention", "Attention", (attention(),)).save(tmp_path / "figure.npz")
    assert provenance.find(path.read_bytes()) is None


@pytest.mark.parametrize("suffix", table.SUFFIXES)
@pytest.mark.parametrize("count", [1, 512])
def test_the_smallest_and_a_large_map_are_written(suffix: str, count: int, tmp_path: Path) -> None:
    path = figure(attention(("the",) * count)).save(tmp_path / f"figure{suffix}")
    assert path.stat().st_size > count * count


@pytest.mark.parametrize("suffix", table.SUFFIXES)
def test_the_same_figure_gives_the_same_bytes(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = figure(attention(), waves()).save(tmp_path / f"first{suffix}").read_bytes()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert figure(attention(), waves()).save(tmp_path / f"second{suffix}").read_bytes() == first


@pytest.mark.parametrize("suffix", table.SUFFIXES)
def test_an_existing_file_is_kept_when_writing_fails(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"figure{suffix}"
    path.write_text("precious")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(table, "rows", full)
    monkeypatch.setattr(table, "arrays", full)
    with pytest.raises(OSError, match="No space"):
        figure(attention()).save(path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]
