"""The operating point of all printed numbers, Section 6, which is the library's default too."""

from typing import Final

from llm_power._statistics.inversion import z_sum

ALPHA: Final = 0.05
POWER: Final = 0.80
#: The squared sum of the two normal quantiles, K of eq. (3).
K: Final = float(z_sum(ALPHA, POWER)) ** 2
#: What captions and notes say of them, and of the counts.
DECLARED: Final = f"N* at two-sided α = {ALPHA:g} and power {POWER:g}."
COUNTS: Final = "b and c: items that the first, and that the second model of a pair alone solves."
OF_K: Final = "squared sum of the normal quantiles of 1 − α/2 and of the power"
