"""A step of a lab that is half written when the window is killed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hands import action, banner
from lab_hands import press
from PySide6.QtWidgets import QFileDialog
from step_hands import Writer

import posenc_gui as pe
from posenc_gui.app.state.lab_progress import HalfWritten
from posenc_gui.app.widgets.controls import LineField, TextField

SESSION = pe.Session().to_json()
TYPED = {"lab": "Twins", "text": "What becomes of them?", "act": "Look.", "answer b": "grow apart.", "wrong": "No."}


def kept(memory: Path) -> list[HalfWritten]:
    """The steps that are on the disk."""
    return [HalfWritten.model_validate_json(path.read_bytes()) for path in memory.rglob("step.json")]


def shown_in(writer: Writer) -> tuple[object, object]:
    """What is typed and claimed in the dialog."""
    now = writer.dialog.half_written
    return now.fields, now.claims


def after_kill(writer: Writer, memory: Path, killed: Callable[[Path], Path], open_window: Callable) -> Writer:
    """Who goes on in the next window with what the dialog held when the one before, on this memory, was killed."""
    wanted = writer.dialog.half_written
    assert wanted != HalfWritten()
    writer.qtbot.waitUntil(lambda: kept(memory) == [wanted])
    window = open_window(folder=killed(memory))
    assert "Labs ▸ Make this state a step" in banner(window)
    found = Writer(window, writer.user, writer.qtbot, writer.path)
    assert found.dialog.half_written == wanted
    writer.qtbot.waitUntil(lambda: found.dialog.number.count() > 1)  # all is measured
    assert found.dialog.half_written == wanted
    return found


@pytest.mark.slow
def test_a_half_written_step_is_there_again_after_a_kill(
    window, open_window, killed, user, qtbot, tmp_path, monkeypatch
) -> None:
    path, memory = tmp_path / "mine.md", tmp_path / "memory"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.workbench.store.propose(encoding="none")
    writer = Writer(window, user, qtbot, path)
    dialog = writer.dialog
    for field, words in ((dialog.lab, "Twins"), (dialog.title, "Two words"), (dialog.text, "What becomes of them?")):
        user.types(field, words)
    writer.shows("sinusoidal")
    writer.chooses(dialog.goals.more, "is larger than before")
    user.types(dialog.hint, "In the menu.")
    press(dialog.keeps)
    writer.chooses(dialog.asking.kind, "One of several")
    writer.chooses(dialog.asking.value, "Twins: 0 →")
    writer.answers(("grow apart.", "larger"), ("stay equal.", "as before"), ("change places.", ""))
    found = after_kill(writer, memory, killed, open_window)
    found.writes(found.dialog.play)
    assert found.dialog.refusal() == ""
    (step,) = found.lab().steps
    assert (step.title, step.text, step.hints) == ("Two words", "What becomes of them?", ("In the menu.",))
    assert step.prediction.options == {"a": "grow apart.", "b": "stay equal.", "c": "change places."}
    assert step.solve
    assert step.before
    assert len(step.goal) == len([ticked for _, _, ticked in found.dialog.goals.ticks if ticked])
    action(found.window, "Make this state a step").trigger()
    user.types(found.dialog.title, "Better")
    again = after_kill(found, tmp_path / "memory after a kill", killed, open_window)
    again.writes(again.dialog.play)
    assert [step.title for step in again.lab().steps] == ["Better"]  # in its own place


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ({"begun": SESSION[:50], "done": SESSION, "records": True}, "its JSON is damaged or cut short"),
        ({"written": "no lab"}, "title"),
        ({"goals": [("equivariance.value", "It is.", True)]}, "is not a comparison"),
        ({"fields": {**TYPED, "a newer field": "words"}, "newer": 1}, "know 'a newer field' and 'newer'"),
        ({"fields": {"Title of the lab": "Twins", **TYPED}}, ""),  # as their names once were
    ],
)
def test_what_of_a_step_can_not_be_read_is_said_and_kept_aside_and_all_else_is_there(
    damage: dict, why: str, open_window, user, qtbot, tmp_path
) -> None:
    slot = tmp_path / "memory" / "windows" / "left"
    slot.mkdir(parents=True)
    (slot / "session.json").write_text(SESSION)
    left = json.dumps({"fields": TYPED, "claims": [("equivariance.value < 1", "It is small.", False)], **damage})
    (slot / "step.json").write_text(left)
    writer = Writer(open_window(), user, qtbot, tmp_path / "mine.md")
    assert why in banner(writer.window)
    found = writer.dialog.half_written
    assert {name: words for name, words in found.fields.items() if words} == TYPED
    assert [ticked for *_, ticked in found.claims] == [False]
    assert not found.records
    qtbot.waitUntil(
        lambda: [(one.fields, one.claims) for one in kept(slot)] == [shown_in(writer)]
    )  # suggestions may come
    aside = [path.read_text() for path in slot.glob("step.*.json") if str(path) in banner(writer.window)]
    assert aside == [left] * bool(why)


def test_a_step_that_can_not_be_read_is_kept_aside_and_every_field_has_a_name_of_its_own(
    open_window, user, qtbot, tmp_path
) -> None:
    slot = tmp_path / "memory" / "windows" / "left"
    slot.mkdir(parents=True)
    (slot / "session.json").write_text(SESSION[:50])  # nor can this
    (slot / "step.json").write_text("{")
    window = open_window()
    (aside,) = slot.glob("step.*.json")
    assert f"can't be read whole: its file is damaged. The file is kept as {aside}." in banner(window)
    writer = Writer(window, user, qtbot, tmp_path / "mine.md")
    fields = [*writer.dialog.findChildren(LineField), *writer.dialog.findChildren(TextField)]
    for at, field in enumerate(fields):
        user.types(field, f"field {at}")
    qtbot.waitUntil(lambda: kept(slot) == [writer.dialog.half_written])
    assert set(kept(slot)[0].fields.values()) == {f"field {at}" for at in range(len(fields))}
    assert aside.read_text() == "{"
