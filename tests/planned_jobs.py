"""The jobs of the workflow in a folder, as Snakemake plans them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snakemake.api import SnakemakeApi
from snakemake.settings import types

from rerun import Job


def planned_jobs(target: str) -> list[Job]:
    """Return the jobs up to a target of the workflow in this folder, each after those it reads."""
    with SnakemakeApi(types.OutputSettings(quiet={types.Quietness.ALL})) as api:
        planned = api.workflow(
            types.ResourceSettings(cores=1),
            snakefile=Path("Snakefile"),
            config_settings=types.ConfigSettings(),
        ).dag(types.DAGSettings(targets={target}, forceall=True))
        workflow: Any = planned.workflow_api._workflow
        workflow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
        workflow._build_dag()
        return [
            Job(
                job.rule.name,
                Path(job.rule.snakefile).parent / job.rule.script,
                *(job.input, job.output, job.params, job.wildcards, job.log),
            )
            for layer in workflow.dag.toposorted()
            for job in sorted(layer, key=lambda one: (one.rule.name, *one.output))
            if job.rule.script
        ]
