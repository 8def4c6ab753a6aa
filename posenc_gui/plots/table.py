"""Table: the rows that a trained model learned for its positions: how alike any two are, their waves, and how long each is."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import learned
from posenc_gui.encodings.common.trained import TrainedTable
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Series
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number, format_percent
from posenc_gui.plots.base import WINDOW, Plot, as_values, padded_range
from posenc_gui.scene.scene import Scene

_FAR = 16  # offset of which the headline tells
_MAPPED = 64  # rows in the map, so that each keeps a few pixels
_WAVES = 4


def draw(scene: Scene, _options: Frozen, engine: Engine) -> Figure:
    """Draw the cosines of the first rows, the strongest waves, and each row's length, as the model reads them."""
    rows = _rows(scene)
    unit = normalize(rows, dim=-1)
    cosines = as_values(unit[:_MAPPED] @ unit[:_MAPPED].T)
    positions = torch.arange(len(rows), dtype=torch.float64)
    by_offset = torch.stack(
        [(unit[offset:] * unit[: len(unit) - offset]).sum(-1).mean() for offset in range(len(unit))]
    )
    lengths = (Series("", as_values(positions), as_values(rows.norm(dim=-1))),)
    low, high = symmetric_range(cosines)
    first, second = Axis("position", "position m"), Axis("position", "position n")
    engine.check_stop()
    return Figure(
        panels=(
            Heatmap("cosine of two rows", "cosine", cosines, first, second, low, high, "diverging"),
            _waves(rows, positions),
            Lines("length of a row", "length", lengths, Axis("position", "position"), *padded_range(lengths)),
        ),
        headline=_headline(by_offset),
        caption_parts=compose_caption(
            "trained weights, whatever the text",
            scene.encoding.titled,
            f"cosines of the first {_MAPPED} rows" if len(rows) > _MAPPED else "",
            "a wave: the rows along a direction in which they differ most, with its share of their variance",
            f"all of the first {WINDOW} positions"
            if len(rows) == WINDOW < (learned(scene.model).max_length or 0)
            else "",
        ),
        description=_told(by_offset),
    )


def _rows(scene: Scene) -> Tensor:
    """Return the table's rows, as far as they are shown: (n, d_model), float64."""
    model, encoding = learned(scene.model), scene.encoding
    if not isinstance(model.encoding, TrainedTable):
        raise Undefined(f"{model.name} has no table of positions: its positions come by {model.encoding.called}.")
    if not isinstance(encoding, TrainedTable):
        raise Undefined(f"The table of {model.name} isn't read here: choose {model.encoding.called}.")
    count = min(WINDOW, encoding.length_limit(model.d_model))
    rows = encoding.vectors(torch.arange(count, dtype=torch.float64), model.d_model, scene.context)
    if not bool(rows.any()):
        raise Undefined(
            "All rows are 0, so there is nothing to compare: take the table as trained, at a higher strength."
        )
    return rows


def _waves(rows: Tensor, positions: Tensor) -> Lines:
    """Draw the strongest waves, at first over the rows of the map."""
    found = strongest_waves(rows)
    waves = tuple(Series(name, as_values(positions), as_values(wave)) for name, wave in found)
    first = tuple(Series(name, as_values(positions[:_MAPPED]), as_values(wave[:_MAPPED])) for name, wave in found)
    seen = (0.0, _MAPPED - 1.0) if len(rows) > _MAPPED else None
    axis = Axis("position", "position")
    return Lines("strongest waves", "along the direction", waves, axis, *padded_range(first), seen=seen)


def strongest_waves(rows: Tensor) -> list[tuple[str, Tensor]]:
    """Return rows' principal components, strongest first: shares of the variance, in words, and places, (n,), the furthest
    positive."""
    along, sizes, _ = torch.linalg.svd(rows - rows.mean(0), full_matrices=False)
    shares = sizes.square() / sizes.square().sum().clamp(min=1e-30)
    found: list[tuple[str, Tensor]] = []
    for wave, size, share in zip(along.T, sizes, shares[:_WAVES].tolist(), strict=False):
        furthest = wave[wave.abs().argmax()]
        found.append((f"{len(found) + 1}: {format_percent(share)}", wave * size * furthest.sign()))
    return found


def _headline(by_offset: Tensor) -> tuple[Run, ...]:
    """“Rows of neighbours are 0.87 alike, those 16 apart 0.36.”"""
    far = min(_FAR, len(by_offset) - 1)
    if far < 2:
        return sentence("The table has too few rows to compare.")
    return sentence(
        "Rows of neighbours are ", float(by_offset[1]), f" alike, those {far} apart ", float(by_offset[far]), "."
    )


def _told(by_offset: Tensor) -> str:
    some = [offset for offset in (1, 2, 4, 8, 16, 32, 64, 128, 256) if offset < len(by_offset)]
    return f"Mean cosine of rows by offset: {', '.join(f'{format_number(float(by_offset[one]))} at {one}' for one in some)}."


PLOT = Plot(
    "Learned table",
    "How alike the rows are that a trained model learned for any two positions, their waves, and how long each is.",
    "What did a model learn of positions?",
    Frozen,
    draw,
    "What positions are worth",
)
