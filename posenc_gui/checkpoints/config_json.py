"""A model's config.json: its text, parsed within bounds, and the level that its layers for text are described on."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from pydantic_core import from_json

from posenc_gui.checkpoints.config_fields import D_MODEL, HEADS, LENGTH, NESTED, Level
from posenc_gui.checkpoints.families import PADDED, SAME_CODE, TRAINED
from posenc_gui.foundation.errors import meant
from posenc_gui.foundation.resources import folder

LARGEST = 10_000_000  # bytes; a config that names the precision of every expert's weights takes a third of it
KIND = "model's config.json"
# What the config classes of transformers fill in where a config.json is silent, as recorded by tools/class_defaults.py.
CLASS_DEFAULTS_FILE = folder() / "class_defaults.json"

_MARKS = {codecs.BOM_UTF8: "begins with one", **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "is UTF-16")}
_DIGITS = re.compile(r"\d+")
_DEEPEST = 4  # levels of configs in a config
_OF_DBRX = {"num_key_value_heads": "kv_n_heads", "rope_theta": "rope_theta"}
ROTATIONS = ("rope_scaling", "rope_parameters")  # as PreTrainedConfig.convert_rope_params_to_dict takes one of them
_BEFORE = ("max_trained_positions", "original_max_position_embeddings")
_BY_FACTOR = ("linear", "dynamic", "yarn", "llama3", "longrope", "su", "proportional")  # their factor is of lengths
_AFTER = ("max_sequence_length", "model_max_length")


class Lengths(NamedTuple):
    """How many positions a model was trained on, and to how many it was then extended; None for what a config doesn't say.

    Where `may_be_after`, the first may as well be the number that its scaling reaches: `max_position_embeddings` is either,
    4,096 in lmsys/vicuna-13b-v1.5-16k and 16,384 in hfl/chinese-alpaca-2-13b-16k, both with factor 4.
    """

    trained: int | None
    context: int | None
    may_be_after: bool = False


def parse(data: bytes) -> Mapping[str, Any]:
    """Parse a config, in which numbers may be NaN and Infinity. Raises ValueError unless it holds fields and their values."""
    for mark, what in _MARKS.items():
        if data.startswith(mark):
            raise ValueError(f"this is no {KIND}, which is UTF-8 without a byte order mark: this one {what}")
    try:
        found = from_json(data)
    except ValueError as error:
        raise ValueError(f"this is no {KIND}: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"this is no {KIND}, which holds fields and their values")
    return found


def of_text(level: Level) -> tuple[Level, str]:
    """Return the config of the layers that read text, maybe nested, completed by its class's defaults, and its family."""
    family = level.text("model_type")
    for _ in range(_DEEPEST):
        if (name := level.own(*NESTED)) is None or (level.own(*D_MODEL) and level.own(*HEADS)):
            break
        inner = level.group(name)
        assert inner is not None
        family = _inner_family(inner.text("model_type"), class_defaults(family).get(name, ""), family)
        level = inner
    if level.own(*D_MODEL) and level.own("vocab_size"):  # once the text's fields stood in the outer config
        family = next((class_defaults(family)[name] for name in NESTED if name in class_defaults(family)), family)
    family = SAME_CODE.get(family, family)
    if family == "dbrx" and (attention := level.group("attn_config")):
        own = {name: attention.fields.get(held) for name, held in _OF_DBRX.items()}
        level = replace(level, fields={**own, **level.fields})
    return replace(level, defaults=class_defaults(family)), family


def _inner_family(own: str, usual: str, outer: str) -> str:
    """Return an inner config's family: its own, or the usual one for a former name of the outer's (EXAONE 4.5's first files)."""
    is_renamed = usual and own.startswith(outer) and not class_defaults(own)
    return usual if is_renamed else own or usual


def lengths(level: Level, family: str) -> Lengths:
    """Return how many positions a model was trained on, and extended to. Its own fields count, then its family's fact."""
    reach, blocks = positions(level, family), _rotations(level)
    before = next((found for one in (level, *blocks) if (found := one.whole(*_BEFORE))), None)
    if not before and level.flag("use_dynamic_ntk"):  # of the first Qwen, whose base grows beyond it
        before = level.whole("seq_length")
    if not before and reach:
        facts = (TRAINED.get(name) for name in (family, *map(str, level.listed("architectures"))))
        before = next((min(fact, reach) for fact in facts if fact), None)
    if before or not reach:
        return Lengths(before, reach if before and reach and reach > before else None)
    if any(one.value("alpha") for one in blocks):  # HunYuan's cards: 256K is what it natively reads, with this scaling
        return Lengths(reach, reach)
    factor = max((_factor(one) for one in blocks), default=1.0)
    after = round(min(reach * factor, 2.0**53))
    if factor > 1 and after in (level.whole(name) for name in _AFTER if level.own(name)):
        return Lengths(reach, after)
    return Lengths(reach, None, factor > 1)


def positions(level: Level, family: str) -> int | None:
    """Return how many positions a config has, without the rows that a padded table keeps; None if it doesn't say."""
    rows = level.whole(*LENGTH)
    return max(1, rows - padding(level)) if rows and family in PADDED else rows


def padding(level: Level) -> int:
    """Return how many rows a padded table keeps before the first position."""
    return (1 if level.name("pad_token_id") is None else int(level.number("pad_token_id") or 0)) + 1


def _rotations(level: Level) -> list[Level]:
    """Return the blocks that describe a config's rotations, its class's if it has none, and blocks of some layers in them."""
    name = next((name for name in ROTATIONS if level.fields.get(name)), "rope_parameters")
    if (block := level.group(name)) is None:
        return []
    inner = (block.group(name) for name, held in block.fields.items() if isinstance(held, Mapping))
    return [block, *filter(None, inner)]


def _factor(block: Level) -> float:
    """Return by how much a block's scaling lengthens a text; 1 where its factor is none of lengths."""
    kind = block.value("rope_type") or block.value("type")
    return (block.number("factor") or 1.0) if kind in _BY_FACTOR else 1.0


def class_defaults(family: str) -> Mapping[str, Any]:
    """Return the fields of a model_type's class at their defaults; empty if no class of that name is recorded."""
    defaults: Mapping[str, Any] = _recorded()["classes"].get(family, {})
    return defaults


def meant_family(family: str) -> str:
    """Return the question whether a model_type that isn't known is a known one misspelt; another number is another model."""
    if not family or family in _recorded()["classes"]:
        return ""
    others = (name for name in _recorded()["classes"] if abs(len(name) - len(family)) <= 1)
    same_number = [name for name in others if _DIGITS.findall(name) == _DIGITS.findall(family)]
    return meant(family.lower(), same_number, alike=0.85)


def class_defaults_version() -> str:
    """Return the version of transformers that was recorded."""
    said: str = _recorded()["transformers"]
    return said


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CLASS_DEFAULTS_FILE.read_bytes())
    return found
