"""What requests cost at the corners: `python benchmarks/costs.py [WORD …]`, such as `4096 rope judge`.

A row each for a request of a session, of which those are taken that hold all the words: seconds, the growth of the memory
in use at its peak, and the longest time without a question whether to stop. Each runs in a process of its own, with a
limit on its memory. Linux and macOS.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise, product

import posenc_gui as pe
from posenc_gui import measures, plots
from posenc_gui.attention.engine import Engine
from posenc_gui.session.evaluate import judge

LIMIT = 12 * 2**30  # bytes of addresses for one request
UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss

LENGTHS = (1, 512, 600, 2_048, 16_384)
SHAPES = {
    "smallest": {"d_model": 2, "n_heads": 1},
    "wide": {"d_model": 4096, "n_heads": 128},
    "widest": {"d_model": 4096, "n_heads": 128, "d_head": 512},
    "two layers": {"d_model": 4096, "n_heads": 128, "n_layers": 2},
}
ENCODINGS = {
    "sinusoidal": {},
    "rope": {},
    "shaw": {"max_distance": 1024},
    "t5": {},
    "one_hot": {},
    "learned": {"max_len": 16_384},
}


def requests() -> Iterator[tuple[str, Callable[[pe.Session, Engine], object]]]:
    """Everything that can be asked of a session, by name."""
    yield "judge", judge
    yield "attend", pe.attend
    for name in plots.names():
        yield f"plot {name}", partial(_plot, name)
    for name in measures.names():
        yield f"measure {name}", partial(measures.measure, name)


def session(length: int, shape: str, encoding: str) -> pe.Session:
    """A sentence of so many tokens, most of them different, in a model of this shape."""
    text = " ".join(f"w{index % 5_000}" for index in range(length))
    return pe.Session(
        text=text, encoding=pe.encoding(encoding, **ENCODINGS[encoding]), model=pe.ToyModel(**SHAPES[shape])
    )


def main(words: list[str]) -> None:
    """Print a row for each request at each corner."""
    print(f"{'seconds':>8} {'MiB':>7} {'silent':>7}  request")
    for corner in product(LENGTHS, SHAPES, ENCODINGS):
        for name, request in requests():
            row = f"{' '.join(map(str, corner))} {name}"
            if all(word in row.split() for word in words):
                print(f"{measured(partial(session, *corner), request)}  {row}", flush=True)


def measured(made: Callable[[], pe.Session], request: Callable[[pe.Session, Engine], object]) -> str:
    """Seconds, MiB and the longest silence of one request in a process of its own, or how it ended."""
    reading, writing = os.pipe()
    child = os.fork()  # nothing was computed yet: no thread of torch's is lost
    if not child:
        with os.fdopen(writing, "w") as out:
            out.write(_measured_here(made, request))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as words:
        told = words.read()
    os.waitpid(child, 0)
    return told or f"{'killed':>24}"


def _measured_here(made: Callable[[], pe.Session], request: Callable[[pe.Session, Engine], object]) -> str:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    try:
        asked = made()
        asked.tokens  # noqa: B018  read before the clock starts
    except ValueError as error:
        return f"{str(error).splitlines()[0][:60]:>24}"
    before, beats = _peak(), [time.perf_counter()]
    engine = Engine(check_stop=lambda: beats.append(time.perf_counter()))
    ended = ""
    try:
        found = request(asked, engine)
        ended = _refusal(found)
    except Exception as error:
        ended = f" {type(error).__name__}: {error}"[:150]
    beats.append(time.perf_counter())
    silent = max(later - earlier for earlier, later in pairwise(beats))
    growth = (_peak() - before) / 2**20
    return f"{beats[-1] - beats[0]:8.2f} {growth:7.0f} {silent:7.2f}{ended}"


def _refusal(found: object) -> str:
    value, reason = getattr(found, "value", 0), getattr(found, "reason", "")
    return f" ({reason[:150]})" if value is None or (isinstance(value, float) and math.isnan(value)) else ""


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT


def _plot(name: str, asked: pe.Session, engine: Engine) -> object:
    return pe.plot(name, asked, engine)


if __name__ == "__main__":
    main(sys.argv[1:])
