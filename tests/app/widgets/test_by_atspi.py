"""What a form is to a real screen reader's interface on Linux, where Debian's packages for it are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SYSTEM = "/usr/bin/python3"
TOOL = Path(__file__).parents[3] / "tools" / "heard.py"
FORM = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.encodings.rope import RoPE

app = QApplication([])
form = ModelForm(RoPE, lambda value: "")
form.show_value(RoPE())
form.unfold()
form.show()
QTimer.singleShot(1500, lambda: announce(form, "key the · 0.23"))
app.exec()
"""


def is_installed() -> bool:
    """True if a client, a bus and a screen without a display are here."""
    if not all(map(shutil.which, (SYSTEM, "dbus-run-session", "Xvfb"))):
        return False
    client = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    return subprocess.run([SYSTEM, "-c", client], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_lists_and_numbers_are_heard_as_they_are(tmp_path) -> None:
    if not is_installed():
        pytest.skip("needs at-spi2-core, gir1.2-atspi-2.0, python3-gi, dbus-x11 and xvfb")
    command = ["dbus-run-session", SYSTEM, "-W", "ignore", str(TOOL), "6", sys.executable, "-c", FORM]
    heard = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=100, cwd=TOOL.parents[1]
    ).stdout
    assert "Scaling 'none', combo box" in heard
    assert "'Base', spin button = 10,000" in heard
    assert "slider" not in heard
    assert "said: key the, 0.23" in heard
