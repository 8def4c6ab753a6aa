"""Reading the session, the values of a sweep and the view from the options of `export`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import from_json

from posenc_gui import encodings
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.hub_cache import model_called
from posenc_gui.cli import console
from posenc_gui.cli.parser import NUL_REFUSED
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.any_encoding import pieces, read_encoding
from posenc_gui.figure.view import View
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.files import share_string
from posenc_gui.models.comparison_search import Pair
from posenc_gui.models.config import is_config_at, understood
from posenc_gui.models.opening import open_model
from posenc_gui.models.presets import Preset, catalogue, find
from posenc_gui.render.export_options import Preset as SheetPreset
from posenc_gui.session import settings_by_name
from posenc_gui.session.session import Session

_MOST_DIGITS = 9  # digits of a number of tokens or pixels


def read_session(options: argparse.Namespace) -> Session:
    """Return the file's session, or a default one, with the options' encodings, settings and text. Raises ValueError,
    OSError."""
    session = Session() if options.session is None else _open(options.session)
    session = _of_models(options.model, options.layer, session)
    chosen = {"encoding": options.encoding, "other": options.other}
    named = {name: value for name, value in chosen.items() if value is not None}
    fields: dict[str, Any] = {name: _encoding(f"--{name}", value) for name, value in named.items()}
    session = session.model_copy(update=fields)  # validated together once all parts are set
    formulas = [one for one in options.set if one.startswith(("formula=", "other.formula="))]
    fields |= _set(formulas, session, options.plot)
    session = session.model_copy(update=fields)  # other settings may be numbers that these formulas name
    if options.text is not None:
        fields["text"] = options.text  # setting an equal text would discard the file's token order
    fields |= _set([one for one in options.set if one not in formulas], session, options.plot)
    session = session.changed(**fields)
    if session.strength != 1 and (why := session.why_no_degrees):
        console.say(f"The strength does nothing: {why}.")
    return session


def _set(assignments: list[str], session: Session, plot: str) -> dict[str, Any]:
    settings = dict(_setting("--set", assignment, session, plot) for assignment in assignments)
    try:
        return settings_by_name.changed(session, plot, settings)
    except ValueError as error:
        raise ValueError(f"--set {error}") from None


def read_values(option: str, assignment: str, session: Session, plot: str) -> tuple[str, list[Any]]:
    """Read NAME=VALUE,VALUE,… of `--sweep` or `--each`, NAME being a field or “encoding”. Raises ValueError."""
    if assignment.startswith("encoding="):
        return "encoding", [*pieces(assignment.removeprefix("encoding="))]
    return _setting(option, assignment, session, plot, several=True)


def read_view(options: argparse.Namespace) -> View:
    """Return the part of a map to draw and its resolution; without options, all of it. Raises ValueError."""
    pixels = None if options.pixels is None else _two_numbers("--pixels", options.pixels, "x", "1024x1024")
    if pixels and not all(pixels):
        raise ValueError(f"--pixels {options.pixels}: a picture has at least one pixel each way")
    return View(_span("--rows", options.rows), _span("--columns", options.columns), pixels)


def _of_models(names: Sequence[str], layer: str | None, session: Session) -> Session:
    """Return the session with a folder's model, a published one, or two compared, saying whose shape both have. Raises
    ValueError."""
    if folders := [*filter(None, map(_folder, names))]:
        return session.changed(model=_opened_model(names, folders[0], layer))
    if layer is not None:
        if not isinstance(session.model, TrainedModel):
            raise ValueError("--layer: layers are those of a model that has learned: name its folder with --model")
        return session.changed(model=session.model.at_layer(_layer(layer)))
    if not names:
        return session
    if len(names) > 2:
        raise ValueError(f"--model: one model, or two to compare, not {len(names)}")
    first, *others = (_model(name) for name in names)
    if not others:
        return first.chosen(session)
    pair = Pair(first, others[0])
    try:
        session = pair.chosen(session)
    except ValueError as error:
        raise ValueError(f"--model {others[0].name}: in the shape of {first.title}, {error}") from None
    if pair.remark:
        console.say(pair.remark)
    return session


def _folder(name: str) -> Path | None:
    """Return the folder at this path, or that of a model on this computer whose name no published one has."""
    with suppress(ValueError):
        return Path(name) if Path(name).is_dir() else model_called(name) if name not in catalogue() else None
    return None


def _model(name: str) -> Preset:
    """Return the model of that name. Raises ValueError, which says what another kind of name is."""
    for option, names in (("preset", get_args(SheetPreset)), ("encoding", encodings.names())):
        if name in names:
            raise ValueError(f"--model {name}: this is no model; write --{option} {name}")
    if "/" in name or "\\" in name:
        raise ValueError(f"--model {name}: there is no such folder")
    try:
        return find(name)
    except ValueError as error:
        raise ValueError(f"--model: {error}") from None


def _encoding(option: str, name: str) -> Encoding:
    """Return the encoding of that name, with its defaults. Raises ValueError, which says so if it is a model's."""
    if name in catalogue():
        how = "--model A --model B to compare two" if option == "--other" else f"--model {name}"
        raise ValueError(f"{option} {name}: this is a model, so write {how}")
    return read_encoding(name)


def _opened_model(names: Sequence[str], folder: Path, layer: str | None) -> TrainedModel:
    if len(names) > 1:
        raise ValueError(f"--model {folder}: a folder's model is seen alone; compare it with --other none")
    try:
        return open_model(folder, 0 if layer is None else _layer(layer))
    except ValueError as error:
        raise ValueError(f"--model: {error}") from None


def _layer(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ValueError(f"--layer {text[:40]}: write a number, such as 3")
    return int(text)


def _open(path: Path) -> Session:
    """Return the session in a file, a share string or a config.json; print what is left out. Raises ValueError and OSError."""
    is_share = share_string.is_share_string(str(path))
    if not is_share and is_config_at(path):
        model = understood(path)
        if model.remark:
            console.say(model.remark)
        return model.chosen(Session())
    opened = Session.read_share(str(path)) if is_share else Session.open(path)
    for remark in opened.remarks:
        console.say(remark)
    return opened.content


def _setting(option: str, assignment: str, session: Session, plot: str, *, several: bool = False) -> tuple[str, Any]:
    """Read the name and the value, or with `several` a list of values, from NAME=VALUE. Raises ValueError."""
    name, equals, text = assignment.partition("=")
    if not equals:
        written = "NAME=VALUE,VALUE,VALUE, such as base=100,1000,10000" if several else "NAME=VALUE, such as focus=3"
        raise ValueError(f"{option} {assignment}: write {written}")
    try:
        declared = settings_by_name.declared(session, plot, name, ("encoding",) * several)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
    if "\0" in text:
        raise ValueError(f"{option} {name}: {NUL_REFUSED}")
    texts = text.split(",") if several else [text]
    values = [_value(f"{option} {name}", part, declared) for part in texts]
    return name, values if several else values[0]


def _value(name: str, text: str, declared: Sequence[FieldInfo]) -> Any:
    """Convert a value for pydantic: None for “none” or “null” if the field allows it, the text itself for a text field,
    JSON if it looks like it, else a list if the field takes one."""
    kinds = [declared_fields.kind(field) for field in declared]
    if text.lower() in ("none", "null") and any(kind.optional for kind in kinds):
        return None
    if any(kind.type is str for kind in kinds):
        return text
    if text.lstrip().startswith(("{", "[", '"')):
        try:
            return from_json(text, allow_inf_nan=False)
        except ValueError as error:
            raise ValueError(f"{name}: {text[:40]!r} is not valid JSON: {error}") from None
    if any(get_origin(kind.type) is tuple for kind in kinds):
        return list(pieces(text))
    return text


def _span(option: str, text: str | None) -> range | None:
    if text is None:
        return None
    first, last = _two_numbers(option, text, "-", "0-511")
    if first > last:
        raise ValueError(f"{option} {text}: put the smaller index first, as in {last}-{first}")
    return range(first, last + 1)


def _two_numbers(option: str, text: str, separator: str, example: str) -> tuple[int, int]:
    first, _, second = text.partition(separator)
    if not all(part.isascii() and part.isdigit() and len(part) <= _MOST_DIGITS for part in (first, second)):
        raise ValueError(f"{option} {text[:40]}: write two numbers, such as {example}")
    return int(first), int(second)
