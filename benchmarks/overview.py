"""Maps of long texts: `python benchmarks/overview.py [TOKENS] [ENCODING …] [--queries N] [--causal]`.

One head of 64 dimensions, TOKENS queries and keys (131,072 unless said), or the first N queries alone, which takes less time
in the same proportion; blocks for 1,024 × 1,024 cells. A row for each encoding: the exact overview with all
denominators as a multiple of torch's scaled_dot_product_attention of the same size, which gives no map, both timed in turns
in this run; the coarse sample before it and an exact 512 × 512 view after it in frames of 16.7 ms; and by how much the
process's memory grew at its peak beyond queries and keys. Where others use the processor, one thread (OMP_NUM_THREADS=1) is
nearer the truth: the overview is made of many small operations, and with two threads each waits for the slower. With
--processor the two are compared by the processor's time, not the clock's, which other work changes less.
"""

from __future__ import annotations

import argparse
import os
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import median

import psutil
import torch

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.attention.blocked_maps import BlockGrid, Denominators, Overview, ScorePass
from posenc_gui.attention.layer import Layer, context_of
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.errors import Undefined

Clock = Callable[[], float]

FRAME = 1 / 60
PIXELS = 1024
VIEW = 512


def main() -> None:
    """Time both, encoding by encoding, and print the rows."""
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("tokens", nargs="?", type=int, default=131_072)
    wanted.add_argument("encodings", nargs="*", default=["none", "rope", "alibi"], metavar="ENCODING")
    wanted.add_argument("--queries", type=int, default=None, metavar="N")
    wanted.add_argument("--causal", action="store_true")
    wanted.add_argument("--turns", type=int, default=3)
    wanted.add_argument("--processor", action="store_true")
    args = wanted.parse_args()
    clock = time.process_time if args.processor else time.perf_counter
    names = args.encodings if args.encodings != ["all"] else encodings.names()
    print(f"{args.tokens:,} tokens; torch {torch.__version__}, {torch.get_num_threads()} threads, {_processor()}")
    row("none", 2048, 2048, args.causal, 1, clock)  # torch's own buffers are there from then on
    print(f"{'encoding':>12} {'overview / SDPA':>16} {'seconds':>8} {'sample':>8} {'view':>8} {'memory':>9}")
    for name in names:
        try:
            print(row(name, args.tokens, args.queries or args.tokens, args.causal, args.turns, clock), flush=True)
        except Undefined as why:
            print(f"{name:>12} {why}", flush=True)


def row(name: str, n_tokens: int, n_queries: int, causal: bool, turns: int, clock: Clock) -> str:
    """One encoding's figures."""
    layer = layer_of(pe.encoding(name), n_tokens, causal)
    every = range(n_tokens)
    whole, walk = BlockGrid.within(every, every, (PIXELS, PIXELS)), ScorePass(layer)
    asked = replace(whole, queries=range(n_queries))
    ratios, seconds = [], []
    growth = 0.0
    for _ in range(turns):
        peer = timed(lambda: attention(layer, n_queries, causal), clock)
        denominators = Denominators.of(layer)
        with peak() as grown:
            ours = timed(lambda known=denominators: last(walk, asked, known), clock)
        growth = max(growth, *grown)
        ratios.append(ours / peer)
        seconds.append(ours)
    part = range(max(0, n_queries - VIEW), n_queries)
    view = median(timed(lambda: last(walk, BlockGrid(part, part), denominators)) for _ in range(9))
    unknown = Denominators.of(layer)
    sample = median(
        timed(lambda: walk.sampled_weights(BlockGrid.within(every, every, (VIEW, VIEW)), unknown)) for _ in range(9)
    )
    return f"{name:>12} {median(ratios):16.2f} {median(seconds):8.2f} {sample / FRAME:8.2f} {view / FRAME:8.2f} {growth:6.0f} MiB"


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


def last(walk: ScorePass, grid: BlockGrid, denominators: Denominators) -> Overview:
    """The finished map."""
    (found,) = deque(walk.weights(grid, denominators), maxlen=1)
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
