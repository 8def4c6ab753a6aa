"""A teacher's view: whatever lies in a folder, who predicted what is told by figures that every renderer draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Note, Table
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.stopped import go_on
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.labs.definition.record import Outcome, Record, StepRecord
from posenc_gui.labs.reports import classroom
from posenc_gui.labs.reports.classroom import Classroom
from posenc_gui.labs.reports.report_folder import ReportFolder
from posenc_gui.labs.text.lab_markdown import Letters
from posenc_gui.render import csv_table
from posenc_gui.render.screen import FigureView

OPTIONS = {"same": "It moves along.", "differ": "It changes.", "swap": "They swap."}
TITLES = {"reorder": "Does the order matter?", "turn": "How far does it turn?", "say": "What would you build?"}


def step(answer: str = "same", measured: str = "same") -> StepRecord:
    outcome = Outcome(answer=measured, words=OPTIONS[measured], right=answer == measured) if measured else None
    return StepRecord(
        kind="choice",
        answer=answer,
        answer_words=OPTIONS[answer],
        committed="2026-11-21T10:02:00+00:00",
        outcome=outcome,
        done="2026-11-21T10:05:00+00:00" if outcome else "",
    )


def number(right: bool, feedback: str) -> StepRecord:
    outcome = Outcome(answer=0.5, words="0.5", feedback=feedback, right=right)
    return StepRecord(kind="number", answer=0.5, answer_words="0.5", committed="2026-11-21", outcome=outcome)


def record(learner: str = "Ada", lab: str = "1-set", changed: str = "", **steps: StepRecord) -> Record:
    return Record(
        lab=lab,
        title="Attention reads a set",
        learner=learner,
        started="2026-11-21T10:00:00+00:00",
        changed=changed,
        steps=steps,
        titles=TITLES,
        asked={"reorder": "Where to?", "turn": "How far?"},
        options={"reorder": OPTIONS},
    )


def rows(figure: Figure) -> tuple[tuple[str | float, ...], ...]:
    panel = figure.panels[-1]
    assert isinstance(panel, Table)
    return panel.rows


def read(folder: Path) -> Classroom:
    """The reports in a folder, all of them read."""
    reports = ReportFolder(folder)
    reports.read(go_on, lambda *_: None)
    return classroom.gather(reports)


def written(found: Classroom, step: str) -> str:
    """A step's whole page."""
    return "".join(classroom.page(found, "1-set", step, LIGHT.ink, Letters()))


def bars(figure: Figure) -> dict[str, float]:
    panel = figure.panels[0]
    assert isinstance(panel, Bars)
    return dict(zip(panel.categories.labels, panel.series[0].values.tolist(), strict=True))


def test_reports_of_a_renamed_lab_count_with_its_new_name(tmp_path: Path) -> None:
    done = step()
    record("Ada", "8-longer-than-training", rope=done).save(tmp_path / "a.json")
    record("Ada", "9-where-it-ends", bucket=done, table=done).save(tmp_path / "b.json")
    record("Emmy", "past-the-training", bucket=done).save(tmp_path / "c.json")
    record("Emmy", "9-where-it-ends", table=done).save(tmp_path / "d.json")  # of which no step is left
    found = read(tmp_path)
    assert list(found.labs()) == ["past-the-training", "9-where-it-ends"]
    ada, emmy = found.of("past-the-training")
    assert (ada.learner, set(ada.steps)) == ("Ada", {"rope", "bucket"})
    assert (emmy.learner, set(emmy.steps)) == ("Emmy", {"bucket"})
    assert [one.learner for one in found.of("9-where-it-ends")] == ["Emmy"]


def test_a_folder_is_read_by_learner(tmp_path: Path) -> None:
    learners = ["ada", "Åsa", "Emmy", "Group 9", "Group 10"]
    for learner in reversed(learners):
        record(learner).save(tmp_path / f"{learner}.json")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "deeper.json").mkdir()
    found = read(tmp_path)
    assert [one.learner for one in found.records] == learners
    assert not found.problems


def test_a_file_that_is_no_report_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_bytes(b"\xff\x00")
    record().save(tmp_path / "c.json")
    found = read(tmp_path)
    assert len(found.records) == 1
    assert [problem.split(":")[0] for problem in found.problems] == ["a.json", "b.json"]


def test_what_had_to_be_left_out_of_a_report_is_told(tmp_path: Path) -> None:
    content = json.loads(record("Ada").to_json())
    (tmp_path / "a.json").write_text(json.dumps({**content, "voice": 1}))
    found = read(tmp_path)
    assert [one.learner for one in found.records] == ["Ada"]
    assert found.problems == ()
    assert found.remarks == ("a.json: left out 'voice', which this explorer doesn't know in a lab report.",)


def test_the_newest_report_of_a_learner_counts(tmp_path: Path) -> None:
    record(changed="2026-11-21T12:00:00+00:00", reorder=step("swap")).save(tmp_path / "1.json")
    record(changed="2026-11-21T11:00:00+00:00").save(tmp_path / "2.json")
    record(lab="2-turn").save(tmp_path / "3.json")
    found = read(tmp_path)
    assert [(one.lab, len(one.steps)) for one in found.records] == [("1-set", 1), ("2-turn", 0)]


@pytest.mark.parametrize("leads_to", ["n" * 300, "loop.json"])
def test_a_link_that_cant_be_followed_is_one_line_and_hides_no_report(leads_to: str, tmp_path: Path) -> None:
    Record(lab="a", title="A", learner="Ada").save(tmp_path / "ada.json")
    (tmp_path / "loop.json").symlink_to(leads_to)
    found = read(tmp_path)
    assert [one.learner for one in found.records] == ["Ada"]
    (problem,) = found.problems
    assert problem.startswith("loop.json can't be read: ")


def test_labs_and_their_predictions_can_be_chosen() -> None:
    found = Classroom((record(), record("Grace", lab="2-turn")))
    assert found.labs() == {"1-set": "Attention reads a set", "2-turn": "Attention reads a set"}
    assert list(found.steps("1-set")) == ["reorder", "turn"]
    assert found.steps("gone") == {}


def test_answers_have_one_row_a_learner() -> None:
    records = (record("Ada", reorder=step()), record("Grace", reorder=step("swap")), record("Emmy"))
    figure = classroom.answers(Classroom(records), "1-set")
    assert rows(figure) == (
        ("Ada", "● It moves along.", "–", "1 of 3", 5.0),
        ("Grace", "○ They swap.", "–", "1 of 3", 5.0),
        ("Emmy", "–", "–", "0 of 3", 0.0),
    )
    assert quote_runs(figure.headline) == (
        "3 learners, 0 finished all steps; fewest predicted what was measured in “Does the order matter?”: 1 of 2."
    )
    panel = figure.panels[0]
    assert isinstance(panel, Table)
    assert panel.header == ("learner", "Does the order matter? · 1 of 2", "How far does it turn?", "done", "minutes")


def test_where_all_was_predicted_no_step_is_the_hardest() -> None:
    figure = classroom.answers(Classroom((record("Ada", reorder=step(), turn=number(True, "right")),)), "1-set")
    assert quote_runs(figure.headline) == "1 learner, 0 finished all steps."


def test_formulas_are_signs_where_there_is_no_room_for_them() -> None:
    options = {"sum": "… the same as $W_q x + W_q p$.", "own": "… $p_m \\cdot p_n$ alone."}
    records = []
    for learner, answer in (("Ada", "sum"), ("Grace", "own"), ("Emmy", "own")):
        outcome = Outcome(answer="sum", words=options["sum"], right=answer == "sum")
        given = step().model_copy(update={"answer": answer, "answer_words": options[answer], "outcome": outcome})
        records.append(record(learner, reorder=given).model_copy(update={"options": {"reorder": options}}))
    found = Classroom(tuple(records))
    assert [row[1] for row in rows(classroom.answers(found, "1-set"))] == [
        "● the same as W_q x + W_q p.", "○ p_m · p_n alone.", "○ p_m · p_n alone."
    ]  # fmt: skip
    chart = classroom.chart(found, "1-set", "reorder")
    assert bars(chart) == {"● A: the same as W_q x + W_q p.": 1, "B: p_m · p_n alone.": 2}
    assert rows(chart) == (("● A: the same as W_q x + W_q p.", 1.0), ("B: p_m · p_n alone.", 2.0))
    assert quote_runs(chart.headline) == "1 of 3 predicted what was measured; most others: p_m · p_n alone."


def test_a_sketch_is_told_by_what_it_is_like() -> None:
    curve = ((0.0, 0.0), (1.0, 1.0))
    outcome = Outcome(answer=curve, words="the first; your curve is 40% away", feedback="the_last", right=False)
    drawn = StepRecord(kind="sketch", answer=curve, answer_words="from 0 at 0", committed="2026-11-21", outcome=outcome)
    right = drawn.model_copy(update={"outcome": Outcome(answer=curve, words="", feedback="right", right=True)})
    found = Classroom((record(turn=drawn), record("Grace", turn=right)))
    assert [row[2] for row in rows(classroom.answers(found, "1-set"))] == ["○ the last", "● as measured"]
    page = written(found, "turn")
    assert page.index("○ 1 learner</b></p><p>the last") < page.index("● 1 learner</b></p><p>as measured")


def test_a_night_between_two_steps_is_no_work() -> None:
    records = (record(changed="2026-11-22T10:00:00+00:00", reorder=step()),)
    assert rows(classroom.answers(Classroom(records), "1-set"))[0][-1] == 5.0


def test_the_chart_counts_each_answer_and_marks_the_measured_one() -> None:
    given_answers = ("same", "swap", "swap")
    records = [record(name, reorder=step(answer)) for name, answer in zip("abc", given_answers, strict=True)]
    figure = classroom.chart(Classroom((*records, record("d"))), "1-set", "reorder")
    assert bars(figure) == {"● A: It moves along.": 1, "B: It changes.": 0, "C: They swap.": 2}
    assert len(figure.panels) == 1  # all that there is to read stands beside the bars
    assert quote_runs(figure.headline) == "1 of 3 predicted what was measured; most others: They swap."


def test_who_has_not_measured_yet_is_not_judged() -> None:
    records = (record("a", reorder=step("swap", "")), record("b", reorder=step()))
    figure = classroom.chart(Classroom(records), "1-set", "reorder")
    assert quote_runs(figure.headline) == "1 of 1 predicted what was measured; 1 not measured yet."


def test_numbers_are_counted_by_what_fits_them() -> None:
    given = (("0.5", "right"), ("3.14", "half-a-turn"), ("3.1", "half-a-turn"), ("3.14", "half-a-turn"))
    given += tuple((f"{count}", "wrong") for count in (7, 8, 9, 10))
    guesses = [number(kind == "right", kind).model_copy(update={"answer_words": own}) for own, kind in given]
    waiting = number(False, "").model_copy(update={"outcome": None})
    records = tuple(record(f"{count}", turn=guess) for count, guess in enumerate([*guesses, waiting]))
    figure = classroom.chart(Classroom(records), "1-set", "turn")
    assert bars(figure) == {"7 or 8 or 9 or others": 4, "3.14 or 3.1": 3, "● 0.5": 1, "not measured yet": 1}
    said = "1 of 8 predicted what was measured; most others: 7 or 8 or 9 or others;"
    assert quote_runs(figure.headline).startswith(said)


def test_orders_are_counted_one_by_one_until_there_are_many() -> None:
    def put(words: str, right: bool) -> StepRecord:
        outcome = Outcome(answer=("a", "b"), words="a, b", feedback="right" if right else "wrong", right=right)
        return StepRecord(kind="order", answer=("a",), answer_words=words, committed="2026-11-21", outcome=outcome)

    wrong = ["b, a", "b, a", *map(str, range(10))]
    guesses = [*(put(words, False) for words in wrong), put("a, b", True)]
    records = tuple(record(f"{count}", turn=guess) for count, guess in enumerate(guesses))
    counts = bars(classroom.chart(Classroom(records), "1-set", "turn"))
    assert counts == {"b, a": 2, **{f"{count}": 1 for count in range(7)}, "● a, b": 1, "others": 3}


def test_the_help_that_a_learner_had_stands_beside_the_answer() -> None:
    helped = step("swap").model_copy(update={"hints": 2, "shown": True, "notes": "I <b>see</b>.\nNow."})
    peeked = step().model_copy(update={"explored": True})
    found = Classroom((record("Ada", reorder=helped), record("Grace", reorder=peeked), record("Emmy", reorder=step())))
    figure = classroom.answers(found, "1-set")
    assert [row[1] for row in rows(figure)] == ["○?! They swap.", "●* It moves along.", "● It moves along."]
    for sign in ("? with a hint", "! was shown the solution", "* used free play before predicting"):
        assert sign in figure.caption
    page = written(found, "reorder")
    assert "<b>Ada</b>: – <i>(2 hints · was shown the solution)</i>" in page
    assert "I &lt;b&gt;see&lt;/b&gt;.<br>Now." in page
    assert "<b>Grace</b>: – <i>(used free play before predicting)</i>" in page
    assert "Emmy: –" in page
    assert "?" not in classroom.answers(Classroom((record("Emmy", reorder=step()),)), "1-set").caption


def test_a_learner_s_name_is_the_same_with_another_space(tmp_path: Path) -> None:
    record("Ana", changed="2026-11-21T11:00:00+00:00").save(tmp_path / "1.json")
    record(" Ana ", changed="2026-11-21T12:00:00+00:00", reorder=step()).save(tmp_path / "2.json")
    assert [(one.who, len(one.steps)) for one in read(tmp_path).records] == [("Ana", 1)]


def test_answers_and_headings_are_whole_unless_they_are_very_long() -> None:
    titles = {f"s{count}": "Does the order of the words matter?" for count in range(8)} | {"long": "words " * 40}
    given = record("Ada", **dict.fromkeys(titles, step())).model_copy(update={"titles": titles})
    figure = classroom.answers(Classroom((given,)), "1-set")
    (panel,) = figure.panels
    assert isinstance(panel, Table)
    assert set(panel.header[1:9]) == {"Does the order of the words matter? · 1 of 1"}
    assert panel.header[9].endswith("words… · 1 of 1")
    assert len(panel.header[9]) <= 69
    assert set(panel.rows[0][1:9]) == {"● It moves along."}


def test_the_lab_with_most_reports_comes_first() -> None:
    records = (record("Ada"), record("Ada", lab="2-turn"), record("Grace", lab="2-turn"))
    assert list(Classroom(records).labs()) == ["2-turn", "1-set"]


def test_reasons_stand_beside_answers_with_who_gave_them_and_nobody_s_words_are_markup() -> None:
    hostile = "<img src=x> $x$ {{a}}"
    given = {"Ada": ("swap", "Order is order."), "Grace": ("swap", hostile), hostile: ("same", "")}
    records = []
    for learner, (answer, reason) in given.items():
        own = step(answer)
        records.append(record(learner, reorder=own.model_copy(update={"reason": reason})))
    found = written(Classroom(tuple(records)), "reorder")
    assert found.index("Where to?") < found.index("They swap.") < found.index("It moves along.")
    assert "○ C: 2 learners" in found
    assert "● A: 1 learner<" in found
    assert "<b>Ada</b>: Order is order." in found
    assert "<img src=x" not in found
    assert "data:image" not in found  # what a learner wrote is no formula


def test_answers_that_nobody_gave_are_read_too() -> None:
    found = written(Classroom((record("Ada", reorder=step("swap")),)), "reorder")
    assert found.index("○ C: 1 learner<") < found.index("● A: nobody<") < found.index(">B: nobody<")
    assert "It changes." in found


def test_own_words_stand_beside_the_name_of_who_wrote_them() -> None:
    told = StepRecord(kind="text", answer="They mix.", answer_words="They <b>mix</b>.", committed="2026-11-21")
    found = written(Classroom((record("Ada", say=told),)), "say")
    assert "<b>Ada</b>: They &lt;b&gt;mix&lt;/b&gt;." in found


def test_formulas_of_a_question_are_formulas_in_the_class_too() -> None:
    asked = record("Ada", reorder=step()).model_copy(update={"asked": {"reorder": "What of $q_m$?"}})
    assert 'alt="q_m"' in written(Classroom((asked,)), "reorder")


@pytest.mark.parametrize(
    "figure",
    [
        classroom.answers(Classroom(), "1-set"),
        classroom.chart(Classroom(), "1-set", "reorder"),
        classroom.chart(Classroom((record(),)), "1-set", "reorder"),
        classroom.chart(Classroom((record(say=StepRecord(kind="text", committed="x")),)), "1-set", "say"),
    ],
)
def test_where_nothing_can_be_counted_a_note_says_why(figure: Figure) -> None:
    assert isinstance(figure.panels[0], Note)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 30])
def test_every_renderer_draws_the_class(qtbot, tmp_path: Path, count: int) -> None:
    names = [f"<b>Donaudampfschifffahrtsgesellschaftskapitän</b> $x$ {number}" for number in range(count)]
    records = tuple(record(name, reorder=step(), turn=number(True, "right")) for name in names)
    found = Classroom(records)
    figures = (
        classroom.answers(found, "1-set"),
        *(classroom.chart(found, "1-set", one) for one in ("reorder", "turn")),
    )
    for figure in figures:
        assert figure.session == ""
        assert figure.save(tmp_path / "figure.png").stat().st_size > 1000
        view = FigureView(LIGHT)
        qtbot.addWidget(view)
        view.show_figure(figure)
        assert not view.grab().isNull()
    assert all(name in csv_table.text(figures[0], "\t") for name in names)


@pytest.mark.slow
@given(st.lists(st.builds(record, st.text(max_size=40), reorder=st.sampled_from(list(map(step, OPTIONS)))), max_size=6))
@settings(max_examples=12)
def test_every_prediction_is_counted_once(records: list[Record]) -> None:
    figure = classroom.chart(Classroom(tuple(records)), "1-set", "reorder")
    assert not records or sum(bars(figure).values()) == len(records)
