"""A verdict for one's own repository: as a test file, as arrays for a test of one's own, and as a paragraph of text."""

from __future__ import annotations

import io
from contextlib import suppress

import numpy as np
import torch

from posenc_gui import __version__
from posenc_gui.encodings.base import counted_from
from posenc_gui.encodings.common.conventions import KIND_NAMES
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_difference, join_words
from posenc_gui.identify.figures import width_of
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.verdict import Candidate, Identified

_MOST = 8  # rows that are written
_ROUNDINGS = 8  # units in the last place by which exact numbers may differ
_IN_PART = 1e-8  # from which on it isn't float64 that can't tell a number of size 1
_FILE = '''"""{sentence}

Expected are its numbers{source}. Make mine() return those of your own code, then run this file with pytest.
{unknown}Written by posenc-gui {version}.
"""

{formula}

SHAPE = {shape}  # {axes}; the same may stand in front several times, as for each text
ROWS = {rows}  # that are compared, of all below each other
EXPECTED = [
{expected}]
TOLERANCE = {tolerance:.3g}  # {reason}


def mine():
    """Return {kind} of your own code, {axes}: a tensor or nested lists."""
    raise NotImplementedError("make mine() return {kind} of your own code")


def test_mine():
    found = mine()
    found = torch.tensor(found, dtype=torch.float64) if isinstance(found, list) else torch.as_tensor(found)
    found = (torch.view_as_real(found) if found.is_complex() else found).double()
    assert found.numel() and found.shape[-len(SHAPE) :] == SHAPE
    for one in found.reshape(-1, *SHAPE):
        rows = one.reshape(-1, SHAPE[-1])[ROWS]
        torch.testing.assert_close(rows, torch.tensor(EXPECTED, dtype=torch.float64), rtol=0, atol=TOLERANCE)
'''


def as_pytest(identified: Identified) -> str:
    """Return a test file that needs torch and pytest alone: it passes if one's own code gives the numbers of the convention.
    Raises Undefined without one."""
    nearest, axes = _named(identified), identified.axes
    heads, width = dict(zip(axes, nearest.numbers.shape, strict=False)).get("heads", 1), width_of(identified) or 64
    compared = nearest.numbers
    while axes[0] in ("batch", "heads") and compared.ndim > 1 and bool((compared == compared[0]).all()):
        axes, compared = axes[1:], compared[0]
    shape = tuple(compared.shape)
    expected = compared.reshape(-1, shape[-1])
    rows = torch.linspace(0, len(expected) - 1, min(len(expected), _MOST)).long().tolist()
    formula = ""
    with suppress(Undefined):
        formula = counted_from(identified.start or 0, nearest.encoding.code(heads * width, heads, width).strip())
    tolerance, reason = _tolerance(nearest, identified.numbers)
    return _FILE.format(
        sentence=_quoted(identified.sentence),
        source=f", as in {nearest.source}" if nearest.source else "",
        unknown="".join(f"{_quoted(one)}\n" for one in identified.undecided),
        version=__version__,
        formula=formula if "import torch" in formula else f"import torch\n\n{formula}",
        rows=rows,
        shape=shape,
        expected="".join(f"    {row},\n" for row in expected[rows].tolist()),
        tolerance=tolerance,
        reason=reason,
        kind=KIND_NAMES[identified.kind] if identified.kind else "the numbers",
        axes=" × ".join(axes),
    )


def as_npz(identified: Identified) -> bytes:
    """Return a file for numpy: the pasted `values`, the `expected` ones, their `tolerance` and its `reason`, the `source` and the
    `sentence`. Raises Undefined without a convention."""
    nearest, numbers, file = _named(identified), identified.numbers, io.BytesIO()
    tolerance, reason = _tolerance(nearest, numbers)
    told = {"tolerance": tolerance, "reason": reason, "source": nearest.source, "sentence": identified.sentence}
    arrays = {"values": numbers.values.numpy(), "expected": nearest.numbers.numpy()}
    np.savez(file, **arrays, **{name: np.array(one) for name, one in told.items()})  # type: ignore[arg-type]
    return file.getvalue()


def verdict_text(identified: Identified) -> str:
    """Return the verdict as a paragraph for an issue tracker: the sentence, the others, and what can't be told."""
    others = join_words(f"{one.words} (off by {format_difference(one.off_by)})" for one in identified.others)
    beside = f"Beside it: {others}." if others else ""
    tried = f"posenc-gui {__version__} compared {identified.tried:,} conventions."
    return " ".join(filter(None, (identified.sentence, *identified.further, beside, tried)))


def _named(identified: Identified) -> Candidate:
    if identified.encoding is None or identified.nearest is None:
        raise Undefined("No convention that is known here has these numbers, so there is nothing to test against.")
    return identified.nearest


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def _tolerance(nearest: Candidate, numbers: Numbers) -> tuple[float, str]:
    """Return by how much numbers may differ from those that are expected, and why."""
    if not bool(torch.stack((numbers.values, nearest.numbers)).frac().any()):
        return 0.25, "they are whole numbers"
    precision, largest = numbers.precision, 1 + float(numbers.values.abs().max())
    printed = 0.0 if numbers.decimals is None else 0.5 * 10.0**-numbers.decimals
    exact = max(printed, _ROUNDINGS * torch.finfo(getattr(torch, precision)).eps * largest)
    found = nearest.off_by / nearest.unseen if nearest.off_by and nearest.unseen else exact
    if printed > found / 2:
        return found, f"printed to {numbers.decimals} decimals"
    is_in_part = precision == "float64" and found > _IN_PART * largest  # computed so, and converted
    return found, f"what {'float32' if is_in_part else precision} can't tell"
