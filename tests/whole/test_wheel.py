"""The wheel, built once and installed into an empty environment, does what the checkout does.

No network: the wheel is installed alone, and one .pth file shows it the packages of the environment that runs the tests.
The checkout itself stays out of sight, since an editable install is a .pth file, and those are read only in an
environment's own folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import posenc_gui as pe

ROOT = Path(__file__).parents[2]

START_AND_CLOSE = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import posenc_gui
from posenc_gui.app.window.application import run
from posenc_gui.foundation.resources import folder

print(posenc_gui.__file__, folder(), sep="\\n")
app = QApplication(["posenc-gui"])

def close_when_shown():
    if any(window.isVisible() for window in app.topLevelWidgets()):
        app.closeAllWindows()

timer = QTimer()
timer.timeout.connect(close_when_shown)
timer.start(200)
run(None, folder=Path.cwd())  # what the window remembers stays in the test's folder
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT])
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The folder of an environment's commands, with the wheel installed."""
    folder = tmp_path_factory.mktemp("environment")
    environment = venv.EnvBuilder(symlinks=os.name != "nt")
    environment.create(folder)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    _run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel])
    site_packages = _run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    shown = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (Path(site_packages) / "dependencies.pth").write_text("\n".join(shown), encoding="utf-8")
    return commands


def test_the_wheel_holds_the_resources_and_what_is_found_in_its_folder(wheel):
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "resources").rglob("*") if path.is_file()}
    prefix = "posenc_gui/"
    packed = zipfile.ZipFile(wheel).namelist()
    assert there
    assert there == {name.removeprefix(prefix) for name in packed if name.startswith(f"{prefix}resources/")}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "posenc_gui").rglob("*.py")}
    assert modules == {name for name in packed if name.endswith(".py")}


@pytest.mark.slow
def test_the_command(installed, tmp_path):
    command = installed / "posenc-gui"
    assert _run([command, "--version"], cwd=tmp_path) == f"posenc-gui {pe.__version__}\n"
    assert _run([command, "export", "attention", "--out", "x.svg"], cwd=tmp_path) == "x.svg\n"
    assert pe.Session.load(tmp_path / "x.svg") == pe.Session()


@pytest.mark.slow
def test_the_window_starts_and_closes_with_the_resources_inside_the_package(installed, tmp_path):
    said = _run([installed / "python", "-c", START_AND_CLOSE], cwd=tmp_path, QT_QPA_PLATFORM="offscreen")
    package, resources = map(Path, said.splitlines())
    assert package.is_relative_to(installed.parent)
    assert resources == package.parent / "resources"
    assert (resources / "icons" / "app.svg").is_file()


def _run(command: list[str | Path], cwd: Path | None = None, **variables: str) -> str:
    environment = {**os.environ, **variables}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout
