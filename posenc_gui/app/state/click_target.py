"""Changes to the session after a click on a figure."""

from __future__ import annotations

from posenc_gui.figure.axis import Pointer


def chosen(pointer: Pointer, n_tokens: int) -> dict[str, int]:
    """The fields of a session of so many tokens that a click chooses: the query in focus, the key that is looked at."""
    at = {"focus": pointer.along("query"), "key": pointer.along("key")}
    return {name: index for name, index in at.items() if index is not None and 0 <= index < n_tokens}
