"""What a plan says, against the functions that it stands for and against simulated runs."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._planning.answer import plan_detectable, plan_pair, plan_range
from llm_power._planning.curves import plan_curves, sizes_around, sizes_of_gaps
from llm_power._planning.question import (
    Question,
    pair_from_accuracies,
    pair_from_counts,
    pair_from_gap,
    pairs_of_accuracies,
)
from llm_power._planning.text import plan_answer
from llm_power._report.answer import as_text
from llm_power._statistics.anytime_horizon import anytime_horizon
from llm_power._statistics.mcnemar import P_VALUES, McNemarDesign, mcnemar_detectable_gaps
from llm_power._statistics.paired_binary import admissible_rho, required_n_paired_binary
from llm_power._statistics.paired_equivalence import score_equivalence_test
from llm_power._statistics.random_streams import named_rng

TRIALS = 20_000
FOUR_ERRORS = 4 * (0.8 * 0.2 / TRIALS) ** 0.5


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic"])
def test_the_planned_items_have_the_power_in_simulated_runs(test: McNemarTest) -> None:
    plan = plan_pair(pair_from_accuracies(0.65, 0.60, rho=0.3), question=Question(test=test))
    cells = [plan.pair.p10, plan.pair.p01, 1 - plan.pair.discordance]
    rng = named_rng(0, f"plan/{test}")
    b, c, _ = rng.multinomial(int(plan.items), cells, size=TRIALS).T
    found = float((P_VALUES[test](b, c) <= 0.05).mean())
    assert found == pytest.approx(0.8, abs=FOUR_ERRORS)
    one_less = float(
        McNemarDesign(plan.pair.p10, plan.pair.p01, test=test).power(int(plan.items) - 1)
    )
    assert one_less < 0.8


def test_the_items_of_an_equivalence_show_it_in_simulated_runs() -> None:
    plan = plan_pair(pair_from_gap(0.005, 0.1), question=Question(margin=0.02))
    assert plan.decided_as == "equivalent"
    title = "for a difference, by the exact McNemar test"
    assert f"{title}\nitems run  power" in as_text(plan_answer(plan))
    cells = [plan.pair.p10, plan.pair.p01, 0.9]
    b, c, _ = named_rng(0, "plan/margin").multinomial(int(plan.items), cells, size=TRIALS).T
    shown = score_equivalence_test(b, c, int(plan.items), margin=0.02).equivalent
    assert plan.power_at_equivalence == pytest.approx(0.8, abs=0.01)  # items by the normal law
    assert float(shown.mean()) == pytest.approx(plan.power_at_equivalence, abs=FOUR_ERRORS)


def test_the_correlation_and_the_agreement_say_the_same() -> None:
    """Agreement is p11 + p00, 2 p11 + 1 - p_a - p_b."""
    p_a, p_b, rho = 0.7, 0.55, 0.4
    both = p_a * p_b + rho * (p_a * (1 - p_a) * p_b * (1 - p_b)) ** 0.5
    agreement = 2 * both + 1 - p_a - p_b
    first, second = (
        pair_from_accuracies(p_a, p_b, rho=rho),
        pair_from_accuracies(p_a, p_b, agreement=agreement),
    )
    assert (first.p10, first.p01) == pytest.approx((p_a - both, p_b - both))
    assert (second.p10, second.p01) == pytest.approx((p_a - both, p_b - both))
    plan = plan_pair(pair_from_accuracies(p_a, p_b, rho=rho))
    assert plan.n_star == pytest.approx(float(required_n_paired_binary(p_a, p_b, rho)))


@given(st.floats(0, 1), st.floats(0, 1))
def test_pairs_at_both_ends_are_those_of_the_admissible_correlations(
    p_a: float, p_b: float
) -> None:
    fewest, most = pairs_of_accuracies(p_a, p_b)
    low, high = (float(end) for end in admissible_rho(p_a, p_b))
    for rho, pair in ((high, fewest), (low, most)):
        same = pair_from_accuracies(p_a, p_b, rho=rho)
        assert same.discordance == pytest.approx(pair.discordance, abs=1e-7)
        assert pair.gap == pytest.approx(p_a - p_b, abs=1e-15)
        assert 0 <= pair.discordance <= 1


def test_without_a_correlation_both_ends_are_told() -> None:
    found = plan_range(pairs_of_accuracies(0.65, 0.60), of="correlation")
    assert found.fewest.items == plan_pair(pair_from_gap(0.05, 0.05)).items
    assert found.most.items == plan_pair(pair_from_gap(0.05, 0.75)).items
    between = [
        plan_pair(pair_from_accuracies(0.65, 0.60, rho=rho)).items for rho in (-0.5, 0.0, 0.5, 0.8)
    ]
    assert found.most.items > between[0] > between[1] > between[2] > between[3] > found.fewest.items


@pytest.mark.parametrize("gap", [0.9, 0.93, 0.95, 0.96])
def test_the_items_of_a_range_are_enough_at_every_discordance(gap: float) -> None:
    found = plan_range((pair_from_gap(gap, gap), pair_from_gap(gap, 1.0)), of="discordance")
    for psi in np.linspace(gap, 1, 20):
        design = McNemarDesign((psi + gap) / 2, (psi - gap) / 2)
        assert design.power(found.most.items) >= 0.8
    text = as_text(plan_answer(found)).replace("\n", " ")
    few = f"{found.fewest.items:g} suffice"
    if gap == 0.95:  # An item fewer where the models differ on every item.
        assert text.startswith("Plan 7 items")
        assert f"{few} where the models differ on every item" in text
        assert "at 95% to 100% of items" in text
    if found.fewest.items == found.most.items:
        assert few not in text


def test_a_run_is_planned_at_its_rates() -> None:
    plan = plan_pair(pair_from_counts(36, 17, 400), n_items=400)
    horizon = anytime_horizon(36, 17, 400)
    assert plan.monitored is not None
    assert plan.monitored.items == float(horizon.n_star_anytime)
    assert plan.monitored.expected == pytest.approx(float(horizon.expected_items))
    assert plan.at_hand is not None
    assert plan.at_hand.power == pytest.approx(float(McNemarDesign(0.09, 0.0425).power(400)))
    assert plan.at_hand.detectable > plan.pair.gap or plan.at_hand.power > 0.8


def test_items_at_hand_are_told_of_beside_every_question() -> None:
    found = plan_range(pairs_of_accuracies(0.65, 0.60), of="correlation", n_items=800)
    for plan in (plan_pair(pair_from_gap(0.05, 0.75), n_items=800), found.most):
        assert plan.at_hand is not None
        assert plan.at_hand.power == pytest.approx(float(McNemarDesign(0.4, 0.35).power(800)))
    text = as_text(plan_answer(found)).replace("\n", " ")
    assert "The 800 items at hand detect this gap with power 0.357" in text
    assert text.endswith("with power 0.8, at the lowest correlation.")


def test_the_detectable_gap_takes_the_items_that_it_was_found_with() -> None:
    found = plan_detectable(2_000, 0.1)
    assert found.plan.items == pytest.approx(2_000, abs=20)  # the saw-tooth
    smaller = plan_pair(pair_from_gap(found.gap * 0.99, 0.1))
    assert smaller.items > 2_000


def test_with_clusters_less_is_detected_and_more_is_needed() -> None:
    asked = Question(clusters=14, icc=0.004)
    few, many = plan_detectable(5_000, 0.1), plan_detectable(5_000, 0.1, question=asked)
    assert few.gap < many.gap < inf
    plan = plan_pair(pair_from_gap(many.gap, 0.1), question=asked)
    assert plan.items == pytest.approx(5_000, rel=0.01)
    assert plan_detectable(50, 0.1, question=Question(clusters=2, icc=0.5)).gap == inf


def test_clusters_are_told_in_all_their_ways() -> None:
    plan = plan_pair(
        pair_from_counts(120, 80, 2_000), n_items=2_000, question=Question(clusters=14, icc=0.004)
    )
    found = plan.clusters
    assert found is not None
    assert found.size == 143  # 2,000 of 14
    ways = dict(found.ways)
    assert ways[14] == found.per_cluster == plan.items / 14
    assert ways[int(found.n_clusters_needed)] <= found.size
    assert min(ways) == found.fewest
    assert all(k * size >= plan.exact for k, size in ways.items())
    assert plan.monitored is None


def test_a_family_takes_more_and_max_t_less_than_holm() -> None:
    alone, max_t, holm = (
        plan_pair(pair_from_gap(0.02, 0.1), question=asked)
        for asked in (Question(), Question(models=10), Question(comparisons=45))
    )
    assert alone.items < max_t.items < holm.items
    assert max_t.holm == holm.items
    assert alone.holm is holm.holm is None


def test_a_gap_beyond_the_margin_is_planned_as_a_difference() -> None:
    plan = plan_pair(pair_from_gap(0.02, 0.1), question=Question(margin=0.01))
    assert (plan.decided_as, plan.equivalence) == ("different", inf)
    assert plan.items == plan.exact


def test_models_of_equal_accuracy_need_a_margin() -> None:
    plan = plan_pair(pair_from_counts(5, 5, 10), n_items=10)
    assert (plan.items, plan.decided_as, plan.monitored, plan.sizes) == (
        inf,
        "undetermined",
        None,
        (),
    )
    assert plan.at_hand is not None
    assert isnan(plan.at_hand.power)
    assert "No number of items" in as_text(plan_answer(plan))
    plan = plan_pair(pair_from_counts(5, 5, 10), question=Question(margin=0.05))
    assert plan.decided_as == "equivalent"


@pytest.mark.parametrize("gap", [0.0008, 1e-6])
def test_beyond_a_million_items_the_normal_law_answers(gap: float) -> None:
    plan = plan_pair(pair_from_gap(gap, 0.1))
    assert plan.asymptotic == pytest.approx(plan.n_star, rel=1e-4)
    # What an item less of b - c takes, the continuity correction.
    assert plan.exact == pytest.approx(plan.asymptotic + 1 / gap * 2, rel=1e-4)
    assert plan.sizes[-1].power == pytest.approx(0.8, abs=1e-3)
    assert plan.monitored is None
    assert plan_detectable(int(plan.exact), 0.1).gap == pytest.approx(gap, rel=1e-6)


def test_all_items_one_way_leave_nothing_to_a_cluster() -> None:
    assert plan_pair(pair_from_gap(1.0, 1.0)).items == 6
    with pytest.raises(InvalidArgument, match="icc must be left out"):
        plan_pair(pair_from_gap(1.0, 1.0), question=Question(clusters=3, icc=0.1))


@pytest.mark.parametrize(("p_a", "p_b"), [(0.7, 0.6), (0.3, 0.2), (0.6, 0.7)])
def test_a_gap_of_the_margin_is_not_within_it_by_rounding(p_a: float, p_b: float) -> None:
    assert abs(p_a - p_b) < 0.1
    plan = plan_pair(pair_from_accuracies(p_a, p_b, rho=0.3), question=Question(margin=0.1))
    assert (plan.equivalence, plan.decided_as, plan.items) == (inf, "different", plan.exact)


@pytest.mark.parametrize("clusters", [None, 14])
def test_the_items_at_hand_detect_the_gap_that_was_asked_for(clusters: int | None) -> None:
    icc = None if clusters is None else 0.004
    found = plan_detectable(2_000, 0.1, question=Question(clusters=clusters, icc=icc))
    assert found.plan.at_hand is not None
    assert found.plan.at_hand.detectable == found.gap == pytest.approx(found.plan.pair.gap)
    assert found.plan.at_hand.power == pytest.approx(0.8, abs=1e-6)


def test_more_clusters_than_items_at_hand_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="clusters must be at most the items at hand, 5"):
        plan_pair(pair_from_gap(0.02, 0.1), n_items=5, question=Question(clusters=14, icc=0.01))


@pytest.mark.parametrize(("gap", "discordance"), [(0.02, 0.1), (1.0, 1.0)])
def test_who_leads_makes_no_difference(gap: float, discordance: float) -> None:
    first, second = (
        plan_pair(pair_from_gap(gap, discordance)),
        plan_pair(pair_from_gap(-gap, discordance)),
    )
    assert first.items == second.items
    assert np.array_equal([s.power for s in first.sizes], [s.power for s in second.sizes])


def test_the_curve_of_detectable_gaps_has_the_gaps_of_mcnemars_test() -> None:
    """At 1,021 items the smallest gap is 4 points, for which 1,021 items are planned."""
    curves = plan_curves(plan_pair(pair_from_gap(0.04, 0.2)))
    assert curves.planned == {"planned": 1021.0}
    sizes = np.array([1_000, 4_000])
    gaps = mcnemar_detectable_gaps(sizes, 0.2, test="exact", alpha=0.05, power=0.8)
    assert gaps.round(4).tolist() == [0.0404, 0.02]
    assert sizes_around(10).tolist() == list(range(1, 17))
    assert sizes_around(1).tolist() == sizes_around(0.5).tolist() == [1, 2]
    assert sizes_of_gaps(1000)[[0, -1]].tolist() == [100, 4000]
