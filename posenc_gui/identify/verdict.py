"""What some numbers are: the verdict, and what was nearest beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.foundation.declared_fields import inner_option, inner_title, option_title, walk
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.wording import format_bound, inner_case
from posenc_gui.identify.numbers import Numbers

TELLS = ". This line shows it: "  # stands between what numbers can't tell and the line of code that prints what would


@dataclass(frozen=True, eq=False)
class Candidate:
    """An encoding in one convention, set against the numbers.

    words: what tells it from the verdict, such as "interleaved" or "from position 0". off_by: the largest difference of a
    number. unseen: the same divided by what the numbers' own precision explains; up to 1 they can't tell. made: makes
    `numbers`, when they are first asked for.
    """

    encoding: Encoding
    convention: str
    start: int
    words: str
    off_by: float
    unseen: float
    made: Callable[[], Tensor] = field(repr=False)
    source: str = ""

    @cached_property
    def numbers(self) -> Tensor:
        """Its own numbers, of the shape of the pasted ones."""
        return self.made()


@dataclass(frozen=True, eq=False, repr=False)
class Identified:
    """The verdict on some numbers; `sentence` says it.

    encoding: None if no known convention explains them. start: of the first row; None where the kind has no positions.
    off_by: of the nearest. others: the usual conventions beside it, nearest first. undecided: what these numbers can't tell,
    a sentence each, with the line of code that prints what would tell. explained: the mistake in code that explains numbers
    that are no convention; empty where none does. tried: how many conventions were compared. axes: what the axes were
    taken for, such as ("heads", "positions", "dimensions").
    """

    numbers: Numbers
    kind: Kind | None
    axes: tuple[str, ...]
    encoding: Encoding | None
    convention: str
    start: int | None
    off_by: float
    nearest: Candidate | None
    others: tuple[Candidate, ...]
    undecided: tuple[str, ...]
    explained: str
    tried: int
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return "\n".join((self.sentence, *self.further))

    @property
    def further(self) -> tuple[str, ...]:
        """What there is to say beyond `sentence`: what explains what is off, and what these numbers can't tell."""
        is_said = any(self.explained in one for one in (self.sentence, *self.undecided))
        return self.undecided if is_said else (self.explained, *self.undecided)


def say_value(value: object) -> str:
    """Format a parameter with all the digits that are known of it."""
    return format_bound(value) if isinstance(value, float) else format_value(value)


def say_fields(encoding: Frozen, group: str = "", always: Sequence[str] = ()) -> list[str]:
    """Say the numbers of an encoding that aren't at their defaults, or are always said, as in “base 500,000”."""
    told = []
    for name, declared in type(encoding).model_fields.items():
        value = getattr(encoding, name)
        if isinstance(value, Frozen):
            told += say_fields(value, declared.title or name)
        elif name in always or (
            value != declared.get_default(call_default_factory=True) and not isinstance(value, str | bool)
        ):
            told.append(f"{inner_case(inner_title(group, declared.title or name))} {say_value(value)}")
    return told


def say_title(encoding: Encoding, name: str) -> str:
    """Return the title of a field, by its dotted name, as it is written in a sentence."""
    return inner_case(next((place.title for place in walk(encoding) if place.name == name), name))


def say_change(encoding: Encoding, name: str) -> str:
    """Say one field of an encoding as what is other in it: “base 10,000”, “with YaRN, 8 times”, “interleaved”."""
    value, declared = getattr(encoding, name), type(encoding).model_fields[name]
    title = inner_case(declared.title or name)
    if isinstance(value, Frozen):
        factor = getattr(value, "factor", None)
        times = f", {say_value(factor)} times" if isinstance(factor, float) else ""
        return f"with {value.called.partition(' (')[0]} {title}{times}"
    if value is None:
        return f"without {title}"
    if isinstance(value, str):
        return inner_option(declared, value) or option_title(declared, value)
    return f"{title} {say_value(value)}"
