"""Tasks and their report, from Listing 1 of Basile, Sarvazyan and González (sk-power)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from llm_power import InvalidArgument
from llm_power._statistics.mcnemar import McNemarDesign
from llm_power.simulation._tasks import BinaryClassificationTask, PreferenceTask, Task


def listing_1() -> BinaryClassificationTask:
    return BinaryClassificationTask(
        acc_a=0.70, acc_b=np.linspace(0.70, 0.75, 10), dataset_size=[10, 20, 50, 100, 500]
    )


def test_listing_1_is_a_curve_a_size() -> None:
    report = listing_1().compute_power(iterations=1000, alpha=0.05)
    assert report.table.shape[0] == 50
    assert_allclose(report.table["gap"].unique(), np.linspace(0, 0.05, 10), atol=1e-12)
    for row in report.table.to_dict("records"):
        p_a, p_b, power = row["acc_b"], row["acc_a"], row["power"]
        design = McNemarDesign(p_a * (1 - p_b), p_b * (1 - p_a), test="asymptotic")
        exact = float(design.power(row["dataset_size"]))
        assert abs(power - exact) < 4.5 * max(row["standard_error"], 0.004)
        assert row["power_low"] <= power <= row["power_high"]


def test_the_report_draws_a_line_a_size_and_80_percent() -> None:
    figure = listing_1().compute_power(iterations=50).plot()
    (ax,) = figure.axes
    threshold, *lines = ax.lines
    assert threshold.get_ydata() == [0.8, 0.8]
    assert [line.get_label() for line in lines] == ["10", "20", "50", "100", "500"]
    assert len(ax.collections) == 5
    assert ax.get_xlabel() == "Accuracy difference"
    assert {label.get_fontname() for label in [ax.xaxis.label, *ax.get_yticklabels()]} == {
        "STIXGeneral"
    }
    two = BinaryClassificationTask([0.6, 0.7], [0.7, 0.8], 100).compute_power(iterations=50).plot()
    assert [ax.get_title() for ax in two.axes] == ["base accuracy 0.6", "base accuracy 0.7"]


def test_smallest_gaps_of_a_task_fall_with_the_items_and_are_infinite_without_hope() -> None:
    report = BinaryClassificationTask(0.7, 0.8, [10, 200, 2_000], agreement=0.9).compute_power(200)
    table = report.mde(power=0.8)
    assert table["dataset_size"].tolist() == [10, 200, 2_000]
    assert table["mde"][0] == np.inf
    assert np.isnan(table["standard_error"][0])
    assert table["mde"][2] < table["mde"][1] < 0.1
    gaps = PreferenceTask(0.6, [100, 400], tie_rate=0.2).compute_power(500).mde()
    # The sign test of 80 % of the items: half a gap of about z sqrt(.8 / n).
    assert_allclose(gaps["mde"], 2.8016 * np.sqrt(0.8 / np.array([100, 400])) / 2, rtol=0.1)


def test_agreement_is_power() -> None:
    powers = [
        BinaryClassificationTask(0.7, 0.75, 500, agreement=agreement).compute_power().table["power"]
        for agreement in ("lowest", "independent", 0.85, "highest")
    ]
    assert np.all(np.diff(np.ravel(powers)) > 0)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (BinaryClassificationTask(0.7, 0.75, 100, agreement=0.96), r"must lie in \[0.45, 0.95\]"),
        (
            BinaryClassificationTask(0.7, 0.75, 100, agreement="some"),  # type: ignore[arg-type]
            "agreement must be a number or one of .*'lowest'.*, got 'some'",
        ),
        (BinaryClassificationTask(0.7, 1.75, 100), r"acc_b must lie in \[0, 1\], got 1.75"),
        (BinaryClassificationTask(0.7, 0.75, 1.5), "dataset_size must hold whole numbers"),
        (PreferenceTask(0.6, 100, tie_rate=0.9), r"tie_rate must lie in \[0, 0.8\]"),
    ],
)
def test_parameters_outside_their_domain_say_what_is_admissible(task: Task, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        task.compute_power(10)


def test_parameters_are_read_and_set_as_those_of_an_estimator() -> None:
    task = listing_1()
    twin = type(task)(**task.get_params())
    assert twin.get_params()["acc_a"] == 0.70
    assert twin.set_params(test="mid_p", seed=3) is twin
    assert (twin.test, task.test) == ("mid_p", "asymptotic")
    with pytest.raises(InvalidArgument, match=r"one of \['acc_a', .*\], got 'accuracy'"):
        twin.set_params(accuracy=1)
