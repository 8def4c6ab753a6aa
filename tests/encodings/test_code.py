"""The code panel's snippets, run and compared with the explorer: a new encoding is covered without a line here.

What a snippet defines follows from its encoding's door. Its tables are untrained, so the explorer's are copied into them.
"""

from __future__ import annotations

import builtins
import dis
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any, Literal, get_args, get_origin
from unittest.mock import patch

import annotated_types as at
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo
from torch import Tensor, nn
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui import seeded
from posenc_gui.attention.layer import Layer
from posenc_gui.encodings import classes
from posenc_gui.encodings.base import Encoding
from posenc_gui.errors import Undefined

DEFINED = {"none": "attention", "input": "position_vectors", "rotation": "rotate", "score": "scores"}
WORDS = ("the", "cat", "sat", "on", "mat", "and", "slept")
every_encoding = pytest.mark.parametrize("name", pe.encodings())


def values(field: FieldInfo) -> st.SearchStrategy[Any]:
    """Values that a parameter takes, from its declaration."""
    if get_origin(field.annotation) is Literal:
        return st.sampled_from(get_args(field.annotation))
    if field.annotation is bool:
        return st.booleans()
    low = high = None
    step, strict = 1, {}
    for limit in field.metadata:
        match limit:
            case at.Ge(bound):
                low = bound
            case at.Gt(bound):
                low, strict["exclude_min"] = bound, True
            case at.Le(bound):
                high = bound
            case at.Lt(bound):
                high, strict["exclude_max"] = bound, True
            case at.MultipleOf(multiple):
                step = multiple
    if field.annotation is int:
        return st.integers(low // step, high // step).map(lambda number: number * step)
    if field.annotation is float:
        return st.floats(low, high, **strict) | st.integers(math.ceil(low), math.floor(high)).map(float)
    return st.just(field.get_default(call_default_factory=True))


def with_any_parameters(name: str) -> st.SearchStrategy[Encoding]:
    """The encoding with parameters that are allowed together."""

    def built(parameters: dict[str, Any]) -> Encoding | None:
        try:
            return pe.encoding(name, **parameters)
        except ValueError:
            return None

    fields = classes()[name].model_fields.items()
    parameters = st.fixed_dictionaries({}, optional={field: values(info) for field, info in fields})
    return parameters.map(built).filter(lambda encoding: encoding is not None)


models = st.builds(
    lambda n_heads, width, **rest: pe.ToyModel(d_model=n_heads * width, n_heads=n_heads, **rest),
    n_heads=st.integers(1, 13),
    width=st.integers(1, 9),
    d_head=st.none() | st.integers(1, 12),
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
        self.normal = seeded.normal

    def __call__(self, seed: int, *names: str, shape: tuple[int, ...]) -> Tensor:
        return self.numbers.setdefault(names, self.normal(seed, *names, shape=shape))

    def meant_by(self, name: str) -> Tensor:
        """The numbers whose names hold all words of a snippet's: `key_table` means those of ("shaw table", "key")."""
        (found,) = (
            numbers for names, numbers in self.numbers.items() if {*name.split("_")} <= {*" ".join(names).split()}
        )
        return found


def learnt(namespace: dict[str, Any]) -> dict[str, Tensor]:
    """What training would fill."""
    found = {name: value.weight for name, value in namespace.items() if isinstance(value, nn.Embedding)}
    return found | {name: value for name, value in namespace.items() if isinstance(value, nn.Parameter)}


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
    assert_close(ours, explorers.to(ours), atol=2e-5, rtol=2e-5)


@every_encoding
@settings(max_examples=60)
@given(data=st.data(), model=models, tokens=sentences)
def test_a_snippet_gives_the_explorers_own_numbers(
    name: str, data: st.DataObject, model: pe.ToyModel, tokens: tuple[str, ...]
) -> None:
    encoding, drawn = data.draw(with_any_parameters(name)), Drawn()
    with patch.object(seeded, "normal", drawn):
        try:
            layer = Layer.over(tokens, model, encoding)
            every_row = slice(None)
            weights = layer.probabilities(layer.scores(every_row), every_row)
            output = layer.output(weights, every_row)
        except Undefined:
            return  # a model that the encoding can't act on, or a table too short for the sentence

        code = code_for(encoding, model)
        assert_readable(code, encoding.door)
        snippet, positions = run(code), torch.arange(len(tokens))
        with torch.no_grad():
            for table, numbers in learnt(snippet).items():
                numbers.copy_(drawn.meant_by(table))
        q, k, v = layer.queries, layer.keys, layer.values

        if encoding.door == "none":
            heads = snippet["attention"](q, k, v)
        elif encoding.door == "input":
            added = snippet["position_vectors"](positions)
            assert added.shape == (len(tokens), model.d_model)
            assert added.dtype == torch.float32
            assert added.requires_grad == bool(learnt(snippet))
            close(model.embed(tokens) + added, layer.inputs)
            heads = weights @ v
        elif encoding.door == "rotation":
            close(snippet["rotate"](q, positions), layer.turned_queries)
            close(snippet["rotate"](k, positions), layer.turned_keys)
            heads = weights @ v
        else:
            rows = data.draw(st.slices(len(tokens)).filter(lambda rows: (rows.step or 1) > 0))
            far = data.draw(
                st.lists(st.integers(0, 5000), min_size=len(tokens), max_size=len(tokens)).map(torch.tensor)
            )
            for at_positions in (positions, far):
                there = replace(layer, positions=at_positions.double())
                scores = snippet["scores"](q[:, rows], k, at_positions[rows], at_positions)
                assert scores.dtype == torch.float32
                assert scores.requires_grad == bool(learnt(snippet))
                close(scores, there.scores(rows))
            heads = weights @ v
            if "values" in snippet:
                heads = heads + snippet["values"](weights, positions, positions)
        close(heads.movedim(0, -2).flatten(-2) @ model.projection("output"), output)


@every_encoding
@settings(max_examples=30)
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
        return
    with patch.object(seeded, "normal", drawn), torch.no_grad():
        vectors = encoding.vectors(positions, model.d_model)
        if encoding.door == "input":
            for table, numbers in learnt(snippet).items():
                numbers.copy_(drawn.meant_by(table))
            close(snippet["position_vectors"](positions), vectors)
        elif encoding.door == "rotation":
            for precise in (x, x.double()):
                turned = snippet["rotate"](precise, positions)
                assert turned.dtype == precise.dtype
                close(turned, encoding.rotate(precise, positions))


@every_encoding
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
        with pytest.raises(Undefined, match=str(why)):
            encoding.code(d_model, n_heads, d_head, causal)
        return
    code = encoding.code(d_model, n_heads, d_head, causal)
    assert_readable(code, encoding.door)
    module = compile(code, "snippet", "exec")
    read, defined = names(module, "LOAD_NAME", "LOAD_GLOBAL"), names(module, "STORE_NAME", "STORE_GLOBAL")
    assert read <= defined | {*dir(builtins)}
    assert DEFINED[encoding.door] in defined


def corners(name: str) -> list[Encoding]:
    """One of each: the defaults, and each parameter at each choice or at its ends."""
    found = [pe.encoding(name)]
    for field, info in classes()[name].model_fields.items():
        choices = get_args(info.annotation) or ((True, False) if info.annotation is bool else ())
        limits = [next(iter(vars(limit).values())) for limit in info.metadata if hasattr(limit, "__dict__")]
        for value in (*choices, *limits):
            try:
                found.append(pe.encoding(name, **{field: value}))
            except ValueError:
                continue  # an end that is not allowed, alone or with the others' defaults
    return found


def test_snippets_are_as_ruff_would_have_them(tmp_path: Path) -> None:
    pytest.importorskip("ruff")
    for name in pe.encodings():
        for number, encoding in enumerate(corners(name)):
            for d_model, n_heads, d_head, causal in ((64, 4, 16, False), (63, 3, 30, True), (4096, 127, 512, False)):
                path = tmp_path / f"{name}_{number}_{d_model}.py"
                path.write_text(encoding.code(d_model, n_heads, d_head, causal), encoding="utf-8")
    for arguments in (("format", "--diff", "--isolated"), ("check", "--select", "E,F,W", "--isolated")):
        command = [sys.executable, "-m", "ruff", *arguments, str(tmp_path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
