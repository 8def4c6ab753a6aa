"""Files age well: each released format's files, kept for ever, give the very sessions and records that were saved.

`tests/recorded/record.py` writes them; what stands in `format-N` is never written again. What must come of them is spelt
out here with every value, so that a default that changes later changes nothing of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

import posenc_gui as pe
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files.header import Opened
from posenc_gui.labs.definition.record import Outcome, Picture, Record, StepRecord
from posenc_gui.session.released_defaults import DEFAULTS, Defaults
from posenc_gui.session.session import FILE

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "recorded"
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


def with_sessions(record: Record, kept: Callable[[str], str]) -> Record:
    """The record with `kept(session)` wherever it holds a session's text."""

    def with_kept(step: StepRecord) -> StepRecord:
        pictures = tuple(picture.model_copy(update={"session": kept(picture.session)}) for picture in step.pictures)
        return step.model_copy(update={"session": kept(step.session) if step.session else "", "pictures": pictures})

    return record.model_copy(update={"steps": {name: with_kept(step) for name, step in record.steps.items()}})


# --- Every format ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.parametrize("folder", FORMATS)
def test_a_session_file_of_every_format_gives_its_session(folder: str, name: str) -> None:
    assert pe.Session.open(RECORDED / folder / f"{name}.json") == Opened(SESSIONS[name], ())


@pytest.mark.parametrize("suffix", FIGURES)
@pytest.mark.parametrize("folder", FORMATS)
def test_an_exported_figure_of_every_format_gives_its_session(folder: str, suffix: str) -> None:
    assert pe.Session.open(RECORDED / folder / f"figure.{suffix}") == Opened(RICH, ())


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("folder", FORMATS)
def test_a_lab_s_record_of_every_format_gives_what_was_recorded(folder: str, name: str) -> None:
    def name_of(text: str) -> str:
        session = pe.Session.from_json(text)
        return next(name for name in ("rich", "plain") if SESSIONS[name] == session)

    opened = Record.open(RECORDED / folder / f"{name}.json")
    assert Opened(with_sessions(opened.content, name_of), opened.remarks) == Opened(RECORDS[name], ())


def test_the_format_that_is_written_is_recorded() -> None:
    assert f"format-{FILE.version}" in FORMATS


# --- Defaults that change -------------------------------------------------------------------------------------------


class LaterModel(pe.ToyModel):
    """A toy model that has two heads and a mask by default."""

    n_heads: int = Field(2, ge=1, le=128)
    causal: bool = True


class Later(pe.Session):
    """The session of a later explorer, which begins with another focus, encoding and model."""

    file_defaults: ClassVar[Defaults] = Defaults(
        {"focus": 2, "encoding": {"name": "sinusoidal"}, "model.n_heads": 4, "model.causal": False}
    )

    focus: int = Field(0, ge=0)
    encoding: AnyEncoding = Field(default_factory=lambda: pe.encoding("alibi"))
    model: LaterModel = LaterModel()


def values_of(session: pe.Session) -> dict[str, Any]:
    return session.model_dump()


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.parametrize("folder", FORMATS)
def test_an_older_file_means_what_it_meant_when_defaults_have_changed(folder: str, name: str) -> None:
    assert values_of(Later.load(RECORDED / folder / f"{name}.json")) == values_of(SESSIONS[name])


def test_a_later_explorer_s_defaults_are_the_same_session_in_an_older_one(tmp_path: Path) -> None:
    session = Later()
    assert (session.focus, session.encoding.name, session.model.n_heads) == (0, "alibi", 2)
    path = session.save(tmp_path / "later.json")
    assert Later.load(path) == session
    assert values_of(pe.Session.load(path)) == values_of(session)


@pytest.mark.parametrize("name", SESSIONS)
def test_what_a_later_explorer_saves_is_the_same_session_in_both(name: str) -> None:
    text = Later(**dict(SESSIONS[name]) | {"model": LaterModel(**dict(SESSIONS[name].model))}).to_json()
    assert values_of(Later.from_json(text)) == values_of(pe.Session.from_json(text)) == values_of(SESSIONS[name])


def test_defaults_of_encodings_and_plots_may_have_been_others_too() -> None:
    class Now(pe.Session):
        file_defaults: ClassVar[Defaults] = Defaults(
            {"encoding[sinusoidal].base": 100.0, "encoding[rope].pairing": "interleaved", "plots.attention.head": 1}
        )

    empty = Now.from_json(pe.Session().to_json())
    assert empty.encoding == pe.encoding("sinusoidal", base=100.0)
    assert empty.plots.attention.head == 1
    assert Now.from_json(pe.Session(encoding="rope").to_json()).encoding == pe.encoding("rope", pairing="interleaved")
    for session in (empty, Now(), Now(encoding="rope"), Now(encoding=pe.encoding("rope", pairing="interleaved"))):
        assert Now.from_json(session.to_json()) == session


class Stretched(Frozen):
    kind: Literal["stretched"] = "stretched"
    factor: float = 2.0
    whole: bool = True


class Listed(Frozen):
    kind: Literal["listed"]
    factors: tuple[float, ...] = ()


class Share(Frozen):
    first: int = 0
    most: float = 1.0


class Grouped(Frozen):
    """Groups of every kind: one of several, one that may be missing, one that begins with other values than its own."""

    scaling: Stretched | Listed | None = Field(None, discriminator="kind")
    always: Stretched | Listed = Field(Stretched(factor=4.0), discriminator="kind")
    share: Share | None = None
    other: Share = Share(first=3)
    shares: tuple[Share, ...] = ()
    named: Mapping[str, Share] = Field({})


shares = st.builds(Share, first=st.integers(0, 4), most=st.sampled_from([0.5, 1.0]))
scalings = st.builds(Stretched, factor=st.sampled_from([2.0, 4.0, 8.0]), whole=st.booleans()) | st.builds(
    Listed, kind=st.just("listed"), factors=st.lists(st.sampled_from([1.0, 2.0]), max_size=2).map(tuple)
)
grouped = st.builds(
    Grouped,
    scaling=st.none() | scalings,
    always=scalings,
    share=st.none() | shares,
    other=shares,
    shares=st.lists(shares, max_size=2).map(tuple),
    named=st.dictionaries(st.sampled_from(["first", "kind"]), shares),
)
firsts = st.fixed_dictionaries(
    {},
    optional={
        "scaling": st.just({"kind": "listed"}),
        "scaling[stretched].factor": st.just(8.0),
        "always[stretched].whole": st.just(False),
        "other": st.just({"most": 0.5}),
        "other.first": st.just(1),
        "shares.*.first": st.just(4),
        "named.*.most": st.just(0.5),
    },
)


@given(grouped, firsts)
def test_groups_come_back_whatever_their_first_defaults_were(value: Grouped, first: dict[str, Any]) -> None:
    defaults = Defaults(first)
    assert Grouped.model_validate(defaults.completed(Grouped, defaults.shortened(value))) == value


def test_a_group_is_told_apart_and_only_what_differs_in_it_is_written() -> None:
    defaults = Defaults({"scaling[stretched].whole": False})
    assert defaults.shortened(Grouped()) == {}
    value = Grouped(scaling=Stretched(), other=Share(), named={"a": Share(most=0.5)})
    assert defaults.shortened(value) == {
        "scaling": {"kind": "stretched", "whole": True}, "other": {}, "named": {"a": {"most": 0.5}},
    }  # fmt: skip
    older = defaults.completed(Grouped, {"scaling": {"kind": "stretched"}})
    assert Grouped.model_validate(older) == Grouped(scaling=Stretched(whole=False))


# --- Defaults that were released ------------------------------------------------------------------------------------


def all_defaults() -> dict[str, Any]:
    return DEFAULTS.listed(pe.Session) | DEFAULTS.listed(Record, "record.")


RELEASED: dict[str, Any] = json.loads((RECORDED / "defaults.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", RELEASED)
def test_a_default_that_was_released_is_still_what_files_mean(path: str) -> None:
    now, then = all_defaults(), RELEASED[path]
    assert path in now, f"files that hold {path} can't be opened any more"
    assert now[path] == then, (
        f"files without {path} mean {then!r}: write {{{path!r}: {then!r}}} to DEFAULTS in ageing.py"
    )


def test_all_defaults_of_a_release_are_recorded() -> None:
    newest = re.search(r"^## \[(.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    missing = [] if newest is None or newest[1].endswith("unreleased") else sorted(all_defaults().keys() - RELEASED)
    assert missing == [], "run python tests/recorded/record.py"
