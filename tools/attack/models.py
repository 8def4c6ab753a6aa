"""Models: one asks for more than its weights hold, or is stopped while it loads; a sound one opens before and after it."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

import psutil
import torch
from PySide6.QtWidgets import QAbstractButton
from safetensors.torch import save_file

from posenc_gui.attention.trained_model import TrainedModel
from tools.attack.child import COLD, PATIENCE, Child
from tools.attack.outcome import GROWN, HANG, LOST, UNSAID, Outcome
from tools.attack.window import Player, play
from tools.hostile_folders import SIZES, changed
from tools.later import Later
from tools.tiny_checkpoints import write_checkpoint, write_tokenizer

transformers = Later("transformers")

_MOST = 200.0  # megabytes that a folder may take beyond what a sound model takes
_QUICK = 2.0  # seconds in which a folder is refused where nothing else runs
_GONE = 1.0  # seconds after Stop
_LAYERS = 400  # of an honest model that loads for seconds


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Open a sound model, one that is too large or is stopped, and the sound one again."""
    return open_one(rng.choice(tuple(KINDS)), rng.uniform(0.5, 4), folder)


def open_one(kind: str, after: float, folder: Path) -> Outcome:
    """Open a sound model, one of a kind, which is stopped so many seconds later if it still loads, and the sound one again."""
    outcome, is_idle = Outcome(), os.getloadavg()[0] < 1
    what = f"{kind}, stopped after {after:.1f} s" if kind == _HONEST else kind
    large = KINDS[kind](sound(folder), folder / "large")
    child = Child(folder / "window", sit, str(sound(folder)), str(large), str(after))
    if not child.waits_for("opened", COLD):
        outcome.add(HANG, f"{what}: a sound model isn't opened")
    before = child.megabytes
    child.waits_for("over", COLD)
    if child.megabytes - before > _MOST:
        outcome.add(GROWN, f"{what}: {child.megabytes - before:.0f} MB more than a sound model took")
    ended = child.end()
    outcome.judge(ended, what)
    outcome.judge_silence(ended, what)
    outcome.judge_pauses(ended, what)
    outcome.judge_logs(folder, what)
    for said in ended.said("said"):
        outcome.judge_sentence(said, what)
    outcome.met = len(ended.said("said"))
    outcome.seconds = max(map(float, ended.said("took")), default=0.0)
    if not ended.said("over") or outcome.seconds > (_QUICK if is_idle else PATIENCE):
        outcome.add(HANG, f"{what}: over after {outcome.seconds:.1f} s")
    if not outcome.met:
        outcome.add(UNSAID, f"{what}: nothing is said of it")
    if ended.said("model")[-1:] != ["llama"]:
        outcome.add(LOST, f"{what}: the sound model isn't opened again")
    for held in map(float, ended.said("more")):
        if held > _MOST:
            outcome.add(GROWN, f"{what}: {held:.0f} MB are kept")
    return outcome


def sit(model: str, large: str, after: str) -> int:
    """Open a sound model, a large one, and the sound one again. Runs in a child process."""
    return play(partial(_sit, model=Path(model), large=Path(large), after=float(after)))


def _sit(player: Player, model: Path, large: Path, after: float) -> Iterator[float]:
    yield from player.come_up()
    yield from player.rest(COLD)
    window = player.window
    for path in (model, large, model):
        player.say(path.name)
        begun, before = perf_counter(), _held()
        window.dropped.emit(path, "")
        yield 0.05
        if path is model:
            yield from player.rest(COLD)
            yield 0.2  # until all that was held has been measured
            print("opened")
            continue
        yield from player.until(lambda: not window.busy, after)
        if window.busy:
            window.findChild(QAbstractButton, "stop-reading").click()
            yield _GONE
        else:
            print(f"took {perf_counter() - begun:.2f}")
        print(f"more {_held() - before:.0f}")
        print("over")
    named = window.workbench.store.session.model
    print(f"model {named.name if isinstance(named, TrainedModel) else 'a toy'}")
    player.say("closing")
    player.stop()
    window.close()


def _held() -> float:
    """Return the megabytes that this process and those that it started hold."""
    own = psutil.Process()
    return float(sum(one.memory_info().rss for one in (own, *own.children(recursive=True)))) / 2**20


# --- Folders ----------------------------------------------------------------------------------------------------------


def sound(folder: Path) -> Path:
    """Return a sound model's folder beside a case's, which is written once."""
    place = folder.parent / "models"
    return place / "llama" if place.exists() else write_checkpoint("llama", place)


def _with_a_large_file(sound: Path, folder: Path) -> Path:
    shutil.copytree(sound, folder)
    (folder / "generation_config.json").write_text('{"a": [' + "[]," * 30_000_000 + "1]}")
    return folder


def _one_tensor(_sound: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    save_file({"one": torch.zeros(1)}, folder / "model.safetensors", {"format": "pt"})
    return folder


def _deep(_sound: Path, folder: Path) -> Path:
    config = transformers.LlamaConfig(
        vocab_size=32, hidden_size=32, num_hidden_layers=_LAYERS, num_attention_heads=4, intermediate_size=64
    )
    transformers.LlamaModel(config).save_pretrained(folder)
    write_tokenizer(folder)
    return folder


_HONEST = "an honest one"
KINDS: dict[str, Callable[[Path, Path], Path]] = {
    **{kind: partial(changed, fields=fields) for kind, fields in SIZES.items()},
    "90 MB beside the weights": _with_a_large_file,
    "one tensor": _one_tensor,
    _HONEST: _deep,
}
