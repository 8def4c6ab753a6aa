"""Tokenizers of files that were made with the tokenizers library or are none."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE, WordLevel
from tokenizers.processors import TemplateProcessing

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.panels import Note
from posenc_gui.foundation.errors import Undefined
from posenc_gui.session.evaluate import evaluate
from posenc_gui.text.tokenization import LARGEST_TOKENIZER, tokenize


def word_level(path: Path) -> Path:
    """Words by white space; with a template that would add special tokens, which the explorer doesn't ask for."""
    made = Tokenizer(WordLevel({"[CLS]": 0, "The": 1, "cat": 2, "[UNK]": 3}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 0)])
    made.save(str(path))
    return path


def tiny_bpe(path: Path) -> Path:
    """Three merges over bytes, as GPT-2 writes them: a space is Ġ."""
    letters = {letter: index for index, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("a", "t"), ("Ġ", "c"), ("Ġc", "at")]
    pieces = {one + other: len(letters) + index for index, (one, other) in enumerate(merges)}
    made = Tokenizer(BPE(letters | pieces, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.save(str(path))
    return path


def test_a_word_level_file_splits_as_it_was_made_to(tmp_path: Path) -> None:
    session = pe.Session(text="The cat sat", tokenizer=str(word_level(tmp_path / "tokenizer.json")))
    assert session.tokens == ("The", "cat", "[UNK]")
    assert pe.attend(session).probabilities.shape == (4, 3, 3)


def test_a_bpe_file_merges_as_it_was_made_to(tmp_path: Path) -> None:
    session = pe.Session(text="at cat hat", tokenizer=str(tiny_bpe(tmp_path / "tokenizer.json")))
    assert session.tokens == ("at", "cat", "␣", "h", "at")
    assert session.scene.sentence.twins == {0, 4}
    assert pe.plot("attention", session).panels[0].rows.labels == session.tokens


@pytest.mark.parametrize("make", [word_level, tiny_bpe])
def test_tokens_of_a_file_are_put_in_another_order_and_saved(make: Callable[[Path], Path], tmp_path: Path) -> None:
    session = pe.Session(text="The cat", tokenizer=str(make(tmp_path / "tokenizer.json")))
    reversed_ = session.reordered(tuple(reversed(session.scene.sentence.order)))
    assert reversed_.tokens == session.tokens[::-1]
    assert pe.Session.load(reversed_.save(tmp_path / "session.json")) == reversed_


# --- What is no such file


BROKEN: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "folder": Path.mkdir,
    "huge": lambda path: (path.touch(), os.truncate(path, LARGEST_TOKENIZER + 1)),
    "other JSON": lambda path: path.write_text('{"model": {"type": "none that is known"}}', encoding="utf-8"),
    "no text": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_that_is_none_is_one_sentence_in_every_plot(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    BROKEN[kind](path)
    session = pe.Session(text="The cat", tokenizer=str(path))
    for drawn in evaluate(session, pe.plots(), Engine()):
        (note,) = drawn.figure.panels
        assert isinstance(note, Note)
        assert re.fullmatch(r".*broken\.json.*\.", note.text)
    assert session.n_tokens == 0
    assert pe.Session.load(session.save(tmp_path / "session.json")) == session
    assert session.changed(tokenizer="words").tokens == ("the", "cat")


def test_a_file_that_can_t_split_a_text_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    Tokenizer(WordLevel({"a": 0}, unk_token="[UNK]")).save(str(path))
    session = pe.Session(text="b", tokenizer=str(path))
    assert session.n_tokens == 0
    with pytest.raises(ValueError, match="can't split this text"):
        _ = session.tokens


@pytest.mark.skipif(os.name != "posix", reason="Windows' names may hold it")
def test_a_name_that_no_file_can_have_is_one_sentence() -> None:
    with pytest.raises(Undefined, match=r"tokenizer half U\+D800\.json can't be read: This is not a valid file name"):
        tokenize("The cat", "half \ud800.json")
