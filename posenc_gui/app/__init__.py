"""The window: all that needs Qt, but for the screen's renderer."""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401

# PySide puts an import of its own in the place of Python's, which reads and tokenizes the source of each module that is imported
# from then on, to know whether it may say `from __feature__ import …`. Here none does, and it costs a sixth of the start.
builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)
