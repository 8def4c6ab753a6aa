"""Lab Markdown with formulas, converted to safe HTML without scripts or links.

The same HTML serves the window (Qt's rich text) and reports (browsers); formulas are embedded images. HTML, links and
images in the Markdown itself are shown as typed.
"""

from __future__ import annotations

import base64
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape, unescape
from typing import Any, Self
from xml.etree.ElementTree import Element

import regex
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from posenc_gui.foundation.theme import LIGHT
from posenc_gui.text.tokenization import replace_surrogates

TEXT_SIZE = 16.0  # pixels, of a report's text

_INK = LIGHT.ink  # stands for the colour in the finished drawing
_MOST_LATEX = 5_000  # characters of LaTeX that are typeset in one text
_LONGEST_FORMULA = 500  # characters of one formula
_LARGEST_FORMULA = 60.0  # width or height of a formula, as a multiple of the text size
_DEEPEST_FORMULA = 6  # groups within groups: each doubles the time that typesetting takes
_BORDER = re.compile(r"(?P<opens>[{\[]|\\(left|begin)(?![A-Za-z]))|[}\]]|\\(right|end)(?![A-Za-z])")
_DEFINITION = re.compile(r"\\(new|renew|def|Declare)")  # a few of them can expand to millions of characters

# Control characters are invisible, and bidirectional ones would also reverse the text beside them.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PLACEHOLDER = re.compile(r"\{\{([^{}]{1,300})\}\}")
_MATH = ("math_inline", "math_inline_double", "math_block")
_COMMAND = re.compile(r"\\[A-Za-z]")
_PIECES = regex.compile(r"\p{Han}|[^\s\p{Han}]+")
_TIGHT = frozenset("()[]{}|‖⟨⟩/!′")  # signs without spaces around them
_PUNCTUATION = frozenset(",;")


@dataclass(frozen=True)
class Letters:
    """The text around formulas, in pixels: its size, and where Qt puts a picture.

    Qt centres a picture on the middle of its line. That lies `middle` above the baseline, a quarter of an x's height, if the
    picture is at least `least` high and so reaches above all letters; a lower picture would be centred higher up.
    density: pixels of a drawing per pixel of the text. Qt scales without smoothing, so it must be the screen's own.
    """

    size: float = TEXT_SIZE
    middle: float = 0.13 * TEXT_SIZE
    least: float = 0.0
    density: float = 2.0

    @classmethod
    def of(cls, size: float, ascent: float, height_of_x: int, density: float) -> Self:
        """Return the letters of a font, from Qt's measures in pixels."""
        middle = height_of_x // 2 / 2
        return cls(size, middle, 2 * (ascent - middle), density)


def html(markdown: str, values: Mapping[str, str], ink: str, letters: Letters = Letters()) -> str:
    """Convert Markdown to HTML, with formulas in the colour `ink` ("#rrggbb") and sized for the surrounding text.

    Each `{{question}}` outside of formulas is replaced by its value, or by "…" if it has none. No line begins with the "…" of
    an unfinished sentence.
    """
    page: str = _reader().render(_visible(markdown), {"values": values, "ink": ink, "letters": letters, "latex": 0})
    return page.replace(" …", "\N{NO-BREAK SPACE}…")  # not in the Markdown: there the space may follow a list's marker


def plain(text: str) -> str:
    """Escape typed text as HTML that shows it line by line, without control characters."""
    return escape(_visible(text)).replace("\n", "<br>")


@lru_cache(maxsize=1024)
def in_line(markdown: str) -> str:
    """Return the text in one line without images: formulas as plain text, "…" for placeholders."""
    return " ".join("".join(map(_read_in_line, _tokens(markdown))).split())


def with_values(markdown: str, values: Mapping[str, str]) -> str:
    """Return the Markdown with the values of those placeholders that have one."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1].strip(), found[0]), markdown)


def placeholders(markdown: str) -> tuple[str, ...]:
    """Return the expressions in double braces outside of formulas, each once."""
    if "{{" not in markdown:
        return ()
    return tuple(dict.fromkeys(token.content for token in _tokens(markdown) if token.type == "placeholder"))


def is_filled(markdown: str, values: Mapping[str, str]) -> bool:
    """Return True if there is a text, and a value for each of its placeholders."""
    return bool(markdown) and values.keys() >= set(placeholders(markdown))


def unread_formulas(markdown: str) -> tuple[str, ...]:
    """Return the formulas in which `in_line` leaves LaTeX because they are too large or can't be parsed, each once."""
    if "$" not in markdown:
        return ()
    formulas = [token for token in _tokens(markdown) if token.type in _MATH]
    read_as = {" ".join(token.content.split()): _read_in_line(token) for token in formulas}
    return tuple(latex for latex, read in read_as.items() if _COMMAND.search(read) or (read == latex and "{" in read))


def n_words(markdown: str) -> int:
    """Return the number of words; a Chinese character is one, formulas and placeholders don't count."""
    spoken = "".join(_spoken(token) for token in _tokens(markdown))
    return sum(any(map(str.isalnum, piece)) for piece in _PIECES.findall(spoken))


# --- Markdown -------------------------------------------------------------------------------------------------------


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False})
    reader.disable(["link", "image", "autolink", "reference"])
    reader.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    reader.inline.ruler.before("escape", "placeholder", _read_placeholder)
    for kind, rule in {
        "placeholder": _write_placeholder,
        "math_inline": _write_formula,
        "math_inline_double": _write_formula,
        "math_block": _write_block,
    }.items():
        reader.add_render_rule(kind, rule)
    return reader


def _tokens(markdown: str) -> Iterator[Token]:
    """Yield all tokens, those of running text in place of their parent, with a line break after each block."""
    for token in _reader().parse(_visible(markdown)):
        yield from token.children or [token]
        yield Token("softbreak", "", 0)


def _spoken(token: Token) -> str:
    match token.type:
        case "text" | "code_inline" | "code_block" | "fence":
            return token.content
        case "softbreak" | "hardbreak":
            return "\n"
        case _:
            return ""


def _read_in_line(token: Token) -> str:
    match token.type:
        case kind if kind in _MATH:
            latex = " ".join(token.content.split())
            return formula_in_line(latex) if _is_modest(latex) else latex
        case "placeholder":
            return "…"
        case _:
            return _spoken(token)


def _read_placeholder(state: StateInline, silent: bool) -> bool:
    found = _PLACEHOLDER.match(state.src, state.pos, state.posMax)
    if found is None or not (question := " ".join(found[1].split())):
        return False
    if not silent:
        state.push("placeholder", "", 0).content = question
    state.pos = found.end()
    return True


def _write_placeholder(_self: object, tokens: Sequence[Token], at: int, _options: object, env: dict[str, Any]) -> str:
    return f"<b>{plain(env['values'].get(tokens[at].content, '…'))}</b>"


def _write_formula(_self: object, tokens: Sequence[Token], at: int, _options: object, env: dict[str, Any]) -> str:
    latex = tokens[at].content.strip()
    env["latex"] += len(latex)
    formula = _typeset(latex, tokens[at].markup == "$") if env["latex"] <= _MOST_LATEX else None
    return formula.picture(latex, env["ink"], env["letters"]) if formula else f"<code>{plain(latex)}</code>"


def _write_block(self: object, tokens: Sequence[Token], at: int, options: object, env: dict[str, Any]) -> str:
    return f'<p align="center">{_write_formula(self, tokens, at, options, env)}</p>\n'


def _visible(text: str) -> str:
    return _CONTROLS.sub("\ufffd", replace_surrogates(text))


# --- Formulas -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Formula:
    """A drawing for letters of TEXT_SIZE: its SVG's attributes and content, and its box, measured from the baseline."""

    head: str
    content: str
    left: float
    top: float
    width: float
    height: float

    def picture(self, latex: str, ink: str, letters: Letters) -> str:
        """Return the drawing as an HTML image, padded so that Qt, which centres it on its line, puts it on the baseline.

        Qt reads the attributes in pixels and the last `vertical-align`, "middle"; browsers read the sizes in em and the
        `vertical-align` marked as important.
        """
        scale = letters.size / TEXT_SIZE
        above, below = -self.top * scale, (self.top + self.height) * scale
        width = math.ceil(self.width * scale)
        half = max(above - letters.middle, below + letters.middle, letters.least / 2)
        half = math.ceil(half + letters.middle) - letters.middle
        foot = half - letters.middle  # of the picture, below the baseline
        box = (self.left, -(half + letters.middle) / scale, width / scale, 2 * half / scale)
        height = 2 * half
        opening = (
            f'<svg {self.head} width="{width * letters.density:.2f}" height="{height * letters.density:.2f}" '
            f'viewBox="{" ".join(f"{part:.3f}" for part in box)}">'
        )
        data = base64.b64encode((opening + self.content).replace(_INK, ink).encode()).decode()
        style = (
            f"width:{width / letters.size:.3f}em;height:{height / letters.size:.3f}em;"
            f"vertical-align:{-foot / letters.size:.3f}em !important;vertical-align:middle"
        )
        return (
            f'<img src="data:image/svg+xml;base64,{data}" alt="{plain(latex)}" '
            f'width="{width:.2f}" height="{height:.2f}" style="{style}">'
        )


@cache
def _latex() -> Callable[..., Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it finds its fonts by a deprecated function
        import ziamath
    ziamath.config.svg2 = False  # Qt draws no nested symbols
    found: Callable[..., Any] = ziamath.Latex
    return found


@lru_cache(maxsize=1024)
def _typeset(latex: str, inline: bool) -> _Formula | None:
    """Typeset a formula; return None if it is too large or not valid LaTeX."""
    if not _is_modest(latex):
        return None
    try:
        drawing: str = _latex()(latex, size=TEXT_SIZE, color=_INK, inline=inline).svg()
    except Exception:  # ziamath and its parser raise errors of any type
        return None
    head = re.match(r'<svg ([^>]*?) width="[^"]*" height="[^"]*" viewBox="([^"]*)">', drawing)
    if head is None:
        return None
    left, top, width, height = map(float, head[2].split())
    if not 0 < max(width, -2 * top, 2 * (top + height)) <= _LARGEST_FORMULA * TEXT_SIZE:
        return None
    return _Formula(head[1], drawing[head.end() :], left, top, width, height)


def _is_modest(latex: str) -> bool:
    """Return True if a formula defines no commands and is small enough to be parsed quickly."""
    return len(latex) <= _LONGEST_FORMULA and _depth(latex) <= _DEEPEST_FORMULA and not _DEFINITION.search(latex)


def _depth(latex: str) -> int:
    """Return how deeply a formula's brackets and environments are nested, at most; closing ones too many don't count."""
    deepest = depth = 0
    for border in _BORDER.finditer(latex):
        depth = max(0, depth + (1 if border["opens"] else -1))
        deepest = max(deepest, depth)
    return deepest


# --- Formulas as plain text, for table cells and screen readers ---------------------------------------------------------


def formula_in_line(latex: str) -> str:
    """Return a formula as people type it: "b^(2/4) = √b" for `b^{2/4} = \\sqrt{b}`. A formula that can't be parsed
    is returned unchanged."""
    from latex2mathml.converter import convert_to_element  # imported only when there is a formula

    try:
        read = convert_to_element(latex)
    except Exception:  # its errors have no common base class, and it also raises Python's own, even StopIteration
        return latex
    return " ".join(_read(read).split())


def _read(node: Element) -> str:
    inner = list(node)
    match node.tag, inner:
        case "msub" | "munder", [base, below]:
            return f"{_read(base)}_{_group(below)}"
        case "msup" | "mover", [base, above]:
            return f"{_read(base)}{_raised(above)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{_read(base)}_{_group(below)}{_raised(above)}"
        case "mfrac", [above, below]:
            return f"{_group(above)}/{_group(below)}"
        case "msqrt", _:
            return f"√{_group(*inner)}"
        case "mroot", [base, degree]:
            return f"{_group(base)}^(1/{_group(degree)})"
        case "mtable", _:
            return "; ".join(map(_read, inner))
        case "mtr", _:
            return ", ".join(map(_read, inner))
        case "mspace", _:
            return " "
        case _:
            return _row(inner) if inner else unescape(node.text or "")


def _raised(node: Element) -> str:
    sign = _group(node)
    return sign if node.tag == "mo" or sign in _TIGHT else f"^{sign}"


def _group(*nodes: Element) -> str:
    """Return an operand, in brackets if it is more than a name or a number."""
    words = _row(nodes).replace(" ", "")
    return words if words.isalnum() or len(words) == 1 else f"({words})"


def _row(nodes: Sequence[Element]) -> str:
    """Return neighbours in a line: spaces around operators, relations and between names, none after a leading sign."""
    line, before = "", None
    for node in nodes:
        sign, operates = _read(node), node.tag == "mo"
        if sign in _PUNCTUATION:
            line += f"{sign} "
        elif operates and sign not in _TIGHT and line and line[-1] not in " (":
            line += f" {sign} "
        else:
            line += f"{' ' if _are_apart(before, node) else ''}{sign}"
        before = node
    return line


def _are_apart(before: Element | None, after: Element) -> bool:
    """Return True if a space belongs between two neighbours: both names, not letters of a word or a number's factor."""
    if before is None or "mo" in (before.tag, after.tag) or before.tag == "mn":
        return False
    return not before.get("mathvariant") == after.get("mathvariant") == "normal"
