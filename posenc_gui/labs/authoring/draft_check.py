"""A draft tried before it is written: what `lab check` would refuse, and in which part of the step it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import sentence
from posenc_gui.labs.authoring import check, write
from posenc_gui.labs.authoring.write import Draft
from posenc_gui.labs.definition import parse as read

_NAME = "draft"
_PLOT = re.compile(r"(?<=[Tt]he plot )\w+")


class Fault(NamedTuple):
    """A part of a step, as `read.part_at` names it, and what is wrong there, in a sentence."""

    part: str
    message: str


def faults(draft: Draft, engine: Engine) -> tuple[Fault, ...]:
    """What would be refused of this step; empty where a lab's file can hold it and it keeps what it promises."""
    return tuple(_faults(draft, engine))


def _faults(draft: Draft, engine: Engine) -> Iterator[Fault]:
    if misplaced := [Fault(*found) for found in write.written_elsewhere(draft)]:
        yield from misplaced
        return
    content = write.with_step("", draft)
    try:
        lab = read.read(content, _NAME)
        write.require_same(lab.steps[-1], draft)
    except read.Refused as refused:
        problems = list(refused.problems)
    except ValueError as error:
        yield Fault("", sentence(error))
        return
    else:
        problems = check.check(lab, engine)
    for problem in problems:
        yield Fault(read.part_at(content, problem.line), _PLOT.sub(_titled, problem.message))


def _titled(found: re.Match[str]) -> str:
    """A plot by its title, as the window names it, where a file's message has its name."""
    return plots.plots()[found[0]].title if found[0] in plots.names() else found[0]
