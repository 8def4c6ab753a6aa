"""A step of a lab that is half written when the window is killed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hands import action, banner
from lab_hands import press
from PySide6.QtWidgets import QFileDialog
from step_hands import Writer

from posenc_gui.app.state.lab_progress import HalfWritten


def after_kill(writer: Writer, memory: Path, open_window: Callable) -> Writer:
    """Who goes on in the next window, on this memory, with what the dialog held when the one before was killed."""
    wanted = writer.dialog.half_written
    assert wanted != HalfWritten()

    def is_kept() -> bool:
        latest = max(memory.rglob("session.json"), key=lambda path: path.stat().st_mtime)  # which the next start has
        kept = latest.with_name("step.json")
        return kept.exists() and HalfWritten.model_validate_json(kept.read_bytes()) == wanted

    writer.qtbot.waitUntil(is_kept)
    left = memory.with_name(f"{memory.name}, later")
    shutil.copytree(memory, left, ignore=shutil.ignore_patterns("lock", "*.unfinished"))
    window = open_window(folder=left)
    assert "Labs ▸ Make this state a step" in banner(window)
    found = Writer(window, writer.user, writer.qtbot, writer.path)
    assert found.dialog.half_written == wanted
    writer.qtbot.waitUntil(lambda: found.dialog.number.count() > 1)  # all is measured
    assert found.dialog.half_written == wanted
    return found


@pytest.mark.slow
def test_a_half_written_step_is_there_again_after_a_kill(
    window, open_window, user, qtbot, tmp_path, monkeypatch
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
    found = after_kill(writer, memory, open_window)
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
    again = after_kill(found, tmp_path / "memory, later", open_window)
    again.writes(again.dialog.play)
    assert [step.title for step in again.lab().steps] == ["Better"]  # in its own place
