"""The crate of a run has what its profiles require; the lists are those of the profiles.

Workflow Run Crate 0.5, Process Run Crate 0.5, Workflow RO-Crate 1.0, RO-Crate 1.1: their MUSTs.
roc-validator takes the same rules from the network's contexts, which `contexts` has as published.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from replication.crate import codemeta, run_crate
from run_examples import AUDIT, write_run

Entities = dict[str, dict[str, Any]]
CONTEXTS = Path(__file__).parent / "contexts"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    return write_run(tmp_path)


@pytest.fixture
def crate(run: dict[str, Any]) -> dict[str, Any]:
    beside = ["results/manifest.json", *AUDIT]
    return run_crate(run, workflow="Snakefile", settings="config.yaml", beside=beside)


@pytest.fixture
def entities(crate: dict[str, Any]) -> Entities:
    graph = crate["@graph"]
    assert len({entity["@id"] for entity in graph}) == len(graph)
    return {entity["@id"]: entity for entity in graph}


def ids(value: Any) -> list[str]:
    found = value if isinstance(value, list) else [value]
    return [one["@id"] for one in found]


def types(entity: dict[str, Any]) -> set[str]:
    found = entity["@type"]
    return {found} if isinstance(found, str) else set(found)


def referenced(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from [value["@id"]] if set(value) == {"@id"} else []
        for one in value.values():
            yield from referenced(one)
    elif isinstance(value, list):
        for one in value:
            yield from referenced(one)


def test_ro_crate(crate: dict[str, Any], entities: Entities, tmp_path: Path) -> None:
    assert "https://w3id.org/ro/crate/1.1/context" in crate["@context"]
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert "https://w3id.org/ro/crate/1.1" in ids(descriptor["conformsTo"])
    assert ids(descriptor["about"]) == ["./"]
    assert root["@type"] == "Dataset"
    assert all(root[name] for name in ("name", "description", "license", "datePublished"))
    files = {name for name, entity in entities.items() if "File" in types(entity)}
    assert set(ids(root["hasPart"])) == files
    assert all((tmp_path / name).is_file() for name in files)
    # What is referred to is described, but for terms that others define.
    known = {*entities, *(one for one in referenced(crate) if one.startswith("http"))}
    assert set(referenced(crate)) <= known


def test_workflow_ro_crate(entities: Entities) -> None:
    root = entities["./"]
    (main,) = ids(root["mainEntity"])
    workflow = entities[main]
    assert types(workflow) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert workflow["name"]
    language = entities[ids(workflow["programmingLanguage"])[0]]
    assert types(language) == {"ComputerLanguage"}
    assert (language["name"], language["version"]) == ("Snakemake", "9")
    profile = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
    assert profile in ids(entities["ro-crate-metadata.json"]["conformsTo"])


def test_workflow_run_crate(entities: Entities) -> None:
    root = entities["./"]
    profiles = ids(root["conformsTo"])
    assert profiles == [
        "https://w3id.org/ro/wfrun/process/0.5",
        "https://w3id.org/ro/wfrun/workflow/0.5",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
    ]
    assert all("CreativeWork" in types(entities[profile]) for profile in profiles)
    assert all(entities[profile]["version"] for profile in profiles)
    action = entities[ids(root["mentions"])[0]]
    assert types(action) == {"CreateAction"}
    assert ids(action["instrument"]) == ids(root["mainEntity"])
    began, ended = (datetime.fromisoformat(action[name]) for name in ("startTime", "endTime"))
    assert (ended - began).total_seconds() == 120
    agent = entities[ids(action["agent"])[0]]
    assert (agent["@type"], agent["name"]) == ("Person", "somebody")
    assert action["actionStatus"] == "http://schema.org/CompletedActionStatus"
    slot = entities[ids(entities["Snakefile"]["input"])[0]]
    assert types(slot) == {"FormalParameter"}
    assert slot["additionalType"] == "File"
    assert ids(entities["config.yaml"]["exampleOfWork"]) == [slot["@id"]]


def test_what_was_read_and_made(entities: Entities) -> None:
    action = entities["#run"]
    # Code is no input, and what lies outside the folder is described without its path.
    assert ids(action["object"]) == ["config.yaml", "data/printed.csv", "#scores-mine"]
    assert entities["#scores-mine"]["identifier"] == "sha256:7"
    assert not any("elsewhere" in str(entity) for entity in entities.values())
    made = ids(action["result"])
    assert {"figures/figure_01.pdf", "results/manifest.json", *AUDIT} <= set(made)
    assert entities["results/tables/table_06.md"]["encodingFormat"] == "text/markdown"
    assert entities["results/tables/table_06.md"]["sha256"] == "ab"


def test_the_crate_of_another_paper_names_nothing_outside_it(run: dict[str, Any]) -> None:
    for one in [*run["exhibits"], *run["boards"]]:
        one["outputs"] = {f"papers/kite/{path}": found for path, found in one["outputs"].items()}
    crate = run_crate(
        run,
        workflow="Snakefile",
        settings="config.yaml",
        beside=["papers/kite/results/manifest.json"],
        folder="papers/kite/",
    )
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    files = {name for name, entity in entities.items() if "File" in types(entity)}
    assert {"results/tables/table_06.csv", "results/manifest.json"} <= files
    assert {name.split("/")[0] for name in files} == {"results", "figures"}
    assert ids(entities["./"]["conformsTo"]) == ["https://w3id.org/ro/wfrun/process/0.5"]
    instrument = entities[ids(entities["#run"]["instrument"])[0]]
    assert types(instrument) == {"SoftwareApplication"}


def test_codemeta_names_software_and_paper(run: dict[str, Any]) -> None:
    written = codemeta(run)
    assert written["@context"] == "https://w3id.org/codemeta/3.0"
    assert (written["name"], written["version"]) == ("llm-power", "0.1")
    required = [(one["name"], one["version"]) for one in written["softwareRequirements"]]
    assert required == [("snakemake", "9"), ("numpy", "2")]
    assert written["license"] == "https://spdx.org/licenses/MIT"
    assert written["referencePublication"]["description"] == "Nobody 2026"
    assert all(written[name] for name in ("author", "description", "programmingLanguage"))


@pytest.mark.parametrize("folder", ["", "results/"])
def test_every_term_is_one_of_the_two_contexts(run: dict[str, Any], folder: str) -> None:
    """As published: RO-Crate 1.1.3 (CC0), and that of ro-terms for runs of workflows."""
    crate = run_crate(
        run, workflow="Snakefile", settings="config.yaml", beside=AUDIT, folder=folder
    )
    assert crate["@context"] == [
        "https://w3id.org/ro/crate/1.1/context",
        "https://w3id.org/ro/terms/workflow-run/context",
    ]
    known = {"@id", "@type"}
    for name in ("ro-crate-1.1", "workflow-run"):
        published = json.loads((CONTEXTS / f"{name}.jsonld").read_text("utf-8"))
        known |= published["@context"].keys()
    for entity in crate["@graph"]:
        assert entity.keys() | types(entity) <= known
