"""Fields, buttons and icons: one height, a focus that is seen, and sharp at every scale."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from posenc_gui.app.widgets import style_sheet as themes
from posenc_gui.app.widgets.controls import Choices, elided_label, line_field, push_button, tool_button, wrap_tooltip
from posenc_gui.app.widgets.icons import icon
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import DARK, FIELD, LIGHT, QUIET, Roles
from tests.foundation.test_colour_roles import contrast

ICONS = sorted(path.stem for path in (folder() / "icons").glob("*.svg") if path.stem != "app")


def choices() -> Choices:
    made = Choices("Encoding")
    made.addItem("Sinusoidal")
    return made


HIGH: dict[str, Callable[[], QWidget]] = {
    "line": lambda: QLineEdit("10,000"),
    "number": QSpinBox,
    "list": choices,
    "button": lambda: push_button("Swap"),
    "action": lambda: push_button("Continue", accent=True),
    "framed": lambda: tool_button("Swap", framed=True),
}
QUIETER: dict[str, Callable[[], QWidget]] = {
    "quiet": lambda: tool_button("Examples"),
    "box": lambda: QCheckBox("Keep case"),
}


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request) -> Roles:
    return request.param


@pytest.fixture
def row(qtbot, theme: Roles) -> Iterator[dict[str, QWidget]]:
    """One of each kind, in a row."""
    window = QWidget()
    qtbot.addWidget(window)
    themes.apply(theme, window)
    line, made = QHBoxLayout(window), {name: make() for name, make in (HIGH | QUIETER).items()}
    for one in made.values():
        line.addWidget(one)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield made
    window.close()


def test_fields_and_buttons_have_one_height(row: dict[str, QWidget]) -> None:
    assert {name: row[name].height() for name in HIGH} == dict.fromkeys(HIGH, FIELD)
    assert {name: row[name].height() for name in QUIETER} == dict.fromkeys(QUIETER, QUIET)
    for name in ("line", "number", "list", "framed"):
        row[name].setProperty("refused", True)
        row[name].style().polish(row[name])
        assert row[name].maximumHeight() == FIELD


@pytest.mark.parametrize("name", [*HIGH, *QUIETER])
def test_the_focus_is_seen(row: dict[str, QWidget], theme: Roles, name: str) -> None:
    def picture() -> QImage:
        return row[name].grab().toImage()

    if at := QApplication.focusWidget():
        at.clearFocus()
    before = picture()
    row[name].setFocus(Qt.FocusReason.TabFocusReason)
    after, middle = picture(), row[name].height() // 2
    assert before.size() == after.size()
    edge = [image.pixelColor(round(image.devicePixelRatio()), middle).name() for image in (before, after)]
    assert edge[0] != edge[1]
    assert edge[1] in (theme.focus, theme.ink)
    assert contrast(edge[1], theme.window) >= 3


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_is_one_stroke_in_ink_and_paler_where_disabled(qapp, theme: Roles, name: str) -> None:
    drawn = icon(name, theme.ink).pixmap(16, 16).toImage()
    svg = (folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    assert len(re.findall("stroke-width", svg)) == 1
    if "currentColor" not in svg:  # Qt itself reads those for what it draws
        return
    strongest = max((drawn.pixelColor(x, y) for x in range(16) for y in range(16)), key=QColor.alpha)
    assert strongest.alpha() > 200
    assert all(
        abs(one - other) <= 2 for one, other in zip(strongest.getRgb()[:3], QColor(theme.ink).getRgb()[:3], strict=True)
    )
    pale = icon(name, theme.ink).pixmap(16, 16, QIcon.Mode.Disabled).toImage()
    assert max(pale.pixelColor(x, y).alpha() for x in range(16) for y in range(16)) < 140


@pytest.mark.slow
def test_icons_are_drawn_for_the_pixels_of_the_screen() -> None:
    script = """
from PySide6.QtWidgets import QApplication, QWidget
from posenc_gui.app.widgets import style_sheet
from posenc_gui.app.widgets.icons import icon
from posenc_gui.foundation.theme import LIGHT
app = QApplication([])
style_sheet.apply(LIGHT, QWidget())
print(sorted(size.width() for size in icon("save", LIGHT.ink).availableSizes()))
"""
    for scale, pixels in (("1", 16), ("1.25", 20), ("1.5", 24), ("2", 32)):
        env = os.environ | {"QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        assert str(pixels) in re.findall(r"\d+", done.stdout)


def test_the_end_of_a_long_name_is_left_out_of_a_list_and_stands_in_its_tooltip(row: dict[str, QWidget]) -> None:
    made = row["list"]
    assert isinstance(made, Choices)
    made.addItem("Relative positions in buckets")
    made.setMinimumWidth(1)
    made.setFixedWidth(140)
    assert (made.seen, made.toolTip()) == ("Sinusoidal", "")
    made.setCurrentIndex(1)
    assert made.seen.endswith("…")
    assert "Relative positions".startswith(made.seen[:-1])
    assert made.toolTip() == wrap_tooltip("Relative positions in buckets")
    made.setFixedWidth(400)
    assert (made.seen, made.toolTip()) == ("Relative positions in buckets", "")


def test_a_text_of_the_status_line_that_is_cut_is_told_whole_by_its_tooltip(qtbot) -> None:
    label = elided_label()
    qtbot.addWidget(label)
    label.setText("query “cat” · key “the” · weight 0.2312")
    label.resize(1000, 20)
    label.show()
    assert label.toolTip() == ""
    label.resize(60, 20)
    assert "weight 0.2312" in label.toolTip()
    assert label.text().endswith("0.2312")


def test_a_field_that_is_left_shows_the_beginning_of_its_text(qtbot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    row = QHBoxLayout(window)
    narrow, other = line_field("Answer", "Answer"), line_field("Other", "Other")
    for field in (narrow, other):
        field.setFixedWidth(80)
        row.addWidget(field)
    with qtbot.waitActive(window):
        window.show()
    narrow.setFocus()
    qtbot.keyClicks(narrow, "changes, since its neighbours changed")
    assert narrow.cursorPosition() == len(narrow.text())
    other.setFocus()
    assert narrow.cursorPosition() == 0
