"""`identify`: says whose numbers a file's are, what is near, and what they can't tell."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from posenc_gui.cli import console
from posenc_gui.encodings.common.any_encoding import write_encoding
from posenc_gui.foundation.wording import format_difference
from posenc_gui.identify import matching, reading
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.verdict import Identified

_UNKNOWN = 1


def identify(options: argparse.Namespace) -> int:
    """Print the verdict on each array of a file; return 1 if no encoding is named. Raises ValueError and OSError."""
    is_piped = options.file == "-"
    arrays = reading.read_text(sys.stdin.read()) if is_piped else reading.read_file(Path(options.file), options.array)
    before = _only(reading.read_file(options.before)) if options.before else None
    found = [matching.identify(numbers, options.kind, before) for numbers in arrays]
    if options.json:
        console.tell(*json.dumps([_as_data(one) for one in found], indent=2, ensure_ascii=False).splitlines())
    else:
        for one in found:
            console.tell(*_lines(one, len(found) > 1))
    return 0 if any(one.encoding for one in found) else _UNKNOWN


def _only(arrays: Sequence[Numbers]) -> Numbers:
    if len(arrays) != 1:
        raise ValueError(f"--before: the file holds {len(arrays)} arrays: name one that holds the queries alone")
    return arrays[0]


def _lines(found: Identified, is_one_of_several: bool) -> list[str]:
    name = f"{found.numbers.name}: " if is_one_of_several and found.numbers.name else ""
    width = max((len(one.words) for one in found.others), default=0)
    others = [f"  {one.words:{width}}  off by {format_difference(one.off_by)}" for one in found.others]
    return [f"{name}{found.sentence}", *others, *found.undecided]


def _as_data(found: Identified) -> dict[str, object]:
    return {
        "name": found.numbers.name,
        "sentence": found.sentence,
        "kind": found.kind,
        "axes": found.axes,
        "encoding": write_encoding(found.encoding) if found.encoding else None,
        "convention": found.convention,
        "start": found.start,
        "off_by": found.off_by,
        "others": [{"words": one.words, "off_by": one.off_by} for one in found.others],
        "undecided": found.undecided,
        "explained": found.explained,
        "tried": found.tried,
    }
