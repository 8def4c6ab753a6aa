"""Files age well: each released format's files, kept for ever, give the very sessions and records that were saved.

`tests/recorded/record.py` writes them; what stands in `format-N` is never written again. What must come of them is spelt
out in `tests/recorded/meant.json` with every value, so that a default that changes later changes nothing of it.
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
from posenc_gui.foundation.former_names import PLOTS
from posenc_gui.labs.definition.record import Record, StepRecord
from posenc_gui.session.released_defaults import DEFAULTS, Defaults
from posenc_gui.session.session import FILE

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "recorded"
FORMATS = sorted(folder.name for folder in RECORDED.glob("format-*"))
FIGURES = ("svg", "pdf", "png", "npz")

# Rich: everything is something else than a new session has. Plain: what a new session was when the first format was
# released. Parameters: each encoding's defaults when it was released, and others.
MEANT: dict[str, Any] = json.loads((RECORDED / "meant.json").read_text(encoding="utf-8"))
RICH, PLAIN = (pe.Session(**MEANT["sessions"][name]) for name in ("rich", "plain"))
SESSIONS: Mapping[str, pe.Session] = {
    "rich": RICH,
    "plain": PLAIN,
    **{
        f"{name}-{number}": PLAIN.changed(encoding=pe.encoding(name, **parameters))
        for name, kinds in MEANT["parameters"].items()
        for number, parameters in enumerate(kinds)
    },
}
RECORDS = {name: Record(**fields) for name, fields in MEANT["records"].items()}


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


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.parametrize("folder", FORMATS)
def test_an_older_file_means_what_it_meant_when_defaults_have_changed(folder: str, name: str) -> None:
    assert Later.load(RECORDED / folder / f"{name}.json").model_dump() == SESSIONS[name].model_dump()


def test_a_later_explorer_s_defaults_are_the_same_session_in_an_older_one(tmp_path: Path) -> None:
    session = Later()
    assert (session.focus, session.encoding.name, session.model.n_heads) == (0, "alibi", 2)
    path = session.save(tmp_path / "later.json")
    assert Later.load(path) == session
    assert pe.Session.load(path).model_dump() == session.model_dump()


@pytest.mark.parametrize("name", SESSIONS)
def test_what_a_later_explorer_saves_is_the_same_session_in_both(name: str) -> None:
    text = Later(**dict(SESSIONS[name]) | {"model": LaterModel(**dict(SESSIONS[name].model))}).to_json()
    assert Later.from_json(text).model_dump() == pe.Session.from_json(text).model_dump() == SESSIONS[name].model_dump()


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
    for former, plot in PLOTS.items():
        path = path.replace(f"plots.{former}.", f"plots.{plot}.")
    assert path in now, f"files that hold {path} can't be opened any more"
    assert now[path] == then, f"files without {path} mean {then!r}: add that to DEFAULTS in released_defaults.py"


def test_all_defaults_of_a_release_are_recorded() -> None:
    newest = re.search(r"^## \[(.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    missing = [] if newest is None or newest[1].endswith("unreleased") else sorted(all_defaults().keys() - RELEASED)
    assert missing == [], "run python tests/recorded/record.py"
