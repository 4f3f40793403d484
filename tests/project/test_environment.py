"""The lock, environment.yml, pyproject.toml and the running environment name the same versions."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from needed import ROOT

STATED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = STATED["dependency-groups"]
# In the environment and its lock; every other group has a lock of its own.
INCLUDED = [part["include-group"] for part in GROUPS["env"]]
BESIDE_GROUPS = sorted(GROUPS.keys() - {"env", *INCLUDED})
BESIDE = [f"requirements-{group}.lock" for group in BESIDE_GROUPS]
LOCKS = ["requirements.lock", "requirements-build.lock", "requirements-action.lock", *BESIDE]


def lock_text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def locked(name: str) -> list[Requirement]:
    """Every entry of a lock: unindented lines, without the backslash before the hashes."""
    lines = [line for line in lock_text(name).splitlines() if line and line[0] not in " #"]
    return [Requirement(line.removesuffix("\\").strip()) for line in lines]


def pinned_version(requirement: Requirement) -> str:
    (specifier,) = requirement.specifier
    assert specifier.operator == "=="
    return specifier.version


def stated_in_pyproject() -> list[Requirement]:
    extras = STATED["project"]["optional-dependencies"].values()
    tools = [GROUPS[name] for name in INCLUDED]
    groups = [
        STATED["build-system"]["requires"],
        STATED["project"]["dependencies"],
        *extras,
        *tools,
    ]
    return [Requirement(line) for group in groups for line in group]


@pytest.fixture(scope="module")
def environment() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(lock_text("environment.yml"))
    return loaded


def test_environment_yml_is_the_lock_in_part_by_condas_names(environment: dict[str, Any]) -> None:
    *conda, by_pip = environment["dependencies"]
    *pinned, itself = by_pip["pip"]
    assert itself == "--editable ."
    versions = dict(line.split(" ==") for line in conda if "==" in line)
    assert [line for line in conda if "==" not in line] == ["python >=3.11,<3.14", "pip"]
    assert versions.keys() >= {"numpy", "pandas", "scipy", "snakemake", "huggingface_hub"}
    renamed = [f"{canonicalize_name(name)}=={version}" for name, version in versions.items()]
    assert sorted(str(Requirement(line)) for line in [*pinned, *renamed]) == sorted(
        str(requirement) for requirement in locked("requirements.lock")
    )


def test_the_lock_has_one_version_of_each_package() -> None:
    names = [canonicalize_name(requirement.name) for requirement in locked("requirements.lock")]
    assert len(names) == len(set(names))


def test_every_direct_dependency_is_in_the_lock_at_a_version_it_allows() -> None:
    versions = {
        canonicalize_name(requirement.name): pinned_version(requirement)
        for requirement in locked("requirements.lock")
    }
    unfit = [
        str(stated)
        for stated in stated_in_pyproject()
        if not stated.specifier.contains(versions.get(canonicalize_name(stated.name), "0.0.0.dev0"))
    ]
    assert unfit == []


def test_the_actions_lock_is_the_part_of_the_lock_that_the_package_needs() -> None:
    ours = {one.name: str(one.specifier) for one in locked("requirements-action.lock")}
    everything = {one.name: str(one.specifier) for one in locked("requirements.lock")}
    assert ours.items() <= everything.items()
    seen: set[str] = set()
    distribution = STATED["project"]["name"]
    waiting = {distribution}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        needed = [Requirement(line) for line in requires(name) or ()]
        plain = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
        waiting |= {canonicalize_name(one.name) for one in plain} - seen
    assert seen - {distribution} <= ours.keys()


def test_the_build_lock_is_part_of_the_lock() -> None:
    everything = {str(requirement) for requirement in locked("requirements.lock")}
    assert {str(requirement) for requirement in locked("requirements-build.lock")} <= everything


def test_an_extra_holds_what_a_user_asks_for_and_no_tool_of_developers() -> None:
    extras = STATED["project"]["optional-dependencies"]
    assert extras.keys() == {"report", "excel", "frames", "workflow"}


@pytest.mark.parametrize("group", BESIDE_GROUPS)
def test_the_lock_of_a_group_changes_no_version_of_the_lock(group: str) -> None:
    ours, beside = (
        {canonicalize_name(one.name): pinned_version(one) for one in locked(name)}
        for name in ("requirements.lock", f"requirements-{group}.lock")
    )
    assert ours.keys().isdisjoint(beside)
    for line in map(Requirement, GROUPS[group]):
        assert line.specifier.contains((ours | beside)[canonicalize_name(line.name)])


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_hashes_throughout_and_names_no_host_and_no_folder(name: str) -> None:
    entries = re.split(r"^(?=[^ #\n])", lock_text(name), flags=re.MULTILINE)[1:]
    assert len(entries) == len(locked(name))
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://|file:|--index|--find-links| @ |-e ", lock_text(name))


def test_what_is_installed_is_what_is_locked() -> None:
    wrong = {}
    for requirement in locked("requirements.lock"):
        if requirement.marker is None or requirement.marker.evaluate():
            try:
                found = version(requirement.name)
            except PackageNotFoundError:
                found = "missing"
            if found != pinned_version(requirement):
                wrong[str(requirement)] = found
    assert wrong == {}, "run `make env`"
