"""The order in which plots are told: what is lost without positions, what an encoding adds, what attention does with it, how
far it reaches, which encodings meet what, and what positions are worth to a trained model.
"""

from __future__ import annotations

from collections.abc import Iterable

_ORDER = (
    *("twins", "equivariance", "meaning", "recurrence", "generation"),
    *("encoding", "waves", "dials", "angles", "combined", "addition", "requirements"),
    *("flow", "projections", "attention", "row", "slopes", "why", "sweep", "patches"),
    *("similarity", "kernel", "shift", "linear_shift", "frequencies", "length", "extension", "precision"),
    "comparison",
    *("heads", "surgery", "loss", "table"),
)


def in_teaching_order(names: Iterable[str]) -> list[str]:
    """Sort names of plots as they are told; those without a place come last."""
    return sorted(names, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
