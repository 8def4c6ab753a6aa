"""The sum of one key, each part below the column that it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from posenc_gui.figure.panels.flow import Sum
from posenc_gui.render.drawings.flow.sheet import FlowSheet
from posenc_gui.render.drawings.formula_text import FormulaText
from posenc_gui.render.drawings.parts import Part, Stroke, Text, straight
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.layout.type_sizes import Size

_APART = 0.8  # lines of small type between two terms
_LONGEST = 6.0  # lines of labels: of the token's name
_BEFORE = "The sum for "
_SAID_ANYWAY = ("+ 0", "x + p", "output")  # what is left out where there is no room for all


class _Term(NamedTuple):
    """A term of the sum: its middle, what is told of it with and without position, and its colour."""

    x: float
    told: FormulaText
    plain: str
    colour: str

    @property
    def half(self) -> float:
        return self.told.length / 2


def draw_sums(sheet: FlowSheet) -> Iterator[Part]:
    """Write the marked key's sum, and below it the same without position if there are two lines."""
    places, rows, style, roles, token = sheet.places, sheet.rows, sheet.style, sheet.roles, sheet.strand(sheet.marked)
    if not rows.sums:
        return
    name = elided(visible(token.label), _LONGEST * style.label.line, style.title.measure)
    before = FormulaText(_BEFORE, style).length
    named = style.title.measure(name) + style.small.measure(f"{token.at:,}")
    terms = _fitted(sheet, (before + named, named))
    if not terms or terms[0].x - terms[0].half < before + named:
        before = 0.0
    top, y = rows.bottom + 0.45 * style.label.line, rows.sums[0]
    yield Stroke(straight((0.0, top), (places.width, top)), roles.line, sheet.hair)
    if before:
        yield Text(0.0, y, _BEFORE, roles.ink)
    colour = roles.twin if sheet.marked in sheet.panel.twins else roles.ink
    yield Text(before, y, name, colour, bold=True)
    below = y + 0.25 * style.label.line
    yield Text(before + style.title.measure(name), below, f"{token.at:,}", colour, "small", bold=True)
    for term in terms:
        yield from term.told.drawn(term.x, y, term.colour, "center")
    if len(rows.sums) > 1 and any(term.plain for term in terms):
        yield Text(0.0, rows.sums[1], "without position", roles.muted, "small")
        for term in terms:
            yield from FormulaText(term.plain, style, "small").drawn(term.x, rows.sums[1], roles.muted, "center")


def _fitted(sheet: FlowSheet, before: Sequence[float]) -> list[_Term]:
    """The terms beside each other, in larger or smaller type, after what stands `before` them, which may be shortened; those
    that go without saying are left out if there is no room for all, and all if there is none for the others.
    """
    gap, told = _APART * sheet.small, sheet.panel.sums(sheet.marked)
    tried: tuple[tuple[Size, bool], ...] = (("label", True), ("small", True), ("small", False))
    for size, whole in tried:
        terms = _terms(sheet, told, size, whole=whole)
        for start in before:
            if start + sum(2 * term.half + gap for term in terms) <= sheet.places.width:
                return _apart(terms, start, sheet.places.width, gap)
    return []


def _terms(sheet: FlowSheet, told: Sequence[Sum], size: Size, *, whole: bool) -> list[_Term]:
    contents, panel, roles = sheet.columns.contents, sheet.panel, sheet.roles
    return [
        _Term(
            contents[one.column].middle,
            FormulaText(one.text, sheet.style, size, bold=one.of_position and one.column != "input"),
            one.plain,
            roles.focus if one.of_position else roles.muted if one.text == "+ 0" else roles.ink,
        )
        for one in told
        if one.column in contents and panel.shows(one.column)
        if whole or not {one.text, one.column} & {*_SAID_ANYWAY}
    ]


def _apart(terms: Sequence[_Term], left: float, right: float, gap: float) -> list[_Term]:
    """The terms moved apart between two ends between which they fit: to the left where they must, then to the right."""
    found = list[_Term]()
    for term in reversed(terms):
        found.append(term._replace(x=min(term.x, right - term.half)))
        right = found[-1].x - term.half - gap
    found.reverse()
    for at, term in enumerate(found):
        found[at] = term._replace(x=max(term.x, left + gap + term.half))
        left = found[at].x + term.half
    return found
