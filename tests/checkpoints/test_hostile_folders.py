"""Damaged folders through the whole of opening: each is told in one sentence, and starts neither a program nor a socket."""

from __future__ import annotations

import shutil
import sys

import pytest

from tools import hostile_folders

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux" or not shutil.which("strace"), reason="strace is Linux's own"),
]


def test_no_folder_starts_a_program_or_a_socket(capsys: pytest.CaptureFixture[str]) -> None:
    assert hostile_folders.main() == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last.endswith("0 not told in one sentence; calls meanwhile: none")
