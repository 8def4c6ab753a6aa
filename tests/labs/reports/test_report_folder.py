"""A folder of lab reports: each file is read once, what is large in it isn't kept, and what was read stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from posenc_gui.foundation.stopped import CheckStop, Stopped, go_on
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
    record = Record(lab="1-set", title="A set", learner=learner, steps={"one": StepRecord(**said)})
    return record.save(folder / f"{learner}.json")


def read(folder: ReportFolder, check_stop: CheckStop = go_on) -> list[tuple[int, int, str]]:
    """What is told before each file is read."""
    told: list[tuple[int, int, str]] = []
    folder.read(check_stop, lambda *one: told.append(one))
    return told


def learners(folder: ReportFolder) -> str:
    return "".join(sorted(one.record.learner for one in folder.reports))


def test_each_file_is_told_and_read_and_read_again_once_it_has_changed(folder: ReportFolder) -> None:
    assert read(folder) == [(0, 3, "a.json"), (1, 3, "b.json"), (2, 3, "c.json")]
    hand_in(folder.path, "b", reason="Now I know.")
    (folder.path / "a.json").unlink()
    (folder.path / "d.json").write_text("{")
    assert read(folder) == [(1, 3, "b.json"), (2, 3, "d.json")]
    assert (learners(folder), folder.left, len(folder.problems)) == ("bc", "", 1)
    assert read(folder) == []
    hand_in(folder.path, "d")
    assert read(folder) == [(2, 3, "d.json")]
    assert folder.problems == ()


def test_what_was_read_stays_when_reading_is_stopped_and_the_rest_is_read_afterwards(folder: ReportFolder) -> None:
    def check_stop() -> None:
        if len(folder.reports) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        read(folder, check_stop)
    assert (learners(folder), folder.left[:39]) == ("ab", "Reading was stopped after 2 of 3 files:")
    assert read(folder) == [(2, 3, "c.json")]
    assert (learners(folder), folder.left) == ("abc", "")


def test_no_more_is_read_than_promised_and_no_more_text_kept(
    folder: ReportFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = open_report(folder.path / "a.json").size
    for name, most, told in (("MOST_KEPT", 2 * size, "after 2 of 3 files"), ("MOST_FILES", 1, "first 1 of 3 files")):
        monkeypatch.setattr(report_folder, name, most)
        read(folder)
        assert told in folder.left
    assert learners(folder) == "a"


def test_sessions_and_pictures_are_not_kept(tmp_path: Path) -> None:
    large = "x" * 1_000_000
    shown = {"reason": "since", "notes": "as a bag", "hints": 2, "explored": True}
    pictures = (Picture(plot="attention", session=large, before=large),)
    unshown = {"session": large, "pictures": pictures, "values": {"a": large}, "draft": DraftAnswer(reason="perhaps")}
    found = open_report(hand_in(tmp_path, "Ada", **shown, **unshown))
    assert found.record.steps["one"] == StepRecord(**shown)
    assert found.size < 1_000
