"""How much memory the machine has to give: its own, what a container or a limit of the process leaves, or a device's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import torch

RESERVE = 512 * 2**20  # bytes left to the window, to other programs, and to what an estimate forgets

_CGROUPS = Path("/sys/fs/cgroup")


def free(device: str = "cpu") -> int:
    """The bytes that a computation on this device may take now, in the end 0."""
    if device == "cpu":
        return max(0, min(_free_here()) - RESERVE)
    if device == "mps":
        return max(0, torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory())
    available, _total = torch.cuda.mem_get_info(device)
    return int(available) + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)


def _free_here() -> Iterator[int]:
    yield psutil.virtual_memory().available
    yield from _left_by_groups()
    if sys.platform != "win32":
        import resource

        limit, _hard = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            yield limit - psutil.Process().memory_info().vms


def _left_by_groups() -> Iterator[int]:
    """What control groups (Linux, version 2) leave, as in a container: the process's own group and all above it."""
    with suppress(OSError, ValueError):  # no Linux, or version 1
        own = Path("/proc/self/cgroup").read_text().partition("0::/")[2].strip()
        for group in (_CGROUPS / own, *(_CGROUPS / own).parents):
            if _CGROUPS not in (group, *group.parents):
                return
            with suppress(OSError, ValueError):  # the topmost has no limit, any other may have none: "max"
                limit, used = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
                stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
                yield limit - used + int(stat["inactive_file"])  # cached files give way
