r"""The level that max-T leaves to each pair, against R and against max-T on scores.

R 4.2.2::

    > for (m in c(2,3,10,45)) for (a in c(.05,.01))
    +   cat(m, a, sprintf("%.8f", 2*pnorm(-qtukey(a,m,Inf,lower.tail=FALSE)/sqrt(2))), "\n")
"""

from __future__ import annotations

import numpy as np
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.all_pairs_max_t import all_pairs_level
from llm_power._statistics.keyed_normals import keys_of
from llm_power._statistics.max_t import MOST_DRAWS, GapDraws, centred_scores, max_t_family
from llm_power._statistics.random_streams import named_rng


@pytest.mark.parametrize(
    ("models", "alpha", "level"),
    [
        (2, 0.05, 0.05),
        (2, 0.01, 0.01),
        (3, 0.05, 0.01909349),
        (3, 0.01, 0.00357408),
        (10, 0.05, 0.00155786),
        (10, 0.01, 0.00026605),
        (45, 0.05, 0.00008039),
        (45, 0.01, 0.00001308),
    ],
)
def test_the_level_is_that_of_rs_studentized_range(models: int, alpha: float, level: float) -> None:
    assert all_pairs_level(models, alpha=alpha) == pytest.approx(level, abs=5e-9)


@pytest.mark.parametrize("models", [3, 8, 100, 5000])
def test_the_level_lies_between_bonferronis_and_that_of_the_family(models: int) -> None:
    assert 0.05 * 2 / (models * (models - 1)) < all_pairs_level(models) < 0.05


def test_max_t_on_scores_of_equal_models_leaves_the_same_level() -> None:
    """Six independent models of accuracy .6; 4 SE of the draws, and .002 for their correlations."""
    rng, models, draws = named_rng(0, "all_pairs_level"), 6, MOST_DRAWS
    scores = (rng.random((1_000, models)) < 0.6).astype(float)
    keys = keys_of([str(item) for item in range(1_000)], np.zeros(1, dtype=np.uint64))
    level = all_pairs_level(models)
    p = np.full(models * (models - 1) // 2, level)
    family = max_t_family(p, GapDraws(centred_scores(scores), keys).largest)
    assert float(family.p[0]) == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / draws) ** 0.5 + 0.002)


def test_one_model_has_no_pair() -> None:
    with pytest.raises(InvalidArgument, match="n_models must be at least 2, got 1"):
        all_pairs_level(1)
