"""Encodings that bring in only a share of what they would: vectors, angles and biases times a strength from 0 to 1.

At 0 nothing is brought in, as where the encoding is taken away: then attention is left with its own scale of the scores (T5's is
1). An attention factor (YaRN, LongRoPE) is no part of that scale but of the rotation, and becomes 1 with it: transformers
multiplies cosines and sines by it, so that dimensions and layers that aren't turned don't have it. Turning by a share of each
angle is what turning at that share of each position would be: position interpolation (Chen et al. 2023).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from functools import cache, wraps
from typing import Any, TypeVar, cast

from pydantic import PrivateAttr
from torch import Tensor

from posenc_gui.encodings.base import Context, Encoding, Profile, RotationEncoding, ScoreEncoding
from posenc_gui.foundation.wording import format_number

E = TypeVar("E", bound=Encoding)

_SCALED = ("vectors", "angles", "bias", "content", "extra", "values")


def at_strength(encoding: E, strength: float) -> E:
    """Return the encoding at this strength, 0 to 1, whatever it was; as it is where it can't be brought in by degrees."""
    kinds = (kind for kind in type(encoding).__mro__ if issubclass(kind, Encoding))
    whole = next(kind for kind in kinds if not issubclass(kind, _Weakened))
    if strength == encoding.strength or not whole.by_degrees:
        return encoding
    if strength == 1:
        return cast(E, whole.model_construct(**dict(encoding)))
    weakened = _weakened_class(whole).model_construct(**dict(encoding))
    weakened._strength = strength
    return cast(E, weakened)


class _Weakened(Encoding):
    """What all encodings at a strength below 1 share; `_weakened_class` puts it before an encoding's own class."""

    _strength: float = PrivateAttr(1.0)

    @property
    def strength(self) -> float:
        return self._strength

    @property
    def called(self) -> str:
        return f"{super().called} at strength {format_number(self._strength)}"

    def remark(self, context: Context) -> str:
        """Return the encoding's own caveats; nothing where nothing is brought in."""
        return super().remark(context) if self._strength else ""


class _WeakenedRotation(_Weakened, RotationEncoding):
    @property
    def attention_factor(self) -> float:
        return 1 + (super().attention_factor - 1) * self._strength


class _WeakenedScore(_Weakened, ScoreEncoding):
    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile | None:
        """Return the encoding's profile; the rows of a table that meets the tokens, which no hook gives, times the strength."""
        found = super().profile(coordinates, d_model, context)
        return found if found is None or self.content_free else replace(found, values=found.values * self._strength)


@cache
def _weakened_class(whole: type[Encoding]) -> type[_Weakened]:
    """Return this encoding's class at strengths below 1: each hook that it defines gives values times the strength."""
    shared: type[_Weakened] = _Weakened
    if issubclass(whole, RotationEncoding | ScoreEncoding):
        shared = _WeakenedRotation if issubclass(whole, RotationEncoding) else _WeakenedScore
    own = {name: getattr(whole, name) for name in _SCALED if hasattr(whole, name)}
    hooks = {name: _scaled(hook) for name, hook in own.items() if hook is not getattr(Encoding, name, None)}
    body = {"__module__": __name__, **hooks}
    return types.new_class(whole.__name__, (shared, whole), None, lambda space: space.update(body))


def _scaled(hook: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(hook)
    def scaled(self: _Weakened, *given: Any, **named: Any) -> Any:
        return hook(self, *given, **named) * self._strength

    return scaled
