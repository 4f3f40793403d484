"""The names of Appendix J, on the numbers of the paper's worked example."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

import llm_power
from llm_power import InvalidArgument


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("cohens_h", ["p1", "p2"]),
        ("paired_bootstrap_delta", ["scores_a", "scores_b"]),
        ("bootstrap_power", []),
        ("parametric_required_n_proportions", ["p1", "p2", "paired", "rho"]),
        ("parametric_required_n_paired_binary", ["p1", "p2", "rho"]),
        ("required_n_mcnemar", ["n_ab", "n_ba", "n_observed"]),
        ("parametric_required_n_paired", ["mean_diff", "sd_diff"]),
    ],
)
def test_names_and_parameters_are_those_of_appendix_j(name: str, parameters: list[str]) -> None:
    signature = inspect.signature(getattr(llm_power, name))
    assert list(signature.parameters)[: len(parameters)] == parameters


def test_worked_example_of_table_1() -> None:
    # Table 1: 515 by the shortcut, 1,028 by eq. (6), both rounded up.
    shortcut = llm_power.parametric_required_n_proportions(0.65, 0.60, paired=True, rho=0.30)
    assert np.ceil(shortcut) == 515
    n_star = llm_power.parametric_required_n_paired_binary(0.65, 0.60, 0.30)
    assert np.ceil(n_star) == 1028
    sd = np.sqrt(0.327300142653425)  # eq. (5), quoted from R in test_paired_binary.py
    np.testing.assert_allclose(llm_power.parametric_required_n_paired(0.05, sd), n_star, 1e-10)


def test_discordance_form_is_row_4_of_table_6() -> None:
    assert np.rint(llm_power.required_n_mcnemar(295, 249, 10_042)) == 20_255


@pytest.mark.parametrize(("paired", "rho"), [(True, None), (False, 0.3)])
def test_rho_belongs_to_a_paired_design(paired: bool, rho: float | None) -> None:
    with pytest.raises(InvalidArgument, match="rho must be given if and only if paired is true"):
        llm_power.parametric_required_n_proportions(0.65, 0.60, paired=paired, rho=rho)


def test_import_brings_neither_pandas_nor_plotting() -> None:
    code = "import sys, llm_power; print(sorted({'pandas', 'matplotlib'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
