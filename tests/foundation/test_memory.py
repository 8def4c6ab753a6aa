"""What is freed between blocks that stay goes back to the system."""

from __future__ import annotations

import platform

import psutil
import pytest

from posenc_gui.foundation import memory

_MIB = 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's heap can be told to")
def test_freed_blocks_between_blocks_that_stay_are_given_back() -> None:
    blocks = [b"%d" % number * 25_000 for number in range(1000, 1400)]
    del blocks[::2]
    before = psutil.Process().memory_info().rss
    memory.give_back_holes()
    assert before - psutil.Process().memory_info().rss > 10 * _MIB
    assert {len(block) for block in blocks} == {100_000}
