"""Find: what people type, and the first that it finds; fields that it goes to; questions, which never begin a lab."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import posenc_gui as pe
from posenc_gui.app.state.fuzzy_search import SearchEntry, is_question, search_by_heading
from posenc_gui.app.window.command_palette import CommandPalette
from posenc_gui.app.window.findables import other_words
from posenc_gui.app.window.menus import Menus
from posenc_gui.encodings import classes
from posenc_gui.labs.definition import lab_library
from posenc_gui.models.encoding_search import entries
from posenc_gui.plots import plots
from posenc_gui.render import suffixes

pytestmark = pytest.mark.one_window

PHRASES = {  # those of people who were stopped, and what such people would type
    "gif": "GIF animation",
    "config.json": "Open",
    "pytorch": "Code",
    "seed": "Seed",
    "jupyter": "Code",
    "two the": "Twins",
    "powerpoint": "PowerPoint",
    "font size": "Larger text",
    "slides": "PowerPoint",
    "d_model": "d_model",
    "strength": "Strength",
    "pairing": "Pairing",
    "interleaved": "Pairing",
    "base": "Base",
    "undo": "Undo",
    "print": "PDF",
    "notebook": "Code",
    "theme": "Theme: Dark",
    "text size": "Larger text",
    "reduce motion": "Reduce motion",
    "latex": "PDF",
    "relative": "Absolute or relative",
    "starts at": "Starts at",
    "tokenizer": "Split into",
    "focus": "Query in focus",
    "copy as python": "Code",
    "temperature": "Scale",
    "softmax": "One weight",
    "yarn": "YaRN",
    "video": "MP4 animation",
    "speaker notes": "Bookmarks",
    "shortcuts": "Keys and mouse",
    "number of layers": "Layers",
    "extrapolation": "Length",
    "translation invariance": "Absolute or relative",
    "screenshot": "PNG image",
    "wavelengths": "Frequencies",
    "qwen3 8b": "Qwen3 8B",
    "sinusodal": "Sinusoidal",
    "logarithmic": "Attention: Colours",
    "vaswani": "Sinusoidal",
}
OF_A_READER = {  # who had not seen what can be found
    "dark mode": "Theme: Dark",
    "bigger letters": "Larger text",
    "heat map": "Attention",
    "sine cosine": "Sinusoidal",
    "go back": "Undo",
    "start over": "New session",
    "save picture": "PNG image",
    "dog bites man": "dog bites man",
    "turn off position": "No encoding",
    "rotery embedding": "RoPE",
    "tutorial": "All labs and questions",
    "bag of words": "Attention reads a bag of words",
    "full screen": "Present",
    "beamer": "PDF",
    "moodle": "Web page",
    "side by side": "Compare",
    "lesson plan": "Plan of the lesson",
    "student results": "Reports of a class",
    "send link to students": "Copy as share string",
    "colour blind": "Export",  # which shows a picture in other eyes' colours
    "shuffle": "Shuffle",
    "rope theta": "Base",
    "hidden size": "d_model",
    "num heads": "Heads",
    "causal mask": "Causal mask",
    "gpu": "Device: CPU",
    "rotate_half": "Pairing",
    "numpy": "NPZ numbers",
    "excel": "CSV numbers",
    "llama 3.1": "Llama 3.1 8B",
    "load huggingface checkpoint": "Open model",
    "long context": "Context extension",
    "bf16": "Precision",
    "position interpolaton": "Linear (position interpolation)",
}
QUESTIONS = (  # of the same reader; what answers them is above the rows
    "does word order matter here?",
    "how far apart are cat and mat",
    "what does sat look at",
    "what if I swap cat and mat",
    "can it tell the first the from the second?",
    "does ALiBi notice if I reverse the sentence",
    "what happens if the sentence starts later?",
    "does attention from mat to cat depend only on distance?",
    "how much does alibi penalize cat from mat?",
    "does a mask know the order?",  # the title of a lab's step
)


def finder_of(window, typed: str = "") -> CommandPalette:
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    finder = window.findChild(CommandPalette)
    QTest.keyClicks(finder, typed)
    return finder


@pytest.fixture(scope="module")
def collected() -> list[SearchEntry]:
    return []


@pytest.fixture
def found_with_rope(request, collected) -> Sequence[SearchEntry]:
    """What can be found once RoPE is chosen, collected once."""
    if not collected:
        window, settle = request.getfixturevalue("window"), request.getfixturevalue("settle")
        window.workbench.store.propose(encoding=pe.encoding("rope"))
        settle(window)
        finder = finder_of(window)
        collected += finder.all
        QTest.keyClick(finder, Qt.Key.Key_Escape)
    return collected


@pytest.mark.parametrize(("typed", "first"), [*PHRASES.items(), *OF_A_READER.items()])
def test_the_first_found_is_what_people_mean(typed: str, first: str, found_with_rope) -> None:
    found = [one.words for one in search_by_heading(typed, found_with_rope)]
    assert found[0].split(": Encoding")[0] == first, found


@pytest.mark.parametrize("typed", QUESTIONS)
def test_a_question_never_has_a_lab_first(typed: str, found_with_rope) -> None:
    assert is_question(typed)
    kinds = [one.kind for one in search_by_heading(typed, found_with_rope)]
    assert kinds == sorted(kinds, key=lambda kind: kind == "Labs")


def test_other_words_are_those_of_things_that_there_are(window) -> None:
    models = (pe.ToyModel, pe.Session, *classes().values())
    there = {f"action.{one.name}" for one in window.findChild(Menus).actions}
    there |= {f"parameter.{name}" for model in models for name in model.model_fields}
    there |= {f"parameter.{name}" for name in ("sentence", "query_in_focus", "split_into")}
    there |= {f"plot.{name}" for name in plots()} | {f"export{suffix}" for suffix in suffixes()}
    there |= {f"option.{name}.{one}" for name, plot in plots().items() for one in plot.options.model_fields}
    there |= {f"encoding.{one.title}" for one in entries()} | {f"lab.{one.name}" for one in lab_library.labs()}
    assert other_words().keys() - there <= {"action.device.cuda", "action.device.mps"}  # where there is one


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("pairing", "Pairing"),
        ("d_model", "d_model"),
        ("starts at", "Starts at"),
        ("trained length", "Trained length"),
        ("of a pair", "Of a pair"),
        ("sentence", "Sentence"),
    ],
)
def test_enter_goes_to_the_field_itself(typed: str, says: str, window, settle) -> None:
    window.workbench.store.propose(encoding=pe.encoding("rope"))
    settle(window)
    finder = finder_of(window, typed)
    assert finder.rows.found[0].does.startswith("goes to the ")
    QTest.keyClick(finder, Qt.Key.Key_Return)
    settle(window)
    now = QApplication.focusWidget()
    assert now.isVisible()
    assert now.accessibleName() == says


def test_of_two_compared_each_side_has_its_field(window, settle) -> None:
    window.workbench.store.propose(encoding=pe.encoding("rope"), other=pe.encoding("alibi"))
    settle(window)
    QTest.keyClick(finder_of(window, "largest exponent"), Qt.Key.Key_Return)
    settle(window)
    assert QApplication.focusWidget().accessibleName() == "Largest exponent of B"


def test_without_an_answer_a_question_begins_nothing(window) -> None:
    finder, session = finder_of(window), window.workbench.store.session
    QTest.keyClicks(finder, "who loves whom?")  # as a step of a lab is called
    assert {one.kind for one in finder.rows.found} == {"Labs"}
    QTest.keyClick(finder, Qt.Key.Key_Return)
    assert finder.isVisible()
    assert window.labs.desk.play is None
    assert window.workbench.store.session is session
    QTest.keyClick(finder, Qt.Key.Key_Escape)


def test_long_and_foreign_words_are_searched_for_like_others(window) -> None:
    finder = finder_of(window)
    finder.insert("long " * 10_000)
    assert len(finder.text()) <= 300
    QTest.keyClick(finder, Qt.Key.Key_Escape)
    assert not finder_of(window, "位置编码").rows.found
    QTest.keyClick(finder, Qt.Key.Key_Escape)
