"""Where a table of offsets no longer tells distances apart, and what a sentence says of it."""

from __future__ import annotations

import torch

from posenc_gui.encodings.base import Encoding

_FAR = 2**20  # beyond it no table has a row of its own


def shared_from(encoding: Encoding) -> tuple[int, int] | None:
    """Return the distances before a query from which rows of the encoding's table are shared: by two or more, and by all further.

    None without a table of offsets.
    """
    rows = encoding.rows_of(torch.arange(_FAR, dtype=torch.float64))
    if rows is None:
        return None
    own = rows.diff() != 0
    return int((~own).nonzero()[0]), int(own.nonzero().max()) + 1 if bool(own.any()) else 0


def told_sharing(encoding: Encoding) -> str:
    """“From 8 steps on it no longer tells every distance apart, from 91 on none.” Empty without a table of offsets."""
    found = shared_from(encoding)
    if found is None:
        return ""
    first, last = found
    if first == last:
        return f"From {first:,} steps on all distances are alike."
    return f"From {first:,} steps on it no longer tells every distance apart, from {last:,} on none."
