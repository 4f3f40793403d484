"""Buckets of gaps as Table 3 labels them."""

from __future__ import annotations

import numpy as np
import pytest

from kotawala2026.labels import bucket_mask
from llm_power_audit.printed_tables import PublishedError


@pytest.mark.parametrize(
    ("label", "members"),
    [
        ("≤1%", [1, 0, 0, 0, 0]),
        ("1%–2%", [0, 1, 0, 0, 0]),
        ("5%–15%", [0, 0, 0, 1, 0]),
        (">15%", [0, 0, 0, 0, 1]),
        ("all", [1, 1, 1, 1, 1]),
    ],
)
def test_buckets_of_table_3(label: str, members: list[int]) -> None:
    gaps = np.array([0.01, -0.02, 0.05, -0.15, 0.151])
    assert bucket_mask(label, gaps).tolist() == [bool(m) for m in members]


def test_an_unknown_bucket_is_refused() -> None:
    with pytest.raises(PublishedError, match="not a bucket of gaps: 'close'"):
        bucket_mask("close", np.zeros(1))
