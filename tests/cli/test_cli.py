"""The command line: what it writes, and one line with exit status 2 for everything that goes wrong."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from odd_files import ODD, odd_files
from PIL import Image
from pptx import Presentation

import posenc_gui as pe
from posenc_gui import cli
from posenc_gui.cli.parser import LOOKS
from posenc_gui.labs.definition import lab_library
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.session import evaluate
from tests.recorded import wording

EXPORT = ("export", "attention", "--out", "a.svg")
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def test_a_folder_s_model_is_drawn_in_the_layer_that_is_named(tmp_path, capsys, checkpoint_folder, failure):
    folder = str(checkpoint_folder("bert"))
    one = exported("--model", folder, "--layer", "1", "--set", "surgery=zeroed", out=tmp_path / "one.svg")
    assert (one.model.name, one.model.layer, one.model.path) == ("bert", 1, "")
    assert one.encoding == one.model.encoding.model_copy(update={"surgery": "zeroed"})
    again = exported("--session", str(tmp_path / "one.svg"), "--layer", "0", out=tmp_path / "two.svg")
    assert again.model.layer == 0
    capsys.readouterr()
    assert "bert has no layer 2: its layers are 0 to 1" in failure(*EXPORT, "--model", folder, "--layer", "2")
    assert "--layer: layers are those of a model that has learned" in failure(*EXPORT, "--layer", "1")
    assert "--layer one: write a number" in failure(*EXPORT, "--model", folder, "--layer", "one")
    assert "is seen alone" in failure(*EXPORT, "--model", folder, "--model", "whisper-tiny")
    assert "RoPE isn't" in failure(*EXPORT, "--model", folder, "--encoding", "rope")
    assert "has no config.json" in failure(*EXPORT, "--model", str(tmp_path))


def python(*arguments: str, **settings) -> subprocess.CompletedProcess[str]:
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | settings
    return subprocess.run([sys.executable, *arguments], text=True, errors="replace", timeout=300, **settings)


def exported(*arguments: str, out: Path) -> pe.Session:
    """Export the attention maps with these options: the session that the file carries."""
    assert cli.main(["export", "attention", "--out", str(out), *arguments]) == 0
    return pe.Session.load(out)


@pytest.fixture
def failure(capsys, tmp_path, monkeypatch):
    """Run a command that must fail in an empty folder: the line that it says."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> str:
        before = sorted(tmp_path.rglob("*"))
        assert cli.main(arguments) == 2
        output, said = capsys.readouterr()
        assert output == ""
        assert said.startswith("posenc-gui: ")
        assert said.count("\n") == 1
        assert said.endswith("\n")
        assert sorted(tmp_path.rglob("*")) == before, "something was left behind"
        return said

    return run


@pytest.fixture
def window(monkeypatch):
    """The files that the window was asked to show, instead of a window."""
    asked = []

    def run(path: Path | None = None) -> int:
        asked.append(path)
        return 0

    fake = types.ModuleType("posenc_gui.app.window.application")
    fake.run = run
    monkeypatch.setitem(sys.modules, "posenc_gui.app.window.application", fake)
    return asked


# --- Version, help, lists -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_are_quick(option):
    code = f"""
import sys
from posenc_gui.cli import main
try:
    main([{option!r}])
finally:
    assert not {{"torch", "pydantic", "numpy", "PySide6"}} & set(sys.modules)
"""
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_garbage_is_looked_for_in_what_a_command_imports():
    code = """
import gc
from posenc_gui.cli import main
main(["list", "presets"])
import torch
assert gc.isenabled() and not any(one is torch for one in gc.get_objects())
"""
    assert python("-c", code).returncode == 0


@pytest.mark.parametrize(("encoding", "says"), [("pope", "PoPE comes in whole or not at all"), ("rope", "")])
def test_a_strength_that_does_nothing_is_said(capsys, tmp_path, encoding, says):
    arguments = ["--encoding", encoding, "--set", "strength=0.5", "--out", str(tmp_path / "a.svg")]
    assert cli.main(["export", "attention", *arguments]) == 0
    assert capsys.readouterr().err == (f"posenc-gui: The strength does nothing: {says}.\n" if says else "")


def test_version(capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"posenc-gui {pe.__version__}\n"


LISTED = {"encodings": pe.encodings, "plots": pe.plots, "labs": lab_library.names}


@pytest.mark.parametrize("kind", LISTED)
def test_list_has_a_line_or_an_object_for_each_name(kind, capsys):
    assert cli.main(["list", kind]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == LISTED[kind]()
    assert kind != "labs" or all(lab_library.lab(line.split()[0]).summary in line for line in lines)
    assert cli.main(["list", kind, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found] == LISTED[kind]()
    assert all(one["title"] and one["summary"] for one in found)
    assert kind != "labs" or all(lab["minutes"] > 0 and lab["steps"] > 1 for lab in found)


def test_list_encodings_as_json_has_all_that_a_script_needs(capsys):
    assert cli.main(["list", "encodings", "--json"]) == 0
    encodings = {encoding["name"]: encoding for encoding in json.loads(capsys.readouterr().out)}
    assert {"door", "tag", "source", "parameters"} <= encodings["none"].keys()
    assert encodings["rope"]["door"] == "rotation"
    assert encodings["rope"]["source"]["year"] == 2021
    parameters = {parameter["name"]: parameter for parameter in encodings["rope"]["parameters"]}
    assert parameters["base"]["default"] == 10_000.0
    assert parameters["pairing"]["enum"] == ["half", "interleaved"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_list_on_a_full_disk_fails_in_one_line():
    with Path("/dev/full").open("w") as full:
        done = python("-m", "posenc_gui", "list", "plots", stdout=full)
    assert (done.returncode, done.stderr) == (2, f"posenc-gui: standard output: {os.strerror(28)}\n")


@pytest.mark.slow
def test_list_is_quiet_where_its_reader_has_left():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = python("-m", "posenc_gui", "list", "plots", stdout=pipe)
    assert (done.returncode, done.stderr) == (0, "")


# --- Export ---------------------------------------------------------------------------------------------------------


def test_export_prints_the_path_and_writes_the_default_session(tmp_path, capsys):
    out = tmp_path / "attention.svg"
    assert exported(out=out) == pe.Session()
    assert capsys.readouterr() == (f"{out}\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["attention.svg"]


@pytest.mark.slow
def test_exporting_listing_and_checking_labs_load_no_qt(tmp_path):
    (tmp_path / "mine.md").write_text(LAB, encoding="utf-8")
    code = f"""
import sys
from posenc_gui.cli import main
assert main(["export", "attention", "--out", {str(tmp_path / "a.png")!r}]) == 0
assert main(["list", "encodings"]) == 0
assert main(["lab", "check", {str(tmp_path / "mine.md")!r}]) == 0
assert main(["list", "labs"]) == 0
assert not any(name.partition(".")[0] in ("PySide6", "pyqtgraph") for name in sys.modules)
"""
    environment = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
    done = python("-c", code, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_options_apply_in_order_session_text_encoding_settings(tmp_path):
    start = pe.Session(text="in the file", encoding=pe.encoding("rope", base=50.0), focus=1)
    start.save(tmp_path / "start.json")
    session = exported("--set", "base=70", "--text", "in the option", "--session", str(tmp_path / "start.json"),
                       out=tmp_path / "a.svg")  # fmt: skip
    assert session == start.changed(text="in the option", encoding=pe.encoding("rope", base=70.0))


def test_the_order_of_a_session_file_is_kept_unless_another_text_is_given(tmp_path):
    start = pe.Session(text="a b c", order=(2, 0, 1))
    start.save(tmp_path / "start.json")
    again = ("--session", str(tmp_path / "start.json"))
    assert exported(*again, out=tmp_path / "a.svg") == start
    assert exported(*again, "--text", "d e f", out=tmp_path / "b.svg").tokens == ("d", "e", "f")


def test_an_encoding_starts_at_its_defaults(tmp_path):
    pe.Session(encoding=pe.encoding("rope", base=50.0)).save(tmp_path / "start.json")
    session = exported("--session", str(tmp_path / "start.json"), "--encoding", "rope", "--set", "pairing=interleaved",
                       out=tmp_path / "a.svg")  # fmt: skip
    assert session.encoding == pe.encoding("rope", pairing="interleaved")


def test_another_encoding_is_compared_and_set_by_its_own_names(tmp_path):
    settings = ["--encoding", "rope", "--other", "rope", "--set", "other.base=500000", "--set", "fraction=0.5"]
    session = exported(*settings, out=tmp_path / "a.svg")
    assert session.encoding == pe.encoding("rope", fraction=0.5)
    assert session.other == pe.encoding("rope", base=500_000.0)
    session.save(tmp_path / "start.json")
    again = exported("--session", str(tmp_path / "start.json"), "--set", "other.base=70", out=tmp_path / "b.svg")
    assert again == session.changed(other=pe.encoding("rope", base=70.0))


def test_a_number_of_a_new_formula_is_set_beside_it(tmp_path):
    session = exported("--encoding", "own", "--set", "speed=3", "--set", "formula=p[m, i] = speed * m\nspeed = 2",
                       out=tmp_path / "a.svg")  # fmt: skip
    assert session.encoding.formula == "p[m, i] = speed * m\nspeed = 3"


def test_a_model_is_drawn_by_its_name_and_two_are_compared(tmp_path, capsys):
    one = exported("--model", "whisper-tiny", out=tmp_path / "one.svg")
    assert one.model == pe.preset("whisper-tiny").model
    assert one.encoding == pe.preset("whisper-tiny").encoding
    both = exported("--model", "whisper-tiny", "--model", "t5-small", out=tmp_path / "two.svg")
    assert (both.encoding, both.other) == (one.encoding, pe.preset("t5-small").encoding)
    assert "both in the shape of Whisper" in capsys.readouterr().err


def test_a_sweep_is_exported_as_small_multiples(tmp_path):
    out = tmp_path / "a.svg"
    session = exported("--encoding", "rope", "--sweep", "base=100,1000,10000", out=out)
    assert session == pe.Session(encoding="rope")
    assert all(f"<!-- {base} -->" in out.read_text(encoding="utf-8") for base in ("base 100", "1,000", "10,000"))


def test_of_a_long_text_s_map_a_part_and_the_whole_in_blocks_are_exported(tmp_path):
    longer = ["--set", "fill=repeat", "--set", "fill_to=700", "--encoding", "alibi"]
    session = exported(*longer, "--pixels", "50x20", out=tmp_path / "whole.npz")
    whole = pe.plot("attention", session, view=pe.View(pixels=(50, 20)))
    exported(*longer, "--rows", "600-609", "--columns", "0-4", out=tmp_path / "part.npz")
    part = pe.plot("attention", session, view=pe.View(range(600, 610), range(5)))
    for name, figure, shape in (("whole", whole, (20, 50)), ("part", part, (10, 5))):
        with np.load(tmp_path / f"{name}.npz") as arrays:
            held = [arrays[one] for one in arrays.files if arrays[one].shape == shape]
        assert all(any(np.array_equal(one, panel.values) for one in held) for panel in figure.panels)


def test_an_exported_figure_is_a_session_to_start_from(tmp_path):
    first = exported("--text", "dog bites man", out=tmp_path / "first.png")
    assert exported("--session", str(tmp_path / "first.png"), out=tmp_path / "second.svg") == first


def test_export_starts_from_a_share_string(tmp_path, capsys, failure):
    session = pe.Session(text="dog bites man", encoding="rope", focus=1)
    assert exported("--session", session.share(), out=tmp_path / "a.svg") == session
    capsys.readouterr()
    assert "cut short" in failure("export", "attention", "--out", "b.svg", "--session", session.share()[:-1])


def test_export_starts_from_a_model_s_config(tmp_path, capsys):
    config = tmp_path / "config.json"
    config.write_text(json.dumps(wording.LLAMA | {"rope_theta": 500_000, "sliding_window": 8}))
    assert exported("--session", str(config), out=tmp_path / "a.svg") == pe.from_config(config)
    assert "Not modelled" in capsys.readouterr().err


def test_what_had_to_be_left_out_of_a_file_is_said_in_a_line(tmp_path, capsys):
    content = json.loads(pe.Session(text="dog bites man").to_json())
    content["session"]["plots"] = {"spectrogram": {"window": 8}}
    (tmp_path / "newer.json").write_text(json.dumps(content))
    assert exported("--session", str(tmp_path / "newer.json"), out=tmp_path / "a.svg").text == "dog bites man"
    said = "posenc-gui: newer.json: left out the options of 'spectrogram', since this explorer has no such plot.\n"
    assert capsys.readouterr() == (f"{tmp_path / 'a.svg'}\n", said)


def test_settings_reach_every_part_of_the_session(tmp_path):
    # Three heads alone would not divide d_model: settings are judged together.
    settings = ["model.n_heads=3", "model.d_model=48", "model.scale=0.5", "plot.head=2", "focus=3", "keep_case=true"]
    session = exported(*(f"--set={setting}" for setting in settings), out=tmp_path / "a.svg")
    assert (session.model.n_heads, session.model.d_model, session.model.scale) == (3, 48, 0.5)
    assert (session.plots.attention.head, session.focus, session.keep_case) == (2, 3, True)


@pytest.mark.parametrize("none", ["none", "null", "None"])
def test_none_for_what_may_be_none(none, tmp_path):
    pe.Session(model=pe.ToyModel(d_head=8), plots={"attention": {"head": 1}}).save(tmp_path / "start.json")
    session = exported("--session", str(tmp_path / "start.json"), f"--set=model.d_head={none}", f"--set=plot.head={none}",
                       out=tmp_path / "a.svg")  # fmt: skip
    assert session == pe.Session()


@pytest.mark.parametrize(("value", "curves"), [("0,2,4", (0, 2, 4)), ("1", (1,)), ("0, 3", (0, 3)), ("", ())])
def test_several_values_in_one_setting(value, curves, tmp_path):
    out = tmp_path / "waves.svg"
    assert cli.main(["export", "waves", "--out", str(out), "--set", f"plot.curves={value}"]) == 0
    assert pe.Session.load(out).plots.waves.curves == curves


@pytest.mark.parametrize("text", ["\ud800 lone", "caf\udce9", "<b>$x$</b>\x00\x1b[31m", "犬 🐕‍🦺 e\u0301", "a\nb"])
def test_any_text_is_exported(text, tmp_path):
    assert exported("--text", text, out=tmp_path / "a.svg").tokens


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_names_and_texts_of_any_bytes(tmp_path):
    out = os.fsencode(tmp_path) + b"/\xff.svg"
    command = [sys.executable, "-m", "posenc_gui", "export", "attention", "--text", b"\xff word", "--out", out]
    done = subprocess.run(command, capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, b"")
    assert pe.Session.load(os.fsdecode(out)).text == "\ufffd word"


# --- Labs -----------------------------------------------------------------------------------------------------------

LAB = """\
# A lab

What is asked?

```lab
format = 1
minutes = 5
```

## A step

What do you see?

```step
name = "one"
show = ["attention"]
claims = ["session.n_tokens == 6"]
```
"""


def test_a_good_lab_is_said_to_be_good(tmp_path, capsys):
    path = tmp_path / "mine.md"
    path.write_text(LAB, encoding="utf-8")
    assert cli.main(["lab", "check", str(path)]) == 0
    output, said = capsys.readouterr()
    assert output.startswith(f"{path}: ")
    assert (output.count("\n"), said) == (1, "")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"== 6": "== 7"}, [(":17: ", "the claim “session.n_tokens == 7” is false")]),
        ({"minutes = 5": "minutes = 0", '"att': '"at'}, [(":7: ", "minutes"), (":16: ", "'attention'")]),
        ({"# A lab": "A lab"}, [(":1: ", "# Title")]),
    ],
)
def test_each_problem_of_a_lab_is_told_with_its_line(changes, told, tmp_path, capsys):
    content = LAB
    for old, new in changes.items():
        content = content.replace(old, new, 1)
    path = tmp_path / "mine.md"
    path.write_text(content, encoding="utf-8")
    assert cli.main(["lab", "check", str(path)]) == 2
    output, said = capsys.readouterr()
    lines = output.splitlines()
    for line, words in told:
        assert any(one.startswith(f"{path}{line}") and words in one for one in lines), output
    assert all(one.startswith(f"{path}:") for one in lines)
    assert said.startswith(f"posenc-gui: {path} has {len(lines)} problem")
    assert said.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"# T\n\xff", b"x" * 600_000, b"# \x1b[31mT\n"])
def test_what_is_no_lab_is_told_in_lines_that_a_console_can_show(content, tmp_path, capsys):
    (tmp_path / "a.md").write_bytes(content)
    assert cli.main(["lab", "check", str(tmp_path / "a.md")]) == 2
    output, said = capsys.readouterr()
    assert output.splitlines()
    assert all(line.isprintable() for line in (*output.splitlines(), *said.splitlines()))


@pytest.mark.slow
def test_the_labs_of_the_explorer_are_said_to_be_good(capsys):
    assert cli.main(["lab", "check", "--bundled"]) == 0
    output, said = capsys.readouterr()
    *lines, last = output.splitlines()
    assert [Path(line.partition(": ")[0]).stem for line in lines] == [*lab_library.names(), lab_library.LESSON]
    assert last.startswith(f"{len(lab_library.names())} labs and the lesson: ")
    assert said == ""


# --- Failures -------------------------------------------------------------------------------------------------------


def test_failures_are_one_line_and_leave_nothing(failure):
    """What is said is in `tests/recorded/wording.md`."""
    for words in wording.FAILING:
        failure(*shlex.split(words))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list"], "required: encodings|plots|measures|labs|presets"),
        (["list", "plots", "--jso"], "--jso"),
        (["export"], "required: PLOT, --out"),
        (["export", "attention", "--out"], "--out"),
        ([*EXPORT, "more\nwords"], "unrecognized arguments: more words"),
        (["exprot"], "invalid choice: 'exprot' (choose from 'open', 'export'"),
        (["lab"], "required"),
        (["open", "."], "has no config.json: a model's folder holds config.json"),
        (["open"], "FILE"),
    ],
)
def test_what_python_itself_says_of_options_is_one_line_too(arguments, said, failure):
    assert said in failure(*arguments)


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00\xff", b"[" * 100_000, b'{"format": "posenc-gui session"}'])
def test_session_files_that_are_refused(content, failure, tmp_path):
    (tmp_path / "bad.json").write_bytes(content)
    assert "bad.json" in failure(*EXPORT, "--session", "bad.json")


def test_a_folder_in_the_place_of_the_file(failure, tmp_path):
    (tmp_path / "a.svg").mkdir()
    assert "a.svg: Is a directory" in failure(*EXPORT)


@pytest.mark.parametrize(
    ("what", "error", "said"),
    [
        ("os.fsync", OSError(28, "No space left on device"), "a.svg: No space left on device\n"),
        ("posenc_gui.render.paper.content", RuntimeError("out of\nmemory"), "out of memory"),
        ("posenc_gui.render.paper.content", MemoryError(), "posenc-gui: there is not enough memory for this.\n"),
    ],
)
def test_an_existing_file_is_kept_when_the_export_fails(what, error, said, failure, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    (tmp_path / "a.svg").write_text("kept")
    monkeypatch.setattr(what, fail)
    assert said in failure(*EXPORT)
    assert (tmp_path / "a.svg").read_text() == "kept"


def test_an_interrupt_is_silent(monkeypatch, capsys, tmp_path):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "plot", interrupt)
    assert cli.main(["export", "attention", "--out", str(tmp_path / "a.svg")]) == 130
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_while_writing_leaves_nothing(monkeypatch, capsys, tmp_path):
    def interrupt(_file: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    assert cli.main(["export", "attention", "--out", str(tmp_path / "a.svg")]) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices as Unix has them")
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize(
    ("arguments", "done"),
    [
        (["open"], "read"),
        (["lab", "check"], "read"),
        ([*EXPORT, "--session"], "read"),
        (["export", "attention", "--out"], "written"),
    ],
)
def test_what_is_no_ordinary_file_is_refused_and_stays(arguments, done, kind, failure, tmp_path):
    with odd_files(tmp_path, ".svg") as paths:
        line = failure(*arguments, str(paths[kind]))
        if kind == "directory" and arguments == ["open"]:  # it may be a model's
            assert line.startswith(f"posenc-gui: {paths[kind].name} has no config.json: ")
        else:
            assert line == f"posenc-gui: {paths[kind]}: Is a {kind}; only ordinary files can be {done}\n"
        assert not paths[kind].is_file()


# --- What a terminal would obey -------------------------------------------------------------------------------------

HOSTILE = "a\x1b]0;owned\x07\u202egvs\u2028\x9b2J\r\nb"
SHOWN = "a\\x1b]0;owned\\x07\\u202egvs\\u2028\\x9b2J\\r\\nb"


@pytest.mark.skipif(os.name != "posix", reason="terminals as Unix has them")
def test_no_name_reaches_a_terminal_raw(tmp_path, monkeypatch):
    out = tmp_path / f"{HOSTILE}.svg"
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        with os.fdopen(theirs, "w", encoding="utf-8") as output, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", output)
            assert cli.main(["export", "attention", "--out", str(out)]) == 0
        assert terminal.read(1000).decode() == f"{tmp_path}/{SHOWN}.svg\r\n"
    assert pe.Session.load(out) == pe.Session()


@pytest.mark.skipif(os.name != "posix", reason="any character in a name")
@pytest.mark.parametrize("name", [HOSTILE, "caf\udce9", "plain", "犬 🐕‍🦺", "two  spaces "])
def test_a_script_gets_the_exact_path(name, tmp_path, capfdbinary):
    out = tmp_path / f"{name}.svg"
    assert cli.main(["export", "attention", "--out", str(out)]) == 0
    assert capfdbinary.readouterr() == (os.fsencode(out) + b"\n", b"")
    assert out.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [HOSTILE], ["open", f"{HOSTILE}.json"], ["lab", "check", f"{HOSTILE}.md"], ["lab", "check", "bad.md"],
        ["export", HOSTILE, "--out", "a.svg"], ["export", "attention", "--out", f"no/{HOSTILE}.svg"],
        [*EXPORT, HOSTILE], [*EXPORT, "--session", f"{HOSTILE}.json"], [*EXPORT, "--session", "bad.json"],
        [*EXPORT, "--encoding", HOSTILE], [*EXPORT, "--set", HOSTILE], [*EXPORT, "--set", f"tokenizer={HOSTILE}"],
    ],
)  # fmt: skip
def test_what_is_said_of_hostile_names_and_fields_is_harmless(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written = {"format": "posenc-gui session", "version": 2, "session": {HOSTILE: 1, "tokenizer": HOSTILE}}
    (tmp_path / "bad.json").write_text(json.dumps(written))
    name = json.dumps(HOSTILE)
    lab = LAB.replace("claims = [", f"claims = [{name}, ").replace("show = [", f"{name} = [")
    (tmp_path / "bad.md").write_text(lab, encoding="utf-8")
    assert cli.main(arguments) == 2
    output, said = capsys.readouterr()
    assert said.startswith("posenc-gui: ")
    assert said.count("\n") == 1
    assert all(line.isprintable() for line in (output + said).split("\n"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_where_nothing_can_be_said_the_status_says_it():
    with Path("/dev/full").open("w") as full:
        assert python("-m", "posenc_gui", "lisst", stdout=full, stderr=full).returncode == 2


# --- The window -----------------------------------------------------------------------------------------------------


SHARED = pe.Session(text="dog bites man").share()


@pytest.mark.parametrize(
    ("arguments", "asked"), [([], None), (["open", SHARED], SHARED), (["open", "bad"], Path("bad"))]
)
def test_the_window_is_given_what_only_it_can_judge(arguments, asked, window, monkeypatch, tmp_path):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.chdir(tmp_path)
    Path("bad").write_text("no session")
    assert cli.main(arguments) == 0
    assert window == [asked]


X11, WAYLAND = {"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
class TestDisplay:
    @pytest.fixture(autouse=True)
    def bare(self, window, monkeypatch):
        for name in DISPLAYS:
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize("arguments", [[], ["open", "some.json"]])
    def test_none(self, arguments, failure, tmp_path, window):
        (tmp_path / "some.json").write_text("{}")
        line = failure(*arguments)
        assert "No display" in line
        assert "`posenc-gui export` works without one" in line
        assert window == []

    def test_empty_variables_are_no_display(self, failure, monkeypatch):
        monkeypatch.setenv("DISPLAY", "")
        assert "No display" in failure()

    @pytest.mark.parametrize("variables", [X11, {"QT_QPA_PLATFORM": "xcb", **WAYLAND}])
    def test_x11_without_its_libraries(self, variables, failure, monkeypatch):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(cli, "_can_load", lambda library: library != "libxcb-cursor.so.0")
        assert failure().endswith("apt install libxcb-cursor0\n")

    @pytest.mark.parametrize(
        "variables", [X11 | WAYLAND, X11 | {"QT_QPA_PLATFORM": "wayland"}, {"QT_QPA_PLATFORM": "offscreen"}]
    )
    def test_libraries_of_x11_are_not_asked_for_elsewhere(self, variables, window, monkeypatch):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(cli, "_can_load", lambda _: False)
        assert cli.main([]) == 0
        assert window == [None]


def test_how_a_figure_looks_is_chosen_by_flags(tmp_path: Path) -> None:
    out = tmp_path / "waves.svg"
    looks = ["--preset", "slide_4_3", "--theme", "dark", "--title", "Clocks", "--caption", "--lettering", "editable"]
    assert cli.main(["export", "waves", "--out", str(out), *looks]) == 0
    written = out.read_text()
    assert 'width="720pt"' in written
    assert "Clocks" in written
    assert "d_model 64" in written


def test_every_export_option_has_a_flag() -> None:
    assert LOOKS.keys() == ExportOptions.model_fields.keys()


def test_a_look_that_there_is_not_is_refused_with_those_that_are(tmp_path: Path, capsys) -> None:
    assert cli.main(["export", "waves", "--out", str(tmp_path / "a.svg"), "--preset", "poster"]) == 2
    assert "slide" in capsys.readouterr().err


def test_several_figures_go_into_a_folder_or_a_deck(tmp_path: Path, capsys) -> None:
    asked = ["export", "waves,attention", "--encoding", "rope", "--encoding", "alibi", "--text", "dog bites man"]
    assert cli.main([*asked, "--out", str(tmp_path / "all"), "--as", "csv"]) == 0
    names = ["01-waves-rope.csv", "02-attention-rope.csv", "03-waves-alibi.csv", "04-attention-alibi.csv"]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == names
    written = (tmp_path / "all" / names[0]).read_bytes()
    assert cli.main([*asked, "--set", "focus=1", "--out", str(tmp_path / "all"), "--as", "csv"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert (tmp_path / "all" / names[0]).read_bytes() == written
    assert cli.main([*asked, "--out", str(tmp_path / "talk.pptx"), "--each", "focus=0,1"]) == 0
    deck = Presentation(str(tmp_path / "talk.pptx"))
    assert len(deck.slides) == 8
    assert any("Waves · RoPE" in shape.text_frame.text for shape in deck.slides[0].shapes if shape.has_text_frame)
    capsys.readouterr()


def test_what_has_no_picture_is_left_out_of_several_and_told(tmp_path: Path, capsys) -> None:
    assert cli.main(["export", "dials,waves", "--encoding", "alibi", "--out", str(tmp_path / "a"), "--as", "csv"]) == 0
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["01-waves.csv"]
    assert "left out clocks" in capsys.readouterr().err
    assert cli.main(["export", "dials,angles", "--encoding", "alibi", "--out", str(tmp_path / "b")]) == 2
    assert not (tmp_path / "b").exists()


def test_several_figures_do_not_fit_one_picture(tmp_path: Path, capsys) -> None:
    assert cli.main(["export", "waves,dials", "--out", str(tmp_path / "a.svg")]) == 2
    assert "a folder, a deck" in capsys.readouterr().err
    assert cli.main(["export", "waves,dials", "--out", str(tmp_path / "a"), "--as", "exe"]) == 2
    assert not list(tmp_path.iterdir())


def test_in_a_film_the_position_moves_or_what_is_swept(tmp_path: Path) -> None:
    path = tmp_path / "waves.gif"
    film = ["export", "waves", "--out", str(path), "--size", "160px", "--text", "dog bites man", "--encoding", "rope"]
    for more, frames in (([], 3), (["--sweep", "base=10,100"], 2)):
        assert cli.main([*film, *more]) == 0
        with Image.open(path) as found:
            assert found.n_frames == frames
