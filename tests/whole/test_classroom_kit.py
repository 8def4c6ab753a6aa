"""The kit for a classroom without internet: what is asked of pip, and what a laptop is told that it lacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.classroom import collect, install


def test_every_served_system_and_python_is_asked_for(tmp_path: Path) -> None:
    first, *others = collect.commands(tmp_path, list(collect.SYSTEMS), collect.PYTHONS, "its-place")
    assert first[2:4] == ["pip", "wheel"]
    resolved, fetched = others[::2], others[1::2]
    asked = {(command[command.index("--python-version") + 1], command[-1]) for command in fetched}
    assert len(asked) == len(collect.PYTHONS) * len(collect.SYSTEMS)
    for resolving, fetching in zip(resolved, fetched, strict=True):
        assert resolving[2] == "uv"  # of another system's needs pip knows nothing
        assert resolving[-1] == fetching[-1]
        assert "--no-deps" in fetching
        for command in (resolving, fetching):
            assert command[command.index("--only-binary") + 1] == ":all:"  # nothing is built on a laptop
            assert ("its-place" in command) == ("linux" in command[-1])


def test_the_pythons_are_those_that_the_explorer_names() -> None:
    project = (collect.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(f"Programming Language :: Python :: {python}" in project for python in collect.PYTHONS)


def test_a_python_that_can_not_is_told_which_can() -> None:
    for version, bits, good in (((3, 12), True, True), ((3, 9), True, False), ((3, 12), False, False)):
        found = install.of_python(version, bits, ["3.11", "3.12"])
        assert found[0] == good
        assert "3.11 or 3.12" in found[2]
        assert install.told(*found).startswith("ok " if good else "LACKS ")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A kit without wheels."""
    (tmp_path / "install.py").write_bytes(collect.INSTALLER.read_bytes())
    for system in collect.SYSTEMS:
        for python in collect.PYTHONS:
            (tmp_path / f"needs-{system}-{python}.txt").touch()
    return tmp_path


def test_the_check_is_one_page_that_names_what_is_missing(kit: Path) -> None:
    command = [sys.executable, "-I", str(kit / "install.py"), "--check", "--into", str(kit / "new" / "place")]
    bare = {"PATH": "", "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=bare)
    lines = ran.stdout.strip().split("\n")
    assert ran.stderr == ""
    assert ran.stdout.isascii()
    assert len(lines) <= 40
    assert any(line.startswith("ok     Python 3.") for line in lines)
    if sys.platform == "linux":
        assert any(
            line.startswith("ok     a display: none here") for line in lines
        )  # as over ssh, where it is only installed
    if ran.returncode:
        assert lines[-1] == "Not installed: what is marked LACKS is missing."
    assert not (kit / "new").exists()


def test_an_installation_that_fails_says_so_in_a_line(kit: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert install.install(kit / "install.py" / "new") == 1
    assert capfd.readouterr().out.strip().endswith("Not installed: the error is printed above; is the folder complete?")


def test_a_folder_serves_what_was_collected_in_one_go_or_in_several(kit: Path) -> None:
    assert install.served(kit) == {system: list(collect.PYTHONS) for system in collect.SYSTEMS}
    (kit / "needs-linux-3.12.txt").unlink()
    assert install.served(kit)["linux"] == ["3.11", "3.13"]
    assert install.disk(kit, "linux") == install.disk(kit, "windows") == install.DISK
    (kit / "wheels").mkdir()
    (kit / "wheels" / "nvidia_cublas-13-py3-none-any.whl").touch()
    assert (install.disk(kit, "linux"), install.disk(kit, "windows")) == (install.DISK_WITH_CARDS, install.DISK)


def test_a_folder_that_is_not_there_yet_is_looked_for_above(tmp_path: Path) -> None:
    assert install.existing(tmp_path / "a" / "b") == tmp_path


def test_a_folder_that_can_not_be_made_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert collect.main([str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_where_torch_can_not_be_had_that_is_said_before_anything_is_collected(tmp_path: Path, capsys) -> None:
    wheels, kit = tmp_path / "torch", tmp_path / "kit"
    wheels.mkdir()
    (wheels / "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
    assert collect.lack_of_torch(str(wheels), ["3.11"]) == ""
    for place in ("http://127.0.0.1:9/torch/", str(wheels)):
        assert collect.main([str(kit), "--for", "linux", "--torch", place]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"Not collected: {place}")
        assert "--torch FOLDER" in said
        assert not kit.exists()
    assert "no torch for Python 3.12, 3.13 on Linux" in said


def test_a_kit_with_what_opens_trained_models_installs_it(kit: Path, tmp_path: Path) -> None:
    assert install.package(kit) == "posenc-gui"
    (kit / "wheels").mkdir()
    (kit / "wheels" / "transformers-5.24.0-py3-none-any.whl").touch()
    assert install.package(kit) == "posenc-gui[models]"
    for models in (False, True):
        commands = list(collect.commands(tmp_path, ["linux"], ["3.11"], "its-place", models))
        assert any("--extra" in command for command in commands) == models
