"""Present in real windows: stepped through by the keyboard alone, played and clicked, and nothing of it is left behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hands import LEFT, action, banner, words_seen
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QScrollArea, QToolButton

import posenc_gui as pe
from posenc_gui.app.talk.bookmark_rows import BookmarkRows
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.talk.footer import Footer
from posenc_gui.app.talk.presenter import Presenter
from posenc_gui.app.talk.presenter_page import Curtain
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.runs import quote_runs
from posenc_gui.labs.definition import lab_library
from posenc_gui.render.layout.set_table import SetTable
from posenc_gui.render.screen import StillTable
from posenc_gui.render.screen.tooltip import Hint
from posenc_gui.session.bookmarks import Bookmark

pytestmark = pytest.mark.one_window

CONTROL = Qt.KeyboardModifier.ControlModifier
KEY = Qt.Key
NAMES = ("none", "sinusoidal", "rope", "alibi", "t5", "shaw")
TALK = tuple(
    Bookmark(name=f"the {name} one", note=f"note on {name}", plot="attention", session=pe.Session(encoding=name))
    for name in NAMES
)


@pytest.fixture
def present(window, qtbot) -> Callable[..., Presenter]:
    """Press F11, with these bookmarks, and wait for the figure."""

    def begun(*bookmarks: Bookmark) -> Presenter:
        window.findChild(Bookmarks).begin(bookmarks)
        action(window, "Present").trigger()
        presenter = window.presenter
        qtbot.waitUntil(presenter.isActiveWindow)
        if bookmarks:
            QTest.keyClick(presenter, KEY.Key_Home)
        shown(qtbot, presenter)
        return presenter

    return begun


def shown(qtbot, presenter: Presenter) -> None:
    """Wait for the figure of what is presented."""
    qtbot.waitUntil(lambda: not presenter.busy)


def presented(presenter: Presenter) -> pe.Session:
    return pe.Session.from_json(presenter.shown.session)


def on_screen_of(presenter: Presenter, width: int, height: int) -> None:
    """Let it fill a screen of this size."""
    presenter.setGeometry(0, 0, width, height)
    QApplication.processEvents()


def state_of(window: MainWindow) -> object:
    """All that must be as it was when it ends."""
    store = window.workbench.store
    cards = {name: (card.geometry(), card.in_view) for name, card in window.cards.items()}
    return store.session, store.history, store.at, window.windowTitle(), window.geometry(), cards


def click(presenter: Presenter, x: float, y: float) -> None:
    """Click a point of the first map, through the magnified page, once all of it has its place."""
    QApplication.processEvents()
    view = presenter.figure
    view.panel_views()[0].prepare()  # puts the box where the values are
    box = view.panel_views()[0].vb
    graphics = box.scene().views()[0]
    on_page = graphics.mapTo(view.window(), graphics.mapFromScene(box.mapViewToScene(QPointF(x, y))))
    place = presenter.mapFromScene(QPointF(on_page))
    QTest.mouseMove(presenter.windowHandle(), place)
    QTest.mouseClick(presenter.viewport(), LEFT, pos=place)


@pytest.mark.slow
def test_six_bookmarks_are_made_and_stepped_through_by_the_keyboard_alone(window, user, settle, qtbot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    text = window.workbench.tokens.text_edit
    text.setFocus()
    for at in range(6):
        QTest.keyClicks(text, f" {at}")
        settle(window)
        QTest.keyClick(window, KEY.Key_D, CONTROL)
        field = window.focusWidget()
        QTest.keyClicks(field, f"number {at + 1}")
        QTest.keyClick(field, KEY.Key_Return)
    made = window.findChild(Bookmarks).all
    assert [one.name for one in made] == [f"number {at + 1}" for at in range(6)]
    before = state_of(window)
    QTest.keyClick(window, KEY.Key_F11)
    presenter = window.presenter
    qtbot.waitUntil(presenter.isActiveWindow)
    assert presenter.isFullScreen()
    assert presenter.at == 0  # the first, whatever was at hand
    keys = (KEY.Key_Right, KEY.Key_Down, KEY.Key_PageDown, KEY.Key_Space, KEY.Key_Right)
    for at, key in enumerate((*keys, None)):
        shown(qtbot, presenter)
        assert presenter.at == at
        assert presented(presenter) == made[at].session
        assert f"number {at + 1}" in presenter.words()
        assert presenter.words().endswith(f"toy model, seeded weights · {at + 1} / 6")
        if key:
            QTest.keyClick(presenter, key)
    for key in (KEY.Key_Right, KEY.Key_PageUp, KEY.Key_Left, KEY.Key_Up):  # the first one leads nowhere
        QTest.keyClick(presenter, key)
    assert presenter.at == 2
    QTest.keyClick(presenter, KEY.Key_Escape)
    assert not presenter.isVisible()
    assert state_of(window) == before
    qtbot.waitUntil(window.isActiveWindow)


def test_on_one_screen_a_note_is_seen_only_where_it_is_asked_for_and_a_bookmark_is_made_on_the_way(
    window, present, qtbot
) -> None:
    presenter = present(*TALK)
    speaker = presenter.speaker
    QTest.keyClick(presenter, KEY.Key_N)
    QTest.keyClick(presenter, KEY.Key_Right)
    shown(qtbot, presenter)
    assert "note on" not in presenter.words()
    assert not any("note on" in one.text() for one in presenter.figure.window().findChildren(QLabel))
    assert not speaker.isVisible()
    QTest.keyClick(presenter, KEY.Key_S)
    qtbot.waitUntil(speaker.isActiveWindow)
    note = speaker.findChild(QPlainTextEdit)
    assert note.toPlainText() == "note on sinusoidal"
    qtbot.waitUntil(lambda: speaker.coming.figure is not None and speaker.coming.isVisible())
    assert pe.Session.from_json(speaker.coming.figure.session) == TALK[2].session
    QTest.keyClick(speaker, KEY.Key_Right)
    assert {"3", "/ 6", "5  the t5 one", "6  the shaw one"} <= {*words_seen(speaker)}
    assert note.toPlainText() == "note on rope"
    QTest.keyClick(speaker, KEY.Key_Left)
    QTest.keyClick(speaker, KEY.Key_S)
    assert not speaker.isVisible()
    qtbot.waitUntil(presenter.isActiveWindow)
    shown(qtbot, presenter)
    click(presenter, 0, 4)
    qtbot.waitUntil(lambda: presented(presenter).focus == 4)
    QTest.keyClick(presenter, KEY.Key_D, CONTROL)
    marks = window.findChild(Bookmarks).all
    changed = TALK[1].session.changed(focus=4, key=0)
    sessions = [one.session for one in TALK]
    assert [one.session for one in marks] == [*sessions[:2], changed, *sessions[2:]]
    assert presenter.at == 2
    assert presenter.words().endswith("Bookmark added\ntoy model, seeded weights · 3 / 7")
    QTest.keyClick(presenter, KEY.Key_Escape)
    assert window.workbench.store.session == pe.Session()
    assert len(window.workbench.store.history) == 1


@pytest.mark.parametrize(
    ("key", "colour"),
    [(KEY.Key_B, "#000000"), (KEY.Key_Period, "#000000"), (KEY.Key_W, "#ffffff"), (KEY.Key_Comma, "#ffffff")],
)
def test_a_key_blanks_the_screen_and_the_next_one_only_brings_it_back(present, key: Qt.Key, colour: str) -> None:
    presenter = present(*TALK)
    QTest.keyClick(presenter, key)
    image = presenter.grab().toImage()
    assert {
        image.pixelColor(x, y).name() for x in range(0, image.width(), 40) for y in range(0, image.height(), 40)
    } == {colour}
    QTest.keyClick(presenter, KEY.Key_Right)
    assert presenter.at == 0
    assert not presenter.findChild(Curtain).isVisible()
    QTest.keyClick(presenter, KEY.Key_Right)
    assert presenter.at == 1


@pytest.mark.parametrize("key", [KEY.Key_N, KEY.Key_Right, KEY.Key_Q])
def test_with_ctrl_the_same_keys_do_nothing(present, key: Qt.Key) -> None:
    presenter = present(*TALK)
    said = presenter.words()
    QTest.keyClick(presenter, key, CONTROL)
    assert not presenter.findChild(Curtain).isVisible()
    assert (presenter.at, presenter.words()) == (0, said)


def test_ctrl_w_ends_present_alone_and_ctrl_b_also_lists_the_bookmarks(window, present, qtbot) -> None:
    presenter = present(*TALK)
    presenter.go(3)
    QTest.keyClick(presenter, KEY.Key_W, CONTROL)
    assert not presenter.isVisible()
    assert window.isVisible()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, KEY.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(presenter.isActiveWindow)
    QTest.keyClick(presenter, KEY.Key_B, CONTROL)
    assert not presenter.isVisible()
    rows = window.findChild(BookmarkRows)
    assert rows.isVisible()
    assert rows.currentRow() == 3


def test_it_goes_on_where_it_was_left(window, present, qtbot) -> None:
    presenter = present(*TALK)
    presenter.go(2)
    QTest.keyClick(presenter, KEY.Key_Escape)
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, KEY.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    assert presenter.at == 2
    QTest.keyClick(presenter, KEY.Key_Escape)
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, KEY.Key_F5)
    assert presenter.at == 0


def test_the_footer_stays_where_it_is_and_has_a_title(present, qtbot) -> None:
    session = pe.Session(encoding="rope")
    sentence = quote_runs(pe.plot("attention", session).headline)
    presenter = present(
        Bookmark(name="Two of a kind", note="Which one?", plot="attention", session=session),
        Bookmark(plot="waves", session=session),
        Bookmark(name=sentence, plot="attention", session=session),
        Bookmark(name="x" * 200, note="so much to say " * 50, plot="requirements", session=session),
    )
    footer = presenter.figure.window().findChild(Footer)
    on_screen_of(presenter, 1440, 900)
    place = footer.geometry()
    assert presenter.mapFromScene(footer.mapTo(footer.window(), QPoint(0, 0))).y() == 900 - 84
    titles = []
    for _ in range(4):
        shown(qtbot, presenter)
        assert footer.geometry() == place
        titles.append(footer.words()[0])
        presenter.go(min(presenter.at + 1, 3))
    assert titles == ["Two of a kind", "Waves: RoPE", "Attention: RoPE", "x" * 200]


def test_the_difference_stands_beside_a_and_b_or_comes_by_the_next_press(present, qtbot) -> None:
    compared = pe.Session(encoding="rope", other="alibi")
    presenter = present(*(Bookmark(plot="attention", session=compared) for _ in range(2)))
    on_screen_of(presenter, 1280, 720)
    shown(qtbot, presenter)
    titles = [view.shown.title for view in presenter.figure.panel_views()]
    assert titles == ["A: RoPE", "B: ALiBi", "B − A"]
    assert not any(bar.placed.upright for bar in presenter.figure.colour_bars())
    on_screen_of(presenter, 960, 720)
    assert "part 1 of 2" in presenter.words()
    assert len(presenter.figure.panel_views()) == 2
    QTest.keyClick(presenter, KEY.Key_PageDown)
    assert presenter.at == 0
    assert [view.shown.title for view in presenter.figure.panel_views()] == ["B − A"]
    QTest.keyClick(presenter, KEY.Key_PageDown)
    shown(qtbot, presenter)
    assert (presenter.at, len(presenter.figure.panel_views())) == (1, 2)
    QTest.keyClick(presenter, KEY.Key_PageUp)  # back to where one came from
    shown(qtbot, presenter)
    assert (presenter.at, len(presenter.figure.panel_views())) == (0, 1)


def test_all_of_a_table_is_seen_without_scrolling(present) -> None:
    compared = pe.Session(encoding="rope", other="alibi")
    presenter = present(Bookmark(plot="requirements", session=compared))
    on_screen_of(presenter, 960, 540)
    seen, parts = presenter.figure.window().findChild(StillTable), list[SetTable]()
    for _ in range(20):
        if seen.isVisible() and seen.part not in parts:
            parts.append(seen.part)
        QTest.keyClick(presenter, KEY.Key_PageDown)
    (table,) = presenter.shown.panels
    cells = {(row, column) for part in parts for row in part.rows for column in part.columns}
    assert cells == {(row, column) for row in range(len(table.rows)) for column in range(len(table.header))}
    for part in parts:
        assert part.width <= seen.width()
        assert part.title_height + part.height <= seen.height()


def test_a_bookmark_that_cannot_be_split_says_so_and_the_talk_goes_on(present, qtbot, tmp_path) -> None:
    broken = pe.Session(tokenizer=str(tmp_path / "gone.json"), encoding="rope")
    presenter = present(Bookmark(name="broken", plot="attention", session=broken), TALK[1])
    assert "gone.json" in presenter.shown.description
    assert presenter.words().splitlines()[1] == "broken"
    QTest.keyClick(presenter, KEY.Key_Right)
    shown(qtbot, presenter)
    assert presented(presenter) == TALK[1].session


def test_a_question_mark_lists_the_keys_until_a_click(present) -> None:
    presenter = present(*TALK)
    QTest.keyClick(presenter, KEY.Key_Question)
    curtain = presenter.findChild(Curtain)
    assert curtain.size() == presenter.size()
    assert "W  ,: a white screen" in curtain.accessibleName()
    QTest.mouseClick(curtain, LEFT)
    assert not curtain.isVisible()
    assert presenter.isVisible()


@pytest.mark.slow
def test_nothing_of_it_scrolls_and_a_hint_goes_by_itself(present, qtbot) -> None:
    presenter = present(Bookmark(name="low", plot="shift", session=pe.Session(encoding="rope", other="alibi")))
    figure = presenter.figure
    assert figure.findChild(QScrollArea).verticalScrollBar().maximum() == 0
    hint = figure.findChild(Hint)
    hint.say("0.21", QPoint(50, 50))
    assert hint.isVisible()
    qtbot.waitUntil(lambda: not hint.isVisible())


def test_a_click_and_undo_work_in_it_and_the_next_key_steps_on(window, present, qtbot) -> None:
    presenter = present(*TALK)
    before = state_of(window)
    click(presenter, 1, 3)
    qtbot.waitUntil(lambda: (presented(presenter).focus, presented(presenter).key) == (3, 1))
    QTest.keyClick(presenter, KEY.Key_Z, CONTROL)
    qtbot.waitUntil(lambda: presented(presenter) == TALK[0].session)
    QTest.keyClick(presenter, KEY.Key_Right)
    assert presenter.at == 1
    QTest.keyClick(presenter, KEY.Key_F11)
    assert not presenter.isVisible()
    assert state_of(window) == before


@pytest.mark.slow
def test_by_tab_the_figure_has_the_arrow_keys_until_escape(window, present, qtbot) -> None:
    presenter = present(*TALK)
    for _ in range(12):
        QTest.keyClick(presenter, KEY.Key_Tab)
        if presenter.figure.hasFocus():
            break
    assert presenter.figure.hasFocus()
    for key in (KEY.Key_Down, KEY.Key_Down, KEY.Key_Return):
        QTest.keyClick(presenter, key)
    qtbot.waitUntil(lambda: presented(presenter).focus not in (None, pe.Session().focus))
    assert presenter.at == 0
    QTest.keyClick(presenter, KEY.Key_PageDown)  # a presenter's key steps on all the same
    assert presenter.at == 1
    QTest.keyClick(presenter, KEY.Key_Escape)
    assert presenter.isVisible()
    QTest.keyClick(presenter, KEY.Key_Escape)
    assert not presenter.isVisible()


def test_without_bookmarks_the_session_at_hand_is_presented_and_dials_are_played(
    window, present, qtbot, settle
) -> None:
    window.cards["plot.clocks"].bring()
    settle(window)
    window.workbench.plots["clocks"].view.setFocus()
    presenter = present()
    assert presenter.at is None
    assert presenter.figure.figure().name == "clocks"
    assert " of " not in presenter.words().splitlines()[-1]
    QTest.mouseMove(presenter.windowHandle(), QPoint(200, 200))
    play = next(
        one for one in presenter.figure.window().findChildren(QToolButton) if one.accessibleName().startswith("Play")
    )
    assert play.isVisible()
    play.click()
    qtbot.waitUntil(lambda: presented(presenter).plots.clocks.position is not None)
    QTest.keyClick(presenter, KEY.Key_Escape)
    settle(window)
    assert not play.isChecked()
    store = window.workbench.store
    assert store.session.plots.clocks.position is not None
    assert store.undo_name == "Changed while presenting"
    store.undo()
    assert store.session == pe.Session()


def test_its_maps_have_the_room_and_say_that_the_model_is_a_toy_also_where_two_are_compared(present, qtbot) -> None:
    compared = pe.Session(encoding="rope", other="alibi")
    presenter = present(*(Bookmark(plot="attention", session=session) for session in (pe.Session(), compared)))
    for at in range(2):
        shown(qtbot, presenter)
        assert all(isinstance(panel, Heatmap) for panel in presenter.figure.figure().panels)
        assert presenter.words().endswith(f"toy model, seeded weights · {at + 1} / 2")
        QTest.keyClick(presenter, KEY.Key_Right)


def test_what_is_compared_is_named_also_by_plots_whose_panels_do_not(present) -> None:
    compared = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0))
    assert "A: base 10,000 · B: base 500,000" in present(Bookmark(plot="waves", session=compared)).words()


@pytest.mark.slow
def test_what_is_hard_to_show_is_shown_or_told(window, present, qtbot) -> None:
    presenter = present(
        Bookmark(name="ا" * 200, note="ط " * 1000, session=pe.Session(text="القط " * 12, encoding="rope")),
        Bookmark(name="x" * 200, note="<b>no HTML</b>", plot="clocks", session=pe.Session(encoding="alibi")),
        Bookmark(plot="waves", session=pe.Session(text="a" * 3000)),
        Bookmark(plot="attention", session=pe.Session(text="")),
    )
    for at in range(4):
        shown(qtbot, presenter)
        assert presented(presenter) == window.findChild(Bookmarks).all[at].session
        assert presenter.figure.height() > 100
        QTest.keyClick(presenter, KEY.Key_Right)
    assert "no name" not in presenter.words()


def test_a_lab_s_step_is_not_presented(window, present, qtbot) -> None:
    window.labs.desk.begin(lab_library.labs()[0])
    action(window, "Present").trigger()
    assert not window.presenter.isVisible()
    assert banner(window).startswith("Present is off during a lab step")


@pytest.mark.own_window
@pytest.mark.slow
def test_the_window_closes_with_it(window, present) -> None:
    presenter = present(*TALK)
    window.close()
    assert not presenter.isVisible()


@pytest.mark.slow
def test_of_a_long_text_what_is_zoomed_to_comes_token_by_token(present, window, user, qtbot) -> None:
    window.workbench.store.propose(fill="repeat", fill_to=600)
    user.settle(window)
    presenter = present()
    view = presenter.figure
    assert "a block of" in view.figure().caption
    view.viewport.approach_token(300)
    qtbot.waitUntil(lambda: "queries 28" in view.figure().caption)
    part = view.figure().panels[-1].part
    assert part.height == part.width == 1
    assert 300 in part.rows


@pytest.mark.slow
def test_a_flow_is_walked_through_before_the_next_bookmark(present, qtbot) -> None:
    first = pe.Session()
    first = first.model_copy(update={"plots": type(first.plots)(flow={"step": 7})})
    presenter = present(Bookmark(name="flow", plot="flow", session=first), TALK[2])
    seen = []
    for key in (*[KEY.Key_PageDown] * 3, *[KEY.Key_PageUp] * 3):
        QTest.keyClick(presenter, key)
        shown(qtbot, presenter)
        seen.append((presenter.at, presented(presenter).plots.flow.step))
    assert seen == [(0, 8), (0, None), (1, None), (0, 7), (0, 6), (0, 5)]
