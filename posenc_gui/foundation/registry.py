"""Plug-in modules: an encoding, a plot or an output is registered by adding its file to the folder."""

from __future__ import annotations

import pkgutil
import sys
from importlib.util import find_spec
from types import ModuleType

_SHARED = {"base", "common"}  # modules that a folder's plug-ins share


def module_names(package: str) -> list[str]:
    """List a package's plug-in modules in alphabetical order, without importing them; shared modules are left out."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return sorted(info.name for info in pkgutil.iter_modules(folders) if info.name not in _SHARED)


class _Catalogue(ModuleType):
    def __call__(self) -> list[str]:
        names: list[str] = self.names()
        return names


def list_when_called(package: str) -> None:
    """Make a package callable: `pe.encodings()` lists its names, while `posenc_gui.encodings` stays the package."""
    sys.modules[package].__class__ = _Catalogue
