"""Checks of a draft before it is saved: what `lab check` would refuse, and in which part of the step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import describe_error
from posenc_gui.labs.authoring import check, write
from posenc_gui.labs.authoring.write import StepDraft
from posenc_gui.labs.definition import parse

_NAME = "draft"
_PLOT = re.compile(r"(?<=[Tt]he plot )\w+")


class Fault(NamedTuple):
    """A part of a step, as `parse.part_at` names it, and what is wrong there, in a sentence."""

    part: str
    message: str


def faults(draft: StepDraft, engine: Engine) -> tuple[Fault, ...]:
    """Return a draft's faults; empty if a lab file can hold it and it keeps its promises."""
    return tuple(_faults(draft, engine))


def _faults(draft: StepDraft, engine: Engine) -> Iterator[Fault]:
    if misplaced := [Fault(*found) for found in write.written_elsewhere(draft)]:
        yield from misplaced
        return
    content = write.with_step("", draft)
    try:
        lab = parse.read(content, _NAME)
        write.require_same(lab.steps[-1], draft)
    except parse.LabRefused as refused:
        problems = list(refused.problems)
    except ValueError as error:
        yield Fault("", describe_error(error))
        return
    else:
        problems = check.check(lab, engine)
    for problem in problems:
        yield Fault(parse.part_at(content, problem.line), _PLOT.sub(_titled, problem.message))


def _titled(found: re.Match[str]) -> str:
    """Replace a plot's name in a file's message by its title, as the window shows it."""
    return plots.plots()[found[0]].title if found[0] in plots.names() else found[0]
