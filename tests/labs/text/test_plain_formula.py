"""Formulas in one line of signs: read as they were written, whatever that is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_gui.labs.text.lab_markdown import formula_in_line, in_line, unread_formulas

READ = {
    r"\theta_i = b^{-2i/d}": "θ_i = b^(−2i/d)",
    r"p_m \cdot p_n": "p_m · p_n",
    r"|m - n|": "|m − n|",
    r"W_q (x + p)": "W_q(x + p)",
    r"\mathrm{output}_m = \sum_n w_{mn} v_n": "output_m = ∑_n w_mn v_n",
    r"d_\mathrm{model}": "d_model",
    r"\cos^2 + \sin^2 = 1": "cos^2 + sin^2 = 1",
    r"b^{2/4} = \sqrt{b}": "b^(2/4) = √b",
    r"\frac{a+b}{2}": "(a+b)/2",
    r"\sqrt[3]{b}": "b^(1/3)",
    r"q^\top k": "q⊤ k",
    r"f(-b), x'": "f(−b), x′",
    r"x_m^2": "x_m^2",
    r"\begin{pmatrix}a&b\\c&d\end{pmatrix}": "(a, b; c, d)",
    r"a\quad b": "a b",
}


@pytest.mark.parametrize(("latex", "line"), READ.items(), ids=READ)
def test_a_formula_is_read_as_people_type_it(latex: str, line: str) -> None:
    assert formula_in_line(latex) == line


@given(st.text("\\{}^_$abm12 =+-/()&", max_size=30) | st.text(max_size=30))
@settings(max_examples=80)
def test_whatever_is_written_can_be_read(latex: str) -> None:
    assert isinstance(formula_in_line(latex), str)
    assert "\n" not in in_line(f"a ${latex}$ b")


def test_words_keep_all_but_what_markdown_makes_of_them() -> None:
    words = "… *still* on $|m - n|$,\n\nwith `{{a}}` and {{twins.value}}"
    assert in_line(words) == "… still on |m − n|, with {{a}} and …"


@pytest.mark.parametrize(
    ("markdown", "unread"),
    [
        (r"a $\frac{a}{b}$ and $\{a, b\}$ for $5", ()),
        (r"a $\unknown a$ and $\bad{$", (r"\unknown a", r"\bad{")),
        ("$$\na\n\\unknown\n$$", (r"a \unknown",)),
        (r"as code: `$\unknown$`", ()),
    ],
)
def test_formulas_that_can_be_read_by_nobody_are_found(markdown: str, unread: tuple[str, ...]) -> None:
    assert unread_formulas(markdown) == unread
