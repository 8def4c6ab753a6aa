"""Every parameter there is, changed through its own editor: sessions, pictures and formula cards follow.

Loops over the registries: a new encoding, option or plot is covered by being there.
"""

from __future__ import annotations

import pytest
from hands import User, bring_forward, figure_of, session_of
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

import posenc_gui as pe
from posenc_gui import encodings, plots
from posenc_gui.app.widgets.forms.editors import NumberBox
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.formula_view import FormulaView
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.panels import Note
from posenc_gui.foundation import declared_fields

pytestmark = pytest.mark.one_window


def change_every_field(window, user: User, form: ModelForm, value_now) -> None:
    """Change each field of a form once, of a group's each member too; the session must have the new value and no other."""
    done: set[str] = set()
    while waiting := [name for name in form.names() if name not in done]:
        name = max(waiting, key=lambda waits: waits.count("."))
        done.add(name)
        before = value_now()
        user.edits(form.editor(name))
        user.settle(window)
        after = value_now()
        value = declared_fields.value_at(after, name)
        assert form.refusal() == "", f"{name}: {form.refusal()}"
        assert value != declared_fields.value_at(before, name), f"{name} is still {value}"
        assert after == declared_fields.with_values(before, {name: value})
        if declared_fields.kind(declared_fields.fields_named(type(after), name)[0]).members:
            done = {other for other in done if not other.startswith(f"{name}.")}
            box = box_of(form, name)
            if box.currentIndex() + 1 < box.count():
                done.remove(name)


def drawn_of(window) -> str:
    """What shows the encoding most directly, as text that tells pictures apart."""
    drawn = []
    for name in ("attention", "waves", "encoding"):
        figure = pe.plot(name, session_of(window))
        drawn.append(str([vars(panel) for panel in figure.panels]))
    return "".join(drawn)


@pytest.mark.slow
@pytest.mark.most(6)
@pytest.mark.parametrize("name", encodings.classes())
def test_an_encoding_is_chosen_in_the_list_and_every_parameter_changes_the_session(window, user, name: str) -> None:
    user.chooses_encoding(window, "none")
    user.chooses_encoding(window, name)
    assert session_of(window).encoding == encodings.encoding(name)
    panel = window.workbench.encoding
    cls = encodings.classes()[name]
    words = " ".join(label.text() for label in panel.findChildren(QLabel))
    assert cls.summary in words
    assert cls.source.title in words
    formula = panel.findChild(FormulaView)
    assert cls.equations.query in formula.accessibleName()
    assert formula.sizeHint().height() > 20
    if not cls.model_fields:
        assert panel.form() is None
        return
    if name == "axial":  # whose shared frequencies refuse unequal widths
        assert window.workbench.store.propose(encoding=pe.encoding(name, ladder="normalized")) == ""
        user.settle(window)
    pictures = drawn_of(window)
    change_every_field(window, user, panel.form(), lambda: session_of(window).encoding)
    if set(cls.model_fields) not in ({"max_len"}, {"npos"}):  # a table's length lies beyond the sentence
        assert drawn_of(window) != pictures


@pytest.mark.slow
@pytest.mark.parametrize("name", plots.names())
def test_every_option_of_a_plot_changes_the_session_and_is_drawn(window, user, settle, name: str) -> None:
    if name in ("extension", "hands", "precision"):  # which show what is done to rotations alone
        scaled = pe.encoding("rope", scaling={"rope_type": "yarn"})
        assert window.workbench.store.propose(encoding=scaled) == ""
    if name in ("offsets", "rulers"):
        assert window.workbench.store.propose(encoding="shaw" if name == "offsets" else "alibi") == ""
    if name == "patches":
        assert window.workbench.store.propose(patches=pe.Patches()) == ""
    bring_forward(window, name)
    settle(window)
    panel = window.workbench.plots[name]
    change_every_field(window, user, panel.form, lambda: getattr(session_of(window).plots, name))
    assert panel.view.figure().session == session_of(window).to_json()
    refused = isinstance(panel.view.figure().panels[0], Note)
    # "1" are not the sentence's words, and no number's name; and what a model has learned isn't seen in a toy: they say so
    assert refused == (name in ("meaning", "sweep", "heads", "surgery", "table", "loss"))


FIELDS = [name for name, field in ToyModel.model_fields.items() if "editor" not in (field.json_schema_extra or {})]


@pytest.mark.slow
def test_every_field_of_the_toy_model_changes_the_session_and_is_drawn(window, user) -> None:
    form, defaults = window.workbench.model.form, session_of(window).model
    for field in FIELDS:
        window.workbench.store.propose(model=defaults)
        user.edits(form.editor(field))
        if form.refusal():  # such as d_model 66 with 4 heads
            user.types(box_of(form, field), str(2 * getattr(defaults, field)))
        user.settle(window)
        assert form.refusal() == "", f"{field}: {form.refusal()}"
        after = session_of(window).model
        assert getattr(after, field) != getattr(defaults, field), field
        assert after == defaults.model_copy(update={field: getattr(after, field)})
        panels = figure_of(window).panels
        assert not any(isinstance(panel, Note) for panel in panels)


def box_of(form: ModelForm, field: str) -> QWidget:
    """The widget in which a field is typed or chosen."""
    for kind in (NumberBox, QComboBox, QLineEdit):
        found = form.editor(field).findChild(kind)
        if found is not None:
            return found
    raise AssertionError(f"{field} has no editor that is known")


# --- What is refused ------------------------------------------------------------------------------------------------------


def test_heads_that_do_not_share_the_model_are_refused_and_applied_once_they_do(window, user, settle) -> None:
    form, before = window.workbench.model.form, session_of(window)
    user.types(box_of(form, "n_heads"), "5")
    settle(window)
    assert "64 can't be divided among 5 heads" in form.refusal()
    assert box_of(form, "n_heads").property("refused")
    assert session_of(window) == before
    user.pastes(window, "another sentence")  # what is refused stays where it stands
    assert "64 can't be divided among 5 heads" in form.refusal()
    assert box_of(form, "n_heads").text() == "5"
    user.types(box_of(form, "d_model"), "60")
    settle(window)
    assert form.refusal() == ""
    assert not box_of(form, "n_heads").property("refused")
    assert (session_of(window).model.n_heads, session_of(window).model.d_model) == (5, 60)


@pytest.mark.slow
def test_a_rotation_refuses_an_odd_width_at_the_form_that_asked_for_it(window, user, settle) -> None:
    user.chooses_encoding(window, "rope")
    form = window.workbench.model.form
    user.types(box_of(form, "d_head"), "15")
    assert "d_head must be even, not 15" in form.refusal()
    assert box_of(form, "d_head").text() == "15"
    assert box_of(form, "d_head").property("refused")
    assert session_of(window).model.d_head != 15
    user.chooses_encoding(window, "sinusoidal")
    user.types(box_of(form, "d_head"), "15")
    settle(window)
    assert session_of(window).model.d_head == 15
    user.picks(window.workbench.encoding.choice, "rope")
    said = [label.text() for label in window.workbench.encoding.findChildren(QLabel) if label.isVisible()]
    assert any("d_head must be even, not 15" in text for text in said)
    assert session_of(window).encoding.name == window.workbench.encoding.choice.currentData() == "sinusoidal"


def test_a_curve_that_does_not_exist_is_said_where_the_picture_would_stand(window, user, settle) -> None:
    form = window.workbench.plots["waves"].form
    user.types(box_of(form, "curves"), "0, 99")
    settle(window)
    (note,) = figure_of(window, "waves").panels
    assert note.text == "There is no dimension 99: dimensions are 0 to 63."
    user.types(box_of(form, "curves"), "0, 9")
    settle(window)
    (lines,) = figure_of(window, "waves").panels
    assert [series.label for series in lines.series] == ["dim 0", "dim 9"]
