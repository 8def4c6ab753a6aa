"""Train a tiny model that copies, so that what training makes of positions can be seen: `write_copier(FOLDER)`.

A Llama of two layers learns texts in which some random words come again and again. Within the length of its training it
finds each word where it stood before; beyond it, its rotation shows angles that it never learned.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from tools.later import Later
from tools.tiny_checkpoints import WORDS, write_tokenizer

transformers = Later("transformers")

LENGTH = 32  # tokens of a text in training
_STEPS, _TEXTS = 500, 16
_PERIODS = (5, 6, 7, 8)  # words until a text repeats itself
_FIRST = WORDS.index("dog")  # the words before are special tokens


def write_copier(folder: Path) -> Path:
    """Train the model, write it into a folder of its name, and return that; always the same weights on one machine."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=LENGTH, tie_word_embeddings=False,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=_STEPS)
    for _ in range(_STEPS):
        texts = torch.stack([repeating() for _ in range(_TEXTS)])  # (texts, length)
        model(input_ids=texts, labels=texts).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    path = folder / "copier"
    model.eval().save_pretrained(path)
    write_tokenizer(path)
    return path


def repeating(length: int = LENGTH) -> Tensor:
    """Return a text of some words that come again and again, (length,)."""
    period = _PERIODS[int(torch.randint(len(_PERIODS), ()))]
    words = _FIRST + torch.randperm(len(WORDS) - _FIRST)[:period]
    return words.repeat(length // period + 1)[:length]
