"""The operating point of all printed numbers, Section 6, which is the library's default too."""

from typing import Final

from llm_power._statistics.inversion import z_sum

ALPHA: Final = 0.05
POWER: Final = 0.80
#: The squared sum of the two normal quantiles, K of eq. (3).
K: Final = float(z_sum(ALPHA, POWER)) ** 2
