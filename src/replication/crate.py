"""The run as a Workflow Run RO-Crate, and its software as CodeMeta, both from the manifest."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageMetadata, entry_points
from pathlib import Path
from typing import Any, Final

from rocrate.model import ComputationalWorkflow, ContextEntity, DataEntity, Person
from rocrate.rocrate import ROCrate

# Workflow Run RO-Crate 0.5 is a profile of RO-Crate 1.1.
_VERSION: Final = "1.1"
_PROCESS: Final = {"https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5")}
_WORKFLOW: Final = _PROCESS | {
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_TERMS: Final = "https://w3id.org/ro/terms/workflow-run/context"
_BIOSCHEMAS: Final = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
_CODEMETA: Final = "https://w3id.org/codemeta/3.0"
_MEDIA: Final = {
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".parquet": "application/vnd.apache.parquet",
    ".yaml": "application/yaml",
}


def run_crate(
    manifest: Mapping[str, Any],
    *,
    workflow: str,
    settings: str,
    beside: Iterable[str],
    folder: str = "",
) -> dict[str, Any]:
    """Return the content of ``ro-crate-metadata.json``."""
    crate = _crate(manifest, _PROCESS if folder else _WORKFLOW)
    software, run, read_first = manifest["software"], manifest["run"], list[DataEntity]()
    if folder:
        application = {"@type": "SoftwareApplication"} | _software(software)
        main = crate.add(ContextEntity(crate, "#workflow", application))
    else:
        main = _add_workflow(crate, workflow, software)
        read_first.append(_file(crate, settings))
        read_first[0]["exampleOfWork"] = main["input"]
        if Path("README.md").is_file():
            readme = _file(crate, "README.md")
            readme["about"] = crate.root_dataset
    described = [*manifest["exhibits"], *manifest["boards"]]
    results = {
        path.removeprefix(folder): sha256
        for one in described
        for path, sha256 in one["outputs"].items()
    }
    read = {
        path: sha256
        for one in manifest["exhibits"]
        for path, sha256 in one["inputs"].items()
        if path.startswith("data/") and not folder
    }
    agent = crate.add(Person(crate, "#agent", {"name": run["agent"]}))
    crate.add_action(
        main,
        "#run",
        object=[
            *read_first,
            *(_file(crate, path, sha256) for path, sha256 in read.items()),
            *(_scores(crate, board) for board in manifest["boards"]),
        ],
        result=[
            *(_file(crate, path, sha256) for path, sha256 in results.items()),
            *(_file(crate, path.removeprefix(folder)) for path in beside),
        ],
        properties={
            "name": f"Run of the workflow on source {manifest['source']}",
            "description": f"Every table and figure, {len(manifest['boards'])} boards, the audit.",
            "startTime": run["start"],
            "endTime": run["end"],
            "agent": agent,
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    crate.root_dataset["mentions"] = crate.get("#run")
    content: dict[str, Any] = crate.metadata.generate()
    return content


def _crate(manifest: Mapping[str, Any], profiles: Mapping[str, tuple[str, str]]) -> ROCrate:
    """Return a crate of some profiles that says what the run is, and nothing yet of its files."""
    crate = ROCrate(version=_VERSION)
    crate.metadata.extra_contexts.append(_TERMS)
    crate.name = f"Replication of {manifest['paper']['title']}"
    crate.description = (
        f"One run of the llm-power workflow: the exhibits of {manifest['paper']['citation']}, "
        "the same diagnostics on other boards, and an audit of the paper's claims."
    )
    crate.datePublished = manifest["run"]["end"]
    makers = {"@type": "Organization", "name": _package()["Author"]}
    organization = crate.add(ContextEntity(crate, "#maintainers", makers))
    crate.root_dataset["author"] = crate.root_dataset["publisher"] = organization
    license_of = {"@type": "CreativeWork", "name": "License of llm-power"}
    crate.license = crate.add(ContextEntity(crate, _license(), license_of))
    crate.root_dataset["conformsTo"] = [
        crate.add(
            ContextEntity(crate, address, {"@type": "CreativeWork", "name": name, "version": of})
        )
        for address, (name, of) in profiles.items()
    ]
    return crate


def _software(versions: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": "llm-power",
        "version": versions["llm-power"],
        "encodingFormat": "text/plain",
        "license": {"@id": _license()},
    }


def _add_workflow(crate: ROCrate, path: str, versions: Mapping[str, str]) -> ComputationalWorkflow:
    main = crate.add_workflow(
        path,
        path,
        main=True,
        lang="snakemake",
        lang_version=versions["snakemake"],
        properties=_software(versions) | {"conformsTo": {"@id": _BIOSCHEMAS}},
    )
    main["input"] = crate.add_formal_parameter(
        "settings", "File", identifier="#settings", valueRequired=True
    )
    return main


def codemeta(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of ``codemeta.json``: the software of a run, and the paper behind it."""
    about, software = _package(), manifest["software"]
    own = {"python", "llm-power"}
    return {
        "@context": _CODEMETA,
        "type": "SoftwareSourceCode",
        "name": about["Name"],
        "version": software["llm-power"],
        "description": about["Summary"],
        "license": _license(),
        "author": [{"type": "Organization", "name": about["Author"]}],
        "keywords": about["Keywords"].split(","),
        "programmingLanguage": [
            {"type": "ComputerLanguage", "name": "Python", "version": software["python"]},
        ],
        "runtimePlatform": f"Python {software['python']}",
        "softwareRequirements": [
            {"type": "SoftwareApplication", "name": name, "version": version}
            for name, version in software.items()
            if name not in own
        ],
        "referencePublication": {
            "type": "ScholarlyArticle",
            "name": manifest["paper"]["title"],
            "description": manifest["paper"]["citation"],
        },
    }


def _package() -> PackageMetadata:
    """Return what describes the package, by whatever name it is distributed."""
    (point,) = entry_points(group="llm_power.readers", name="canonical")
    assert point.dist
    return point.dist.metadata


def _license() -> str:
    # The others are of example data alone.
    first = _package()["License-Expression"].split()[0]
    return f"https://spdx.org/licenses/{first}"


def _file(crate: ROCrate, path: str, sha256: str | None = None) -> DataEntity:
    media = _MEDIA.get(Path(path).suffix) or mimetypes.guess_type(path)[0]
    properties = {"name": Path(path).name, "encodingFormat": media, "sha256": sha256}
    return crate.add_file(path, path, properties={k: v for k, v in properties.items() if v})


def _scores(crate: ROCrate, board: Mapping[str, Any]) -> ContextEntity:
    """Describe the scores of a board, which may lie outside the folder."""
    sums = [f"sha256:{sha256}" for sha256 in board["inputs"].values()]
    properties = {
        "@type": "CreativeWork",
        "name": f"Scores of {board['title']}",
        "description": board["provenance"],
        "identifier": sums[0] if len(sums) == 1 else sums,
    }
    return crate.add(ContextEntity(crate, f"#scores-{board['name']}", properties))
