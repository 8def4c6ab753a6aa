"""What the machine has: its devices, and how much memory is free, its own, what a container or a limit leaves, a device's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
import torch

RESERVE = 512 * 2**20  # bytes left to the window, to other programs, and to what an estimate forgets


def free(device: str = "cpu") -> int:
    """The bytes that a computation on this device may take now, in the end 0."""
    if device == "cpu":
        return max(0, min(_free_here()) - RESERVE)
    if device == "mps":
        return max(0, torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory())
    available, _total = torch.cuda.mem_get_info(device)
    return int(available) + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)


@cache
def devices() -> dict[str, str]:
    """The devices that are there, by torch's name, with a name for the menu. Asking a driver may take a second."""
    found = {"cpu": "CPU"}
    if torch.cuda.is_available():
        found["cuda"] = f"CUDA ({torch.cuda.get_device_name()})"
    if torch.backends.mps.is_available():
        found["mps"] = "MPS (Apple GPU)"
    return found


def left_by_groups(groups: Path, listed: str) -> Iterator[int]:
    """What control groups leave, as a container's: the process's own and all above it, some of which have no limit.

    groups: where they are mounted, /sys/fs/cgroup. listed: the process's own, as /proc/self/cgroup names them: of version
    2, and of version 1 the one that counts memory.
    """
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
        if one.is_relative_to(root):  # a container sees its own group as the topmost
            with suppress(OSError, ValueError):  # no such group, or "max": no limit
                counts = dict(line.split() for line in (one / "memory.stat").read_text().splitlines())
                free = int((one / limit).read_text()) - int((one / used).read_text())
                yield free + int(counts.get(cached, 0))  # what is read ahead gives way


def _free_here() -> Iterator[int]:
    yield psutil.virtual_memory().available
    if sys.platform == "linux":
        with suppress(OSError):
            yield from left_by_groups(Path("/sys/fs/cgroup"), Path("/proc/self/cgroup").read_text())
    if sys.platform != "win32":
        import resource

        limit, _hard = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            yield limit - psutil.Process().memory_info().vms
