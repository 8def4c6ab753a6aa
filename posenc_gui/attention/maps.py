"""Attention maps: scores, what position adds to them, probabilities and outputs, whole or for a window of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.layer import Layer

WINDOW = 512  # tokens on a side of a map that is drawn
_CHUNK = 2**22  # scores worked on at a time: 16 MiB of float32 for each of the few arrays alive


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps over tokens `start` to `start + w`, float32 on the CPU; probabilities are over all keys of the sentence.

    scores, position, probabilities: (h, w, w); visible: (w, w); output: (w, d_model). `position` is scores minus the
    scores of the same sentence without an encoding.
    """

    start: int
    scores: Tensor
    position: Tensor
    probabilities: Tensor
    visible: Tensor
    output: Tensor

    @property
    def nbytes(self) -> int:
        """Memory held."""
        tensors = (self.scores, self.position, self.probabilities, self.visible, self.output)
        return sum(tensor.nbytes for tensor in tensors)


def window_around(focus: int, length: int) -> range:
    """At most `WINDOW` tokens around a token, as a range of indices."""
    start = max(0, min(focus - WINDOW // 2, length - WINDOW))
    return range(start, min(length, start + WINDOW))


def maps(layer: Layer, plain: Layer, window: range, check_stop: Callable[[], None]) -> Maps:
    """Compute the maps of a window in chunks of rows; `check_stop` is called between them and may raise.

    `plain` is the layer of the same sentence and model without an encoding.
    """
    columns = slice(window.start, window.stop)
    scores, position, probabilities, visible, output = [], [], [], [], []
    for rows in _chunks(layer, window):
        check_stop()
        logits = layer.scores(rows)
        weights = layer.probabilities(logits, rows)
        scores.append(logits[..., columns].cpu())
        position.append((logits - plain.scores(rows))[..., columns].cpu())
        probabilities.append(weights[..., columns].cpu())
        visible.append(layer.visible(rows)[:, columns].cpu())
        output.append(layer.output(weights, rows).cpu())
    return Maps(
        window.start,
        torch.cat(scores, 1),
        torch.cat(position, 1),
        torch.cat(probabilities, 1),
        torch.cat(visible),
        torch.cat(output),
    )


def outputs(layer: Layer, check_stop: Callable[[], None]) -> Tensor:
    """What all queries take away, (n, d_model), on the layer's device; computed in chunks as `maps` is."""
    found = []
    for rows in _chunks(layer, range(len(layer.positions))):
        check_stop()
        found.append(layer.output(layer.probabilities(layer.scores(rows), rows), rows))
    return torch.cat(found)


def _chunks(layer: Layer, window: range) -> Iterator[slice]:
    step = max(1, _CHUNK // max(1, layer.model.n_heads * len(layer.positions)))
    for first in range(window.start, max(window.stop, 1), step):  # once even without tokens
        yield slice(first, min(first + step, window.stop))
