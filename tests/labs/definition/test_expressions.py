"""Questions of lab files: they are answered by what they name, and nothing else can be asked."""

from __future__ import annotations

import math
import operator
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import Undefined
from posenc_gui.labs.definition import expressions
from posenc_gui.session.first_session import first_session

ENGINE = Engine()
FIRST = first_session()
ROPE = FIRST.changed(encoding=pe.encoding("rope", base=100.0))

HOSTILE = (
    "__import__('os').system('touch x')", "open('/etc/passwd')", "eval('1')", "len.__call__(1)",
    "getattr(session, 'text')", "session.__class__", "session.model_dump", "session.save('x')",
    "session.changed(text='x')", "session.text.upper()", "session.encoding.angles",
    "session.encoding.__class__.__init__.__globals__", "equivariance.take", "equivariance.nbytes",
    "attention.scores.data_ptr", "attention.scores.numpy().tofile('x')", "vectors[0].storage", "vectors.shape",
    "vectors", "len(vectors)", "abs(1).real", "().__class__", "'a'.join", "lambda: 1", "[x for x in session.tokens]",
    "{1: 2}", "f'{session}'", "(x := 1)", "x = 1", "import os", "2 ** 9999", "1 << 9999", "7 // 2", "'%s' % session",
    "session @ session", "1 if 2 else 3", "1 and 2", "not 1", "~1", "+1", "1 < 2 < 3", "1 is 1",
    "session.tokens[0:2]", "[*session.tokens]", "abs(*[1])", "abs(x=1)", "abs(1, 2)", "len()",
    "equivariance(1).value", "equivariance(**{}).value", "equivariance(x=1).value",
    "linear_shift(offset=open('x')).value", "1j", "...", "await session", "yield", "0x" + "f" * 290, "1e999",
    "(" * 290, "-" * 299 + "1", "~" * 299 + "1", "not " * 70 + "1", "1+" * 149 + "1", "a." * 149 + "a",
    "session.text" + "[0]" * 90, "[" * 140 + "]" * 140, "x" * 301, "1" + " " * 300, "", "\\", "'\\d", "a\x00b",
    "\ud800", "\u202esession", "# a comment",
)  # fmt: skip
# What may be asked but has no answer, or an answer that would be large if it could be reached.
UNANSWERED = (
    "session", "session.model", "session.encoding", "equivariance", "attention.scores", "vectors[0]", "(session, 1)",
    "[[attention.scores]]", "generation.second", "requirements.unique", "session.order[0]", "session.tokens[99]",
    "session.tokens['a']", "None < session.focus", "session.tokens[True]", "vectors[-1][0]", "vectors[1e9][0]",
    "vectors[0][99]", "vectors[0][0][0]", "angles[0][0]", "session.text / 2", "'a' * 3", "True + True",
    "-session.text", "abs(session.text)", "len(session.focus)", "session.focus / 0", "1e300 * 1e300 * session.focus",
    "session.text < 1", "1 in session.text", "1 in session.focus", "vectors[0] == 1", "vectors[0] < " + "9" * 250,
    "'a' in vectors[0]", "session.encoding.angles", "session.encoding.pairing", "session.tokens.count",
)  # fmt: skip


def asked(text: str, session: pe.Session = FIRST) -> Any:
    return expressions.parse(text).answer(session, ENGINE)


def why_not(text: str, session: pe.Session = FIRST) -> str:
    with pytest.raises(Undefined) as why:
        asked(text, session)
    return str(why.value)


# --- Answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("session.text", "The cat sat on the mat"),
        ("session.tokens", ("the", "cat", "sat", "on", "the", "mat")),
        ("session.tokens[1]", "cat"),
        ("session.tokens[-1]", "mat"),
        ("session.n_tokens", 6),
        ("session.focus", 2),
        ("session.focused", 2),
        ("session.key", None),
        ("session.key == None", True),
        ("session.keyed", 2),
        ("session.order", ()),
        ("session.keep_case", False),
        ("session.model.d_model", 16),
        ("session.model.causal", False),
        ("session.plots.waves.curves", ()),
        ("session.encoding.name", "sinusoidal"),
        ("session.encoding.door", "input"),
        ("session.encoding.title", "Sinusoidal"),
        ("session.encoding.base", 10_000.0),
    ],
)
def test_fields_of_a_session(text: str, answer: object) -> None:
    assert asked(text) == answer


@pytest.mark.parametrize("name", pe.measures())
def test_a_measure_says_what_it_says_elsewhere(name: str) -> None:
    for session in (FIRST, ROPE):
        found = pe.measure(name, session)
        assert asked(f"{name}.value", session) == found.value
        assert asked(f"{name}.reason", session) == found.reason


def test_options_of_a_measure() -> None:
    assert asked("linear_shift(offset=3).value") == pe.measure("linear_shift", FIRST, offset=3).value
    assert why_not("linear_shift(offset=99999999).value").startswith("linear_shift: offset")


def test_fields_of_what_a_measure_found() -> None:
    found = pe.measure("generation", FIRST)
    assert asked("generation.second.total[0][1]") == float(found.second.total[0][1])
    assert asked("generation.second.tokens") == found.second.tokens
    verdicts = pe.measure("requirements", FIRST)
    for name in ("unique", "bounded"):
        assert asked(f"requirements.{name}.value") == verdicts[name].value


def test_attention_is_that_of_the_last_layer() -> None:
    found = pe.attend(FIRST)
    assert asked("attention.tokens") == found.tokens
    for field in ("scores", "position", "probabilities", "queries"):
        assert asked(f"attention.{field}[0][1][2]") == float(getattr(found, field)[0, 1, 2])
    assert asked("attention.output[5][-1]") == float(found.output[5, -1])
    assert asked("len(attention.output[0])") == 16


@given(position=st.integers(0, 600), index=st.integers(0, 15))
def test_what_the_encoding_adds_to_a_position(position: int, index: int) -> None:
    at = torch.tensor([float(position)], dtype=torch.float64)
    expected = FIRST.encoding.vectors(at, 16, None)[0, index]
    assert asked(f"vectors[{position}][{index}]") == pytest.approx(float(expected), abs=1e-12)
    assert asked(f"angles[{position}][0]", ROPE) == pytest.approx(position)


OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)


@given(one=numbers, other=numbers, sign=st.sampled_from([*OPERATIONS, *COMPARISONS]))
def test_every_operator_gives_what_python_gives(one: float, other: float, sign: str) -> None:
    text = f"({one!r}) {sign} ({other!r})"
    if sign == "/" and (other == 0 or math.isinf(one / other)):
        assert why_not(text) == "The result is not finite."
    else:
        assert asked(text) == {**OPERATIONS, **COMPARISONS}[sign](one, other)
        assert expressions.parse(text).is_condition == (sign in COMPARISONS)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("-session.focus", -2),
        ("abs(1 - session.n_tokens)", 5),
        ("len(session.text)", 22),
        ("len([1, 2])", 2),
        ("session.focus in [1, 2]", True),
        ("session.focus in (1, 3)", False),
        ("session.focus not in [1, 3]", True),
        ("'cat' in session.tokens", True),
        ("'cat' not in session.text", False),
        ("session.tokens in [['a'], ['the', 'cat', 'sat', 'on', 'the', 'mat']]", True),
        ("session.order == []", True),
        ("session.order != []", False),
        ("session.model.causal == False", True),
        ("'sat' == session.tokens[session.focus]", True),
        (" session.focus\n", 2),
    ],
)
def test_sums_lists_and_functions(text: str, answer: object) -> None:
    assert asked(text) == answer
    assert type(asked(text) == answer) is bool


@pytest.mark.parametrize(
    ("value", "words"), [(False, "no"), (0.25, "0.25"), (None, "none"), ((1, "a", (True,)), "1, a, yes")]
)
def test_answers_are_read_aloud(value: Any, words: str) -> None:
    assert expressions.format_answer(value) == words


# --- What has no answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", UNANSWERED)
def test_what_has_no_value_says_why_and_makes_conditions_false(text: str) -> None:
    why = why_not(text)
    assert why.endswith(".")
    assert "\n" not in why
    if not expressions.parse(text).is_condition:
        for sign in ("==", "!=", "<"):
            assert not expressions.condition(f"({text}) {sign} 12.5").holds(FIRST, ENGINE)


def test_a_measure_that_does_not_apply_says_why() -> None:
    alone = FIRST.changed(text="cat")
    assert asked("equivariance.value", alone) is None
    assert "one order" in why_not("equivariance.most", alone)
    assert not expressions.condition("equivariance.value < 1").holds(alone, ENGINE)
    assert not expressions.condition("equivariance.value >= 1").holds(alone, ENGINE)


def test_other_encodings_have_other_things() -> None:
    assert why_not("vectors[0][0]", ROPE) == f"“{ROPE.encoding.title}” has no vectors."
    assert "angles" in why_not("angles[0][0]")
    assert "base" in why_not("session.encoding.bas")


def test_without_tokens_there_is_no_attention() -> None:
    empty = FIRST.changed(text="")
    assert why_not("attention.scores[0][0][0]", empty)
    assert asked("session.focused", empty) is None


# --- What can't be asked --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("equivarance.value", ["did you mean 'equivariance'", "session", "attention", *pe.measures()]),
        ("equivariance.valu < 1", ["equivariance", "did you mean 'value'", "reason"]),
        ("requirements.uniqe.value", ["did you mean 'unique'", "bounded"]),
        ("linear_shift(offse=1).value", ["linear_shift", "did you mean 'offset'"]),
        ("equivariance(x=1).value", ["equivariance", "takes none"]),
        ("linear_shift(offset=session.focus).value", ["offset", "number or words"]),
        ("session.tex", ["session", "did you mean 'text'", "n_tokens"]),
        ("session.__class__", ["session", "'__class__'", "n_tokens"]),
        ("session.model_dump", ["did you mean 'model'"]),
        ("equivariance.take", ["'take'", "value"]),
        ("attention.score", ["did you mean 'scores'"]),
        ("vectors.shape", ["vectors[3]"]),
        ("angles", ["angles[3]"]),
        ("__import__('os')", ["abs", "len", "measures"]),
        ("open", ["'open'", "session"]),
        ("1 < 2 < 3", ["one comparison at a time"]),
        ("1 < 2 and 3", ["not allowed"]),
        ("1 < 2 or 2 < 1", ["not allowed"]),
        ("1 < 2 and session.tex == ''", ["did you mean 'text'"]),
        ("2 ** 3", ["not allowed", "2 ** 3"]),
        ("1 << 3", ["not allowed"]),
        ("session.key is 1", ["not allowed", "session.key is 1"]),
        ("lambda: 1", ["not allowed"]),
        ("0x" + "f" * 290, ["too large"]),
        ("1e999", ["too large"]),
        ("-" * 299 + "1", ["nested too deeply"]),
        ("session.text ==", ["can't be read"]),
        ("1 2", ["can't be read"]),
        ("x" * 301, ["at most 300 characters, not 301"]),
        ("\ud800", ["not text"]),
    ],
)
def test_what_is_refused_says_what_is_allowed(text: str, words: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^.{1,999}$") as refusal:
        expressions.parse(text)
    assert not isinstance(refusal.value, Undefined)
    assert [word for word in words if word not in str(refusal.value)] == []


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_but_values_can_be_reached(text: str) -> None:
    try:
        expressions.parse(text)
    except ValueError:
        return
    why_not(text)


@pytest.mark.parametrize("text", ["session.text", "1", "equivariance.value", "'a < b'", "[1 < 2]"])
def test_a_condition_compares(text: str) -> None:
    with pytest.raises(ValueError, match="is not a comparison"):
        expressions.condition(text)


@pytest.mark.parametrize("other", ["session.focus >= 0", "session.n_tokens == 7", "twins.value == 'x'"])
def test_conditions_are_joined_by_and(other: str) -> None:
    both = expressions.condition(f"session.n_tokens == 6 and {other}")
    assert both.holds(FIRST, ENGINE) == all(part.holds(FIRST, ENGINE) for part in both.parts)
    assert [part.text for part in both.parts] == ["session.n_tokens == 6", other]


PIECES = (
    *"+-*/<>=()[]{}.,:'\"0123456789 \n\\#@~^|&%!",
    "session", ".text", ".tokens", ".focus", ".model", ".d_model", ".__class__", "equivariance", ".value", "(n=1)",
    "attention", ".scores", "vectors", "angles", "[0]", "[-1]", "[1e9]", " in ", " not in ", " is ", "not ", "lambda: ",
    "len", "abs", "True", "None", "1e308", "0x", "f'{", "}'", "open", "__import__", " if ", " else ", " for ", ":=", "...",
)  # fmt: skip
texts = st.text(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(texts)
@example("session < session")
@example("vectors[0][0] in vectors[0]")
@example("-" * 299 + "1")
def test_any_text_is_refused_or_answered_or_has_no_answer(text: str) -> None:
    try:
        question = expressions.parse(text)
    except ValueError:
        return
    assert isinstance(question.holds(FIRST, ENGINE), bool)
    with suppress(Undefined):
        assert isinstance(expressions.format_answer(question.answer(FIRST, ENGINE)), str)


@pytest.mark.slow
def test_questions_open_run_and_import_nothing(tmp_path: Path) -> None:
    code = """
import ast, sys
from pathlib import Path
from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import Undefined
from posenc_gui.session.first_session import first_session
from posenc_gui.labs.definition.expressions import parse

def ask(text):
    try:
        parse(text).answer(session, Engine())
    except ValueError:
        pass

session = first_session()
good = [f"{name}.value" for name in measures.names()] + ["vectors[0][0]", "attention.scores[0][0][0]", "session.key.x"]
for text in [*good, "1 +", "x", "\\ud800", "2 ** 2"]:
    ask(text)  # measures, torch and ast import what they need when they are first used
seen = []
sys.addaudithook(lambda event, details: seen.append(event))
for text in corpus:
    ask(text)
# ast.parse compiles to a tree; what would run it is another event. By their ids parts of a result are counted once.
print(sorted(set(seen) - {"compile", "builtins.id"}))
"""
    corpus = ascii([*HOSTILE, *UNANSWERED])
    done = subprocess.run(
        [sys.executable, "-c", f"corpus = {corpus}\n{code}"], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("before.session.encoding.base", 10_000.0),
        ("session.encoding.base < before.session.encoding.base", True),
        ("before.frequencies(context=99).context", 99),
        ("before.frequencies.wavelengths[-1] > 5 * frequencies.wavelengths[-1]", True),
        ("abs(before.angles[3][1] - 3 * before.angles[1][1]) < 1e-9", True),
        ("before.attention.position[0][2][2] == 1", False),
        ("len(before.session.tokens)", 6),
    ],
)
def test_the_session_before_can_be_asked_too(text: str, answer: object) -> None:
    before = ROPE.changed(encoding="rope")
    assert expressions.parse(text).answer(ROPE, ENGINE, before) == answer
    with pytest.raises(Undefined, match="no session before"):
        expressions.parse(text).answer(ROPE, ENGINE)


@pytest.mark.parametrize("text", ["before", "before.before.shift.value", "before.nothing.value", "before.vectors"])
def test_of_the_session_before_nothing_else_can_be_asked(text: str) -> None:
    with pytest.raises(ValueError, match=r"unknown|write|only|There is no|is no"):
        expressions.parse(text)
