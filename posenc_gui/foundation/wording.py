"""Formatting of numbers, counts, shares, sizes, names and lists for use in a sentence."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

_POWER_OF_TEN = re.compile(r"e\+?(-?)0*")  # in Python's notation
_RIGHT_TO_LEFT = ("R", "AL", "AN")  # Unicode's bidirectional classes of Hebrew, Arabic and Arabic numbers
_WHOLE_UP_TO = 1e10  # from here on a bound is written as a power of ten
_EQUAL = 1e-6  # by how much numbers may differ from rounding alone
_NEARLY_WHOLE = 5e-5  # by how much a number may differ from the whole number as which it is displayed
_SHARE_OF_MANY = 1e-4  # the largest of numbers that are shares of very many
_EQUAL_SHARE = 1e-4  # of the largest: by how much such shares may differ from rounding alone
_LOWERED = str.maketrans("0123456789−", "₀₁₂₃₄₅₆₇₈₉₋")
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SPELLED = dict(enumerate(("one", "two", "three", "four", "five", "six"), 1))
_EQUAL_PERCENT = 1e-3  # by how much a percentage may differ from 0 or 100 from rounding alone


def format_number(value: float) -> str:
    """Format a number with four significant digits, no trailing zeros and a true minus sign; from 10,000 on as a whole
    number, from a million on of six digits, beyond a thousand million with a power of ten, 1.5e12."""
    form = ",.0f" if 9999.5 <= abs(value) <= 1e9 else ",.4g"
    known = float(value) if abs(value) < 1e6 else float(f"{value:.6g}")
    return typeset_number(f"{known + 0.0:{form}}")  # + 0.0: no minus before zero


def format_seconds(seconds: float) -> str:
    """Format a duration with two digits: "0.9 s", "12 s", "3 min"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 119.5 else f"{seconds / 60:.0f} min"


def format_wait(seconds: float) -> str:
    """Format how long something still takes, in whole seconds or minutes: "1 s", "12 s", "3 min"."""
    return f"{max(1, round(seconds))} s" if seconds < 89.5 else f"{seconds / 60:.0f} min"


def typeset_number(text: str) -> str:
    """Typeset Python's format of a number: a true minus sign, and no leading zeros in the exponent, as in 2.5e−7."""
    return _POWER_OF_TEN.sub(r"e\1", text).replace("-", "−")


def format_bound(value: float) -> str:
    """Format the end of a range with all its digits; from 1e10 on it has a power of ten."""
    value = round(value, 4) if math.isfinite(value) and abs(value) >= 1 else value
    return typeset_number(f"{value:,.10g}") if abs(value) < _WHOLE_UP_TO else format_number(value)


def format_brief(value: float) -> str:
    """Format a number for reading at a glance: with three significant digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 999.5 <= abs(rounded) < 999_999.5 else format_number(rounded)


def format_rough(value: float) -> str:
    """Format a length at a glance: 6.3, 62.8, 200, 6,300, 19,900; from 100,000 on it has three significant digits."""
    if value < 100:
        return f"{value:.2g}" if value < 0.95 else f"{value:.1f}".removesuffix(".0")
    rounded = float(f"{value:.3g}") if value >= 1e5 else round(value, -1 if value < 995 else -2)
    return format_number(rounded)


def subscript(number: float) -> str:
    """Write a number as small digits below the line, such as a token's place behind its word."""
    return format_number(number).replace(",", "").translate(_LOWERED)


def format_told(value: float) -> str:
    """Format a number within a text: with four significant digits, one below 1 with three, as a headline has it."""
    return format_brief(value) if abs(value) < 1 else format_number(value)


def format_plain(value: float) -> str:
    """Format a number with two decimals; a whole one without, one that would read 0.00, or is large, with its digits."""
    plain = 0.005 <= abs(value) < 999.995 and not float(value).is_integer()
    return typeset_number(f"{value:.2f}") if plain else format_told(value)


def format_difference(size: float) -> str:
    """Format by how much numbers differ: 1.99, 0.01, and what would read 0.00 as 8·10⁻⁸ or 10⁻⁸."""
    if size >= 0.005 or not size:
        return format_plain(size)
    digit, _, power = f"{size:.0e}".partition("e")
    return f"{digit}·10{str(int(power)).translate(_RAISED)}".removeprefix("1·")


def format_at_most(size: float) -> str:
    """Round a size up to two decimals: what it is at most."""
    return f"{math.ceil(round(100 * size, 6)) / 100:.2f}"


def format_side_by_side(values: Sequence[float]) -> list[str]:
    """Format numbers that are compared: with two decimals, or as many as tell different ones apart."""
    known = _merge_equal(values, _EQUAL)
    texts = [format_plain(value) for value in known]
    return texts if len(set(texts)) == len(set(known)) else format_distinct(values)


def format_distinct(values: Sequence[float], fewest: int = 2) -> list[str]:
    """Format numbers with `fewest` decimals, or more if values that differ by more than rounding would look equal. No number
    is displayed as a whole number that it isn't to four decimals: 0.9995 never as 1.00, 0.004 never as 0.00. If all are tiny,
    like shares of very many keys, they get significant digits instead: 2.1e−6 and 4e−7."""
    largest = max(map(abs, values), default=0.0)
    if _EQUAL < largest < _SHARE_OF_MANY:
        return _in_digits(values, _EQUAL_SHARE * largest)
    # Values that are equal up to rounding must read alike, even on either side of a rounding boundary.
    known = _merge_equal(values, _EQUAL)
    for decimals in range(fewest, max(fewest + 1, 7)):
        texts = {value: f"{value:z.{decimals}f}" for value in known}
        shown = {value: float(text) for value, text in texts.items()}
        wrong = any(one.is_integer() and abs(one - value) > _NEARLY_WHOLE for value, one in shown.items())
        if len(set(texts.values())) == len(texts) and not wrong:
            break
    return [texts[value].replace("-", "−") for value in known]


def format_sum(first: float, total: float) -> tuple[str, str, str]:
    """Format a number, what is added to it, and the sum, with two decimals by which they add up as they are read."""
    start, end = round(first, 2), round(total, 2)
    texts = (f"{one:z.2f}".replace("-", "−") for one in (start, end - start, end))
    return next(texts), next(texts), next(texts)


def format_decimals(values: Sequence[float], decimals: int) -> list[str]:
    """Format numbers with as many decimals; those that are equal up to rounding read alike."""
    return [f"{value:z.{decimals}f}".replace("-", "−") for value in _merge_equal(values, _EQUAL)]


def format_percent(share: float, decimals: int = 0) -> str:
    """Format a share as a percentage: never as 0% or 100% if it is only close to that."""
    for more in range(decimals, 5):
        text = f"{share:.{more}%}"
        if float(text[:-1]) not in (0, 100) or abs(float(text[:-1]) - 100 * share) <= _EQUAL_PERCENT:
            break
    return text


def format_bytes(count: int) -> str:
    """Format an amount of memory or disk space: 3.4 GB, 120 MB, 12 kB, 400 bytes."""
    if count >= 999.5e6:
        return f"{count / 1e9:.1f} GB"
    if count >= 999.5e3:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e3:.0f} kB" if count >= 1000 else format_count(count, "byte")


def format_count(count: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun: 1 position, 1,024 positions; `plural` is for nouns that take more than an s."""
    return f"{count:,} {inflect(count, noun, plural)}"


def spell_count(count: int) -> str:
    """Spell a count from one to six; write a larger one, and none, in figures."""
    return _SPELLED.get(count) or f"{count:,}"


def inflect(count: int, word: str, plural: str = "") -> str:
    """Return a word in the form that a count takes: 1 position, 2 positions; `plural` is for words that take more than an s."""
    return word if count == 1 else plural or f"{word}s"


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Join words for a sentence: “a”, “a and b”, “a, b and c”; empty for none."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def inner_case(title: str) -> str:
    """Return a title in the case that it has within a sentence: Base becomes base; d_head and YaRN stay as they are."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def isolate(text: str) -> str:
    """Isolate Arabic or Hebrew text for a sentence, so that numbers and quotation marks beside it stay in place."""
    turns = not text.isascii() and any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in text)
    return f"\u2068{text}\u2069" if turns else text


def quote(text: str) -> str:
    """Return the text in quotation marks, isolated."""
    return f"“{isolate(text)}”"


def _merge_equal(values: Sequence[float], rounding: float) -> list[float]:
    """Replace each value by the first one that equals it up to rounding."""
    return [next(one for one in values if abs(one - value) <= rounding) for value in values]


def _in_digits(values: Sequence[float], rounding: float) -> list[str]:
    known = _merge_equal(values, rounding)
    for digits in range(2, 7):
        texts = {value: typeset_number(f"{value:.{digits}g}") for value in known}
        if len(set(texts.values())) == len(texts):
            break
    return [texts[value] for value in known]
