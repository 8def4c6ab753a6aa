"""The base class of RoPE's scalings, and the fields that several of them declare."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Source
from posenc_gui.foundation.declared_model import Frozen

TrainedLengthIs = Literal["before", "after", "unsaid"]


class Named(Frozen):
    """A group of fields that search finds by its title, other names and models, like an encoding."""

    summary: ClassVar[str]
    source: ClassVar[Source]
    also: ClassVar[tuple[str, ...]] = ()
    models: ClassVar[tuple[str, ...]] = ()


def factor_field(default: float, most: float = 10_000) -> Any:
    """Declare the factor as a parameter; most: the largest."""
    return Field(
        default,
        ge=1.0,
        le=most,
        title="Factor",
        description="Factor by which the context is longer than in training.",
        json_schema_extra={"scale": "log"},
    )


def trained_length_field(default: int) -> Any:
    """Declare the trained length as a parameter."""
    return Field(
        default,
        ge=2,
        le=20_000_000,
        title="Trained length",
        description="Positions in training, before the extension (original_max_position_embeddings).",
        json_schema_extra={"unit": "positions"},
    )


def trained_length_is_field() -> Any:
    """Declare as a parameter which of two lengths the trained one is; both are written into configs."""
    return Field(
        "before",
        title="Trained length is",
        description="The length before the scaling or the one that it reaches: max_position_embeddings of a config may be "
        "either. Angles don't depend on it.",
        json_schema_extra={
            "names": {"before": "before scaling", "after": "after scaling", "unsaid": "before or after"}
        },
    )


def attention_factor_field() -> Any:
    """Declare the attention factor as a parameter; None means the value that the method prescribes."""
    return Field(
        None,
        ge=0.001,
        le=100,
        title="Attention factor",
        description="Cosines and sines are multiplied by this; automatic is the method's recommendation.",
    )


class Scaling(Named):
    """Base class of the scalings. A subclass writes `frequencies`, and `lines`, the code that does the same."""

    theta: ClassVar[str]  # θ_i in LaTeX, in place of base^(−2i / r)
    typed_theta: ClassVar[str] = ""  # the same in a typed formula, with {r} for r; empty where it is none

    @property
    def terms(self) -> str:
        """Definitions of the symbols in `theta`, in LaTeX."""
        return f"s = {dict(self)['factor']:g}"

    @property
    def attention(self) -> float:
        """The attention factor: the factor of cosines and sines."""
        return 1.0

    @property
    def trained(self) -> int | None:
        """The number of positions in training, where the scaling says so."""
        return dict(self).get("original_max_position_embeddings")

    @property
    def trained_length_may_be_after(self) -> bool:
        """True if the trained length may as well be the one that the scaling reaches."""
        return dict(self).get("trained_length_is") == "unsaid"

    def length_before(self, trained: int) -> int:
        """Return the length before the scaling, of what is called the trained length."""
        is_after = dict(self).get("trained_length_is") == "after"
        return max(1, round(trained / dict(self)["factor"])) if is_after else trained

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return the frequency of each pair of r rotated dimensions in a sequence of this length: (r / 2,), float64."""
        raise NotImplementedError

    def refuse(self, base: float) -> None:
        """Raise ValueError, naming what is allowed, where the base doesn't suit the scaling."""

    def why_nothing_turns(self, rotated: int) -> str:
        """Return a whole sentence where it lacks numbers for some of r rotated dimensions' pairs; else nothing."""
        return ""

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return caveats, whole sentences, for a text of this length, in which pairs turn by this share; empty if there are
        none."""
        return ""

    def data(self, rotated: int, most: int) -> str:
        """Return at most `most` lines of code with the function's data; empty if none is needed."""
        return ""

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute `frequencies` from i, the pairs' index, and positions."""
        raise NotImplementedError
