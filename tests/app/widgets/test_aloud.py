"""What screen readers say of controls, and what is announced of what changes."""

from __future__ import annotations

from ears import heard, inside, name
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QSlider, QWidget
from shown_form import ShownForm

from posenc_gui.app.widgets.aloud import Announcer
from posenc_gui.app.widgets.controls import Choices, in_column
from posenc_gui.encodings.rope import RoPE


def test_a_drop_down_list_is_heard_by_its_name_also_where_qt_says_the_choice_for_it(qtbot) -> None:
    """On Linux and macOS, Qt's name of such a list is what is chosen; readers ask for the label beside it."""
    window, choices = QWidget(), Choices("Positions & more")
    choices.addItems(("as trained", "zeroed"))
    in_column(choices, of=window)
    qtbot.addWidget(window)
    window.show()
    assert name(choices) == "Positions & more"
    assert heard(choices).text(QAccessible.Text.Value) == "as trained"
    other = QWidget(window)
    in_column(choices, of=other)
    other.show()
    assert name(choices) == "Positions & more"


def test_a_number_is_heard_as_it_is_and_its_slider_is_not_heard(qtbot) -> None:
    """A slider's own number would be how far along it is, 444 for 10,000."""
    shown = ShownForm(RoPE)
    qtbot.addWidget(shown.form)
    shown.form.show()
    box, value = shown.box("base"), heard(shown.box("base")).valueInterface()
    assert name(box) == "Base"
    assert heard(box).text(QAccessible.Text.Value) == "10,000"
    assert (value.currentValue(), value.minimumValue()) == (10_000.0, 1.0)
    assert not [one for one in inside(shown.form) if isinstance(one, QSlider)]
    shown.form.show_value(RoPE(base=500_000.0))
    assert value.currentValue() == 500_000.0


def test_what_changes_is_announced_once_it_rests_and_nothing_twice(qtbot, announced) -> None:
    view = QWidget()
    qtbot.addWidget(view)
    announcer = Announcer(view, 20)
    for number in range(50):
        announcer.say(f"key {number} · weight 0.2")
    qtbot.waitUntil(lambda: announced == ["key 49, weight 0.2"])
    announcer.say("key 49 · weight 0.2")
    announcer.say("")
    qtbot.waitUntil(lambda: not announcer.findChild(QTimer).isActive())
    assert announced == ["key 49, weight 0.2"]
