"""Files age well: each released format's files, kept for ever, give the very sessions and records that were saved.

`tests/recorded/record.py` writes them; what stands in `format-N` is never written again. What must come of them is spelt
out here with every value, so that a default that changes later changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui.labs.record import Outcome, Picture, Record, StepRecord

RECORDED = Path(__file__).parent / "recorded"
FORMATS = sorted(folder.name for folder in RECORDED.glob("format-*"))
FIGURES = ("svg", "pdf", "png", "npz")

# Everything is something else than a new session has.
RICH = pe.Session(
    text="the Dog bit the man 狗",
    tokenizer="words",
    keep_case=True,
    order=(4, 3, 2, 1, 0, 5),
    encoding=pe.encoding("rope", base=500.0, pairing="interleaved", fraction=0.5),
    model=pe.ToyModel(
        d_model=8,
        d_head=4,
        n_heads=2,
        causal=True,
        scale=0.5,
        embedding_scale=0.25,
        projections="identity",
        n_layers=2,
        vectors=(("Dog", (0.1, -2.0, 0.0, 1e-9, 3.0, 0.5, -0.25, 1.0)),),
        seed=7,
    ),
    focus=4,
    key=1,
    plots={
        "angles": {"first": 3, "count": 40, "curves": (0, 1)},
        "attention": {"quantity": "scores", "queries": "one", "head": 1},
        "comparison": {"show": "numbers", "sort": "bounded"},
        "dials": {"position": 2.5, "trail": 4.0, "pairs": (1, 0)},
        "encoding": {"first": 1, "count": 12},
        "equivariance": {"show": "by layer"},
        "frequencies": {"context": 4096},
        "generation": {"head": 1},
        "kernel": {"head": 1},
        "linear_shift": {"offset": 3},
        "meaning": {"other": "the man bit the Dog 狗"},
        "projections": {"head": 1, "turned": False},
        "row": {"head": 1},
        "shift": {"offset": 7, "head": 1},
        "similarity": {"show": "cosine", "head": 1},
        "waves": {"first": 2, "count": 30, "curves": (0, 5)},
        "why": {"head": 1},
    },
)

# What a new session was when the first format was released.
PLAIN = pe.Session(
    text="The cat sat on the mat",
    tokenizer="words",
    keep_case=False,
    order=(),
    encoding=pe.encoding("sinusoidal", base=10_000.0, layout="interleaved", spacing="paper"),
    model=pe.ToyModel(
        d_model=64,
        d_head=None,
        n_heads=4,
        causal=False,
        scale=None,
        embedding_scale=1.0,
        projections="seeded",
        n_layers=1,
        vectors=(),
        seed=0,
    ),
    focus=2,
    key=None,
    plots={
        "angles": {"first": 0, "count": None, "curves": ()},
        "attention": {"quantity": "probabilities", "queries": "all", "head": None},
        "comparison": {"show": "verdicts and numbers", "sort": "door"},
        "dials": {"position": None, "trail": 2.0, "pairs": ()},
        "encoding": {"first": 0, "count": None},
        "equivariance": {"show": "maps"},
        "frequencies": {"context": None},
        "generation": {"head": 0},
        "kernel": {"head": 0},
        "linear_shift": {"offset": 1},
        "meaning": {"other": ""},
        "projections": {"head": 0, "turned": True},
        "row": {"head": 0},
        "shift": {"offset": None, "head": 0},
        "similarity": {"show": "dot product", "head": 0},
        "waves": {"first": 0, "count": None, "curves": ()},
        "why": {"head": 0},
    },
)

# Each encoding as it was by default when it was released, and with other parameters.
PARAMETERS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "none": ({},),
    "one_hot": ({},),
    "integer": ({},),
    "normalized": ({"divisor": "length"}, {"divisor": "last"}),
    "sinusoidal": (
        {"base": 10_000.0, "layout": "interleaved", "spacing": "paper"},
        {"base": 100.0, "layout": "cosine_first", "spacing": "tensor2tensor"},
    ),
    "learned": ({"max_len": 512}, {"max_len": 64}),
    "rope": (
        {"base": 10_000.0, "pairing": "half", "fraction": 1.0},
        {"base": 500_000.0, "pairing": "interleaved", "fraction": 0.25},
    ),
    "shaw": ({"max_distance": 16, "value_term": True}, {"max_distance": 4, "value_term": False}),
    "t5": (
        {"buckets": 32, "max_distance": 128, "bidirectional": True},
        {"buckets": 16, "max_distance": 64, "bidirectional": False},
    ),
    "alibi": ({"bias_max": 8.0}, {"bias_max": 4.0}),
}
SESSIONS: Mapping[str, pe.Session] = {
    "rich": RICH,
    "plain": PLAIN,
    **{
        f"{name}-{number}": PLAIN.changed(encoding=pe.encoding(name, **parameters))
        for name, kinds in PARAMETERS.items()
        for number, parameters in enumerate(kinds)
    },
}

AT = "2026-01-31T09:30:00+00:00"
RECORD = Record(
    lab="2-same-words-other-meaning",
    title="Same words, other meaning",
    learner="",
    started=AT,
    changed=AT,
    explorer="0.1.0",
    at="guess",
    steps={"guess": StepRecord(explored=True, notes="Not sure yet.")},
    titles={"guess": "Which one?"},
)
REPORT = Record(
    lab="example",
    title="Attention reads a *set*",
    learner="Ada 狗",
    started=AT,
    changed=AT,
    explorer="0.1.0",
    at="words",
    steps={
        "reorder": StepRecord(
            kind="choice",
            answer="same",
            answer_words="It moves along.",
            reason="A sum has no order.",
            committed=AT,
            outcome=Outcome(answer="same", words="It moves along.", feedback="same", right=True),
            doubts=("equivariance.value < 1e-4",),
            values={"equivariance.value": "2e-7"},
            done=AT,
            session="rich",
            hints=2,
            shown=True,
            explored=True,
            notes="So it is.",
            pictures=(Picture(plot="attention", session="plain", note="before"), Picture(plot="waves", session="rich")),
        ),
        "count": StepRecord(
            kind="number",
            answer=6.0,
            answer_words="6",
            committed=AT,
            outcome=Outcome(answer=None, words="There is none."),
            done=AT,
            session="plain",
        ),
        "order": StepRecord(kind="order", answer=("a", "b"), answer_words="a, b", committed=AT),
        "sketch": StepRecord(
            kind="sketch",
            plot="waves",
            curve=1,
            answer=((0.0, 1.0), (5.0, -0.5)),
            answer_words="a curve",
            committed=AT,
            outcome=Outcome(answer=((0.0, 0.0), (5.0, 1.0)), words="a sine", feedback="wrong", right=False),
            done=AT,
            session="plain",
        ),
        "words": StepRecord(kind="text", answer="Much.", answer_words="Much.", committed=AT),
    },
    titles={"reorder": "Does it change?", "words": "Your words"},
    asked={"reorder": "What happens?"},
    options={"reorder": {"same": "It moves along.", "not-same": "It changes."}},
)
RECORDS = {"record": RECORD, "report": REPORT}


def with_sessions(record: Record, kept: Any) -> Record:
    """The record with `kept(session)` wherever it holds a session's text."""

    def with_kept(step: StepRecord) -> StepRecord:
        pictures = tuple(picture.model_copy(update={"session": kept(picture.session)}) for picture in step.pictures)
        return step.model_copy(
            update={"session": kept(step.session) if step.session else "", "pictures": pictures},
        )

    return record.model_copy(update={"steps": {name: with_kept(step) for name, step in record.steps.items()}})
