"""The declared blocks of a lab file: the models against which their TOML is validated."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BeforeValidator, Field, ValidationError

from posenc_gui import plots
from posenc_gui.figure.axis import Role
from posenc_gui.figure.panels.flow import COLUMNS
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import NO_SUCH_FIELD, describe_error, mistakes, unknown_name
from posenc_gui.foundation.former_names import by_current_plots, current_plot
from posenc_gui.labs.definition import expressions
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import PANELS
from posenc_gui.labs.definition.outline import Block, Refuse
from posenc_gui.session.session import Session

MOST_REPORTED = 50  # mistakes reported for one block

_NAME = re.compile("[a-z][a-z0-9_-]{0,39}")
_TOML_WORDS = re.compile(r""""(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*""")
_DEEP_KEY = re.compile(r"(?:\.[^.,=\n\[\]{}]*){30}")  # tomllib's memory grows with the square of a key's parts
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")

Declared = TypeVar("Declared", bound=Frozen)


def _question(value: object) -> Expression:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError('write a number, or an expression in quotes, such as "session.n_tokens"')
    return expressions.parse(str(value))


def _condition(value: object) -> Expression:
    if isinstance(value, Expression):
        return value
    if not isinstance(value, str):
        raise ValueError('write a comparison in quotes, such as "equivariance.value < 1e-5"')
    return expressions.condition(value)


def _goal(value: object) -> object:
    """Return conditions; a table names them, as learners are told of them."""
    if isinstance(value, Mapping):
        return tuple(replace(_condition(text), called=called) for called, text in value.items())
    return value


def _name(value: object) -> object:
    if isinstance(value, str) and not _NAME.fullmatch(value):
        raise ValueError("a name has at most 40 lower-case letters, digits, - and _, and begins with a letter")
    return value


def _of_a_kind(value: object) -> object:
    if isinstance(value, Mapping) and value.get("kind") not in tuple(_PREDICTIONS):
        raise ValueError(unknown_name("kind of prediction", value.get("kind", ""), _PREDICTIONS))
    return value


def _one_of(kind: str, allowed: Callable[[], Sequence[str]]) -> BeforeValidator:
    """Refuse a name that isn't among those that are allowed."""

    def checked(value: object) -> object:
        if value not in allowed():
            raise ValueError(unknown_name(kind, value, allowed()))
        return value

    return BeforeValidator(checked)


_FRAMED = (*get_args(Role), "curve")  # a step frames coordinates on these axes, or the curve of this number


def _frame(value: object) -> object:
    """Return coordinates by the roles of their axes; a column of Flow is named alone."""
    if isinstance(value, Mapping):
        for role in value:
            if role not in _FRAMED:
                raise ValueError(unknown_name("axis", role, _FRAMED))
        return value
    if value not in COLUMNS:
        raise ValueError(unknown_name("column of Flow", value, COLUMNS))
    return {"stage": COLUMNS.index(value)}


def _current(name: object) -> object:
    return current_plot(name) if isinstance(name, str) else name


def _by_current_names(changes: object) -> object:
    if not isinstance(changes, Mapping) or not isinstance(options := changes.get("plots"), Mapping):
        return changes
    return {**changes, "plots": by_current_plots(options)}


_Name = Annotated[str, BeforeValidator(_name)]
_Asked = Annotated[Expression, BeforeValidator(_question)]
_Condition = Annotated[Expression, BeforeValidator(_condition)]
_PlotName = Annotated[str, _one_of("plot", plots.names), BeforeValidator(_current)]  # from the last validator on
_PanelName = Annotated[str, _one_of("panel", lambda: PANELS)]
_Frame = Annotated[Mapping[str, Annotated[int, Field(ge=0)]], BeforeValidator(_frame)]
_Kept = Annotated[str, _one_of("field of a session", lambda: [one for one in Session.model_fields if one != "plots"])]


class ChoiceBlock(Frozen):
    kind: Literal["choice"]
    when: Mapping[_Name, _Condition] = Field(min_length=1)


class NumberBlock(Frozen):
    kind: Literal["number"]
    value: _Asked
    tolerance: float = Field(ge=0)
    near: Mapping[_Name, _Asked] = Field(default_factory=dict)
    within: tuple[float, float] | None = None


class OrderBlock(Frozen):
    kind: Literal["order"]
    items: Mapping[_Name, _Asked] = Field(min_length=2, max_length=12)


class SketchBlock(Frozen):
    kind: Literal["sketch"]
    plot: _PlotName
    curve: int = Field(0, ge=0, le=63)
    tolerance: float = Field(0.15, gt=0, le=0.5)
    near: Mapping[_Name, Annotated[int, Field(ge=0, le=63)]] = Field(default_factory=dict)


class TextBlock(Frozen):
    kind: Literal["text"]


_PredictionBlock = Annotated[
    ChoiceBlock | NumberBlock | OrderBlock | SketchBlock | TextBlock,
    Field(discriminator="kind"),
    BeforeValidator(_of_a_kind),
]


class TransferBlock(Frozen):
    session: Mapping[str, Any] = Field(min_length=1)
    when: Mapping[_Name, _Condition] = Field(min_length=1)


class StepBlock(Frozen):
    name: _Name
    session: Mapping[str, Any] = Field(default_factory=dict)
    keep: tuple[_Kept, ...] = ()
    show: tuple[_PlotName, ...] = ()
    reveal: tuple[_PlotName, ...] = ()
    before: tuple[_PlotName, ...] = ()
    frame: _Frame = Field(default_factory=dict, max_length=4)
    panels: tuple[_PanelName, ...] = ("tokens", "encoding")
    lock: tuple[_PanelName, ...] = ()
    quiet: bool = False
    goal: Annotated[tuple[_Condition, ...], BeforeValidator(_goal)] = ()
    visit: tuple[_Condition, ...] = ()
    solve: Annotated[Mapping[str, Any], BeforeValidator(_by_current_names)] = Field(default_factory=dict)
    claims: tuple[_Condition, ...] = ()
    prediction: _PredictionBlock | None = None
    transfer: TransferBlock | None = None


class LabBlock(Frozen):
    format: Literal[1]
    minutes: int = Field(ge=1, le=120)
    advanced: bool = False
    formerly: tuple[str, ...] = ()


_PREDICTIONS: dict[str, type[Frozen]] = {
    "choice": ChoiceBlock, "number": NumberBlock, "order": OrderBlock, "sketch": SketchBlock, "text": TextBlock,
}  # fmt: skip


def _fields_at(model: type[Frozen], place: Sequence[int | str]) -> Iterable[str]:
    """Return the fields that are allowed at a place in a block."""
    kind = next((str(name) for name in place if name in _PREDICTIONS), "")
    return (_PREDICTIONS[kind] if kind else model).model_fields


def session_fields_at(place: Sequence[int | str]) -> Iterable[str]:
    """Return the fields that are allowed at a place in a session."""
    model: type[Frozen] = Session
    for name in place:
        inner = model.model_fields[str(name)].annotation if name in model.model_fields else None
        if not (isinstance(inner, type) and issubclass(inner, Frozen)):
            return ()
        model = inner
    return model.model_fields


def read_block(block: Block, model: type[Declared], refuse: Refuse) -> Declared | None:
    """Validate a block's TOML and report each problem with its line. Return None if the block is unusable."""
    if _DEEP_KEY.search(_TOML_WORDS.sub("", block.toml)):
        refuse(block.line, "this block is nested too deeply")
        return None
    try:
        return model.model_validate(tomllib.loads(block.toml))
    except tomllib.TOMLDecodeError as error:
        at = _TOML_PLACE.search(str(error))
        offset = int(at[1]) - 1 if at and at[1] else max(0, block.toml.count("\n") - 1)
        refuse(block.line + offset, f"this is not valid TOML: {_TOML_PLACE.sub('', str(error))}")
    except ValidationError as error:
        for place, told in mistakes(error)[:MOST_REPORTED]:
            if told.endswith(NO_SUCH_FIELD):
                told = unknown_name("field", place[-1], _fields_at(model, place[:-1]))
            refuse(block.line_of([name for name in place if name not in _PREDICTIONS]), told)
    except RecursionError:
        refuse(block.line, "this block is nested too deeply")
    except ValueError as error:
        refuse(block.line, f"this block can't be read: {describe_error(error)}")
    return None
