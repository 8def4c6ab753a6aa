"""Tokenizer files, one of them sound; on the others the tokenizers library panics, or takes all memory or time."""

from __future__ import annotations

_VOCABULARY = {"[UNK]": 0, "the": 1, "cat": 2, "sat": 3}
_MODEL = {"type": "WordLevel", "vocab": _VOCABULARY, "unk_token": "[UNK]"}
_SPLIT = {"type": "Whitespace"}


def _tokenizer(**parts: object) -> dict[str, object]:
    empty = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    return {"version": "1.0", "added_tokens": [], **empty, "pre_tokenizer": _SPLIT, "model": _MODEL, **parts}


def _replacing(pattern: str, by: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": by}


def _padding(length: int) -> dict[str, object]:
    said = {"pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]", "pad_to_multiple_of": None}
    return {"strategy": {"Fixed": length}, "direction": "Right", **said}


def _truncation(length: int, stride: int) -> dict[str, object]:
    return {"direction": "Right", "max_length": length, "strategy": "LongestFirst", "stride": stride}


TOKENIZERS = {
    "sound": _tokenizer(),
    "stride = max_length": _tokenizer(truncation=_truncation(2, 2)),
    "stride > max_length": _tokenizer(truncation=_truncation(1, 5)),
    "max_length 0": _tokenizer(truncation=_truncation(0, 0)),
    "padded to 4e9": _tokenizer(padding=_padding(4_000_000_000)),
    "padded to 2e7": _tokenizer(padding=_padding(20_000_000)),
    "each letter a thousand": _tokenizer(normalizer=_replacing("t", "t" * 1000)),
    "doubled forty times": _tokenizer(
        normalizer={"type": "Sequence", "normalizers": [_replacing("t", "tt") for _ in range(40)]}
    ),
    "a pattern that backtracks": _tokenizer(
        pre_tokenizer={"type": "Split", "pattern": {"Regex": "(t|t)*x|(a+)+$"}, "behavior": "Isolated", "invert": False}
    ),
    "no unknown token": _tokenizer(model={**_MODEL, "unk_token": "gone"}),
    "a hundred thousand added": _tokenizer(
        added_tokens=[
            {
                "id": 4 + i,
                "content": f"a{i}",
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": True,
            }
            | {"special": False}
            for i in range(100_000)
        ]
    ),
    "huge ids": _tokenizer(model={**_MODEL, "vocab": {**_VOCABULARY, "x": 2**32 - 1}}),
}
