"""Names of changes between two sessions, as undo and redo show them."""

from __future__ import annotations

import posenc_gui as pe
from posenc_gui.session.change_names import between


def test_equal_sessions_have_no_change() -> None:
    change = between(pe.Session(), pe.Session())
    assert (change.paths, change.name) == (frozenset(), "")


def test_an_order_that_takes_the_focus_along_is_an_order() -> None:
    session = pe.Session(key=1)
    change = between(session, session.reordered((5, 4, 3, 2, 1, 0)))
    assert change.name == "Order: “mat the on sat cat the”"
    assert change.paths == {("order",)}


def test_typing_that_drops_an_order_and_a_focus_is_typing() -> None:
    session = pe.Session().reordered((5, 4, 3, 2, 1, 0))
    change = between(session, session.changed(text="dog bites man", focus=0))
    assert change.name == "Typed “dog bites man”"
    assert change.paths == {("text",)}


def test_an_option_is_called_as_in_its_form() -> None:
    session = pe.Session()
    for plots, name in (
        ({"comparison": {"sort": "generalizable"}}, "door → no new values"),
        ({"attention": {"quantity": "position"}}, "weights → added by position"),
    ):
        assert name in between(session, session.changed(plots=plots)).name
