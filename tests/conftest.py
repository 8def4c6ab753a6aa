"""Settings of every test: no display is needed, and a run in CI repeats exactly."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import torch
from hypothesis import settings
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


FEW = 4  # cases of a test that are quick


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test slow, but for a few: always the same ones, drawn by the test's name."""
    cases = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function):
            cases[f"{item.parent.nodeid}::{item.originalname}"].append(item)
    for name, all_of_them in cases.items():
        few = Random(name).sample(all_of_them, min(FEW, len(all_of_them)))
        for item in all_of_them:
            if item not in few:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _own_type_and_colours() -> Iterator[None]:
    """What a window gives to the whole application goes with it, whichever test comes next in this process."""
    yield
    if QApplication.instance():
        QApplication.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
        QApplication.setPalette(QPalette())


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> type[Turning]:
    """An encoding with structured parameters that is found by its name as long as the test runs."""
    monkeypatch.setitem(encodings.classes(), Turning.name, Turning)
    return Turning
