"""Settings of every test: no display is needed, and a run repeats exactly."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from random import Random

import pytest
import torch
from hypothesis import settings
from patience import PatientBot
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication
from turning import Turning

from posenc_gui import encodings
from tools.tiny_checkpoints import write_checkpoint

if os.environ.setdefault("QT_QPA_PLATFORM", "offscreen") == "offscreen":  # of itself its screen has 800 × 800 pixels
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screen.json')}"

# Tests run beside each other's leftovers on few cores: spinning threads would take longer than the small sums they share.
torch.set_num_threads(1)


FEW, MOST = 3, 8  # cases of a test that are quick, and that are run at all; fewer where the mark `most` says so


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer all cases of each test."""
    parser.addoption("--every-case", action="store_true", help="run all cases of each test, and new examples")


def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis draws the same examples each time, unless every case is asked for."""
    settings.register_profile("posenc", deadline=None, max_examples=25, derandomize=not config.option.every_case)
    settings.load_profile("posenc")


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Draw the cases of a test, always the same by its name, and mark all but a few of them slow.

    Whoever names cases, by -k or by their ids, may name any.
    """
    yield
    cases, mark, options = metafunc._calls, metafunc.definition.get_closest_marker("most"), metafunc.config.option
    drawn = Random(metafunc.definition.nodeid).sample(range(len(cases)), len(cases))
    for place in drawn[FEW:]:
        cases[place].marks.append(pytest.mark.slow.mark)
    if not (options.every_case or options.keyword or any("[" in named for named in options.file_or_dir)):
        most = min(MOST, *mark.args) if mark else MOST
        cases[:] = [cases[place] for place in sorted(drawn[:most])]


@pytest.fixture(autouse=True)
def _own_type_and_colours(request: pytest.FixtureRequest) -> None:
    """What a window gave to the whole application is gone, whichever test was before; a shared one brings its own."""
    shares = request.node.get_closest_marker("one_window") and "window" in request.fixturenames
    if QApplication.instance() and not shares:
        QApplication.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
        QApplication.setPalette(QPalette())


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """Waits as long as a busy machine needs."""
    return PatientBot(request)


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> type[Turning]:
    """An encoding with structured parameters that is found by its name as long as the test runs."""
    for known in (encodings.classes(), encodings.listed()):
        monkeypatch.setitem(known, Turning.name, Turning)
    return Turning


@pytest.fixture(scope="session")
def checkpoint_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a tiny model, by the names in `tiny_checkpoints.CONFIGS`; each is written once."""

    @cache
    def written(name: str) -> Path:
        return write_checkpoint(name, tmp_path_factory.mktemp("checkpoints"))

    return written
