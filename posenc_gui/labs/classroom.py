"""A class at one glance: the reports in a folder, who predicted what, and what most believed.

A learner who reported a lab several times counts once, with the report that was changed last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np

from posenc_gui.errors import sentence
from posenc_gui.figure import Axis, Bars, BarSeries, Figure, Note, Panel, Run, Table
from posenc_gui.labs import alphabet, words
from posenc_gui.labs.record import OTHERWISE, RIGHT, Answer, Record, StepRecord, time_of
from posenc_gui.labs.report import whose
from posenc_gui.labs.words import Letters
from posenc_gui.letters import quoted
from posenc_gui.measures.base import counted

MOST_FILES = 1_000

_ROOM = 130  # characters of all answers in a row of the table, and of one:
_SHORTEST, _LONGEST = 12, 40
_HEADING = 28  # of a heading, which stands in two lines
_SHORT = 24  # of an answer beside a bar
_LONG = 100  # of one below the chart
_PAUSE = timedelta(minutes=30)  # who did nothing for longer was not at work
_FEEDBACK = {"right": "as measured", "wrong": "something else", "reversed": "the reverse"}
_WAITING = "not measured yet"


class _Count(NamedTuple):
    """How many learners gave an answer, and whether it is what was measured."""

    answer: str
    learners: int
    measured: bool


@dataclass(frozen=True)
class Classroom:
    """The reports of a folder, by learner, and a sentence for each file that can't be read, or not the whole of it."""

    records: tuple[Record, ...] = ()
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def labs(self) -> dict[str, str]:
        """The titles of all labs, by name, those with most reports first."""
        counts = Counter(record.lab for record in self.records)
        ordered = sorted(self.records, key=lambda one: (-counts[one.lab], alphabet.key(one.lab)))
        return {record.lab: record.title or record.lab for record in ordered}

    def of(self, lab: str) -> tuple[Record, ...]:
        """The reports of one lab."""
        return tuple(record for record in self.records if record.lab == lab)

    def steps(self, lab: str) -> dict[str, str]:
        """The titles of a lab's steps with a prediction, by name, in their order."""
        records = self.of(lab)
        titles = {name: title for record in records for name, title in record.titles.items()}
        predicted = {name for record in records for name in (*record.asked, *record.steps) if _asks(record, name)}
        return {
            name: titles.get(name) or name
            for name in (*titles, *sorted(predicted - titles.keys()))
            if name in predicted
        }


def read(folder: Path, check_stop: Callable[[], None] = lambda: None) -> Classroom:
    """Read all lab reports that lie in a folder itself, at most `MOST_FILES`. Raises OSError where it can't be listed.

    check_stop is called before each file and raises to give up.
    """
    files = sorted(filter(_may_be_report, folder.iterdir()), key=lambda path: alphabet.key(path.name))
    newest: dict[tuple[str, ...], Record] = {}
    problems: list[str] = []
    remarks: list[str] = []
    for path in islice(files, MOST_FILES):
        check_stop()
        try:
            opened = Record.open(path)
        except OSError as error:
            problems.append(f"{path.name} can't be read: {error.strerror}.")
        except ValueError as error:
            problems.append(sentence(error))
        else:
            record = opened.content
            newest[whose(record)] = max(newest.get(whose(record), record), record, key=lambda one: one.changed)
            remarks += opened.remarks
    if len(files) > MOST_FILES:
        problems.append(f"Only the first {MOST_FILES:,} of {len(files):,} files are read.")
    records = sorted(newest.values(), key=lambda one: (alphabet.key(one.learner), one.lab, one.started))
    return Classroom(tuple(records), tuple(problems), tuple(remarks))


def _may_be_report(path: Path) -> bool:
    """A name that begins with a dot is a file that is just being written, or one that its owner hides."""
    return path.suffix.lower() == ".json" and not path.name.startswith(".") and path.is_file()


def answers(classroom: Classroom, lab: str) -> Figure:
    """All learners of a lab: what each predicted, step by step, and how far they came."""
    records, steps = classroom.of(lab), classroom.steps(lab)
    title = classroom.labs().get(lab, lab)
    if not records:
        return _empty("answers", title)
    most = min(max(_SHORTEST, _ROOM // max(1, len(steps))), _LONGEST)
    judged = {step: _judged(one.step(step) for one in records) for step in steps}
    header = (
        "learner",
        *(f"{_cut(title, _HEADING)} {_share(judged[step])}".strip() for step, title in steps.items()),
        "done",
        "minutes",
    )
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            one.who,
            *(_cell(one.step(step), most) for step in steps),
            f"{one.n_done} of {one.n_steps}",
            float(_minutes(one)),
        )
        for one in records
    )
    return Figure(
        name="answers",
        title=title,
        panels=(Table("what each predicted", header, rows),),
        caption=f"{RIGHT} as measured, counted beside each step's title · {OTHERWISE} otherwise · – not predicted yet · "
        "minutes without long pauses",
        headline=(
            Run(f"{counted(len(records), 'learner')}, "),
            Run(str(sum(one.finished for one in records)), "number"),
            Run(f" with all steps done{_hardest(steps, judged)}."),
        ),
    )


def chart(classroom: Classroom, lab: str, step: str) -> Figure:
    """How many learners gave each answer in one step; the measured one is marked."""
    predicted = [one.step(step) for one in classroom.of(lab) if one.step(step).committed]
    title = classroom.steps(lab).get(step, step)
    if not predicted:
        return _empty("chart", title)
    if all(one.kind == "text" for one in predicted):
        why = "Here everybody wrote their own words: no chart counts them."
        return Figure("chart", title, (Note(why),), description=why)
    if any(one.kind == "choice" for one in predicted):
        # A choice's words are too long to stand beside bars: letters do.
        found = _chosen(classroom.of(lab), step, predicted)
        labels = tuple(_marked(_letter(at), one) for at, one in enumerate(found))
        rows = tuple((label, one.answer, float(one.learners)) for label, one in zip(labels, found, strict=True))
        panels: tuple[Panel, ...] = (_bars(labels, found), Table("the answers", ("", "answer", "learners"), rows))
    else:
        found = _fitting(predicted)
        panels = (_bars(tuple(_marked(one.answer, one) for one in found), found),)
    return Figure(
        name="chart",
        title=title,
        panels=panels,
        caption=f"{RIGHT} measured",
        description="; ".join(f"{_marked(one.answer, one)}: {one.learners}" for one in found),
        headline=(Run(_headline(found, predicted)),),
    )


def page(classroom: Classroom, lab: str, step: str, ink: str, letters: Letters) -> str:
    """What a step asked, and each answer with who gave it and why: safe HTML with formulas."""
    records = [one for one in classroom.of(lab) if one.step(step).committed]
    asked = next((one.asked[step] for one in records if one.asked.get(step)), "")
    given: dict[str, list[Record]] = {}
    for record in records:
        given.setdefault(record.step(step).answer_words, []).append(record)
    predicted = [one.step(step) for one in records]
    options = _options(classroom.of(lab), step) if any(one.kind == "choice" for one in predicted) else {}
    lettered = {answer: f"{_letter(at)}: " for at, answer in enumerate(options.values())}
    said = [
        _said(lettered.get(answer, ""), answer, own, step, ink, letters)
        for answer, own in sorted(given.items(), key=lambda one: -len(one[1]))
    ]
    measured = _measured(predicted)
    said += [
        f"<hr><p><b>{RIGHT if name in measured else ''} {lettered[answer]}nobody</b></p>"
        f"{words.html(answer, {}, ink, letters)}"
        for name, answer in options.items()
        if answer not in given
    ]
    return words.html(asked, {}, ink, letters) + "".join(said)


def _said(letter: str, answer: str, records: Sequence[Record], step: str, ink: str, letters: Letters) -> str:
    first = records[0].step(step)
    if first.kind == "text":  # everybody's own
        names = ", ".join(one.who for one in records)
        return f"<hr><p><b>{words.plain(names)}</b></p><p>{words.plain(answer)}</p>"
    shown = words.html(answer, {}, ink, letters) if first.by_lab else f"<p>{words.plain(answer)}</p>"
    count = f"{first.sign} {letter}{counted(len(records), 'learner')}".strip()
    reasons = "".join(
        f"<li>{words.plain(one.who)}: {words.plain(one.step(step).reason or '–')}</li>" for one in records
    )
    return f"<hr><p><b>{count}</b></p>{shown}<ul>{reasons}</ul>"


def _bars(labels: tuple[str, ...], found: Sequence[_Count]) -> Bars:
    counts = np.array([one.learners for one in found], dtype=np.float32)
    series = (BarSeries("learners", counts),)
    return Bars("how many gave each answer", "learners", Axis("answer", "answer", 0, labels), series, 0, max(counts))


# --- Words ----------------------------------------------------------------------------------------------------------


def _empty(name: str, title: str) -> Figure:
    why = "No learner's report is here yet." if name == "answers" else "No learner has predicted here yet."
    return Figure(name, title, (Note(why),), description=why)


def _cell(step: StepRecord, most: int) -> str:
    if not step.committed:
        return "–"
    told = _feedback(step) if step.kind == "sketch" else step.answer_words
    return f"{step.sign} {_cut(_in_a_line(told) if step.by_lab else told, most)}".strip()


def _in_a_line(answer: str) -> str:
    """A lab's own answer where there is no room for formulas; that it goes on with the question is known."""
    return words.in_line(answer).removeprefix("…").strip()


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _minutes(record: Record) -> int:
    """How long the learner was at work, by what was recorded when."""
    steps = record.steps.values()
    stamps = (record.started, record.changed, *(one.committed for one in steps), *(one.done for one in steps))
    times = sorted(filter(None, map(time_of, stamps)))
    worked = (later - earlier for earlier, later in pairwise(times))
    return round(sum((gap for gap in worked if gap <= _PAUSE), timedelta()) / timedelta(minutes=1))


# --- Answers --------------------------------------------------------------------------------------------------------


def _asks(record: Record, step: str) -> bool:
    return bool(record.asked.get(step) or record.step(step).kind)


def _options(records: Sequence[Record], step: str) -> dict[str, str]:
    """The words of a choice's answers by name, in the lab's order, and of those that it had in an earlier version."""
    options = {name: own for record in records for name, own in record.options.get(step, {}).items()}
    given = [record.step(step) for record in records]
    return options | {
        str(one.answer): one.answer_words for one in given if one.kind == "choice" and str(one.answer) not in options
    }


def _measured(predicted: Iterable[StepRecord]) -> set[Answer | None]:
    """Each answer that was measured, in whichever session."""
    return {one.outcome.answer for one in predicted if one.outcome}


def _chosen(records: Sequence[Record], step: str, predicted: list[StepRecord]) -> list[_Count]:
    """How many chose each answer of a choice, in the lab's order."""
    measured = _measured(predicted)
    chosen = Counter(str(one.answer) for one in predicted)
    return [
        _Count(_cut(_in_a_line(own or name), _LONG), chosen[name], name in measured)
        for name, own in _options(records, step).items()
    ]


def _fitting(predicted: list[StepRecord]) -> list[_Count]:
    """How many gave an answer that the same words fit, the most common first."""
    right = {_feedback(one) for one in predicted if one.outcome and one.outcome.right}
    typical = {_feedback(one): one.answer_words for one in reversed(predicted) if _is_a_way_of_thinking(one)}
    common = [
        (f"{_cut(typical[feedback], _SHORT)} ({feedback})" if feedback in typical else feedback, count)
        for feedback, count in Counter(map(_feedback, predicted)).most_common()
    ]
    return [_Count(feedback, count, feedback in right) for feedback, count in common]


def _marked(label: str, count: _Count) -> str:
    return f"{RIGHT} {label}" if count.measured else label


def _feedback(step: StepRecord) -> str:
    if step.outcome is None or not step.outcome.feedback:
        return _WAITING
    return _FEEDBACK.get(step.outcome.feedback, step.outcome.feedback.replace("_", " ").replace("-", " "))


def _is_a_way_of_thinking(step: StepRecord) -> bool:
    """Whether a number is told best by itself: what the lab's writer calls the mistake is a name for files."""
    return step.kind == "number" and bool(step.outcome and step.outcome.feedback not in ("", *_FEEDBACK))


def _letter(at: int) -> str:
    return ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1)


def _judged(steps: Iterable[StepRecord]) -> list[bool]:
    """Of each prediction that was judged, whether it came true."""
    return [one.outcome.right for one in steps if one.outcome and one.outcome.right is not None]


def _share(judged: Sequence[bool]) -> str:
    return f"{sum(judged)} of {len(judged)}" if judged else ""


def _hardest(titles: Mapping[str, str], judged: Mapping[str, Sequence[bool]]) -> str:
    """Of which step fewest predicted what was measured; empty where everybody did, everywhere."""
    shares = {step: sum(own) / len(own) for step, own in judged.items() if own}
    hardest = min(shares, key=lambda step: shares[step], default=None)
    if hardest is None or shares[hardest] == 1:
        return ""
    return f"; fewest predicted what was measured in {quoted(titles[hardest])}: {_share(judged[hardest])}"


def _headline(found: Iterable[_Count], predicted: list[StepRecord]) -> str:
    judged = _judged(predicted)
    n_waiting = len(predicted) - len(judged)
    others = [one for one in found if one.learners and not one.measured and one.answer != _WAITING]
    common = max(others, key=lambda one: one.learners, default=None)
    parts = (
        f"{_share(judged)} predicted what was measured" if judged else "",
        f"most others: {common.answer.rstrip('.')}" if common and not all(judged) else "",
        f"{n_waiting} not measured yet" if n_waiting else "",
    )
    return "; ".join(filter(None, parts)) + "."
