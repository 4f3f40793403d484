"""Table 1 against R (recorded), statsmodels (called) and closed forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from kotawala2026.exhibits.table_01 import pooled_z_per_arm, present, table_01
from llm_power._documents import read_yaml
from llm_power._errors import InvalidArgument
from llm_power._report.tables import to_markdown

P_A, P_B, RHO = 0.65, 0.60, 0.30


@pytest.fixture(scope="module")
def r_session(recorded: Path) -> Mapping[str, Any]:
    session: Mapping[str, Any] = read_yaml(recorded / "r_pwr_2p_test.yaml")
    return session


@pytest.fixture(scope="module")
def frame(published: Callable[[int], pd.DataFrame], r_session: Mapping[str, Any]) -> pd.DataFrame:
    h = proportion_effectsize(P_A, P_B)
    n = NormalIndPower().solve_power(h, alpha=0.05, power=0.8)
    return table_01(
        published(1), p_a=P_A, p_b=P_B, rho=RHO, r_session=r_session, of_statsmodels=float(n)
    )


def test_cells_of_table_1_that_hold(frame: pd.DataFrame) -> None:
    """Rows 1, 4 and 5: printed 736 and 515, 1,471 and 1,030, – and 1,028."""
    assert frame["per_arm_agrees"].tolist() == [True, False, False, True, True]
    assert frame["times_one_minus_rho_agrees"].tolist() == [True, False, False, True, True]


def test_g_power_row_is_the_formula_of_power_prop_test(
    frame: pd.DataFrame, r_session: Mapping[str, Any]
) -> None:
    recorded = r_session["calls"]["power.prop.test"]["n"]
    # power.prop.test solves by uniroot with tol = .Machine$double.eps^0.25 = 1.2e-4 on n.
    assert pooled_z_per_arm(P_A, P_B) == pytest.approx(recorded, abs=1.3e-4)
    assert frame["per_arm"][1] == pooled_z_per_arm(P_A, P_B)


def test_only_the_one_sample_form_is_half_of_n_star(frame: pd.DataFrame) -> None:
    """Section 4.1 has three of five tools inherit the factor of two; one of five does."""
    assert (frame["ratio_to_n_star"] < 0.75).tolist() == [True, False, False, False, False]
    assert frame["ratio_to_n_star"][0] == pytest.approx(0.5, abs=0.001)
    assert frame["times_one_minus_rho"][4] == pytest.approx(1027.5757826888128, rel=1e-12)
    text = " ".join(to_markdown(present(frame, p_a=P_A, p_b=P_B, rho=RHO)).split())
    said = text.replace("\\", "")
    assert "by 1 − ρ: Cohen (515), by the formula that the paper states; G*Power (1,030), R" in said
    assert "1 of 5 calculators gives half of the required N* = 1,028 when" in said
    assert "The paper says that 3 give half." in said
    # The formula of G*Power's test is not 2K/h^2, though both round up to 1,471.
    assert frame["convention"].tolist() == [
        *("K/h^2", "≈ 2K/h^2", "2K/h^2", "2K/h^2", "K Var(Δ)/δ^2"),
    ]
    assert frame["convention_agrees"].tolist() == [True, False, False, True, None]
    assert "? Var(Δ)/δ²" in text
    assert "left to be understood, Var(Δ)/δ² is 131;" in text
    assert "gives 1,470.49 items per arm, 2K/h² 1,470.09" in text
    assert re.search(r"G\\\*Power [^|]*\| formula, not run", text)
    changed = frame.assign(times_one_minus_rho=[515, 515, 1030, 1030, 1028])
    changed.loc[0, "times_one_minus_rho_printed"] = "1,030"
    text = " ".join(to_markdown(present(changed, p_a=P_A, p_b=P_B, rho=RHO)).split())
    assert "1 − ρ: Cohen (515), G\\*Power (515), by" in text
    assert "The paper says that 2 give half." in text


def test_a_table_of_another_shape_is_refused(
    published: Callable[[int], pd.DataFrame], r_session: Mapping[str, Any]
) -> None:
    with pytest.raises(InvalidArgument, match="5 rows"):
        table_01(
            published(1)[:4],
            p_a=P_A,
            p_b=P_B,
            rho=RHO,
            r_session=r_session,
            of_statsmodels=1.0,
        )
