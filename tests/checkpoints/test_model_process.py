"""A model in a process of its own: what a folder may take of this computer, and what ends without taking all with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest
import torch
from safetensors.torch import load_file, save_file

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.checkpoints import opening
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.stopped import Stopped

Folders = Callable[[str], Path]
PATIENT = 120  # seconds
LONG = "dog bites man " * 1500  # more than a glance at who waits


def changed(folder: Path, place: Path, **fields: Any) -> Path:
    """Return a copy of a model's folder whose config.json has other fields; None takes one away."""
    copy = shutil.copytree(folder, place / "it")
    config = {**json.loads((copy / "config.json").read_text()), **fields}
    (copy / "config.json").write_text(json.dumps({name: value for name, value in config.items() if value is not None}))
    return copy


def pid_of(model: pe.TrainedModel) -> int:
    found: int = model.ask(lambda loaded: loaded.process.child.call(os.getpid))
    return found


def processes() -> set[int]:
    return {one.pid for one in psutil.Process().children(recursive=True)}


def wait_until_gone(pid: int) -> None:
    latest = time.monotonic() + PATIENT
    while psutil.pid_exists(pid):
        assert time.monotonic() < latest, "the process is still there"


# --- What a config asks for -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "why"),
    {
        "labels": ({"num_labels": 2_000_000_000}, "asks for far more than it holds"),
        "heads of keys": ({"num_key_value_heads": 10_000_000}, "asks for 10,24"),
        "sizes left out": (
            dict.fromkeys(("hidden_size", "num_hidden_layers", "vocab_size", "intermediate_size")),
            "asks for 4,",
        ),
        "width of layers": ({"intermediate_size": 200_000_000}, "asks for 38,4"),
        "layers": ({"num_hidden_layers": 300_000, "num_hidden_groups": 1}, "lacks the weights of layer 2"),
    }.values(),
)
def test_more_than_the_weights_hold_is_refused_before_it_is_taken(
    checkpoint_folder: Folders, tmp_path: Path, fields: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        pe.open_model(changed(checkpoint_folder("llama"), tmp_path, **fields))
    assert str(refused.value).endswith(".")


def test_a_large_file_of_how_text_is_generated_is_not_read(checkpoint_folder: Folders, tmp_path: Path) -> None:
    folder = changed(checkpoint_folder("llama"), tmp_path)
    (folder / "generation_config.json").write_text('{"a": [' + "[]," * 400_000 + "1]}")
    with pytest.raises(ValueError, match=r"generation_config\.json is larger than 1 MB: that is no model's\."):
        pe.open_model(folder)


# --- What ends, and what goes on ----------------------------------------------------------------------------------------


def test_who_stops_opening_gets_the_memory_back_and_the_next_model_finds_a_process(checkpoint_folder: Folders) -> None:
    pid, begun = pid_of(pe.open_model(checkpoint_folder("bert"))), Event()

    def stop() -> None:
        if begun.is_set():
            raise Stopped

    with pytest.raises(Stopped):
        pe.open_model(checkpoint_folder("gpt2"), watch=Watch(stop, lambda _done, _all: begun.set()))
    wait_until_gone(pid)
    there = processes()
    with pytest.raises(Stopped):  # while the next one still imports
        pe.open_model(checkpoint_folder("gpt2"), watch=Watch(stop))
    assert pid_of(pe.open_model(checkpoint_folder("llama"))) in there == processes()


def test_a_process_that_is_ready_takes_no_model_away_and_starts_no_second_one(checkpoint_folder: Folders) -> None:
    model = pe.open_model(checkpoint_folder("llama"))
    there = processes()
    for _ in range(3):
        opening.prepare()
    assert pid_of(model) == pid_of(pe.open_model(checkpoint_folder("llama")))
    assert processes() == there


def test_a_pass_that_is_stopped_leaves_the_model_where_it_is(checkpoint_folder: Folders) -> None:
    model = pe.open_model(checkpoint_folder("llama"))
    pid, asked = pid_of(model), 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > 3:
            raise Stopped

    session = pe.Session(text=LONG, model=model)
    with pytest.raises(Stopped):
        pe.attend(session, replace(Engine(), check_stop=stop))
    assert pe.attend(session.changed(text="dog bites man")).probabilities.shape[0] == model.heads
    assert pid_of(model) == pid


def test_a_model_that_is_opened_waits_for_nobody_and_who_was_ended_reads_again(checkpoint_folder: Folders) -> None:
    first, running = pe.open_model(checkpoint_folder("llama")), Event()
    pid, session = pid_of(first), pe.Session(text=LONG, model=first)

    def suspend() -> None:  # it never ends by itself
        if not running.is_set():
            psutil.Process(pid).suspend()
            running.set()

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(pe.attend, session, replace(Engine(), check_stop=suspend))
        assert running.wait(PATIENT)
        assert pe.open_model(checkpoint_folder("bert")).layers == 2
        assert len(found.result(PATIENT).tokens) == len(session.tokens)
    wait_until_gone(pid)


def test_two_models_that_are_asked_at_once_both_answer(checkpoint_folder: Folders) -> None:
    models = [pe.open_model(checkpoint_folder(name)) for name in ("llama", "bert")]
    sessions = [pe.Session(text="dog bites man " * count, model=model) for count in (5, 6, 7) for model in models]
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(pe.attend, session) for session in sessions]
        for session, one in zip(sessions, found, strict=True):
            assert len(one.result(PATIENT).tokens) == len(session.tokens)


def test_a_process_that_is_killed_is_a_sentence_and_the_model_is_loaded_again(checkpoint_folder: Folders) -> None:
    model = pe.open_model(checkpoint_folder("llama"))
    process = psutil.Process(pid_of(model))

    def kill() -> None:
        if process.is_running():
            process.kill()

    with pytest.raises(Undefined, match=r"^The process of llama ended unexpectedly; there may be too little memory\.$"):
        pe.attend(pe.Session(text=LONG, model=model), replace(Engine(), check_stop=kill))
    assert pe.attend(pe.Session(text="dog bites man", model=model)).probabilities.isfinite().all()


# --- Weights that can't be computed with --------------------------------------------------------------------------------


def test_weights_that_are_no_numbers_are_told(checkpoint_folder: Folders, tmp_path: Path) -> None:
    folder = changed(checkpoint_folder("llama"), tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights["norm.weight"][0] = torch.nan
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ValueError, match="aren't finite: its weights or its"):
        pe.open_model(folder)


def test_a_token_beyond_the_vocabulary_is_told(checkpoint_folder: Folders, tmp_path: Path) -> None:
    folder = changed(checkpoint_folder("llama"), tmp_path)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["dog"] = 50_000
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    session = pe.Session(text="dog bites man", model=pe.open_model(folder))
    with pytest.raises(Undefined, match=r"gives a token the number 50,000, and its weights know 32 tokens\.$"):
        pe.attend(session)


# --- Switches that are no true and no false -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("bert", {"is_decoder": -1}, "config.json: is_decoder: should be true or false, not -1."),
        (
            "llama",
            {"tie_word_embeddings": -1},
            "its config.json says tie_word_embeddings -1, which transformers can't use.",
        ),
        ("llama", {"is_decoder": -1}, "config.json: is_decoder: should be true or false, not -1."),
        (
            "bert",
            {"add_cross_attention": True},
            "its config.json says add_cross_attention true without is_decoder true, which transformers can't use.",
        ),
        ("bert", {"is_encoder_decoder": -1}, ""),
        ("bert", {"output_attentions": True}, ""),
        ("llama", {"attn_implementation": "flash_attention_2"}, ""),
    ],
)
def test_a_switch_that_is_neither_is_told_or_read_as_transformers_reads_it(
    checkpoint_folder: Folders, tmp_path: Path, name: str, fields: dict[str, Any], said: str
) -> None:
    folder = changed(checkpoint_folder(name), tmp_path, **fields)
    if said:
        with pytest.raises(ValueError, match=rf"^it can't be (loaded|opened): {re.escape(said)}$"):
            pe.open_model(folder)
    else:
        found, own = (pe.open_model(one) for one in (folder, checkpoint_folder(name)))
        assert (found.causal, found.layers) == (own.causal, own.layers)
