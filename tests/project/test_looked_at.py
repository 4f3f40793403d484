"""Every exhibit of a run is the one that somebody looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from looked_at import check_looks, drawn_as_locked
from needed import ROOT


def _exhibits() -> Iterator[tuple[str, str]]:
    """Yield folder and name of each exhibit of a run without the real boards."""
    first = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["paper"]
    for path in sorted(ROOT.glob("data/*/paper.yaml")):
        folder = "." if path.parent.name == first else f"papers/{path.parent.name}"
        exhibits = yaml.safe_load(path.read_text(encoding="utf-8"))["exhibits"]
        yield from ((folder, name) for name, entry in exhibits.items() if "data_root" not in entry)


EXHIBITS = [*_exhibits()]


@drawn_as_locked
@pytest.mark.parametrize(("folder", "exhibit"), EXHIBITS)
def test_an_exhibit_is_the_one_that_was_looked_at(
    folder: str, exhibit: str, whole_run: Path
) -> None:
    made = {"figure": "figures/{}.svg", "table": "results/tables/{}.md"}[exhibit[:-3]]
    check_looks(f"{folder}/{exhibit}", whole_run / folder / made.format(exhibit))


def test_no_exhibit_is_left_out(whole_run: Path) -> None:
    """Of any paper that the run has made, whether it is listed here or not."""
    papers = [whole_run, *whole_run.glob("papers/*")]
    made = {
        (str(paper.relative_to(whole_run)), path.stem)
        for paper in papers
        for path in paper.glob("results/[ft]*s/[ft]*_??.csv")
    }
    assert made == {*EXHIBITS}
