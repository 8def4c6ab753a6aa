"""Compute devices, and free memory: of the machine, within the limit of a container or process, and of a GPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
import torch

RESERVE = 512 * 2**20  # bytes left for the window, other programs and errors of estimates


def free_memory(device: str = "cpu") -> int:
    """Return the bytes that a computation on this device may now allocate; at least 0."""
    if device == "cpu":
        return max(0, min(_free_here()) - RESERVE)
    if device == "mps":
        return max(0, torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory())
    available, _total = torch.cuda.mem_get_info(device)
    return int(available) + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)


@cache
def devices() -> dict[str, str]:
    """Return the available devices: torch's names with their labels in the menu. Asking a driver may take a second."""
    found = {"cpu": "CPU"}
    if torch.cuda.is_available():
        found["cuda"] = f"CUDA ({torch.cuda.get_device_name()})"
    if torch.backends.mps.is_available():
        found["mps"] = "MPS (Apple GPU)"
    return found


def memory_left_by_groups(groups: Path, listed: str) -> Iterator[int]:
    """Yield the bytes still free in the process's control group, such as a container's, and in each of its parents. Groups
    without a limit are skipped. groups: the mount point of control groups, /sys/fs/cgroup. listed: the content of
    /proc/self/cgroup; in version 1 only the memory controller is used."""
    for line in listed.splitlines():
        number, controllers, own = line.split(":", 2)
        if number == "0":
            yield from _left(groups, own, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            yield from _left(groups / "memory", own, *names)


def _left(root: Path, own: str, limit: str, used: str, cached: str) -> Iterator[int]:
    group = root / own.lstrip("/")
    for one in (group, *group.parents):
        if one.is_relative_to(root):  # inside a container, the process's own group is the root
            with suppress(OSError, ValueError):  # no such group, or "max": no limit
                counts = dict(line.split() for line in (one / "memory.stat").read_text().splitlines())
                free = int((one / limit).read_text()) - int((one / used).read_text())
                yield free + int(counts.get(cached, 0))  # the page cache can be reclaimed


def _free_here() -> Iterator[int]:
    yield psutil.virtual_memory().available
    if sys.platform == "linux":
        with suppress(OSError):
            yield from memory_left_by_groups(Path("/sys/fs/cgroup"), Path("/proc/self/cgroup").read_text())
    if sys.platform != "win32":
        import resource

        limit, _hard = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            yield limit - psutil.Process().memory_info().vms
