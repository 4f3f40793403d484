"""Evaluation of all quantities: what it waits for."""

from __future__ import annotations

import subprocess
import sys


def test_evaluating_waits_for_no_library_that_few_findings_need() -> None:
    """Each of them takes longer to load than most jobs take that evaluate."""
    program = (
        "import sys, kotawala2026.findings as _;"
        "print({'matplotlib', 'scipy.stats', 'statsmodels.api', 'jsonschema'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
