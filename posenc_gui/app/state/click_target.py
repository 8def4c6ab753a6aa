"""Changes to the session after a click on a figure."""

from __future__ import annotations

from posenc_gui.figure.axis import NO_KEY, Pointer


def chosen(pointer: Pointer, n_tokens: int) -> dict[str, int | None]:
    """Return the fields that a click sets in a session of `n_tokens` tokens: `focus`, `key`, both or none."""
    at = {"focus": pointer.along("query"), "key": pointer.along("key")}
    if at["key"] == NO_KEY:
        return {"key": None}
    return {name: index for name, index in at.items() if index is not None and 0 <= index < n_tokens}
