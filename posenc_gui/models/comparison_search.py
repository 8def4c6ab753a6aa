"""Comparisons in words: “rope 10000 vs 500000”, “rope vs alibi” and “llama vs qwen” are pairs to see side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_fields import DeclaredField
from posenc_gui.foundation.word_match import holds_every_word, plain_words
from posenc_gui.foundation.wording import format_bound, inner_case
from posenc_gui.models.encoding_search import Entry, entries
from posenc_gui.models.presets import Preset, models
from posenc_gui.session.session import Session

MOST = 4  # pairs, where a name may mean several
_VERSUS = re.compile(r"\s+(?:vs|versus)\.?\s+", re.IGNORECASE)
_VALUE = re.compile(r"(?P<words>.*?)(?:^|[\s=]+)(?P<value>-?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE)

Named = TypeVar("Named", Entry, Preset)


@dataclass(frozen=True)
class Variant:
    """An encoding, with a value for one of its numbers if one was named."""

    entry: Entry
    number: DeclaredField | None = None
    value: float = 0.0

    @property
    def title(self) -> str:
        """The encoding's title, with its number: "RoPE, base 10,000"."""
        return f"{self.entry.title}, {self.told}" if self.number else self.entry.title

    @property
    def told(self) -> str:
        """The number and its value: "base 10,000"; empty if none was named."""
        return f"{inner_case(self.number.title)} {format_bound(self.value)}" if self.number else ""

    def chosen(self, own: Encoding) -> Encoding:
        """Return the encoding, with the parameters of `own` if that is the same. Raises ValueError for a refused value."""
        encoding = self.entry.chosen(own)
        return declared_fields.with_values(encoding, {self.number.name: self.value}) if self.number else encoding


@dataclass(frozen=True)
class Pair:
    """Two encodings or models to compare; both have the shape of the first that is a model."""

    first: Variant | Preset
    second: Variant | Preset

    @property
    def title(self) -> str:
        """Both titles: "RoPE vs ALiBi", or "RoPE: base 10,000 vs 500,000"."""
        first, second = self.first, self.second
        if isinstance(first, Variant) and isinstance(second, Variant) and first.entry == second.entry:
            value = format_bound(second.value) if first.number == second.number else second.told
            return f"{first.entry.title}: {first.told or 'as it is'} vs {value or 'as it is'}"
        return f"{first.title} vs {second.title}"

    @property
    def remark(self) -> str:
        """Whose shape both have, where the other is a model of another shape; else empty."""
        if isinstance(self.first, Preset) and isinstance(self.second, Preset) and self.first.model != self.second.model:
            return f"both in the shape of {self.first.title}: {self.first.summary}"
        return ""

    def chosen(self, session: Session) -> Session:
        """Return the session with both compared. Raises ValueError if one can't be had in this shape."""
        sides = (self.first, self.second)
        if shape := next((side for side in sides if isinstance(side, Preset)), None):
            session = shape.chosen(session)
        own = session.encoding
        first, second = (side.encoding if isinstance(side, Preset) else side.chosen(own) for side in sides)
        return session.changed(encoding=first, other=second)


def pairs(typed: str) -> Sequence[Pair]:
    """Return the comparisons that the words may mean, the likeliest first; none where they aren't “… vs …”. A second side
    without a name, as in “rope 10000 vs 500000”, is the first with another value. A name that begins several models' titles
    means the newest."""
    sides = _VERSUS.split(typed.strip())
    if len(sides) != 2:
        return ()
    firsts = _variants(sides[0])
    seconds = _variants(sides[1]) or [found for one in firsts if (found := _with_another_value(one, sides[1]))]
    left: Sequence[Variant | Preset] = firsts
    right: Sequence[Variant | Preset] = seconds
    if not (firsts and seconds):
        models_left, models_right = _models(sides[0]), _models(sides[1])
        both = bool(models_left and models_right)
        left = models_left if both else firsts or models_left
        right = models_right if both else seconds or models_right
    ranked = sorted(product(range(len(left)), range(len(right))), key=sum)
    return [Pair(left[one], right[two]) for one, two in ranked if left[one] != right[two]][:MOST]


def _variants(words: str) -> list[Variant]:
    """Return the encodings that the words name, with a value where they end with one that isn't part of the name."""
    if named := _entries(words):
        return [Variant(entry) for entry in named]
    match = _VALUE.fullmatch(words)
    if not match or _models(words):  # Llama 3.1 is a model, not Llama 3's scaling by 1
        return []
    value, parts = _number(match["value"]), re.split(r"[\s=]+", match["words"].strip())
    for end in range(len(parts), 0, -1):
        parameter = " ".join(parts[end:])
        numbered = [Variant(entry, _numbered(entry, parameter), value) for entry in _entries(" ".join(parts[:end]))]
        if found := [one for one in numbered if one.number]:
            return found
    return []


def _with_another_value(one: Variant, words: str) -> Variant | None:
    """Return the same encoding with a value that alone is given, or with its parameter; None if there is neither."""
    match = _VALUE.fullmatch(words.strip())
    if not match:
        return None
    number = _numbered(one.entry, match["words"]) if match["words"] or one.number is None else one.number
    return Variant(one.entry, number, _number(match["value"])) if number else None


def _entries(words: str) -> list[Entry]:
    """Return the encodings called so, or else those with names that have these words."""
    return _called(words, {entry: (entry.title, *entry.other_names) for entry in entries()})


def _models(words: str) -> list[Preset]:
    """Return the models called so, or else those with these words: the newest first, of one year the shortest titles."""
    found = _called(words, {model: (model.title, model.name) for model in models()})
    return sorted(found, key=lambda model: (-model.year, len(model.title)))


def _called(words: str, names: Mapping[Named, Sequence[str]]) -> list[Named]:
    """Return what is called exactly so; or else what has these words next to each other; or else anywhere in its names."""
    wanted = plain_words(words)
    if not any(sign.isalpha() for sign in wanted):
        return []
    plain = {one: [plain_words(name) for name in known] for one, known in names.items()}
    exact = [one for one, known in plain.items() if wanted in known]
    together = [one for one, known in plain.items() if any(f" {wanted}" in f" {name}" for name in known)]
    return exact or together or [one for one, known in plain.items() if holds_every_word(" ".join(known), wanted)]


def _numbered(entry: Entry, words: str) -> DeclaredField | None:
    """Return the number of this entry with these words in its title or name; without words its first number."""
    places = declared_fields.walk(entry.chosen(None))
    own = (place for place in places if place.name.startswith(f"{entry.field}." if entry.field else ""))
    for place in own:
        is_number = isinstance(place.value, int | float) and not isinstance(place.value, bool)
        if is_number and holds_every_word(f"{place.title} {place.name}", words):
            return place
    return None


def _number(text: str) -> float:
    return float(text.replace(",", ""))
