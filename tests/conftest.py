"""Settings of every test: no display is needed, and a run in CI repeats exactly."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
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

if os.environ.setdefault("QT_QPA_PLATFORM", "offscreen") == "offscreen":  # of itself its screen has 800 × 800 pixels
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screen.json')}"

settings.register_profile("posenc", deadline=None, max_examples=25, derandomize=bool(os.environ.get("CI")))
settings.load_profile("posenc")

# Tests run beside each other's leftovers on few cores: spinning threads would take longer than the small sums they share.
torch.set_num_threads(1)


FEW, MOST = 3, 8  # cases of a test that are quick, and that are run in CI; fewer where the mark `most` says so


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of a test slow, but for a few, and leave out very many in CI; always the same, drawn by its name."""
    cases = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function):
            cases[f"{item.parent.nodeid}::{item.originalname}"].append(item)
    left_out = []
    for name, found in cases.items():
        drawn = Random(name).sample(found, len(found))
        mark = found[0].get_closest_marker("most")
        for item in drawn[FEW:]:
            item.add_marker(pytest.mark.slow)
        if os.environ.get("CI"):
            left_out += drawn[min(MOST, *mark.args) if mark else MOST :]
    config.hook.pytest_deselected(items=left_out)
    rest = set(left_out)
    items[:] = [item for item in items if item not in rest]


@pytest.fixture(autouse=True)
def _own_type_and_colours() -> Iterator[None]:
    """What a window gives to the whole application goes with it, whichever test comes next in this process."""
    yield
    if QApplication.instance():
        QApplication.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
        QApplication.setPalette(QPalette())


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """Waits as long as a busy machine needs."""
    return PatientBot(request)


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> type[Turning]:
    """An encoding with structured parameters that is found by its name as long as the test runs."""
    monkeypatch.setitem(encodings.classes(), Turning.name, Turning)
    return Turning


@pytest.fixture(scope="session")
def checkpoint_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a tiny model, by the names in `tiny_checkpoints.CONFIGS`; each is written once."""

    @cache
    def written(name: str) -> Path:
        from tools.tiny_checkpoints import write_checkpoint  # imports transformers, which takes seconds

        return write_checkpoint(name, tmp_path_factory.mktemp("checkpoints"))

    return written
