"""Collect what a class needs in a folder or on a stick: the explorer's wheel, its dependencies, and an installer.

    python -m tools.classroom.collect FOLDER [--for linux windows macos] [--python 3.11 3.12 3.13] [--torch PLACE] [--models]

Needs a network once, and uv (`pip install uv`), which resolves the dependencies of other systems. On each laptop, `python
FOLDER/install.py` then needs neither. For Linux it takes torch's CPU build, a tenth of the size of the one with CUDA, from
torch's own page; where that can't be reached, from a folder of such wheels (`--torch`). The other systems have only one build.
`--models` adds what opens models that have learned.
Intel Macs are not supported: torch is no longer built for them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLER = Path(__file__).with_name("install.py")
PYTHONS = ("3.11", "3.12", "3.13")
TORCH_FOR_CPU = "https://download.pytorch.org/whl/cpu/torch/"
_PATIENCE = 20  # seconds until torch's page counts as out of reach


@dataclass(frozen=True)
class System:
    """A supported system: uv's name for it, and the platform tags of the wheels that pip may take."""

    name: str
    tags: tuple[str, ...]


_MANYLINUX = (*(f"manylinux_2_{minor}" for minor in range(5, 35)), "manylinux2014", "manylinux2010", "manylinux1")
SYSTEMS = {
    "linux": System("x86_64-manylinux_2_34", tuple(f"{tag}_x86_64" for tag in _MANYLINUX)),
    "windows": System("x86_64-pc-windows-msvc", ("win_amd64",)),
    "macos": System("aarch64-apple-darwin", ("macosx_14_0_arm64",)),  # pip takes wheels for older versions, too
}
MACOS = "14.0"  # the oldest version that torch is built for


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect; return the exit status: 0, or 2 after a failure."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.collect", description=str(__doc__).split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--for", dest="systems", nargs="+", choices=tuple(SYSTEMS), default=list(SYSTEMS))
    parser.add_argument("--python", dest="pythons", nargs="+", choices=PYTHONS, default=list(PYTHONS))
    parser.add_argument("--torch", default=TORCH_FOR_CPU, help="the page or folder with torch's wheels for the CPU")
    parser.add_argument("--models", action="store_true", help="also what opens models that have learned")
    wanted = parser.parse_args(arguments)
    if "linux" in wanted.systems and (why := lack_of_torch(wanted.torch, wanted.pythons)):
        print(f"Not collected: {why}", file=sys.stderr)
        return 2
    wheels = wanted.folder / "wheels"
    try:
        wheels.mkdir(parents=True, exist_ok=True)
        for command in commands(wanted.folder, wanted.systems, wanted.pythons, wanted.torch, wanted.models):
            subprocess.run(command, check=True, env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": MACOS})
        shutil.copy(INSTALLER, wanted.folder)
    except OSError as error:
        print(f"{wanted.folder}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"Not collected: {error.cmd[2]} failed; what it says stands above.", file=sys.stderr)
        return 2
    if list(wheels.glob("nvidia*")):
        print(
            f"torch is for graphics cards here, and large: {wanted.torch} has none for the CPU and a Python asked for."
        )
    size = sum(path.stat().st_size for path in wheels.iterdir())
    print(
        f"{wanted.folder}: {len(list(wheels.iterdir()))} files, {size / 1e9:.1f} GB. On each laptop: python install.py"
    )
    return 0


def lack_of_torch(place: str, pythons: Sequence[str]) -> str:
    """Return what keeps torch for Linux from being taken from a page or a folder; empty if nothing does."""
    remedy = "Give a folder with torch's CPU wheels for Linux: --torch FOLDER."
    if "://" in place:
        try:
            with urllib.request.urlopen(place, timeout=_PATIENCE):
                return ""
        except OSError as error:
            return f"{place} can't be reached ({getattr(error, 'reason', error)}). {remedy}"
    lacking = [
        one for one in pythons if not list(Path(place).glob(f"torch-*-cp{one.replace('.', '')}-*linux*x86_64.whl"))
    ]
    return f"{place} has no torch for Python {', '.join(lacking)} on Linux. {remedy}" if lacking else ""


def commands(
    folder: Path, systems: Sequence[str], pythons: Sequence[str], torch: str, models: bool = False
) -> Iterator[list[str]]:
    """Yield the commands to run: build the explorer's wheel; for each system and Python, uv resolves and pip downloads."""
    python, wheels = [sys.executable, "-m"], folder / "wheels"
    yield [*python, "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    for name in systems:
        system = SYSTEMS[name]
        links = ["--find-links", torch] if name == "linux" else []
        for version in pythons:
            needs = folder / f"needs-{name}-{version}.txt"
            yield [
                *(*python, "uv", "pip", "compile", str(ROOT / "pyproject.toml")),
                *("--quiet", "--no-header", "--no-annotate", *(("--extra", "models") if models else ())),
                *("--only-binary", ":all:", "--python-version", version, "--python-platform", system.name),
                *(*links, "--output-file", str(needs)),
            ]
            tags = [part for tag in system.tags for part in ("--platform", tag)]
            yield [
                *(*python, "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(wheels)),
                *("--implementation", "cp", "--python-version", version, *tags, *links, "--requirement", str(needs)),
            ]


if __name__ == "__main__":
    raise SystemExit(main())
