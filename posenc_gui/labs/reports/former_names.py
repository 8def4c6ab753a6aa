"""Reports of labs that had another name, or were merged or split, count with the labs that have taken over their steps."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.reports.report import learner_key


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
