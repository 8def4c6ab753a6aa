import xml.etree.ElementTree as ElementTree
from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure as Paper
from panels import HOSTILE, TOKENS, attention, bars, clocks, links, waves
from PIL import Image

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Note, Panel, Series, Table
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.files import embedded_session
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render import paper
from posenc_gui.render.layout.cell_labels import cell_text, cell_texts
from posenc_gui.render.paper import fonts

SESSION = '{"text": "The cat – 位置"}'


PANELS: dict[str, tuple[Panel, ...]] = {
    "map": (attention(),),
    "two maps": (attention(), attention(title="No encoding")),
    "masked": (attention(masked=True),),
    "one cell": (attention(("the",)),),
    "many tokens": (attention(("word",) * 512),),
    "unlabelled": (
        Heatmap("", "value", np.eye(3, 40, dtype=np.float32), Axis("pair", ""), Axis("head", "", -7), -1, 1),
    ),
    "lines": (waves(),),
    "forty lines": (waves(tuple(str(number) for number in range(40))),),
    "note": (Note("No vectors here.", "ALiBi"),),
    "map and note": (attention(), Note("No vectors here.")),
    "all kinds": (attention(), waves(), Note("Nothing")),
    "sixteen heads": tuple(attention(title=f"head {number}") for number in range(16)),
    "none": (),
}


def figure(*panels: Panel, title: str = "Attention", caption: str = "toy model, seeded weights") -> Figure:
    return Figure(
        "attention",
        title,
        panels,
        (CaptionPart(caption),),
        description="Six tokens look at each other.",
        session=SESSION,
    )


def read(path: Path) -> str:
    """Check that the file is one of its kind, and give what is written in an SVG."""
    if path.suffix == ".png":
        with Image.open(path) as image:
            image.load()
    elif path.suffix == ".pdf":
        assert path.read_bytes().startswith(b"%PDF-")
        assert path.read_bytes().rstrip().endswith(b"%%EOF")
    else:
        ElementTree.parse(path)
        return path.read_text(encoding="utf-8")
    return ""


EVERYTHING = " ".join(HOSTILE)
HOSTILE_PANELS = {
    "map": attention(HOSTILE, "$e^{x}$ <i>"),
    "lines": waves(HOSTILE, "$x$"),
    "bars": bars(HOSTILE, HOSTILE[:3], title="$x$"),
    "links": links(HOSTILE, title="$x$"),
    "clocks": clocks(len(HOSTILE), words=HOSTILE, labels=HOSTILE, readings=HOSTILE, title="$x$"),
    "table": Table("<s>", ("$x$", "<b>"), tuple((word, 1.0) for word in HOSTILE), frozenset({1}), 0),
    "note": Note(EVERYTHING, "<s>"),
}


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
@pytest.mark.parametrize("kind", HOSTILE_PANELS)
def test_words_are_data(kind: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    figure(HOSTILE_PANELS[kind], title=EVERYTHING, caption=EVERYTHING * 20).save(path)
    text = read(path)
    if suffix == ".svg" and kind != "note":
        assert "<!-- $x$ -->" in text  # each text stands in a comment beside its paths, as it was drawn
        assert "&lt;b&gt;" in text


@pytest.mark.parametrize("suffix", render.session_suffixes())
def test_a_figure_without_a_session_carries_none(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    Figure("attention", "Attention", (attention(),)).save(path)
    assert embedded_session.find_session(path.read_bytes()) is None


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
def test_the_same_figure_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    for path in (first, second):
        figure(clocks(), cells(), attention(), waves(), links(), bars()).save(path)
    assert first.read_bytes() == second.read_bytes()


def test_the_picture_is_a_slide(tmp_path: Path) -> None:
    figure(attention()).save(tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as image:
        assert image.width / image.height == pytest.approx(16 / 9, rel=0.001)
        assert image.width >= 1920


def test_text_is_drawn_as_paths_so_that_every_program_shows_the_same(tmp_path: Path) -> None:
    assert "<text" not in read(figure(attention()).save(tmp_path / "figure.svg"))


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (0.0, ("0.00", "0")),
        (0.84, ("0.84", ".84")),
        (1.0, ("1.00", "1")),
        (0.9961, ("1.00", "≈1")),
        (-1.25, ("−1.25", "−1.25")),
        (-0.005001, ("−0.01", "−.01")),
        (0.002154, ("0.00", ".00")),
        (-0.002154, ("0.00", ".00")),
        (-1e-9, ("0.00", ".00")),
    ],
)
def test_numbers_in_cells_have_the_same_decimals(value: float, texts: tuple[str, str]) -> None:
    assert cell_text(value) == texts


def test_numbers_of_maps_side_by_side_are_written_in_one_way(tmp_path: Path) -> None:
    few = attention(TOKENS)
    signed = Heatmap("B − A", "difference", 0.1 * few.values - 0.03, few.rows, few.columns, -0.04, 0.04, "diverging")
    assert {text.brief for line in cell_texts(signed) for text in line} >= {"−.03", ".01"}
    written = read(figure(few, few, signed).save(tmp_path / "figure.svg"))
    ways = (
        [f"<!-- {text} -->" in written for text in ("0.25", "−0.03")],
        [f"<!-- {text} -->" in written for text in (".25", "−.03")],
    )
    assert sorted(map(tuple, ways)) == [(False, False), (True, True)]


def test_the_headline_has_the_windows_colours(tmp_path: Path) -> None:
    runs = Run("Without position, "), Run("dog", "focus"), Run(" gives both "), Run("man", "twin"), Run(" 0.12.")
    Figure("test", "Test", (attention(),), headline=runs).save(tmp_path / "figure.svg")
    written = read(tmp_path / "figure.svg")
    for word, colour in (("dog", LIGHT.focus), ("man", LIGHT.twin)):
        first = written.index(f"<!-- {word}")
        assert f"fill: {colour}" in written[first : first + 200]
    assert "<!-- Without position, " in written


def test_numbers_begin_at_the_first_coordinate(tmp_path: Path) -> None:
    axis = Axis("position", "position", first=1000)
    panel = Heatmap("", "similarity", np.eye(4, dtype=np.float32), axis, axis, 0, 1)
    assert "<!-- 1003 -->" in read(figure(panel).save(tmp_path / "figure.svg"))


def test_a_map_larger_than_paper_is_averaged_and_says_so(tmp_path: Path) -> None:
    panel = Heatmap("", "value", np.zeros((9, 3000), dtype=np.float32), Axis("head", ""), Axis("key", ""), 0, 1)
    assert "averaged" in read(figure(panel).save(tmp_path / "figure.svg"))


LINEAR = [(0, 1e-45), (-3e38, 3e38), (1e6, 1e6 + 1), (-1e-9, 1)]
LOGARITHMIC = [(1e-45, 3e38), (1.1, 1.4), (1e6, np.nextafter(1e6, 2e6)), (5e-324, 1e308)]


@pytest.mark.parametrize(("low", "high"), [*LINEAR, *LOGARITHMIC])
def test_any_range_can_be_drawn(low: float, high: float, tmp_path: Path) -> None:
    values, log = np.array([[max(low, -3e38), min(high, 3e38)]], np.float32), (low, high) in LOGARITHMIC
    panel = Heatmap("", "value", values, Axis("query", "query"), Axis("key", "key"), low, high, "diverging")
    curve = Lines("", "value", (Series("one", values[0, 1:], values[0, 1:]),), Axis("offset", ""), low, high, log=log)
    read(figure(curve, *([] if log else [panel])).save(tmp_path / "figure.svg"))


def test_the_caller_s_settings_neither_matter_nor_change(tmp_path: Path) -> None:
    figure(attention()).save(tmp_path / "plain.svg")
    with matplotlib.rc_context({"text.usetex": True, "svg.fonttype": "none", "font.size": 40}):
        figure(attention()).save(tmp_path / "other.svg")
        assert matplotlib.rcParams["text.usetex"]
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_an_existing_file_is_kept_when_drawing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.svg"
    path.write_text("precious")

    def half_drawn(_paper: Paper, file: BytesIO, **_options: object) -> None:
        file.write(b"<svg")
        raise MemoryError

    monkeypatch.setattr(Paper, "savefig", half_drawn)
    with pytest.raises(MemoryError):
        figure(attention()).save(path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def cells(count: int = 6, columns: int = 3) -> Table:
    header = ("key X", *(f"weight · v(X)[{column}]" for column in range(columns)))
    rows = tuple((f"word{row}", *(row / 7 - column for column in range(columns))) for row in range(count))
    return Table("What sat takes", header, (*rows, ("sum", *([1.0] * columns))), frozenset({count}), focus=1)


PANELS |= {
    "one clock": (clocks(1),),
    "eight clocks": (clocks(),),
    "sixty-four clocks": (clocks(64),),
    "clocks without hands": (clocks(words=()),),
    "any angle": (clocks(2, title="", angles=np.array([[1e30, -1e30], [0.0, -7.0]])),),
    "one row": (cells(1),),
    "six hundred rows": (cells(600),),
    "sixty columns": (cells(6, 60),),
    "no columns": (Table("", (), ((),)),),
    "one cell of words": (Table("", ("",), (("word " * 1000,),)),),
    "all kinds": (clocks(), cells(), attention(), waves(), links(), bars()),
    "many": tuple([clocks(), cells(30)] * 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", paper.SUFFIXES)
@pytest.mark.parametrize("panels", PANELS.values(), ids=PANELS)
def test_every_figure_becomes_a_file_of_every_kind(panels: tuple[Panel, ...], suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    figure(*panels).save(path)
    read(path)


def test_clocks_carry_their_words(tmp_path: Path) -> None:
    panel = clocks()
    written = read(figure(panel).save(tmp_path / "figure.svg"))
    assert all(f"<!-- {text} -->" in written for text in (*panel.labels, *panel.readings, "sat"))


def test_a_table_shows_its_first_rows_and_its_sum_and_says_how_many_are_left_out(tmp_path: Path) -> None:
    written = read(figure(cells(600)).save(tmp_path / "figure.svg", preset="paper"))
    shown = [row for row in range(600) if f"<!-- word{row} -->" in written]
    assert len(shown) > 10
    assert shown == list(range(len(shown)))
    assert f"<!-- … {600 - len(shown)} more rows -->" in written
    assert "<!-- sum -->" in written


def test_columns_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    written = read(figure(cells(6, 60)).save(tmp_path / "figure.svg", preset="paper"))
    shown = sum(f"v(X)[{column}] -->" in written for column in range(60))
    assert 3 < shown < 20
    assert f"<!-- … {60 - shown} more columns -->" in written


@pytest.mark.slow
@pytest.mark.parametrize("other", [None, "alibi"])
@pytest.mark.parametrize("plot", ["requirements", "row"])
def test_a_slide_has_all_rows_of_a_table_that_has_few(plot: str, other: str | None, tmp_path: Path) -> None:
    drawn = pe.plot(plot, pe.Session(encoding="rope", other=other, plots={"row": {"show": "numbers"}}))
    drawn.save(tmp_path / "figure.svg")
    written = read(tmp_path / "figure.svg")
    (table,) = drawn.panels
    assert all(f"<!-- {row[0]} -->" in written for row in table.rows)
    assert "more row" not in written


def test_sentences_in_a_table_are_broken_into_lines_and_none_is_cut(tmp_path: Path) -> None:
    sentence = " ".join(f"word{place}" for place in range(40))
    figure(Table("", ("name", "found", "measured"), (("a", sentence, sentence),) * 6)).save(
        tmp_path / "a.svg", preset="paper"
    )
    written = read(tmp_path / "a.svg")
    assert all(written.count(f"word{place} ") == 12 for place in range(40))
    assert "…" not in written
    assert "more column" not in written


def test_fonts_that_came_after_matplotlib_last_looked_are_found(monkeypatch) -> None:
    before = fonts.families()
    known = [font for font in font_manager.fontManager.ttflist if font.name == "DejaVu Sans"]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", known)
    fonts.families.cache_clear()
    assert fonts.families() == before
