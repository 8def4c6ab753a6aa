"""A tokenizer of the tokenizers library that knows a few words."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit


def word_tokenizer(*words: str) -> Tokenizer:
    """Split at white space; what isn't among the words is "?"."""
    made = Tokenizer(WordLevel({word: at for at, word in enumerate((*words, "?"))}, unk_token="?"))
    made.pre_tokenizer = WhitespaceSplit()
    return made


def save_tokenizer(path: Path, *words: str) -> Path:
    """Save one to a file."""
    word_tokenizer(*words).save(str(path))
    return path
