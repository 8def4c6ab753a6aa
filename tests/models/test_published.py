"""Published config.json files, judged by hand against their models' code: read as they act, or refused with a reason.

`published.json` has of each file the fields that are read (of lists over layers each value once), and where it was found.
A row says the encoding of layers that see all tokens, `other` that of local ones, `shape` d_model, heads and d_head,
`lengths` what it was trained on and extended to, `said` a few words of each sentence about what isn't modelled, `assumed`
the numbers that the file lacks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui.models.config import understood

ROWS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))


def encoding(row: dict[str, Any] | None) -> Any:
    """The encoding of a row; None for none."""
    return None if row is None else pe.encoding(row["name"], **{name: row[name] for name in row if name != "name"})


def test_published_configs_are_read_as_their_models_act() -> None:
    for row in ROWS:
        if "refused" in row:
            continue
        found = understood(row["config"])
        assert (found.encoding, found.other) == (encoding(row["encoding"]), encoding(row.get("other"))), row["model"]
        shape = [found.model.d_model, found.model.n_heads, found.model.head_width]
        assert (shape, found.model.causal) == (row["shape"], row["causal"]), row["model"]
        assert found.model.scale == (pytest.approx(row["scale"]) if "scale" in row else None), row["model"]
        assert [found.trained_length, found.context] == row["lengths"], row["model"]
        assert len(found.unmodelled) == len(row["said"]), row["model"]
        assert all(words in told for words, told in zip(row["said"], found.unmodelled, strict=True)), row["model"]
        assert [told.partition(" (")[0] for told in found.filled] == row["assumed"], row["model"]


def test_published_configs_that_are_no_session_are_refused_with_a_reason() -> None:
    for row in ROWS:
        if "refused" in row:
            with pytest.raises(ValueError, match=r".") as refused:
                understood(row["config"])
            assert str(refused.value).startswith(row["refused"]), row["model"]
