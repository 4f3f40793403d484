"""Figure 1: what Listing 1 simulates is what the sum over all tables gives."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, bdtrc

from skpower2025.exhibits.figure_01 import AGREEMENTS, draw, figure_01

LISTING_1 = {
    "acc_a": 0.70,
    "acc_b": [0.70, 0.75, 10],
    "dataset_size": [10, 20, 50, 100, 500],
    "iterations": 1000,
    "alpha": 0.05,
}


def test_simulated_and_summed_power_agree_at_every_agreement() -> None:
    frame = figure_01(LISTING_1, seed=7)
    assert len(frame) == 3 * 5 * 10
    rejections = np.rint(1000 * frame["simulated"])
    low, high = bdtr(rejections, 1000, frame["power"]), bdtrc(rejections - 1, 1000, frame["power"])
    # Of 150 tails on each side the smallest is below 1e-5 in three runs of a thousand.
    assert np.minimum(low, np.where(rejections > 0, high, 1)).min() > 1e-5
    at = frame[(frame["n"] == 500) & (frame["gap_pp"].round(9) == 5)].set_index("agreement")
    assert at.loc[[*AGREEMENTS], "rate"].round(9).tolist() == [0.45, 0.6, 0.95]
    assert (at["power"] >= 0.8).to_dict() == {
        **{"lowest": False, "independent": False, "highest": True}
    }
    # The curves of the five sizes, and a dashed line at the target.
    axes = draw(frame, 0.8).axes
    assert [len(ax.lines) for ax in axes] == [11, 11, 11]
