"""A lab's words: Markdown and formulas become HTML that shows them and does nothing else."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtWidgets import QApplication, QTextBrowser

from posenc_gui.labs.text import lab_markdown

INK = "#a01020"
HEADINGS = {f"h{level}" for level in range(1, 7)}
TAGS = {"p", "b", "img", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "br", *HEADINGS}
HOSTILE = (
    "<script>alert(1)</script>", "[x](javascript:alert(1))", "<javascript:alert(1)>", "![x](file:///etc/passwd)",
    "[x]: file:///etc/passwd\n\n[x]", "<img src=http://a.b/c onerror=x>", '$"><script>$',
    r"$\text{<mglyph src='file:///etc/passwd'/>}$", r"$\href{javascript:alert(1)}{x}$",
    r"$\newcommand{\a}{\b\b}\newcommand{\b}{\c\c}\a$", "{{<b>}}", "a\0b \u202e c", "\ud800", '```x"><script>\na\n```',
)  # fmt: skip


class Seen(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def is_harmless(page: str) -> bool:
    return all(
        tag in TAGS
        and attributes.keys() <= {"src", "alt", "width", "height", "style", "align", "class", "start"}
        and (attributes.get("src") or "data:image/svg+xml;base64,").startswith("data:image/svg+xml;base64,")
        for tag, attributes in Seen(page).tags
    ) and not re.search("[\0\u202a-\u202e\u2066-\u2069]", page)


def seen(markdown: str, **values: str) -> str:
    return Seen(lab_markdown.html(markdown, values, INK)).text.strip()


def test_markdown_is_formatted() -> None:
    page = lab_markdown.html("Is **it** *so*?\n\n- one\n- `two`", {}, INK)
    assert "<strong>it</strong> <em>so</em>" in page
    assert "<li>one</li>" in page
    assert "<code>two</code>" in page


def test_what_is_asked_is_filled_in() -> None:
    page = lab_markdown.html("It moved by {{shift}}, not by {{ other }}.", {"shift": "<b>&1</b>"}, INK)
    assert "<b>&lt;b&gt;&amp;1&lt;/b&gt;</b>" in page
    assert "<b>…</b>" in page


def test_formulas_and_code_have_braces_of_their_own() -> None:
    markdown = r"$\frac{{a}}{{b}}$ `{{c}}` {{ d.e[0]  == 'x' }} *f {{g*h}} i* {{g*h}} {{}} {{ {{x"
    assert lab_markdown.placeholders(markdown) == ("d.e[0] == 'x'", "g*h")


@pytest.mark.parametrize("latex", ["q", r"q_m \cdot k_n", r"\frac{q \cdot k}{\sqrt{d_{\text{head}}}}", "a < b"])
def test_formulas_are_pictures_with_their_source(latex: str) -> None:
    pictures = Seen(lab_markdown.html(f"The ${latex}$ is, $${latex}$$ too", {}, INK)).tags[1:]
    assert [attributes["alt"] for tag, attributes in pictures if tag == "img"] == [latex, latex]
    drawing = base64.b64decode(str(pictures[0][1]["src"]).partition(",")[2]).decode()
    assert drawing.startswith("<svg ")
    assert INK in drawing


@pytest.mark.parametrize(
    "latex", [r"\frac{a", r"\bad{", r"\newcommand{\a}{b}\a", r"\sqrt{" * 30 + "}" * 30, "x" * 600, r"\hspace{900em}x"]
)
def test_what_cannot_be_typeset_is_shown_as_its_source(latex: str) -> None:
    assert seen(f"so ${latex}$ it") == f"so {latex} it"


def test_prices_are_no_formulas() -> None:
    assert seen("from $5 to $6, and \\$7") == "from $5 to $6, and $7"


@pytest.mark.parametrize(
    ("markdown", "count"),
    [
        ("", 0),
        ("Does the order change the output?", 6),
        ("It's state-of-the-art – isn't *it*?", 4),
        ("# Title\nand\n\n- one\n- `two` words", 5),
        (r"The score $q_m \cdot k_n$ is {{a.b + c}} high.", 4),
        ("$$a b c$$\n\nso", 1),
        ("位置编码 in 2026", 6),
    ],
)
def test_words_are_counted_as_a_reader_does(markdown: str, count: int) -> None:
    assert lab_markdown.n_words(markdown) == count


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_only_read(text: str) -> None:
    assert is_harmless(lab_markdown.html(f"a {text} b", {}, INK))
    assert is_harmless(lab_markdown.html(text, {}, INK))
    assert is_harmless(lab_markdown.html("{{a}}", {"a": text}, INK))
    assert {tag for tag, _ in Seen(lab_markdown.plain(text)).tags} <= {"br"}


def test_no_line_begins_with_the_ellipsis_of_an_unfinished_sentence() -> None:
    assert lab_markdown.html("Another order …", {}, INK) == "<p>Another order\N{NO-BREAK SPACE}…</p>\n"
    assert lab_markdown.html("… the same: {{x}} …", {}, INK) == "<p>… the same: <b>…</b>\N{NO-BREAK SPACE}…</p>\n"
    assert lab_markdown.html("- … changes", {}, INK) == "<ul>\n<li>… changes</li>\n</ul>\n"


@given(st.lists(st.sampled_from([*HOSTILE, *"[](){}$*_`<>&!\\\n# -", "{{", "}}", "$$"]) | st.text(), max_size=12))
@settings(max_examples=32)
def test_whatever_is_written_becomes_harmless_words(pieces: list[str]) -> None:
    markdown = "".join(pieces)
    assert is_harmless(lab_markdown.html(markdown, {}, INK))
    assert lab_markdown.n_words(markdown) >= 0
    assert all("{" not in question for question in lab_markdown.placeholders(markdown))


@given(st.text())
@settings(max_examples=20)
def test_plain_words_come_back(text: str) -> None:
    kept = "".join(character for character in text if character == "\n" or character.isprintable())
    assert Seen(lab_markdown.plain(kept).replace("<br>", "\n")).text == kept


@pytest.mark.parametrize("piece", ["[", "![", "{{", "{{a ", "$x$ ", "$a{", "*a_", "<", "> ", "- ", r"$\frac{", "`"])
def test_very_long_words_are_read_too(piece: str) -> None:
    assert is_harmless(lab_markdown.html(piece * (20_000 // len(piece)), {}, INK))


@pytest.mark.parametrize("latex", ["q", r"q_m", r"\frac{q}{k}", "R^m"])
def test_the_window_draws_formulas_in_their_line(qtbot, latex: str) -> None:
    browser = QTextBrowser()
    qtbot.addWidget(browser)
    browser.setHtml(lab_markdown.html(f"${latex}$", {}, INK))
    browser.resize(200, 100)
    browser.show()
    picture: QImage = browser.grab().toImage()
    aim = QColor(INK)
    inked = [
        (x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if abs(picture.pixelColor(x, y).red() - aim.red()) + picture.pixelColor(x, y).blue() - aim.blue() < 60
    ]
    assert inked
    assert max(y for _, y in inked) < 60


@pytest.mark.parametrize("density", [1.0, 1.5, 2.0])
def test_a_formula_has_a_pixel_for_each_of_the_screen_s(density: float) -> None:
    letters = lab_markdown.Letters(14, 2.0, 26.0, density)
    page = Seen(lab_markdown.html(r"$q_m \cdot k_n$", {}, INK, letters))
    (picture,) = (attributes for tag, attributes in page.tags if tag == "img")
    drawing = base64.b64decode(str(picture["src"]).partition(",")[2]).decode()
    for side in ("width", "height"):
        length = float(str(picture[side]))
        assert length == round(length)
        assert f'{side}="{length * density:.2f}"' in drawing


@pytest.mark.parametrize("latex", ["H", r"\overline{H}", r"\hat{H}"])
def test_a_formula_stands_on_the_line_of_its_words(qtbot, latex: str) -> None:
    browser = QTextBrowser()
    qtbot.addWidget(browser)
    metrics = QFontMetrics(QApplication.font())
    letters = lab_markdown.Letters.of(metrics.height() * 0.7, metrics.ascent(), metrics.xHeight(), 1.0)
    browser.setHtml(lab_markdown.html(f"H ${latex}$", {}, INK, letters))
    browser.resize(200, 100)
    browser.show()
    image = browser.grab().toImage()
    coloured = [image.pixelColor(x, y) for y in range(100) for x in range(200)]
    formula = [at // 200 for at, one in enumerate(coloured) if one.red() - one.blue() > 60]
    word = [at // 200 for at, one in enumerate(coloured) if one.lightness() < 80 and abs(one.red() - one.blue()) < 20]
    assert abs(max(formula) - max(word)) <= 1
