"""Design tokens: colour roles in light, dark and monochrome, type sizes, spacing, heights and corner radii.

Screen, paper and reports all read them here, so that a figure on a slide looks as in the window. Lengths are pixels at
100 % scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["met", "partly", "not", "n/a"]  # on a requirement; n/a: it does not apply


@dataclass(frozen=True)
class Roles:
    """The colours of one theme, each as "#rrggbb".

    Blue is the focus, amber a repeated token, teal an amount. Text has a contrast of at least 4.5 to 1 with its background,
    `edge` and `curves` of at least 3. Curves go from fast (strong) to slow. Both colour scales have evenly spaced stops,
    between which lightness is linear; `sequential` begins at 0, `diverging` runs from rust through paper to teal with 0 in
    the middle. Zero is near the paper on both.
    """

    window: str  # background of the window
    card: str  # background of plots and chips
    field: str  # background of input fields
    sunk: str  # background of recessed areas and masked cells
    hover: str  # under the pointer
    line: str  # hairlines
    grid: str  # grid lines of plots
    edge: str  # borders of fields
    ref: str  # broad lines: A, or before
    ink: str  # text; fine lines: B, or now
    muted: str  # captions, axes
    focus: str  # the token in focus, keyboard focus, the primary action
    on_focus: str  # text on the focus colour
    twin: str  # repeated tokens
    met: str
    partly: str
    bad: str  # not met, invalid
    curves: tuple[str, str, str, str]
    sequential: tuple[str, str, str]
    diverging: tuple[str, str, str, str, str]

    def of_verdict(self, verdict: Verdict) -> str:
        """The text colour of a verdict."""
        return {"met": self.met, "partly": self.partly, "not": self.bad, "n/a": self.muted}[verdict]


LIGHT = Roles(
    window="#f1f2f2",
    card="#ffffff",
    field="#ffffff",
    sunk="#e6e8e9",
    hover="#e4e7e8",
    line="#dadddf",
    grid="#e9ebec",
    edge="#7f8790",
    ref="#8c949d",
    ink="#171a1e",
    muted="#565e68",
    focus="#1a56d0",
    on_focus="#ffffff",
    twin="#985600",
    met="#17703d",
    partly="#7d5900",
    bad="#b0241b",
    curves=("#0a3a44", "#12727a", "#4a9a9d", "#7d8890"),
    sequential=("#eaf9f5", "#3ca39d", "#003f4e"),
    diverging=("#7a2913", "#d68458", "#f4f8f7", "#3ca39d", "#003f4e"),
)
DARK = Roles(
    window="#111315",
    card="#1a1d20",
    field="#23272b",
    sunk="#0b0c0e",
    hover="#2a2f34",
    line="#2d3237",
    grid="#2a2e33",
    edge="#78818b",
    ref="#626b75",
    ink="#e8eaed",
    muted="#a2aab4",
    focus="#86b2ff",
    on_focus="#0a1528",
    twin="#efb24e",
    met="#62cf8d",
    partly="#e5bd4a",
    bad="#ff9184",
    curves=("#d6f3ea", "#6fcfc8", "#3f9aa0", "#7f8a94"),
    sequential=("#1e2d32", "#198481", "#8be5d1"),
    diverging=("#fab873", "#ac5c2f", "#282b2b", "#198481", "#7bdcc7"),
)
MONO = Roles(  # black on white paper: lightness alone shows a number and its sign
    window="#ffffff",
    card="#ffffff",
    field="#ffffff",
    sunk="#ffffff",
    hover="#ffffff",
    line="#c8c8c8",
    grid="#e6e6e6",
    edge="#767676",
    ref="#949494",
    ink="#000000",
    muted="#404040",
    focus="#000000",
    on_focus="#ffffff",
    twin="#404040",
    met="#000000",
    partly="#000000",
    bad="#000000",
    curves=("#000000", "#303030", "#5e5e5e", "#8a8a8a"),
    sequential=("#f4f4f4", "#969696", "#1c1c1c"),
    diverging=("#f4f4f4", "#c4c4c4", "#969696", "#585858", "#1c1c1c"),
)
THEMES = {"light": LIGHT, "dark": DARK}  # a reader's choice
BLACK, WHITE = "#000000", "#ffffff"  # numbers in cells: whichever has the stronger contrast


class Type(NamedTuple):
    """A type size: font size and line height."""

    size: int
    line: int


CAPTION = Type(12, 16)  # also axes and tooltips; nothing is smaller
BODY = Type(14, 20)  # everything else; titles in semibold
HEADLINE = Type(22, 28)  # the live sentence, a lab's title

TIGHT, SMALL, GAP, PADDING, SECTION = 4, 8, 12, 16, 24  # cards are 12 apart, with 16 of padding
SCROLL_BAR = 12  # its width
QUIET, FIELD, ROW, BAR = 28, 32, 36, 44  # heights: quiet buttons, fields and buttons, rows, tool bar and tokens
ICON = 16
CORNER, CARD_CORNER = 4, 6
