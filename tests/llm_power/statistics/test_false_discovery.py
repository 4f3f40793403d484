"""Benjamini-Hochberg's and Yekutieli's families: as SciPy has them, and one level of each pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from llm_power._statistics.false_discovery import false_discovery_family
from llm_power._statistics.random_streams import named_rng


@pytest.mark.parametrize("any_dependence", [False, True])
@pytest.mark.parametrize("effect", [0.0, 1.0, 5.0])
def test_pairs_are_selected_at_one_level(effect: float, any_dependence: bool) -> None:
    p = named_rng(0, f"discoveries/{effect}").random(200) ** (1 + effect * (np.arange(200) < 90))
    found = false_discovery_family(p, alpha=0.1, any_dependence=any_dependence)
    expected = false_discovery_control(p, method="by" if any_dependence else "bh")
    np.testing.assert_allclose(found.p, expected, rtol=1e-12)
    selected = found.p <= 0.1
    np.testing.assert_array_equal(p <= found.level, selected)
    constant = np.sum(1 / np.arange(1, 201)) if any_dependence else 1
    assert found.level == pytest.approx(0.1 * max(selected.sum(), 1) / 200 / constant)
    assert found.size == 200
    assert not found.close_calls(p).any()


def test_a_pair_by_itself_keeps_its_p_value() -> None:
    found = false_discovery_family([0.03])
    assert (found.p.tolist(), found.level) == ([0.03], 0.05)
