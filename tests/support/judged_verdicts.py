"""Whether a verdict on drawn numbers is right, by what they were made of."""

from __future__ import annotations

import re
from typing import Any, Literal

import torch
from drawn_numbers import Draw

Outcome = Literal["named", "named, the truth among what is undecided", "not named, undecidable", "missed", "wrong"]
_TITLES = {"rope": "RoPE", "sinusoidal": "Sinusoidal", "xpos": "xPos"}
_SAME_AS_A_BASE = (None, "ntk", "dynamic")
_TOLD = {
    "pairing": "half|interleaved|pair",
    "start": "position|start",
    "layout": "sine|cosine|interleaved",
    "llama3": "Llama",
    "yarn": "YaRN",
    "linear": "inear|nterpolat",
    "proportional": "roportional",
}


def judge(draw: Draw, found: Any) -> tuple[Outcome, str]:
    """Return the outcome, and what was wrong or told as undecided."""
    if found.encoding is None:
        open_ = draw.open()
        return ("not named, undecidable", ", ".join(sorted(open_))) if open_ else ("missed", found.sentence)
    if why := _far_from(draw, found):
        return "wrong", why
    differing = _differing(draw, found)
    if not differing:
        return "named", ""
    untold = [name for name, words in differing.items() if not re.search(words, " ".join(found.undecided))]
    return (
        ("wrong", f"untold: {', '.join(untold)}")
        if untold
        else ("named, the truth among what is undecided", ", ".join(differing))
    )


def _far_from(draw: Draw, found: Any) -> str:
    exact, tolerance = draw.of(), draw.tolerance * torch.ones_like(draw.of())
    numbers = found.nearest.numbers.double()
    if draw.arranged == "transposed":
        exact, tolerance = exact.T, tolerance.T
    elif draw.arranged == "a row a head":
        exact, tolerance = (
            x.repeat(numbers.numel() // x.numel(), 1).reshape(numbers.shape) for x in (exact, tolerance)
        )
    if numbers.shape[-exact.ndim :] != exact.shape:
        return f"numbers of shape {tuple(numbers.shape)}, not {tuple(exact.shape)}"
    times = ((numbers - exact).abs() / tolerance.clamp(min=1e-15)).max()
    return f"{float(times):.3g} times what may be unseen: {found.sentence}" if times > 8 else ""


def _differing(draw: Draw, found: Any) -> dict[str, str]:
    """What the verdict says otherwise than the draw, with words by which it may be told as undecided."""
    ours, differing = found.encoding, {}
    if ours.name != draw.encoding:
        return {f"{ours.name} for {draw.encoding}": _TITLES.get(draw.encoding, draw.encoding)}
    if draw.start is not None and found.start != draw.start:
        differing["start"] = _TOLD["start"]
    for name, value in draw.fields.items():
        if name == "scaling":
            meant, said = (
                scaling and scaling["rope_type"] for scaling in (value, ours.scaling and ours.scaling.model_dump())
            )
            if meant != said and not (meant in _SAME_AS_A_BASE and said in _SAME_AS_A_BASE):
                differing[f"scaling {said} for {meant}"] = _TOLD.get(meant, "scaling")
        elif isinstance(value, str) and name != "spacing" and getattr(ours, name) != value:
            differing[name] = _TOLD.get(name, name)
        elif name == "base" and _is_round(value) and not draw.fields.get("scaling") and ours.base != value:
            differing[f"base {ours.base:g} for {value:g}"] = f"{value:,.0f}"
    return differing


def _is_round(base: float) -> bool:
    return base == float(f"{base:.2g}")
