"""Colours of curves, labels and values, made from a theme's roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Scale, Series
from posenc_gui.figure.ranges import steps
from posenc_gui.foundation.contrast import colour_of, mixed, parts_of
from posenc_gui.foundation.theme import Roles

Colours = npt.NDArray[np.uint8]
_Numbers = npt.NDArray[np.float64]

_STEPS = 256  # of a colour scale: one for each byte
# sRGB's primaries and white in CIE XYZ (IEC 61966-2-1).
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = _TO_XYZ.sum(axis=1)
# CIE 1976 L*a*b*: lightness, green to red, blue to yellow, from the three cube roots.
_NO_LIGHT = np.array([16, 0, 0])
_TO_LAB = np.array([[0, 116, 0], [500, -500, 0], [0, 200, -200]])
_DARK, _SLOPE, _OFFSET = 216 / 24389, 24389 / 27 / 116, 16 / 116


@cache
def curve_colours(roles: Roles, count: int) -> tuple[str, ...]:
    """The colours of `count` curves, from strong to faint. A single curve gets the second. More than four get even steps from
    the first to the last, which also differ in lightness."""
    if count == 1:
        return roles.curves[1:2]
    if count <= len(roles.curves):
        return roles.curves[:count]
    return tuple(map(colour_of, _blend(roles.curves, count).tolist()))


def series_colours(roles: Roles, series: Sequence[Series]) -> tuple[str, ...]:
    """The colours of a panel's curves; if some are references, all of these have one colour and all others another."""
    own: Iterator[str] = iter(curve_colours(roles, sum(not one.level for one in series)))
    if any(one.before for one in series):
        own = (roles.ref if one.before else roles.ink for one in series if not one.level)
    return tuple(roles.muted if one.level else next(own) for one in series)


def strength_colour(roles: Roles, share: float) -> str:
    """The colour of a line for a share from 0, which is still visible, to 1."""
    return mixed(roles.sequential[-1], mixed(roles.muted, roles.card, 0.5), share)


def label_colour(axis: Axis, coordinate: int, roles: Roles) -> str:
    """The colour of a cell's label: the token in focus and its twins stand out."""
    if coordinate == axis.focus:
        return roles.focus
    return roles.twin if coordinate in axis.twins else roles.ink


def end_colours(scale: Scale, roles: Roles) -> tuple[str, str]:
    """The colours of words about the lowest and the highest values; muted where a scale of greys begins near the paper."""
    stops = roles.sequential if scale == "sequential" else roles.diverging
    low, high = (stop if _is_coloured(stop) else roles.muted for stop in (stops[0], stops[-1]))
    return low, high


def is_grey(colours: Sequence[str]) -> bool:
    """True if no colour has a hue."""
    return not any(map(_is_coloured, colours))


def _is_coloured(colour: str) -> bool:
    return len(set(parts_of(colour))) > 1


@cache
def lookup_table(scale: Scale, roles: Roles) -> Colours:
    """The colours from the lowest value to the highest, (256, 3)."""
    return _blend(roles.sequential if scale == "sequential" else roles.diverging, _STEPS)


def shades(scale: Scale, shares: npt.NDArray[np.floating], roles: Roles) -> Colours:
    """The colours of shares from 0 to 1, (…, 3)."""
    return of_steps(scale, steps(shares), roles)


def of_steps(scale: Scale, found: npt.NDArray[np.uint8], roles: Roles) -> Colours:
    """The colours of steps from 0 to 255, (…, 3)."""
    colours: Colours = lookup_table(scale, roles).take(found, axis=0)  # several times as fast as indexing
    return colours


def _blend(stops: Sequence[str], count: int) -> Colours:
    """`count` evenly spaced colours through evenly spaced stops, interpolated linearly in CIELAB, (count, 3)."""
    lab = _lab(np.array([parts_of(stop) for stop in stops], np.float64))
    at = np.linspace(0, len(stops) - 1, count)
    return _srgb(np.stack([np.interp(at, range(len(stops)), part) for part in lab.T], axis=1))


def _lab(colours: _Numbers) -> _Numbers:
    shares = light_of(colours) @ _TO_XYZ.T / _WHITE
    roots = np.where(shares > _DARK, np.cbrt(shares), _SLOPE * shares + _OFFSET)
    lab: _Numbers = roots @ _TO_LAB.T - _NO_LIGHT
    return lab


def _srgb(lab: _Numbers) -> Colours:
    roots = np.linalg.solve(_TO_LAB, (lab + _NO_LIGHT).T).T
    shares = np.where(roots**3 > _DARK, roots**3, (roots - _OFFSET) / _SLOPE)
    return of_light(np.linalg.solve(_TO_XYZ, (shares * _WHITE).T).T)  # a few lie just outside of sRGB


def of_light(linear: _Numbers) -> Colours:
    """The colours in sRGB of amounts of light from 0 to 1."""
    linear = np.clip(linear, 0, 1)
    parts = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    colours: Colours = np.rint(255 * parts).astype(np.uint8)
    return colours


def light_of(colours: _Numbers) -> _Numbers:
    """The amounts of red, green and blue light, from 0 to 1, of colours in sRGB from 0 to 255."""
    parts = colours / 255
    linear: _Numbers = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear


def prepare(figure: Figure) -> None:
    """Compute the colour steps of a figure's maps; call it off the UI thread, since painting would wait for them."""
    for panel in figure.panels:
        if isinstance(panel, Heatmap):
            _ = panel.steps


def colours_of(panel: Heatmap, roles: Roles) -> Colours:
    """The colour of each cell, (rows, columns, 3)."""
    return colours_at(panel.steps, panel, roles)


def colours_at(steps: npt.NDArray[np.uint8], panel: Heatmap, roles: Roles) -> Colours:
    """The colours of a map whose cells have these steps of its scale, (rows, columns, 3)."""
    colours = of_steps(panel.scale, steps, roles)
    if panel.mask is not None:
        colours[panel.mask] = parts_of(roles.sunk)
    return colours
