"""What captions say of fitted numbers, and of the form that a formula has."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest


def test_figure_3_says_how_far_the_other_form_is(whole_run: Path) -> None:
    caption = (whole_run / "figures/camera_ready/figure_03.txt").read_text(encoding="utf-8")
    assert "at most 1.27% apart, at 4 vs 5 (printed: within 1%, of a formula" in caption
    assert "its N* need N = 12,031, at which" in caption


def test_figure_2_says_which_bars_the_witness_chose(whole_run: Path) -> None:
    caption = (whole_run / "figures/camera_ready/figure_02.txt").read_text(encoding="utf-8")
    assert (
        "Of the 4 others unresolved the paper prints how many, their largest r, 2.8 (Table 3), and"
        in caption
    )
    assert "fitted to the 20 displayed scores and this board's inputs and targets in" in caption


# Quantities of a witness by the headers of their columns, in the order of the tables.
HEADERS = {
    **{"r_median": "Median r", "r_worst": "Worst r", "icc": "ICC(D)", "design_effect": "DE"},
    **{"n_star_cluster": "Cluster N*", "leave_one_out_unresolved": "Unresolved"},
    **{"gap": "Gap, pp", "rho": "ρ̂", "n_star": "N*"},
}


@pytest.mark.parametrize("number", [3, 4, 5, 8, 9, 10])
def test_a_table_names_the_columns_that_its_witness_was_fitted_to(
    number: int, whole_run: Path
) -> None:
    roles = pd.read_csv(whole_run / "results/witness/roles.csv")
    of_table = roles["id"].str.startswith(f"table_{number:02d}/") & (roles["role"] != "held_out")
    quantities = set(roles.loc[of_table, "quantity"].str.replace("_(lower|upper)$", "", regex=True))
    text = (whole_run / f"results/tables/table_{number:02d}.md").read_text(encoding="utf-8")
    fitted = "; ".join(header for name, header in HEADERS.items() if name in quantities)
    named = f"olumns with fitted cells: {fitted}" if fitted else "No cell here was fitted"
    assert f"{named}. " in " ".join(text.split())
