"""How well numbers are identified: `python benchmarks/identify.py [DRAWS] [MATRICES] [SEED]`.

Numbers of encodings drawn from the public formulas, a row each for a family: how many were named, how many with the truth
among what is said to be undecided, and so on; then random matrices, none of which may be named.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import torch
from drawn_numbers import Drawer, no_encodings
from judged_verdicts import judge

import posenc_gui as pe

torch.set_num_threads(1)  # threads that spin cost more than the small sums they share


def main(draws: int = 1000, matrices: int = 1000, seed: int = 46) -> None:
    """Print both tables, and what was wrong or missed."""
    drawer, table, undecided, seconds = Drawer(seed), {}, Counter[tuple[str, str]](), []
    for number in range(draws):
        draw, began = drawer.one(), time.perf_counter()
        found = pe.identify(draw.pasted, draw.kind, draw.before)
        seconds.append(time.perf_counter() - began)
        outcome, why = judge(draw, found)
        table.setdefault(draw.family, Counter())[outcome] += 1
        if outcome in ("missed", "wrong"):
            shape = tuple(draw.of().shape)
            print(
                f"{outcome} {number}: {draw.family} {shape} {draw.dtype} {draw.arranged} from {draw.start}, {draw.fields}: {why}"
            )
        elif why:
            undecided[draw.family, why] += 1
    outcomes = sorted({outcome for counts in table.values() for outcome in counts})
    print("\n| family | draws | " + " | ".join(outcomes) + " |")
    for family, counts in sorted(table.items()):
        print(f"| {family} | {counts.total()} | " + " | ".join(str(counts[outcome]) for outcome in outcomes) + " |")
    total = sum(table.values(), Counter[str]())
    print(f"| all | {draws} | " + " | ".join(str(total[outcome]) for outcome in outcomes) + " |")
    print("\nundecided:", ", ".join(f"{family}: {why} ({count})" for (family, why), count in undecided.most_common()))
    print(f"seconds each: {sum(seconds) / max(draws, 1):.3f}, at most {max(seconds, default=0):.2f}\n")
    named = Counter[str]()
    for name, numbers in islice(no_encodings(seed), matrices):
        found = pe.identify(numbers)
        named[name] += found.encoding is not None
        if found.encoding is not None:
            print(f"{name}, {tuple(numbers.shape)} {numbers.dtype}: {found.sentence}")
    print(f"{matrices} matrices, named: {named.total()}", dict(+named))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
