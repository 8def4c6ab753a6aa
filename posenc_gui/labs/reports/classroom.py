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
from textwrap import shorten
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.figure import Axis, Bars, BarSeries, Figure, Note, Panel, Run, Table
from posenc_gui.foundation.errors import sentence
from posenc_gui.foundation.unicode_text import quoted
from posenc_gui.labs.definition.record import OTHERWISE, RIGHT, Answer, Record, StepRecord, time_of
from posenc_gui.labs.reports.report import help_of, whose
from posenc_gui.labs.text import lab_markdown as words
from posenc_gui.labs.text import natural_sort as alphabet
from posenc_gui.labs.text.lab_markdown import Letters
from posenc_gui.measures.base import counted

MOST_FILES = 1_000

_ROOM = 90  # characters of a row of the table, where all of eight steps are seen
_SIGNS = 5  # of them before each answer, and of an answer itself:
_SHORTEST, _LONGEST = 6, 40
_SHORT = 24  # of an answer beside a bar: a longer one stands whole below the chart
_LONG = 100  # of an answer that stands whole
_NAMED = 3  # answers that one bar names
_MOST_BARS = 8
_PAUSE = timedelta(minutes=30)  # who did nothing for longer was not at work
_FEEDBACK = {"right": "as measured", "wrong": "something else", "reversed": "the reverse"}
_WAITING = "not measured yet"
_HELP: dict[str, Callable[[StepRecord], bool]] = {  # by the sign beside the answer, with what it means
    "? with a hint": lambda step: step.hints > 0,
    "! was shown the solution": lambda step: step.shown,
    "* explored before predicting": lambda step: step.explored,
}


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
        titles = {record.lab: record.title or record.lab for record in self.records}
        return {lab: titles[lab] for lab in sorted(counts, key=lambda lab: (-counts[lab], alphabet.key(lab)))}

    def of(self, lab: str) -> tuple[Record, ...]:
        """The reports of one lab."""
        return tuple(record for record in self.records if record.lab == lab)

    def steps(self, lab: str) -> dict[str, str]:
        """The titles of a lab's steps with a prediction, by name, in their order."""
        records = self.of(lab)
        titles = {name: title for record in records for name, title in record.titles.items()}
        predicted: set[str] = set()
        for record in records:
            predicted.update(name for name in {*record.asked, *record.steps} - predicted if _asks(record, name))
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
    most = min(max(_SHORTEST, _ROOM // max(1, len(steps)) - _SIGNS), _LONGEST)
    judged = {step: _judged(one.step(step) for one in records) for step in steps}
    header = (
        "learner",
        *(f"{_shortened(title, most)} {_share(judged[step])}".strip() for step, title in steps.items()),
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
    helped = {sign for sign, had in _HELP.items() if any(had(one.step(step)) for one in records for step in steps)}
    signs = (f"{RIGHT} as measured", f"{OTHERWISE} otherwise", *(sign for sign in _HELP if sign in helped))
    return Figure(
        name="answers",
        title=title,
        panels=(Table("what each predicted", header, rows, named=True),),
        caption=" · ".join((*signs, "– not predicted yet", "minutes without long pauses")),
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
    lettered = any(one.kind == "choice" for one in predicted)
    found = _chosen(classroom.of(lab), step, predicted) if lettered else _fitting(predicted)
    labels = tuple(
        _marked(f"{_letter(at)}: {one.answer}" if lettered else one.answer, one) for at, one in enumerate(found)
    )
    panels: tuple[Panel, ...] = (_bars(labels, found),)
    if any(len(one.answer) > _SHORT for one in found):
        rows = tuple((label, float(one.learners)) for label, one in zip(labels, found, strict=True))
        panels = (*panels, Table("the answers", ("answer", "learners"), rows))
    return Figure(
        name="chart",
        title=title,
        panels=panels,
        caption=f"{RIGHT} measured",
        description="; ".join(f"{label}: {one.learners}" for label, one in zip(labels, found, strict=True)),
        headline=(Run(_headline(found, predicted)),),
    )


def page(classroom: Classroom, lab: str, step: str, ink: str, letters: Letters) -> str:
    """What a step asked, and each answer with who gave it, why, with what help, and what they noted: safe HTML with formulas."""
    records = [one for one in classroom.of(lab) if one.step(step).committed]
    asked = words.html(next((one.asked[step] for one in records if one.asked.get(step)), ""), {}, ink, letters)
    predicted = [one.step(step) for one in records]
    if any(one.kind == "text" for one in predicted):  # everybody's own
        return f"{asked}<hr>{''.join(f'<p>{_told(one, step, one.step(step).answer_words)}</p>' for one in records)}"
    options = _options(classroom.of(lab), step) if any(one.kind == "choice" for one in predicted) else {}
    given: dict[str, list[Record]] = {answer: [] for answer in options.values()}
    for record in records:
        own = record.step(step)  # two sketches of the same words may be different curves
        given.setdefault(_feedback(own) if own.kind == "sketch" else own.answer_words, []).append(record)
    lettered = {answer: f"{_letter(at)}: " for at, answer in enumerate(options.values())}
    measured = {options.get(str(name)) for name in _measured(predicted)}
    return asked + "".join(
        f"<hr><p><b>{_sign(gave, step, answer in measured)}{lettered.get(answer, '')}"
        f"{counted(len(gave), 'learner') if gave else 'nobody'}</b></p>"
        + (words.html(answer, {}, ink, letters) if _by_lab(gave, step) else f"<p>{words.plain(answer)}</p>")
        + _reasons(gave, step)
        for answer, gave in sorted(given.items(), key=lambda one: -len(one[1]))
    )


def _sign(records: Sequence[Record], step: str, measured: bool) -> str:
    """The sign of an answer and of who gave it; of what nobody gave, only whether it was measured."""
    sign = records[0].step(step).sign if records else RIGHT if measured else ""
    return f"{sign} " if sign else ""


def _by_lab(records: Sequence[Record], step: str) -> bool:
    """Whether an answer's words are the lab's, as those are that nobody gave."""
    return all(one.step(step).by_lab for one in records)


def _reasons(records: Sequence[Record], step: str) -> str:
    """What each said for an answer, then the names of all who said nothing."""
    told = [_told(one, step, one.step(step).reason) for one in records if _says(one.step(step))]
    silent = ", ".join(one.who for one in records if not _says(one.step(step)))
    items = (*told, f"{words.plain(silent)}: –") if silent else told
    return f"<ul>{''.join(f'<li>{one}</li>' for one in items)}</ul>" if items else ""


def _says(step: StepRecord) -> bool:
    """Whether there is more to tell of a prediction than its answer."""
    return bool(step.reason or step.notes or help_of(step))


def _told(record: Record, step: str, said: str) -> str:
    """A learner's name and words, with the help that they had and what they noted."""
    own = record.step(step)
    helped = f" <i>({words.plain(help_of(own))})</i>" if help_of(own) else ""
    notes = f"<br><i>in their own words:</i> {words.plain(own.notes)}" if own.notes.strip() else ""
    return f"<b>{words.plain(record.who)}</b>: {words.plain(said or '–')}{helped}{notes}"


def _bars(labels: tuple[str, ...], found: Sequence[_Count]) -> Bars:
    counts = np.array([one.learners for one in found], dtype=np.float32)
    series = (BarSeries("", counts),)
    return Bars("how many gave each answer", "learners", Axis("answer", "answer", 0, labels), series, 0, max(counts))


# --- Words ----------------------------------------------------------------------------------------------------------


def _empty(name: str, title: str) -> Figure:
    why = "No learner's report is here yet." if name == "answers" else "No learner has predicted here yet."
    return Figure(name, title, (Note(why),), description=why)


def _cell(step: StepRecord, most: int) -> str:
    if not step.committed:
        return "–"
    told = _feedback(step) if step.kind == "sketch" else step.answer_words
    return f"{step.sign}{_helped(step)} {_cut(_in_a_line(told) if step.by_lab else told, most)}".strip()


def _helped(step: StepRecord) -> str:
    """The signs of the help that a learner had."""
    return "".join(sign[0] for sign, had in _HELP.items() if had(step))


def _shortened(title: str, most: int) -> str:
    """A title's first words: a heading has two lines, and the second is the share's."""
    return shorten(title, most, placeholder="…").lstrip("…") or _cut(title, most)


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
    """How many gave an answer that the same words fit, or put all into one order, the most common first."""
    alike: dict[str, list[StepRecord]] = {}
    for one in predicted:
        alike.setdefault(one.answer_words if one.kind == "order" else _feedback(one), []).append(one)
    right = {id(own) for own in alike.values() if any(one.outcome and one.outcome.right for one in own)}
    common = sorted(alike.values(), key=lambda own: -len(own))
    shown = [own for at, own in enumerate(common) if at < _MOST_BARS or id(own) in right]
    found = [_Count(_in_common(own), len(own), id(own) in right) for own in shown]
    n_others = len(predicted) - sum(one.learners for one in found)
    return [*found, _Count("others", n_others, False)] if n_others else found


def _in_common(alike: Sequence[StepRecord]) -> str:
    """What was answered, the most common first; of sketches, what they are like."""
    feedback = _feedback(alike[0])
    if alike[0].kind == "sketch" or (alike[0].kind == "number" and feedback == _WAITING):
        return feedback
    common = Counter(_in_a_line(one.answer_words) if one.by_lab else one.answer_words for one in alike).most_common()
    named = " or ".join(_cut(answer, _LONG) for answer, _ in common[:_NAMED])
    return f"{named} or others" if len(common) > _NAMED else named


def _marked(label: str, count: _Count) -> str:
    return f"{RIGHT} {label}" if count.measured else label


def _feedback(step: StepRecord) -> str:
    if step.outcome is None or not step.outcome.feedback:
        return _WAITING
    return _FEEDBACK.get(step.outcome.feedback, step.outcome.feedback.replace("_", " ").replace("-", " "))


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
        f"most others: {_cut(common.answer, _LONG).rstrip('.')}" if common and not all(judged) else "",
        f"{n_waiting} not measured yet" if n_waiting else "",
    )
    return "; ".join(filter(None, parts)) + "."
