"""What pairing gains over the unpaired formula, for Figure 1 and the prose of Section 2."""

from __future__ import annotations

import pandas as pd

from llm_power.statistics._typing import FloatArray


def gain_of_pairing(pairs: pd.DataFrame) -> FloatArray:
    r"""N*_Miller over N* of each pair: :math:`(p_A q_A + p_B q_B)/\sigma_D^2`, eq. (5)."""
    # Both N are K times a variance over the squared gap, infinite without one; the variances' ratio
    # is not.
    p_a, p_b = pairs["p_a"].to_numpy(), pairs["p_b"].to_numpy()
    gain: FloatArray = (p_a * (1 - p_a) + p_b * (1 - p_b)) / pairs["var_d"].to_numpy()
    return gain
