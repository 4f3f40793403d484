"""Names of models and files become paths: harmless whatever they are, and different."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desk import OPEN, ZIP
from hypothesis import given
from hypothesis import strategies as st

from replication.hub.access import HUB
from replication.hub.datasets import download_path, safe_name

HOSTILE = [
    *("a/b", "../../etc/passwd", "/etc/passwd", "..", ".", "...", ".hidden", "a\\b", "C:\\x"),
    *("harness|arc:challenge|25", "two words", " ", "tab\there", "new\nline", "nul\0byte"),
    *("x" * 200, "ü", "e\u0301", "\u202egpj", "\ud800", "CON", "con.txt", "aux", "LPT1"),
    *("$(rm -rf x)", "`x`", "{wildcard}", "~", "-rf", "a*?[b]", "%2e%2e", "a;b", "'", '"', "x."),
]


def model(name: str) -> Path:
    dataset = replace(OPEN, name=f"oll_v1/arc/{name}")
    return download_path(Path("downloads"), HUB, dataset)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name_stays_inside(name: str, tmp_path: Path) -> None:
    path = model(name)
    assert path.parent == Path("downloads/huggingface.co/oll_v1/arc")
    assert path.suffix == ".parquet"
    assert len(path.name) <= 110
    assert path.name.isascii()
    assert not set(path.name) & set("/\\|:*?\"<>{}$`;~%'")
    assert not path.name.startswith(".")
    target = tmp_path / path
    target.parent.mkdir(parents=True)
    target.write_bytes(b"x")
    assert target.resolve().is_relative_to(tmp_path)


def test_hostile_names_have_paths_of_their_own() -> None:
    assert len({model(name) for name in HOSTILE}) == len(HOSTILE)


def test_names_that_differ_in_case_differ_otherwise() -> None:
    """On a file system that does not know case, too."""
    names = ["Llama-3-8B", "llama-3-8b", "LLAMA-3-8B", "Llama-3-8b"]
    assert len({str(model(name)).lower() for name in names}) == len(names)


def test_safe_name_stays_as_it_is() -> None:
    assert safe_name("calme-3.2-78b") == "calme-3.2-78b"
    assert safe_name("model_outputs_Yi-6B_5shots.zip") == "model_outputs_Yi-6B_5shots.zip"
    assert model("gemma-7b").name == "gemma-7b.parquet"


def test_file_whose_reader_goes_by_its_name_keeps_it() -> None:
    path = download_path(Path("x"), "https://github.com", ZIP)
    assert path.name == "model_outputs_Yi-6B_5shots.zip"


@pytest.mark.parametrize("part", ["..", ".", "a b", "%2e%2e", "x" * 90])
def test_board_and_task_are_made_safe_too(part: str) -> None:
    path = download_path(Path("x"), HUB, replace(OPEN, name=f"{part}/{part}/m"))
    assert len(path.parts) == 5
    assert ".." not in path.parts


def test_endpoints_have_folders_of_their_own() -> None:
    endpoints = [HUB, "http://127.0.0.1:1", "http://127.0.0.1:11", "https://mirror.org/hf"]
    folders = {download_path(Path("x"), endpoint, OPEN).parts[1] for endpoint in endpoints}
    assert len(folders) == len(endpoints)
    assert all(safe_name(folder) == folder for folder in folders)


@given(st.text(max_size=150), st.text(max_size=150))
def test_different_names_have_different_safe_names(one: str, other: str) -> None:
    for name in (one, other):
        safe = safe_name(name, ignore_case=True)
        assert 0 < len(safe) <= 100
        assert Path(safe).name == safe
        assert safe not in {".", ".."}
    if one != other:
        assert (
            safe_name(one, ignore_case=True).lower() != safe_name(other, ignore_case=True).lower()
        )
