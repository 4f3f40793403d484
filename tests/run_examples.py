"""A finished run of one table, one figure and one board, as small as it can be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from PIL import Image
from PIL.PngImagePlugin import PngInfo

HOSTILE: Final = "<img src=x onerror=alert(1)> & “odd” \u202e"
_TABLE: Final = f"""**Table 6.** {HOSTILE}

| A | {"wide " * 30} | N\\* |
|:--|---:|---:|
| a\\|b | 1 | 2 |
| | 3 | 4 |

*Note.* ≠ marks a printed value that differs from the recomputed
one above it.
"""
_CLAIMS: Final = f"""id,section,place,exhibit,claim,printed,verdict
a,6,Table 6,table_06,N* of row 1,7,holds
b/1,6.1,last sentence,table_06,{HOSTILE},"1,000",contradicted
c,Abstract,sentence 2,figure_01,It rises,rises,holds
"""
FINDING: Final = f"It rises. {HOSTILE}"
_CAPTION: Final = f"All pairs. Circles: {HOSTILE}"
_OUTPUTS: Final = {
    "table_06": [f"results/tables/table_06.{end}" for end in ("csv", "csv-metadata.json", "md")],
    "figure_01": [
        *(f"figures/figure_01.{end}" for end in ("pdf", "png", "svg")),
        "figures/camera_ready/figure_01.txt",
    ],
    "mine": [
        "results/boards/mine/board.html",
        "results/boards/mine/summary.json",
        "results/boards/mine.adjacent/board.html",
        "results/pairs/mine.csv",
        "results/pairs/mine.adjacent.csv",
        "figures/boards/mine.png",
    ],
}
_FACTS: Final = {
    "family": "all",
    "measure": {"unit": "points", "factor": 100.0, "decimals": 1, "lower_is_better": False},
    "glance": [
        {
            **{"task": "exam", "models": 5, "items": 1200, "neighbors": 4, "told_apart": 3},
            **{"smallest_gap": [0.031, 0.04], "leader": None},
            **{"items_alike": 300, "items_all_solve": 200, "items_none_solve": 100},
        }
    ],
}
AUDIT: Final = ("results/audit/report.html", "results/audit/claims.csv")


def write_run(where: Path) -> dict[str, Any]:
    """Write the files of the run, and return its manifest."""
    for path in [*(path for paths in _OUTPUTS.values() for path in paths), *AUDIT]:
        file = where / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".png":
            told = PngInfo()
            told.add_itxt("Finding", FINDING)
            Image.new("RGB", (2000, 900), "gray").save(file, pnginfo=told)
        else:
            texts = {".md": _TABLE, ".txt": _CAPTION, ".json": json.dumps(_FACTS)}
            file.write_text(texts.get(file.suffix, "x"), encoding="utf-8")
    (where / AUDIT[1]).write_text(_CLAIMS)
    for name in ("build/docs/exhibits.html", "Snakefile", "config.yaml", "ro-crate-metadata.json"):
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text("x")
    (where / "data").mkdir()
    (where / "data/printed.csv").write_text("x")
    exhibits = [
        _made("figure_01", ["witness"], {"data/printed.csv": "5"}),
        _made("table_06", ["published"], {"data/printed.csv": "5", "src/table_06.py": "6"}),
    ]
    board = _made("mine", ["raw"], {"/elsewhere/scores.csv": "7"}) | {"title": HOSTILE}
    run = {"start": "2026-05-28T09:00:00+00:00", "end": "2026-05-28T09:02:00+00:00"}
    manifest = {
        "run": run | {"agent": "somebody"},
        "software": {"python": "3.11", "llm-power": "0.1", "snakemake": "9", "numpy": "2"},
        "paper": {
            "title": HOSTILE,
            "citation": "Nobody 2026",
            "terms": {"gap": HOSTILE, "n_h": "by a shortcut"},
        },
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
