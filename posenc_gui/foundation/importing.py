"""Importing what is large without looking for garbage in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Look for no garbage in what is imported meanwhile, now or when Python ends: that would take a third as long again."""
    by_itself = gc.isenabled()  # not in a window, which collects in its own time
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if by_itself:
            gc.enable()
