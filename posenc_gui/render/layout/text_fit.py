"""Fit text into limited space: shorten it, wrap it, or share a width among texts; find the signs A and B, drawn as badges.

`measure` returns the drawn length of a text, in the same unit as the available `room`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import takewhile
from typing import Any

from posenc_gui.figure.runs import Run
from posenc_gui.foundation.unicode_text import CONTROL_CHARACTERS, shorten_middle, split_graphemes

Measure = Callable[[str], float]

# At the start of a name or of a sentence, at the end of a title or of a label, and both where A and B are equal.
_SIGN = re.compile(r"(?:^|(?<=[.,] )|(?<=· ))([AB])(?=:(?: |$)| = [AB](?:: |$)|$)|(?<=A = )B(?=: |$)")
_AFTER_SIGN = re.compile(r"(:(?: |$))|( )(?==)")
# Where a text may go on in another line: a sign stays with its name, and so do words around a no-break space.
BREAK = re.compile(r"(?<!\bA:)(?<!\bB:)[^\S\u00a0]+")
_BEFORE_SIGN = re.compile(r"( ·|,)? $")
_LONGEST = 200  # characters of one line: measuring a whole pasted page would take a second
_LONGEST_TEXT = 4000  # characters that are wrapped
_UNDRAWN = re.compile(f"(?![\u2068\u2069])[{CONTROL_CHARACTERS}\ufffe\uffff]")  # all but bidi isolates


def split_signs(text: str) -> list[tuple[str, bool]]:
    """The parts of a text in order, and which are signs: "A: base 100" is (A, True) and (base 100, False)."""
    found, end = list[tuple[str, bool]](), 0
    for match in _SIGN.finditer(text):
        found += [(_BEFORE_SIGN.sub("", text[end : match.start()]), False), (match.group(), True)]
        after = _AFTER_SIGN.match(text, match.end())
        end = after.end() if after else match.end()
    return [(part, sign) for part, sign in (*found, (text[end:], False)) if part]


def visible(text: str) -> str:
    """The text with a visible sign for each character that can't be drawn, changes the text direction or breaks a file."""
    return _UNDRAWN.sub(_sign, text)


def _sign(character: re.Match[str]) -> str:
    code = ord(character.group())
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def longest(texts: Iterable[str], measure: Measure) -> float:
    """The length of the longest text; 0 without texts."""
    return max(map(measure, texts), default=0.0)


def widest_of(values: Sequence[Any], measure: Measure) -> Any:
    """What needs as much room as any of these: the first, with the longest of all texts in place of each of its own."""
    first, alike = values[0], len({type(one) for one in values}) == 1
    if isinstance(first, str):
        return max(values, key=measure)
    if alike and is_dataclass(first):
        held = {one.name: widest_of([getattr(value, one.name) for value in values], measure) for one in fields(first)}
        return replace(values[0], **held)
    if alike and isinstance(first, tuple) and len(set(map(len, values))) == 1:
        return tuple(widest_of(same, measure) for same in zip(*values, strict=True))
    return first


def elided(text: str, room: float, measure: Measure) -> str:
    """The text, its middle replaced by … if it is too long; graphemes stay whole."""
    text = shorten_middle(text, _LONGEST)
    if measure(text) <= room:
        return text
    parts = split_graphemes(text)
    kept = len(parts)
    while kept > 1 and (width := measure(_without_middle(parts, kept))) > room:
        kept = max(1, min(kept - 1, int(kept * room / width)))
    return _without_middle(parts, kept)


def _without_middle(parts: Sequence[str], kept: int) -> str:
    if kept == len(parts):
        return "".join(parts)
    tail = kept // 2
    return "".join([*parts[: kept - tail], "…", *parts[len(parts) - tail :]])


def elided_before_number(text: str, room: float, measure: Measure) -> str:
    """Return the text, shortened if it is too long; a number at its end is kept whole."""
    words, space, last = text.rpartition(" ")
    if measure(text[:_LONGEST]) <= room or not any(letter.isdigit() for letter in last):
        return elided(text, room, measure)
    rest = room - measure(f"{space}{last}")
    if rest >= measure(f"{words[:1]}…"):
        return f"{elided(words, rest, measure)} {last}"
    return last if measure(last) <= room else elided(text, room, measure)


def wrapped(text: str, room: float, most_lines: int, measure: Measure) -> list[str]:
    """The text in at most `most_lines` lines that fit the room; a longer text ends in …. No line ends with a side's sign."""
    lines = [""]
    for pieces in _broken(BREAK.split(text[:_LONGEST_TEXT].strip()), room, measure):
        while (fitting := _fitting(lines[-1], pieces, room, measure)) < len(pieces):
            lines[-1] = (lines[-1] + "".join(pieces[:fitting])).rstrip()
            pieces = pieces[fitting:]
            if len(lines) == most_lines:
                return [*lines[:-1], f"{lines[-1]}…"]
            lines.append("")
        lines[-1] += "".join(pieces)
    return [line.rstrip() for line in lines if line.strip()]


def on_two_lines(text: str, measure: Measure) -> list[str]:
    """The words of a text on one or two lines, so that the longer one is as short as can be. No line ends with a side's sign."""
    words = BREAK.split(text.strip())
    tried = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) + 1))
    return [line for line in min(tried, key=lambda lines: longest(lines, measure), default=()) if line]


def wrapped_runs(runs: Iterable[Run], room: float, most_lines: int, measure: Measure) -> list[list[Run]]:
    """Runs wrapped into lines that fit the room; each piece keeps its kind, and a number stays with the word before it."""
    runs = list(runs)
    owners = iter([run for run in runs for letter in run.text if not letter.isspace()])
    lines = []
    text = ""
    for run in runs:
        text = (f"{text[:-1]}\u00a0" if run.kind == "number" and text.endswith(" ") else text) + run.text
    for line in wrapped(text, room, most_lines, measure):
        pieces = list[Run]()
        for letter in line:
            owner = pieces[-1] if letter.isspace() and pieces else next(owners, Run(""))
            shown = " " if letter.isspace() else letter
            if pieces and pieces[-1].kind == owner.kind:
                pieces[-1] = replace(owner, text=pieces[-1].text + shown)
            else:
                pieces.append(replace(owner, text=shown))
        lines.append(pieces)
    return lines


def _broken(words: Iterable[str], room: float, measure: Measure) -> Iterator[list[str]]:
    """Each word as the pieces between which it may break: one, unless it is longer than a line."""
    for word in words:
        is_long = len(word) > _LONGEST or measure(word) > max(0.0, room)
        *others, last = split_graphemes(word) if is_long else [word]
        yield [*others, f"{last} "]


def _fitting(line: str, pieces: Sequence[str], room: float, measure: Measure) -> int:
    """The number of pieces that fit after a line's text; at least one in an empty line."""
    counts = range(1, len(pieces) + 1)
    found = bisect_right(counts, room, key=lambda count: measure((line + "".join(pieces[:count])).rstrip()))
    return found if line else max(1, found)


def from_where_they_differ(texts: Sequence[str]) -> list[str]:
    """The texts without their common first words."""
    words = [text[:_LONGEST].split(" ") for text in texts]
    same = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    if not same or any(len(some) == same for some in words):
        return list(texts)
    return [f"… {' '.join(some[same:])}" for some in words]


def shared_widths(wanted: Sequence[float], room: float, least: float) -> list[float]:
    """The wanted widths if there is room, else in proportion, but each at least `least` or what it wants."""
    shares = [0.0] * len(wanted)
    total = sum(wanted)
    # Narrow ones may get more than their proportional share; wider ones give up that excess.
    for at in sorted(range(len(wanted)), key=wanted.__getitem__):
        shares[at] = min(wanted[at], max(least, room * wanted[at] / total))
        room, total = room - shares[at], total - wanted[at]
    return shares
