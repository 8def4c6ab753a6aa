"""What of a session can be set by a name: base, other.base, model.d_model, plot.head, focus.

A name alone is a field of the encoding or of the session; other., model., patches. and plot. stand before those of the
other encoding, of the toy model, of the grid of patches, and of the options of the plot that is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.fields import FieldInfo

from posenc_gui.foundation import declared_fields as fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown
from posenc_gui.scene.image_patches import Patches
from posenc_gui.session.session import Session

# Parts of a session that have an option of their own or a prefix; the other fields are set by their names.
_NOT_BY_NAME = {"text", "encoding", "other", "model", "plots"}
_OWN = [name for name in Session.model_fields if name not in _NOT_BY_NAME]


def names(session: Session, plot: str) -> list[str]:
    """All names that can be set. Raises ValueError for a name that is no plot."""
    groups = [(prefix, fields.names(type(part))) for prefix, part in _parts(session, plot).items()]
    first, *others = [[prefix + name for name in group] for prefix, group in groups]
    return [*first, *_OWN, *(name for group in others for name in group)]


def declared(session: Session, plot: str, name: str) -> list[FieldInfo]:
    """The fields of a name: more than one where several members of a group have it. Raises ValueError for an unknown one."""
    _require(session, plot, name)
    if name in _OWN:
        return [Session.model_fields[name]]
    prefix, inner = _split(name)
    return fields.named(type(_parts(session, plot)[prefix]), inner)


def value(session: Session, plot: str, name: str) -> Any:
    """What stands in the place of a name. Raises ValueError for an unknown one."""
    _require(session, plot, name)
    prefix, inner = _split(name)
    return dict(session)[name] if name in _OWN else fields.value_at(_parts(session, plot)[prefix], inner)


def changed(session: Session, plot: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The session's fields with these values in the places of these names, as `Session.changed` takes them.

    Raises ValueError, in one sentence that begins with the name, for an unknown name and a value that is refused.
    """
    found: dict[str, Any] = {name: value for name, value in values.items() if name in _OWN}
    for name in values:
        _require(session, plot, name)
    for prefix, part in _parts(session, plot).items():
        own = {
            _split(name)[1]: value for name, value in values.items() if name not in _OWN and _split(name)[0] == prefix
        }
        if not own:
            continue
        try:
            new = fields.changed(part, own)
        except ValueError as error:
            raise ValueError(f"{prefix}{error}") from None
        if prefix == "plot.":
            found["plots"] = session.plots.model_copy(update={plot: new})
        else:
            found[prefix.removesuffix(".") or "encoding"] = new
    return found


def _parts(session: Session, plot: str) -> dict[str, Frozen]:
    """The models in which names lie, by what stands before the names; where there are no patches yet, such as would begin."""
    other = {} if session.other is None else {"other.": session.other}
    patches = session.patches or Patches()
    return {
        "": session.encoding,
        **other,
        "model.": session.model,
        "patches.": patches,
        "plot.": session.options_of(plot),
    }


def _split(name: str) -> tuple[str, str]:
    prefix = next((prefix for prefix in ("other.", "model.", "patches.", "plot.") if name.startswith(prefix)), "")
    return prefix, name.removeprefix(prefix)


def _require(session: Session, plot: str, name: str) -> None:
    if name.startswith("other.") and session.other is None:
        raise ValueError(f"{name}: there is no other encoding yet: give one first")
    allowed = names(session, plot)
    if name not in allowed:
        raise ValueError(unknown("setting", name, allowed))
