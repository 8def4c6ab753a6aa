"""Quick checks that parts of the repository agree."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import posenc_gui

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Folders of a person or a machine, as absolute paths.
_OWN_PATH = re.compile(rb"/(?:home|Users|root|work|tmp)/\w")


def test_the_version_is_one():
    assert PROJECT["version"] == posenc_gui.__version__


@pytest.mark.slow
def test_every_import_is_a_declared_dependency():
    extras = PROJECT["optional-dependencies"]
    required = [*PROJECT["dependencies"], *extras["mp4"], *extras["models"]]
    declared = {canonicalize_name(Requirement(requirement).name) for requirement in required}
    providers = packages_distributions()
    undeclared = {
        name
        for path in (ROOT / "posenc_gui").rglob("*.py")
        for name in _imported(ast.parse(path.read_text(encoding="utf-8")))
        if not declared & {canonicalize_name(provider) for provider in providers.get(name, ())}
    }
    assert undeclared - sys.stdlib_module_names - {"posenc_gui"} == set()


def test_no_tracked_file_names_a_path_of_one_machine():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    tracked = [ROOT / name for name in listing.decode().split("\0") if name]
    assert [path for path in tracked if path.is_file() and _OWN_PATH.search(path.read_bytes())] == []


def _imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names
