"""The code panel's snippets, run and compared with the explorer: a new encoding is covered without a line here.

What a snippet defines follows from its encoding's door. Its tables are untrained, so the explorer's are copied into them.
"""

from __future__ import annotations

import builtins
import dis
import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any, Literal, get_args, get_origin
from unittest.mock import patch

import annotated_types as at
import pytest
import torch
from any_session import of_field
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo
from torch import Tensor, nn
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.forward import attend_at_once, outputs, tile
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.encodings import classes
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.foundation import declared_fields, random_streams
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined

DEFINED = {"none": "attention", "input": "position_vectors", "rotation": "rotate", "score": "scores"}
CAUSAL = pe.ToyModel(d_model=32, n_heads=2, causal=True)
WORDS = ("the", "cat", "sat", "on", "mat", "and", "slept")
STRENGTHS = (0.0, 0.25, 0.3, 0.5)
OWN = tuple(
    pe.encoding("own", formula=formula)
    for formula in (
        "p[m, i] = |m / growth^i mod 2 - 1|\ngrowth = 2",
        "p[m, 2i] = sin(m*w_i)\np[m, 2i+1] = cos(m*w_i) + L\nw_i = 3",
        "p[m, 2i+1] = 1/(1 + e^(-m)) - 1/2",
        "p[m, i] = max(m, 3, i) - i // 3\np[m, i + d/2] = 4",
        "p[m, i] = (0.1 if i < 3 else 0.2) * m + (0 < m <= i) * lambda + 3 mod torch\nlambda = 0.3\ntorch = x + 1\nx = pi/2",
        "p[m, 2i] = sqrt(2) + sign(-q) * max(1, 2)\np[m, 2i + 1] = (2 if q < 3 else i) * round(i/3)\nq = 2",
        "p[m, i] = " + " + ".join(f"sin({k}m / 10000^(2 floor(i/2)/d) + {k}^2)" for k in range(9)),
        "angle[m, i] = m * θ[i]\nθ[i] = 10000^(-2i/d)",
        "angle[m, 2i] = a[m, i] // 2 - (-m)^2 / L^2\na[m, i] = min(m, b) - turned[i]\nturned[i] = i^2\nb = 7",
        "angle[m, i] = 2 pi/3",
        "angle[m, i] = i^2",
        "bias[m, n, h] = -2^(-8(h+1)/H) * |m - n|",
        "bias[m, n, h] = 0 if 0 <= m - n < 3 else -log(1 + |m - n|) * how_steep_it_is_for_each_pair[m, n]\n"
        "how_steep_it_is_for_each_pair[m, n] = 0.7 + m/1000000 + n/1000000 + cos(m - n) / 100 + sin(m - n) / 100",
        "bias[m, n, h] = (m < n) - tanh(h) if h mod 2 else floor(n/d)",
        "bias[m, n, h] = H + d_head",
    )
)
every_encoding = pytest.mark.parametrize("name", [*classes(), "own"])


def limits(field: FieldInfo) -> tuple[Any, Any, int]:
    """Between what a number lies, whether or not the ends are allowed, and what it is a multiple of."""
    low, high, step = None, None, 1
    for limit in field.metadata:
        match limit:
            case at.Ge(bound) | at.Gt(bound):
                low = bound
            case at.Le(bound) | at.Lt(bound):
                high = bound
            case at.MultipleOf(multiple):
                step = multiple
    return low, high, step


def choices(field: FieldInfo) -> list[Any]:
    """All values that a choice has; of a number the default and the middle; of a group its members and their choices;
    of several numbers the default.
    """
    if declared_fields.kind(field).members:
        return [None, *(one for member in declared_fields.kind(field).members for one in variants(member))]
    if field.annotation is bool:
        return [False, True]
    if get_origin(field.annotation) is tuple:
        return [field.default]
    if field.annotation not in (int, float):
        return list(get_args(field.annotation))
    low, high, step = limits(field)
    return [field.default, (low + high) / 2 if field.annotation is float else (low + high) // (2 * step) * step]


def variants(member: type[Frozen]) -> list[Frozen]:
    """A member at its defaults, and with each other value of each choice."""
    begun, declared = member(), member.model_fields.items()
    choosing = {
        name: info for name, info in declared if info.annotation is bool or get_origin(info.annotation) is Literal
    }
    others = [member(**{name: value}) for name, info in choosing.items() for value in choices(info)]
    return [begun, *(one for one in others if one != begun)]


def values(field: FieldInfo) -> st.SearchStrategy[Any]:
    """Values that a parameter takes, from its declaration; maybe an end that it doesn't."""
    if declared_fields.kind(field).members:
        return of_field(field)
    if get_origin(field.annotation) is tuple:
        return of_field(field)
    if field.annotation not in (int, float):
        return st.sampled_from(choices(field))
    low, high, step = limits(field)
    if field.annotation is int:
        return st.integers(-(-low // step), high // step).map(lambda number: number * step)
    return st.floats(low, high) | st.integers(0, 8).map(lambda eighths: low + (high - low) * eighths / 8)


def allowed(name: str, parameters: dict[str, Any]) -> Encoding | None:
    """The encoding, or None where it refuses these parameters."""
    try:
        return pe.encoding(name, **parameters)
    except ValueError:
        return None


def with_any_parameters(name: str) -> st.SearchStrategy[Encoding]:
    """The encoding with parameters that are allowed together, whole or at a strength."""
    if name == "own":
        return st.builds(at_strength, st.sampled_from(OWN), st.sampled_from((1.0, *STRENGTHS)))
    drawn = st.fixed_dictionaries({field: values(info) for field, info in classes()[name].model_fields.items()})
    parameters = drawn | st.just({})
    encodings = parameters.map(lambda chosen: allowed(name, chosen)).filter(lambda encoding: encoding is not None)
    return st.builds(at_strength, encodings, st.sampled_from((1.0, *STRENGTHS)))


def combinations(name: str) -> list[Encoding]:
    """The encoding with each choice combined with each other."""
    if name == "own":
        return [*OWN]
    declared = classes()[name].model_fields
    chosen = itertools.product(*(choices(info) for info in declared.values()))
    found = [allowed(name, dict(zip(declared, values, strict=True))) for values in chosen]
    return [encoding for encoding in found if encoding is not None]


models = st.builds(
    lambda n_heads, width, **rest: pe.ToyModel(d_model=n_heads * width, n_heads=n_heads, **rest),
    n_heads=st.integers(1, 6) | st.just(12),
    width=st.sampled_from([6, 4, 2, 1, 3, 5]),
    d_head=st.none() | st.sampled_from([8, 12, 2, 6, 7]),
    causal=st.booleans(),
    seed=st.integers(0, 2**31 - 1),
)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(tuple)


def code_for(encoding: Encoding, model: pe.ToyModel) -> str:
    return encoding.code(model.d_model, model.n_heads, model.head_width, model.causal)


class Drawn:
    """Whatever the explorer draws from seeds while it is watched, by what it is for."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, ...], Tensor] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what is drawn."""
        with ExitStack() as stack:
            for draw in (random_streams.normal, random_streams.uniform):
                stack.enter_context(patch.object(random_streams, draw.__name__, self._noting(draw)))
            stack.enter_context(patch.object(random_streams, "first_rows", self._first_rows))
            yield

    def _noting(self, draw: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def drawing(seed: int, *names: str, **how: Any) -> Tensor:
            return self.numbers.setdefault(names, draw(seed, *names, **how))

        return drawing

    def _first_rows(self, seed: int, *names: str, rows: int, **how: Any) -> Tensor:
        return random_streams.normal(seed, *names, **how)[:rows]  # noted whole

    def meant_by(self, name: str) -> Tensor:
        """The numbers whose names hold all words of a snippet's: `key_table` means those of ("shaw table", "key")."""
        (found,) = (
            numbers for names, numbers in self.numbers.items() if {*name.split("_")} <= {*" ".join(names).split()}
        )
        return found


def of_the_layer(name: str, model: pe.ToyModel) -> Tensor:
    """The layer's own W_q or W_k, where an encoding uses it once more."""
    return model.projection("query" if name == "w_q" else "key")


def learnt(namespace: dict[str, Any]) -> dict[str, Tensor]:
    """What training would fill."""
    found = {name: value.weight for name, value in namespace.items() if isinstance(value, nn.Embedding)}
    return found | {name: value for name, value in namespace.items() if isinstance(value, nn.Parameter)}


def filled(snippet: dict[str, Any], drawn: Drawn, model: pe.ToyModel) -> dict[str, Any]:
    """What a snippet defines, with the explorer's numbers in place of those that training would fill."""
    with torch.no_grad():
        for table, numbers in learnt(snippet).items():
            numbers.copy_(of_the_layer(table, model) if table in ("w_q", "w_k") else drawn.meant_by(table))
    return snippet


def names(code: CodeType, *how: str) -> set[str]:
    """The global names that a module and its functions load or store."""
    own = {step.argval for step in dis.get_instructions(code) if step.opname in how}
    inner = (names(constant, *how) for constant in code.co_consts if isinstance(constant, CodeType))
    return own.union(*inner)


def run(code: str) -> dict[str, Any]:
    """What a snippet defines, in a namespace of its own."""
    namespace: dict[str, Any] = {}
    exec(compile(code, "snippet", "exec"), namespace)
    return namespace


def assert_readable(code: str, door: str) -> None:
    lines = code.splitlines()
    assert 10 <= len(lines) <= 30, code
    assert all(len(line) <= 88 and line == line.rstrip() for line in lines), code
    assert code.endswith("\n")
    assert code.isascii()
    assert not {"{", "}"} & set(code), code  # no placeholder was left
    assert f"def {DEFINED[door]}(" in code
    assert all(line in ("import math", "import torch", "from torch import nn") for line in lines if "import " in line)
    assert "#" in code


def close(ours: Tensor, explorers: Tensor) -> None:
    """Also where few digits hold no such position, as float16 from 65,520 on: there both have no number."""
    assert_close(ours, explorers.to(ours), atol=2e-5, rtol=2e-5, equal_nan=True)


def assert_the_explorers_own(
    encoding: Encoding, model: pe.ToyModel, tokens: tuple[str, ...], first: int = 0, step: int = 1
) -> None:
    """Compare a snippet with the layer over a sentence; scores also for queries from `first` on, `step` apart.

    Raises Undefined where there is no such layer: a model that the encoding can't act on, a table shorter than the sentence.
    """
    drawn, every, positions = Drawn(), range(len(tokens)), torch.arange(len(tokens))
    with drawn.watching():
        layer = Layer.over(Prompt(tokens, model, encoding))
        weights, output = attend_at_once(layer, every, every).weights, outputs(layer)
    code = code_for(encoding, model)
    assert_readable(code, encoding.door)
    snippet = filled(run(code), drawn, model)
    q, k, v = layer.queries, layer.keys, layer.values
    heads = weights @ v
    if encoding.door == "none":
        heads = snippet["attention"](q, k, v)
    elif encoding.door == "input":
        added = snippet["position_vectors"](positions)
        assert added.shape == (len(tokens), model.d_model)
        assert added.dtype == torch.float32
        assert added.requires_grad == any(numbers.requires_grad for numbers in learnt(snippet).values())
        close(model.embed(tokens) + added, layer.inputs)
    elif encoding.door == "rotation":
        close(snippet["rotate"](q, positions, "query"), layer.turned_queries)
        close(snippet["rotate"](k, positions, "key"), layer.turned_keys)
    else:
        rows, elsewhere = slice(first, None), 7 + step * positions.flip(0)
        made = snippet["prepare"](layer.inputs) if "prepare" in snippet else None
        prepared = () if made is None else (made[rows], made)
        for where in (positions, elsewhere):
            scores = snippet["scores"](q[:, rows], k, where[rows], where, *prepared)
            assert scores.dtype == torch.float32
            assert scores.requires_grad == bool(learnt(snippet))
            close(scores, tile(replace(layer, positions=where.double()), positions[rows], positions).scores)
        if "values" in snippet:
            heads = heads + snippet["values"](weights, positions, positions)
    close(heads.movedim(0, -2).flatten(-2) @ model.projection("output"), output)


@every_encoding
@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_snippet_brings_in_the_share_that_the_strength_says(name: str, strength: float) -> None:
    assert_the_explorers_own(at_strength(pe.encoding(name), strength), CAUSAL, WORDS, 3, 40)


@every_encoding
def test_a_snippet_takes_bfloat16_and_gives_it(name: str) -> None:
    encoding, drawn, every = at_strength(pe.encoding(name), 0.5), Drawn(), torch.arange(len(WORDS))
    with drawn.watching():
        layer = Layer.over(Prompt(WORDS, CAUSAL, encoding))
        weights = attend_at_once(layer, range(len(WORDS)), range(len(WORDS))).weights
    snippet = filled(run(code_for(encoding, CAUSAL)), drawn, CAUSAL)
    q, k, v, x = (one.bfloat16() for one in (layer.queries, layer.keys, layer.values, layer.inputs))
    made = [snippet["prepare"](x)] * 2 if "prepare" in snippet else []
    given, expected = {
        "none": lambda: (snippet["attention"](q, k, v), weights @ layer.values),
        "input": lambda: (CAUSAL.embed(WORDS).to(x) + snippet["position_vectors"](every).to(x), layer.inputs),
        "rotation": lambda: (snippet["rotate"](q, every), layer.turned_queries),
        "score": lambda: (snippet["scores"](q, k, every, every, *made), tile(layer, every, every).scores),
    }[encoding.door]()
    assert given.dtype == torch.bfloat16
    assert_close(given.float(), expected.float(), atol=0.03 * float(expected.abs().max()), rtol=0)
    if "values" in snippet:
        assert snippet["values"](weights.bfloat16(), every, every).dtype == torch.bfloat16


@pytest.mark.slow
@every_encoding
@settings(max_examples=16)
@given(data=st.data(), model=models, tokens=sentences, step=st.integers(1, 900))
def test_a_snippet_gives_the_explorers_own_numbers(
    name: str, data: st.DataObject, model: pe.ToyModel, tokens: tuple[str, ...], step: int
) -> None:
    encoding, first = data.draw(with_any_parameters(name)), data.draw(st.integers(0, len(tokens) - 1))
    try:
        assert_the_explorers_own(encoding, model, tokens, first, step)
    except Undefined:
        assume(False)


@pytest.mark.slow
@every_encoding
def test_each_combination_of_choices_gives_them(name: str) -> None:
    for encoding in combinations(name):
        with suppress(Undefined):  # what these models don't take, such as lists of as many numbers as pairs
            assert_the_explorers_own(encoding, CAUSAL, WORDS, 3, 40)
            assert_the_explorers_own(encoding, pe.ToyModel(d_model=21, n_heads=3, d_head=10, seed=1), WORDS[:3])


@every_encoding
@settings(max_examples=12)
@given(data=st.data(), model=models)
def test_vectors_and_turns_are_the_explorers_anywhere(name: str, data: st.DataObject, model: pe.ToyModel) -> None:
    encoding, drawn = data.draw(with_any_parameters(name)), Drawn()
    limit = encoding.length_limit(model.d_model) or 100_000
    anywhere = st.integers(0, limit - 1)
    if encoding.fractional:
        anywhere |= st.floats(0, limit - 1)
    positions = torch.tensor(data.draw(st.lists(anywhere, min_size=1, max_size=6)))
    x = torch.randn(2, 3, len(positions), model.head_width, generator=torch.Generator().manual_seed(model.seed))
    try:
        snippet = run(code_for(encoding, model))
    except Undefined:
        assume(False)
    with drawn.watching(), torch.no_grad():
        try:
            vectors, turned = encoding.vectors(positions, model.d_model), encoding.rotate(x.double(), positions)
        except Undefined:
            assume(False)
        if encoding.door == "input":
            for table, numbers in learnt(snippet).items():
                numbers.copy_(drawn.meant_by(table))
            close(snippet["position_vectors"](positions), vectors)
        elif encoding.door == "rotation":
            close(snippet["rotate"](x, positions), encoding.rotate(x, positions))
            assert_close(snippet["rotate"](x.double(), positions), turned, atol=1e-9, rtol=0, equal_nan=True)


@every_encoding
@settings(max_examples=16)
@given(
    data=st.data(),
    d_model=st.integers(1, 4096),
    n_heads=st.integers(1, 128),
    d_head=st.integers(1, 512),
    causal=st.booleans(),
)
def test_a_snippet_of_any_size_fits_the_panel_and_names_nothing_unknown(
    name: str, data: st.DataObject, d_model: int, n_heads: int, d_head: int, causal: bool
) -> None:
    encoding = data.draw(with_any_parameters(name))
    try:
        encoding.check_shape(d_model, n_heads, d_head)
    except Undefined as why:
        with pytest.raises(Undefined, match=re.escape(str(why))):
            encoding.code(d_model, n_heads, d_head, causal)
        return
    code = encoding.code(d_model, n_heads, d_head, causal)
    assert_readable(code, encoding.door)
    module = compile(code, "snippet", "exec")
    read, defined = names(module, "LOAD_NAME", "LOAD_GLOBAL"), names(module, "STORE_NAME", "STORE_GLOBAL")
    assert read <= defined | {*dir(builtins)}
    assert DEFINED[encoding.door] in defined


def test_snippets_are_as_ruff_would_have_them(tmp_path: Path) -> None:
    for name in (*classes(), "own"):
        for number, encoding in enumerate(combinations(name)):
            for d_model, n_heads, d_head, causal in ((64, 4, 16, False), (63, 3, 30, True), (4096, 127, 512, False)):
                encoding = at_strength(encoding, 0.25 if causal else 1.0)
                path = tmp_path / f"{name}_{number}_{d_model}.py"
                path.write_text(encoding.code(d_model, n_heads, d_head, causal), encoding="utf-8")
    for arguments in (("format", "--diff", "--isolated"), ("check", "--select", "E,F,W", "--isolated")):
        command = [sys.executable, "-m", "ruff", *arguments, str(tmp_path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
