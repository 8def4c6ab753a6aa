"""Tokenizer files that harm who reads them: each is one sentence, and nothing of it reaches the explorer's process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui.foundation.errors import Undefined
from posenc_gui.text import tokenizer_client
from posenc_gui.text.tokenization import LONGEST_PATH, MAX_TOKENS, tokenize
from posenc_gui.text.tokenizer_client import NoTokens, TokenizerClient
from posenc_gui.text.tokenizer_process import TEXT

FLAGS = {"single_word": False, "lstrip": False, "rstrip": False}
WORDS = {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "[UNK]": 2}, "unk_token": "[UNK]"}
UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0.0]]}
BY_SPACES = {"type": "WhitespaceSplit"}


def content(**parts: Any) -> str:
    """A tokenizer.json that splits by white space, but for these parts."""
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": BY_SPACES,
        "post_processor": None,
        "decoder": None,
        "model": WORDS,
    }
    return json.dumps(whole | parts)


def each(pattern: str, replacement: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": replacement}


def sequence(*normalizers: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": normalizers}


def split_by(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


PARTINGS = "(a+)+$"
# Two minutes: in each of a thousand steps every way to part the letters is tried, and none is found.
SLOW = content(normalizer=sequence(*[each(PARTINGS, "c")] * 1000))
LONG = "a" * 22 + "b"
PLAIN = content()


def padding(length: int) -> dict[str, Any]:
    parts = {"direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}
    return {"strategy": {"Fixed": length}, **parts}


def truncation(length: int) -> dict[str, Any]:
    return {"max_length": length, "stride": length, "strategy": "LongestFirst", "direction": "Right"}


@pytest.fixture
def save(tmp_path: Path) -> Callable[[str | bytes], str]:
    def saved(data: str | bytes) -> str:
        path = tmp_path / "mine.json"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    return saved


@pytest.fixture
def own() -> Iterator[TokenizerClient]:
    """A splitter of its own, which ends with the test."""
    made = TokenizerClient(MAX_TOKENS)
    yield made
    made.close()


def splits(one: TokenizerClient, data: str, text: str = "a b c") -> tuple[str, ...]:
    return one.ask((TEXT, text), data, data.encode)


@pytest.mark.parametrize(
    "parts",
    [
        {"truncation": truncation(2)},  # the library panics over a stride as long as what is kept
        {"truncation": truncation(0)},
        {"padding": padding(4_000_000_000)},
    ],
    ids=["truncated", "to nothing", "padded"],
)
def test_padding_and_truncation_are_left_out(parts: dict[str, Any], save: Callable[[str], str]) -> None:
    assert pe.Session(text="a b c", tokenizer=save(content(**parts))).tokens == ("a", "b", "[UNK]")


NO_TOKENIZER = "mine.json is no tokenizer.json that the tokenizers library can read."
NOT_THIS_TEXT = "mine.json can't split this text: "
PANICS = f"{NOT_THIS_TEXT}the tokenizers library failed."
BREAKS = "mine.json can't be used: the tokenizers library failed or ran out of memory over it."


@pytest.mark.parametrize(
    ("data", "text", "said"),
    [
        (b"", LONG, NO_TOKENIZER),
        (b"\x89PNG\r\n\x1a\n\x00\xff", LONG, NO_TOKENIZER),
        (b"[" * 99_000_000, LONG, NO_TOKENIZER),
        (content(model={"type": "none that is known"}), LONG, NO_TOKENIZER),
        (content(model={"type": "BPE", "vocab": {"a": 0}, "merges": ["a c"]}), LONG, NO_TOKENIZER),
        (content(model={"type": "BPE", "vocab": {"a": 0, "aa": 1}, "merges": ["a a", "aa aa"]}), LONG, NO_TOKENIZER),
        (content(model={"type": "Unigram", "unk_id": 7, "vocab": [["a", 0.0]]}), LONG, NO_TOKENIZER),
        (content(model={"type": "Unigram", "unk_id": None, "vocab": [["b", 0.0]]}), LONG, NOT_THIS_TEXT),
        (content(model={**WORDS, "unk_token": "?"}), LONG, NOT_THIS_TEXT),
        (content(pre_tokenizer=split_by(PARTINGS)), "a" * 30 + "b", PANICS),
        (content(pre_tokenizer={"type": "FixedLength", "length": 0}), LONG, PANICS),
        (content(normalizer=sequence(*[each("a", "a" * 10**5)] * 6)), LONG, BREAKS),
        (content(normalizer={"type": "Precompiled", "precompiled_charsmap": "////f0FBQUFBQUFB"}), LONG, BREAKS),
        (content(pre_tokenizer=None, model=UNIGRAM), "é" * 1_000_001, f"{NOT_THIS_TEXT}a token has more than"),
    ],
    ids=[
        *("nothing", "no text", "100 MB of brackets", "unknown kind"),
        *("merges what is not there", "merges past the end", "no such row", "no unknown", "other unknown"),
        *("pattern that never ends", "parts of no length", "bomb", "damaged table", "one long token"),
    ],
)
def test_each_is_one_sentence_and_nothing_of_it_is_seen_outside(
    data: str | bytes, text: str, said: str, save: Callable[[str | bytes], str], capfd, monkeypatch
) -> None:
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 60.0)  # a bomb takes seconds to fill the memory
    resource = pytest.importorskip("resource")
    path = save(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Undefined) as refusal:
        tokenize(text, path)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert re.fullmatch(re.escape(said) + ".*", str(refusal.value))
    assert capfd.readouterr() == ("", "")
    assert grown * (1 if sys.platform == "darwin" else 1024) < 300_000_000
    assert tokenize("The cat", "words") == ("the", "cat")


def test_tokens_are_as_many_as_are_read_and_special_ones_are_left_out(save: Callable[[str], str]) -> None:
    path = save(content(added_tokens=[{"id": 3, "content": "c", "special": True, "normalized": False} | FLAGS]))
    assert tokenize("a " * (MAX_TOKENS + 5), path) == ("a",) * MAX_TOKENS
    assert tokenize("", path) == ()
    assert tokenize("a\x00 b", path) == ("[UNK]", "b")


# --- The process


def test_a_content_that_broke_it_twice_is_not_tried_again_and_others_are(own: TokenizerClient) -> None:
    asked = []
    breaking = content(normalizer={"type": "Precompiled", "precompiled_charsmap": "////f0FBQUFBQUFB"})

    def given() -> bytes:
        asked.append(breaking)
        return breaking.encode()

    for text in ("a", "b"):
        with pytest.raises(NoTokens, match="failed or ran out of memory"):
            own.ask((TEXT, text), "mark", given)
    assert len(asked) == 2
    assert splits(own, PLAIN) == ("a", "b", "[UNK]")


def test_a_content_is_sent_once_and_again_to_a_new_process(own: TokenizerClient) -> None:
    asked = []

    def given() -> bytes:
        asked.append(PLAIN)
        return PLAIN.encode()

    for text in ("a", "a b", "a b"):
        assert own.ask((TEXT, text), "mark", given) == tuple(text.split())
    assert len(asked) == 1
    own.close()
    assert own.ask((TEXT, "b"), "mark", given) == ("b",)
    assert len(asked) == 2


def test_a_text_that_takes_too_long_is_refused_alone(own: TokenizerClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert splits(own, PLAIN) == ("a", "b", "[UNK]")
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 1.0)
    for _ in range(2):  # the second time it is remembered
        with pytest.raises(NoTokens, match="takes longer than 1 s with this text"):
            splits(own, SLOW, LONG)
    monkeypatch.undo()
    assert splits(own, SLOW, "") == ()
    assert splits(own, PLAIN, "b") == ("b",)


def test_a_content_that_takes_too_long_is_refused(own: TokenizerClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 0.02)
    with pytest.raises(NoTokens, match=r"takes longer than 0\.02 s to read"):
        splits(own, PLAIN + " " * 90_000_000)


# Time must pass here: that a library is found slowly is what is tested.
SLOW_DISK = """
import sys, time
time.sleep(1.5)
del sys.modules[__name__]
sys.path.remove({folder!r})
import tokenizers
"""


@pytest.mark.slow
def test_a_library_that_is_found_slowly_costs_a_content_no_patience(
    own: TokenizerClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tokenizers.py").write_text(SLOW_DISK.format(folder=str(tmp_path)), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 1.0)
    assert splits(own, PLAIN) == ("a", "b", "[UNK]")


def test_a_process_that_doesn_t_start_is_tried_again_when_asked(
    own: TokenizerClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tokenizers.py").write_text("raise MemoryError", encoding="utf-8")
    with monkeypatch.context() as broken:
        broken.syspath_prepend(tmp_path)
        with pytest.raises(OSError, match="The tokenizer process could not be started"):
            splits(own, PLAIN)
    assert splits(own, PLAIN) == ("a", "b", "[UNK]")


class Stopped(BaseException):
    """As the worker's."""


@pytest.mark.slow
def test_who_waits_can_be_stopped(own: TokenizerClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        raise Stopped

    monkeypatch.setattr(tokenizer_client, "PATIENCE", 3.0)
    for text in (LONG, f"{LONG}a", f"{LONG}aa"):  # only the first begins
        with pytest.raises(Stopped):
            own.ask((TEXT, text), SLOW, SLOW.encode, stop)
    assert splits(own, PLAIN) == ("a", "b", "[UNK]")
    with pytest.raises(NoTokens, match="takes longer than"):
        splits(own, SLOW, LONG)


def test_what_nobody_waits_for_makes_way_for_another_tokenizer(
    own: TokenizerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 10_000.0)
    begun = Event()

    def given() -> bytes:
        begun.set()
        return SLOW.encode()

    def stop() -> None:
        if begun.is_set():
            raise Stopped

    with pytest.raises(Stopped):
        own.ask((TEXT, LONG * 100), SLOW, given, stop)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(splits, own, PLAIN).result(60) == ("a", "b", "[UNK]")


def test_who_asks_again_for_what_made_way_is_answered(own: TokenizerClient) -> None:
    reading, other_waits, asked_again = Event(), Event(), Event()

    def given() -> bytes:
        reading.set()
        asked_again.wait()
        return PLAIN.encode()

    def stop() -> None:
        if reading.is_set():
            raise Stopped

    with pytest.raises(Stopped):
        own.ask((TEXT, "a"), "first", given, stop)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(own.ask, (TEXT, "b"), "other", PLAIN.encode, other_waits.set)
        other_waits.wait()
        assert own.ask((TEXT, "a"), "first", PLAIN.encode, asked_again.set) == ("a",)
        assert other.result() == ("b",)


def test_a_content_that_can_t_be_had_is_asked_for_again(own: TokenizerClient) -> None:
    def missing() -> bytes:
        raise TimeoutError("the network drive is gone")

    with pytest.raises(TimeoutError, match="drive"):
        own.ask((TEXT, "a"), "mark", missing)
    assert own.ask((TEXT, "a"), "mark", PLAIN.encode) == ("a",)


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for processes")


def children() -> set[int]:
    return {int(number) for path in Path("/proc/self/task").glob("*/children") for number in path.read_text().split()}


@needs_linux
def test_who_kills_it_costs_no_content(own: TokenizerClient) -> None:
    others = children()
    assert splits(own, PLAIN) == ("a", "b", "[UNK]")
    killed: list[int] = []

    def kill() -> None:
        if not killed:
            killed.extend(children() - others)
            os.kill(killed[0], signal.SIGKILL)

    slow = content(normalizer=sequence(*[each(PARTINGS, "c")] * 5))
    assert own.ask((TEXT, LONG), slow, slow.encode, kill) == ("[UNK]",)
    assert len(killed) == 1


BEGINS = """
import os
import sys
from pathlib import Path
from threading import Event

from posenc_gui.text.tokenization import tokenize

print(*tokenize("a b", sys.argv[1]), flush=True)
"""


def script(path: str, rest: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BEGINS + rest, path]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@needs_linux
def test_a_copy_of_the_explorer_s_process_has_its_own(save: Callable[[str], str]) -> None:
    forks = """
if os.fork() == 0:
    print(*tokenize("b", sys.argv[1]), flush=True)
    sys.exit()
os.wait()
print(*tokenize("b a b", sys.argv[1]))
"""
    with script(save(PLAIN), forks) as explorer:
        said, _ = explorer.communicate(timeout=180)
    assert said.split("\n")[:3] == ["a b", "b", "b a b"]
    assert explorer.returncode == 0


# --- Its path in a session


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/a\x00.json", "contain control characters"),
        ("/a\n\x1b[2J.json", "contain control characters"),
        (f"/{'a' * LONGEST_PATH}.json", "has at most 4,096 characters, not 4,102"),
        *((path, "must be a local file") for path in (r"\\host\share\t.json", "//host/share/t.json", r"\/host\t.json")),
        *((path, "must be a local file") for path in (r"\\?\C:\t.json", r"\\.\pipe\t.json", r"\??\UNC\host\t.json")),
        *((path, "must be a local file") for path in ("https://host/t.json", "FILE:/host/t.json", "smb://host/t.json")),
    ],
    ids=lambda part: part[:20].encode("unicode_escape").decode(),
)
def test_a_session_names_a_tokenizer_by_a_local_path_alone(path: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=why):
        pe.Session(tokenizer=path)
    file = tmp_path / "session.json"
    written = json.loads(pe.Session(tokenizer="t.json").to_json())
    written["session"]["tokenizer"] = path
    file.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"session\.json.*tokenizer.*{why}"):
        pe.Session.load(file)
    with pytest.raises(ValueError, match=why):
        tokenize("a", path)


@pytest.mark.parametrize("path", [r"C:\a\t.json", "C:t.json", "t.json", "../a b/狗.json", "/a:b/t.json", "http.json"])
def test_other_paths_are_allowed(path: str) -> None:
    session = pe.Session(tokenizer=path)
    assert pe.Session.from_json(session.to_json()) == session


def test_no_session_asks_a_file_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    stat = Path.stat

    def noted(self: Path, **how: bool) -> os.stat_result:
        asked.append(self)
        return stat(self, **how)

    monkeypatch.setattr(Path, "stat", noted)
    path = tmp_path / "mine.json"
    session = pe.Session(text="a b c", tokenizer=str(path), order=(2, 0, 1))
    assert session.changed(focus=2).reordered((0, 2, 1)).changed(keep_case=True).order == ()
    assert pe.Session.from_json(session.to_json()) == session
    assert hash(session) == hash(pe.Session(**dict(session)))
    for order in ((0, 0, 1), (1, 2), (-1, 0)):
        with pytest.raises(ValueError, match="order must hold each of 0 to"):
            session.changed(order=order)
    assert path not in asked


def test_an_order_of_more_or_fewer_tokens_than_the_file_gives_is_the_typed_one(save: Callable[[str], str]) -> None:
    session = pe.Session(text="a b c", tokenizer=save(PLAIN), order=(1, 0))
    assert session.tokens == ("a", "b", "[UNK]")
    assert session.scene.sentence.order == (0, 1, 2)
    assert session.changed(order=(2, 1, 0)).tokens == ("[UNK]", "b", "a")
