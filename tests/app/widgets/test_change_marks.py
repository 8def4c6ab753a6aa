"""What differs from its default is marked, goes back by one press, and nothing of a number is cut, however large the type."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolButton

import posenc_gui as pe
from posenc_gui.app.widgets import style_sheet
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import SCROLL_BAR
from posenc_gui.session.first_session import first_session

LEFT = Qt.MouseButton.LeftButton
USED = pe.encoding("rope", base=500_000.0, scaling={"rope_type": "yarn", "factor": 8.0})


def reset(form: ModelForm) -> QToolButton:
    (button,) = (one for one in form.findChildren(QToolButton) if one.text() == "Back to defaults")
    return button


def changed(form: ModelForm) -> list[str]:
    return [name for name in form.names() if form.editor(name).is_changed]


def test_what_is_changed_is_marked_and_each_field_or_all_go_back(window, settle) -> None:
    store, panel = window.workbench.store, window.workbench.encoding
    store.replace(store.session.changed(encoding=pe.encoding("rope")))
    form = panel.form()
    assert (changed(form), reset(form).isHidden()) == ([], True)
    store.replace(store.session.changed(encoding=USED))
    assert changed(form) == ["base", "scaling", "scaling.factor"]
    assert form.editor("base").mark.accessibleName() == "Base: back to 10,000"
    assert not panel.strength.editor("strength").is_changed
    QTest.mouseClick(form.editor("scaling.factor").mark, LEFT)
    assert store.session.encoding.scaling == type(USED.scaling)()
    assert changed(form) == ["base", "scaling"]
    QTest.mouseClick(reset(form), LEFT)
    assert (store.session.encoding, changed(form)) == (pe.encoding("rope"), [])
    store.undo()
    assert changed(form) == ["base", "scaling"]
    store.replace(first_session())
    assert not changed(window.workbench.model.form), "the toy of a first start is at its own defaults"
    assert not any(changed(one.form) for one in window.workbench.plots.values())


def test_both_sides_of_a_comparison_are_marked(window, settle) -> None:
    store, rows = window.workbench.store, window.workbench.compare
    store.replace(store.session.changed(encoding=USED, other=pe.encoding("rope", base=500_000.0)))
    shared = next(mark for name, mark in rows.rows._marks.items() if name == "base")
    assert not shared.isHidden()
    assert rows.rows.editors["encoding", "scaling"].is_changed
    assert not rows.rows.editors["other", "scaling"].is_changed
    shared.click()
    assert store.session.encoding.base == store.session.other.base == 10_000


def test_pairing_is_in_sight_with_the_base(window, settle) -> None:
    store = window.workbench.store
    store.replace(store.session.changed(encoding=pe.encoding("rope")))
    form = window.workbench.encoding.form()
    assert [name for name in form.names() if not form.editor(name).isHidden()] == ["base", "pairing"]


@pytest.mark.slow
@pytest.mark.own_window
@pytest.mark.most(2)
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_no_number_is_cut_and_no_card_wider_than_it_is(window, settle, qtbot, scale: float) -> None:
    panel, store = window.workbench.encoding, window.workbench.store
    style_sheet.apply(THEME.roles, window, scale)
    try:
        for size in (QSize(960, 800), QSize(1440, 900)):
            window.resize(size)
            for name in ("rope", "xpos", "sinusoidal", "alibi", "t5"):
                encoding = pe.encoding(name, **({"base": 10_000_000.0} if name in ("rope", "sinusoidal") else {}))
                store.replace(store.session.changed(encoding=encoding))
                panel.form().unfold()
                settle(window)
                qtbot.waitUntil(lambda: not any(map(is_cut, panel.findChildren(QLineEdit))))
                assert panel.width() <= window.cards["encoding"].room.width() + SCROLL_BAR
    finally:
        style_sheet.apply(THEME.roles, window)


def is_cut(line: QLineEdit) -> bool:
    return line.isVisible() and line.fontMetrics().horizontalAdvance(line.text()) > line.width()
