"""Losses of tokens: transformers' own with `labels=`, under surgery as with the model changed by hand, and past the trained
length.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import posenc_gui as pe
from posenc_gui.checkpoints.records import AS_TRAINED
from tools.later import Later
from tools.tiny_checkpoints import CONFIGS, WORDS, in_memory, write_checkpoint
from tools.tiny_trained import LENGTH, write_copier

transformers = Later("transformers")

TEXT = "the cat sat on the mat dog bites man"
NEXT = ["gpt2", "llama", "gemma2", "bloom", "llama4", "falcon", "gpt_oss", "gptj"]


def with_head(name: str, kind: Any, folder: Path) -> tuple[Path, Any]:
    """Write a tiny model with its head; return its folder and transformers' own model."""
    torch.manual_seed(0)
    path = write_checkpoint(name, folder)
    model = kind.from_config(CONFIGS[name]()).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
    model.save_pretrained(path)
    return path, model


def numbers(session: pe.Session) -> Tensor:
    return torch.tensor([[WORDS.index(token) for token in session.tokens]])


@pytest.mark.parametrize("name", NEXT)
def test_the_mean_is_transformers_own_loss_also_without_rotation(name: str, tmp_path: Path) -> None:
    path, own = with_head(name, transformers.AutoModelForCausalLM, tmp_path)
    session = pe.Session(text=TEXT, model=pe.open_model(path))
    ids, found = numbers(session), pe.measure("loss", session)
    with torch.no_grad():
        assert found.value == pytest.approx(float(own(input_ids=ids, labels=ids).loss), abs=1e-5)
        if session.model.encoding.door == "rotation":
            still = {"position_ids": torch.zeros_like(ids), "attention_mask": torch.ones_like(ids)}
            for rotary in (part for part in own.modules() if hasattr(part, "attention_scaling")):
                rotary.attention_scaling = 1.0  # GPT-OSS's goes with the rotation
            without = float(own(input_ids=ids, labels=ids, **still).loss)
            assert found.outcomes[-1].mean == pytest.approx(without, abs=1e-5)
    assert found.first == 1


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_a_token_that_a_mask_hides_has_transformers_own_loss(name: str, tmp_path: Path) -> None:
    path, own = with_head(name, transformers.AutoModelForMaskedLM, tmp_path)
    session = pe.Session(text="dog bites man", model=pe.open_model(path))
    found = pe.measure("loss", session)
    assert found.first == 1  # no token that the tokenizer puts around the text is asked for
    table = next(module for name, module in own.named_modules() if name.endswith("position_embeddings"))
    assert isinstance(table, nn.Embedding)
    for outcome, weight in ((found.outcomes[0], table.weight.data.clone()), (found.outcomes[1], table.weight.data * 0)):
        table.weight.data.copy_(weight)
        for at in (1, 2, 3):
            ids = numbers(session)
            labels = torch.full_like(ids, -100)
            labels[0, at] = ids[0, at]
            ids[0, at] = WORDS.index("[MASK]")
            with torch.no_grad():
                assert float(outcome.values[at - 1]) == pytest.approx(
                    float(own(input_ids=ids, labels=labels).loss), abs=1e-5
                )


def test_a_long_vocabulary_is_read_some_tokens_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, own = with_head("llama", transformers.AutoModelForCausalLM, tmp_path)
    ids = numbers(pe.Session(text=TEXT, model=pe.open_model(path)))
    monkeypatch.setattr("posenc_gui.checkpoints.checkpoint._AT_ONCE", 70)
    found = in_memory(path).next_losses(ids[0], AS_TRAINED).values
    with torch.no_grad():
        assert float(found.mean()) == pytest.approx(float(own(input_ids=ids, labels=ids).loss), abs=1e-5)


@pytest.mark.parametrize("name", ["llama", "t5", "bert"])
def test_a_folder_without_a_head_says_so(checkpoint_folder: Callable[[str], Path], name: str) -> None:
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name)))
    assert pe.measure("loss", session).reason == (
        f"{name} is opened without a head that predicts tokens, so none has a loss."
    )


@pytest.mark.slow
def test_past_the_trained_length_the_loss_rises_and_a_scaling_lowers_it(tmp_path: Path) -> None:
    model = pe.open_model(write_copier(tmp_path))
    session = pe.Session(text="dog bites man the cat sat on " * 16, model=model)
    found = pe.measure("loss", session)
    losses = {one.words: one for one in found.outcomes}
    assert found.trained == LENGTH
    own = losses["as trained"].values
    assert float(own[16 : LENGTH - 1].mean()) < 1 < float(own[LENGTH:].mean()) - 1
    assert losses["with Dynamic NTK × 4"].past < losses["as trained"].past
    assert losses["without the rotation"].mean > 1.5
    figure = pe.plot("loss", session)
    assert [mark.x for mark in figure.panels[0].marks] == [LENGTH - 0.5]
    assert "Past the trained length, 32 positions, it is" in figure.description


def test_a_length_that_may_be_the_one_after_a_scaling_is_not_said_to_be_the_trained_one(tmp_path: Path) -> None:
    """As in lmsys/vicuna-13b-v1.5-16k and hfl/chinese-alpaca-2-13b-16k, of which the first tells the one before it."""
    path, _ = with_head("llama", transformers.AutoModelForCausalLM, tmp_path)
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | {"rope_scaling": {"type": "linear", "factor": 2.0}}))
    session = pe.Session(text="dog bites man the cat sat on " * 10, model=pe.open_model(path))
    figure = pe.plot("loss", session)
    assert "Past the length before or after its scaling, 64 positions, it is" in figure.description
    assert figure.panels[1].header[-1] == "past the trained length?"
