"""Maps of long texts: `python benchmarks/overview.py [TOKENS] [ENCODING …] [--queries N] [--causal] [--threads N …]`.

One head of 64 dimensions, TOKENS queries and keys (131,072 unless said), or the first N queries alone, which takes less time
in the same proportion; blocks for 512 × 512 cells, as `pe.plot` draws them. A row for each encoding and number of threads:
the exact overviews with all denominators, of the encoding beside none as the window shows them, as a multiple for each map of
torch's scaled_dot_product_attention of the same size on as many threads, which gives no map, all timed in turns in this run;
how many times as fast that is as with the first number of threads; the coarse sample before it and an exact 512 × 512 view
after it in frames of 16.7 ms; and by how much the process's memory grew at its peak beyond queries and keys. With
--processor, times are the processor's, not the clock's, which other work changes less: of one thread alone.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from statistics import median

import psutil
import torch

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.attention.blocked_maps import BlockGrid, Overview, ScorePass, sampled
from posenc_gui.attention.layer import Layer, context_of
from posenc_gui.attention.score_tiles import Denominators, ScoreMap
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.errors import Undefined

Clock = Callable[[], float]

FRAME = 1 / 60
PIXELS = 512
VIEW = 512


def main() -> None:
    """Time both, encoding by encoding, and print the rows."""
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("tokens", nargs="?", type=int, default=131_072)
    wanted.add_argument("encodings", nargs="*", default=["none", "rope", "alibi"], metavar="ENCODING")
    wanted.add_argument("--queries", type=int, default=None, metavar="N")
    wanted.add_argument("--causal", action="store_true")
    wanted.add_argument("--turns", type=int, default=3)
    wanted.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    wanted.add_argument("--processor", action="store_true")
    args = wanted.parse_args()
    clock = time.process_time if args.processor else time.perf_counter
    names = args.encodings if args.encodings != ["all"] else encodings.names()
    print(f"{args.tokens:,} tokens; torch {torch.__version__}, {_processor()}")
    size = args.tokens, args.queries or args.tokens, args.causal, args.turns, args.threads, clock
    deque(rows("none", 2048, 2048, args.causal, 1, args.threads, clock))  # torch's own buffers are there from then on
    heads = ("encoding", 12), ("maps", 5), ("threads", 8), ("a map / SDPA", 13), ("seconds", 8), ("faster", 7)
    heads += ("sample", 8), ("view", 8), ("memory", 10)
    print("".join(head.rjust(width) for head, width in heads))
    for name in names:
        try:
            for one in rows(name, *size):
                print(one, flush=True)
        except Undefined as why:
            print(f"{name:>12} {why}", flush=True)


def rows(
    name: str, n_tokens: int, n_queries: int, causal: bool, turns: int, threads: list[int], clock: Clock
) -> Iterator[str]:
    """One encoding's figures."""
    layers = [layer_of(pe.encoding(one), n_tokens, causal) for one in dict.fromkeys(("none", name))]
    every = range(n_tokens)
    whole, seconds, peers = BlockGrid.within(every, every, (PIXELS, PIXELS)), defaultdict(list), defaultdict(list)
    asked, growth = replace(whole, queries=range(n_queries)), defaultdict(float)
    for _ in range(turns):
        for count in threads:
            torch.set_num_threads(count)
            peers[count].append(timed(lambda: attention(layers[-1], n_queries, causal), clock))
            maps = [ScoreMap(layer, denominators=Denominators.of(layer)) for layer in layers]
            with peak() as grown:
                seconds[count].append(timed(partial(last, maps, asked), clock))
            growth[count] = max(growth[count], *grown)
    part = range(max(0, n_queries - VIEW), n_queries)
    coarse = BlockGrid.within(every, every, (VIEW, VIEW))
    for count in threads:
        torch.set_num_threads(count)
        view = median(timed(partial(last, maps[-1:], BlockGrid(part, part))) for _ in range(9))
        unknown = ScoreMap(layers[-1], denominators=Denominators.of(layers[-1]))
        sample = median(timed(partial(sampled, unknown, coarse)) for _ in range(9))
        ours, peer = (median(one[count]) for one in (seconds, peers))
        yield (
            f"{name:>12}{len(maps):5}{count:8}{ours / peer / len(maps):13.2f}{ours:8.2f}{median(seconds[threads[0]]) / ours:7.2f}"
            f"{sample / FRAME:8.2f}{view / FRAME:8.2f}{growth[count]:6.0f} MiB"
        )


def layer_of(encoding: Encoding, n_tokens: int, causal: bool) -> Layer:
    """One head of 64 dimensions over random inputs."""
    model = pe.ToyModel(d_model=64, n_heads=1, causal=causal)
    inputs = torch.randn(n_tokens, 64, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(n_tokens, dtype=torch.float64)
    context = context_of(n_tokens, model)
    inputs += encoding.vectors(positions, 64, context).to(inputs)
    return Layer.of_inputs(inputs, positions, model, encoding, context)


def attention(layer: Layer, n_queries: int, causal: bool) -> None:
    """What the overview is compared with."""
    of = (layer.turned_queries[None, :, :n_queries], layer.turned_keys[None], layer.values[None])
    torch.nn.functional.scaled_dot_product_attention(*of, is_causal=causal)


def last(maps: list[ScoreMap], grid: BlockGrid) -> tuple[Overview, ...]:
    """The finished maps."""
    (found,) = deque(ScorePass(maps, pause=math.inf).overviews(grid), maxlen=1)
    return found


def timed(act: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """Seconds."""
    start = clock()
    act()
    return clock() - start


@contextmanager
def peak() -> Iterator[list[float]]:
    """By how many MiB the process's memory grows at its peak meanwhile, in a list that is filled at the end."""
    process, ended, seen, found = psutil.Process(), threading.Event(), [], []

    def watch() -> None:
        while not ended.wait(0.005):
            seen.append(process.memory_info().rss)

    seen.append(process.memory_info().rss)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        ended.set()
        watcher.join()
    found.append((max(seen) - seen[0]) / 2**20)


def _processor() -> str:
    return f"{os.cpu_count()} cores of {platform.machine()}"


if __name__ == "__main__":
    main()
