"""Web pages in a real Chromium, where one is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.session.sweeps import sweep
from tests.support.chromium import CHROMIUM, Browser, browser

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="Chromium isn't installed")]

SESSION = pe.Session(text="the cat sat on the mat", focus=2)
SIZES = (360, 740), (1280, 800), (1920, 1080)
TIP = "document.getElementById('tip')"
SAID = "document.getElementById('said').textContent"
SHOWN = "[...document.querySelectorAll('.drawn')].find((one) => one.getBoundingClientRect().width)"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return pe.plot("attention", SESSION).save(tmp_path / "page.html")


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("plot", ["attention", "flow", "waves", "slopes", "twins", "requirements"])
def test_a_page_fits_its_window_and_asks_for_nothing(
    chromium: Browser, tmp_path: Path, plot: str, width: int, height: int
) -> None:
    chromium.requests.clear()
    chromium.open(pe.plot(plot, SESSION).save(tmp_path / "page.html"), width, height)
    assert chromium.run("document.documentElement.scrollWidth") <= width
    assert all(one.startswith(("file:", "data:")) for one in chromium.requests)
    assert not chromium.errors
    if chromium.run("document.querySelectorAll('.drawn').length"):
        cut = chromium.run(
            f"(() => {{ const own = {SHOWN}; const room = own.getBoundingClientRect(); return [...own.querySelectorAll('text')]"
            ".filter((one) => { const { left, right } = one.getBoundingClientRect();"
            " return left < room.left - 1 || right > room.right + 1; }).map((one) => one.textContent); })()"
        )
        assert cut == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_pointer_reads_each_cell(chromium: Browser, page: Path, width: int, height: int) -> None:
    chromium.open(page, width, height)
    panels = pe.plot("attention", SESSION).panels
    data = json.loads(chromium.run("document.getElementById('data').textContent"))
    layout = chromium.run(f"{SHOWN}.dataset.layout")
    places, told = data["frames"][0][layout][0]
    x, y, wide, high = data["places"][places][4 * 8 : 4 * 8 + 4]
    at = chromium.run(
        f"(() => {{ const own = {SHOWN}, place = new DOMPoint({x + wide / 3}, {y + high / 3})"
        ".matrixTransform(own.getScreenCTM()); return [place.x, place.y]; })()"
    )
    chromium.point(*at)
    words = ["query cat (1)", "key sat (2)", *(f"{one.value(2, 1)} {one.title}" for one in panels)]
    assert [data["words"][one] for one in data["told"][told][8]] == words
    assert chromium.run(f"[...{TIP}.children].map((one) => one.textContent)") == words
    chromium.point(1, 1)
    assert chromium.run(f"{TIP}.hidden")


@pytest.mark.parametrize(
    ("plot", "text", "keys", "same"),
    [
        ("slopes", SESSION.text, "ArrowDown ArrowDown ArrowUp", None),  # a slope at a time, however broad
        ("kernel", SESSION.text, "ArrowDown ArrowUp ArrowDown", 0),  # from curve to curve
        ("waves", SESSION.text, "ArrowRight ArrowRight ArrowLeft", 1),  # along a curve
        ("attention", " ".join("abcdefgh" * 6), "End ArrowUp ArrowUp Home End", None),
    ],
)
def test_each_key_says_something_else_and_shows_where(
    chromium: Browser, tmp_path: Path, plot: str, text: str, keys: str, same: int | None
) -> None:
    chromium.open(pe.plot(plot, pe.Session(text=text, focus=2)).save(tmp_path / "page.html"), 800, 400)
    chromium.run(f"{SHOWN}.focus()")
    said = []
    for key in ("Home", *keys.split()):
        chromium.press(key)
        said.append(chromium.run(SAID))
        for what in (f"{SHOWN}.querySelector('.here')", TIP):
            top, bottom = chromium.run(f"(({{top, bottom}}) => [top, bottom])({what}.getBoundingClientRect())")
            assert -1 <= top <= bottom <= 401
    assert all(one != before for before, one in pairwise(said))
    assert same is None or len({one.split(", ")[same] for one in said}) == 1


def test_a_finger_reads_until_it_taps_elsewhere(chromium: Browser, page: Path) -> None:
    chromium.open(page, 360, 740)
    x, y = chromium.run(
        f"(({{x, y, width, height}}) => [x + width / 2, y + height / 4])({SHOWN}.getBoundingClientRect())"
    )
    for at, is_hidden in ((y, False), (735, True)):
        chromium.tap(x, at)
        assert chromium.run(f"{TIP}.hidden") == is_hidden


@pytest.mark.parametrize("chosen", ["", "dark", "light"])
def test_paper_is_white(chromium: Browser, page: Path, chosen: str) -> None:
    chromium.open(page, 718, 1000, dark=True, media="print")
    chromium.run(f"document.documentElement.dataset.theme = '{chosen}'")
    assert chromium.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert chromium.run("getComputedStyle(document.querySelector('use.dark')).display") == "none"


def test_a_film_is_named_by_the_frame_that_is_shown(chromium: Browser, tmp_path: Path) -> None:
    frames = sweep("attention", SESSION, "base", [10.0, 100.0, 1000.0])
    render.save_film(frames, tmp_path / "sweep.html")
    chromium.open(tmp_path / "sweep.html", 1280, 800)
    chromium.run("document.querySelector('input').focus()")
    for figure in frames:
        label = chromium.run(f"{SHOWN}.getAttribute('aria-label')")
        assert label == f"{figure.description} The arrow keys read it part by part."
        chromium.press("ArrowRight")


def test_the_slider_stays_where_it_is(chromium: Browser, tmp_path: Path) -> None:
    frames = [pe.plot("requirements", pe.Session(encoding=pe.encoding(name))) for name in ("rope", "none")]
    render.save_film(frames, tmp_path / "two.html")
    chromium.open(tmp_path / "two.html", 1280, 800)
    chromium.run("document.querySelector('input').focus()")
    lines = "const words = new Range(); words.selectNodeContents(document.querySelector('.headline.now'));"
    lines = f"(() => {{ {lines} return words.getBoundingClientRect().height; }})()"
    places = []
    for _ in frames:
        top = chromium.run("document.querySelector('input').getBoundingClientRect().top")
        places.append((chromium.run(lines), top))
        chromium.press("ArrowRight")
    (high, top), (low, same) = places
    assert high > low
    assert top == same


def test_each_of_several_plots_is_as_high_as_it_is(chromium: Browser, tmp_path: Path) -> None:
    frames = [pe.plot(name, SESSION) for name in ("attention", "why", "waves")]
    render.save_film(frames, tmp_path / "three.html")
    chromium.open(tmp_path / "three.html", 1280, 800)
    chromium.run("document.querySelector('input').focus()")
    heights = []
    for figure in frames:
        assert chromium.run("document.querySelector('h1.now').textContent").startswith(figure.title)
        heights.append(chromium.run(f"{SHOWN}?.viewBox.baseVal.height || 0"))
        below = chromium.run("document.querySelector('.caption.now').getBoundingClientRect().bottom")
        assert below < 800  # nothing blank before it
        chromium.press("ArrowRight")
    assert heights[1] == 0
    assert len({*heights}) == 3


def test_keys_read_it_aloud(chromium: Browser, page: Path) -> None:
    chromium.open(page, 1280, 800)
    chromium.run(f"{SHOWN}.focus()")
    said = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "End"):
        chromium.press(key)
        said.append(chromium.run(SAID).split(", ")[:2])
    places = [(0, 0), (0, 1), (1, 1), (1, 0), (5, 5)]
    tokens = SESSION.text.split()
    assert said == [[f"query {tokens[row]} ({row})", f"key {tokens[at]} ({at})"] for row, at in places]
    chromium.press("Escape")
    assert chromium.run(f"{TIP}.hidden")


def test_the_reader_chooses_light_or_dark(chromium: Browser, page: Path) -> None:
    seen = []
    for dark in (False, True):
        chromium.open(page, 1280, 800, dark=dark)
        for press in (False, True):
            if press:
                chromium.click("#theme")
            ground = chromium.run("getComputedStyle(document.body).backgroundColor")
            cells = chromium.run("getComputedStyle(document.querySelector('use.dark')).display")
            seen.append((ground, cells, chromium.run("document.getElementById('theme').textContent")))
    light, dark_ = ("rgb(255, 255, 255)", "none", "Dark"), ("rgb(26, 29, 32)", "inline", "Light")
    assert seen == [light, dark_, dark_, light]


def test_a_sweep_is_moved_and_played(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "sweep.html"
    render.save_film(sweep("attention", SESSION, "base", [10.0, 100.0, 1000.0]), path)
    chromium.open(path, 1280, 800)
    value, numbers = "document.querySelector('output').textContent", []
    chromium.point(700, 300)  # a weight with RoPE; what rests there is read anew in each frame
    chromium.run("document.querySelector('input').focus()")
    for _ in range(3):
        shown = f"[...{SHOWN}.querySelectorAll('.now text')].map((one) => one.textContent).join(' ')"
        numbers.append((chromium.run(value), chromium.run(shown), chromium.run(f"{TIP}.innerText")))
        chromium.press("ArrowRight")
    assert [one for one, _, _ in numbers] == ["base 10", "base 100", "base 1,000"]
    assert len({shown for _, shown, _ in numbers}) == len({told for _, _, told in numbers}) == 3
    chromium.click("#controls button")
    assert chromium.run("document.querySelector('#controls button').textContent") == "Pause"
    moved = f"new Promise((done) => {{ const wait = () => {value} === 'base 10' ? done(true) : setTimeout(wait, 20); wait(); }})"
    assert chromium.run(moved)
    assert not chromium.errors
