"""Changes to the session after a click on a figure."""

from __future__ import annotations

from posenc_gui.app.state.store import Store
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.axis import NO_KEY, Axis, Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.measures.surgery import changes
from posenc_gui.session.session import Session


def go_to_part(pointer: Pointer, figure: Figure | None, store: Store) -> bool:
    """Go to the head of a model, or make the surgery on it, that a click chooses; return False if it chooses none."""
    if (session := part_clicked(pointer, figure, store.session)) is None:
        return False
    store.replace(session, continuing=session.encoding == store.session.encoding)
    return True


def part_clicked(pointer: Pointer, figure: Figure | None, session: Session) -> Session | None:
    """Return the session at the head of a model, or after the surgery on it, that a click chooses; None if it chooses none.

    The figure may still be that of another model. Raises ValueError if the session can't be that.
    """
    model, layer, head = session.model, pointer.along("layer"), pointer.along("head")
    if not isinstance(model, TrainedModel):
        return None
    if layer is not None and head is not None:
        return session.at_head(layer, head) if layer < model.layers and head < model.n_heads else None
    at = pointer.along("surgery")
    if at is None or figure is None:
        return None
    axes = (axis for panel in figure.panels for axis in vars(panel).values() if isinstance(axis, Axis))
    words = next((axis.labels[at] for axis in axes if axis.role == "surgery" and 0 <= at < len(axis.labels)), "")
    done = changes(model).get(words)
    return None if done is None else session.changed(encoding=done)


def chosen(pointer: Pointer, n_tokens: int) -> dict[str, int | None]:
    """Return the fields that a click sets in a session of `n_tokens` tokens: `focus`, `key`, both or none."""
    at = {"focus": pointer.along("query"), "key": pointer.along("key")}
    if at["key"] == NO_KEY:
        return {"key": None}
    return {name: index for name, index in at.items() if index is not None and 0 <= index < n_tokens}
