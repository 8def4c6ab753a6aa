"""A caption's parts: each once, in the order of their kinds."""

from __future__ import annotations

from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption, join_caption
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Note

HELD = CaptionPart("the same in both: sentence, order, toy model (seeded weights)", "held")


def figure(*parts: CaptionPart | str) -> Figure:
    return Figure("some", "Some", (Note("why"),), compose_caption(*parts))


def test_parts_stand_in_the_order_of_their_kinds_each_once() -> None:
    parts = compose_caption(SEEDED, "one scale", "", CaptionPart("differs: base", "differs"), "one scale", "8 pairs")
    assert join_caption(parts) == "differs: base · one scale · 8 pairs · toy model, seeded weights"
    assert (
        figure("head 0").captioned(CaptionPart("“a b”", "settings"), CaptionPart("", "text")).caption
        == "“a b” · head 0"
    )


def test_what_is_held_equal_names_the_toy_model_already() -> None:
    compared = figure(SEEDED, "one scale").captioned(HELD)
    assert compared.caption == f"one scale · {HELD.text}"
    assert compared.seeded == SEEDED.text
    assert not figure("one scale").captioned(HELD).seeded, "it isn't of the toy model"


def test_text_with_the_sign_between_parts_is_one_part() -> None:
    both = compare((figure("here: a · b"), figure("here: a")), ("A", "B"))
    assert both.caption_parts == figure("here: a · b").caption_parts, "a note stays as it is"
