"""Every kind of file, asked for what each kind of panel holds, and for its session."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pypdf
import pytest
from drawing import drawing
from PIL import Image

from posenc_gui import render
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import (
    Bars,
    BarSeries,
    Clocks,
    Hand,
    Hands,
    Heatmap,
    KeyHands,
    Lines,
    Links,
    Note,
    Panel,
    Series,
    Slopes,
    Table,
)
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.files import embedded_session
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.session.session import Session

SESSION = Session(text="The cat – 位置", focus=1)
VALUES = np.array([[0.125, 0.25], [0.5, 1.0]], dtype=np.float32)
TOKENS = ("cat", "mat")


@dataclass(frozen=True)
class Kind:
    """A panel; the words that are read in a picture of it, its colours, its numbers, and the lines of a table of it."""

    panel: Panel
    words: tuple[str, ...]
    colours: tuple[str, ...]
    numbers: tuple[float, ...]
    lines: tuple[str, ...]


KINDS = {
    "heatmap": Kind(
        Heatmap(
            "Map", "probability", VALUES, Axis("query", "asks", 5, TOKENS), Axis("key", "answers", 5, TOKENS), 0.125, 1
        ),
        ("Map", "probability", "cat", "mat", "0.12", "0.50", "1.00"),
        (LIGHT.sequential[0], LIGHT.sequential[-1]),
        (0.125, 0.25, 0.5, 1.0),
        (
            "query,query label,key,key label,probability",
            "5,cat,5,cat,0.125",
            "5,cat,6,mat,0.25",
            "6,mat,5,cat,0.5",
            "6,mat,6,mat,1.0",
        ),
    ),
    "lines": Kind(
        Lines(
            "Curves",
            "height",
            (Series("first", VALUES[0], VALUES[1], ((0.25, 1.0),)), Series("second", VALUES[0], VALUES[0])),
            Axis("offset", "distance"),
            0.0,
            1.0,
        ),
        ("Curves", "height", "first", "second", "distance"),
        LIGHT.curves[:2],
        (0.125, 0.5, 0.25, 1.0, 0.125, 0.125, 0.25, 0.25),
        ("series,offset,height", "first,0.125,0.5", "first,0.25,1.0", "second,0.125,0.125", "second,0.25,0.25"),
    ),
    "bars": Kind(
        Bars(
            "Bars",
            "share",
            Axis("encoding", "which", 0, TOKENS),
            (BarSeries("one", VALUES[0]), BarSeries("two", VALUES[1])),
            0,
            1,
        ),
        ("Bars", "share", "which", "cat", "mat", "one", "two", "0.12", "0.50"),
        LIGHT.curves[:2],
        (0.125, 0.5, 0.25, 1.0),
        ("encoding,encoding label,series,share", "0,cat,one,0.125", "0,cat,two,0.5", "1,mat,one,0.25", "1,mat,two,1.0"),
    ),
    "links": Kind(
        Links(
            "Links",
            "moved",
            Axis("other position", "typed", 0, TOKENS),
            Axis("position", "model", 0, TOKENS[::-1]),
            ((0, 1), (1, 0)),
            VALUES[1],
            1,
        ),
        ("Links", "moved", "typed", "model", "cat", "mat"),
        (LIGHT.sequential[-1],),
        (0.5, 1.0),
        ("other position,other position label,position,position label,moved", "0,cat,1,cat,0.5", "1,mat,0,mat,1.0"),
    ),
    "slopes": Kind(
        Slopes(
            "Slopes",
            "weight",
            ("before", "after"),
            Axis("key", "answers", 0, TOKENS, twins=frozenset({1})),
            (0, 1),
            VALUES,
            0,
            1,
        ),
        ("Slopes", "weight", "before", "after", "0.25", "cat", "1.00", "mat", "1"),
        (LIGHT.ink, LIGHT.twin),
        (0.125, 0.25, 0.5, 1.0),
        ("key,key label,weight before,weight after", "0,cat,0.125,0.25", "1,mat,0.5,1.0"),
    ),
    "clocks": Kind(
        Clocks(
            "Clocks",
            ("pair 0", "pair 1"),
            ("6.3 words a turn", "stands still"),
            (Hand("cat", 2, 3.0, "focus"),),
            np.array([[math.pi], [0.0]]),
            (0, 1),
        ),
        ("Clocks", "pair 0", "pair 1", "6.3 words a turn", "stands still", "cat"),
        (LIGHT.focus, LIGHT.ink),
        (0.5, 3.0, 0.0, 1.0),
        (
            "clock,reading,token,token label,position,turns,length",
            "pair 0,6.3 words a turn,2,cat,3.0,0.5,1.0",
            "pair 1,stands still,2,cat,3.0,0.0,1.0",
        ),
    ),
    "hands": Kind(
        Hands(
            "Hands",
            1,
            "mat",
            np.array([1, 1j]),
            (KeyHands(0, "cat", np.array([1, 1j]), (0.5, -0.25, 1.0), 0.75, is_twin=True),),
            rows=(0,),
            pairs=(0, 3),
            columns=("pair 0", "pair 3 · row", "still"),
            longest=1.0,
            high=1.0,
        ),
        ("Hands", "mat", "cat", "pair 0", "pair 3 · row", "still", "0.50", "−0.25", "1.00", "1.25", "0.75"),
        (LIGHT.focus, LIGHT.twin),
        (0.0, math.pi / 2, 0.5, -0.25, 1.0, 1.25, 0.75),
        (
            "query,query label,key,key label,pair,query angle,query length,key angle,key length,part,score,weight",
            "1,mat,0,cat,pair 0,0.0,1.0,0.0,1.0,0.5,1.25,0.75",
            "1,mat,0,cat,pair 3 · row,1.5707963267948966,1.0,1.5707963267948966,1.0,-0.25,1.25,0.75",
            "1,mat,0,cat,still,,,,,1.0,1.25,0.75",
        ),
    ),
    "table": Kind(
        Table("Table", ("token", "weight"), (("cat", 0.125), ("mat", 0.25), ("sum", 0.375)), frozenset({2}), 0),
        ("Table", "token", "weight", "cat", "mat", "0.12", "0.25", "sum", "0.38"),
        (LIGHT.ink, LIGHT.focus),
        (0.125, 0.25, 0.375),
        ("token,weight", "cat,0.125", "mat,0.25", "sum,0.375"),
    ),
    "note": Kind(
        Note("Nothing to show here.", "Note"),
        ("Note", "Nothing to show here."),
        (LIGHT.ink, LIGHT.muted),
        (),
        ("note", "Nothing to show here."),
    ),
}
CASES = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def saved(kind: Kind, path: Path) -> Path:
    figure = Figure(
        "figure",
        "A title",
        (kind.panel,),
        compose_caption("A caption"),
        "A description.",
        (Run("A headline"),),
        session=SESSION.to_json(),
    )
    return figure.save(path)


@CASES
def test_an_svg_shows_the_words_and_shapes_and_is_described(kind: Kind, tmp_path: Path) -> None:
    page = drawing(saved(kind, tmp_path / "figure.svg"))
    written = " | ".join(text.words for text in page.texts)
    assert all(word in written for word in (*kind.words, "A title · A caption", "A headline"))
    assert (page.title, page.description) == ("A title", "A description.")
    painted = {shape.fill for shape in page.paths} | {shape.stroke for shape in page.paths}
    painted |= {text.colour for text in page.texts}
    match kind.panel:
        case Heatmap():
            assert len(page.images) == 1  # the bar of colours; cells are shapes
        case Lines(series=series):
            assert [curve.stroke for curve in page.curves] == list(kind.colours)
            assert len(page.curves) == len(series)
        case _:
            assert set(kind.colours) <= painted


@CASES
def test_a_pdf_is_one_slide_with_its_words_to_select(kind: Kind, tmp_path: Path) -> None:
    pdf = pypdf.PdfReader(saved(kind, tmp_path / "figure.pdf"))
    (page,) = pdf.pages
    assert (page.mediabox.width, page.mediabox.height) == (960, 540)
    words = page.extract_text()
    assert all(word in words for word in (*kind.words, "A title", "A caption", "A headline"))
    assert (pdf.metadata.title, pdf.metadata.subject) == ("A title", "A description.")
    assert len(page.images) == (1 if isinstance(kind.panel, Heatmap) else 0)


@pytest.mark.slow
@CASES
def test_a_png_is_painted_in_the_panel_s_colours_and_described(kind: Kind, tmp_path: Path) -> None:
    with Image.open(saved(kind, tmp_path / "figure.png")) as image:
        assert image.info["Title"] == "A title"
        assert image.info["Description"] == "A description."
        counts = {bytes(colour[:3]).hex(): count for count, colour in image.getcolors(1 << 24)}
    for colour in kind.colours:
        assert counts.get(colour[1:], 0) > 20, colour


@CASES
def test_a_csv_holds_every_number_and_word(kind: Kind, tmp_path: Path) -> None:
    heading, *lines = saved(kind, tmp_path / "figure.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [heading.removeprefix("panel,"), *(line.removeprefix(f"{kind.words[0]},") for line in lines)] == [
        *kind.lines
    ]


@CASES
def test_an_npz_holds_every_number_and_word(kind: Kind, tmp_path: Path) -> None:
    with np.load(saved(kind, tmp_path / "figure.npz"), allow_pickle=False) as found:
        arrays = {name.removeprefix("panel0_"): found[name] for name in found.files}
    assert (str(arrays["title"]), str(arrays["caption"])) == (kind.words[0], "A caption")
    numbers = [array for array in arrays.values() if array.dtype.kind == "f"]
    held = {float(number) for array in numbers for number in array.ravel() if not np.isnan(number)}
    assert held == set(kind.numbers)
    words = {str(word) for array in arrays.values() if array.dtype.kind == "U" for word in array.ravel()}
    labels = {
        word for word in kind.words if word in (*TOKENS, "first", "second", "one", "two", "pair 0", "none", "sum")
    }
    assert labels <= words


@pytest.mark.slow
@pytest.mark.parametrize("suffix", render.suffixes())
@CASES
def test_a_file_carries_its_session_if_its_writer_says_so(kind: Kind, suffix: str, tmp_path: Path) -> None:
    path = saved(kind, tmp_path / f"figure{suffix}")
    if suffix in render.session_suffixes():
        assert Session.load(path) == SESSION
    else:
        assert embedded_session.find_session(path.read_bytes()) is None


def imported_by(code: str) -> set[str]:
    """The modules that a fresh Python has imported after running some code."""
    run = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_an_unpickled_figure_s_numbers_are_saved_without_matplotlib(tmp_path: Path) -> None:
    figure = pickle.dumps(Figure("a", "A", (Note("why"),)))
    found = imported_by(
        f"import pickle\nfor kind in ('csv', 'npz'): pickle.loads({figure!r}).save({str(tmp_path / 'figure.')!r} + kind)"
    )
    assert len(list(tmp_path.iterdir())) == 2
    assert "posenc_gui.render.csv_table" in found
    assert not found & {"matplotlib", "posenc_gui.render.paper", "PySide6"}


def test_the_suffixes_are_known_without_any_writer() -> None:
    found = imported_by(
        "from posenc_gui import render\nassert len(render.suffixes()) > 4 > 0 < len(render.session_suffixes())"
    )
    assert not found & {"numpy", "matplotlib", "posenc_gui.render.csv_table", "posenc_gui.render.npz_arrays"}


def test_a_writer_whose_library_is_not_installed_breaks_only_itself(tmp_path: Path) -> None:
    kind = KINDS["note"]
    code = (
        "import sys\nsys.modules['matplotlib'] = None\n"  # as if it weren't there
        "from pathlib import Path\nfrom posenc_gui.figure.figure import Figure\nfrom posenc_gui.figure.panels import Note\n"
        "figure = Figure('a', 'A', (Note('why'),))\n"
        f"folder = Path({str(tmp_path)!r})\nfigure.save(folder / 'a.csv')\n"
        "try:\n    figure.save(folder / 'a.svg')\nexcept ValueError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert done.stdout.startswith("can't save 'a.svg': .svg needs")
    assert "matplotlib" in done.stdout
    assert done.stdout.count("\n") == 1
    assert saved(kind, tmp_path / "a.svg").exists()
