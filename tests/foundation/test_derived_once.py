"""What follows from a value: derived once, kept for the latest values, and never another value's."""

from __future__ import annotations

import gc

import pytest

from posenc_gui.foundation.derived_once import derived, for_latest


class Text:
    def __init__(self, words: str) -> None:
        self.words, self.counted = words, 0

    @derived
    def count(self) -> int:
        self.counted += 1
        if not self.words:
            raise ValueError("no words")
        return len(self.words.split())


def test_a_property_is_derived_when_it_is_first_read_and_again_after_it_failed() -> None:
    text = Text("a b c")
    assert not text.counted
    assert (text.count, text.count, text.counted) == (3, 3, 1)
    empty = Text("")
    for _ in range(2):
        with pytest.raises(ValueError, match="no words"):
            _ = empty.count
    assert empty.counted == 2


def test_a_function_keeps_what_it_derived_from_the_latest_values() -> None:
    seen: list[str] = []

    @for_latest(2)
    def counted(text: Text) -> int:
        seen.append(text.words)
        return text.count

    first, second, third = Text("a"), Text("b b"), Text("c c c")
    assert [counted(one) for one in (first, second, first, third, first)] == [1, 2, 1, 3, 1]
    assert seen == ["a", "b b", "c c c"]
    assert counted(second) == 2
    assert seen[3:] == ["b b"], "the one that was used least recently was let go"


def test_a_value_that_is_gone_is_never_taken_for_another_one() -> None:
    @for_latest(2)
    def words(text: Text) -> str:
        return text.words

    for at in range(500):  # an object often gets the place of the one before
        assert words(Text(str(at))) == str(at)
        gc.collect(0)


def test_what_else_it_depends_on_is_looked_at_each_time() -> None:
    shown = {"file": "old"}

    @for_latest(2, lambda _text: shown["file"])
    def read(text: Text) -> str:
        return f"{text.words} {shown['file']}"

    text = Text("the")
    assert read(text) == "the old"
    shown["file"] = "new"
    assert read(text) == "the new"
