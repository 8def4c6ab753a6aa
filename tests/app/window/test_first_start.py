"""What a first start offers: Play beside the headline, and a line under the words until a word was moved."""

from __future__ import annotations

import pytest
from hands import LEFT, open_file
from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QPushButton

import posenc_gui as pe
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.app.widgets.menu_button import Unfolding
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.window import first_start
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.runs import quote_runs
from posenc_gui.labs.definition import lab_library
from posenc_gui.plots import own_picture
from posenc_gui.session.first_session import first_session


def play_button(window) -> QPushButton:
    return window.findChild(QPushButton, "demonstrate")


def offers_a_move(window) -> bool:
    hint = window.workbench.tokens.hint
    return hint.is_shown and hint.isVisible()


@pytest.fixture
def unhesitating(monkeypatch) -> None:
    """The hint is shown as soon as nothing is done."""
    monkeypatch.setattr(first_start, "HESITATES", 0)


@pytest.mark.slow
def test_play_shows_another_order_and_less_position_and_leaves_session_history_and_room(
    open_window, qtbot, settle
) -> None:
    window = open_window(first_start=True)
    store = window.workbench.store
    began, history = store.session, store.history
    seen, rooms = [], set()
    store.changed.connect(seen.append)
    window.workbench.told.connect(lambda *_: rooms.add(window.cards["plot.attention"].geometry().getRect()))
    assert not offers_a_move(window)
    stands = window.cards["encoding"].pos()
    QTest.mouseClick(play_button(window), LEFT)
    assert store.session.order
    qtbot.waitUntil(lambda: len(seen) > 5 and store.session == began and store.history == history)
    settle(window)
    assert {session.strength for session in seen} > {0.0, 1.0}
    assert store.undo_name == store.redo_name == ""
    assert rooms == {window.cards["plot.attention"].geometry().getRect()}
    assert offers_a_move(window)
    assert window.cards["encoding"].pos() == stands


def test_a_key_ends_it_and_then_takes_effect_on_what_stood_before(window, settle) -> None:
    store, chips = window.workbench.store, window.workbench.tokens.chips
    began = store.session
    chips.setFocus()
    QTest.mouseClick(play_button(window), LEFT)
    assert store.session.order
    QTest.keyClick(chips, Qt.Key.Key_Right)
    settle(window)
    assert store.session == began.changed(focus=began.focus + 1)
    assert len(store.history) == 2


def test_the_first_word_that_is_moved_ends_the_offers_for_good(unhesitating, open_window, qtbot, settle) -> None:
    window = open_window(first_start=True)
    assert play_button(window).isVisible()
    qtbot.waitUntil(lambda: offers_a_move(window))
    chips = window.workbench.tokens.chips

    def places() -> list[object]:
        return [window.cards[name].geometry().getRect() for name in ("encoding", "plot.attention")]

    stand = places()
    word, place = chips.offered_move
    up = QPoint(0, 10)
    QTest.mousePress(chips.viewport(), LEFT, pos=word - up)
    QTest.mouseMove(chips.viewport(), place - up)  # a quick hand is seen nowhere between
    QTest.mouseRelease(chips.viewport(), LEFT, pos=place - up)
    settle(window)
    assert window.workbench.store.session.tokens == ("the", "sat", "on", "the", "mat", "cat")
    assert places() == stand
    assert (play_button(window).isVisible(), play_button(window).text()) == (True, "")
    assert not offers_a_move(window)
    window.findChild(QAbstractButton, "unfold").click()
    settle(window)
    assert not window.workbench.tokens.hint.isVisible()
    window.close()
    again = open_window()
    assert (play_button(again).isVisible(), play_button(again).text()) == (True, "")
    assert not offers_a_move(again)


def test_a_headline_that_tells_of_no_difference_offers_the_change_that_shows_it(window, settle) -> None:
    store = window.workbench.store
    offered = window.findChild(QPushButton, "offered")
    assert not offered.isVisible()
    store.propose(encoding="alibi", model=store.session.model.model_copy(update={"n_heads": 1}))
    settle(window)
    assert (offered.isVisible(), offered.text()) == (True, "First slope of eight")
    QTest.mouseClick(offered, LEFT)
    settle(window)
    assert (store.session.encoding.bias_max, store.session.model.n_heads) == (1, 1)
    assert offered.text() == "Focus on “mat”"
    QTest.mouseClick(offered, LEFT)
    settle(window)
    assert store.session.focus == 5
    assert not offered.isVisible()


def questions(window) -> dict[str, QAbstractButton]:
    return window.findChild(Questions, "questions").rows


FIRST = {"attention", "waves", own_picture(first_session().scene)}


def in_view(window) -> set[str]:
    return {
        name.removeprefix("plot.") for name, card in window.cards.items() if name.startswith("plot.") and card.in_view
    }


@pytest.mark.parametrize(
    ("question", "shown"), [("flow", {"flow"}), ("requirements", {"requirements"}), ("compare", {"attention"})]
)
def test_a_first_start_shows_attention_waves_and_angles_and_a_question_shows_what_answers_it(
    open_window, qtbot, settle, question, shown
) -> None:
    window = open_window(first_start=True)
    assert in_view(window) == FIRST
    answers = "the way, step by step", "5 of 6 met", "beside RoPE", "11 labs"
    qtbot.waitUntil(lambda: all(row.accessibleName().endswith(answers) for row in questions(window).values()))
    tile = questions(window)[question]
    tile.setFocus()
    QTest.keyClick(tile, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: in_view(window) >= shown)
    settle(window)
    name, figure = window.workbench.in_front
    assert name in shown
    assert window.centralWidget().sentence == quote_runs(figure.headline)
    assert not tile.isVisible()
    assert window.workbench.store.session.other is not None or question != "compare"


@pytest.mark.parametrize("question", ["flow", "compare"])
def test_escape_leads_back_from_an_answer_to_its_question_and_a_button_does(
    open_window, qtbot, settle, question
) -> None:
    window = open_window(first_start=True)
    tile, back = questions(window)[question], window.findChild(QPushButton, "backToQuestions")
    assert not back.isVisible()
    session = window.workbench.store.session

    def ask() -> None:
        tile.setFocus()
        QTest.keyClick(tile, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not tile.isVisible() and back.isVisible())
        settle(window)

    def is_asked() -> bool:
        return tile.isVisible() and window.focusWidget() is tile and in_view(window) == FIRST

    ask()
    for _ in range(2 if question == "flow" else 1):  # the plot that has all the room gives it back first
        assert not is_asked()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        settle(window)
    assert is_asked()
    assert window.workbench.store.session == session
    assert not back.isVisible()
    ask()
    QTest.mouseClick(back, LEFT)
    settle(window)
    assert is_asked()
    ask()
    window.findChild(QAction, "go.lab").trigger()  # elsewhere, Escape leads nowhere
    settle(window)
    assert not back.isVisible()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.cards["lab"].isVisible()


def test_after_anything_but_play_escape_leads_to_no_question(open_window, qtbot) -> None:
    window = open_window(first_start=True)
    tile, back = questions(window)["requirements"], window.findChild(QPushButton, "backToQuestions")

    def ask() -> None:
        QTest.mouseClick(tile, LEFT)
        qtbot.waitUntil(back.isVisible)

    def assert_forgotten() -> None:
        assert not back.isVisible()
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert not tile.isVisible()

    ask()
    QTest.mouseClick(play_button(window), LEFT)
    assert window.workbench.store.session.order
    QTest.keyClick(window, Qt.Key.Key_Shift)  # ends it, and all is as it was
    assert not window.workbench.store.session.order
    assert back.isVisible()
    window.findChild(QAction, "card.plot.row").trigger()
    assert_forgotten()
    window.findChild(QAction, "first_start").trigger()
    ask()
    window.workbench.store.propose(focus=1)
    assert_forgotten()


def test_while_it_loads_a_first_start_has_the_layout_that_comes(qapp, qtbot, tmp_path) -> None:
    seen = []
    window = MainWindow(Memory(tmp_path / "memory"))
    qtbot.addWidget(window)

    def look() -> None:
        card = window.cards.get("plot.attention")
        if card and card.isVisible() and window.updatesEnabled():
            seen.append((in_view(window), card.geometry().getRect()))

    looking = QTimer()
    looking.timeout.connect(look)
    looking.start(0)
    with qtbot.waitSignal(window.ready):
        window.show()
    qtbot.waitUntil(lambda: seen and not window.busy)
    looking.stop()
    assert {frozenset(shown) for shown, _ in seen} == {frozenset(FIRST)}
    assert {place for _, place in seen} == {seen[-1][1]}
    window.close()


@pytest.mark.slow
def test_a_small_window_stays_small_while_it_loads(qapp, qtbot, tmp_path) -> None:
    window = MainWindow(Memory(tmp_path / "memory"))
    qtbot.addWidget(window)
    window.resize(960, 540)
    with qtbot.waitSignal(window.ready):
        window.show()
    assert (window.width(), window.height()) == (960, 540)
    window.close()


def test_the_questions_stay_in_any_window_and_the_plots_fit_it(open_window, settle) -> None:
    window = open_window(first_start=True)
    for size, shown in (
        (QSize(960, 540), {"attention"}),
        (QSize(1000, 700), FIRST - {"waves"}),
        (QSize(1440, 900), FIRST),
    ):
        window.resize(size)
        settle(window)
        assert window.size() == size
        assert questions(window)["flow"].isVisible()
        assert in_view(window) == shown


def test_a_returning_user_finds_the_window_as_it_was_left_and_help_brings_the_first_start_back(
    unhesitating, open_window, qtbot, settle
) -> None:
    window = open_window(first_start=True)
    QTest.mouseClick(questions(window)["flow"], LEFT)
    qtbot.waitUntil(lambda: in_view(window) == {"flow"})  # which takes all the room
    window.close()
    again = open_window()
    qtbot.waitUntil(lambda: in_view(again) == {"flow"})
    assert not questions(again)["flow"].isVisible()
    again.findChild(QAction, "first_start").trigger()
    settle(again)
    assert in_view(again) == FIRST
    assert questions(again)["flow"].isVisible()
    assert play_button(again).isVisible()
    qtbot.waitUntil(lambda: offers_a_move(again))


def test_the_questions_give_way_to_a_lab_and_to_the_user_s_own_layout(open_window, settle) -> None:
    window = open_window(first_start=True)
    window.findChild(QAction, "go.lab").trigger()
    settle(window)
    assert not questions(window)["flow"].isVisible()
    window.findChild(QAction, "go.explore").trigger()
    settle(window)
    assert in_view(window) == FIRST
    assert not questions(window)["flow"].isVisible()


def test_of_an_encoding_s_parameters_those_at_their_defaults_are_folded_from_the_beginning(window) -> None:
    form = window.workbench.encoding.form()

    def seen() -> list[str]:
        return [name for name in form.names() if form.editor(name).isVisible()]

    assert seen() == ["base"]
    (unfolding,) = form.findChildren(Unfolding)
    QTest.mouseClick(unfolding, LEFT)
    assert seen() == ["base", "layout", "spacing"]


def test_a_first_start_has_the_encoding_in_brief_until_it_is_unfolded_or_left(open_window, settle) -> None:
    window = open_window(first_start=True)
    encoding = window.workbench.encoding
    rows = {row.accessibleName().partition(":")[0]: row for row in window.cards["encoding"].findChildren(LinkRow)}
    told = encoding.form(), encoding.strength, encoding.verdicts, rows["Code"], rows["Labs"]
    line = encoding.findChild(Unfolding, "unfold")
    assert line.text() == "Formula, base, where it comes in"
    assert not any(one.isVisible() for one in told)
    QTest.mouseClick(line, LEFT)
    assert all(one.isVisible() for one in told)
    assert not line.isVisible()
    window.findChild(QAction, "first_start").trigger()
    assert not any(one.isVisible() for one in told)
    QTest.mouseClick(questions(window)["compare"], LEFT)
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    assert all(one.isVisible() for one in told)
    window.workbench.store.propose(encoding="deberta")
    settle(window)
    assert line.text() == "Formula, span K, where it comes in"


def test_the_last_question_begins_the_first_lab(open_window, settle) -> None:
    window = open_window(first_start=True)
    QTest.mouseClick(questions(window)["labs"], LEFT)
    settle(window)
    assert window.labs.desk.play.lab.name == lab_library.labs()[0].name
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    assert not questions(window)["labs"].isVisible()


@pytest.mark.slow
def test_the_questions_are_answered_of_the_user_s_own_encoding(open_window, qtbot) -> None:
    window = open_window(first_start=True)
    rows = questions(window)
    window.workbench.store.propose(encoding="integer")
    assert rows["requirements"].accessibleName() == "Is it a good encoding?"  # until it is judged
    met = [row.verdict for row in pe.measure("requirements", window.workbench.store.session).values()].count("met")
    qtbot.waitUntil(lambda: rows["requirements"].accessibleName().endswith(f"? {met} of 6 met"))
    window.workbench.store.propose(encoding="rope")
    assert rows["compare"].accessibleName() == "Which is better? beside Sinusoidal"


@pytest.mark.slow
def test_the_questions_give_way_to_the_plots_of_a_model_that_is_opened(
    checkpoint_folder, open_window, qtbot, settle
) -> None:
    window = open_window(first_start=True)
    assert questions(window)["flow"].isVisible()
    open_file(window, checkpoint_folder("bert"))
    settle(window)
    tile, back = questions(window)["flow"], window.findChild(QPushButton, "backToQuestions")
    assert not tile.isVisible()
    assert {"attention", "surgery"} <= in_view(window)
    assert not window.findChild(QAction, "first_start").isEnabled()
    store, size = window.workbench.store, window.size()
    store.undo()
    window.findChild(QAction, "first_start").trigger()
    window.resize(960, 540)
    settle(window)
    store.redo()
    window.resize(size)
    settle(window)
    assert not tile.isVisible()  # nor do they come back, with room for them
    store.undo()
    window.findChild(QAction, "first_start").trigger()
    QTest.mouseClick(tile, LEFT)
    qtbot.waitUntil(back.isVisible)
    store.redo()
    settle(window)
    assert not back.isVisible()
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_Escape)
        settle(window)
    assert not tile.isVisible()
