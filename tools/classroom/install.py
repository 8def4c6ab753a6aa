"""Install the explorer from this folder, without a network, or report what this laptop lacks.

    python install.py            check, then install into the folder posenc-gui in the home folder
    python install.py --check    only check: one page
    python install.py --into FOLDER

Needs only Python. A Python from 3.6 on that can't run the explorer can still run this file, which then says so.
"""

import argparse
import ctypes
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYSTEMS = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}
MACHINES = {"linux": "x86_64", "windows": "AMD64", "macos": "arm64"}
DISK, DISK_WITH_CARDS = 2.0, 8.0  # GB
MEMORY = 2.0  # GB that the explorer needs to run a class's labs
QT_NEEDS = {
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1", "libdbus-1.so.3": "libdbus-1-3", "libglib-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
}  # fmt: skip


def main(arguments=None):
    """Check and install; return the exit status."""
    parser = argparse.ArgumentParser(prog="install.py", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say what this laptop lacks")
    parser.add_argument("--into", type=Path, default=Path.home() / "posenc-gui", help="where it is installed")
    wanted = parser.parse_args(arguments)
    found = list(checks(wanted.into))
    say("\n".join(told(*one) for one in found))
    if not all(good for good, _, _ in found):
        say("\nNot installed: what is marked LACKS is missing.")
        return 1
    return 0 if wanted.check else install(wanted.into)


def say(words):
    """Print, with “?” for characters that an old console lacks."""
    encoding = sys.stdout.encoding or "ascii"
    print(words.encode(encoding, "replace").decode(encoding))


def told(good, what, remedy):
    """Return a requirement's line of the page; if it isn't met, with the remedy below."""
    return f"ok     {what}" if good else f"LACKS  {what}\n       {remedy}"


def checks(into):
    """Yield each requirement: whether it is met, what was found, and what to do if it isn't."""
    kit = served(HERE)
    system, machine = SYSTEMS.get(platform.system(), platform.system()), platform.machine()
    yield (
        system in kit and machine == MACHINES[system],
        f"{platform.system()} on {machine}",
        f"This folder supports {', '.join(f'{one} on {MACHINES[one]}' for one in sorted(kit))}.",
    )
    pythons = kit.get(system) or sorted({python for pythons in kit.values() for python in pythons})
    yield of_python(sys.version_info[:2], sys.maxsize > 2**32, pythons)
    yield of_venv()
    free, needed = shutil.disk_usage(existing(into)).free / 1e9, disk(HERE, system)
    yield (
        free >= needed,
        f"{free:.1f} GB free on the disk",
        f"It takes {needed:g} GB: make room, or choose --into FOLDER.",
    )
    memory = total_memory()
    yield (
        memory is None or memory >= MEMORY,
        "memory of unknown size" if memory is None else f"{memory:.1f} GB of memory",
        f"It needs {MEMORY:g} GB.",
    )
    writable = os.access(existing(into), os.W_OK)
    yield (
        writable,
        f"{into} is {'' if writable else 'not '}writable",
        "Choose one of your own folders with --into FOLDER.",
    )
    if system == "linux":
        lacking = [package for library, package in QT_NEEDS.items() if not loads(library)]
        names = " ".join(lacking)
        yield (
            not lacking,
            f"Qt's system libraries{f': {names} missing' if lacking else ''}",
            f"sudo apt install {names}",
        )
        display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        yield True, f"a display: {display or 'none here; the explorer needs one once it starts'}", ""


def served(folder):
    """Return the Python versions for which the folder has all wheels, by system, from the lists that collect.py left."""
    found = {}
    for path in sorted(folder.glob("needs-*.txt")):
        _, system, python = path.stem.split("-")
        found.setdefault(system, []).append(python)
    return found


def package(folder):
    """Return what pip installs: the explorer, with what opens models that have learned if the folder brings it."""
    return "posenc-gui[models]" if list(folder.glob("wheels/transformers-*")) else "posenc-gui"


def disk(folder, system):
    """Return the GB that an installation takes: far more with torch's CUDA build."""
    return DISK_WITH_CARDS if system == "linux" and list(folder.glob("wheels/nvidia*")) else DISK


def of_python(version, is_64_bit, served):
    """Check that this Python is 64-bit and of a version for which there are wheels."""
    named = "{}.{}".format(*version)
    return (
        named in served and is_64_bit,
        f"Python {named}, {64 if is_64_bit else 32} bits",
        f"Install Python {' or '.join(served)} (64 bits) and run install.py with it.",
    )


def of_venv():
    """Check that Python can make virtual environments: Debian packages that apart."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return False, "no virtual environments (venv)", "sudo apt install python3-venv"
    return True, "virtual environments (venv)", ""


def existing(folder):
    """Return the folder, or its nearest existing parent."""
    return next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())


def total_memory():
    """Return the machine's memory in GB; None if the system doesn't say."""
    try:
        if platform.system() == "Windows":
            return _windows_memory()
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (AttributeError, ValueError, OSError):
        return None


def _windows_memory():
    kilobytes = ctypes.c_ulonglong(0)
    ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
    return kilobytes.value * 1024 / 1e9 or None


def loads(library):
    """Return True if a system library can be loaded."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install(into):
    """Make a virtual environment from this folder alone and return the exit status; after a failure, remove a folder that
    is new."""
    was_there = into.exists()
    programs = into / ("Scripts" if platform.system() == "Windows" else "bin")
    try:
        subprocess.run([sys.executable, "-m", "venv", str(into)], check=True)
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run(
            [*pip, "--no-index", "--find-links", str(HERE / "wheels"), package(HERE)],
            check=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("PIP_")},
        )
        subprocess.run([str(programs / "posenc-gui"), "list", "labs"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        if not was_there:
            shutil.rmtree(str(into), ignore_errors=True)
        why = error.strerror if isinstance(error, OSError) else "the error is printed above; is the folder complete?"
        say(f"\nNot installed: {why}")
        return 1
    say(f"\nInstalled. Start it with {programs / 'posenc-gui'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
