"""A verdict for one's own repository: as a test file, as arrays, and as a paragraph of text."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch

from posenc_gui import __version__
from posenc_gui.encodings.common.conventions import KIND_NAMES
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import format_difference, join_words
from posenc_gui.identify.figures import width_of
from posenc_gui.identify.verdict import Candidate, Identified

_MOST = 5  # rows from the first one, and of all, that are written
_ROUNDINGS = 8  # units in the last place by which exact numbers may differ
_FILE = '''"""{sentence}

Expected are its numbers{source}. Make mine() return those of your own code, then run this file with pytest.
Written by posenc-gui {version}.
"""

{formula}

ROWS = {rows}  # of all arrays below each other
EXPECTED = [
{expected}]
TOLERANCE = {tolerance:.3g}  # what {precision} can't tell


def mine():
    """Return {kind} of your own code, {axes}: a tensor or nested lists of shape {shape}."""
    raise NotImplementedError("make mine() return {kind} of your own code")


def test_mine():
    found = mine()
    found = torch.tensor(found, dtype=torch.float64) if isinstance(found, list) else torch.as_tensor(found)
    found = (torch.view_as_real(found) if found.is_complex() else found).double()
    assert found.shape == {shape}
    found = found.reshape(-1, {shape}[-1])[ROWS]
    torch.testing.assert_close(found, torch.tensor(EXPECTED, dtype=torch.float64), rtol=0, atol=TOLERANCE)
'''


def as_pytest(identified: Identified) -> str:
    """Return a test file that needs torch and pytest alone: it passes if one's own code gives the numbers of the convention.
    Raises Undefined without one."""
    nearest, shape = _known(identified), tuple(identified.numbers.values.shape)
    expected = nearest.numbers.reshape(-1, shape[-1])
    spread = torch.linspace(0, len(expected) - 1, _MOST).long().tolist()
    rows = sorted({*range(min(len(expected), _MOST)), *spread})
    width, heads = width_of(identified) or 64, shape[0] if identified.kind in ("bias", "slopes") else 1
    formula = ""
    with suppress(Undefined):
        formula = nearest.encoding.code(heads * width, heads, width).strip()
    return _FILE.format(
        sentence=identified.sentence.replace("\\", "/").replace('"', "'"),
        source=f", as in {nearest.source}" if nearest.source else "",
        version=__version__,
        formula=formula if "import torch" in formula else f"import torch\n\n{formula}",
        rows=rows,
        shape=shape,
        expected="".join(f"    {row},\n" for row in expected[rows].tolist()),
        tolerance=_tolerance(identified),
        precision=identified.numbers.precision,
        kind=KIND_NAMES[identified.kind] if identified.kind else "the numbers",
        axes=" × ".join(identified.axes),
    )


def as_npz(identified: Identified, path: str | Path) -> Path:
    """Write the pasted `values`, the `expected` ones, their `tolerance`, the `source` and the `sentence` for numpy. Raises
    Undefined without a convention, and OSError."""
    nearest, file, numbers = _known(identified), io.BytesIO(), identified.numbers
    told = {"tolerance": _tolerance(identified), "source": nearest.source, "sentence": identified.sentence}
    arrays = {name: np.array(one) for name, one in told.items()}
    np.savez(file, values=numbers.values.numpy(), expected=nearest.numbers.numpy(), **arrays)  # type: ignore[arg-type]
    atomic.write(Path(path), file.getvalue())
    return Path(path)


def verdict_text(identified: Identified) -> str:
    """Return the verdict as a paragraph for an issue tracker: the sentence, the others, and what can't be told."""
    others = join_words(f"{one.words} (off by {format_difference(one.off_by)})" for one in identified.others)
    beside = f"Beside it: {others}." if others else ""
    tried = f"posenc-gui {__version__} compared {identified.tried:,} conventions."
    return " ".join(filter(None, (identified.sentence, *identified.further, beside, tried)))


def _known(identified: Identified) -> Candidate:
    if identified.encoding is None or identified.nearest is None:
        raise Undefined("No convention that is known here has these numbers, so there is nothing to test against.")
    return identified.nearest


def _tolerance(identified: Identified) -> float:
    nearest, values = _known(identified), identified.numbers.values
    if nearest.off_by and nearest.unseen:
        return nearest.off_by / nearest.unseen
    return _ROUNDINGS * torch.finfo(getattr(torch, identified.numbers.precision)).eps * (1 + float(values.abs().max()))
