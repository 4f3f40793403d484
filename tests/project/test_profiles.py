"""The profile for a cluster has every setting of the default one, but for the cores."""

from __future__ import annotations

from typing import Any

import yaml

from needed import ROOT


def profile(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(
        (ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8")
    )
    return loaded


def test_a_cluster_is_used_with_the_settings_of_one_machine() -> None:
    default = profile("default")
    assert default.pop("cores") == "all"
    assert default.items() <= profile("slurm").items()
    assert "cores" not in profile("slurm")


def test_resources_are_those_of_rules_that_there_are() -> None:
    rules = "".join(path.read_text() for path in (ROOT / "workflow" / "rules").glob("*.smk"))
    named = profile("slurm")["set-resources"]
    heads = ("rule {}:", "use rule streamed_board as {} with:")
    assert [x for x in named if not any(head.format(x) in rules for head in heads)] == []
