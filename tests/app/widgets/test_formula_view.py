"""Formulas: what is declared in LaTeX can be seen on the card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QRegion

from posenc_gui import encodings
from posenc_gui.app.widgets import formula_view as formula_module
from posenc_gui.app.widgets.formula_view import FormulaView, typeset
from posenc_gui.app.widgets.style_sheet import apply
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import DARK, LIGHT

THEMES = {"light": LIGHT, "dark": DARK}
SCALED = [
    encodings.encoding("rope", scaling={"rope_type": kind, "factor": 4.0})
    for kind in ("linear", "ntk", "dynamic", "yarn", "longrope", "llama3", "proportional")
]


@pytest.fixture
def shown(qtbot) -> Callable[..., FormulaView]:
    """A view with these lines, as wide as a card."""

    def show(lines: Sequence[str]) -> FormulaView:
        view = FormulaView()
        qtbot.addWidget(view)
        view.show_lines(lines, "a formula")
        view.resize(400, view.sizeHint().height())
        return view

    return show


def drawn(view: FormulaView, ground: str) -> QImage:
    image = QImage(view.size(), QImage.Format.Format_RGB32)
    image.fill(QColor(ground))
    painter = QPainter(image)
    view.render(painter, QPoint(), QRegion(view.rect()), FormulaView.RenderFlag(0))
    painter.end()
    return image


def colours(image: QImage) -> list[QColor]:
    return [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]


def has(image: QImage, wanted: str) -> bool:
    """Whether a colour is there, or one so near that only the edges of letters lie between."""
    aim = QColor(wanted)
    return any(
        max(abs(one.red() - aim.red()), abs(one.green() - aim.green()), abs(one.blue() - aim.blue())) < 48
        for one in colours(image)
    )


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "encoding", [encodings.encoding(name) for name in encodings.names()] + SCALED, ids=lambda one: one.called
)
def test_every_line_is_drawn_in_the_theme_s_ink_and_what_depends_on_position_is_marked(
    shown, encoding: encodings.base.Encoding, theme: str
) -> None:
    THEME.use(THEMES[theme])
    ground = THEMES[theme].card
    formula = encoding.own_equations
    assert all(has(drawn(shown((line,)), ground), THEMES[theme].ink) for line in typeset(formula))
    marked = r"\pos" in str(astuple(formula))
    assert has(drawn(shown(typeset(formula)), ground), THEMES[theme].focus) == marked


def test_a_formula_grows_with_the_type(shown) -> None:
    view = shown(typeset(encodings.classes()["rope"].equations))
    sizes = []
    for scale in (1.0, 2.0):
        apply(LIGHT, view, scale)
        sizes.append(view.sizeHint())
    apply(LIGHT, view)
    normal, double = sizes
    assert double.width() == pytest.approx(2 * normal.width(), rel=0.02)
    assert double.height() == pytest.approx(2 * normal.height(), rel=0.02)


def test_a_formula_changes_its_colours_with_the_theme(shown) -> None:
    view = shown(typeset(encodings.classes()["rope"].equations))
    THEME.use(DARK)
    seen = drawn(view, DARK.card)
    assert has(seen, DARK.ink)
    assert has(seen, DARK.focus)
    assert not has(seen, LIGHT.focus)


def test_a_formula_wider_than_its_card_is_made_smaller_and_not_cut(shown) -> None:
    view = shown(typeset(encodings.classes()["rope"].equations)[:1])
    width, height = view.sizeHint().width() // 2 * 2, view.sizeHint().height() // 2 * 2
    view.resize(width, height)
    halved = drawn(view, LIGHT.card).scaled(width // 2, height // 2, mode=Qt.TransformationMode.SmoothTransformation)
    view.resize(width // 2, height)
    narrow = drawn(view, LIGHT.card).copy(0, height // 4, width // 2, height // 2)
    darkness = [
        [sum(255 - image.pixelColor(x, y).lightness() for y in range(image.height())) for x in range(image.width())]
        for image in (halved, narrow)
    ]
    for part in range(4):  # each quarter holds as much ink: nothing was cut off or moved
        quarter = slice(part * width // 8, (part + 1) * width // 8)
        assert sum(darkness[1][quarter]) == pytest.approx(sum(darkness[0][quarter]), rel=0.25)


def test_a_formula_that_can_not_be_typeset_has_no_lines_and_is_asked_for_once(
    window, qtbot, settle, monkeypatch
) -> None:
    typed = []
    monkeypatch.setattr(formula_module, "_svg", lambda latex: typed.append(latex) or 1 / 0)
    typeset.cache_clear()
    window.workbench.store.propose(encoding=encodings.encoding("alibi"))
    qtbot.waitUntil(lambda: window.workbench.encoding.typeset == encodings.encoding("alibi").own_equations)
    settle(window)
    assert len(typed) == 1
    typeset.cache_clear()
