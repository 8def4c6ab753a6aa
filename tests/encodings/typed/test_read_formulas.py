"""Formulas as people type them, or copy them from papers: what they mean, and every fault with its place and what mends it."""

from __future__ import annotations

import ast
import re

import pytest

import posenc_gui as pe
from posenc_gui.encodings.common.typed.program import SESSION_FIELDS, Fault, Program
from posenc_gui.encodings.common.typed.reading import LONGEST, read


def refused(text: str) -> Fault:
    with pytest.raises(Fault) as found:
        read(text)
    return found.value


def said_right(program: Program) -> str:
    return "; ".join(f"{line.columns}: {ast.unparse(line.tree)}" for line in program.lines)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("PE(pos, 2i) = sin(pos / 10000^{2i/d_model})", "2i: sin(m / 10000 ** (2 * i / d_model))"),
        (r"PE_{(pos,2i+1)} = \cos\left(pos / 10000^{2i/d_{\text{model}}}\right)",
         "2i+1: cos(m / 10000 ** (2 * i / d_model))"),
        (r"p_{m,i} = \frac{m}{\sqrt{d}} \cdot \sin(m) \le 1", "i: m / sqrt(d) * sin(m) <= 1"),
        ("P[pos, 2i] = sin(pos / 10000^(2i/d))", "2i: sin(m / 10000 ** (2 * i / d))"),
        ("p[m, i] = cos(m)\np[m, i + d/2] = sin(m)", "i: cos(m); i+d/2: sin(m)"),
        ("angle[m, 2i] = m · π × 2", "2i: m * pi * 2"),
        ("bias[m, n] = −|m − n|²", "i: -abs(m - n) ** 2"),
        ("bias(m, n, h) = √h ≠ 2(m+1)(n+1)", "i: sqrt(h) != 2 * (m + 1) * (n + 1)"),
        ("p[m, i] = 2e + 2e3 + 2 pi", "i: 2 * e + 2000.0 + 2 * pi"),
        ("p[m, i] = m mod 2 // 3 * 4", "i: m % 2 // 3 * 4"),
        ("p[m, i] = -2^-1^2", "i: -2 ** (-1 ** 2)"),
        ("p[m, i] = 2i^2/d", "i: 2 * i ** 2 / d"),
        ("p[m, i] = 1 if 0 < i < 4 else 2 if m == 1 else 3", "i: 1 if 0 < i < 4 else 2 if m == 1 else 3"),
        ("p[m, i] = ⌊i/2⌋ + max(m, 1, 2)\r\n", "i: floor(i / 2) + max(m, 1, 2)"),
    ],
)  # fmt: skip
def test_what_is_typed_and_what_papers_print_is_read(text: str, meant: str) -> None:
    assert said_right(read(text)) == meant


def test_definitions_may_stand_anywhere_and_nodes_know_their_places() -> None:
    text = "turn = 2 pi / L\nangle[m, i] = m * θ_i\n\\theta_{i} = turn * 10000^(-2i/d)  # as RoPE"
    program = read(text)
    assert program.side == "angle"
    assert {name: one.indices for name, one in program.definitions.items()} == {"turn": (), "theta": ("i",)}
    tree = program.lines[0].tree
    assert isinstance(tree, ast.BinOp)
    assert text[tree.right.col_offset : tree.right.end_col_offset] == "θ_i"


@pytest.mark.parametrize(
    ("line", "value", "low", "high"),
    [
        ("base = 10000  # 100 to 1000000", 10_000, 100, 1e6),
        ("base = 10,000  # from 1e2 to 1,000,000.", 10_000, 100, 1e6),
        ("base = −0.5  # −1 to 1", -0.5, -1, 1),
        ("base = 2", 2, 0.1, 10),
        ("base = -20", -20, -1000, -10),
        ("base = 10000", 10_000, 1000, 100_000),
        ("base = 1e-5", 1e-5, 1e-7, 1e-5),
        ("base = 0", 0, -1, 1),
    ],
)
def test_numbers_have_a_range(line: str, value: float, low: float, high: float) -> None:
    number = read(f"p[m, i] = base\n{line}").numbers["base"]
    assert (number.value, number.low, number.high) == (value, low, high)
    assert number.proposed == ("to" not in line)


def test_another_value_is_written_into_the_text_and_all_else_stays() -> None:
    program = read("p[m, i] = m*base # of base 2\n base =  2.50  # 1.1 to 4")
    assert program.with_number("base", 3.0) == "p[m, i] = m*base # of base 2\n base =  3  # 1.1 to 4"
    for wrong in (5, float("nan"), float("inf"), "two", 10**400):
        with pytest.raises(ValueError, match="base: should be "):
            program.with_number("base", wrong)


FAULTS = [
    # text, sentence, the place's words, the first reading
    ("p[m, i] = growht\ngrowth = 2", "growht is not known here. Did you mean growth?", "growht",
     "p[m, i] = growth\ngrowth = 2"),
    ("p[m, i] = m * rate", "rate is not known here: define it on a line of its own, rate = 1.", "rate",
     "p[m, i] = m * rate\nrate = 1"),
    ("p[m, i] = Sin(m)", "Sin is not known here. Did you mean sin?", "Sin", "p[m, i] = sin(m)"),
    ("bias[m, n] = m n", "A sign is missing between “m” and “n”.", "m n", "bias[m, n] = m * n"),
    ("bias[m, n] = m(n+1)", "A sign is missing between “m” and “(”.", "m(n+1)", "bias[m, n] = m * (n+1)"),
    ("p[m, i] = 1/2i", "1/2i can be read in two ways.", "1/2i", "p[m, i] = 1/(2i)"),
    ("p[m, i] = m/10000^2i/d", "10000^2i/d can be read in two ways.", "10000^2i/d", "p[m, i] = m/10000^(2i/d)"),
    ("p[m, i] = e^(i m θ_i)", "i counts pairs here: a turn is written by its angle, angle[m, i].", "e^(i m θ_i)",
     "angle[m, i] = m θ_i"),
    ("angle[m, i] = m * θ_i", "θ_i is not known here: define it on a line of its own, theta[i] = 10000^(-2i/d).", "θ_i",
     "angle[m, i] = m * θ_i\ntheta[i] = 10000^(-2i/d)"),
    ("p[m, i] = sin m", "Write brackets after sin.", "sin m", "p[m, i] = sin(m)"),
    ("p[m, i] = ((m", "This ( is not closed.", "(", "p[m, i] = ((m)"),
    ("p[m, i] = m)", ") has no place here.", ")", None),
    ("p[m, i] = m +", "A value is missing after +.", "+", None),
    ("p[m, i] = 1 if i = 0 else 2", "Write == to compare two values.", "=", "p[m, i] = 1 if i == 0 else 2"),
    ("p[m, i] = max(m)", "max takes two values or more, not 1.", "(m)", None),
    ("p[m, i] = sin(m, i)", "sin takes one value, not 2.", "(m, i)", None),
    ("p[m, i] = n", "p[m, i] has no n, which is the key's position in bias[m, n, h].", "n", None),
    ("bias[m, n] = h", "bias[m, n] has no h: write bias[m, n, h].", "h", "bias[m, n, h] = h"),
    ("p[m, i] = turn\nturn = m", "turn has no m: write turn[m].", "m", "p[m, i] = turn\nturn[m] = m"),
    ("p[m, i] = w[m]\nw[i] = i", "w is defined as w[i]: use it so.", "w[m]", "p[m, i] = w[i]\nw[i] = i"),
    ("p[m, i] = a\na = b\nb = a", "a and b are defined by one another.", "a", None),
    ("p[m, i] = a\na = a", "a is defined by itself.", "a", None),
    ("p[m, i] = a\na = 1\na = 2", "a is defined twice.", "a", None),
    ("p[m, i] = 1\nm = 3", "m has a meaning already: choose another name.", "m", None),
    ("p[m, i] = start\nstart = 3", "start has a meaning already: choose another name.", "start", None),
    ("growth = 5  # 1.1 to 4\np[m, i] = growth", "growth is 5, which is outside its range, 1.1 to 4.", "5",
     "growth = 4  # 1.1 to 4\np[m, i] = growth"),
    ("p[m, i] = 1\np[m, 2i] = 2", "p[m, 2i] is filled already, by a line above.", "p[m, 2i]", None),
    ("p[m, i] = 1\np[m, 2i+1] = 2", "p[m, 2i+1] is filled already, by a line above.", "p[m, 2i+1]", None),
    ("p[m, 2i] = 1\np[m, 2i] = 2", "p[m, 2i] is filled already, by a line above.", "p[m, 2i]", None),
    ("p[m, i] = 1\nangle[m, i] = 2", "One formula fills either p or angle, not both.", "angle[m, i]", None),
    ("angle[m, 2i+1] = m", "Write angle[m, i] or angle[m, 2i] on the left.", "angle[m, 2i+1]", "angle[m, i] = m"),
    ("sin(m)", "An equals sign is missing: begin with p[m, i] =.", "sin(m)", "p[m, i] = sin(m)"),
    ("p[m, i] = m.real", "“.” can't stand in a formula.", ".", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence", "place", "reading"), FAULTS)
def test_a_fault_says_where_and_what_would_be_read_instead(
    text: str, sentence: str, place: str, reading: str | None
) -> None:
    fault = refused(text)
    assert (fault.sentence, text[fault.start : fault.end]) == (sentence, place)
    assert (fault.readings[0][1] if fault.readings else None) == reading


def test_the_other_reading_of_a_product_is_offered_too() -> None:
    assert [words for words, _ in refused("p[m, i] = m/10000^2i/d").readings] == ["10000^(2i/d)", "10000^2 * i/d"]


@pytest.mark.parametrize(
    ("right", "is_of_offset"),
    [
        ("-abs(m - n)", True), ("|n − m| / L", True), ("h if m > n else 2", True), ("dist[m, n]\ndist[m, n] = m - n", True),
        ("m - n + m", False), ("-m + n", False), ("dist[m, n]\ndist[m, n] = m * n", False), ("h\nunused[m] = m", True),
        ("m - h", False), ("(m - n) if n < 3 else 0", False), ("m - (n - m)", False), ("(m + 0) - n", False),
    ],
)  # fmt: skip
def test_a_bias_of_the_offset_alone_is_recognised(right: str, is_of_offset: bool) -> None:
    assert read(f"bias[m, n, h] = {right}").of_offset is is_of_offset


def test_names_of_a_session_are_refused() -> None:
    assert set(pe.Session.model_fields) | {"formula"} == SESSION_FIELDS
    for name in SESSION_FIELDS:
        assert "choose another name" in refused(f"p[m, i] = 1\n{name} = 3").sentence


def test_a_formula_has_an_end() -> None:
    assert refused("p[m, i] = 1" + " " * LONGEST).start == LONGEST
    assert refused("p[m, i] = " + "1" * 500).sentence == f"{'1' * 39}… is too large a number."
    assert re.search("at most 50 levels", refused("p[m, i] = " + "(" * 60 + "m" + ")" * 60).sentence)
    assert read("p[m, i] = " + "(" * 45 + "m" + ")" * 45)
