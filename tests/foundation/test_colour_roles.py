"""The look: what is read stands out from what it is read on, and no other place names a colour."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import posenc_gui
from posenc_gui.foundation.contrast import ink_on
from posenc_gui.foundation.theme import DARK, LIGHT, Roles
from posenc_gui.render.layout.colour_scales import curve_colours, lookup_table

TEXT = ("ink", "muted", "focus", "twin", "met", "partly", "bad")
GROUNDS = ("window", "card", "field")

in_both_themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
of_both_scales = pytest.mark.parametrize("scale", ["sequential", "diverging"])


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lightness(colour: str) -> float:
    """CIE 1976 L*, 0 to 100."""
    share = luminance(colour)
    return 116 * share ** (1 / 3) - 16 if share > 216 / 24389 else share * 24389 / 27


def steps(scale: str, theme: Roles) -> list[str]:
    """The colours of a scale, from the lowest number to the highest."""
    return ["#" + bytes(colour).hex() for colour in lookup_table(scale, theme).tolist()]


@in_both_themes
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXT)
def test_text_has_a_contrast_of_four_and_a_half(theme: Roles, text: str, ground: str) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 4.5


@in_both_themes
def test_what_is_written_on_the_focus_can_be_read(theme: Roles) -> None:
    assert contrast(theme.on_focus, theme.focus) >= 4.5
    assert contrast(theme.ink, theme.hover) >= 4.5
    assert contrast(theme.muted, theme.sunk) >= 4.5  # what is not chosen, in the well of the bar


@in_both_themes
def test_the_edges_of_fields_and_curves_stand_out(theme: Roles) -> None:
    assert min(contrast(theme.edge, getattr(theme, ground)) for ground in GROUNDS) >= 3
    assert contrast(theme.ref, theme.card) >= 3
    assert min(contrast(curve, theme.card) for curve in theme.curves) >= 3


@in_both_themes
@pytest.mark.parametrize("count", [2, 4, 5, 8, 12])
def test_curves_differ_and_all_can_be_seen(theme: Roles, count: int) -> None:
    colours = curve_colours(theme, count)
    assert len(set(colours)) == count
    assert min(contrast(colour, theme.card) for colour in colours) >= 3
    assert (colours[0], colours[-1]) == (theme.curves[0], theme.curves[min(count, 4) - 1])


@in_both_themes
def test_greys_tell_more_than_four_curves_by_their_strength(theme: Roles) -> None:
    strengths = [contrast(colour, theme.card) for colour in curve_colours(theme, 8)]
    apart = [before / after for before, after in pairwise(strengths)]
    assert strengths[:6] == sorted(strengths[:6], reverse=True)
    assert min(apart[:5]) > 1.1


@in_both_themes
def test_one_curve_alone_is_calm(theme: Roles) -> None:
    assert curve_colours(theme, 1) == (theme.curves[1],)


@in_both_themes
def test_how_much_is_told_by_lightness_alone_at_even_steps(theme: Roles) -> None:
    found = np.array([lightness(colour) for colour in steps("sequential", theme)])
    rises = np.diff(found) * np.sign(found[-1] - found[0])
    assert rises.min() > -0.1  # one step of 256 may be lost in rounding
    even = np.linspace(found[0], found[-1], len(found))
    assert np.abs(found - even).max() < 2


@in_both_themes
def test_more_and_less_go_off_zero_at_even_steps_and_alike(theme: Roles) -> None:
    found = np.array([lightness(colour) for colour in steps("diverging", theme)])
    below, above = found[127::-1], found[128:]
    for half in (below, above):
        assert (np.diff(half) * np.sign(half[-1] - half[0])).min() > -0.25
        assert np.abs(half - np.linspace(half[0], half[-1], len(half))).max() < 3
    assert np.abs(below - above).max() < 7


@in_both_themes
@of_both_scales
def test_zero_is_near_the_paper_and_each_end_far_from_it(theme: Roles, scale: str) -> None:
    colours = steps(scale, theme)
    zero = colours[0] if scale == "sequential" else colours[128]
    ends = [colours[-1]] if scale == "sequential" else [colours[0], colours[-1]]
    assert contrast(zero, theme.card) < 1.35
    assert all(contrast(end, theme.card) > 8 for end in ends)


@in_both_themes
@of_both_scales
def test_a_scale_goes_through_its_stops(theme: Roles, scale: str) -> None:
    colours, stops = lookup_table(scale, theme).astype(int), getattr(theme, scale)
    places = np.linspace(0, 255, len(stops)).round().astype(int)
    for place, stop in zip(places, stops, strict=True):
        assert np.abs(colours[place] - list(bytes.fromhex(stop[1:]))).max() <= 2


@in_both_themes
@of_both_scales
def test_numbers_can_be_read_on_every_colour_of_a_scale(theme: Roles, scale: str) -> None:
    for colour in steps(scale, theme):
        assert contrast(ink_on(*bytes.fromhex(colour[1:])), colour) >= 4.5


def test_no_other_place_names_a_colour() -> None:
    package = Path(posenc_gui.__file__).parent
    named = {
        f"{path.relative_to(package)}: {line.strip()}"
        for path in package.rglob("*.py")
        if path != package / "foundation" / "theme.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"#[0-9a-fA-F]{6}\b|\brgba?\(|\bGlobalColor\.(?!transparent)", line)
    }
    assert named == set()
