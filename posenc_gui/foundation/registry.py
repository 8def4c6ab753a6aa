"""Files found by being there: an encoding, a plot or an output is added by adding its file."""

from __future__ import annotations

import pkgutil
import sys
from importlib.util import find_spec
from types import ModuleType

_SHARED = {"base", "common"}  # what the files of a folder share


def modules(package: str) -> list[str]:
    """The names of a package's modules in alphabetical order, found without importing them, less what they share."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return sorted(info.name for info in pkgutil.iter_modules(folders) if info.name not in _SHARED)


class _Catalogue(ModuleType):
    def __call__(self) -> list[str]:
        names: list[str] = self.names()
        return names


def list_when_called(package: str) -> None:
    """Let a package be called for the names in it: `pe.encodings()` beside `posenc_gui.encodings`, the folder."""
    sys.modules[package].__class__ = _Catalogue
