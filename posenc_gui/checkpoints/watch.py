"""Who waits for a model while it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from posenc_gui.foundation.stopped import CheckStop, go_on


@dataclass(frozen=True)
class Watch:
    """Who waits for a model: `check_stop` may raise, then nothing is kept; `progress` hears how many of how many weights are
    read."""

    check_stop: CheckStop = go_on
    progress: Callable[[int, int], None] = lambda _done, _all: None


UNWATCHED = Watch()
