"""The window: all that needs Qt, but for the screen's renderer."""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401

# PySide's import reads and tokenizes the source of each module that is imported from then on, to know whether it may say
# `from __feature__ import …`. Here none does, and it costs a sixth of the start: the import before it takes its place again.
if builtins.__import__.__name__ == "__feature_import__":
    builtins.__import__ = vars(builtins)["__orig_import__"]
