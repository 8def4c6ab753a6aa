"""The signs A and B of compared encodings, which are drawn as badges wherever they stand for one."""

from __future__ import annotations

import re

# At the start of a name or of a sentence, at the end of a title or of a label, and both where A and B are equal.
_SIGN = re.compile(r"(?:^|(?<=[.,] )|(?<=· ))([AB])(?=:(?: |$)| = [AB](?:: |$)|$)|(?<=A = )B(?=: |$)")
_AFTER_SIGN = re.compile(r"(:(?: |$))|( )(?==)")
# Where a text may go on in another line: a sign stays with its name, and so do words around a no-break space.
BREAK = re.compile(r"(?<!\bA:)(?<!\bB:)[^\S\u00a0]+")
_BEFORE_SIGN = re.compile(r"( ·|,)? $")


def split_signs(text: str) -> list[tuple[str, bool]]:
    """The parts of a text in order, and which are signs: "A: base 100" is (A, True) and (base 100, False)."""
    found, end = list[tuple[str, bool]](), 0
    for match in _SIGN.finditer(text):
        found += [(_BEFORE_SIGN.sub("", text[end : match.start()]), False), (match.group(), True)]
        after = _AFTER_SIGN.match(text, match.end())
        end = after.end() if after else match.end()
    return [(part, sign) for part, sign in (*found, (text[end:], False)) if part]
