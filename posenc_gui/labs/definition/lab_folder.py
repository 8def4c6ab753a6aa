"""A folder of lab files: those that are labs, and why others aren't."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.text import natural_sort

_MOST_READ = 100  # files of one folder


@dataclass(frozen=True)
class LabFolder:
    """The labs in a folder, in the order of their names, and a sentence on each file that is none."""

    path: Path
    labs: tuple[Lab, ...]
    refused: tuple[str, ...]


def read(path: Path) -> LabFolder:
    """Read the lab files directly in a folder. Raises OSError if it can't be listed."""
    files = (one for one in path.iterdir() if one.suffix.lower() in parse.SUFFIXES)
    labs, refused = [], []
    for file in sorted(files, key=lambda one: natural_sort.key(one.name))[:_MOST_READ]:
        try:
            labs.append(parse.load(file))
        except (OSError, ValueError) as error:
            refused.append(describe_file_error(error))
    return LabFolder(path, tuple(labs), tuple(refused))
