"""Collect what a class needs into a folder or onto a stick: the explorer's wheel, all it depends on, and what installs it.

    python -m tools.classroom.collect FOLDER [--for linux windows macos] [--python 3.11 3.12 3.13]

Needs a network once. On each laptop, `python FOLDER/install.py` then needs none. torch is its build for the CPU, which is a
tenth as large as the one for graphics cards. Intel Macs are not served: torch is built for them no more.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLER = Path(__file__).with_name("install.py")
PYTHONS = ("3.11", "3.12", "3.13")
# What pip takes wheels for, by the names that install.py looks for.
PLATFORMS = {
    "linux": tuple(
        f"{tag}_x86_64"
        for tag in (*(f"manylinux_2_{minor}" for minor in range(5, 35)), "manylinux2014", "manylinux2010", "manylinux1")
    ),
    "windows": ("win_amd64",),
    "macos": ("macosx_14_0_arm64",),
}
# pip reads "only on Windows" as of the machine that collects; what is needed elsewhere is named here.
ELSEWHERE = {"windows": ("colorama",)}
TORCH_FOR_CPU = "https://download.pytorch.org/whl/cpu"


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.collect", description=str(__doc__).split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--for", dest="systems", nargs="+", choices=tuple(PLATFORMS), default=list(PLATFORMS))
    parser.add_argument("--python", dest="pythons", nargs="+", choices=PYTHONS, default=list(PYTHONS))
    wanted = parser.parse_args(arguments)
    wheels = wanted.folder / "wheels"
    try:
        wheels.mkdir(parents=True, exist_ok=True)
        for command in commands(wheels, wanted.systems, wanted.pythons):
            subprocess.run(command, check=True)
        shutil.copy(INSTALLER, wanted.folder)
        about = {"systems": wanted.systems, "pythons": wanted.pythons}
        (wanted.folder / "kit.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        print(f"{wanted.folder}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"Not collected: pip could not {error.cmd[3]}; what it says stands above.", file=sys.stderr)
        return 2
    size = sum(path.stat().st_size for path in wheels.iterdir())
    print(
        f"{wanted.folder}: {len(list(wheels.iterdir()))} files, {size / 1e9:.1f} GB. On each laptop: python install.py"
    )
    return 0


def commands(wheels: Path, systems: Sequence[str], pythons: Sequence[str]) -> Iterator[list[str]]:
    """What pip is asked for: the explorer's own wheel, then what it needs, once for each system and Python."""
    pip = [sys.executable, "-m", "pip"]
    yield [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    for system in systems:
        for python in pythons:
            tags = [part for tag in PLATFORMS[system] for part in ("--platform", tag)]
            download = [
                *(*pip, "download", "--quiet", "--only-binary", ":all:", "--dest", str(wheels)),
                *("--implementation", "cp", "--python-version", python, *tags),
            ]
            yield [*download, "--no-deps", "--extra-index-url", TORCH_FOR_CPU, torch()]
            yield [*download, "--find-links", str(wheels), "posenc-gui", *ELSEWHERE.get(system, ())]


def torch() -> str:
    """The torch that the explorer asks for: its build for the CPU counts as newer than the other one of that version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return next(one for one in project["dependencies"] if one.startswith("torch"))


if __name__ == "__main__":
    raise SystemExit(main())
