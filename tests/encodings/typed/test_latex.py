"""Typed formulas as LaTeX, typeset by the window and by labs, and what their symbols mean."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from latex2mathml.converter import convert

from posenc_gui.encodings.common.typed.latex import as_latex, latex_lines
from posenc_gui.encodings.common.typed.program import FUNCTIONS
from posenc_gui.encodings.common.typed.reading import read
from posenc_gui.encodings.common.typed.symbols import Sizes, explained, meaning, symbols

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it finds its fonts in an old way
    import ziamath

SIZES = Sizes(length=106, d_model=16, n_heads=4, d_head=4, first=100)


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("|m / growth^i mod 2 - 1|", r"\left| \frac{m}{\mathrm{growth}^{i}} \bmod 2 - 1 \right|"),
        ("sin(m / 10000^(2i/d_model))", r"\sin\left( \frac{m}{10000^{2i/d_{\mathrm{model}}}} \right)"),
        ("-2^2 - -m", r"-2^{2} - (-m)"),
        ("2pi*m*θ + 2*3", r"2\pi\,m\,\theta + 2 \cdot 3"),
        ("a*(m+1)^2 / 2", r"\frac{a \cdot (m + 1)^{2}}{2}"),
        ("-(m/2)", r"-\frac{m}{2}"),
        ("m - (i - 1) + i mod 2", r"m - (i - 1) + (i \bmod 2)"),
        ("(m mod 2) * i", r"(m \bmod 2)\,i"),
        ("(2^i)^2 * 2^3^i", r"(2^{i})^{2} \cdot 2^{3^{i}}"),
        ("sin(m)^2 * floor(m) // 2", r"\left\lfloor \frac{(\sin(m))^{2}\,\lfloor m \rfloor}{2} \right\rfloor"),
        ("(m < 3) * sqrt(2)", r"(m < 3)\,\sqrt{2}"),
        ("1.5e10 * 1e-9^2", r"15000000000(10^{-9})^{2}"),
        (
            "m if i <= 2 else 1 if i == 3 else a",
            r"\begin{cases} m & \text{if } i \le 2 \\ 1 & \text{if } i = 3 \\ a & \text{otherwise} \end{cases}",
        ),
        ("log2(min(m + 1, λ))", r"\log_2(\min(m + 1, \lambda))"),
    ],
)
def test_a_formula_in_latex(typed: str, latex: str) -> None:
    written = as_latex(read(f"p[m, i] = {typed}\ngrowth = 2\na = 3\nθ = 1\nλ = 2"))
    assert written.startswith("\\[\n\\begin{aligned}\np_{m,i} &= " + latex)
    assert r"\mathrm{growth} &= 2" in written


def test_what_depends_on_position_is_marked_also_through_definitions() -> None:
    lines = latex_lines(read("angle[m, i] = a[m] * w[i]\nw[i] = 10000^(-2i/d)\na[m] = s * m\ns = 2  # 1 to 4"))
    assert lines[0] == r"\pos{\mathrm{angle}_{m,i}} = \pos{a_{m}}\,w_{i}"
    assert set(lines[1:]) == {r"w_{i} = 10000^{{-}2i/d}", r"\pos{a_{m}} = s\,\pos{m}"}
    assert latex_lines(read("bias[m, n, h] = -|m - n|")) == (r"\pos{b_{m,n,h}} = {-}|\pos{m} - \pos{n}|",)


atoms = st.sampled_from(("m", "i", "2", "0.5", "1e-9", "pi", "growth", "w[i]", "d_model"))
formulas = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(
            "({}) {} ({})".format, inner, st.sampled_from(("+", "-", "*", "/", "//", "mod", "^", "<", "!=")), inner
        ),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("{}({})".format, st.sampled_from(sorted({*FUNCTIONS} - {"min", "max"})), inner),
        st.builds("min({}, -({}))".format, inner, inner),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=12)
@given(formulas, formulas)
def test_any_formula_is_typeset(said: str, defined: str) -> None:
    program = read(f"p[m, i] = {said} + w[i] - growth\nw[i] = {re.sub('m(?![a-z])|w.i.', '3', defined)}\ngrowth = 2")
    for line in latex_lines(program):
        assert ziamath.Latex(line.replace(r"\pos{", r"\textcolor{#1122ff}{")).svg().startswith("<svg")
    assert "<math" in convert(as_latex(program).replace(r"\[", "").replace(r"\]", ""))


@pytest.mark.parametrize(
    "long", [" + ".join(["sin(m/10000^(2i/d))"] * 40), "sqrt(" * 30 + "m" + ")" * 30, "2^(" * 12 + "m" + ")" * 12]
)
def test_what_would_take_long_is_left_out_where_it_is_typeset_but_not_where_it_is_copied(long: str) -> None:
    program = read(f"p[m, i] = {long}")
    assert latex_lines(program)[0].endswith(r"\ldots")
    assert r"\ldots" not in as_latex(program)


def test_symbols_say_what_they_are_here() -> None:
    wave = read("p[m, 2i] = sin(m / base^(2i/d)) + L\nbase = 10000\nturn = 2 pi")
    assert symbols(wave, SIZES) == (
        ("m", "position, 100 to 105"),
        ("i", "pair, 0 to 7"),
        ("d", "= 16"),
        ("L", "= 106, the length"),
    )
    assert [meaning(wave, SIZES, name) for name in ("base", "turn", "i", "d", "floor", "nothing")] == [
        "base = 10,000, your number",
        "turn = 2 pi",
        "i: pair, 0 to 7",
        "d = 16",
        "floor: the largest whole number at or below",
        "",
    ]
    paper = read("PE_{(pos,2i)} = |sin(pos * θ_i + λ)|\nθ_i = 10000^(-2i/d)  # slow\nλ = 2")
    assert explained(paper, SIZES).splitlines() == [
        "sin: the sine of an angle in radians",
        "λ = 2, your number",
        "pos: position, 100 to 105",
        "θ_i = 10000^(-2i/d)",
        "i: pair, 0 to 7",
        "d = 16",
    ]
    bias = read("bias[m, n, h] = h * (m - n)")
    assert dict(symbols(bias, SIZES)) == {
        "m": "query, 100 to 105",
        "n": "key, 100 to 105",
        "h": "head, 0 to 3",
        "H": "= 4",
    }
