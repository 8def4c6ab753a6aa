"""A rotation by several coordinates, along one of them: what rows or columns alone tell."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from posenc_gui.encodings.base import Context, Profile, RotationEncoding, Side, as_positions


class OneAxis(RotationEncoding):
    """A rotation at positions that differ along one axis: position m is m there, and 0 along the others."""

    name: ClassVar[str] = "one_axis"

    rotation: RotationEncoding
    axis: int

    @property
    def called(self) -> str:
        """The rotation's name."""
        return self.rotation.called

    @property
    def trained_length(self) -> int | None:
        """The rotation's trained length."""
        return self.rotation.trained_length

    def check_shape(self, d_model: int, n_heads: int, d_head: int) -> None:
        """Raise Undefined if the rotation can't act on a model of this shape."""
        self.rotation.check_shape(d_model, n_heads, d_head)

    def scale(self, d_head: int) -> float:
        """Return the rotation's factor of q · k."""
        return self.rotation.scale(d_head)

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return the angle of each pair at each position: (n, pairs), in radians, float64, unreduced."""
        return self.rotation.angles(self._places(positions), d_head, context)

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """Return x (…, n, d_head) as the rotation turns it at these positions."""
        return self.rotation.rotate(x, self._places(positions), side, context)

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return the rotation's values at these positions."""
        return self.rotation.profile(self._places(coordinates), d_model, context)

    def _places(self, positions: Tensor) -> Tensor:
        along = as_positions(positions)
        places = along.new_zeros(len(along), self.rotation.axes)  # (n, axes)
        places[:, self.axis] = along
        return places


def along_rows_and_columns(encoding: RotationEncoding) -> dict[str, RotationEncoding]:
    """Return a rotation of image patches along each axis of their grid, the last two of its positions, and as for words."""
    grid = {"along rows": encoding.axes - 2, "along columns": encoding.axes - 1}
    apart: dict[str, RotationEncoding] = {line: OneAxis(rotation=encoding, axis=axis) for line, axis in grid.items()}
    return {**apart, "as words": encoding}
