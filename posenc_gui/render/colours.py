"""The colours of curves: one hue a curve, in the same order wherever a figure is drawn."""

from __future__ import annotations

from typing import NamedTuple


class Hue(NamedTuple):
    """One hue as "#rrggbb", as each ground needs it: `paper` is white, `name` are words on it; screens are light or dark."""

    paper: str
    name: str
    light: str
    dark: str


# After Okabe and Ito, without yellow on white: safe for colour-blind readers.
CURVES = (
    Hue("#0072b2", "#0072b2", "#0072b2", "#5ab4e8"),  # blue
    Hue("#d55e00", "#b34f00", "#d55e00", "#ff8f3f"),  # vermilion
    Hue("#009e73", "#007a59", "#00805c", "#2fcf9c"),  # green
    Hue("#cc79a7", "#a34b7c", "#b35a90", "#e59ac6"),  # pink
    Hue("#56b4e9", "#2a7aa8", "#3b8fc4", "#8fd0ff"),  # sky
    Hue("#e69f00", "#8f6300", "#a87400", "#f0c648"),  # ochre
    Hue("#000000", "#000000", "#5c5c5c", "#b8bec7"),  # grey
    Hue("#7a4fb5", "#7a4fb5", "#7a4fb5", "#c0a0f0"),  # violet
)


def ink_on(red: float, green: float, blue: float) -> str:
    """Black or white, whichever has the stronger contrast to a colour of 0 to 255 each (WCAG's relative luminance)."""
    shares = (part / 255 for part in (red, green, blue))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in shares]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#ffffff"


def mixed(colour: str, ground: str, share: float) -> str:
    """A colour laid thinly over another: the ground where `share` is 0, the colour where it is 1."""
    parts = zip(bytes.fromhex(colour[1:]), bytes.fromhex(ground[1:]), strict=True)
    return "#" + bytes(round(over * share + under * (1 - share)) for over, under in parts).hex()
