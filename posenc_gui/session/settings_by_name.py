"""Fields of a session by name, as `--set` takes them: base, other.base, model.d_model, plot.head, focus.

A bare name is a field of the encoding or of the session. The prefixes other., model., patches. and plot. lead to fields of
the other encoding, the toy model, the grid of patches, and the options of the plot that is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.fields import FieldInfo

from posenc_gui import encodings
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import quote_value, unknown_name
from posenc_gui.foundation.former_names import current_plot
from posenc_gui.foundation.wording import join_words
from posenc_gui.scene.image_patches import Patches
from posenc_gui.session.session import Session

# Parts of a session with a prefix, or an option of their own on the command line; other fields are set by bare names.
_NOT_BY_NAME = {"text", "encoding", "other", "model", "plots"}
_OWN = [name for name in Session.model_fields if name not in _NOT_BY_NAME]


def names(session: Session, plot: str) -> list[str]:
    """Return all names that can be set. Raises ValueError for an unknown plot."""
    groups = [(prefix, declared_fields.field_names(part)) for prefix, part in _parts(session, plot).items()]
    first, *others = [[prefix + name for name in group] for prefix, group in groups]
    return [*first, *_OWN, *(name for group in others for name in group)]


def declared(session: Session, plot: str, name: str, also: Sequence[str] = ()) -> list[FieldInfo]:
    """The fields with this name, several where members of a group share it. Raises ValueError for an unknown name, which says
    what is allowed, and `also` what the caller takes besides."""
    _require(session, plot, name, also)
    if name in _OWN:
        return [Session.model_fields[name]]
    prefix, inner = _split(name)
    return declared_fields.fields_named(_parts(session, plot)[prefix], inner)


def value(session: Session, plot: str, name: str) -> Any:
    """Return the value of a named field. Raises ValueError for an unknown name."""
    _require(session, plot, name)
    prefix, inner = _split(name)
    return dict(session)[name] if name in _OWN else declared_fields.value_at(_parts(session, plot)[prefix], inner)


def side(session: Session, plot: str, name: str) -> str:
    """Return "A" or "B" for a field of either of two compared encodings, else "". Raises ValueError for an unknown name."""
    _require(session, plot, name)
    if session.other is None or name in _OWN:
        return ""
    return {"": "A", "other.": "B"}.get(_split(name)[0], "")


def changed(session: Session, plot: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The session's fields, for `Session.changed`, with these values set by name. Raises ValueError that begins with the
    name."""
    found: dict[str, Any] = {name: value for name, value in values.items() if name in _OWN}
    for name in values:
        _require(session, plot, name)
    for prefix, part in _parts(session, plot).items():
        inner = ((_split(name), value) for name, value in values.items() if name not in _OWN)
        own = {name: value for (its_prefix, name), value in inner if its_prefix == prefix}
        if not own:
            continue
        try:
            new = declared_fields.with_values(part, own)
        except ValueError as error:
            raise ValueError(f"{prefix}{error}") from None
        if prefix == "plot.":
            found["plots"] = session.plots.model_copy(update={current_plot(plot): new})
        else:
            found[prefix.removesuffix(".") or "encoding"] = new
    return found


def _parts(session: Session, plot: str) -> dict[str, Frozen]:
    """The models that hold the fields, by prefix; for a session without patches, the default grid."""
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


def _require(session: Session, plot: str, name: str, also: Sequence[str] = ()) -> None:
    if name.startswith("other.") and session.other is None:
        raise ValueError(f"{name}: there is no encoding to compare with: choose one first")
    allowed = names(session, plot)
    if name in allowed:
        return
    prefix, inner = _split(name)
    encoding = _parts(session, plot)[prefix]
    if isinstance(encoding, Encoding) and any(inner in one.model_fields for one in encodings.classes().values()):
        own = join_words(declared_fields.field_names(encoding))
        raise ValueError(f"there is no setting {quote_value(name)} with {encoding.called}, which has {own or 'none'}")
    raise ValueError(unknown_name("setting", name, [*also, *allowed]))
