"""What people type, or copy from a paper, as words with their places: `\\theta_i`, `θ_{i}` and `theta[i]` are the same words.

Signs and commands of papers become the words of a formula here, all brackets round ones; an index below a name, w_i, becomes
one in brackets. So the grammar knows one notation alone.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from posenc_gui.encodings.common.typed.program import Fault
from posenc_gui.foundation.wording import quote

# 1e4 and 1e-4 are numbers; in 2e, which no digit follows, e is Euler's number.
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+−]?[0-9]+)?"
_LETTER = "A-Za-zΑ-Ωα-ω"
_UPRIGHT = r"\\(?:text|textrm|mathrm|mathit|operatorname)\s*\{\s*[A-Za-z0-9_]+\s*\}"
_WORD = re.compile(
    rf"""(?P<space>\s+|\\[,;:!\ ]|\\\\|\\(?:left|right|quad|displaystyle)(?![A-Za-z])|[$&])
    |(?P<number>{NUMBER})
    |(?P<raised>⁻?[⁰¹²³⁴-⁹]+)
    |(?P<name>(?:{_UPRIGHT}|\\[A-Za-z]+|[{_LETTER}][{_LETTER}0-9]*)  # d_model, d_{{model}}, d_{{\text{{model}}}}
        (?:_(?:[{_LETTER}0-9]+|\{{\s*[{_LETTER}0-9]+\s*\}}|\{{?\s*{_UPRIGHT}\s*\}}?|\\[a-z]+))*)
    |(?P<sign>\*\*|//|[<>=!]=|_?[(\[{{]|[-+*/^%<>=|,)\]}}−–·⋅∙×∗÷≤≥≠√⌊⌋])
    |(?P<other>\w+|.)""",
    re.VERBOSE,
)
_MEANT = {
    **dict.fromkeys("−–", "-"), **dict.fromkeys(("·", "⋅", "∙", "×", "∗", "cdot", "times"), "*"),
    **dict.fromkeys(("÷", "div"), "/"), "**": "^", **dict.fromkeys(("%", "bmod"), "mod"), "√": "sqrt",
    **dict.fromkeys(("≤", "le", "leq"), "<="), **dict.fromkeys(("≥", "ge", "geq"), ">="), "lt": "<", "gt": ">",
    **dict.fromkeys(("≠", "ne", "neq"), "!="), **dict.fromkeys(("lvert", "rvert", "vert", "mid"), "|"),
    **dict.fromkeys(("(", "[", "{", "_(", "_[", "_{"), "("), **dict.fromkeys((")", "]", "}", "⌋", "rfloor"), ")"),
    **dict.fromkeys(("⌊", "lfloor"), "floor ("), **dict.fromkeys(("dfrac", "tfrac"), "frac"),
}  # fmt: skip
_SAME = {"pos": "m", "ln": "log", "lambda": "lamda"}  # λ as in Unicode: Python has another use for lambda
_BELOW = ("m", "n", "i", "h")  # what is an index where it stands below a name: w_i
_LONGEST = 40  # letters of a name
KEYWORDS = ("mod", "if", "else")


class Word(NamedTuple):
    """A number, a name, a sign, or a keyword as it is meant, and where it stands in the text; the last one of a line is empty."""

    meant: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """True for names of all kinds."""
        return self.meant[:1].isalpha() and self.meant not in KEYWORDS

    @property
    def is_number(self) -> bool:
        """True for numbers, which have no sign."""
        return self.meant[:1].isdigit() or (self.meant[:1] == "." and len(self.meant) > 1)


def words_of(text: str, start: int, end: int) -> list[Word]:
    """List the words of a line, [start, end) of a text. Raises Fault for signs that mean nothing here."""
    words: list[Word] = []
    for found in _WORD.finditer(text, start, end):
        written = found[0]
        match found.lastgroup:
            case "space":
                continue
            case "number":
                meant = written.replace("−", "-")
            case "raised":
                meant = "^ " + "".join(str(unicodedata.digit(one)) if one != "⁻" else "- " for one in written)
            case "name":
                meant = _name(written)
                if len(meant) > _LONGEST:
                    raise Fault(f"A name has at most {_LONGEST} letters.", *found.span())
            case "sign":
                meant = _MEANT.get(written, written)
            case _:
                shown = quote(written[:40]) if written.isprintable() else ascii(written[0])
                letters = ": names are written with the letters a to z, and Greek ones" if written[0].isalpha() else ""
                raise Fault(f"{shown} can't stand in a formula{letters}.", *found.span())
        words += (Word(one, *found.span()) for one in meant.split())
    return [*words, Word("", end, end)]


def _name(written: str) -> str:
    """Return `\\theta_{i}` and `θ_i` as `theta ( i )`, `d_{\\text{model}}` as `d_model`, `\\cdot` as `*`."""
    name = "".join(map(_latin, re.sub(r"\\(text|textrm|mathrm|mathit|operatorname)\s*\{|[\\{}\s]", "", written)))
    meant = _MEANT.get(name, name) if written.startswith("\\") else name
    parts = [_SAME.get(one, one) for one in meant.split("_")]
    base, below = "_".join(parts[:-1]), parts[-1]
    return f"{base} ( {below} )" if below in _BELOW and base not in ("", "d") else "_".join(parts)


def _latin(letter: str) -> str:
    if letter.isascii():
        return letter
    name = unicodedata.name(letter).split()
    return name[-1].lower() if "SMALL" in name else name[-1].capitalize()
