"""A folder of lab reports: each file is read once, what is large in it isn't kept, and what was read stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from posenc_gui.foundation.stopped import Stopped
from posenc_gui.labs.definition.record import DraftAnswer, Picture, Record, StepRecord
from posenc_gui.labs.reports import report_folder
from posenc_gui.labs.reports.report_folder import ReportFolder, open_report


@pytest.fixture
def folder(tmp_path: Path) -> ReportFolder:
    """A class of three, in the order in which they are read."""
    for learner in "abc":
        hand_in(tmp_path, learner)
    return ReportFolder(tmp_path)


def hand_in(folder: Path, learner: str, **said: object) -> Path:
    return Record(lab="1-set", title="A set", learner=learner, steps={"one": StepRecord(**said)}).save(
        folder / f"{learner}.json"
    )


def learners(folder: ReportFolder) -> list[str]:
    return [one.record.learner for one in folder.reports]


def test_each_file_is_told_before_it_is_read_and_read_again_once_it_has_changed(folder: ReportFolder) -> None:
    assert [(one.before, one.of, one.name) for one in folder.read()] == [
        (0, 3, "a.json"),
        (1, 3, "b.json"),
        (2, 3, "c.json"),
    ]
    assert [*folder.read()] == []
    hand_in(folder.path, "b", reason="Now I know.")
    (folder.path / "a.json").unlink()
    (folder.path / "d.json").write_text("{")
    assert [(one.before, one.of, one.name) for one in folder.read()] == [(1, 3, "b.json"), (2, 3, "d.json")]
    assert (sorted(learners(folder)), folder.left, len(folder.problems)) == (["b", "c"], "", 1)
    assert [one.name for one in folder.read()] == []
    hand_in(folder.path, "d")
    assert [one.name for one in folder.read()] == ["d.json"]
    assert folder.problems == ()


def test_what_was_read_stays_when_reading_is_stopped_and_the_rest_is_read_afterwards(folder: ReportFolder) -> None:
    def check_stop() -> None:
        if len(folder.reports) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        for _ in folder.read(check_stop):
            pass
    assert (learners(folder), folder.left[:39]) == (["a", "b"], "Reading was stopped after 2 of 3 files:")
    assert [one.name for one in folder.read()] == ["c.json"]
    assert (learners(folder), folder.left) == (["a", "b", "c"], "")


def test_no_more_files_are_read_than_promised(folder: ReportFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_folder, "MOST_FILES", 2)
    assert [one.name for one in folder.read()] == ["a.json", "b.json"]
    assert folder.left == "Only the first 2 of 3 files are read."


def test_no_more_text_is_kept_than_a_class_has(folder: ReportFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    size = open_report(folder.path / "a.json").size
    monkeypatch.setattr(report_folder, "MOST_KEPT", 2 * size + 1)
    assert [one.name for one in folder.read()] == ["a.json", "b.json", "c.json"]
    assert (learners(folder), folder.left[:33]) == (["a", "b"], "Reading ended after 2 of 3 files:")


def test_sessions_and_pictures_are_not_kept(tmp_path: Path) -> None:
    large = "x" * 1_000_000
    shown = {"reason": "since", "notes": "as a bag", "hints": 2, "explored": True}
    unshown = {"session": large, "pictures": (Picture(plot="attention", session=large, before=large),)}
    path = hand_in(tmp_path, "Ada", **shown, **unshown, values={"a": large}, draft=DraftAnswer(reason="perhaps"))
    found = open_report(path)
    assert found.record.steps["one"] == StepRecord(**shown)
    assert found.size < 1_000
