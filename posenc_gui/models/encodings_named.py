"""Encodings that a question names: “does rotery embedding tell both apart?” becomes “does it tell both apart?”, and RoPE."""

from __future__ import annotations

import re
from functools import cache

from rapidfuzz.distance import OSA

from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.word_match import plain_words
from posenc_gui.models.encoding_search import Entry, entries
from posenc_gui.session.session import Session

_LEAST_MISTYPED = 5  # letters: of fewer, a wrong one leaves too little


def names_read(text: str, session: Session) -> tuple[str, list[Encoding]]:
    """Return the plain words with “it” for each encoding that they name, and these encodings as they follow each other."""
    named: list[tuple[int, Entry]] = []

    def take(start: int, end: int, entry: Entry) -> None:
        nonlocal text
        named.append((start, entry))
        text = f"{text[:start]}{'it'.ljust(end - start, '~')}{text[end:]}"  # what follows stays where it is

    for name, entry in _names():
        for found in re.finditer(rf"\b{re.escape(name)}s?\b", text):
            take(*found.span(), entry)
    own = {plain_words(token) for token in session.tokens}
    for found in re.finditer(rf"\b[a-z]{{{_LEAST_MISTYPED},}}\b", text):
        alike = (one for name, one in _names() if len(name) >= _LEAST_MISTYPED and OSA.distance(name, found[0]) == 1)
        if found[0] not in own and (meant := next(alike, None)):
            take(*found.span(), meant)
    text = re.sub(r"~+(?: (?:positional )?(?:encodings?|embeddings?)\b)?", "", text)
    text = re.sub(r"(?: (?:with|under|using|in|for) it| here| now)+$|^(?:with|under|in) it ", "", text)
    return text, list(dict.fromkeys(_own(entry, session) for _, entry in sorted(named, key=lambda one: one[0])))


@cache
def _names() -> list[tuple[str, Entry]]:
    """Return the names by which encodings are known, the longest first; a common word only if it begins a longer name."""
    found: dict[str, Entry] = {}
    for entry in entries():
        names = [entry.title]
        for name in entry.other_names:
            begins_another = any(other.startswith(f"{name} ") for other in entry.also)
            is_common = name.islower() and " " not in name and (name != entry.cls.name or not entry.cls.built_in)
            names += [name] if begins_another or not is_common else []
        found = {plain_words(name): entry for name in names} | found
    return sorted(found.items(), key=lambda one: -len(one[0]))


def _own(entry: Entry, session: Session) -> Encoding:
    """Return the encoding that an entry names, with the session's own parameters where it has one of the kind."""
    sides = [one for one in (session.encoding, session.other) if one and one.name == entry.cls.name]
    exact = next((one for one in sides if not entry.field or entry.is_of(one)), None)
    return exact or entry.chosen(next(iter(sides), None))
