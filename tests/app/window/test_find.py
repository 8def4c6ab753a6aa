"""Find: what people type, and the first that it finds; fields that it goes to; questions, which never begin a lab."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import posenc_gui as pe
from posenc_gui.app.state.fuzzy_search import is_question, search_by_heading
from posenc_gui.app.window.command_palette import CommandPalette
from posenc_gui.app.window.findables import other_words
from posenc_gui.app.window.menus import Menus
from posenc_gui.encodings import classes
from posenc_gui.labs.definition import lab_library
from posenc_gui.models.encoding_search import entries
from posenc_gui.plots import plots
from posenc_gui.render import suffixes

pytestmark = pytest.mark.one_window

PHRASES = {  # by what is found first: those of people who were stopped, and what such people would type
    "GIF animation": "gif",
    "Open": "config.json",
    "Code": "pytorch, jupyter, notebook, copy as python",
    "Seed": "seed",
    "Twins": "two the",
    "PowerPoint": "powerpoint, slides",
    "Larger text": "font size, text size",
    "d_model": "d_model",
    "Strength": "strength",
    "Pairing": "pairing, interleaved",
    "Base": "base",
    "Undo": "undo",
    "Several encodings side by side": "compare encodings, three encodings",
    "GPT-2": "gpt2",
    "PDF": "print, latex",
    "Theme: Dark": "theme",
    "Reduce motion": "reduce motion",
    "Absolute or relative": "relative, translation invariance",
    "Starts at": "starts at",
    "Split into": "tokenizer",
    "Query in focus": "focus",
    "Scale": "temperature",
    "One weight": "softmax",
    "YaRN": "yarn",
    "MP4 animation": "video",
    "Bookmarks": "speaker notes",
    "Keys and mouse": "shortcuts",
    "Layers": "number of layers",
    "Length": "extrapolation",
    "PNG image": "screenshot",
    "Frequencies": "wavelengths",
    "Qwen3 8B": "qwen3 8b",
    "Sinusoidal": "sinusodal, vaswani",
    "Attention: Colours": "logarithmic",
}
OF_A_READER = {  # who had not seen what can be found
    "Theme: Dark": "dark mode",
    "Larger text": "bigger letters",
    "Attention": "heat map",
    "Sinusoidal": "sine cosine",
    "Undo": "go back",
    "New session": "start over",
    "PNG image": "save picture",
    "dog bites man": "dog bites man",
    "No encoding": "turn off position",
    "RoPE": "rotery embedding",
    "All labs and questions": "tutorial",
    "Attention reads a bag of words": "bag of words",
    "Present": "full screen",
    "PDF": "beamer",
    "Web page": "moodle",
    "Compare": "side by side",
    "Identify numbers": "which convention, paste numbers, inv_freq, my rope, interleaved or half, sin cos order",
    "Plan of the lesson": "lesson plan",
    "Reports of a class": "student results",
    "Copy as share string": "send link to students",
    "Export": "colour blind",
    "Shuffle": "shuffle",
    "Base": "rope theta",
    "d_model": "hidden size",
    "Heads": "num heads",
    "Causal mask": "causal mask",
    "Device: CPU": "gpu",
    "Pairing": "rotate_half",
    "NPZ numbers": "numpy",
    "CSV numbers": "excel",
    "Llama 3.1 8B": "llama 3.1",
    "Open model": "load huggingface checkpoint",
    "Context extension": "long context",
    "Precision": "bf16",
    "Linear (position interpolation)": "position interpolaton",
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


def test_the_first_found_is_what_people_mean_and_for_a_question_no_lab(window, settle) -> None:
    window.workbench.store.propose(encoding=pe.encoding("rope"))
    settle(window)
    everything = finder_of(window).all
    wanted = {
        typed: first for some in (PHRASES, OF_A_READER) for first, found in some.items() for typed in found.split(", ")
    }
    found = {typed: search_by_heading(typed, everything) for typed in (*wanted, *QUESTIONS)}
    assert len(found) >= 80
    first = {typed: found[typed][0].words for typed in wanted}
    assert {typed: words for typed, words in first.items() if words != wanted[typed]} == {}
    for typed in QUESTIONS:
        assert is_question(typed)
        kinds = [one.kind for one in found[typed]]
        assert kinds == sorted(kinds, key=lambda kind: kind == "Labs")


def test_other_words_are_those_of_things_that_there_are(window) -> None:
    models = (pe.ToyModel, pe.Session, *classes().values())
    there = {f"action.{one.name}" for one in window.findChild(Menus).actions}
    there |= {f"parameter.{name}" for model in models for name in model.model_fields}
    there |= {f"parameter.{name}" for name in ("sentence", "query in focus", "split into")}
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
        ("waves of a pair", "Of a pair"),
        ("sentence", "Text"),
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


def test_without_an_answer_a_question_begins_nothing(window, qtbot) -> None:
    finder, session = finder_of(window), window.workbench.store.session
    QTest.keyClicks(finder, "who loves whom?")  # as a step of a lab is called
    assert {one.kind for one in finder.rows.found} == {"Labs"}
    QTest.keyClick(finder, Qt.Key.Key_Return)
    assert finder.isVisible()
    qtbot.waitUntil(lambda: finder.told.text() == "Choose one with the arrow keys: only labs were found.")
    assert window.labs.desk.play is None
    assert window.workbench.store.session is session
    QTest.keyClick(finder, Qt.Key.Key_Escape)


def test_a_model_is_proposed_by_its_name_alone(window, settle) -> None:
    window.workbench.store.propose(encoding=pe.encoding("alibi"))
    settle(window)
    session = window.workbench.store.session
    finder = finder_of(window, "base")  # which ALiBi hasn't
    assert finder.rows.found[0].words == "BERT base"
    QTest.keyClick(finder, Qt.Key.Key_Return)
    assert finder.told.isVisible()
    assert finder.told.text().startswith("Choose one with the arrow keys")
    assert window.workbench.store.session is session
    finder.selectAll()
    QTest.keyClicks(finder, "bert")
    assert finder.rows.found[finder.at].words.startswith("BERT")
    QTest.keyClick(finder, Qt.Key.Key_Escape)


def test_long_and_foreign_words_are_searched_for_like_others(window) -> None:
    finder = finder_of(window)
    for words in ("long " * 10_000, "位置编码"):
        QGuiApplication.clipboard().setText(words)
        QTest.keyClick(finder, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(finder, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert words.startswith(finder.text())
        assert finder.rows.found or finder.told.text().startswith("Nothing found")
    QTest.keyClick(finder, Qt.Key.Key_Escape)
