"""What `python -m tools.size` counts, and when it says that there is too much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import size
from tools.size import Size

SHORT = '''"""A module.

Of two paragraphs.
"""

import os  # with a comment

# A comment alone.
NAMES = """
counts
"""


class Thing:
    """A thing."""

    name: str
    """Its name."""

    def say(self) -> str:
        """Say it."""
        return (
            self.name

        )
'''


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of one file in three rooms."""
    for room in ("posenc_gui/app/window/commands", "tests/app/window", "tools"):
        (tmp_path / room).mkdir(parents=True)
        (tmp_path / room / "short.py").write_text(SHORT)
    monkeypatch.setattr(size, "ROOT", tmp_path)
    monkeypatch.setattr(size, "LAST_RELEASE", tmp_path / "last_release.json")
    return tmp_path


def test_code_is_what_is_neither_blank_nor_a_comment_nor_a_docstring() -> None:
    assert size.size_of(SHORT) == Size(files=1, lines=25, code=10)


def test_long_classes_and_functions_are_counted() -> None:
    function = "    def long(self):\n" + "        self.x = 1\n" * 60
    assert size.size_of("class Short:\n" + function)[3:] == (0, 1)
    assert size.size_of("class Short:\n" + function.removesuffix("        self.x = 1\n"))[3:] == (0, 0)
    assert size.size_of("class Long:\n" + function * 5)[3:] == (1, 5)


def test_sizes_are_kept_at_a_release_and_shown_beside_those_of_now(repository: Path, capsys) -> None:
    assert size.main(["--record"]) == 0
    assert json.loads((repository / "last_release.json").read_text())["posenc_gui/app/window"] == [1, 25, 10, 0, 0]
    (repository / "tests/app/second.py").write_text("one = 1\n")
    assert size.main([]) == 0
    rows = {line.split("  ")[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert rows["posenc_gui/app/window"] == ["1", "25", "10", "0", "0"]
    assert rows["tests/app"] == ["2", "(1)", "26", "(25)", "11", "(10)", "0", "0"]


def test_what_is_over_the_budget_is_named_and_fails(repository: Path, monkeypatch, capsys) -> None:
    size.main(["--record"])
    for limit, most, said in (
        ("MOST_LINES", {"posenc_gui": 25, "tests": 24}, "tests has 25 lines, at most 24 are allowed."),
        ("MOST_FILES", {"posenc_gui": 0}, "posenc_gui has 1 files, at most 0 are allowed."),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(size, limit, most)
            assert size.main([]) == 1
        assert said in capsys.readouterr().out


def test_the_last_release_has_sizes_of_all_trees() -> None:
    recorded = json.loads(size.LAST_RELEASE.read_text())
    assert {room.split("/")[0] for room in recorded} == set(size.TREES)
