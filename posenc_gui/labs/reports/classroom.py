"""A class at a glance: the reports in a folder, each learner's predictions, and the most common beliefs.

A learner who reported a lab several times counts once, with the report that was changed last; reports of labs that were renamed
count with the new name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import chain, pairwise
from string import ascii_uppercase
from textwrap import shorten
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Note, Panel, Table
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.lab_folder import natural_order
from posenc_gui.labs.definition.record import OTHERWISE, RIGHT, Answer, Record, StepRecord, time_of
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.reports.report import describe_help, learner_key
from posenc_gui.labs.reports.report_folder import ReportFolder
from posenc_gui.labs.text import lab_markdown
from posenc_gui.labs.text.lab_markdown import Letters

_LONGEST = 60  # characters of a title or an answer in the table
_SHORT = 24  # characters of an answer beside a bar; if one is longer, all are listed below the chart
_LONG = 100  # characters after which an answer in the chart and below it is cut, and a name in a list of names
_AT_ONCE = 20_000  # characters of HTML
_NAMED = 3  # answers named for one bar
_MOST_BARS = 8
_PAUSE = timedelta(minutes=30)  # a longer pause does not count as work
_FEEDBACK = {"right": "as measured", "wrong": "something else", "reversed": "the reverse"}
_WAITING = "not measured yet"
_HELP: dict[str, Callable[[StepRecord], bool]] = {  # by the sign beside the answer, with what it means
    "? with a hint": lambda step: step.hints > 0,
    "! was shown the solution": lambda step: step.shown,
    "* used free play before predicting": lambda step: step.explored,
}


class _Count(NamedTuple):
    """An answer, the number of learners who gave it, and whether it was measured."""

    answer: str
    learners: int
    measured: bool


@dataclass(frozen=True)
class Classroom:
    """The reports of a folder, by learner. problems: a sentence for each file that can't be read; remarks: one for each
    part that had to be left out; left: one on the files that weren't read; tables: the answers of each lab."""

    records: tuple[Record, ...] = ()
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    left: str = ""
    tables: Mapping[str, Figure] = field(default_factory=dict)

    def labs(self) -> dict[str, str]:
        """Return the titles of all labs by name, those with most reports first."""
        counts = Counter(record.lab for record in self.records)
        titles = {record.lab: record.title or record.lab for record in self.records}
        return {lab: titles[lab] for lab in sorted(counts, key=lambda lab: (-counts[lab], natural_order(lab)))}

    def of(self, lab: str) -> tuple[Record, ...]:
        """Return the reports of one lab."""
        return tuple(record for record in self.records if record.lab == lab)

    def steps(self, lab: str) -> dict[str, str]:
        """Return the titles of those lab steps that have a prediction, by name and in order."""
        records = self.of(lab)
        titles = {name: title for record in records for name, title in record.titles.items()}
        predicted = {name for one in records for name in {*one.asked, *one.steps} if _asks(one, name)}
        names = (*titles, *sorted(predicted - titles.keys()))
        return {name: titles.get(name) or name for name in names if name in predicted}


def gather(folder: ReportFolder) -> Classroom:
    """Return the reports that have been read of a folder, by learner. A thousand take a while."""
    newest: dict[tuple[str, ...], Record] = {}
    for record in (one.record for one in folder.reports):
        key = learner_key(record)
        newest[key] = max(newest.get(key, record), record, key=lambda one: one.changed)
    records = under_new_names(newest.values())
    records.sort(key=lambda one: (natural_order(one.learner), one.lab, one.started))
    remarks = tuple(remark for one in folder.reports for remark in one.remarks)
    found = Classroom(tuple(records), folder.problems, remarks, folder.left)
    return replace(found, tables={lab: answers(found, lab) for lab in found.labs()})


def answers(classroom: Classroom, lab: str) -> Figure:
    """Return a table of a lab's learners: each one's predictions, step by step, and progress."""
    records, steps = classroom.of(lab), classroom.steps(lab)
    title = classroom.labs().get(lab, lab)
    if not records:
        return _empty("answers", title)
    judged = {step: _judged(one.step(step) for one in records) for step in steps}
    header = (
        "learner",
        *(" · ".join(filter(None, (_shortened(title), _share(judged[step])))) for step, title in steps.items()),
        "done",
        "minutes",
    )
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (one.who, *(_cell(one.step(step)) for step in steps), f"{one.n_done} of {one.n_steps}", float(_minutes(one)))
        for one in records
    )
    helped = {sign for sign, had in _HELP.items() if any(had(one.step(step)) for one in records for step in steps)}
    signs = (f"{RIGHT} as measured", f"{OTHERWISE} otherwise", *(sign for sign in _HELP if sign in helped))
    return Figure(
        name="answers",
        title=title,
        panels=(Table("predictions by learner", header, rows, named=True),),
        caption_parts=compose_caption(*signs, "– not predicted yet", "minutes without long pauses"),
        headline=(
            Run(f"{format_count(len(records), 'learner')}, "),
            Run(str(sum(one.finished for one in records)), "number"),
            Run(f" finished all steps{_hardest(steps, judged)}."),
        ),
    )


def chart(classroom: Classroom, lab: str, step: str) -> Figure:
    """Chart the number of learners for each answer in one step, with measured answers marked. Free text has no chart."""
    predicted = [one.step(step) for one in classroom.of(lab) if one.step(step).committed]
    title = classroom.steps(lab).get(step, step)
    if not predicted:
        return _empty("chart", title)
    if all(one.kind == "text" for one in predicted):
        why = "Everybody answered in free text, so there is no chart."
        return Figure("chart", title, (Note(why),), description=why)
    lettered = any(one.kind == "choice" for one in predicted)
    found = _chosen(classroom.of(lab), step, predicted) if lettered else _fitting(predicted)
    named = (f"{_letter(at)}: {one.answer}" if lettered else one.answer for at, one in enumerate(found))
    labels = tuple(f"{RIGHT} {name}" if one.measured else name for name, one in zip(named, found, strict=True))
    panels: tuple[Panel, ...] = (_bars(labels, found),)
    if any(len(one.answer) > _SHORT for one in found):
        rows = tuple((label, float(one.learners)) for label, one in zip(labels, found, strict=True))
        panels = (*panels, Table("the answers", ("answer", "learners"), rows))
    return Figure(
        name="chart",
        title=title,
        panels=panels,
        caption_parts=compose_caption(f"{RIGHT} measured"),
        description="; ".join(f"{label}: {one.learners}" for label, one in zip(labels, found, strict=True)),
        headline=(Run(_headline(found, predicted)),),
    )


def page(classroom: Classroom, lab: str, step: str, ink: str, letters: Letters) -> Iterator[str]:
    """Yield safe HTML, some paragraphs at a time: a step's question and, for each answer, the learners with their reasons, help
    and notes."""
    return _together(_paragraphs(classroom, lab, step, ink, letters))


def _paragraphs(classroom: Classroom, lab: str, step: str, ink: str, letters: Letters) -> Iterator[str]:
    records = [one for one in classroom.of(lab) if one.step(step).committed]
    yield lab_markdown.html(next((one.asked[step] for one in records if one.asked.get(step)), ""), {}, ink, letters)
    predicted = [one.step(step) for one in records]
    if any(one.kind == "text" for one in predicted):  # each learner's own, so not grouped by answer
        yield "<hr>"
        yield from (f"<p>{_told(one, step, one.step(step).answer_words)}</p>" for one in records)
        return
    options = _options(classroom.of(lab), step) if any(one.kind == "choice" for one in predicted) else {}
    given: dict[str, list[Record]] = {answer: [] for answer in options.values()}
    for record in records:
        own = record.step(step)  # two sketches with the same description may differ
        given.setdefault(_feedback(own) if own.kind == "sketch" else own.answer_words, []).append(record)
    lettered = {answer: f"{_letter(at)}: " for at, answer in enumerate(options.values())}
    measured = {options.get(str(name)) for name in _measured(predicted)}
    for answer, gave in sorted(given.items(), key=lambda one: -len(one[1])):
        sign = gave[0].step(step).sign if gave else RIGHT if answer in measured else ""
        count = format_count(len(gave), "learner") if gave else "nobody"
        is_by_lab = all(one.step(step).by_lab for one in gave)  # as an answer is that nobody gave
        written = lab_markdown.html(answer, {}, ink, letters) if is_by_lab else f"<p>{lab_markdown.plain(answer)}</p>"
        yield f"<hr><p><b>{sign}{' ' * bool(sign)}{lettered.get(answer, '')}{count}</b></p>{written}"
        yield from _reasons(gave, step)


def _reasons(records: Sequence[Record], step: str) -> Iterator[str]:
    """Return lists of the reasons, help and notes for an answer, with the names of those who have none at the end."""
    told = (_told(one, step, one.step(step).reason) for one in records if _says(one.step(step)))
    silent = ", ".join(_cut(one.who, _LONG) for one in records if not _says(one.step(step)))
    items = chain(told, [f"{lab_markdown.plain(silent)}: –"] if silent else [])
    return (f"<ul>{some}</ul>" for some in _together(f"<li>{item}</li>" for item in items))


def _together(parts: Iterable[str]) -> Iterator[str]:
    """Join as many parts at a time as a window shows in some milliseconds."""
    joined = ""
    for part in parts:
        joined += part
        if len(joined) > _AT_ONCE:
            yield joined
            joined = ""
    if joined:
        yield joined


def _says(step: StepRecord) -> bool:
    """Return True if a prediction has a reason, help or notes beside its answer."""
    return bool(step.reason or step.notes or describe_help(step))


def _told(record: Record, step: str, said: str) -> str:
    """Return a learner's name and text, with the help used and the notes."""
    own = record.step(step)
    helped = f" <i>({lab_markdown.plain(describe_help(own))})</i>" if describe_help(own) else ""
    notes = f"<br><i>in their own words:</i> {lab_markdown.plain(own.notes)}" if own.notes.strip() else ""
    return f"<b>{lab_markdown.plain(record.who)}</b>: {lab_markdown.plain(said or '–')}{helped}{notes}"


def _bars(labels: tuple[str, ...], found: Sequence[_Count]) -> Bars:
    counts = np.array([one.learners for one in found], dtype=np.float32)
    series = (BarSeries("", counts),)
    return Bars("how many gave each answer", "learners", Axis("answer", "answer", 0, labels), series, 0, max(counts))


# --- Texts ----------------------------------------------------------------------------------------------------------


def _empty(name: str, title: str) -> Figure:
    why = "There are no reports yet." if name == "answers" else "No learner has predicted here yet."
    return Figure(name, title, (Note(why),), description=why)


def _cell(step: StepRecord) -> str:
    if not step.committed:
        return "–"
    told = _feedback(step) if step.kind == "sketch" else step.answer_words
    helped = "".join(sign[0] for sign, had in _HELP.items() if had(step))
    return f"{step.sign}{helped} {_cut(_in_a_line(told) if step.by_lab else told, _LONGEST)}".strip()


def _shortened(title: str) -> str:
    """Return a title, or the first words of a long one."""
    return shorten(title, _LONGEST, placeholder="…").lstrip("…") or _cut(title, _LONGEST)


def _in_a_line(answer: str) -> str:
    """Return a lab's own answer in one line, with formulas as plain text."""
    return lab_markdown.in_line(answer).removeprefix("…").strip()


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _minutes(record: Record) -> int:
    """Return the learner's working time in minutes: the time between recorded events, without long pauses."""
    steps = record.steps.values()
    stamps = (record.started, record.changed, *(one.committed for one in steps), *(one.done for one in steps))
    times = sorted(filter(None, map(time_of, stamps)))
    worked = (later - earlier for earlier, later in pairwise(times))
    return round(sum((gap for gap in worked if gap <= _PAUSE), timedelta()) / timedelta(minutes=1))


# --- Answers --------------------------------------------------------------------------------------------------------


def _asks(record: Record, step: str) -> bool:
    return bool(record.asked.get(step) or record.step(step).kind)


def _options(records: Sequence[Record], step: str) -> dict[str, str]:
    """Return the texts of a choice's options by name, in the lab's order, followed by those of earlier versions."""
    options = {name: own for record in records for name, own in record.options.get(step, {}).items()}
    chosen = (own for record in records if (own := record.step(step)).kind == "choice")
    return options | {str(one.answer): one.answer_words for one in chosen if str(one.answer) not in options}


def _measured(predicted: Iterable[StepRecord]) -> set[Answer | None]:
    """Return each answer that was measured, in any session."""
    return {one.outcome.answer for one in predicted if one.outcome}


def _chosen(records: Sequence[Record], step: str, predicted: list[StepRecord]) -> list[_Count]:
    """Count the choices of each option, in the lab's order."""
    measured = _measured(predicted)
    chosen = Counter(str(one.answer) for one in predicted)
    return [
        _Count(_cut(_in_a_line(own or name), _LONG), chosen[name], name in measured)
        for name, own in _options(records, step).items()
    ]


def _fitting(predicted: list[StepRecord]) -> list[_Count]:
    """Count answers, the most common first: orders by their items, numbers and sketches by the feedback that fits."""
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
    """Return a label for a group of answers: the most common ones, or the feedback for sketches and unmeasured numbers."""
    feedback = _feedback(alike[0])
    if alike[0].kind == "sketch" or (alike[0].kind == "number" and feedback == _WAITING):
        return feedback
    common = Counter(_in_a_line(one.answer_words) if one.by_lab else one.answer_words for one in alike).most_common()
    named = " or ".join(_cut(answer, _LONG) for answer, _ in common[:_NAMED])
    return f"{named} or others" if len(common) > _NAMED else named


def _feedback(step: StepRecord) -> str:
    if step.outcome is None or not step.outcome.feedback:
        return _WAITING
    return _FEEDBACK.get(step.outcome.feedback, step.outcome.feedback.replace("_", " ").replace("-", " "))


def _letter(at: int) -> str:
    return ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1)


def _judged(steps: Iterable[StepRecord]) -> list[bool]:
    """Return for each judged prediction, in order, whether it was right."""
    return [one.outcome.right for one in steps if one.outcome and one.outcome.right is not None]


def _share(judged: Sequence[bool]) -> str:
    return f"{sum(judged)} of {len(judged)}" if judged else ""


def _hardest(titles: Mapping[str, str], judged: Mapping[str, Sequence[bool]]) -> str:
    """Return a clause that names the step with the smallest share of right predictions; empty if all were right."""
    shares = {step: sum(own) / len(own) for step, own in judged.items() if own}
    hardest = min(shares, key=lambda step: shares[step], default=None)
    if hardest is None or shares[hardest] == 1:
        return ""
    return f"; fewest predicted what was measured in {quote(titles[hardest])}: {_share(judged[hardest])}"


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


def under_new_names(records: Collection[Record]) -> list[Record]:
    """Return the records with those of former labs joined, learner by learner, to what they have become.

    A step that is in several of a learner's records is that of the record changed last. A record of which no step is left in any
    lab stays as it is.
    """
    if {one.lab for one in records} <= {*lab_library.names(), lab_library.LESSON}:
        return [*records]
    heirs = [lab for lab in lab_library.labs() if lab.formerly]
    found: list[Record] = []
    by_learner: dict[tuple[str, ...], list[Record]] = {}
    for one in sorted(records, key=lambda one: one.changed, reverse=True):
        by_learner.setdefault(learner_key(one)[1:], []).append(one)
    for own in by_learner.values():
        joined = [(lab, parts) for lab in heirs if (parts := _parts_of(lab, own))]
        gone = {part.lab for _, parts in joined for part in parts}
        found += [*(_joined(lab, parts) for lab, parts in joined), *(one for one in own if one.lab not in gone)]
    return found


def _parts_of(lab: Lab, own: Collection[Record]) -> list[Record]:
    """Return a learner's records of a lab and of those whose steps it has taken over; none without any of the latter."""
    names = {step.name for step in lab.steps}
    former = {one.lab for one in own if one.lab in lab.formerly and names & one.steps.keys()}
    return [one for one in own if one.lab in (lab.name, *former)] if former else []


def _joined(lab: Lab, parts: Sequence[Record]) -> Record:
    return Play.begin(lab, Record.taken_over(parts, [step.name for step in lab.steps])).record
