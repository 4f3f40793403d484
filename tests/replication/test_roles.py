"""The report of what went into a witness and what came out."""

from __future__ import annotations

import numpy as np
import pytest

from replication.constraints import Constraint, select
from replication.roles import roles_report


def test_reports_are_in_half_units_or_standard_errors(
    oll_v1_constraints: tuple[Constraint, ...],
) -> None:
    gain = select(oll_v1_constraints, "miller_gain_median")[0]
    power = select(oll_v1_constraints, "power_at_100")[0]
    frame = roles_report([gain, power], lambda c: c.printed.value + 0.004)
    assert frame["unit"].tolist() == ["half units", "standard errors"]
    assert frame["residual"].tolist() == pytest.approx([0.8, 0.004 / 0.0126])
    assert frame["status"].tolist() == ["within rounding", "held out: right"]
    assert frame["value_untilted"].isna().all()
    assert roles_report([gain], lambda c: np.nan)["status"].tolist() == ["residual"]
