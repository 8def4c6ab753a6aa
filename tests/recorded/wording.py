"""Record in `wording.md` what the explorer says in fixed cases, without the digits of its decimals.

    python tests/recorded/wording.py

Run it when a sentence has changed, and read the difference: `tests/whole/test_recorded_wording.py` fails until then. Other
tests look at values, and at the names and numbers in what is said.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FILE = Path(__file__).with_suffix(".md")
sys.path[:0] = [str(FILE.parents[2]), str(FILE.parents[1] / "support")]

from broken_labs import BROKEN, MISTAKES, changed  # noqa: E402
from damaged_folders import GROUPS  # noqa: E402
from model_folder import write_folder  # noqa: E402

import posenc_gui as pe  # noqa: E402
from posenc_gui import cli  # noqa: E402
from posenc_gui.checkpoints.folder import read_folder  # noqa: E402
from posenc_gui.figure.runs import quote_runs  # noqa: E402
from posenc_gui.labs.authoring.check import check  # noqa: E402
from posenc_gui.labs.definition import parse  # noqa: E402
from posenc_gui.session.change_names import between  # noqa: E402

SMALL = pe.ToyModel(d_model=16, n_heads=2)
CAUSAL = pe.ToyModel(d_model=16, n_heads=2, causal=True)
ROPE, OTHER_BASE = pe.encoding("rope"), pe.encoding("rope", base=500_000.0)
SESSIONS = {
    "Sinusoidal": pe.Session(model=SMALL),
    "RoPE, causal": pe.Session(encoding=ROPE, model=CAUSAL, focus=2),
    "no encoding": pe.Session(encoding="none", model=SMALL),
    "ALiBi": pe.Session(encoding="alibi", model=SMALL),
    "RoPE beside ALiBi": pe.Session(encoding=ROPE, other="alibi", model=SMALL),
    "RoPE of two bases": pe.Session(encoding=ROPE, other=OTHER_BASE, model=SMALL),
    "RoPE at half strength": pe.Session(encoding=ROPE, model=SMALL, strength=0.5),
    "M-RoPE with patches": pe.Session(encoding="mrope", model=SMALL, patches={"rows": 2, "columns": 3}),
    "Learned, reordered": pe.Session(encoding="learned", model=SMALL).reordered((5, 4, 3, 2, 1, 0)),
    "no text": pe.Session(text="", encoding=ROPE, model=SMALL),
    "one token": pe.Session(text="dog", encoding=ROPE, model=SMALL),
}
MEASURED = ("RoPE, causal", "M-RoPE with patches", "no text")
JUDGING = "comparison"  # of all encodings: drawn among the special cases alone
SLOW = (JUDGING, "kernel", "meaning")  # drawn once, and not measured
# What is said where something is equal, missing, hidden or alone: a plot's headline and caption, or a measure's reason.
ONE_HEAD = pe.ToyModel(d_model=16, n_heads=1)
IDENTITY = pe.ToyModel(d_model=16, n_heads=1, projections="identity")
FOUR = pe.ToyModel(d_model=4, n_heads=1)
FULL = pe.Session(text=" ".join(f"w{index}" for index in range(16)), encoding="one_hot", model=ONE_HEAD)
SPECIAL = (
    ("attention", pe.Session(text="the the the", focus=1, encoding="rope", model=ONE_HEAD)),
    ("slopes", pe.Session(text="the the the", focus=1, encoding="rope", model=ONE_HEAD)),
    ("attention", pe.Session(text="the cat the", focus=0, encoding="rope", model=IDENTITY)),
    ("attention", pe.Session(text="the", encoding="learned", model=ONE_HEAD)),
    ("attention", pe.Session(text="the", encoding="rope", other="alibi", model=ONE_HEAD)),
    ("measure meaning", pe.Session(text="dog bites man", encoding=ROPE, other=pe.encoding("rope", base=100.0))),
    ("measure length", pe.Session(encoding=pe.encoding("learned", max_len=512))),
    ("measure length", FULL),
    ("length", FULL),
    ("encoding", pe.Session(encoding="one_hot")),
    ("similarity", pe.Session(encoding="xpos")),
    ("shift", pe.Session(text="hello", encoding="learned", model=ONE_HEAD)),
    ("measure kernel", pe.Session(model=SMALL)),
    ("flow", pe.Session(encoding="rope", model=SMALL, strength=0.0)),
    ("flow", pe.Session(text="x x x x", focus=1, encoding="none", model=SMALL)),
    ("flow", pe.Session(text="ha ha ha dog", focus=1, encoding="none", model=SMALL)),
    ("slopes", pe.Session(text="a b " * 400, focus=700, model=ONE_HEAD)),
    ("comparison", pe.Session(encoding="alibi", model=ONE_HEAD, plots={"comparison": {"show": "verdicts"}})),
    ("frequencies", pe.Session(encoding=pe.encoding("sinusoidal", base=100.0), model=FOUR)),
    ("frequencies", pe.Session(encoding=pe.encoding("rope", fraction=0.5), model=FOUR)),
    ("row", pe.Session(patches={}, encoding="rope", model=SMALL)),
    ("attention", pe.Session(patches={}, encoding="mrope", other="rope", model=SMALL)),
    ("waves", pe.Session(patches={}, encoding="mrope", other="rope", model=SMALL)),
)
PLAIN, COMPARED = pe.Session(), pe.Session(encoding=ROPE, other=OTHER_BASE)
CHANGES: tuple[tuple[pe.Session, dict[str, Any]], ...] = (
    (PLAIN, {"text": "dog bites man"}), (PLAIN, {"text": "The dog sat on the mat"}), (PLAIN, {"text": "The cat sat"}),
    (PLAIN, {"text": "The cat sat on the mat, happily"}), (PLAIN, {"text": ""}), (PLAIN, {"text": f"{PLAIN.text} "}),
    (PLAIN, {"text": "one two three four five six seven eight"}), (PLAIN, {"focus": 1}), (PLAIN, {"focus": 4}),
    (PLAIN, {"focus": 90}), (PLAIN, {"key": 4}), (PLAIN, {"keep_case": True}), (PLAIN, {"tokenizer": "bytes"}),
    (PLAIN, {"tokenizer": "somewhere/with/quite/a/long/path/tokenizer.json"}), (PLAIN, {"encoding": "rope"}),
    (PLAIN, {"encoding": "none"}), (PLAIN, {"encoding": pe.encoding("sinusoidal", base=500_000.0)}),
    (PLAIN, {"encoding": pe.encoding("sinusoidal", base=1.25)}), (PLAIN, {"model": pe.ToyModel(n_heads=8)}),
    (PLAIN, {"model": pe.ToyModel(d_head=8)}), (PLAIN, {"model": pe.ToyModel(causal=True)}), (PLAIN, {"strength": 0.5}),
    (PLAIN, {"plots": {"clocks": {"position": 2.5}}}), (PLAIN, {"plots": {"clocks": {"pairs": (0, 2)}}}),
    (PLAIN, {"order": (1, 0, 2, 3, 4, 5)}), (PLAIN, {"other": "rope"}), (COMPARED, {"other": None}),
    (COMPARED, {"other": "rope"}),
    (COMPARED, {"encoding": pe.encoding("rope", base=100.0)}), (COMPARED, {"other": "alibi"}), (COMPARED, {"focus": 5}),
    (COMPARED, {"encoding": OTHER_BASE, "other": ROPE}), (PLAIN, {"patches": {}}),
    (pe.Session(patches={}), {"patches": pe.Patches(rows=2)}),
    (pe.Session(model=FOUR), {"model": FOUR.model_copy(update={"vectors": (("the", (0.1, 0.2, 0.3, 0.4)),)})}),
    (PLAIN, {"encoding": "rope", "model": pe.ToyModel(causal=True)}), (PLAIN, {"text": "a", "encoding": "rope", "model": SMALL}),
)  # fmt: skip
REFUSED = (
    # names
    "pe.encoding('ropee')", "pe.encoding('rope', base=-1)", "pe.encoding('rope', bases=2)",
    "pe.encoding('RoPE')", "pe.encoding('YaRN')", "pe.encoding('rope', scaling='yarn')",
    "pe.encoding('rope', pairing='both')", "pe.encoding('rope', scaling={'rope_type': 'long'})",
    "pe.plot('wave', pe.Session())", "pe.measure('shifts', pe.Session())", "pe.preset('gpt-9')",
    "pe.Session.from_share('abc')", "pe.Session.from_share('posenc2abc')", "pe.Session.from_json('{}')",
    "pe.Session.from_json('[')",
    "pe.plot('waves', 'x')", "pe.attend('x')", "pe.measure('requirements', 'x')",
    # sessions
    "pe.Session(focus=float('nan'))", "pe.Session(focus=-1)", "pe.Session(order=(0, 0))", "pe.Session(mood='good')",
    "pe.Session(texts=['a'])", "pe.Session(text=5)", "pe.Session(strength=2)", "pe.Session(**{'a\\nb': 1})",
    "pe.Session(**{f'field{i}': 1 for i in range(1000)})", "pe.Session().changed(focus=-1)",
    # their encodings
    "pe.Session(encoding='rop')", "pe.Session(encoding=None)", "pe.Session(other=5)", "pe.Session(encoding={})",
    "pe.Session(encoding={1: 2})", "pe.Session(encoding={'name': 'rope', 'base': 0})",
    "pe.Session(encoding={'name': 'rope', 'bias': 0})", "pe.Session(encoding={'name': 'rope', 1: 2})",
    # their models and options
    "pe.Session(model={'d_model': 7})", "pe.Session(model={'d_model': 0})", "pe.Session(model={'hads': 3})",
    "pe.Session(model={'scale': float('nan')})", "pe.Session(model={'seed': 10**5000})", "pe.ToyModel(heads=3)",
    "pe.Session(plots={'spectrogram': {}})", "pe.Session(plots={'waves': {'curvs': ()}})",
    "pe.Session(plots={'waves': {'count': 0}})", "pe.Session(plots={'waves': {'curves': (-1,)}})",
    "pe.Session(plots={'waves': {'curves': (10**5000,)}})", "pe.Session(plots={'dials': {'pairs': (0, 10**5000)}})",
    # other values
    "pe.Patches(rows=0)", "pe.Bookmark(nam='a')", "pe.View(rows=5)", "pe.View(columns=range(0, 9, 2))",
    "pe.View(pixels=(0, 5))",
)  # fmt: skip
EXPORT = "export attention --out a.svg"
FAILING = (
    # `posenc-gui` and these words
    "list encoding", "export atention --out a.svg",
    "export attention --out a.xyz", "export attention --out a", "export attention --out ''",
    "export attention --out no/such/a.svg", "export attention --out /dev/null", "export attention --out a\0b.svg",
    f"export attention --out {'a' * 300}.svg", "lab check", "lab check a.md --bundled",
    "lab check none.md", "lab check .", "lab check a\0b.md", "lab check ''", "open none.json", "open a\0b",
    # where a session begins
    f"{EXPORT} --session none.json", f"{EXPORT} --session .", f"{EXPORT} --session a\0b.json", f"{EXPORT} --session ''",
    f"{EXPORT} --encoding rop", f"{EXPORT} --text ' '",
    "export hands --out a.svg --encoding none", f"{EXPORT} --model wisper", f"{EXPORT} --preset whisper-tiny",
    f"{EXPORT} --model slide", f"{EXPORT} --model rope", f"{EXPORT} --preset rope", f"{EXPORT} --encoding t5-small",
    f"{EXPORT} --other t5-small",
    # settings
    *(f"{EXPORT} --set {setting}" for setting in (
        "base", "''", "bas=3", "model.heads=3", "plot.=3", "pairing=half", "base=nan",
        "base=1e999", "base=-1", "base=", "base=none", "'layout=x\ny'", "model.n_heads=3", "model.d_model=99999999999999",
        "model.causal=maybe", "plot.head=x", "plot.head=4", "focus=-1", "tokenizer=a\0b.json", "other.base=3",
    )),
    *(f"export waves --out a.svg --set plot.curves={curves}" for curves in ("0,x", "0,,2", "-1", "500")),
    f"{EXPORT} --encoding rope --set model.d_head=7",
    # sweeps and parts
    f"{EXPORT} --sweep base", f"{EXPORT} --sweep base=1,2", f"{EXPORT} --sweep base=1,2,x",
    f"{EXPORT} --sweep bass=1,2,3", f"{EXPORT} --rows 3", f"{EXPORT} --rows 90-99", f"{EXPORT} --pixels 0x3",
    f"{EXPORT} --rows 0-1 --sweep base=1,2,3",
)  # fmt: skip
LLAMA = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 4096}
REFUSED_CONFIGS: tuple[dict[str, Any], ...] = (  # with these fields in LLAMA's
    {"rope_scaling": {"type": "magic", "factor": 2}}, {"rope_scaling": {"type": 7}}, {"rope_scaling": {"factor": 2}},
    {"rope_scaling": {"type": "linear"}}, {"rope_scaling": {"type": "linear", "factor": "two"}},
    {"rope_scaling": {"type": "longrope", "factor": 4, "short_factor": "a"}},
    {"rope_scaling": {"type": "linear", "factor": True}}, {"rope_scaling": {"type": "dynamic", "alpha": 1e9}},
    {"rope_scaling": "linear"}, {"rope_theta": True}, {"rope_theta": float("nan")}, {"rope_theta": 10**400},
    {"rope_theta": -5}, {"hidden_size": 10**5000}, {"hidden_size": 0}, {"hidden_size": 2**30, "num_attention_heads": 2},
    {"hidden_size": [5]}, {"num_attention_heads": 7}, {"num_attention_heads": 256}, {"head_dim": 4.5},
    {"head_dim": 100_000}, {"head_dim": 33}, {"max_position_embeddings": 3e7}, {"partial_rotary_factor": 4.0},
    {"rotary_dim": 512}, {"partial_rotary_factor": 0.4}, {"rotary_pct": 0.4},
    {"rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.4}}, {"rotary_dim": 25}, {"model_type": 5},
    {"model_type": "odd", "position_embedding_type": "sine"}, {"model_type": "mamba"}, {"mrope_section": [1, 2]},
    {"alibi": "yes"}, {"query_pre_attn_scalar": 0},
    {"model_type": "odd", "position_embedding_type": "absolute", "max_position_embeddings": None},
    {"model_type": "bert", "max_position_embeddings": 10**6}, {"relative_attention": True, "pos_att_type": ["x"]},
    {"relative_attention": True, "pos_att_type": [{}]},
)  # fmt: skip


def written() -> str:
    """Return all that is recorded, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# What is said: `python tests/recorded/wording.py` writes this\n\nDecimals and percentages are #."
    for name, session in SESSIONS.items():
        yield f"\n## {name}\n"
        for plot in pe.plots():
            if plot not in SLOW or (plot != JUDGING and session is SESSIONS["Sinusoidal"]):
                figure = pe.plot(plot, session)
                said = (figure.title, quote_runs(figure.headline), figure.caption, figure.description)
                yield from (f"- {figure.name}: {_without_decimals(one)}" for one in said if one)
        if name in MEASURED:
            for measure in pe.measures():
                if measure not in SLOW:
                    yield f"- measured, {measure}: {_without_decimals(pe.measure(measure, session).reason)}"
    yield "\n## Special cases\n"
    for what, session in SPECIAL:
        if what.startswith("measure "):
            yield f"- {what}: {_without_decimals(pe.measure(what.removeprefix('measure '), session).reason)}"
        else:
            figure = pe.plot(what, session)
            yield f"- {what}: {_without_decimals(f'{quote_runs(figure.headline)} · {figure.caption}')}"
    yield "\n## Changes, as undo names them\n"
    for before, fields in CHANGES:
        yield f"- {between(before, before.changed(**fields)).name}"
    yield "\n## Refusals\n"
    yield from (f"- `{call}`: {_refusal(partial(eval, call, {'pe': pe}))}" for call in REFUSED)
    yield "\n## Commands that fail\n"
    with TemporaryDirectory() as empty, chdir(empty):
        yield from (f"- {words!r}: {_failure(words)}" for words in FAILING)
    yield "\n## Configs that are refused\n"
    yield from (f"- {_refusal(partial(pe.from_config, LLAMA | fields))}" for fields in REFUSED_CONFIGS)
    yield "\n## Damaged folders of models\n"
    with TemporaryDirectory() as place:
        for group, damages in GROUPS.items():
            for kind, damage in damages.items():
                folder = write_folder(Path(place) / group / kind / "it")
                damage(folder)
                yield f"- {group}, {kind}: {_refusal(partial(read_folder, folder))}"
    yield "\n## Mistakes in a lab's file, by what is written of the example\n"
    for old, new in MISTAKES:
        try:
            parse.read(changed(old, new), "lab")
        except parse.LabRefused as refused:
            yield f"- {(new or f'without {old}')[:50]!r}: {' · '.join(map(str, refused.problems))}"
    yield "\n## Promises that a lab doesn't keep\n"
    for old, new in BROKEN:
        yield f"- {(new or f'without {old}')[:50]!r}: {' · '.join(map(str, check(parse.read(changed(old, new), 'lab'))))}"
    yield "\n## What the toy leaves out of published models\n"
    for name in pe.presets():
        yield from (f"- {name}: {one}" for one in pe.preset(name).unmodelled)


def _refusal(refused: Callable[[], object]) -> str:
    try:
        refused()
    except ValueError as refusal:
        return str(refusal)
    raise AssertionError("nothing was refused")


def _failure(words: str) -> str:
    with redirect_stderr(StringIO()) as said:
        assert cli.main(shlex.split(words)) == 2
    return said.getvalue().removeprefix("posenc-gui: ").rstrip()


def _without_decimals(said: str) -> str:
    """Return what is said, whichever way a last digit is rounded on this machine."""
    return re.sub(r"\d[\d,]*(\.\d+|%|\.\d+%)(e[-−+]?\d+)?|\d+e[-−+]?\d+", "#", said.replace("\n", " "))


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
