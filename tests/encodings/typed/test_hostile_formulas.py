"""Whatever is typed, a formula is read or refused, and has values or is not defined, in a sentence: nothing of it is run."""

from __future__ import annotations

import ast
import math
import random
import re
from collections.abc import Iterator
from functools import partial

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_gui.encodings.common.typed.program import FUNCTIONS, Fault
from posenc_gui.encodings.common.typed.reading import read
from posenc_gui.encodings.common.typed.values import evaluate
from posenc_gui.foundation.errors import Undefined

RIGHT = [
    # Python's own ways out
    "m.real", "m.__class__", "().__class__.__bases__[0].__subclasses__()", "__import__('os').system('ls')",
    "open('x')", "eval('1')", "exec(m)", "lambda: 1", "(lambda x: x)(m)", "[x for x in m]", "{x: 1 for x in m}",
    "(x for x in m)", "m := 3", "(m := 3)", "f'{m}'", 'f"{m!r}"', "'text'", '"""text"""', "b'x'", "r'x'", "...",
    "m[0]", "m[0:1]", "m[:, None]", "*m", "**m", "max(*m)", "max(m, key=abs)", "sin(m=3)", "await m", "yield m",
    "not m", "m and i", "m or i", "m is i", "m in i", "~m", "m & i", "m | i", "m << 9999999", "m @ i", "None", "True",
    "nan", "inf", "1j", "2j", "print(m)", "globals()", "import os", "assert m", "del m", "m; i", "m\\\ni", "`m`",
    "$m$", "@m", "m!", "m?", "_", "__", "_m", "m_", "m__i", "import_",
    # numbers
    "9^9^9", "9^9^9^9^9", "9**9**9", "-9^9^9", "0^0", "0^-1", "1e999", "-1e999", "1e-999", "9" * 400, "0." + "9" * 500,
    "1_000", "0x10", "0b1", "0o7", "1e", "1e+", "1.2.3", "..5", "5..", "1,000", "1 000", "١٢", "１２", "²", "2²²", "m⁻",
    "m⁻¹", "½", "∞", "1/0", "0/0", "m/0", "m // 0", "m mod 0", "0 mod 0", "log(0)", "log(-1)", "sqrt(-1)", "exp(1000)",
    "tan(pi/2)", "(-8)^(1/3)", "1e308*10", "1e308+1e308", "-1e308-1e308", "exp(exp(exp(m)))", "1/exp(1000)",
    "exp(1000)/exp(1000)", "exp(1000)-exp(1000)", "0*exp(1000)", "sin(exp(1000))", "floor(exp(1000))", "max(1/0, 2)",
    "min(1/m, 2)", "1/0 > 1", "1 if 0/0 else 2", "1/m if m else 2", "1/m if m > 0 else 1/(m-1)", "round(1/0)",
    "sign(0/0)", "tanh(1/0)",
    # brackets, signs, length
    "", " ", "()", "(", ")", ")(", "(()", "[", "]", "{", "}", "{}", "(]", "[m)", "|", "||", "|m", "m|", "|m||i|",
    "||m||", "|m|i|m|", "(" * 5000, ")" * 5000, "(" * 5000 + "m" + ")" * 5000, "(" * 900 + "m" + ")" * 900,
    "[" * 49 + "m" + "]" * 49, "sin(" * 60 + "m" + ")" * 60, "|" * 99 + "m" + "|" * 99, "-" * 100_000 + "1",
    "-" * 1900 + "1", "-" * 49 + "1", "+" * 1900 + "1", "2^" * 900 + "2", "2^" * 40 + "2", "1+" * 900 + "1",
    "1+" * 48 + "1", "m*" * 900 + "m", "m if " * 300, "m if i else " * 150 + "m", "1<" * 900 + "1", "m" * 1900,
    "m " * 900, "2m " * 600, "1/2" * 400, "1/2i" * 300, "10^2i" * 300, "sin " * 400, "√" * 1900, "√" * 40 + "m",
    "(m)" * 500, "2" * 10**6, "a" * 10**6, "(" * 10**6, "\\frac" * 300, "\\frac{1}" * 200, "x" * 1900, "growht " * 200,
    "max(" + "m," * 900 + "m)", "max(" + "m," * 200 + "m)", "," * 1900, "m," * 900, "^" * 1900, "=" * 1900,
    "\\" * 1900, "_" * 1900, "#" * 1900, "{" * 1900, "_{" * 900, "e^(i" * 400, "e^(i m" * 300, "exp(j m", "e^(i",
    "e^(im θ", "e^{i}", "e^(i m)", "w_i" * 500,
    # signs that are missing, or too many
    "m n", "m i", "m 2", "2 2", "m(i)", "m(i+1)", "(m)i", "sin m", "sin", "sin()", "sin(", "sin(m", "sin(,)",
    "sin(m,)", "sin(m, i)", "sin(m)(i)", "sin(m) cos(i)", "min(m)", "max()", "m +", "+ m", "m + + m", "m * / i",
    "m ** i", "m ^", "^ m", "m ^^ i", "m ++ i", "m = i", "m == i", "m === i", "m =< i", "m => i", "m <> i", "m != i",
    "m ! i", "m < i < d", "m <", "< m", "m mod", "mod m", "m mod mod i", "m if", "m if i", "m if i else", "if m",
    "else m", "m else i", "if if if", "m, i", "m;", "m:", "m % i", "2i", "2 i", "2(i)", "2i^2", "1/2i", "m/10000^2i/d",
    "1/2(m)", "2^3(m)", "m mod 2i", "m // 2i", "2e", "2e3i", "e2", "pi pi", "2 pi m",
    # names
    "growht", "M", "I", "Sin(m)", "SIN(m)", "D", "ж", "база", "база * m", "变量", "مرحبا", "שלום", "m\u0301", "ｍ", "𝑚",
    "µ", "ß", "İ", "m'", "m′", "θ", "θ_i", "\\theta_i", "λ", "lambda", "\\lambda", "\\foo", "\\", "\\\\", "\\m", "d_",
    "d_k", "d_{model", "d_{", "_i", "i_", "p", "angle", "bias", "p[m, i]", "frac", "frac(m)", "\\frac{m}",
    "\\frac m i", "\\sqrt", "\\sqrt m", "\\text{m}", "\\text", "\\left", "\\left(m\\right)",
    # characters
    "\x00", "m\x00", "\x1b[31m", "\ud800", "m\ud800", "\udfff", "\u200bm", "\u202em", "\ufeffm", "m\u00a0+\u00a0i",
    "m\t+\ti", "m\x0bi", "m\x0c+i", "m\u2028i", "m\r+ i", "m\r\n+ i", "😀", "m + 😀", "m – i", "m — i", "m ‐ i", "m − i",
    "m • i", "∑m", "∫m", "m → i", "“m”",
]  # fmt: skip
WHOLE = [
    "", "\n", "#", "# only this", "=", "==", "= 3", "p", "p[", "p[]", "p[] = 1", "p[m] = 1", "p[m, i", "p[m, i]",
    "p[m, i] =", "p[m, i] == 1", "p[m, i, h] = 1", "p[i, m] = 1", "p[m, m] = 1", "p[m, 3i] = 1", "p[m, i^2] = 1",
    "p m i = 1", "p = 1", "P = 2", "angle[m, 2i+1] = 1", "bias[n, m] = 1", "bias[m, n, h, i] = 1", "bias[m, n, h] = i",
    "q[m, i] = 1", "p[m, i] = 1\np[m, i] = 2", "p[m, i] = p[m, i]", "p[m, i] = a\na = a",
    "p[m, i] = a\na = b\nb = c\nc = a", "p[m, i] = w[i]\nw[m] = 1", "p[m, i] = w\nw[i] = 1",
    "p[m, i] = w[i+1]\nw[i] = i", "p[m, i] = w[w[i]]\nw[i] = i", "w[i, i] = 1\np[m, i] = 1", "w[x] = 1\np[m, i] = 1",
    "w[] = 1\np[m, i] = 1", "p[m, i] = 1\n3 = 4", "p[m, i] = 1\nsin = 4", "p[m, i] = 1\nmod = 4",
    "p[m, i] = 1\nstart = 4", "p[m, i] = 1\na + b = 4", "p[m, i] = 1\na = 1 # 5 to 2", "p[m, i] = 1\na = 9 # 1 to 2",
    "p[m, i] = 1\na = 1 # 1e999 to 2", "p[m, i] = a\na = 1e308", "p[m, i] = a\na = 1e-320",
    "p[m, i] = a\na = 1 # -1e308 to 1e308", "p[m, i] = a\na = 1e999", "p[m, i] = 1; p[m, i] = 2",
    "p[m, i] = 1\n" * 200, "a = 1\n" * 300,
    "p[m, i] = a0\n" + "\n".join(f"a{k} = a{k + 1} + a{k + 1}" for k in range(20)) + "\na20 = m",
    "p[m, i] = a0\n" + "\n".join(f"a{k}[m] = a{k + 1}[m] a{k + 1}[m]" for k in range(20)) + "\na20[m] = m",
    "p[m, i] = a0\n" + "\n".join(f"a{k} = a{k + 1} * a{k + 1}" for k in range(90)) + "\na90 = 1.5 + 1",
    "p[m, i] = a0\n" + "\n".join(f"a{k}=a{k + 1}" for k in range(150)) + "\na150 = 1",
    "p[m, i] = " + " + ".join(f"b{k}" for k in range(40)) + "\n" + "\n".join(f"b{k}={k}" for k in range(40)),
]  # fmt: skip
TEXTS = [*(f"p[m, i] = {right}" for right in RIGHT), *WHOLE]
NAMES = {
    "m": torch.arange(3, dtype=torch.float64)[:, None], "i": torch.arange(4, dtype=torch.float64),
    "n": torch.arange(4, dtype=torch.float64), "h": torch.zeros(1, 1, 1, dtype=torch.float64),
    "d": 4, "d_model": 4, "d_head": 4, "H": 2, "L": 3, "pi": math.pi, "e": math.e,
}  # fmt: skip


def said_of(fault: Fault, text: str) -> str:
    assert 0 <= fault.start <= fault.end <= len(text)
    for _, whole in fault.readings:
        assert whole != text
    return fault.sentence


def outcome(text: str) -> str:
    """What a text comes to: one sentence, or finite values."""
    try:
        program = read(text)
        for line in program.lines:
            assert bool(evaluate(program, line.tree, NAMES).isfinite().all())
    except Fault as fault:
        return said_of(fault, text)
    except Undefined as undefined:
        return str(undefined)
    return "Values."


def test_whatever_is_typed_ends_in_a_sentence_or_in_values() -> None:
    assert len(TEXTS) >= 300
    for text in TEXTS:
        sentence = outcome(text)
        assert re.fullmatch(r"[^\n\x00\ud800-\udfff]{1,200}[.?]", sentence), (text[:80], sentence)
        sentence.encode()


words = st.sampled_from([
    *"mnihdHLeabθω()[]{}|,+-*/^=<>#.0129²√·−_\n \\", "p[m, i] = ", "angle[m, i] = ", "bias[m, n, h] = ", "a = ",
    "w[i] = ", "w[i]", " mod ", " if ", " else ", "//", "==", "<=", "1e3", "\\frac", "d_{model}", "θ_i", "e^(i m", "x",
    " to ", *(f"{one}(" for one in FUNCTIONS),
])  # fmt: skip


@given(st.sampled_from(["p[m, i] = ", "bias[m, n, h] = ", ""]), st.lists(words, max_size=25).map("".join))
@settings(max_examples=150, deadline=None)
def test_no_soup_of_words_ends_otherwise(left: str, soup: str) -> None:
    assert outcome(left + soup)


def trees(rng: random.Random, depth: int) -> str:
    """A random expression as Python writes it, with brackets around all that it joins."""
    if depth == 0:
        return rng.choice(["m", "i", "d", "2", "0.5", "3", "pi"])
    inner = partial(trees, rng, depth - 1)
    kind = rng.randrange(7)
    if kind < 3:
        return f"({inner()} {rng.choice(['+', '-', '*', '/', '//', '%'])} {inner()})"
    if kind == 3:
        return f"({inner()} if {inner()} {rng.choice(['<', '<=', '==', '!='])} {inner()} else {inner()})"
    if kind == 4:
        return f"(-{inner()})"
    if kind == 5:
        return f"({inner()} ** {rng.choice('234')})"
    return rng.choice([f"sin({inner()})", f"abs({inner()})", f"max({inner()}, {inner()})", f"floor({inner()})"])


def at_each_place(written: str) -> Iterator[float]:
    """Python's values; none where there is none."""
    functions = {
        "sin": math.sin,
        "abs": abs,
        "max": max,
        "floor": math.floor,
        "pi": math.pi,
        "d": 4.0,
        "__builtins__": {},
    }
    code = compile(written, "", "eval")
    for m in range(3):
        for i in range(4):
            found = eval(code, functions | {"m": float(m), "i": float(i)})
            if abs(found) > 1e9:
                raise OverflowError
            yield found


@given(st.integers(0, 10**9))
@settings(max_examples=80, deadline=None)
def test_a_formula_has_the_values_that_python_gives_it(seed: int) -> None:
    written = trees(random.Random(seed), 3)
    program = read(f"p[m, i] = {written}")
    assert ast.unparse(program.lines[0].tree) == ast.unparse(ast.parse(written, mode="eval").body)
    try:
        expected = list(at_each_place(written))
    except (ArithmeticError, ValueError):
        return
    found = evaluate(program, program.lines[0].tree, NAMES).expand(3, 4).flatten()
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-9, atol=1e-9)
