"""What memory is free: the machine's own, and what a container or a limit leaves of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from posenc_gui.foundation import devices


def test_no_more_is_free_than_the_machine_has() -> None:
    assert 0 <= devices.free_memory() <= psutil.virtual_memory().total - devices.RESERVE


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts addresses on Linux alone")
def test_a_limit_of_the_process_counts() -> None:
    code = """
import resource, psutil
from posenc_gui.foundation import devices
limit = psutil.Process().memory_info().vms + devices.RESERVE + 3 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(devices.free_memory())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert 0 <= int(done.stdout) <= 3 * 2**20


def group(folder: Path, files: tuple[str, str], limit: str, used: int, cached: str = "") -> None:
    folder.mkdir(parents=True)
    for name, content in zip((*files, "memory.stat"), (limit, str(used), cached), strict=True):
        (folder / name).write_text(content + "\n")


V1, V2 = ("memory.limit_in_bytes", "memory.usage_in_bytes"), ("memory.max", "memory.current")


def test_groups_of_both_versions_leave_what_they_have_not_used(tmp_path: Path) -> None:
    group(tmp_path / "user" / "lab", V2, "max", 10)
    (tmp_path / "user" / "memory.max").write_text("1000\n")
    (tmp_path / "user" / "memory.current").write_text("900\n")
    (tmp_path / "user" / "memory.stat").write_text("anon 7\ninactive_file 300\n")
    group(tmp_path / "memory" / "box", V1, "500", 100, "cache 3\ntotal_inactive_file 20")
    assert list(devices.memory_left_by_groups(tmp_path, "0::/user/lab\n")) == [400]
    assert list(devices.memory_left_by_groups(tmp_path, "5:cpu,memory:/box\n1:cpu:/\n")) == [420]


def test_where_there_are_no_groups_nothing_is_left_out(tmp_path: Path) -> None:
    assert list(devices.memory_left_by_groups(tmp_path, "")) == []
    assert list(devices.memory_left_by_groups(tmp_path, "0::/\n4:memory:/../gone\n")) == []
