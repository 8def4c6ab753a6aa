"""Documents agree with the repository: paths, links and menu titles exist, and examples work as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "benchmarks/README.md"]
DOCUMENTS += [f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")]
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?|[\w.-]+/")
_LINK = re.compile(r"\]\(([^)#:]+)\)")
_PLACEHOLDER = re.compile("NAME|FILE|KIT")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", CONTRIBUTING, re.MULTILINE | re.DOTALL)

# Each whole file stands in its folder, in a process of its own, before anything is imported that lists the folder.
SCRIPT = """
import sys
from pathlib import Path
import posenc_gui.measures, posenc_gui.plots, posenc_gui.render
folder = Path(sys.argv[1])
for package in (posenc_gui.measures, posenc_gui.plots, posenc_gui.render):
    package.__path__.append(str(folder / package.__name__.rpartition(".")[2]))
import posenc_gui as pe
for encoding in ("sinusoidal", "rope", "alibi"):
    session = pe.Session(encoding=encoding)
    figure = pe.plot("norms", session)
    assert not figure.is_note, figure.description
    figure.save(folder / "norms.txt")
    assert (folder / "norms.txt").read_text().startswith("Norms")
    assert pe.measure("norms", session).reason
assert pe.measure("norms", pe.Session(encoding="integer")).value is None  # position 0 has no length
assert pe.measure("norms", pe.Session(encoding="sinusoidal")).value >= 1
"""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_and_link_is_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    named = {path for code in _CODE.findall(prose) for path in code.split() if _PATH.fullmatch(path)}
    paths = {path for path in named if not _PLACEHOLDER.search(path)}
    folders = (ROOT, ROOT / "posenc_gui", (ROOT / document).parent)
    missing = [path for path in sorted(paths) if not any((folder / path).exists() for folder in folders)]
    missing += [link for link in _LINK.findall(text) if not ((ROOT / document).parent / link).exists()]
    assert missing == []


def test_the_encoding_shown_is_the_one_in_the_repository() -> None:
    assert (ROOT / "posenc_gui" / "encodings" / "integer.py").read_text(encoding="utf-8") in EXAMPLES


@pytest.mark.slow
def test_a_group_of_fields_is_declared_as_shown() -> None:
    (example,) = (one for one in EXAMPLES if one.startswith("class "))
    declared, field = example.split("\n\n\n")
    script = f"""
from typing import Literal
from pydantic import Field
import posenc_gui as pe
from posenc_gui.encodings.integer import Integer
from posenc_gui.foundation.declared_model import Frozen

class Yarn(Frozen, title="YaRN"):
    rope_type: Literal["yarn"] = "yarn"

{declared}

class Scaled(Integer):
    {field}
assert Scaled(scaling={{"rope_type": "linear", "factor": 8}}).scaling == Linear(factor=8)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.slow
def test_the_plot_the_measure_and_the_output_work_as_written(tmp_path: Path) -> None:
    for example in EXAMPLES:
        kinds = {"PLOT = ": "plots", "MEASURE = ": "measures", "SUFFIXES = ": "render"}
        for mark, folder in kinds.items():
            if mark in example:
                name = "words" if folder == "render" else "norms"
                (tmp_path / folder).mkdir()
                (tmp_path / folder / f"{name}.py").write_text(example, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_menu_title_is_in_the_window() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "posenc_gui" / "app").rglob("*.py"))
    said = "".join(sources).replace("&", "")
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    paths = re.findall(r"(?<!\*)\*([^*]+ ▸ [^*]+)\*(?!\*)", readme)
    titles = {title.strip() for path in paths for title in path.split("▸")}
    assert [title for title in sorted(titles) if title not in said] == []
