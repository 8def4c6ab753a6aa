"""`lab check`: prints every mistake of lab files, or of all bundled labs, with its line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from posenc_gui.attention.engine import Engine
from posenc_gui.cli import console
from posenc_gui.foundation.wording import format_count, join_words
from posenc_gui.labs.authoring.bundled_check import check_bundled
from posenc_gui.labs.authoring.check import check_file
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Lab


def check_lab(options: argparse.Namespace) -> None:
    """Check lab files, or all bundled labs, and print the problems or a summary. Raises ValueError if there are any."""
    if options.bundled == bool(options.files):
        raise ValueError("lab check: name either FILES or --bundled")
    if options.bundled:
        _check_bundled()
    else:
        _check_files(options.files)


def _check_files(paths: Sequence[Path]) -> None:
    engine, told = Engine(), list[str]()
    for path in paths:
        lab, problems = check_file(path, engine)
        if lab is None or problems:
            console.tell(*(f"{path}:{problem.line}: {problem.message}" for problem in problems))
            told.append(f"{path} has {format_count(len(problems), 'problem')}")
        else:
            console.tell(_summary(path, [lab]))
    if told:
        raise ValueError(f"{join_words(told)}, listed above.")


def _check_bundled() -> None:
    labs, n_problems = [], 0
    for path, lab, problems in check_bundled(Engine()):
        n_problems += len(problems)
        if problems:
            console.tell(*problems)
        elif lab:
            labs.append(lab)
            console.tell(_summary(path, [lab]))
    if n_problems:
        raise ValueError(f"the bundled labs have {format_count(n_problems, 'problem')}, listed above.")
    console.tell(_summary(f"{format_count(len(lab_library.names()), 'lab')} and the lesson", labs))


def _summary(where: Path | str, labs: Sequence[Lab]) -> str:
    """Return one line for labs without problems: the numbers of steps played and claims measured."""
    steps = [step for lab in labs for step in lab.steps]
    claims = format_count(sum(len(step.claims) for step in steps), "claim")
    return f"{where}: {format_count(len(steps), 'step')} and {claims}; every goal is reached, and every claim is true."
