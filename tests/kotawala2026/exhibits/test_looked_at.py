"""Every exhibit of a run is the one that somebody looked at."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from looked_at import check_looks, drawn_as_locked

# In a run without the real boards
NUMBERS = {
    ".": {"figure": range(1, 8), "table": range(1, 13)},
    "papers/miller2024": {"table": range(1, 6)},
    "papers/skpower2025": {"figure": range(1, 2)},
}
EXHIBITS = [
    (folder, f"{kind}_{number:02d}")
    for folder, kinds in NUMBERS.items()
    for kind, numbers in kinds.items()
    for number in numbers
]


@drawn_as_locked
@pytest.mark.parametrize(("folder", "exhibit"), EXHIBITS)
def test_an_exhibit_is_the_one_that_was_looked_at(
    folder: str, exhibit: str, whole_run: Path
) -> None:
    made = {"figure": "figures/{}.svg", "table": "results/tables/{}.md"}[exhibit[:-3]]
    check_looks(f"{folder}/{exhibit}", whole_run / folder / made.format(exhibit))


def test_figure_3_says_how_far_the_other_form_is(whole_run: Path) -> None:
    caption = (whole_run / "figures/camera_ready/figure_03.txt").read_text(encoding="utf-8")
    assert "at most 1.27% apart (printed: within 1%, of a formula that" in caption
    assert "its N* need N = 12,031." in caption


def test_figure_2_says_which_bars_the_witness_chose(whole_run: Path) -> None:
    caption = (whole_run / "figures/camera_ready/figure_02.txt").read_text(encoding="utf-8")
    assert "Of the 4 others unresolved the paper prints only how many" in caption
    assert "fitted to the 20 scores that the leaderboard displayed and the printed" in caption


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
    named = f"Columns with fitted cells: {fitted}" if fitted else "No cell here was fitted"
    assert f"{named}. " in " ".join(text.split())


def test_no_exhibit_is_left_out(whole_run: Path) -> None:
    """Of any paper that the run has made, whether it is listed here or not."""
    papers = [whole_run, *whole_run.glob("papers/*")]
    made = {
        (str(paper.relative_to(whole_run)), path.stem)
        for paper in papers
        for path in paper.glob("results/[ft]*s/[ft]*_??.csv")
    }
    assert made == {*EXHIBITS}
