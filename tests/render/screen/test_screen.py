"""The screen: any figure as live plots, whatever the tokens, the theme, the size and the figure before it."""

from __future__ import annotations

import gc
import itertools
import weakref
from typing import get_args

import numpy as np
import pyqtgraph as pg
import pytest
from eyes import at, crosshair, graphics_of, picture, press, room_of, side_of, told, turn_wheel, writing
from panels import a_map, bars, clocks, figure_of, links
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

import posenc_gui as pe
from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Note, Panel, Scale, Series, Slopes, Table, VerticalMark
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.render.drawings.motion import Change
from posenc_gui.render.drawings.parts import Box, Clipped
from posenc_gui.render.layout.colour_scales import lookup_table
from posenc_gui.render.layout.text_fit import elided
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.tables import TableView

THEMES = {"light": LIGHT, "dark": DARK}
LEFT = Qt.MouseButton.LeftButton
HARD = ("Donaudampfschifffahrtsgesellschaftskapitän", "自然语言处理", "العربية", "👩‍👩‍👧", "a", "<b>x</b>", "&amp;")
TEXTS = {
    1: "one",
    6: "The cat sat on the mat",
    64: " ".join(itertools.islice(itertools.cycle(HARD), 64)),
    512: " ".join(f"word{i % 300}" for i in range(512)),
}


def drag(view: FigureView, kind: QEvent.Type, place: QPoint) -> None:
    """Send a mouse event, with the left button held."""
    viewport, changed = graphics_of(view).viewport(), Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
    places = QPointF(place), QPointF(viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, QMouseEvent(kind, *places, changed, LEFT, Qt.KeyboardModifier.NoModifier))


def n_colours(image: QImage) -> int:
    return len({image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)})


def lines(count: int = 2, marks: tuple[VerticalMark, ...] = ()) -> Lines:
    x = np.linspace(0, 10, 101, dtype=np.float32)
    series = tuple(
        Series(f"dim {i}", x, np.sin((i + 1) * x / 4).astype(np.float32), ((2.0, 0.0),)) for i in range(count)
    )
    return Lines("some lines", "value", series, Axis("position", "position"), -1.1, 1.1, marks)


def log_lines() -> Lines:
    x = np.arange(9, dtype=np.float32)
    series = tuple(Series(f"base {base}", x, base**x, ((2.0, base**2),)) for base in (2.0, 10.0))
    return Lines("powers", "value", series, Axis("position", "position"), 1.0, 1e8, log=True)


def colour_at(view: FigureView, x: float, y: float, panel: int = 0) -> QColor:
    """The colour of a cell beside its number: a tenth inside its corner."""
    image = picture(view)
    place = graphics_of(view).viewport().mapTo(view, at(view, x - 0.4, y - 0.4, panel))
    return QColor(image.pixel(place))


def table(scale: Scale, share: float, theme: str = "light") -> QColor:
    """The theme's colour of a share of a scale, at one of its 256 steps."""
    return QColor(*lookup_table(scale, THEMES[theme])[round(share * 255)].tolist())


def is_near(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) <= 4 for a, b in zip(one.getRgb(), other.getRgb(), strict=True))


# --- Everything is drawn ------------------------------------------------------------------------------------------------


PICTURES = 6


def drawn_by(plot: str, session: pe.Session) -> Figure:
    """The figure of a plot; where it has nothing to show of the session, of RoPE that was extended or beside patches.

    Of one token some plots say in a sentence that there is nothing.
    """
    extended = session.changed(encoding=pe.encoding("rope", scaling={"rope_type": "yarn"}))
    figures = (pe.plot(plot, one) for one in (session, extended, session.changed(patches=pe.Patches())))
    return next((figure for figure in figures if not figure.is_note), pe.plot(plot, session))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(PICTURES))
def test_every_plot_every_encoding_and_every_length_are_drawn_in_both_themes(show, number: int) -> None:
    """Some plots stand together in each picture, each of another encoding."""
    text, theme = TEXTS[list(TEXTS)[(number + 3) % len(TEXTS)]], list(THEMES)[number % len(THEMES)]
    encodings = itertools.cycle(pe.encodings())
    panels = [
        panel
        for place, (plot, encoding) in enumerate(zip(pe.plots(), encodings, strict=False))
        if place % PICTURES == number
        for panel in drawn_by(plot, pe.Session(text=text, encoding=encoding)).panels
    ]
    view = show(*panels, colours=THEMES[theme], size=(1600, 1200))
    assert n_colours(picture(view)) > 2
    rooms = [room_of(view, panel).adjusted(-3, -3, 3, 3) for panel in range(len(view.panel_views()))]  # and some ground
    parts = [graphics_of(view).grab(room.toAlignedRect()) for room in rooms]
    parts += [one.grab() for one in view.findChildren(TableView)]
    may_give_way = sum(isinstance(panel, Slopes) or getattr(panel, "difference", False) for panel in panels)
    assert len(panels) - may_give_way <= len(parts) <= len(panels)
    assert all(n_colours(part.toImage()) > 1 for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["rope", "alibi"])
def test_the_first_paint_in_another_theme_is_the_last(show, qapp, encoding: str) -> None:
    session = pe.Session(text=TEXTS[6], encoding=encoding)
    moves = list[tuple[str, tuple[int, int]]]()
    for plot, size in itertools.product(pe.plots(), ((460, 200), (900, 420))):
        view = show(pe.plot(plot, session), size=size, headed=True)
        view.set_colours(DARK)
        first = view.grab().toImage()
        for _ in range(20):
            qapp.processEvents()
        if view.grab().toImage() != first:
            moves.append((plot, size))
        view.hide()
    assert moves == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1, 1), (40, 30), (120, 90), (2000, 60), (60, 900)])
def test_no_size_is_too_small_to_draw(show, size: tuple[int, int]) -> None:
    for make in FIGURES.values():
        view = show(make(), size=size)
        picture(view)


def test_a_figure_that_is_only_a_note_shows_its_sentence_as_plain_text(show) -> None:
    view = show(Note("There is no <b>pair</b> 9."))
    (label,) = view.findChildren(QLabel)
    assert label.isVisible()
    assert label.text() == "There is no <b>pair</b> 9."
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert n_colours(picture(view)) > 2


def test_a_view_without_a_figure_can_be_shown_and_used(qtbot) -> None:
    view = FigureView(THEMES["light"])
    qtbot.addWidget(view)
    view.show()
    view.set_colours(THEMES["dark"])
    view.viewport.reset()
    view.show_pointer(Pointer((("query", 1),)))
    QTest.keyClick(view, Qt.Key.Key_Right)
    picture(view)
    assert view.figure() is None


FIGURES = {
    "map": lambda: figure_of(a_map(np.eye(6))),
    "two maps": lambda: figure_of(a_map(np.eye(6)), a_map(np.eye(6))),
    "a small map": lambda: figure_of(a_map([[1.0]])),
    "a wide map": lambda: figure_of(a_map(np.zeros((2, 40)))),
    "lines": lambda: figure_of(lines(2)),
    "more lines": lambda: figure_of(lines(9, (VerticalMark(3, "here", "focus"), VerticalMark(5, "", "end")))),
    "map and lines": lambda: figure_of(a_map(np.eye(3)), lines()),
    "log lines": lambda: figure_of(log_lines()),
    "bars": lambda: figure_of(bars()),
    "links between maps": lambda: figure_of(a_map(np.eye(6)), links(), a_map(np.eye(6))),
    "note": lambda: figure_of(Note("There is nothing.")),
}


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(FIGURES, 2)))
def test_a_figure_of_any_shape_can_follow_any_other(show, first: str, second: str) -> None:
    view = show(FIGURES[first]())
    picture(view)
    view.show_pointer(Pointer((("query", 2), ("key", 1))))
    view.show_figure(FIGURES[second]())
    after = picture(view)
    view.resize(700, 350)
    picture(view)
    view.resize(900, 420)
    assert n_colours(after) > 2
    view.set_colours(THEMES["dark"])
    assert picture(view).pixelColor(2, 2).name() == THEMES["dark"].card or second == "note"


# --- Maps -------------------------------------------------------------------------------------------------------------


def test_cells_have_the_colours_of_their_theme_dark_where_much_is(show) -> None:
    view = show(a_map([[0.0, 0.25, 0.5], [0.75, 1.0, 0.1]]))
    for (row, column), value in np.ndenumerate(view.figure().panels[0].values):
        assert is_near(colour_at(view, column, row), table("sequential", value))


def test_signed_cells_have_the_colours_of_a_diverging_map_white_at_zero(show) -> None:
    view = show(a_map([[-1.0, -0.5, 0.0, 0.5, 1.0]], low=-1.0, scale="diverging"))
    for column, value in enumerate((-1.0, -0.5, 0.0, 0.5, 1.0)):
        assert is_near(colour_at(view, column, 0), table("diverging", (value + 1) / 2))


@pytest.mark.parametrize("theme", THEMES)
def test_masked_cells_have_a_colour_of_their_own_and_no_number(show, theme: str) -> None:
    mask = np.triu(np.ones((4, 4), dtype=bool), 1)
    view = show(a_map(np.full((4, 4), 0.5) * ~mask, mask=mask), colours=THEMES[theme])
    for row, column in np.ndindex(4, 4):
        wanted = QColor(THEMES[theme].sunk) if mask[row, column] else table("sequential", 0.5, theme)
        assert is_near(colour_at(view, column, row), wanted)
    image, centre = picture(view), at(view, 3, 0)
    around = [image.pixelColor(centre + QPoint(dx, dy)).name() for dx in range(-12, 13) for dy in range(-6, 7)]
    assert set(around) == {THEMES[theme].sunk}


def test_a_row_in_focus_is_framed(show) -> None:
    panel = a_map(np.full((4, 4), 0.5))
    framed = Heatmap(**{**vars(panel), "rows": Axis("query", "query", focus=2)})
    view = show(framed)
    image, place = picture(view), at(view, 1.5, 1.5)
    column = [image.pixelColor(place.x(), place.y() + dy).name() for dy in range(-4, 5)]
    assert THEMES["light"].focus in column


def test_a_window_of_a_long_sentence_keeps_its_true_positions(show) -> None:
    rows, columns = (Axis(role, role, first=5000) for role in ("query", "key"))
    view = show(Heatmap("far", "probability", np.eye(4, dtype=np.float32), rows, columns, 0.0, 1.0))
    said = told(view)
    QTest.mouseMove(graphics_of(view).viewport(), at(view, 5002, 5001))
    assert said[-1] == "query 5001 · key 5002 · probability 0"


@pytest.mark.parametrize("turns", [120, -120], ids=["in", "out"])
@pytest.mark.parametrize("name", ["two maps", "a small map", "lines", "bars"])
def test_two_hundred_steps_of_the_wheel_do_no_harm_and_are_undone(show, name: str, turns: int) -> None:
    view = show(FIGURES[name]())
    picture(view)
    whole = [panel.vb.viewRect() for panel in view.panel_views()]
    for _ in range(200):
        turn_wheel(view, turns)
    picture(view)
    view.viewport.reset()
    picture(view)
    assert [panel.vb.viewRect() for panel in view.panel_views()] == whole


def test_two_maps_zoom_together(show) -> None:
    view = show(FIGURES["two maps"]())
    picture(view)
    for _ in range(5):
        turn_wheel(view, 120)
    first, second = (panel.vb.viewRect() for panel in view.panel_views())
    assert first.width() < 6
    assert (first.left(), first.width()) == pytest.approx((second.left(), second.width()))


def test_a_drag_goes_on_where_views_are_built_anew_meanwhile(show, monkeypatch) -> None:
    monkeypatch.setitem(pg.CONFIG_OPTIONS, "mouseRateLimit", 0)
    view = show(FIGURES["two maps"]())
    place = at(view, 2, 2)
    drag(view, QEvent.Type.MouseButtonPress, place)
    drag(view, QEvent.Type.MouseMove, place - QPoint(9, 0))
    view.show_figure(FIGURES["map"]())
    for _ in range(5):
        turn_wheel(view, 120)
    box = view.panel_views()[0].vb
    left, pixel = box.viewRect().left(), box.viewPixelSize()[0]
    drag(view, QEvent.Type.MouseMove, place - QPoint(15, 0))
    drag(view, QEvent.Type.MouseButtonRelease, place - QPoint(15, 0))
    assert box.viewRect().left() == pytest.approx(left + 6 * pixel)


# --- The crosshair ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointer", "on_map", "on_lines"),
    [
        (Pointer((("query", 2), ("key", 1))), (1, 2), (2, None)),
        (Pointer((("position", 3),)), (3, 3), (3, None)),
        (Pointer((("dimension", 3),)), (None, None), (None, None)),
        (Pointer(), (None, None), (None, None)),
    ],
)
def test_the_crosshair_follows_from_the_roles_of_the_axes(show, pointer, on_map, on_lines) -> None:
    view = show(a_map(np.eye(6)), lines())
    view.show_pointer(Pointer((("query", 5), ("key", 5))))
    assert crosshair(view, pointer, 0) == on_map
    assert crosshair(view, pointer, 1) == on_lines


# --- Labels -------------------------------------------------------------------------------------------------------------


def labels(view: FigureView, side: str) -> list[tuple[str, QRectF]]:
    """The texts along a side of a panel, with the space that each takes."""
    return [(one.text, one.box) for one in writing(view, side_of(view, side))]


def overlap(boxes: list[object]) -> bool:
    """True if letters of two neighbours touch; their empty edges may, by a pixel."""
    return any(a.adjusted(1, 1, -1, -1).intersects(b.adjusted(1, 1, -1, -1)) for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize("tokens", TEXTS)
def test_labels_of_a_map_never_overlap(show, tokens: int) -> None:
    session = pe.Session(text=TEXTS[tokens])
    view = show(pe.plot("attention", session), size=(800, 500))
    for side in ("left", "top"):
        drawn = labels(view, side)
        assert drawn
        assert not overlap([box for _, box in drawn])
        if tokens == 6:
            assert [text for text, _ in drawn] == ["the", "cat", "sat", "on", "the", "mat"]
        if tokens == 512:
            assert len(drawn) < 100


@pytest.mark.parametrize("width", [300, 600, 1500])
def test_words_that_name_all_of_an_x_axis_stand_there_without_touching(show, width: int) -> None:
    names = tuple(f"{2**at:,}" for at in range(11))
    panel = Lines(**{**vars(lines()), "x": Axis("step", "start", labels=names)})
    words = [one for one in labels(show(panel, size=(width, 300)), "bottom") if one[0] != "start"]
    assert words[0][0] == "1"
    assert {text for text, _ in words} <= set(names)
    assert not overlap([box for _, box in words])
    assert width < 1500 or len(words) == 11


def test_words_that_name_the_first_places_alone_leave_numbers(show) -> None:
    panel = Lines(**{**vars(lines()), "x": Axis("position", "position", labels=("the", "cat"))})
    assert labels(show(panel), "bottom") == labels(show(lines()), "bottom")


@pytest.mark.parametrize("n_tokens", [6, 64, 512])
def test_positions_along_curves_are_numbered_however_many_are_tokens(show, n_tokens: int) -> None:
    view = show(pe.plot("waves", pe.Session(text=" ".join(("dog", "cat") * (n_tokens // 2)))))
    assert all(text.replace(",", "").isdecimal() or text == "position" for text, _ in labels(view, "bottom"))


@pytest.mark.parametrize("height", [170, 200, 300])
def test_numbers_at_the_ends_of_a_low_plots_values_are_there(show, height: int) -> None:
    x = np.linspace(0, 12, 200, dtype=np.float32)
    panel = Lines("waves", "value", (Series("", x, np.sin(x)),), Axis("position", "position"), -1.06, 1.06)
    view = show(panel, size=(320, height))
    picture(view)  # lays out what needs a second turn
    numbers = [one.text for one in writing(view, side_of(view, "left"))]
    assert {"1", "−1"} <= set(numbers) or {"1.0", "−1.0"} <= set(numbers)


@pytest.mark.parametrize(("width", "seen"), [(1200, True), (430, False)])
def test_numbers_stand_in_cells_only_where_the_widest_fits(show, width: int, seen: bool) -> None:
    values = np.full((12, 12), -1e-9)
    values[0, 0] = -0.84
    view = show(a_map(values, low=-1.0, scale="diverging"), size=(width, 600))
    assert {one.text for one in writing(view, room_of(view))} == ({"0.00", "−0.84"} if seen else set())
    image, centre = picture(view), at(view, 5, 5)
    around = {image.pixel(centre + QPoint(dx, dy)) for dx in range(-9, 10) for dy in range(-5, 6)}
    assert (len(around) > 1) == seen


def test_numbers_of_a_map_have_the_same_decimals_and_what_is_no_zero_keeps_them_written_briefly(show) -> None:
    view = show(a_map([[0.0, 0.002154], [0.84, 0.5]]))
    seen = set()
    for width in range(60, 450, 5):
        view.resize(width, 300)
        seen.add(tuple(one.text for one in writing(view, room_of(view))))
    assert seen == {
        (), ("0", ".00", ".84", ".50"), ("0.00", "0.00", "0.84", "0.50"),
    }  # fmt: skip


def test_numbers_of_a_long_map_are_thinned_to_round_ones(show) -> None:
    view = show(a_map(np.zeros((512, 512))))
    for side in ("left", "top"):
        numbers = [int(text) for text, _ in labels(view, side)]
        assert not overlap([box for _, box in labels(view, side)])
        assert numbers[0] == 0
        (step,) = {b - a for a, b in itertools.pairwise(numbers)}
        assert step in (10, 20, 50, 100)


def test_a_long_token_is_cut_in_the_middle_and_leaves_room_for_the_map(show) -> None:
    long = "a" * 3000 + "b" * 3000
    view = show(a_map(np.eye(3), ("x", long, "y")))
    texts = [text for text, _ in labels(view, "left")]
    assert texts[0] == "x"
    assert "…" in texts[1]
    assert texts[1].startswith("a")
    assert texts[1].endswith("b")
    assert room_of(view).left() < 140


@pytest.mark.usefixtures("qapp")
def test_larger_type_has_longer_labels() -> None:
    word, size = "antidisestablishmentarianism", 14
    cut = set()
    for times in (1, 2, 3):
        font = QFont()
        font.setPixelSize(times * size)
        QApplication.setFont(font)
        style = screen_style()
        cut.add(elided(word, style.longest, style.label.measure))
    assert len(cut) == 1


def test_zooming_in_shows_labels_that_were_left_out(show) -> None:
    view = show(pe.plot("attention", pe.Session(text=TEXTS[512])))
    few = {text for text, _ in labels(view, "left")}
    for _ in range(12):
        turn_wheel(view, 120)
    assert {text for text, _ in labels(view, "left")} - few


def test_a_zoomed_map_keeps_to_its_room(show) -> None:
    """Words beside rows where numbers were, the frame of a row at the edge, and a bracket about columns out of sight."""
    view = show(pe.plot("attention", pe.Session(text=TEXTS[64], focus=2, encoding="rope")), size=(700, 380))
    press(view, "Plus Plus Plus")
    shown = view.panel_views()[0].drawing()
    assert min(one.box.left() for one in writing(view)) > -1
    frames = [part.rect for part in shown.parts if isinstance(part, Box | Clipped)]
    assert min(frame.top for frame in frames) > shown.plot.top - 6
    view = show(pe.plot("attention", pe.Session(text="the cat sat on the mat", focus=2)), size=(700, 380))
    assert any("equal" in one.text for one in writing(view))
    press(view, "Plus")
    assert not any("equal" in one.text for one in writing(view))


# --- The keyboard and the mouse -------------------------------------------------------------------------------------------


def test_a_click_says_which_cell_and_only_the_left_button_does(show) -> None:
    view = show(FIGURES["map"]())
    picture(view)
    clicked = []
    view.clicked.connect(clicked.append)
    QTest.mouseClick(graphics_of(view).viewport(), LEFT, pos=at(view, 4, 1))
    assert clicked == [Pointer((("query", 1), ("key", 4)))]
    QTest.mouseClick(graphics_of(view).viewport(), Qt.MouseButton.RightButton, pos=at(view, 4, 1))
    QTest.mouseClick(graphics_of(view).viewport(), LEFT, pos=QPoint(3, 3))
    assert len(clicked) == 1


def test_a_right_click_opens_no_menu_of_pyqtgraph_s(show) -> None:
    view = show(FIGURES["lines"]())
    picture(view)
    QTest.mouseClick(graphics_of(view).viewport(), Qt.MouseButton.RightButton, pos=at(view, 5, 0))
    assert QApplication.activePopupWidget() is None


def test_a_plot_has_a_name_and_a_description(show) -> None:
    figure = Figure("test", "Test", (a_map(np.eye(2)),), description="Two cells are one.")
    view = show(figure)
    assert (view.accessibleName(), view.accessibleDescription()) == ("Test", "Two cells are one.")


def test_curves_of_unequal_lengths_are_all_seen_and_a_mark_at_the_edge_keeps_its_word(show) -> None:
    short, long = (Series(str(n), np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32)) for n in (4, 40))
    mark = VerticalMark(39.0, "the end", "end")
    panel = Lines("two", "value", (short, long), Axis("position", "position"), 0.0, 2.0, (mark,))
    view = show(panel)
    QApplication.processEvents()
    (lines,) = view.panel_views()
    (left, right), _ = lines.vb.viewRange()
    assert left <= 0
    assert right >= 39
    above = side_of(view, "top")
    (word,) = (one for one in writing(view, above) if one.text == "the end")
    assert above.adjusted(-1, -1, 1, 1).contains(word.box)  # fonts' heights are whole pixels on the screen alone


def test_the_words_below_curves_are_those_of_the_figure_that_is_shown(show) -> None:
    dogs, cats = (Lines(**{**vars(lines()), "x": Axis("step", "", labels=(word,) * 11)}) for word in ("dog", "cat"))
    view = show(dogs)
    assert "dog" in {word.text for word in writing(view, side_of(view, "bottom"))}
    view.show_figure(figure_of(cats))
    written = {word.text for word in writing(view, side_of(view, "bottom"))}
    assert "cat" in written
    assert "dog" not in written


def test_views_of_every_kind_that_are_let_go_leave_nothing_for_the_garbage_collector(garbage_timer) -> None:
    """Collected inside a paint, what belonged to a view would end the process."""
    of_plots = (pe.plot(name, pe.Session(encoding="rope")).panels for name in ("slopes", "flow", "hands"))
    shown = (
        a_map(np.eye(3)),
        lines(),
        bars(),
        links(),
        clocks(),
        Note("", "Nothing to show."),
        *itertools.chain(*of_plots),
    )
    assert {*map(type, shown), Table} == {*get_args(Panel)}
    view, gone = FigureView(LIGHT), list[weakref.ref]()
    gc.collect()
    garbage_timer.stop()
    try:
        for panel in shown:
            view.show_figure(figure_of(panel, links(title="another")), Change())
            assert all(one() is None for one in gone), panel
            picture(view)
            view.show_pointer(panel.pointer(0, 0))
            gone = [weakref.ref(one) for one in view.colour_bars()]
            gone += [weakref.ref(one) for seen in view.panel_views() for one in (seen, seen.vb, seen.drawing())]
        gone.append(weakref.ref(view))
        del view
        assert all(one() is None for one in gone)
    finally:
        garbage_timer.start()
