"""What a config says of positions and heads that nothing here reads: it is told instead of passed over."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from posenc_gui.checkpoints.config_fields import FILLED, HEADS, LENGTH, Level
from posenc_gui.checkpoints.config_json import ROTATIONS, lengths, positions
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.rope_scalings import Yarn
from posenc_gui.encodings.rope import RoPE
from posenc_gui.foundation.wording import format_number, inflect, join_words, quote
from posenc_gui.models.rope_parameters import OF_NOMIC, READ, has_four_axes, layers_of, left_over, other_type

_OF_POSITIONS = re.compile(r"rope|rotary|rotate|posit(?!ive)|alibi|relative|yarn|ntk|xpos")
_OF_PATTERNS = re.compile(
    r"(?:attn|attention)_(?:type|layer|pattern|window|chunk)|layers?_(?:block_)?types?|hybrid|every_n|linear_attn"
)
_READ_ELSEWHERE = {
    "attn_type_list", "extra_pos_embeddings", "indexer_rope_interleave", "max_trained_positions", "no_rope_layer_interval",
    "position_biased_input", "rotary", "static_position_embeddings", "use_dynamic_ntk", "use_rope", "use_rotary",
    "use_rotary_pos_emb",
}  # fmt: skip
_NO_LENGTH = 10**9  # tokenizers write such numbers for "as long as you like"
_OF_LOCAL_LAYERS = re.compile(r"swa_|sliding_")  # in names of their heads


def unread(level: Level, family: str, encoding: Encoding, rotates: bool) -> Iterator[str]:
    """Yield what is in a config and not in its reading; one phrase each."""
    if rotates and all(level.fields.get(name) for name in ROTATIONS):
        yield "the config has both rope_scaling and rope_parameters: the first counts, as in transformers"
    if rotates and level.says(OF_NOMIC):
        yield (
            f"engines disagree on {OF_NOMIC}: the code that Nomic's models bring scales by it (dynamic NTK), transformers' "
            "own and vLLM leave it out"
        )
    for block in filter(None, layers_of(level)[:2]) if rotates else ():
        if other := other_type(block):
            named = f"the rope_type {quote(block.text('rope_type'))} and the type {quote(other)}"
            yield f"{block.where[:-1]} has {named}: the first counts, as in transformers"
        yield from _left_over(block, encoding)
    held, reach = level.fields.get("model_max_length"), positions(level, family)
    if isinstance(held, int) and reach and held != lengths(level, family).context and reach < held < _NO_LENGTH:
        yield f"the config also has a model_max_length of {held:,}, more than its {level.name(*LENGTH)}"
    if names := [name for name in map(str, level.fields) if _is_of_other_heads(level, name)]:
        yield f"layers differ in their heads ({', '.join(names)})"
    if names := [name for name in map(str, level.fields) if _matters(level, name)]:
        yield f"the config has {join_words(names)}, which {inflect(len(names), 'is', 'are')}n't known here"


def _left_over(block: Level, encoding: Encoding) -> Iterator[str]:
    """Yield what a block for rotations holds that its code doesn't read, or that has no place in a text."""
    names, by = left_over(block), block.value("attn_factor")
    scaling = encoding.scaling if isinstance(encoding, RoPE) else None
    own = scaling.attention if isinstance(scaling, Yarn) and scaling.attention == scaling.recommended(1.0) else None
    if own and isinstance(by, int | float) and math.isfinite(by) and "attn_factor" in names:  # else vLLM's is another
        names.remove("attn_factor")
        yield (
            f"engines disagree on {block.where}attn_factor: transformers leaves it out and multiplies cosines and sines by "
            f"{own:.6g}, vLLM by {format_number(by)} times that, {own * by:.4g}"
        )
    if names:
        is_scaled = (block.fields.get("rope_type") or block.fields.get("type") or "default") != "default"
        why = f"its type of scaling has no such {inflect(len(names), 'field')}" if is_scaled else "nothing is scaled"
        yield f"what {block.where[:-1]} says of {join_words(names)} is left out: {why}"
    if has_four_axes(block):
        yield "positions in images have four axes; in a text all are the token's position"


def _is_of_other_heads(level: Level, name: str) -> bool:
    """Return True if a field says that some layers have other heads than the rest."""
    value = level.fields.get(name)
    if name == "attention_other_setting" and isinstance(value, Mapping):  # Step-3.5's, of layers with a sliding window
        return any(value.get(one) not in (None, level.value(one)) for one in HEADS)
    if "head" not in name or not level.says(name):
        return False
    if isinstance(value, list | tuple):
        return all(isinstance(one, int) for one in value) and len(set(value)) > 1
    usual = _OF_LOCAL_LAYERS.sub("", name)
    return usual != name and level.value(usual) not in (None, value)


def _matters(level: Level, name: str) -> bool:
    """Return True for a field of positions that isn't read; where the class isn't known, of kinds of layers, too."""
    is_of_one = _OF_POSITIONS.search(name) or (not level.defaults and _OF_PATTERNS.search(name))
    return bool(is_of_one) and level.says(name) and not {name} & (READ | _READ_ELSEWHERE | set(FILLED))
