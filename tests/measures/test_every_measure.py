"""What holds for every measure of every encoding, whichever files there are: a new one is covered without a line here."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from drawn import NAMES, sessions
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled import dealt, some_pairs

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import describe_error
from posenc_gui.measures import measures
from posenc_gui.measures.base import Measurement, of_focus

MEASURES = pe.measures()
every_measure = pytest.mark.parametrize("name", MEASURES)


def measures_of_encodings(third: int) -> pytest.MarkDecorator:
    """A third of what there is to be measured of the encodings."""
    return pytest.mark.parametrize(("name", "encoding"), some_pairs(MEASURES, NAMES, third))


def assert_same(one: Any, other: Any) -> None:
    """The same numbers, texts and tensors, however deep they stand."""
    assert type(one) is type(other)
    if isinstance(one, torch.Tensor):
        assert torch.equal(one, other)
    elif is_dataclass(one):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, Mapping):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for mine, others in zip(one, other, strict=True):
            assert_same(mine, others)
    else:
        assert one == other


def assert_says_what_it_found(found: Measurement) -> None:
    assert found.value is None or (type(found.value) is float and math.isfinite(found.value))
    assert found.reason
    assert len(found.reason.splitlines()) == 1
    assert found.reason == found.reason.strip()
    assert found.reason.endswith(".")
    assert not re.search(r"\b(nan|inf|None|tensor)\b", found.reason)
    assert found.nbytes > 0


def tensors(found: Any) -> list[torch.Tensor]:
    if isinstance(found, torch.Tensor):
        return [found]
    if isinstance(found, Mapping):
        return [tensor for part in found.values() for tensor in tensors(part)]
    if is_dataclass(found):
        return [tensor for field in fields(found) for tensor in tensors(getattr(found, field.name))]
    return [tensor for part in found for tensor in tensors(part)] if isinstance(found, tuple) else []


def test_the_measures_that_others_rely_on_are_there() -> None:
    promised = """equivariance generation meaning twins recurrence requirements similarity kernel
        linear_shift frequencies shift length addition"""
    assert set(promised.split()) <= set(MEASURES)


@pytest.mark.slow
@measures_of_encodings(0)
@settings(max_examples=6)
@given(data=st.data())
def test_it_never_raises_says_what_it_found_and_finds_the_same_twice_whatever_the_plots_show(
    name: str, encoding: str, data: st.DataObject
) -> None:
    session = data.draw(sessions([encoding]))
    found = pe.measure(name, session)
    assert isinstance(found, Measurement)
    assert_says_what_it_found(found)
    infinite = name == "frequencies"  # a pair that doesn't turn has an infinite wavelength
    assert all(infinite or bool(torch.isfinite(tensor).all()) for tensor in tensors(found))
    other = session.changed(plots={"waves": {"first": 3}, "attention": {"quantity": "scores"}})
    assert_same(found, pe.measure(name, other))


@measures_of_encodings(1)
@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": "a"},
        {"text": "a a"},
        {"text": "a b", "model": pe.ToyModel(d_model=2, n_heads=1, embedding_scale=0)},
        {"text": "a\x00 \u202e\u2028b \x00\x00a", "tokenizer": "characters"},
        {"tokenizer": "/nowhere/tokenizer.json"},
        {"text": "a b c", "model": pe.ToyModel(d_model=8, n_heads=1, embedding_scale=100, scale=100, causal=True)},
    ],
    ids=["nothing", "one token", "twins alone", "no content", "controls", "no tokenizer", "large scores"],
)
def test_extremes_are_answered_in_a_sentence(name: str, encoding: str, fields: dict[str, Any]) -> None:
    assert_says_what_it_found(pe.measure(name, pe.Session(encoding=encoding, **fields)))


@every_measure
@pytest.mark.parametrize(
    ("encoding", "parameters"),
    [
        ("learned", {"max_len": 1}),
        ("learned", {"max_len": 2}),
        ("learned", {"max_len": 5}),
        ("sinusoidal", {"base": 1.0}),
        ("sinusoidal", {"base": 1e9, "spacing": "tensor2tensor", "layout": "cosine_first"}),
        ("rope", {"fraction": 0.0}),
        ("rope", {"base": 1.0, "pairing": "interleaved"}),
        ("normalized", {"divisor": "last"}),
        ("alibi", {"bias_max": 64.0}),
        ("t5", {"bidirectional": False, "buckets": 4, "max_distance": 5}),
        ("shaw", {"max_distance": 1, "value_term": False}),
    ],
)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("text", ["", "the cat sat on the mat"])
def test_extreme_parameters_are_answered_in_a_sentence(
    name: str, encoding: str, parameters: dict[str, Any], causal: bool, text: str
) -> None:
    model = pe.ToyModel(d_model=8, n_heads=2, causal=causal)
    session = pe.Session(text=text, encoding=pe.encoding(encoding, **parameters), model=model)
    assert_says_what_it_found(pe.measure(name, session))


@pytest.mark.parametrize(("encoding", "some"), dealt(NAMES, MEASURES, 1))
def test_an_engine_remembers_it(encoding: str, some: list[str]) -> None:
    (name,) = some
    session, engine = pe.Session(encoding=encoding), Engine()
    found = pe.measure(name, session, engine)
    assert pe.measure(name, session, engine) is found
    assert pe.measure(name, session.changed(plots={"waves": {"first": 3}}), engine) is found
    other = session.changed(text="other words " * 80)
    assert pe.measure(name, other, engine) is not found
    if measures()[name].basis is not of_focus:
        assert pe.measure(name, session.changed(focus=4, key=1), engine) is found
    assert_same(found, pe.measure(name, session))


@pytest.mark.parametrize("name", [name for name in MEASURES if measures()[name].options.model_fields])
def test_another_option_is_measured_anew(name: str) -> None:
    session, engine = pe.Session(text="a b c"), Engine()
    (first, field), *_ = measures()[name].options.model_fields.items()
    values = ("c b a", "b a c", "c b a") if field.annotation is str else (3, 4, 3)
    found = [pe.measure(name, session, engine, **{first: value}) for value in values]
    assert found[0] is found[2]
    assert found[0] is not found[1]


@every_measure
def test_it_says_what_it_is(name: str) -> None:
    measure = measures()[name]
    assert measure.title
    assert re.fullmatch(r"[A-Z][^\n]*\?", measure.summary)
    for info in measure.options.model_fields.values():
        assert info.title
        assert re.fullmatch(r"[A-Z0-9][^\n]*\.", info.description or "")


@pytest.mark.slow
@given(name=(st.text() | st.integers() | st.none() | st.lists(st.text())).filter(lambda name: name not in MEASURES))
def test_a_name_that_is_no_measures_is_refused_with_those_that_are(name: Any) -> None:
    with pytest.raises(ValueError, match="there is no measure") as refusal:
        pe.measure(name, pe.Session())
    assert "\n" not in describe_error(refusal.value)
    for allowed in MEASURES:
        assert allowed in str(refusal.value)


@every_measure
def test_a_slip_of_the_keyboard_is_answered_with_what_was_meant(name: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean '{name}'"):
        pe.measure(f"{name}x", pe.Session())


@every_measure
@pytest.mark.parametrize("value", [0, "x", None, 10**5000], ids=lambda value: type(value).__name__)
def test_an_option_that_does_not_exist_is_refused_with_those_that_do(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{name}: ") as refusal:
        pe.measure(name, pe.Session(), nonsense=value)
    words = str(refusal.value)
    assert "\n" not in words
    assert "nonsense" in words
    for allowed in measures()[name].options.model_fields:
        assert allowed in words


@pytest.mark.parametrize(
    ("name", "option", "allowed"),
    [
        ("shift", {"offset": 0}, "1"),
        ("shift", {"offset": 1_000_001}, "1,000,000"),
        ("linear_shift", {"offset": -1}, "0"),
        ("linear_shift", {"offset": 1025}, "1,024"),
        ("frequencies", {"context": 0}, "1"),
        ("frequencies", {"context": 10**8}, "20,000,000"),
        ("shift", {"offset": math.nan}, "finite number"),
        ("shift", {"offset": "x\ny"}, "whole number"),
    ],
)
def test_an_option_out_of_range_is_refused_with_the_range(name: str, option: dict[str, Any], allowed: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: {next(iter(option))}: ") as refusal:
        pe.measure(name, pe.Session(), **option)
    assert "\n" not in str(refusal.value)
    assert allowed in str(refusal.value)


def test_stopping_stops_it() -> None:
    class Stopped(Exception):
        pass

    def stop() -> None:
        raise Stopped

    # The last three refuse a toy model at once.
    nothing_long = {"frequencies", "generation", "heads", "loss", "surgery"}
    for name in set(MEASURES) - nothing_long:
        with pytest.raises(Stopped):
            pe.measure(name, pe.Session(), Engine(check_stop=stop))


def test_no_measure_names_an_encoding() -> None:
    folder = Path(str(pe.measures.__spec__.origin)).parent if pe.measures.__spec__ else Path()
    sources = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(sources) > len(MEASURES)
    for path in sources:
        named = set(re.findall(r"[\"'](\w+)[\"']", path.read_text(encoding="utf-8"))) & (set(NAMES) - {"none"})
        assert not named, path.name


@pytest.mark.parametrize("name", ["equivariance", "generation", "meaning", "recurrence", "shift", "twins"])
def test_what_is_measured_on_the_first_tokens_of_a_long_text_says_so(name: str) -> None:
    model = {"d_model": 8, "n_heads": 1}
    told = pe.measure(name, pe.Session(text="a b a", fill="repeat", fill_to=513, encoding="alibi", model=model)).reason
    assert told.endswith("Measured on the first 512 of 513 tokens.")
    assert "Measured" not in pe.measure(name, pe.Session(text="a b a c", encoding="alibi", model=model)).reason
