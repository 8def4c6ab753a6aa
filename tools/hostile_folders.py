"""Open every damaged model's folder that the tests know, and some that only transformers would refuse, under strace.

    python -m tools.hostile_folders

Each is opened by `pe.open_model` in one process, after a sound one. Prints each refusal, then what the system was asked for
meanwhile; exits with 1 if a folder took too long, ended otherwise than with one sentence, or started a program or a socket.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 10  # seconds for a folder
BEGIN = "/begin-of-hostile-folders"  # asked for once the sound folder is open, so that the trace shows where that was
_CALLS = "execve,execveat,socket,connect,bind,sendto,access"
_OWN = '"-P", "-c", "import sys; _, parent'  # how the explorer starts a process
_ASKED = re.compile(r"\b(execve|execveat|socket|connect|bind|sendto)\(")

# Fields of config.json that are changed in a sound folder whose weights agree with it; None takes one away.
SIZES: dict[str, dict[str, Any]] = {
    "more labels than there is memory": {"num_labels": 2_000_000_000},
    "more heads of keys": {"num_key_value_heads": 10_000_000},
    "wider layers": {"intermediate_size": 200_000_000},
    "more layers": {"num_hidden_layers": 300_000, "num_hidden_groups": 1},
    "more words": {"vocab_size": 3_000_000_000},
    "a table with a row less": {"vocab_size": 31},
    "a table with a row more": {"vocab_size": 33},
    "a table with more columns": {"hidden_size": 64},
    "sizes left out": dict.fromkeys(("hidden_size", "num_hidden_layers", "vocab_size", "intermediate_size")),
}
FIELDS: dict[str, dict[str, Any]] = {
    **SIZES,
    "a kernel of the hub": {"attn_implementation": "kernels-community/evil"},
    "a kernel of the hub, privately": {"_attn_implementation": "someone/evil:run"},
    "kernels": {"use_kernels": True, "kernel_config": {"RMSNorm": "someone/evil:Norm"}},
    "another model's name": {"_name_or_path": "someone/evil", "_commit_hash": "0" * 40},
    "an unknown class": {"architectures": ["EvilForCausalLM"]},
    "classes are a number": {"architectures": 3},
    "classes are numbers": {"architectures": [[1], {}]},
    "a class of another kind": {"architectures": ["BertForMaskedLM"]},
    "a head that isn't there": {"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": False},
    "an unknown kind": {"model_type": "evil"},
    "a kind that is a path": {"model_type": "../../evil"},
    "an unknown activation": {"hidden_act": "os.system"},
    "a type that is none": {"dtype": "os.system", "torch_dtype": "__import__"},
    "heads that don't divide": {"num_attention_heads": 3, "num_key_value_heads": 3},
    "no heads": {"num_attention_heads": 0},
    "heads are text": {"num_attention_heads": "four"},
    "an unknown scaling": {"rope_parameters": {"rope_type": "evil", "rope_theta": 1.0}},
    "a base of 0": {"rope_parameters": {"rope_type": "default", "rope_theta": 0.0}},
    "a token outside": {"pad_token_id": 10**9},
    "an encoder in name": {"is_encoder_decoder": True},
    "an object of Python": {"py/object": "os.system", "__reduce__": ["os.system", "id"]},
    "more positions": {"max_position_embeddings": 10**12},
    "a backbone of the hub": {"backbone": "someone/evil", "use_pretrained_backbone": True, "use_timm_backbone": True},
    "plans": {"base_model_tp_plan": {"layers.*": "evil"}, "tp_plan": "auto"},
}


def main() -> int:
    """Write the folders, open them under strace, and return the exit status."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as place:
        count, trace = write_folders(Path(place)), Path(place) / "trace"
        command = [
            *("strace", "-f", "--seccomp-bpf", "-qq", "-e", f"trace={_CALLS}", "-o", str(trace)),
            *_opening(place),
        ]
        done = subprocess.run(command, check=False, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=60 + count)
        told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        asked = asked_for(trace.read_text(errors="replace"))
    for one in told:
        print(f"{one['kind']:40} {one['said']}")
    bad = [one for one in told if not one["good"]]
    print(f"{len(told)} of {count} folders, {len(bad)} not told in one sentence; calls meanwhile: {asked or 'none'}")
    return int(bool(bad or asked or len(told) != count))


def _opening(place: str) -> list[str]:
    return [sys.executable, "-m", "tools.hostile_folders", place]


def asked_for(trace: str) -> list[str]:
    """Return what the system was asked for after the sound folder was open, beside a process for a model like its own."""
    assert BEGIN in trace, "the sound folder wasn't opened"
    return [line for line in trace.partition(BEGIN)[2].splitlines() if _ASKED.search(line) and _OWN not in line]


def write_folders(place: Path) -> int:
    """Write the sound folder, and beside it the damaged ones; return how many those are."""
    sys.path[:0] = [str(ROOT / "tests" / "support")]
    groups, write_folder = import_module("damaged_folders").GROUPS, import_module("model_folder").write_folder
    from tools.tiny_checkpoints import write_checkpoint

    sound = write_checkpoint("llama", place)
    damaged = place / "damaged"
    kinds: dict[str, Callable[[Path], object]] = {}
    for group, damages in groups.items():
        kinds |= {f"{group}, {name}": damage for name, damage in damages.items()}
    for at, (kind, damage) in enumerate(kinds.items()):
        folder = write_folder(damaged / f"{at:03}" / "it")
        damage(folder)
        (folder.parent / "kind").write_text(kind)
    for at, (kind, fields) in enumerate(FIELDS.items()):
        folder = changed(sound, damaged / f"{len(kinds) + at:03}" / "it", fields)
        (folder.parent / "kind").write_text(f"deeper, {kind}")
    return len(kinds) + len(FIELDS)


def changed(sound: Path, folder: Path, fields: Mapping[str, Any]) -> Path:
    """Write a copy of a folder whose config.json has other fields, and return it."""
    shutil.copytree(sound, folder)
    config = json.loads((folder / "config.json").read_text()) | fields
    kept = {name: value for name, value in config.items() if value is not None or name not in fields}
    (folder / "config.json").write_text(json.dumps(kept))
    return folder


def open_all(place: Path) -> None:
    """Open the sound folder, then each damaged one, and print what is said of it as a line of JSON."""
    import os
    import warnings

    import posenc_gui as pe

    warnings.simplefilter("ignore")
    pe.open_model(place / "llama")
    os.access(BEGIN, os.F_OK)
    for folder in sorted((place / "damaged").iterdir()):
        signal.alarm(PATIENCE)  # ends the process
        try:
            said, good = f"opened: {pe.open_model(folder / 'it').encoding.called}", True
        except ValueError as why:
            said, good = str(why), str(why).endswith(".") and "\n" not in str(why)
        except Exception as why:
            said, good = repr(why), False
        signal.alarm(0)
        good = good and not (folder / "it" / "executed").exists()
        print(json.dumps({"kind": (folder / "kind").read_text(), "said": said, "good": good}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        open_all(Path(sys.argv[1]))
    else:
        raise SystemExit(main())
