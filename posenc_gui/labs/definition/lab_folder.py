"""A folder of lab files: those that are labs, and why others aren't; and the order of names that people expect."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.lab import Lab

_MOST_READ = 100  # files of one folder

_NUMBERS = re.compile(r"(\d+)")
_LETTER = re.compile(r"LATIN SMALL LETTER (?:DOTLESS )?([A-Z]{1,2})(?: WITH .+)?")
Key = tuple[tuple[str | tuple[int, str], ...], str]


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
    for file in sorted(files, key=lambda one: natural_order(one.name))[:_MOST_READ]:
        try:
            labs.append(parse.load(file))
        except (OSError, ValueError) as error:
            refused.append(describe_file_error(error))
    return LabFolder(path, tuple(labs), tuple(refused))


def natural_order(name: str) -> Key:
    """Return a sort key: Å sorts beside A and ø beside o, capitals beside small letters, 9 before 10."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    pieces = _NUMBERS.split("".join(_plain(sign) for sign in letters if not unicodedata.combining(sign)).strip())
    return tuple(_of_number(piece) if at % 2 else piece for at, piece in enumerate(pieces)), name


def _plain(sign: str) -> str:
    """Return a letter without its stroke, and æ as two letters."""
    found = _LETTER.fullmatch(unicodedata.name(sign, ""))
    return found[1].lower() if found else sign


def _of_number(digits: str) -> tuple[int, str]:
    """Return a sort key for digits by their count first, since a name may hold more digits than Python can convert."""
    significant = digits.lstrip("0")
    return len(significant), significant
