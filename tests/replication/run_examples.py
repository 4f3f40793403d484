"""A finished run of one table, one figure and one board, as small as it can be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from PIL import Image

HOSTILE: Final = "<img src=x onerror=alert(1)> & “odd” \u202e"
_TABLE: Final = f"""**Table 6.** {HOSTILE}

| A | {"wide " * 30} | N\\* |
|:--|---:|---:|
| a\\|b | 1 | 2 |
| | 3 | 4 |
"""
_CLAIMS: Final = """id,exhibit,verdict
a,table_06,holds
b,table_06,contradicted
c,figure_01,holds
"""
_OUTPUTS: Final = {
    "table_06": [f"results/tables/table_06.{end}" for end in ("csv", "csv-metadata.json", "md")],
    "figure_01": [f"figures/figure_01.{end}" for end in ("pdf", "png", "svg")],
    "mine": [
        "results/boards/mine/board.html",
        "results/boards/mine.adjacent/board.html",
        "results/pairs/mine.csv",
        "results/pairs/mine.adjacent.csv",
        "figures/boards/mine.png",
    ],
}
AUDIT: Final = ("results/audit/report.html", "results/audit/claims.csv")


def write_run(where: Path) -> dict[str, Any]:
    """Write the files of the run, and return its manifest."""
    for path in [*(path for paths in _OUTPUTS.values() for path in paths), *AUDIT]:
        file = where / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".png":
            Image.new("RGB", (2000, 900), "gray").save(file)
        else:
            file.write_text({".md": _TABLE}.get(file.suffix, "x"), encoding="utf-8")
    (where / AUDIT[1]).write_text(_CLAIMS)
    for name in ("Snakefile", "config.yaml", "ro-crate-metadata.json"):
        (where / name).write_text("x")
    (where / "data").mkdir()
    (where / "data/printed.csv").write_text("x")
    exhibits = [
        _made("table_06", ["published"], {"data/printed.csv": "5", "src/table_06.py": "6"}),
        _made("figure_01", ["witness"], {"data/printed.csv": "5"}),
    ]
    board = _made("mine", ["raw"], {"/elsewhere/scores.csv": "7"}) | {"title": HOSTILE}
    run = {"start": "2026-05-28T09:00:00+00:00", "end": "2026-05-28T09:02:00+00:00"}
    manifest = {
        "run": run | {"agent": "somebody"},
        "software": {"python": "3.11", "llm-power": "0.1", "snakemake": "9", "numpy": "2"},
        "paper": {"title": HOSTILE, "citation": "Nobody 2026"},
        "seed": 1,
        "source": "printed",
        "config": {},
        "exhibits": exhibits,
        "boards": [board],
        "left_out": [f"Board big is left out. {HOSTILE}"],
    }
    (where / "results/manifest.json").write_text(json.dumps(manifest))
    return manifest


def _made(name: str, classes: list[str], inputs: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "classes": classes,
        "provenance": f"{classes[0]} ({HOSTILE})",
        "wall_seconds": 1.25,
        "outputs": dict.fromkeys(_OUTPUTS[name], "ab"),
        "inputs": inputs,
    }
