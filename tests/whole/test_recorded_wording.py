"""What is said in fixed cases is what was read and recorded."""

from __future__ import annotations

import os

import pytest

from tests.recorded import wording


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="links as Unix has them")
def test_what_is_said_is_what_is_recorded() -> None:
    said, recorded = wording.written().splitlines(), wording.FILE.read_text(encoding="utf-8").splitlines()
    assert said == recorded, "read what has changed, then renew it: python tests/recorded/wording.py"
