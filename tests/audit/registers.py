"""Small registers and folders of results for the tests of the audit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from llm_power._provenance import SOURCE_KINDS
from llm_power_audit.evaluate import Audit, audit
from llm_power_audit.register import load_register

PAIRS = """\
pair,rank,p,n_star,resolved,se,word
a vs b,1,0.045,1696.8,True,0.01,RFFF
b vs c,2,0.134,inf,False,,FFFF
c vs d,10,,4080.5,False,-1,FFFF
"""


# The second cell has no ends: it is a value alone.
SETS = """\
row,value,lower,upper,se,p,p_lower,p_upper,wrong,wrong_lower,wrong_upper,evidence
1,0.45,0.4471,0.4532,,0.2,0.1,inf,1,2,3,counts
2,0.5,,,,0.3,0.25,0.35,1,0,2,counts
3,1.7,1.0,2.9,0.34,0.4,0.4,0.4,1,0,2,simulated
"""


def claim(identifier: str = "x", **fields: Any) -> dict[str, Any]:
    """Return an entry of a register that says 0.045 of the first row, `fields` instead or more."""
    entry = {
        "id": identifier,
        "section": "1",
        "place": "paragraph 1",
        "claim": "the p-value",
        "quantity": "p-value",
        "printed": "0.045",
        "checks": [check()],
    }
    return {name: value for name, value in (entry | fields).items() if value is not None}


def check(**fields: Any) -> dict[str, Any]:
    """Return a check of the p-value of the first pair, `fields` instead or more."""
    entry = {"result": "pairs.csv", "rows": {"rank": 1}, "column": "p", "evidence": "counts"}
    return {name: value for name, value in (entry | fields).items() if value is not None}


def write_register(folder: Path, *claims: Mapping[str, Any], **fields: Any) -> Path:
    """Write a register with these claims."""
    path = folder / "claims.yaml"
    entries = {**fields, "claims": list(claims)}
    text = yaml.dump(entries, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


def write_results(folder: Path) -> Path:
    """Write a folder of results: pairs, and tables with each provenance."""
    results = folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    (results / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    (results / "sets.csv").write_text(SETS, encoding="utf-8")
    for name, kinds in {
        "published": ["published"],
        "simulated": ["published", "simulated"],
        "raw": ["raw"],
        "witness": ["witness", "simulated"],
        "odd": ["hearsay"],
        "none": None,
    }.items():
        (results / f"{name}.csv").write_text(PAIRS, encoding="utf-8")
        metadata = {"url": f"{name}.csv"} | ({SOURCE_KINDS: kinds} if kinds else {})
        text = json.dumps(metadata)
        (results / f"{name}.csv-metadata.json").write_text(text, encoding="utf-8")
    return results


def audited(
    folder: Path,
    *claims: Mapping[str, Any],
    rule_of: Mapping[str, str] | None = None,
    **fields: Any,
) -> Audit:
    """Judge a register with these claims by the results of `write_results`."""
    register = load_register(write_register(folder, *claims, **fields))
    return audit(register, write_results(folder), rule_of)
