"""The order of names: as people look for them, whatever they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc_gui.labs.definition.lab_folder import natural_order


@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "Åsa", "Zoë"), ("anna", "Anton", "BEN"), ("Group 2", "Group 9", "group 10", "Group 010a"),
        ("Lena", "Łukasz", "Lydia"), ("Ađir", "Adis"), ("Adele", "Ægir", "Agnes"), ("Işık", "İvo", "Jan"),
        ("Straße 1", "Strasse 2"), ("2-same", "10-stretching"),
    ],
)  # fmt: skip
def test_names_stand_where_they_are_looked_for(names: tuple[str, ...]) -> None:
    assert tuple(sorted(sorted(names), key=natural_order)) == names


@given(st.lists(st.text(max_size=20) | st.text("0123456789٣a", max_size=9)))
def test_any_names_have_one_order(names: list[str]) -> None:
    assert sorted(names, key=natural_order) == sorted(sorted(names), key=natural_order)


def test_more_digits_than_a_number_may_have_are_sorted_too() -> None:
    assert natural_order("9" * 5000) < natural_order("1" + "0" * 5000)
