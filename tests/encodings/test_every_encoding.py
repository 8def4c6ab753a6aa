"""What holds for every encoding, whichever files there are: a new one is covered without a line here."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any, Literal, get_args, get_origin

import annotated_types as at
import pytest
import torch
from any_session import of_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

import posenc_gui as pe
from posenc_gui.encodings import classes, listed
from posenc_gui.encodings.base import Context, Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.errors import Invalid, Undefined, describe_error
from posenc_gui.foundation.wording import format_bound

NAMES = pe.encodings()
PARAMETERS = [(name, field) for name in NAMES for field in listed()[name].model_fields]
DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available() + ["mps"] * torch.backends.mps.is_available()
every_encoding = pytest.mark.parametrize("name", NAMES)
every_parameter = pytest.mark.parametrize(("name", "field"), PARAMETERS)


def limits_of(field: FieldInfo) -> dict[type, float]:
    """A number's declared limits."""
    sides = {at.Gt: "gt", at.Ge: "ge", at.Lt: "lt", at.Le: "le", at.MultipleOf: "multiple_of"}
    return {type(limit): getattr(limit, sides[type(limit)]) for limit in field.metadata if type(limit) in sides}


def assert_one_line(error: Exception, *named: str) -> None:
    words = describe_error(error)
    assert "\n" not in words
    assert words
    for word in named:
        assert word in words


models = st.builds(
    lambda n_heads, width, **rest: {"d_model": n_heads * width, "n_heads": n_heads, **rest},
    n_heads=st.integers(1, 5),
    width=st.integers(1, 9),
    causal=st.booleans(),
    d_head=st.none() | st.integers(1, 9),
    seed=st.integers(0, 2**31 - 1),
)


@every_encoding
@settings(max_examples=10)
@given(model=models, length=st.sampled_from([0, 1, 2, 7]), data=st.data())
def test_it_evaluates_on_every_session_that_takes_it(
    name: str, model: dict[str, Any], length: int, data: st.DataObject
) -> None:
    encoding, model = pe.encoding(name), pe.ToyModel(**model)
    text = " ".join(data.draw(st.lists(st.sampled_from(["the", "cat", "sat", "?"]), min_size=length, max_size=length)))
    try:
        session = pe.Session(text=text, encoding=encoding, model=model)
    except Invalid as refusal:  # a shape that the encoding can't act on, which it says itself
        with pytest.raises(Undefined) as why:
            encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        assert_one_line(refusal, str(why.value))
        return
    limit = encoding.length_limit(model.d_model)
    if limit is not None and length > limit:
        with pytest.raises(Undefined, match=f"0 to {limit - 1}"):
            pe.attend(session)
        return
    result = pe.attend(session)
    heads, width = model.n_heads, model.head_width
    assert result.tokens == tuple(text.split())
    assert result.queries.shape == result.keys.shape == result.values.shape == (heads, length, width)
    assert result.scores.shape == result.position.shape == result.probabilities.shape == (heads, length, length)
    assert result.output.shape == (length, model.d_model)
    for numbers in (result.scores, result.position, result.probabilities, result.output):
        assert numbers.dtype == torch.float32
        assert torch.isfinite(numbers).all()


@pytest.mark.parametrize("name", list(classes()))
@settings(max_examples=10)
@given(data=st.data(), causal=st.booleans())
def test_any_allowed_parameters_give_finite_numbers_or_a_sentence_why_not(
    name: str, data: st.DataObject, causal: bool
) -> None:
    session = pe.Session(encoding=data.draw(of_model(classes()[name])), model=pe.ToyModel(causal=causal))
    try:
        result = pe.attend(session)
    except Undefined as why:
        assert_one_line(why)
    else:
        assert torch.isfinite(result.scores).all()
        torch.testing.assert_close(result.probabilities.sum(-1), torch.ones(4, 6))


@pytest.mark.parametrize("device", DEVICES)
@every_encoding
@settings(max_examples=8)
@given(n_heads=st.integers(1, 5), half=st.integers(1, 8), n_q=st.integers(0, 6), n_k=st.integers(0, 6), data=st.data())
def test_hooks_give_the_shapes_and_types_they_promise_and_stay_on_the_positions_device(
    name: str, device: str, n_heads: int, half: int, n_q: int, n_k: int, data: st.DataObject
) -> None:
    encoding, d_head = pe.encoding(name), 2 * half
    number = torch.float32 if device == "mps" else data.draw(st.sampled_from([torch.int64, torch.float32]))
    queries, keys = torch.arange(n_q, device=device, dtype=number), torch.arange(n_k, device=device, dtype=number)
    context = data.draw(st.none() | st.builds(Context, st.just(max(n_q, n_k)), st.booleans(), st.just(n_heads)))

    if encoding.length_limit(d_head) is not None:
        queries = queries[: encoding.length_limit(d_head)]
        n_q = len(queries)
    vectors = encoding.vectors(queries, d_head, context)
    assert (vectors.shape, vectors.dtype, vectors.device.type) == ((n_q, d_head), torch.float64, device)
    bias = encoding.bias(queries, keys, n_heads, context)
    assert (bias.shape, bias.dtype, bias.device.type) == ((n_heads, n_q, n_k), torch.float64, device)
    x = torch.ones(2, n_heads, n_q, d_head, device=device)
    turned, keys_turned = encoding.rotate(x, queries, "query", context), encoding.rotate(x, queries, "key", context)
    assert (turned.shape[:-1], turned.dtype, turned.device) == (x.shape[:-1], x.dtype, x.device)
    assert keys_turned.shape == turned.shape
    if encoding.door == "rotation":
        angles = encoding.angles(queries, d_head, context)
        assert (angles.shape[0], angles.dtype, angles.device.type) == (n_q, torch.float64, device)
    assert encoding.door == "input" or not vectors.any()
    assert encoding.door == "score" or not bias.any()
    assert encoding.door == "rotation" or torch.equal(turned, x)
    assert encoding.scale(d_head) > 0


@every_encoding
@settings(max_examples=8)
@given(length=st.integers(1, 20), n_heads=st.integers(1, 5), half=st.integers(1, 8), causal=st.booleans())
def test_profiles_and_phases_have_a_row_for_each_coordinate(
    name: str, length: int, n_heads: int, half: int, causal: bool
) -> None:
    encoding, d_model = pe.encoding(name), 2 * half * n_heads
    length = min(length, encoding.length_limit(d_model) or length)
    coordinates = torch.arange(length, dtype=torch.float64)
    context = Context(length, causal, n_heads, 2 * half)
    profile = encoding.profile(coordinates, d_model, context)
    if profile is not None:
        assert profile.values.shape == (length, len(profile.labels))
        assert len(profile.labels) % profile.each == 0
        assert all(profile.labels)
        assert torch.isfinite(profile.values).all()
    else:
        assert encoding.door == "none" or not encoding.content_free
    phases = encoding.phases(coordinates, d_model, context)
    assert phases is None or len(phases) == length


@every_encoding
def test_it_says_what_it_is(name: str) -> None:
    encoding = pe.encoding(name)
    assert encoding.name == name
    assert encoding.door in ("none", "input", "rotation", "score")
    assert encoding.tag in ("none", "absolute", "relative", "both")
    assert encoding.title
    assert re.fullmatch(r"[A-Z][^\n]*\.", encoding.summary)
    assert encoding.source.authors
    assert encoding.source.title
    assert 1990 < encoding.source.year < 2100
    for causal in (False, True):
        assert re.fullmatch(r"([A-Z][^\n]*\.)?", encoding.remark(Context(6, causal)))
    assert encoding.n_parameters(64, 4, 16) >= 0


@every_encoding
def test_its_parameters_have_titles_and_descriptions_those_of_groups_too(name: str) -> None:
    for field in declared_fields.field_names(listed()[name]):
        for info in declared_fields.fields_named(listed()[name], field):
            if declared_fields.is_choice(info):
                assert info.title, field
                assert re.fullmatch(r"[A-Z0-9][^\n]*\.", info.description or ""), field


@every_encoding
def test_its_formula_can_be_typeset(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ziamath finds its fonts in an old way
        import ziamath
    ziamath.config.svg2 = False
    for formula in {pe.encoding(name).equations, *(one.own_equations for one in with_each_choice(name))}:
        lines = (formula.query, formula.key, formula.value, *formula.where)
        for line in lines:
            marked = line.replace(r"\pos{", r"\textcolor{#0000ff}{")
            assert ziamath.Latex(marked).svg().startswith("<svg")
            assert line.count("{") == line.count("}")
        if pe.encoding(name).door != "none":
            assert any(r"\pos{" in line for line in lines)


def with_each_choice(name: str) -> list[Encoding]:
    """The encoding with each of the choices that its parameters offer."""
    fields = pe.encoding(name).__class__.model_fields
    choices = {
        field: get_args(info.annotation) or (True, False)
        for field, info in fields.items()
        if get_origin(info.annotation) is Literal or info.annotation is bool
    }
    return [pe.encoding(name, **{field: choice}) for field, some in choices.items() for choice in some]


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("sinusoidal", {"layout": "concatenated"}),
        ("sinusoidal", {"layout": "cosine_first"}),
        ("sinusoidal", {"spacing": "tensor2tensor"}),
        ("binary", {"order": "slow_first"}),
        ("binary", {"digits": "signs"}),
        ("normalized", {"divisor": "last"}),
        ("fourier", {"layout": "sine_first"}),
        ("fourier", {"layout": "interleaved"}),
        ("shaw", {"value_term": False}),
        ("deberta", {"terms": "c2p"}),
        ("deberta", {"log_buckets": False}),
        ("kerple", {"kernel": "power"}),
    ],
)
def test_its_formula_follows_a_choice_that_changes_its_numbers(name: str, choice: dict[str, Any]) -> None:
    assert pe.encoding(name, **choice).own_equations != pe.encoding(name).own_equations


@pytest.mark.slow
@pytest.mark.parametrize("name", list(classes()))
@given(data=st.data())
def test_its_session_comes_back_from_its_file_equal_and_with_the_same_hash(name: str, data: st.DataObject) -> None:
    session = pe.Session(encoding=data.draw(of_model(classes()[name])))
    again = pe.Session.from_json(session.to_json())
    assert again == session
    assert hash(again) == hash(session)
    assert again.encoding == session.encoding
    assert type(again.encoding) is type(session.encoding)


@every_encoding
@settings(max_examples=12)
@given(parameter=st.text(), value=st.integers())
def test_a_parameter_that_does_not_exist_is_refused_with_those_that_do(name: str, parameter: str, value: int) -> None:
    allowed = listed()[name].model_fields
    assume(parameter not in (*allowed, "name"))
    with pytest.raises(ValueError, match="there is no parameter") as refusal:
        pe.encoding(name, **{parameter: value})
    assert_one_line(refusal.value, name, *(allowed or ["it takes none"]))


@every_parameter
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "x\ny", [1], {"a": 1}, 10**5000], ids=lambda value: type(value).__name__
)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(name: str, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{name}: {field}: ") as refusal:
        pe.encoding(name, **{field: value})
    assert_one_line(refusal.value)


@every_parameter
def test_a_value_out_of_range_is_refused_with_the_range(name: str, field: str) -> None:
    info = listed()[name].model_fields[field]
    wrong: list[tuple[object, list[str]]] = []
    if get_origin(info.annotation) is Literal:
        wrong.append(("nonsense", [repr(value) for value in get_args(info.annotation)]))
    for limit, bound in limits_of(info).items():
        if limit is at.MultipleOf:
            wrong.append((bound + 1, [f"a multiple of {bound:.0f}"]))
            continue
        step = limits_of(info).get(at.MultipleOf, 1)
        wrong.append((bound + (-step if limit in (at.Gt, at.Ge) else step), [format_bound(bound)]))
        if limit in (at.Gt, at.Lt):
            wrong.append((bound, [format_bound(bound)]))
    for value, allowed in wrong:
        with pytest.raises(ValueError, match=f"^{name}: {field}: ") as refusal:
            pe.encoding(name, **{field: value})
        assert_one_line(refusal.value, *allowed)


@given(name=st.text() | st.integers() | st.none() | st.lists(st.sampled_from(NAMES)))
def test_a_name_that_is_no_encodings_is_refused_with_those_that_are(name: object) -> None:
    assume(name not in NAMES)
    with pytest.raises(ValueError, match="there is no encoding") as refusal:
        pe.encoding(name)
    assert_one_line(refusal.value, *NAMES)


@every_encoding
def test_a_slip_of_the_keyboard_is_answered_with_what_was_meant(name: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean '{name}'"):
        pe.encoding(f"{name}x")


@every_encoding
@pytest.mark.parametrize(
    "positions", [torch.zeros(()), torch.zeros(2, 2, 2), torch.tensor([math.nan]), torch.tensor([math.inf])], ids=repr
)
def test_positions_that_are_no_list_of_numbers_are_refused(name: str, positions: torch.Tensor) -> None:
    encoding = pe.encoding(name)
    hooks = {
        "input": lambda: encoding.vectors(positions, 8),
        "rotation": lambda: encoding.angles(positions, 8),
        "score": lambda: encoding.bias(positions, positions, 4),
    }
    three = torch.arange(3)
    if encoding.door not in hooks or (encoding.door == "score" and not encoding.bias(three, three, 4).any()):
        return  # positions are not looked at here
    with pytest.raises(ValueError, match="position") as refusal:
        hooks[encoding.door]()
    assert_one_line(refusal.value)


# --- Arguments of the hooks that anyone may call ---------------------------------------------------------------------

BAD_SIZES = (math.nan, None, 1e19, 10**19, "8", -2, 0, 1.5, [4], True)
BAD_POSITIONS = (
    math.nan,
    None,
    "8",
    ["a"],
    [[1, 2], [3]],
    {},
    [10**400],
    [math.inf],
    3.0,
    torch.ones(2, 2, 2),
    torch.ones(4) * 1j,
    torch.full((4,), math.nan),
)
BAD_INPUTS = (
    None, math.nan, [1.0], torch.ones(4), torch.ones(4, 8, dtype=torch.int64), torch.ones(3, 8), torch.ones(4, 8) * 1j,
)  # fmt: skip


@every_encoding
def test_arguments_that_no_encoding_can_take_are_refused_in_the_same_sentences(name: str) -> None:
    encoding, four = pe.encoding(name), torch.arange(4)
    sized = {
        "d_model": lambda size: encoding.vectors(four, size),
        "d_head": getattr(encoding, "angles", None) and (lambda size: encoding.angles(four, size)),
        "n_heads": lambda size: encoding.bias(four, four, size),
    }
    for parameter, call in sized.items():
        for size in BAD_SIZES if call else ():
            with pytest.raises(ValueError, match=f"^{parameter} must be a whole number from 1 to 1,048,576, not "):
                call(size)
    if encoding.door == "input":
        calls = [lambda positions: encoding.vectors(positions, 8)]
    elif encoding.door == "rotation":
        calls = [
            lambda positions: encoding.angles(positions, 8),
            lambda positions: encoding.rotate(torch.ones(4, 8), positions),
        ]
        for x in BAD_INPUTS:
            with pytest.raises(ValueError, match=r"^x must "):
                encoding.rotate(x, four)
        with pytest.raises(ValueError, match=r"^side must be query or key, not 'value'$"):
            encoding.rotate(torch.ones(4, 8), four, "value")
    elif encoding.content_free and encoding.door == "score":
        calls = [
            lambda positions: encoding.bias(positions, four, 4),
            lambda positions: encoding.bias(four, positions, 4),
        ]
    else:
        calls = []
    if encoding.door != "input":
        calls.append(lambda positions: encoding.vectors(positions, 8))
    if encoding.door != "rotation":
        calls.append(lambda positions: encoding.rotate(torch.ones(4, 8), positions))
    if encoding.door != "score":
        calls += [
            lambda positions: encoding.bias(positions, four, 4),
            lambda positions: encoding.bias(four, positions, 4),
        ]
    for call in calls:
        for positions in BAD_POSITIONS:
            with pytest.raises(ValueError, match=r"^(positions|x) must "):
                call(positions)
        call([0.0, 1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"^context must be a Context, not 7$"):
        encoding.vectors(four, 8, 7)
