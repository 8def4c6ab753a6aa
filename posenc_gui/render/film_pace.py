"""The pace of films."""

from __future__ import annotations

_FEW = 16  # up to this many frames are shown slowly, one by one; more are played as motion
_SLOW, _FAST = 0.9, 0.09  # seconds a frame


def seconds_per_frame(count: int) -> float:
    """Return for how many seconds each frame of a film of so many frames is shown."""
    return _SLOW if count <= _FEW else _FAST
