"""A lab written beside the window, by its own controls: what is asked, done and then said stands in the file, and plays."""

from __future__ import annotations

from pathlib import Path

import pytest
from example import LAB
from hands import User, action
from lab_hands import Learner, plain, press
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLabel, QTabBar
from step_hands import Writer, entry_with, turn_to

import posenc_gui as pe
from posenc_gui.app.labs.authoring.prediction_form import PredictionForm
from posenc_gui.app.labs.authoring.step_parts import Conditions, StepList
from posenc_gui.app.labs.authoring.step_writer import StepWriter
from posenc_gui.app.state.settings import Memory
from posenc_gui.labs.authoring import check
from posenc_gui.labs.authoring.measurable import Condition, Measurable
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.expressions import Expression, condition, format_answer
from posenc_gui.render.thumbnail import HEIGHT, WIDTH, draw_thumbnail


def missing(dialog: StepWriter) -> str:
    """What the dialog says is not written yet; empty once the step can be written."""
    told = [label.text() for label in dialog.findChildren(QLabel, "missing") if label.isVisible()]
    return told[0] if told else ""


def tries(dialog: StepWriter) -> list[str]:
    """What the dialog says while a step is tried."""
    told = [label.text() for label in dialog.findChildren(QLabel, "muted") if label.isVisibleTo(dialog)]
    return [words for words in told if words.startswith("Checking")]


@pytest.fixture
def writer(learner, user, qtbot, tmp_path, monkeypatch) -> Writer:
    """Who begins without an encoding, and names a file when asked."""
    path = tmp_path / "mine.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    learner.changes(encoding="none")
    user.settle(learner.window)
    return Writer(learner.window, user, qtbot, path)


@pytest.mark.slow
def test_a_step_is_written_by_doing_it_and_is_then_played(writer: Writer, user: User, qtbot: object) -> None:
    dialog, begun = writer.dialog, writer.window.workbench.store.session
    user.types(dialog.lab, "Twins")
    user.types(dialog.title, "Two equal words")
    user.types(dialog.text, "What becomes of their rows?")
    writer.shows("sinusoidal")
    done = writer.window.workbench.store.session
    writer.chooses(dialog.goals.more, "is larger than before")
    user.types(dialog.act, "Choose Sinusoidal.")
    writer.chooses(dialog.asking.kind, "One of several")
    user.types(dialog.asking.asks, "With positions they")
    writer.chooses(dialog.asking.value, "Twins: 0 →")
    assert entry_with(dialog.asking.rows[0].when, "● is larger than before") is not None
    writer.answers(("grow apart.", "larger"), ("stay equal.", "as before"), ("change places.", ""))
    user.types(dialog.explain, "They are apart by ")
    writer.chooses(dialog.number, "Twins: 0 →")
    writer.writes(dialog.play)
    assert dialog.isHidden()
    lab = writer.lab()
    assert check.check(lab) == []
    (step,) = lab.steps
    assert (lab.title, step.title, step.text) == ("Twins", "Two equal words", "What becomes of their rows?")
    assert step.begun(begun) == begun
    assert step.solved(begun) == done
    encoding, held, larger = (condition.text for condition in step.goal)
    assert encoding == 'session.encoding.name == "sinusoidal"'
    assert held.startswith("[session.encoding.base, ")
    assert "> before." in larger
    assert step.explain == "They are apart by {{twins.value}}"
    assert step.panels == ("encoding",)
    learner = Learner(writer.window, user, qtbot)
    assert learner.play.lab == lab
    learner.passes("b")
    assert learner.play.done.outcome.answer == "a"


@pytest.mark.slow
def test_no_step_is_written_before_it_says_why_on_a_small_screen(writer: Writer, user: User, qtbot) -> None:
    user.chooses_encoding(writer.window, "sinusoidal")
    user.types(writer.dialog.title, "What do you see?")
    dialog = writer.dialog
    qtbot.waitUntil(lambda: missing(dialog) == "Write what is then said: why it is so.")
    assert not dialog.play.isEnabled()
    pages = [dialog.findChild(QTabBar).tabToolTip(page) for page in range(3)]
    assert pages == ["ready", "nothing to do", "not written yet"]
    for words in ("Go on to Do", "Go on to Tell"):
        assert dialog.go_on.text() == words
        press(dialog.go_on)
    assert dialog.explain.isVisible()
    assert not dialog.go_on.isVisible()
    assert not writer.path.exists()
    assert dialog.height() <= 704
    writer.writes(writer.dialog.play)
    assert writer.lab().steps[0].explain == "So it is."


@pytest.mark.slow
def test_a_step_without_a_prediction_is_seen_to_be_done_while_it_is_played(writer: Writer, user: User, qtbot) -> None:
    user.types(writer.dialog.title, "Choose another one")
    writer.shows("sinusoidal")
    user.types(writer.dialog.act, "Choose Sinusoidal.")
    writer.writes(writer.dialog.play)
    learner = Learner(writer.window, user, qtbot)
    assert learner.play.phase == "act"
    user.chooses_encoding(writer.window, "sinusoidal")
    learner.waits(lambda: learner.play.phase == "done")


@pytest.mark.slow
def test_step_after_step_goes_to_one_file_until_another_is_wanted(writer: Writer, user: User, memory: Path) -> None:
    user.chooses_encoding(writer.window, "sinusoidal")
    for count in (1, 2):
        user.types(writer.dialog.title, f"Step number {count}")
        writer.chooses(writer.dialog.number, "Weight of sat on cat")
        number = format_answer(float(pe.attend(writer.window.workbench.store.session).probabilities[0, 2, 1]))
        assert f"Here it reads: {number}" in [one.text() for one in writer.dialog.findChildren(QLabel)]
        writer.chooses(writer.dialog.asking.kind, "Free text")
        writer.writes(writer.dialog.next)
        assert [step.title for step in writer.lab().steps] == ["Step number 1", "Step number 2"][:count]
        assert writer.lab().steps[-1].asks == writer.dialog.asking.asks.placeholderText()  # no question is written
        assert writer.dialog.isVisible()
        assert writer.dialog.title.text() == ""
        assert not writer.dialog.lab.isVisible()
    assert str(writer.path) in Memory(memory).settings().recent
    press(writer.dialog.another)
    assert writer.dialog.lab.isVisible()
    writer.path.unlink()
    user.types(writer.dialog.title, "First of another")
    writer.writes(writer.dialog.next)
    assert len(writer.lab().steps) == 1


@pytest.mark.slow
def test_a_written_step_can_be_changed_until_the_next_one_is_begun(writer: Writer, user: User, qtbot) -> None:
    dialog, window = writer.dialog, writer.window
    user.chooses_encoding(window, "sinusoidal")
    user.types(dialog.title, "Good")
    writer.chooses(dialog.asking.kind, "A curve")
    qtbot.waitUntil(lambda: not missing(dialog) or "Write what is then said" in missing(dialog))
    writer.chooses(dialog.asking.kind, "Free text")
    writer.writes(dialog.play)
    assert not dialog.isVisible()
    assert not dialog.holds_unwritten
    assert window.labs.panel.home.rows[writer.lab().name].text() == "Begin"
    action(window, "Make this state a step").trigger()
    assert dialog.title.text() == "Good"
    user.types(dialog.title, "Better")
    assert dialog.holds_unwritten
    writer.writes(dialog.play)
    assert [step.title for step in writer.lab().steps] == ["Better"]
    writer.path.write_text(writer.content().replace("Better", "By hand"))
    action(window, "Make this state a step").trigger()
    user.types(dialog.title, "Best")
    writer.writes(dialog.play)
    assert [step.title for step in writer.lab().steps] == ["By hand", "Best"]  # what was edited there stays
    action(window, "Make this state a step").trigger()
    assert dialog.title.text() == "Best"
    press(dialog.following)
    assert dialog.title.text() == ""
    user.types(dialog.title, "Another")
    writer.writes(dialog.next)
    assert [step.title for step in writer.lab().steps] == ["By hand", "Best", "Another"]


@pytest.mark.slow
def test_steps_are_reordered_and_removed_in_a_list_and_stay_open_to_change(writer: Writer, user: User, qtbot) -> None:
    dialog, window = writer.dialog, writer.window
    user.chooses_encoding(window, "sinusoidal")
    writer.chooses(dialog.asking.kind, "Free text")
    for title in ("One", "Two"):
        user.types(dialog.title, title)
        writer.writes(dialog.next)
    user.types(dialog.title, "Three")
    writer.writes(dialog.play)
    action(window, "Make this state a step").trigger()

    def lists() -> StepList:
        press(dialog.listed)
        qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(StepList)))
        (listed,) = (one for one in window.findChildren(StepList) if one.isVisible())
        assert listed.isModal()
        assert not listed.write.isEnabled()
        return listed

    listed = lists()
    QTest.keyClick(listed.rows, Qt.Key.Key_Delete)
    listed.rows.setCurrentRow(1)
    QTest.keyClick(listed.rows, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [step.title for step in writer.lab().steps] == ["One", "Two", "Three"]  # nothing is written yet
    press(listed.write)
    assert [step.title for step in writer.lab().steps] == ["Three", "Two"]
    user.types(dialog.title, "Changed")
    writer.writes(dialog.play)
    assert [step.title for step in writer.lab().steps] == ["Changed", "Two"]  # where it stands now
    assert window.labs.desk.play.step.title == "Changed"
    action(window, "Make this state a step").trigger()
    listed = lists()
    press(listed.down)
    writer.path.write_text(writer.content().replace("Two", "By hand"))
    press(listed.write)
    assert [step.title for step in writer.lab().steps] == ["Changed", "By hand"]
    assert any("changed meanwhile" in one.text() for one in listed.findChildren(QLabel, "refusal"))


@pytest.mark.slow
def test_a_step_is_added_to_a_lab_that_is_there(writer: Writer, user: User, qtbot, monkeypatch) -> None:
    writer.path.write_text(LAB.replace("minutes = 10", "minutes = 1"), encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(writer.path), ""))
    press(writer.dialog.existing)
    qtbot.waitUntil(lambda: not writer.dialog.lab.isVisible())
    count = len(writer.lab().steps)
    user.chooses_encoding(writer.window, "sinusoidal")
    user.types(writer.dialog.title, "One more")
    writer.chooses(writer.dialog.asking.kind, "Free text")
    writer.writes(writer.dialog.next)
    assert not writer.dialog.refusal()
    assert [step.title for step in writer.lab().steps][count:] == ["One more"]
    listed = writer.window.labs.panel.home.rows[writer.lab().name].accessibleDescription()
    assert listed.endswith(f", {writer.lab().minutes} minutes")
    assert writer.lab().minutes > 1


@pytest.mark.slow
def test_what_can_not_be_written_is_said_and_nothing_is_lost(writer: Writer) -> None:
    writer.dialog.text.setPlainText("# A heading")
    writer.writes(writer.dialog.next)
    assert not writer.path.exists()
    assert "begins a part of the file" in writer.dialog.refusal()
    assert writer.dialog.text.toPlainText() == "# A heading"


@pytest.mark.slow
def test_what_is_missing_is_said_until_the_step_can_be_written(writer: Writer, user: User, qtbot) -> None:
    dialog = writer.dialog

    def lacks(words: str) -> None:
        qtbot.waitUntil(lambda: words in missing(dialog))
        assert not dialog.play.isEnabled()
        assert not dialog.next.isVisible()

    user.types(dialog.explain, "So it is.")
    lacks("Write the step's title, or what leads to the question.")
    user.types(dialog.title, "Which one?")
    qtbot.waitUntil(lambda: not missing(dialog))
    assert dialog.play.property("accent")
    writer.records()
    lacks("Press “")
    writer.records()
    writer.chooses(dialog.asking.kind, "One of several")
    writer.chooses(dialog.asking.value, "Twins:")
    assert [row.text for row in dialog.asking.rows[:3]] == ["It is 0, but for rounding.", "It is not 0.", ""]
    user.types(dialog.asking.rows[1].words, "")
    lacks("Write at least two answers.")
    turn_to(dialog, dialog.explain)
    assert dialog.go_on.text() == "Go back to Ask"
    press(dialog.go_on)
    assert dialog.focusWidget() is dialog.asking.rows[1].words
    assert not dialog.asking.rows[1].words.visibleRegion().isEmpty()  # it has come into sight
    writer.answers(("one", "never"), ("two", "never"))
    lacks("For at least one answer, choose the condition under which it happens.")
    assert entry_with(dialog.asking.rows[0].when, "before") is None  # nothing is done
    writer.answers(("one", "is not 0"))
    lacks("Exactly one answer must be what happens, marked by ●: none is.")
    writer.answers(("one", "● is 0"), ("two", "● is 0"))
    lacks("Exactly one answer must be what happens, marked by ●: answers a and b are.")
    writer.chooses(dialog.asking.kind, "A number")
    user.types(dialog.asking.tolerance, "some")
    lacks("Write how far off a guess may be: a number, such as 0.5.")
    assert not writer.path.exists()


@pytest.mark.slow
def test_what_the_checker_would_refuse_is_said_before_anything_is_written(writer: Writer, user: User, qtbot) -> None:
    dialog = writer.dialog
    user.types(dialog.text, "What do you see?")
    writer.window.cards["plot.linear_shift"].bring()
    user.settle(writer.window)
    writer.writes(dialog.next)
    assert "is empty once the goal is reached" in dialog.refusal()  # without an encoding nothing is shifted
    assert dialog.refusal().endswith("Change what the window shows and try again.")
    user.chooses_encoding(writer.window, "sinusoidal")
    dialog.text.setPlainText("word " * 61)
    qtbot.waitUntil(lambda: missing(dialog) == "The step's text has 61 words: cut it to 60.")
    assert dialog.findChild(QTabBar).tabToolTip(0) == "not written yet"
    user.types(dialog.text, "What do you see?")
    user.types(dialog.explain, "{{twins.valu}} apart.")
    writer.writes(dialog.next)
    assert "valu" in dialog.refusal()
    assert dialog.focusWidget() is dialog.explain
    user.types(dialog.explain, "They are {{twins.value}} apart.")
    writer.chooses(dialog.asking.kind, "Free text")
    user.types(dialog.asking.asks, "- a: first")
    writer.writes(dialog.next)
    assert "no question above the options" in dialog.refusal()
    assert dialog.focusWidget() is dialog.asking.asks
    assert not writer.path.exists()
    user.types(dialog.asking.asks, "Why?")
    writer.writes(dialog.next)
    assert check.check(writer.lab()) == []
    assert not dialog.refusal()


def test_conditions_are_told_as_they_are_and_never_read_as_html(qtbot: object) -> None:
    words = 'It is <img src="far"> & more'
    conditions = Conditions("Others", "And only when …")
    qtbot.addWidget(conditions)
    conditions.show_all([Condition(condition(f"session.text == {words!r}"), words, holds=True)])
    (box,) = conditions.findChildren(QCheckBox)
    assert box.text().replace("&&", "") == words.replace("&", "")
    assert plain(box.toolTip()) == f"{words} session.text == {words!r}"


@pytest.mark.slow
def test_a_claim_that_another_way_to_the_goal_breaks_is_refused_where_it_stands(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    user.types(dialog.text, "Which encoding tells them apart?")
    writer.shows("sinusoidal")
    writer.chooses(dialog.goals.more, "Twins: 0 →")
    for box in dialog.goals.findChildren(QCheckBox)[:2]:  # any encoding will do, however it is set
        box.click()
    writer.chooses(dialog.claims.more, "is about")
    writer.writes(dialog.next)
    (box,) = dialog.claims.findChildren(QCheckBox)
    assert f"which reaches the goal too, the claim “{box.text()}” is false. Untick its box" in dialog.refusal()
    assert dialog.focusWidget() is box
    assert not writer.path.exists()


@pytest.mark.slow
def test_what_was_done_is_told_until_it_is_told_otherwise(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    writer.shows("sinusoidal")
    assert (dialog.act.toPlainText(), dialog.hint.text()) == ("Choose Sinusoidal.", "It stands in the card Encoding.")
    user.types(dialog.act, "Choose waves.")
    writer.shows("rope")
    assert dialog.act.toPlainText() == "Choose waves."


@pytest.mark.slow
def test_what_is_said_to_each_answer_stands_in_the_file(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    user.types(dialog.text, "What becomes of the two rows?")
    writer.shows("sinusoidal")
    writer.chooses(dialog.asking.kind, "One of several")
    writer.chooses(dialog.asking.value, "Twins: 0 →")
    user.types(dialog.asking.rows[0].said, "Word and place, so it is.")
    user.types(dialog.asking.rows[2].said, "Equal words stand at two places.")
    writer.chooses(dialog.claims.more, "Twins: 0 →")
    writer.writes(dialog.next)
    (step,) = writer.lab().steps
    assert step.title == "What becomes of the two rows?"
    assert dict(step.prediction.options) == {
        "a": "It is larger than before.", "b": "It is smaller than before.", "c": "It is as before."
    }  # fmt: skip
    assert dict(step.feedback) == {"a": "Word and place, so it is.", "c": "Equal words stand at two places."}
    assert [claim.text for claim in step.claims] == ["twins.value > before.twins.value + 1e-05"]
    assert check.check(writer.lab()) == []
    assert dialog.asking.kind.currentData() == "choice"  # as the next step may be
    assert dialog.focusWidget() is dialog.text


@pytest.mark.slow
def test_a_number_is_asked_with_how_far_off_it_may_be_and_what_others_may_think(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    user.types(dialog.text, "How long is the slowest wave?")
    user.chooses_encoding(writer.window, "sinusoidal")
    writer.chooses(dialog.asking.kind, "A number")
    writer.chooses(dialog.asking.value, "Frequencies, wavelengths, last")
    assert dialog.asking.tolerance.text() == "1000"  # 5% of 19,869
    user.types(dialog.asking.tolerance, "2000")
    writer.chooses(dialog.asking.rows[0].when, "Frequencies, wavelengths, first")
    user.types(dialog.asking.rows[0].said, "That is the fastest.")
    user.types(dialog.asking.judged["wrong"], "Look at the last pair.")
    writer.writes(dialog.next)
    (step,) = writer.lab().steps
    number = step.prediction
    assert (number.value.text, number.tolerance) == ("frequencies.wavelengths[-1]", 2000)
    ((fastest, near),) = number.near.items()
    assert (fastest, near.text) == ("frequencies-wavelengths-first", "frequencies.wavelengths[0]")
    assert dict(step.feedback) == {fastest: "That is the fastest.", "wrong": "Look at the last pair."}
    assert check.check(writer.lab()) == []


@pytest.mark.slow
def test_of_several_curves_the_expected_one_is_chosen(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    user.types(dialog.text, "Draw the second wave.")
    user.chooses_encoding(writer.window, "sinusoidal")
    writer.chooses(dialog.asking.kind, "A curve")
    writer.chooses(dialog.asking.plot, "Waves")
    first, second = (dialog.asking.curve.itemText(at) for at in (0, 1))
    writer.chooses(dialog.asking.curve, second)
    assert entry_with(dialog.asking.rows[0].when, second) is None
    writer.chooses(dialog.asking.rows[0].when, first)
    user.types(dialog.asking.rows[0].said, "That is the first one.")
    user.types(dialog.asking.judged["right"], "So it is.")
    writer.writes(dialog.next)
    assert "add ### Feedback wrong" in dialog.refusal()
    user.types(dialog.asking.judged["wrong"], "Look again.")
    writer.writes(dialog.next)
    assert dialog.refusal() == ""
    (step,) = writer.lab().steps
    sketch = step.prediction
    assert (sketch.plot, sketch.curve, list(sketch.near.values())) == ("waves", 1, [0])
    assert set(step.feedback.values()) == {"That is the first one.", "So it is.", "Look again."}
    assert check.check(writer.lab()) == []


@pytest.mark.slow
def test_a_sketch_needs_axes_when_the_step_begins(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    user.types(dialog.text, "Draw a wave.")
    store = writer.window.workbench.store
    store.propose(encoding="sinusoidal", plots={"waves": {"curves": (20,)}})  # of 16 dimensions
    writer.records()
    store.propose(model=store.session.model.model_copy(update={"d_model": 32}))
    writer.records()
    writer.chooses(dialog.asking.kind, "A curve")
    writer.chooses(dialog.asking.plot, "Waves")
    writer.writes(dialog.next)
    assert "shows no curves when the step begins" in dialog.refusal()
    assert dialog.focusWidget() is dialog.asking.kind


@pytest.mark.slow
def test_what_is_typed_while_a_step_is_tried_is_written_too(writer: Writer, user: User) -> None:
    user.chooses_encoding(writer.window, "sinusoidal")
    user.types(writer.dialog.text, "What do you")
    user.types(writer.dialog.explain, "So it is.")
    writer.presses(writer.dialog.next)
    user.types(writer.dialog.text, "What do you see?")
    writer.qtbot.waitUntil(writer.path.exists)
    assert [step.text for step in writer.lab().steps] == ["What do you see?"]


@pytest.mark.slow
def test_what_was_tried_when_the_dialog_was_closed_is_not_written(writer: Writer, user: User, settle) -> None:
    user.chooses_encoding(writer.window, "sinusoidal")
    user.types(writer.dialog.text, "What do you see?")
    user.types(writer.dialog.explain, "So it is.")
    writer.presses(writer.dialog.next)
    writer.dialog.close()
    action(writer.window, "Make this state a step").trigger()
    user.settle(writer.window)
    assert tries(writer.dialog) == []
    writer.chooses(writer.dialog.number, "Twins")
    settle(writer.window)
    assert not writer.path.exists()
    writer.writes(writer.dialog.next)
    assert [step.text for step in writer.lab().steps] == ["What do you see?"]


@pytest.mark.slow
def test_what_was_tried_when_computing_was_stopped_is_written_later(writer: Writer, user: User, settle) -> None:
    user.chooses_encoding(writer.window, "sinusoidal")
    user.types(writer.dialog.text, "What do you see?")
    user.types(writer.dialog.explain, "So it is.")
    writer.presses(writer.dialog.next)
    assert len(tries(writer.dialog)) == 1
    writer.window.workbench.stop()
    assert writer.dialog.refusal() == "Computing was stopped. The step was not written. Try again."
    assert tries(writer.dialog) == []
    assert writer.window.workbench.stopped
    settle(writer.window)
    assert not writer.path.exists()
    writer.writes(writer.dialog.next)
    assert [step.text for step in writer.lab().steps] == ["What do you see?"]


@pytest.mark.slow
def test_a_lab_that_is_played_waits_while_a_step_is_written_or_goes_on(writer: Writer, user: User) -> None:
    window = writer.window
    window.labs.begin(lab_library.lab("why-add"))
    action(window, "Make this state a step").trigger()
    assert window.labs.desk.play.free
    window.labs.desk.come_back()
    assert not window.labs.desk.play.free
    user.types(writer.dialog.text, "What do you see?")
    writer.writes(writer.dialog.next)


@pytest.mark.slow
def test_an_answer_that_is_written_stays_in_sight_without_those_before_it(writer: Writer, user: User) -> None:
    asking = writer.dialog.asking
    writer.chooses(asking.kind, "One of several")
    writer.answers(("first", ""), ("second", ""), ("third", ""))
    for row in asking.rows[:2]:
        user.types(row.words, "")
    assert [row.isVisibleTo(asking) for row in asking.rows[:4]] == [True, True, True, False]


def test_answers_in_ones_own_words_keep_their_conditions_once_an_action_is_recorded(qtbot) -> None:
    asking = PredictionForm()
    qtbot.addWidget(asking)
    asking.kind.setCurrentIndex(asking.kind.findData("choice"))
    asked = Expression("shift.changed")
    asking.show_measured((Measurable(asked, "Changed", "", 0.0, 0.0, compared=False),), ())
    for row, words in zip(asking.rows, ("By nothing", "By something", "By magic"), strict=False):
        row.words.setText(words)
    before = [row.chosen for row in asking.rows]
    assert len(set(before[:3])) == 3
    assert not before[2]  # never right
    asking.show_measured((Measurable(asked, "Changed", "", 0.0, 1.0),), ())
    assert [row.chosen for row in asking.rows] == before
    assert [row.text for row in asking.rows[:4]] == ["By nothing", "By something", "By magic", ""]


def test_a_condition_stands_once_however_often_it_is_chosen(qtbot: object, user: User) -> None:
    one = Condition(condition("session.n_tokens == 6"), "Tokens: 6", holds=True)
    conditions = Conditions("Others", "And only when …")
    qtbot.addWidget(conditions)
    conditions.show()
    conditions.show_all([one])
    conditions.offer([("Tokens", one)])
    (box,) = conditions.findChildren(QCheckBox)
    box.click()
    assert conditions.chosen == ()
    for _ in range(2):
        user.picks(conditions.more, one.question.text)
        assert conditions.findChildren(QCheckBox) == [box]
        assert conditions.chosen == (one.question,)


@pytest.mark.slow
def test_each_kind_of_prediction_asks_for_its_own_fields_alone(writer: Writer) -> None:
    asking = writer.dialog.asking
    writer.chooses(writer.dialog.number, "Twins")  # measured
    seen = {}
    for at in range(asking.kind.count()):
        asking.kind.setCurrentIndex(at)
        fields = {
            "asks": asking.asks, "value": asking.value, "off": asking.tolerance, "plot": asking.plot,
            "words": asking.rows[0].words, "when": asking.rows[0].when, **asking.judged,
        }  # fmt: skip
        seen[asking.kind.currentData()] = [name for name, field in fields.items() if field.isVisibleTo(asking)]
        told = [label.text() for label in asking.findChildren(QLabel, "muted") if label.isVisibleTo(asking)]
        assert told == (["● holds now."] if asking.kind.currentData() == "choice" else [])
    assert seen == {
        None: [],
        "choice": ["asks", "value", "words", "when"],
        "number": ["asks", "value", "off", "when", "right", "wrong"],
        "order": ["asks", "words", "when", "right", "reversed", "wrong"],
        "sketch": ["asks", "plot", "right", "wrong"],  # no curves are there
        "text": ["asks"],
    }


@pytest.mark.slow
def test_the_state_in_which_a_step_begins_is_pictured_and_named(learner, user, qtbot, tmp_path) -> None:
    window = learner.window
    window.workbench.plots["attention"].view.setFocus()
    writer = Writer(window, user, qtbot, tmp_path / "lab.md")
    beginning, store = writer.dialog.beginning, window.workbench.store

    def told() -> list[str]:
        return [one.text() for one in beginning.findChildren(QLabel)]

    def own(session: pe.Session) -> str:
        return draw_thumbnail(pe.plot("attention", session, view=pe.View(pixels=(WIDTH, HEIGHT))))

    assert told() == ["Begins as the window is now", "Sinusoidal · Attention, Clocks and Waves"]
    qtbot.waitUntil(lambda: beginning.picture.drawn == own(store.session))
    for name in ("clocks", "waves"):
        window.cards[f"plot.{name}"].close()
    qtbot.waitUntil(lambda: told()[1] == "Sinusoidal · Attention")
    before = store.session
    writer.records()
    user.chooses_encoding(window, "rope")
    assert told() == ["Begins as the window was before", "Sinusoidal · Attention"]
    assert beginning.picture.drawn == own(before)
