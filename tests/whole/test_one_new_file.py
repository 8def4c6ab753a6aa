"""An encoding is one new file: nothing else is told about it, and it is found everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# A process in which one more folder belongs to the encodings, with one file in it.
BEGUN = "import sys, posenc_gui.encodings as e; e.__path__.append(sys.argv.pop(1))\n"

ZIGZAG = '''
"""Zigzag encoding: up and down."""

from typing import ClassVar

from pydantic import Field

from posenc_gui.encodings.base import Formula, InputEncoding, Source, as_positions


class Zigzag(InputEncoding):
    """p_m goes from 0 to 1 and back within a period, in every dimension."""

    name: ClassVar[str] = "zigzag"
    title: ClassVar[str] = "Zigzag"
    summary: ClassVar[str] = "Adds how far a line that goes up and down has come."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(r"\\pos{p_m} = |\\pos{m} / s|")
    source: ClassVar[Source] = Source("Nobody", 1999, "A test")
    also: ClassVar[tuple[str, ...]] = ("sawtooth",)

    period: int = Field(8, ge=2, le=100, title="Period", description="Positions up and down.")

    def vectors(self, positions, d_model, context=None):
        """Up and down, (n, d_model)."""
        share = as_positions(positions) % self.period / self.period
        return (1 - (2 * share - 1).abs())[:, None].expand(-1, d_model)

    def code(self, d_model, n_heads, d_head, causal=False):
        """One line."""
        return self.snippet("import torch", "def position_vectors(positions):\\n    return positions")
'''

FROM_PYTHON = """
import tempfile, pathlib
import posenc_gui as pe
from posenc_gui.models.encoding_search import entries

folder = pathlib.Path(tempfile.mkdtemp())
session = pe.Session(encoding=pe.encoding("zigzag", period=5), model=pe.ToyModel(d_model=8, n_heads=2))
assert "zigzag" in pe.encodings()
assert pe.Session.load(session.save(folder / "session.json")) == session
assert pe.Session.from_share(session.share()) == session
for plot in ("waves", "attention", "requirements", "similarity", "why"):
    assert pe.plot(plot, session).panels, plot
for measure in ("requirements", "similarity", "linear_shift", "equivariance"):
    assert pe.measure(measure, session).value is not None, measure
pe.plot("waves", session).save(folder / "waves.svg")
assert pe.Session.load(folder / "waves.svg") == session
assert [entry.title for entry in entries() if "sawtooth" in entry.about] == ["Zigzag"]
"""

IN_THE_WINDOW = """
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
application = QApplication([])
import posenc_gui as pe
from posenc_gui.app.panels.encoding_chooser import EncodingChoice
from posenc_gui.app.widgets.forms.form import ModelForm

chosen = []
choice = EncodingChoice()
choice.entry_chosen.connect(chosen.append)
choice.showPopup()
QTest.keyClicks(choice.list.field, "sawtooth 1999")
QTest.keyClick(choice.list.field, Qt.Key.Key_Return)
assert [entry.cls.name for entry in chosen] == ["zigzag"]
assert choice.findData("zigzag") >= 0
assert ModelForm(chosen[0].cls, lambda value: "").editor("period").value() == 8
"""

ON_THE_COMMAND_LINE = """
import contextlib, io, json, pathlib, tempfile
from posenc_gui.cli import main

def said(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        assert main(arguments) == 0, arguments
    return told.getvalue()

listed = {one["name"]: one for one in json.loads(said("list", "encodings", "--json"))}
assert listed["zigzag"]["title"] == "Zigzag"
out = pathlib.Path(tempfile.mkdtemp()) / "waves.csv"
said("export", "waves", "--out", str(out), "--encoding", "zigzag", "--set", "period=7")
assert "Zigzag" in out.read_text(encoding="utf-8")
assert '"zigzag"' in said("schema")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "zigzag.py").write_text(ZIGZAG)
    return tmp_path / "more"


@pytest.mark.slow
def test_it_is_found_from_python_in_the_window_s_list_and_on_the_command_line(folder: Path) -> None:
    script = BEGUN + FROM_PYTHON + IN_THE_WINDOW + ON_THE_COMMAND_LINE
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
