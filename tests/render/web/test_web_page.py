"""Figures as web pages: what is in the file, without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render import web
from posenc_gui.session.sweeps import sweep

HOSTILE = "</script><img src=x onerror=alert(1)> <b>cat</b> &amp; \u202e\x07 猫 قطة 😀 " + "w" * 5000


class Read(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


@cache
def page(plot: str = "attention", text: str = "the cat sat on the mat", **fields: Any) -> str:
    return page_of(pe.plot(plot, pe.Session(text=text, **fields)))


def page_of(figure: Figure) -> str:
    return render.content(figure, ".html").decode()


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def sentences(html: str, layout: str = "wide") -> list[list[str]]:
    """What is read in each region of the first frame."""
    data = data_of(html)
    panels = data["frames"][0][layout]
    return [[data["words"][at] for at in words] for _, told in panels for words in data["told"][told]]


def test_a_page_asks_no_network_and_runs_only_its_own_script() -> None:
    html = page()
    policy = next(at["content"] for tag, at in Read(html).elements if at.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert not re.search(r"unsafe|\*|http", policy)
    for tag in ("style", "script"):
        own = re.search(rf"<{tag}(?: data-session=[^>]*)?>(.*?)</{tag}>", html, re.DOTALL)
        assert own
        assert base64.b64encode(hashlib.sha256(own[1].encode()).digest()).decode() in policy
    named = [value for _, at in Read(html).elements for name, value in at.items() if name in ("href", "src")]
    assert named
    assert all(value and value.startswith(("#", "data:")) for value in named)
    assert not re.search(r"url\((?!data:|#)", html)
    assert not [at for _, at in Read(html).elements if "style" in at or any(name.startswith("on") for name in at)]


@pytest.mark.parametrize("plot", ["attention", "table", "flow"])
def test_words_of_the_user_are_text(plot: str) -> None:
    html = page_of(pe.plot(plot, pe.Session(text=HOSTILE, focus=1)))
    plain = page_of(pe.plot(plot, pe.Session(text="a b c d e f g h")))
    tags = {tag for tag, _ in Read(html).elements}
    assert tags - {"use", "image", "clippath"} <= {tag for tag, _ in Read(plain).elements} | {"text"}
    assert len(re.findall("</script>", html)) == len(re.findall("</script>", plain)) == 2
    assert "\u202e" not in html
    assert "\x07" not in html


def test_a_page_says_what_the_pointer_says() -> None:
    session = pe.Session(text="the cat sat", other=pe.encoding("alibi"))
    html = page_of(pe.plot("attention", session))
    weights = pe.plot("attention", session).panels
    assert ["query cat (1)", "key sat (2)", *(f"{one.value(2, 1)} {one.title}" for one in weights)] in sentences(html)
    assert {len(panels) for panels in data_of(html)["frames"][0].values() if isinstance(panels, list)} <= {2, 3}


def test_of_a_large_map_words_are_true_where_the_pointer_is() -> None:
    figure = pe.plot("attention", pe.Session(text=" ".join(f"w{at}" for at in range(200))))
    html = page_of(figure)
    first = figure.panels[0]
    said = [words for words in sentences(html) if words[0].startswith("query w7 ")]
    assert said
    for query, key, *_ in said:
        row, column = (int(name[name.index("(") + 1 : -1]) for name in (query, key))
        assert [query, key] == first.place(column, row).split(" · ")
    assert len(html.encode()) < 5_000_000


def test_a_page_opens_again_and_is_the_same_each_time() -> None:
    session = pe.Session(text="dog bites man", encoding=pe.encoding("alibi"))
    figure = pe.plot("row", session)
    first, second = render.content(figure, ".html"), render.content(figure, ".html")
    assert first == second
    assert pe.Session.from_json(embedded_session.find_session(first) or "") == session


def test_words_of_the_user_are_no_session() -> None:
    session = pe.Session(text="dog bites man")
    other = embedded_session.session_marker(pe.Session(text="man bites dog").to_json())
    for plot in ("attention", "requirements"):
        html = page_of(replace(pe.plot(plot, session), title=other, caption_parts=(CaptionPart(other, "settings"),)))
        assert html.count(other) > 1
        assert pe.Session.from_json(embedded_session.find_session(html.encode()) or "") == session


@pytest.mark.parametrize(("value", "pace"), [("position 3", 90), ("", 900)])
def test_many_values_are_motion_and_many_plots_are_not(value: str, pace: int) -> None:
    frame = replace(pe.plot("attention", pe.Session(text="a b")), value=value)
    assert data_of(render.film([frame] * 17, ".html").decode())["pace"] == pace


def test_nothing_is_offered_that_a_page_has_not() -> None:
    assert not [word for word in data_of(page("flow"))["words"] if "press" in word]
    note = page("frequencies", encoding=pe.encoding("alibi"))
    assert [at.get("role") for _, at in Read(note).elements if "drawn" in (at.get("class") or "")] == ["img", "img"]
    assert not [at for _, at in Read(note).elements if "tabindex" in at]


def test_a_sweep_has_a_slider_over_its_values() -> None:
    frames = sweep("attention", pe.Session(), "base", [10.0, 100.0, 1000.0])
    html = render.film(frames, ".html").decode()
    assert [frame["value"] for frame in data_of(html)["frames"]] == [frame.value for frame in frames]
    assert "<title>Attention</title>" in html  # of all values
    ranges = [at for tag, at in Read(html).elements if tag == "input"]
    assert [(one["min"], one["max"]) for one in ranges] == [("0", "2")]
    assert not [tag for tag, _ in Read(page()).elements if tag == "input"]
    alone = len(page_of(frames[0]))
    assert len(html) < 2 * alone  # what stays is drawn once


@pytest.mark.parametrize(
    ("figures", "names"),
    [
        ([("row", "alibi", "a b"), ("row", "rope", "a b")], ["ALiBi", "RoPE"]),
        ([("row", "rope", "a b"), ("waves", "rope", "a b")], ["One query's row", "Waves"]),
        ([("row", "rope", "a b"), ("row", "rope", "b a")], ["1 of 2", "2 of 2"]),
    ],
)
def test_a_frame_is_called_what_tells_it_from_the_others(figures: list[tuple[str, str, str]], names: list[str]) -> None:
    drawn = [pe.plot(plot, pe.Session(text=text, encoding=encoding)) for plot, encoding, text in figures]
    assert [frame["value"] for frame in data_of(render.film(drawn, ".html").decode())["frames"]] == names


@pytest.mark.parametrize(("count", "instead"), [(1, r"\.svg or \.png"), (2, r"fewer frames, or \.gif")])
def test_what_would_be_too_large_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, count: int, instead: str
) -> None:
    monkeypatch.setattr(web, "_LARGEST", 10_000)
    shown: list[int] = []
    with pytest.raises(ValueError, match=rf"^the page would take \d+ kB, and 10 kB are allowed: choose {instead}$"):
        render.film([pe.plot("attention", pe.Session())] * count, ".html", shown=shown.append)
    assert shown == [*range(1, count + 1)]  # however often it is tried


@pytest.mark.parametrize("plot", ["comparison", "requirements", "twins"])
def test_tables_are_tables_of_the_document(plot: str) -> None:
    html = page(plot)
    elements = Read(html).elements
    panel = next(
        panel for panel in pe.plot(plot, pe.Session(text="the cat sat on the mat")).panels if hasattr(panel, "header")
    )
    assert sum(tag == "tr" for tag, _ in elements) >= len(panel.rows) + 1
    assert sum(at.get("scope") == "col" for _, at in elements) >= len(panel.header)
