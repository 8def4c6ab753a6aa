import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure as Paper
from PIL import Image

from posenc_gui import provenance
from posenc_gui.figure import Axis, Figure, Heatmap, Lines, Note, Panel, Series, VerticalMark
from posenc_gui.render import paper

TOKENS = ("The", "cat", "sat", "on", "the", "mat")
HOSTILE = (
    "$x$",
    "$\\frac{",
    "<b>",
    "=HYPERLINK(1)",
    "السلام",
    "位置编码",
    "🙂👍🏽",
    "a" * 300,
    "␀",
    "\x00\x1b\n",
    "",
    "--",
)
SESSION = '{"text": "The cat – 位置"}'


def attention(tokens: tuple[str, ...] = TOKENS, title: str = "Sinusoidal", masked: bool = False) -> Heatmap:
    count = len(tokens)
    values = np.linspace(0, 0.4, count * count, dtype=np.float32).reshape(count, count)
    mask = np.triu(np.ones((count, count), dtype=bool), 1) if masked else None
    query = Axis("query", "query", labels=tokens, focus=min(2, count - 1), twins=frozenset({0, 4}))
    return Heatmap(title, "probability", values, query, Axis("key", "key", labels=tokens), 0, 0.4, mask=mask)


def waves(names: tuple[str, ...] = ("dim 0", "dim 2"), mark: str = "sentence ends") -> Lines:
    x = np.linspace(0, 30, 100, dtype=np.float32)
    series = tuple(Series(name, x, np.sin(x / (n + 1)), ((0.0, 0.0),)) for n, name in enumerate(names))
    marks = (VerticalMark(5.5, mark, "end"), VerticalMark(2, mark, "focus"), VerticalMark(99, mark, "twin"))
    return Lines("Waves", "value", series, Axis("position", "position"), -1, 1, marks)


PANELS: dict[str, tuple[Panel, ...]] = {
    "map": (attention(),),
    "two maps": (attention(), attention(title="No encoding")),
    "masked": (attention(masked=True),),
    "one cell": (attention(("the",)),),
    "many tokens": (attention(("word",) * 512),),
    "unlabelled": (
        Heatmap("", "value", np.eye(3, 40, dtype=np.float32), Axis("pair", ""), Axis("head", "", -7), -1, 1),
    ),
    "lines": (waves(),),
    "forty lines": (waves(tuple(str(number) for number in range(40))),),
    "note": (Note("No vectors here.", "ALiBi"),),
    "map and note": (attention(), Note("No vectors here.")),
    "all kinds": (attention(), waves(), Note("Nothing")),
    "sixteen heads": tuple(attention(title=f"head {number}") for number in range(16)),
    "none": (),
}


def figure(*panels: Panel, title: str = "Attention", caption: str = "toy model, seeded weights") -> Figure:
    return Figure("attention", title, panels, caption, "Six tokens look at each other.", SESSION)


def read(path: Path) -> str:
    """Check that the file is one of its kind, and give what is written in an SVG."""
    if path.suffix == ".png":
        with Image.open(path) as image:
            image.load()
    elif path.suffix == ".pdf":
        assert path.read_bytes().startswith(b"%PDF-")
        assert path.read_bytes().rstrip().endswith(b"%%EOF")
    else:
        ElementTree.parse(path)
        return path.read_text(encoding="utf-8")
    return ""


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
@pytest.mark.parametrize("panels", PANELS.values(), ids=PANELS.keys())
def test_every_figure_becomes_a_file_of_every_kind(panels: tuple[Panel, ...], suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    paper.write(figure(*panels), path)
    read(path)


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
def test_words_are_data(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    everything = " ".join(HOSTILE)
    panels = (attention(HOSTILE, "$e^{x}$ <i>"), waves(HOSTILE, "$x$"), Note(everything, "<s>"))
    paper.write(figure(*panels, title=everything, caption=everything * 20), path)
    text = read(path)
    if suffix == ".svg":
        # Each text stands in a comment beside its paths, as it was drawn.
        assert "<!-- $x$ -->" in text
        assert "<!-- &lt;b&gt; -->" in text


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
def test_the_session_comes_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    paper.write(figure(attention()), path)
    assert provenance.find(path.read_bytes()) == SESSION


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
def test_a_figure_without_a_session_carries_none(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    paper.write(Figure("attention", "Attention", (attention(),)), path)
    assert provenance.find(path.read_bytes()) is None


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
def test_the_description_is_in_the_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    paper.write(figure(attention()), path)
    assert b"Six tokens look at each other." in path.read_bytes()


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
def test_the_same_figure_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    paper.write(figure(attention(), waves()), first)
    paper.write(figure(attention(), waves()), second)
    assert first.read_bytes() == second.read_bytes()


def test_a_capital_suffix_is_a_suffix(tmp_path: Path) -> None:
    figure(attention()).save(tmp_path / "figure.PNG")
    with Image.open(tmp_path / "figure.PNG") as image:
        assert image.format == "PNG"


def test_the_picture_is_a_slide(tmp_path: Path) -> None:
    paper.write(figure(attention()), tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as image:
        assert image.width / image.height == pytest.approx(16 / 9, rel=0.001)
        assert image.width >= 1920


def test_text_is_drawn_as_paths_so_that_every_program_shows_the_same(tmp_path: Path) -> None:
    paper.write(figure(attention()), tmp_path / "figure.svg")
    assert "<text" not in read(tmp_path / "figure.svg")


def test_masked_cells_are_flat_and_without_a_number(tmp_path: Path) -> None:
    paper.write(figure(attention(("the",) * 6, masked=True)), tmp_path / "figure.svg")
    written = read(tmp_path / "figure.svg")
    assert written.count("<!-- 0.") - len(["0.1", "0.2", "0.3", "0.4"]) == 21


def test_maps_on_one_scale_share_one_colour_bar(tmp_path: Path) -> None:
    paper.write(figure(attention(), attention(title="No encoding")), tmp_path / "figure.svg")
    assert read(tmp_path / "figure.svg").count("<!-- probability -->") == 1


def test_numbers_begin_at_the_first_coordinate(tmp_path: Path) -> None:
    axis = Axis("position", "position", first=1000)
    panel = Heatmap("", "similarity", np.eye(4, dtype=np.float32), axis, axis, 0, 1)
    paper.write(figure(panel), tmp_path / "figure.svg")
    assert "<!-- 1003 -->" in read(tmp_path / "figure.svg")


def test_the_token_in_focus_is_named_among_hundreds(tmp_path: Path) -> None:
    tokens = tuple(f"w{number}" for number in range(512))
    axis = Axis("query", "query", labels=tokens, focus=137)
    panel = Heatmap("", "probability", np.zeros((512, 512), dtype=np.float32), axis, axis, 0, 1)
    paper.write(figure(panel), tmp_path / "figure.svg")
    assert "<!-- w137 (137) -->" in read(tmp_path / "figure.svg")


def test_a_map_larger_than_paper_is_averaged_and_says_so(tmp_path: Path) -> None:
    panel = Heatmap("", "value", np.zeros((9, 3000), dtype=np.float32), Axis("head", ""), Axis("key", ""), 0, 1)
    paper.write(figure(panel), tmp_path / "figure.svg")
    assert "averaged" in read(tmp_path / "figure.svg")


@pytest.mark.parametrize(("low", "high"), [(0, 1e-45), (-3e38, 3e38), (1e6, 1e6 + 1), (-1e-9, 1)])
def test_any_range_can_be_drawn(low: float, high: float, tmp_path: Path) -> None:
    values = np.array([[low, high]], dtype=np.float32)
    panel = Heatmap("", "value", values, Axis("query", "query"), Axis("key", "key"), low, high, "diverging")
    curve = Lines(
        "", "value", (Series("one point", values[0, :1], values[0, :1]),), Axis("offset", "offset"), low, high
    )
    paper.write(figure(panel, curve), tmp_path / "figure.svg")
    read(tmp_path / "figure.svg")


def test_the_caller_s_settings_neither_matter_nor_change(tmp_path: Path) -> None:
    paper.write(figure(attention()), tmp_path / "plain.svg")
    with matplotlib.rc_context({"text.usetex": True, "svg.fonttype": "none", "font.size": 40}):
        paper.write(figure(attention()), tmp_path / "other.svg")
        assert matplotlib.rcParams["text.usetex"]
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_an_existing_file_is_kept_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.svg"
    path.write_text("precious")

    def half_written(_paper: Paper, unfinished: Path, **_options: object) -> None:
        unfinished.write_text("<svg")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Paper, "savefig", half_written)
    with pytest.raises(OSError, match="No space"):
        figure(attention()).save(path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]
