"""What nobody gives in good faith, at every door; `tools/attack` tries the same by the thousand, with windows and kills."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.foundation.files import embedded_session
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.record import Record
from posenc_gui.text import tokenization
from tools.attack import disk, models, mutations
from tools.attack.__main__ import KINDS
from tools.attack.outcome import STALL, Outcome

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits, signals and pipes as Unix has them")

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "recorded" / "format-2"
PATIENCE = 180  # seconds after which something is stuck, also beside processes that take all cores
PAUSE = 1.0  # seconds of a window's own work, which take a quarter of that where nothing else runs

READERS: dict[str, Callable[[Path], object]] = {
    "session": pe.Session.load,
    "record": Record.load,
    "lab": parse.load,
    "tokenizer": lambda path: tokenization.tokenize("a b", str(path)),
}


@pytest.fixture(autouse=True)
def _nothing_is_waited_for() -> Iterator[None]:
    """Whatever waits without end, as for a pipe, fails."""

    def fail(*_: object) -> None:
        pytest.fail(f"no answer in {PATIENCE} s")  # no OSError, as TimeoutError would be

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


# --- Files that are none ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("put", mutations.FILES)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_refused_in_a_sentence(reader: str, put: str, tmp_path: Path) -> None:
    path = tmp_path / ("it.md" if reader == "lab" else "it.json")
    mutations.FILES[put](path)
    with pytest.raises((ValueError, OSError)) as refused:
        READERS[reader](path)
    assert "\n" not in str(refused.value)


# --- Files that are damaged -------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::UserWarning")  # what had to be left out
@pytest.mark.parametrize("name", ["plain.json", "rich.json", "figure.png", "figure.svg", "figure.pdf", "figure.npz"])
@given(seed=st.integers(0, 2**32))
def test_a_damaged_session_opens_as_a_whole_one_or_is_refused(name: str, seed: int, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("damaged") / name
    session = _opened_or_refused(pe.Session.load, path, seed)
    assert session is None or pe.Session.from_json(session.to_json()) == session


@given(seed=st.integers(0, 2**32))
def test_a_damaged_record_opens_as_a_whole_one_or_is_refused(seed: int, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("damaged") / "report.json"
    record = _opened_or_refused(Record.load, path, seed)
    assert record is None or Record.load(record.save(path)) == record


def _opened_or_refused(load: Callable[[Path], T], path: Path, seed: int) -> T | None:
    """What is in a recorded file that was damaged; None where it is refused, in one line."""
    path.write_bytes(_damaged(random.Random(seed), (RECORDED / path.name).read_bytes()))
    refusal = ""
    try:
        return load(path)
    except ValueError as refused:
        refusal = str(refused)
    assert "\n" not in refusal
    return None


def _damaged(rng: random.Random, whole: bytes) -> bytes:
    values = whole if whole.startswith(b"{") else embedded_session.find_session(whole)
    if values is None or rng.random() < 0.5:
        return mutations.BYTES[rng.choice([*mutations.BYTES])](rng, whole)
    document, _ = mutations.mutated(rng, json.loads(values))
    changed = mutations.text_of(document)
    return changed if whole.startswith(b"{") else whole + embedded_session.session_marker(changed.decode()).encode()


# --- The attack itself ------------------------------------------------------------------------------------------------

OWN = ("cards", "orphans", "models")  # what has a test of its own
# How many cases of each kind: a few, of which some meet what the kind is about.
SMALL = dict.fromkeys(KINDS, 2) | dict.fromkeys(("actions", "surroundings", "growth", "closings", "disk"), 1)


@pytest.mark.slow
@pytest.mark.most(1)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in OWN])
def test_every_kind_of_attack_meets_what_it_is_about_and_finds_nothing(kind: str, tmp_path: Path) -> None:
    signal.alarm(0)
    met = 0
    for seed in range(SMALL[kind]):
        folder = tmp_path / str(seed)
        folder.mkdir()
        outcome = KINDS[kind](random.Random(f"{kind} {seed}"), folder)  # as its command does
        assert {fault for fault, _ in outcome.faults} <= {STALL}, outcome.faults  # the machine stalls, too
        met += outcome.met
    assert met > 0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least"), [("cards", len(plots.plots())), ("orphans", 1)])
def test_the_window_waits_for_no_card_and_leaves_no_process(kind: str, least: int, tmp_path: Path) -> None:
    signal.alarm(0)
    killed_while_another_holds_its_pipes = random.Random(10)
    assert_harmless(KINDS[kind](killed_while_another_holds_its_pipes, tmp_path), least)


@pytest.mark.slow
@pytest.mark.most(1)
@pytest.mark.parametrize("kind", models.KINDS)
def test_a_model_that_asks_for_too_much_is_refused_or_stopped_and_the_next_one_opens(kind: str, tmp_path: Path) -> None:
    signal.alarm(0)
    assert_harmless(models.open_one(kind, 1, tmp_path / "case"))


def assert_harmless(outcome: Outcome, least: int = 1) -> None:
    assert {fault for fault, _ in outcome.faults} <= {STALL}, outcome.faults
    assert outcome.pause < PAUSE, outcome.faults
    assert outcome.met >= least


@pytest.mark.slow
@pytest.mark.most(2)
@pytest.mark.parametrize("writer", disk.IN_THE_WINDOW)
def test_a_window_whose_disk_is_full_says_so_and_keeps_the_old_file(writer: str, tmp_path: Path) -> None:
    signal.alarm(0)
    outcome = disk.try_writer(writer, 0, tmp_path, disk_of_its_own=False)
    assert outcome.faults == []
    assert outcome.met == 1
