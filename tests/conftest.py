"""Settings of every test: no display is needed, and a run in CI repeats exactly."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

settings.register_profile("posenc", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("posenc")
