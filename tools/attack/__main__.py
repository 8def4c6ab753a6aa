"""`python -m tools.attack KIND --count N --seed S`; see `tools/attack/__init__.py`."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from pathlib import Path

import tools.attack
from tools.attack import (
    actions,
    append,
    cards,
    closings,
    disk,
    growth,
    hostile,
    inputs,
    kills,
    models,
    orphans,
    surroundings,
    writer,
)
from tools.attack.outcome import FAULTS, Outcome

KINDS = {
    "hostile": hostile.attack,
    "inputs": inputs.attack,
    "kills": kills.attack,
    "disk": disk.attack,
    "actions": actions.attack,
    "closings": closings.attack,
    "surroundings": surroundings.attack,
    "growth": growth.attack,
    "append": append.attack,
    "writer": writer.attack,
    "models": models.attack,
    "cards": cards.attack,
    "orphans": orphans.attack,
}


def main() -> int:
    """Attack, print each fault and a table, and return the exit status: 1 if there was a fault."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("tools.attack", description=tools.attack.__doc__, formatter_class=form)
    parser.add_argument("kind", choices=[*KINDS, "all", "table"])
    parser.add_argument("--count", type=int, default=5, metavar="N", help="how many cases of a kind")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the first case; the next one has the next")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # file names needn't be UTF-8
    rows = []
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        os.environ["MPLCONFIGDIR"] = f"{folder}/matplotlib"  # one font cache for all processes, whatever their home
        os.environ["PYTHONWARNINGS"] = "ignore:resource_tracker"  # it warns at the end of what killed processes left
        if options.kind == "table":
            return _measure(Path(folder))
        for kind in KINDS if options.kind == "all" else [options.kind]:
            seeds = range(options.seed, options.seed + options.count)
            rows.append((kind, [_case(kind, seed, Path(folder)) for seed in seeds]))
    return _tell(rows)


def _case(kind: str, seed: int, folder: Path) -> Outcome:
    """Run one case in a temporary folder and print its faults."""
    with tempfile.TemporaryDirectory(prefix=f"{kind}-{seed}-", dir=folder) as own:
        outcome = KINDS[kind](random.Random(f"{kind} {seed}"), Path(own))
    for fault, what in outcome.faults:
        print(f"{kind} --seed {seed}: {fault}: {what.replace(own, '…')}", flush=True)
    return outcome


def _measure(folder: Path) -> int:
    """Give each input at each of its doors, and print what it took; return the exit status."""
    failed = False
    print(f"{'seconds':>8} {'MB':>6} {'pause, s':>8}  input → door")
    for kind, name, door in inputs.pairs():
        with tempfile.TemporaryDirectory(dir=folder) as own:
            outcome = inputs.give(kind, name, door, random.Random(name), Path(own))
        print(
            f"{outcome.seconds:8.1f} {outcome.megabytes:6.0f} {outcome.pause:8.2f}  {kind}, {name} → {door}", flush=True
        )
        for fault, what in outcome.faults:
            print(f"  {fault}: {what.replace(own, '…')}", flush=True)
        failed = failed or bool(outcome.faults)
    return int(failed)


def _tell(rows: list[tuple[str, list[Outcome]]]) -> int:
    """Print the table; return the exit status."""
    faults = " ".join(f"{fault:>10}" for fault in FAULTS)
    print(f"{'kind':12} {'count':>6} {'met':>6} {faults} {'lost, s':>8} {'pause, s':>8}")
    failed = False
    for kind, outcomes in rows:
        counts = [sum(fault == one for outcome in outcomes for one, _ in outcome.faults) for fault in FAULTS]
        pause, loss = (max((vars(outcome)[name] for outcome in outcomes), default=0.0) for name in ("pause", "loss"))
        tried, met = (sum(vars(outcome)[name] for outcome in outcomes) for name in ("tried", "met"))
        print(f"{kind:12} {tried:6} {met:6} {' '.join(f'{count:10}' for count in counts)} {loss:8.2f} {pause:8.2f}")
        failed = failed or any(counts)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
