"""Decks of slides, read by python-pptx: what can be edited in them, what they say, and that others' slides stay as they are."""

from __future__ import annotations

import io
import os
import time
import zipfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from drawing import drawing
from odd_files import full_disk
from panels import attention, figure_of
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_FILL
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.util import Pt

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Lines, Series, Table, table_text
from posenc_gui.foundation.theme import DARK
from posenc_gui.render.export_options import ExportOptions

SESSION = pe.Session(text="dog bites man", encoding=pe.encoding("rope", base=100.0))


def slide_of(figure: Figure, folder: Path, **choices: object) -> Any:
    return Presentation(str(figure.save(folder / "figure.pptx", **choices))).slides[-1]


def charts(slide: Any) -> list[Any]:
    return [shape.chart for shape in slide.shapes if shape.has_chart]


def words(slide: Any) -> str:
    return "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


def curves(count: int) -> Figure:
    x = np.linspace(0, 30, 31, dtype=np.float32)
    series = tuple(Series(f"curve {number}", x, np.sin(x / (number + 1))) for number in range(count))
    lines = Lines("", "height", series, Axis("position", "position"), -1, 1)
    return Figure("lines", "Lines", (lines,), description="Curves.")


def test_few_plain_curves_are_a_chart_that_holds_their_numbers(tmp_path: Path) -> None:
    figure = curves(3)
    (panel,) = figure.panels
    (chart,) = charts(slide_of(figure, tmp_path))
    assert [series.name for series in chart.plots[0].series] == [series.label for series in panel.series]
    for series, drawn in zip(panel.series, chart.plots[0].series, strict=True):
        assert list(drawn.values) == pytest.approx(series.y.tolist(), abs=1e-6)
    assert chart.value_axis.minimum_scale <= panel.low
    assert chart.value_axis.maximum_scale >= panel.high
    assert chart.font.size >= Pt(12)


@pytest.mark.parametrize("figure", [curves(6), pe.plot("waves", SESSION)], ids=["many", "marked"])
def test_curves_of_which_a_chart_would_show_less_are_a_drawing(figure: Figure, tmp_path: Path) -> None:
    slide = slide_of(figure, tmp_path)
    assert not charts(slide)
    assert sum(shape.shape_type == MSO_SHAPE_TYPE.PICTURE for shape in slide.shapes) == 1


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [(-1.12, 1.12, False), (0.0, 131_072.0, False), (-3e-7, 2.5e-7, False), (3.3e-9, 47.0, True), (2.0, 3.0, True)],
)
def test_a_charts_axes_end_at_numbers_that_can_be_read(tmp_path: Path, low: float, high: float, log: bool) -> None:
    x, y = np.float32([0.25, 31.5]), np.float32([low, high])
    lines = Lines("", "value", (Series("one", x, y),), Axis("offset", "offset"), low, high, log=log)
    (chart,) = charts(slide_of(Figure("lines", "Lines", (lines,)), tmp_path))
    for axis, least, most, powers in ((chart.category_axis, 0.25, 31.5, False), (chart.value_axis, low, high, log)):
        start, end, step = axis.minimum_scale, axis.maximum_scale, axis.major_unit
        assert start <= least
        assert end >= most
        assert all(len(f"{number:.6g}".strip("-0.").replace(".", "")) <= 8 for number in (start, end, step))
        count = np.log(end / start) / np.log(step) if powers else (end - start) / step
        assert 0.99 <= count <= 14
        assert not axis.tick_labels.number_format_is_linked


def test_a_long_table_below_a_chart_stands_on_the_next_slide(tmp_path: Path) -> None:
    path = pe.plot("generation", pe.Session()).save(tmp_path / "figure.pptx")
    first, second = Presentation(str(path)).slides
    assert "no room" not in words(first)
    assert [shape.has_chart for shape in first.shapes].count(True) == 1
    assert [shape.has_table for shape in second.shapes].count(True) == 1
    assert first.shapes.title.text == second.shapes.title.text


@pytest.mark.slow
def test_a_drawing_reaches_from_margin_to_margin(tmp_path: Path) -> None:
    slide = slide_of(pe.plot("waves", pe.Session()), tmp_path)
    (picture,) = (shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE)
    assert picture.left < Pt(36)
    assert picture.left + picture.width > Pt(960 - 36)


@pytest.mark.parametrize(
    ("values", "form"),
    [((0, 3), "0"), ((6.1923, 0), "0.000"), ((12_345.6, 0.5), "0"), ((-0.05, 0.01), "0.00000"), ((2e-9, 0), "0.00E+0")],
)
def test_the_numbers_at_bars_have_equal_decimals(tmp_path: Path, values: tuple[float, float], form: str) -> None:
    bars = Bars("", "share", Axis("stage", "stage", 0, ("a", "b")), (BarSeries("one", np.float32(values)),), 0, 1)
    (chart,) = charts(slide_of(Figure("bars", "Bars", (bars,)), tmp_path))
    assert chart.plots[0].data_labels.number_format == form


@pytest.mark.slow
def test_lanes_are_one_drawing(tmp_path: Path) -> None:
    slide = slide_of(pe.plot("kernel", pe.Session(encoding="rope", other="alibi")), tmp_path)
    assert not charts(slide)
    assert sum(shape.shape_type == MSO_SHAPE_TYPE.PICTURE for shape in slide.shapes) == 1


def test_bars_are_a_chart_with_the_first_category_at_the_top(tmp_path: Path) -> None:
    axis = Axis("encoding", "which", 0, ("=1+1", "rope"))
    bars = Bars("", "share", axis, (BarSeries("one", np.float32([0.5, 0.25])),), 0, 1)
    (chart,) = charts(slide_of(Figure("bars", "Bars", (bars,)), tmp_path))
    assert list(chart.plots[0].categories) == ["'=1+1", "rope"]
    assert list(chart.plots[0].series[0].values) == [0.5, 0.25]
    assert chart.category_axis.reverse_order
    assert chart.plots[0].data_labels.number_format == "0.0000"
    book = chart.part.chart_workbook.xlsx_part.blob
    with zipfile.ZipFile(io.BytesIO(book)) as sheet:
        assert b"<f>" not in sheet.read("xl/worksheets/sheet1.xml")


@pytest.mark.parametrize("preset", ["slide", "slide_4_3"])
def test_a_table_goes_on_on_the_next_slide_with_all_its_words(preset: str, tmp_path: Path) -> None:
    sentence = " ".join(f"word{number}" for number in range(30))
    rows = tuple((f"row {row}", *(row + column / 7 for column in range(9)), sentence) for row in range(40))
    table = Table("long", ("name", *(f"column {column}" for column in range(9)), "said"), rows)
    path = Figure("table", "Table", (table,)).save(tmp_path / "figure.pptx", preset=preset)
    deck = Presentation(str(path))
    shapes = [shape for slide in deck.slides for shape in slide.shapes if shape.has_table]
    cells = [cell for shape in shapes for cell in shape.table.iter_cells()]
    shown = [cell.text_frame.text for cell in cells]
    assert shown.count(sentence) == 40
    assert all(table_text(cell) in shown for row in rows for cell in row)
    assert not any("…" in text for text in shown)
    assert all(run.font.size >= Pt(12) for cell in cells for run in cell.text_frame.paragraphs[0].runs)
    assert all(shape.top + shape.height <= deck.slide_height for shape in shapes)
    assert f"1 of {len(shapes)}" in words(deck.slides[0])


def test_a_table_has_none_of_powerpoints_own_colours_and_lines(tmp_path: Path) -> None:
    slide = slide_of(pe.plot("why", pe.Session(plots={"why": {"show": "steps"}})), tmp_path, theme="dark")
    (table,) = [shape.table for shape in slide.shapes if shape.has_table]
    assert table._tbl.tblPr.find("{*}tableStyleId").text == "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
    *others, focus = table.rows
    assert {cell.fill.type for row in others for cell in row.cells} == {MSO_FILL.BACKGROUND}
    assert {cell.fill.type for cell in focus.cells} == {MSO_FILL.SOLID}
    sizes = [run.font.size for cell in table.iter_cells() for run in cell.text_frame.paragraphs[0].runs]
    assert min(sizes) >= Pt(12)


@pytest.mark.slow
@pytest.mark.parametrize("side", [4, 64])
def test_a_map_is_a_drawing_with_a_picture_of_it(side: int, tmp_path: Path) -> None:
    slide = slide_of(figure_of(attention(("w",) * side)), tmp_path)
    (picture,) = [shape for shape in slide.shapes if shape.shape_type == 13]
    assert picture.image.content_type == "image/png"
    with zipfile.ZipFile(tmp_path / "figure.pptx") as deck:
        (drawing,) = [name for name in deck.namelist() if name.endswith(".svg")]
        assert b"<svg" in deck.read(drawing)
    assert b"svgBlip" in picture._element.blipFill.xml.encode()


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["attention", "waves", "requirements", "generation", "clocks", "angles", "sweep"])
@pytest.mark.parametrize("preset", ["slide", "slide_4_3", "handout"])
def test_everything_stands_on_the_slide_and_nothing_over_another(plot: str, preset: str, tmp_path: Path) -> None:
    path = pe.plot(plot, SESSION).save(tmp_path / "figure.pptx", preset=preset)
    deck = Presentation(str(path))
    for slide in deck.slides:
        boxes = [(one.left, one.top, one.left + one.width, one.top + one.height) for one in slide.shapes]
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= deck.slide_width + 1
            assert 0 <= top < bottom <= deck.slide_height + 1
        for at, one in enumerate(boxes):
            for other in boxes[:at]:
                apart = one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] - 1 or other[1] >= one[3] - 1
                assert apart, (one, other)


def test_a_slide_says_what_is_seen_and_of_what_and_is_described_and_noted(tmp_path: Path) -> None:
    figure = pe.plot("waves", SESSION)
    slide = slide_of(figure, tmp_path)
    headline = "".join(run.text for run in figure.headline)
    assert slide.shapes.title.text_frame.text.replace("\v", " ") == headline
    assert "Waves · RoPE, base 100" in words(slide)
    assert "“dog bites man”" in slide.notes_slide.notes_text_frame.text
    assert slide.notes_slide.notes_text_frame.text.count(headline) == 1
    (picture,) = [shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
    assert picture._element.xpath(".//p:cNvPr")[0].get("descr") == figure.description
    own = slide_of(figure, tmp_path, title="Clocks", theme="dark")
    assert own.shapes.title.text_frame.text == "Clocks"
    assert str(own.background.fill.fore_color.rgb) == DARK.card[1:].upper()


@pytest.mark.slow
def test_slides_are_added_to_a_deck_whose_own_stay_as_they_are(tmp_path: Path) -> None:
    path, theirs = tmp_path / "talk.pptx", Presentation()
    theirs.slides.add_slide(theirs.slide_layouts[0]).shapes.title.text = "Mine"
    theirs.save(str(path))
    before = Presentation(str(path))
    for plot in ("waves", "attention"):
        pe.plot(plot, SESSION).save(path, append=True)
    after = Presentation(str(path))
    assert (after.slide_width, after.slide_height) == (before.slide_width, before.slide_height)
    assert [slide.shapes.title.text for slide in after.slides] == [
        "Mine",
        "Waves · RoPE, base 100",
        "Attention · RoPE, base 100",
    ]
    assert after.slides[0].part.blob == before.slides[0].part.blob
    assert pe.Session.load(path) == SESSION
    pe.plot("waves", SESSION).save(path)
    assert len(Presentation(str(path)).slides) == 1


def test_two_appends_at_once_both_land_and_a_deck_that_is_open_elsewhere_stays(tmp_path: Path) -> None:
    path, figure = tmp_path / "talk.pptx", pe.plot("waves", SESSION)
    figure.save(path)
    both = [Thread(target=partial(figure.save, path, append=True)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(Presentation(str(path)).slides) == 3
    before = path.read_bytes()
    path.with_name("~$talk.pptx").touch()
    for append in (True, False):
        with pytest.raises(OSError, match="open in PowerPoint"):
            figure.save(path, append=append)
    assert path.read_bytes() == before


def _template(path: Path) -> None:
    """A deck in 4:3 with other names for its layouts, a chart with its workbook, a table, a picture's worth of notes."""
    deck = Presentation()
    deck.slide_layouts[5].name = "Our own"
    chart = CategoryChartData()
    chart.categories = ["one", "two"]
    chart.add_series("counts", (1, 2))
    for number, layout in enumerate((deck.slide_layouts[5], deck.slide_layouts[1], deck.slide_layouts[6])):
        slide = deck.slides.add_slide(layout)
        slide.shapes.add_chart(XL_CHART_TYPE.PIE, Pt(40), Pt(200), Pt(300), Pt(200), chart)
        slide.shapes.add_table(2, 2, Pt(400), Pt(200), Pt(200), Pt(60))
        slide.notes_slide.notes_text_frame.text = f"Say this: {number}"
    deck.save(str(path))


def _parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as deck:
        return {member: deck.read(member) for member in deck.namelist()}


@pytest.mark.slow
def test_every_part_of_a_users_deck_stays_byte_for_byte_but_for_the_lists_of_slides(tmp_path: Path) -> None:
    path = tmp_path / "talk.pptx"
    _template(path)
    before = _parts(path)
    for plot in ("waves", "why", "clocks"):
        pe.plot(plot, SESSION).save(path, append=True)
    after = _parts(path)
    lists = {"[Content_Types].xml", "_rels/.rels", "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"}
    assert before.keys() <= after.keys()
    assert {name for name, part in before.items() if after[name] != part} <= lists
    slides = Presentation(str(path)).slides
    assert len(slides) == 6
    assert [slide.notes_slide.notes_text_frame.text for slide in slides][:3] == [f"Say this: {n}" for n in range(3)]


@pytest.mark.skipif(os.name != "posix", reason="limits as Unix has them")
@pytest.mark.parametrize("suffix", [".pptx", ".gif"])
def test_a_disk_that_fills_up_leaves_the_users_file_as_it_was(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"talk{suffix}"
    _template(path)
    before, figure = path.read_bytes(), pe.plot("waves", SESSION)
    save = partial(render.save_film, [figure, figure], path)
    if suffix == ".pptx":
        save = partial(figure.save, path, append=True)
    with full_disk(), pytest.raises(OSError, match="File too large"):
        save()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_deck_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "talk.pptx"
    path.write_bytes(b"PK\x03\x04 precious")
    with pytest.raises(ValueError, match="not a PowerPoint deck"):
        pe.plot("waves", SESSION).save(path, append=True)
    assert path.read_bytes() == b"PK\x03\x04 precious"


@pytest.mark.parametrize(
    ("part", "old", "new", "why"),
    [
        ("ppt/slides/slide1.xml", b"<p:sld", b'<!DOCTYPE p:sld [<!ENTITY x "y">]><p:sld', "it is damaged"),
        ("ppt/slides/slide1.xml", b"</p:sld>", b"&x;</p:sld>", "it is damaged"),
        ("ppt/theme/theme1.xml", b"</a:theme>", b"", "it is damaged"),
        ("ppt/slides/slide1.xml", b"</p:sld>", b" " * 50_000_000 + b"</p:sld>", "its XML unpacks to more than 50 MB"),
    ],
)
def test_a_deck_that_would_not_open_or_is_too_large_is_left_alone(
    part: str, old: bytes, new: bytes, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "talk.pptx"
    _template(path)
    parts = _parts(path)
    assert old in parts[part]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as deck:
        for name, content in parts.items():
            deck.writestr(name, content.replace(old, new, 1) if name == part else content)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"^slides can't be added to this (file|deck): {why}"):
        pe.plot("waves", SESSION).save(path, append=True)
    assert path.read_bytes() == before


def test_a_part_of_a_deck_is_xml_by_its_content_type_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "talk.pptx"
    _template(path)
    parts = {
        name.replace("slide1.xml", "slide1.dat"): content.replace(b"slide1.xml", b"slide1.dat")
        for name, content in _parts(path).items()
    }
    for slide, refused in ((parts["ppt/slides/slide1.dat"], False), (b'<!DOCTYPE x [<!ENTITY y "z">]><x/>', True)):
        with zipfile.ZipFile(path, "w") as deck:
            for name, content in (parts | {"ppt/slides/slide1.dat": slide}).items():
                deck.writestr(name, content)
        with pytest.raises(ValueError, match="it is damaged") if refused else nullcontext():
            pe.plot("waves", SESSION).save(path, append=True)


def test_a_deck_carries_its_bookmarks_also_once_another_program_has_packed_it(tmp_path: Path) -> None:
    path = tmp_path / "talk.pptx"
    document = pe.Document(SESSION, (pe.Bookmark(name="one", note="Say this.", session=SESSION),))
    figure = pe.plot("waves", SESSION)
    render.save_deck([(figure, "Say this.")], path, document=document.to_json())
    assert pe.Document.load(path) == document
    assert "Say this." in Presentation(str(path)).slides[0].notes_slide.notes_text_frame.text
    again = Presentation(str(path))
    again.save(str(path))  # which packs every part
    assert pe.Document.load(path) == document


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_title_slide_names_the_talk_and_what_all_slides_share(theme: str, tmp_path: Path) -> None:
    session = SESSION.changed(other=pe.encoding("rope"))
    figures = [(pe.plot(plot, session), "") for plot in ("waves", "frequencies")]
    options = ExportOptions(title="How far is far?", title_slide=True, theme=theme)
    first, *others = Presentation(str(render.save_deck(figures, tmp_path / "talk.pptx", options))).slides
    assert first.shapes.title.text == "How far is far?"
    assert all(part in words(first) for part in ("RoPE", "base 100", "base 10,000", "“dog bites man”", pe.__version__))
    assert not any("How far" in words(slide) for slide in others)
    assert all({"repeats", "turn"} & set(slide.shapes.title.text.split()) for slide in others)


def test_all_text_of_a_deck_of_ours_has_one_font(tmp_path: Path) -> None:
    path = pe.plot("frequencies", SESSION).save(tmp_path / "figure.pptx", title_slide=True)
    with zipfile.ZipFile(path) as deck:
        theme = deck.read("ppt/theme/theme1.xml")
        slides = [deck.read(name) for name in deck.namelist() if name.startswith(("ppt/slides/", "ppt/charts/chart"))]
    assert theme.count(b'<a:latin typeface="Verdana"') == theme.count(b"<a:latin ") == 2
    assert not any(b"<a:latin" in part for part in slides)


def test_charts_and_tables_are_drawn_where_that_is_chosen(tmp_path: Path) -> None:
    path = pe.plot("frequencies", SESSION).save(tmp_path / "figure.pptx", charts="drawn")
    slides = Presentation(str(path)).slides
    assert len(slides) == 2
    for slide in slides:
        assert not any(shape.has_chart or shape.has_table for shape in slide.shapes)
        assert sum(shape.shape_type == MSO_SHAPE_TYPE.PICTURE for shape in slide.shapes) == 1


def test_the_curves_of_a_chart_are_named_at_their_ends(tmp_path: Path) -> None:
    (chart,) = charts(slide_of(curves(3), tmp_path))
    assert not chart.has_legend
    for number, series in enumerate(chart.plots[0].series):
        assert series.points[30].data_label.text_frame.text == f"curve {number}"


def test_words_on_slides_are_data() -> None:
    hostile = "<b>\x00\x1b $x$ =1+1 {=A1} http://a.b 位置 السلام 🙂"
    x = np.arange(3, dtype=np.float32)
    lines = Lines(hostile, hostile, (Series(hostile, x, x),), Axis("position", hostile), 0, 2)
    figure = Figure("waves", hostile, (lines, lines), compose_caption(hostile), hostile)
    deck = Presentation(io.BytesIO(render.content(figure, ".pptx", ExportOptions())))
    assert "<b>␀␛ $x$" in words(deck.slides[0])


def test_no_time_stands_in_a_chart_so_that_the_same_figure_gives_the_same_deck(tmp_path: Path) -> None:
    (chart,) = charts(slide_of(curves(2), tmp_path))
    with zipfile.ZipFile(io.BytesIO(chart.part.chart_workbook.xlsx_part.blob)) as book:
        assert book.read("docProps/core.xml").count(b">1980-01-01T00:00:00Z<") == 2
        assert {member.date_time for member in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_slopes_stand_beside_maps_while_these_keep_their_numbers(tmp_path: Path) -> None:
    for text, shown in (("dog bites dog", True), ("my dog saw the dog in the park by day and by night", False)):
        page = drawing(with_row(text).save(tmp_path / "figure.svg"))
        assert bool(page.named("without")) == shown
        assert not any("room" in one.words for one in page.texts)


def with_row(text: str) -> Figure:
    options = pe.Session().plots
    row = options.model_copy(update={"attention": options.attention.model_copy(update={"row": True})})
    return pe.plot("attention", pe.Session(text=text, focus=text.split().index("dog"), plots=row))


def test_a_map_of_differences_that_has_no_room_beside_its_maps_stands_on_the_next_slide(tmp_path: Path) -> None:
    for text, slides in (("dog bites man", 1), ("the dog bit the man and the cat", 2)):
        figure = pe.plot("attention", SESSION.changed(text=text, other="alibi"))
        pages = Presentation(str(figure.save(tmp_path / f"{slides}.pptx"))).slides
        assert len(pages) == slides


def test_a_clock_that_no_deck_can_be_dated_by_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "localtime", lambda *_: time.struct_time((1970, 1, 1, 0, 0, 0, 3, 1, 0)))
    with pytest.raises(ValueError, match=r"1970.*set the clock"):
        figure_of(attention()).save(tmp_path / "figure.pptx")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["flow", "equivariance"])
def test_what_would_be_too_small_beside_its_comparison_stands_on_a_slide_of_its_own(plot: str, tmp_path: Path) -> None:
    session = pe.Session(encoding=pe.encoding("rope"), other=pe.encoding("sinusoidal"))
    pe.plot(plot, session).save(tmp_path / "talk.pptx")
    first, second = Presentation(tmp_path / "talk.pptx").slides
    if plot == "equivariance":
        assert words(first) == words(second)
    else:  # each door has a sentence of its own
        assert "the rotation" in words(first)
        assert "the input" not in words(first)
        assert "the input" in words(second)
        assert "the rotation" not in words(second)


def test_a_side_without_a_picture_leaves_the_slide_to_the_other_and_says_so_in_its_caption(tmp_path: Path) -> None:
    figure = pe.plot("angles", pe.Session(encoding="alibi", other="rope"))
    alone = pe.plot("angles", pe.Session(encoding="rope"))
    slide, beside = slide_of(figure, tmp_path), slide_of(alone, tmp_path)
    assert "“ALiBi” has no angles" in words(slide)
    breadth, whole = (max(shape.width for shape in one.shapes if shape.has_chart or shape.shape_type == MSO_SHAPE_TYPE.PICTURE)
                      for one in (slide, beside))  # fmt: skip
    assert breadth == whole
