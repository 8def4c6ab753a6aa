"""Published config.json files, judged by hand against their models' code: read as they act, or refused with a reason.

`published/` has each file whole, with `/` in the model's name as `--`; `published.json` says what is right, and where the
file was found. A row says the encoding of layers that see all tokens, `other` that of local ones, `shape` d_model, heads and
d_head, `lengths` what it was trained on and extended to, `said` a few words of each sentence about what isn't modelled,
`assumed` the numbers that the file lacks. Of a `trimmed` file no whole copy was found: it has the fields that are read.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import posenc_gui as pe
from posenc_gui.encodings.rope import RoPE
from posenc_gui.foundation.wording import join_words
from posenc_gui.models.config import understood
from tools.later import Later

transformers = Later("transformers")

ROWS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
FILES = Path(__file__).with_name("published")


def file_of(model: str) -> Path:
    """The config.json of a model."""
    return FILES / f"{model.replace('/', '--').replace(' ', '-')}.json"


def encoding(row: dict[str, Any] | None) -> Any:
    """The encoding of a row; None for none."""
    return None if row is None else pe.encoding(row["name"], **{name: row[name] for name in row if name != "name"})


def test_published_configs_are_read_as_their_models_act() -> None:
    for row in ROWS:
        if "refused" in row:
            continue
        found = understood(file_of(row["model"]))
        assert (found.encoding, found.other) == (encoding(row["encoding"]), encoding(row.get("other"))), row["model"]
        shape = [found.model.d_model, found.model.n_heads, found.model.head_width]
        assert (shape, found.model.causal) == (row["shape"], row["causal"]), row["model"]
        assert found.model.scale == (pytest.approx(row["scale"]) if "scale" in row else None), row["model"]
        assert [found.trained_length, found.context] == row["lengths"], row["model"]
        assert len(found.unmodelled) == len(row["said"]), row["model"]
        assert all(words in told for words, told in zip(row["said"], found.unmodelled, strict=True)), row["model"]
        numbers = [told for told in row["assumed"] if " is the length " not in told]
        assumed = [*([join_words(numbers)] if numbers else []), *row["assumed"][len(numbers) :]]
        assert [told.partition(" (")[0] for told in found.filled] == assumed, row["model"]


def test_published_configs_that_are_no_session_are_refused_with_a_reason() -> None:
    for row in ROWS:
        if "refused" in row:
            with pytest.raises(ValueError, match=r".") as refused:
                understood(file_of(row["model"]))
            assert str(refused.value).startswith(f"{file_of(row['model']).name}: {row['refused']}"), row["model"]


def test_each_file_has_a_row_and_each_row_a_file() -> None:
    assert sorted(file_of(row["model"]) for row in ROWS) == sorted(FILES.iterdir())


def rotations(folder: Path) -> Iterator[tuple[torch.Tensor, float]]:
    """The frequencies and the attention factor of each kind of layers, as the model's own rotary module has them; nothing
    where transformers has a config and no model."""
    config = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False).get_text_config()
    name = type(config).__module__.replace("configuration", "modeling")
    module = importlib.import_module(name) if importlib.util.find_spec(name) else None
    for name in vars(module) if module else ():
        if re.search("Rotary(Pos)?Emb", name) and not re.search("Vision|Audio|2D", name):
            rotary = getattr(module, name)(config)
            for buffer, frequencies in rotary.named_buffers():
                if buffer.endswith("inv_freq") and "original" not in buffer:
                    factors = (buffer.replace("inv_freq", "attention_scaling"), "attention_scaling")
                    yield frequencies, next((getattr(rotary, one) for one in factors if hasattr(rotary, one)), 1.0)


@pytest.mark.slow
def test_published_rotations_are_those_of_transformers(tmp_path) -> None:
    compared = 0
    for row in ROWS:
        if (
            "refused" in row
            or json.loads(file_of(row["model"]).read_bytes())["model_type"] not in transformers.CONFIG_MAPPING
        ):
            continue
        shutil.copy(file_of(row["model"]), tmp_path / "config.json")
        found, known = understood(tmp_path / "config.json"), list(rotations(tmp_path))
        for own in (found.encoding, found.other):
            if isinstance(own, RoPE) and known:
                mine = own.frequencies(own.rotated(found.model.head_width), 1).float()
                theirs = [one for one, factor in known if factor == pytest.approx(own.attention_factor)]
                assert any(one.shape == mine.shape and torch.allclose(one, mine, rtol=1e-5) for one in theirs), row[
                    "model"
                ]
                compared += 1
    assert compared > 80
