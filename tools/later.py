"""Public implementations that the explorer is compared with, each imported by the test that first asks for it."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any


class Later:
    """A module that is imported when something of it is first asked for: transformers takes seconds."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, wanted: str) -> Any:
        if wanted.startswith("__") or wanted == "_mock_name":  # which pytest asks of all that a module of tests holds
            raise AttributeError(wanted)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of the dependencies of x-transformers
            return getattr(import_module(self._name), wanted)
