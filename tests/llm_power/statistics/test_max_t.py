"""Family-wise p-values by max-T: the cases that have a closed form, and the error rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import kstest, kurtosis, norm

from llm_power._choices import Family
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.max_t import (
    MOST_DRAWS,
    TRIED,
    GapDraws,
    Largest,
    Tile,
    all_pairs_level,
    centred_scores,
    max_t_family,
)
from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.multiplicity import FamilyTest, adjust_bonferroni, sidak_level
from llm_power._statistics.random_streams import (
    Keys,
    content_digest,
    factored,
    keyed_normals,
    keys_of,
    named_rng,
    pooled,
)

# A p-value inside the interval of the critical value, so that draws double to the most.
CLOSE = 4 * np.sqrt(0.25 / MOST_DRAWS)


def of_normals(n_pairs: int) -> Largest:
    return of_keys(keys_of([f"pair {k}" for k in range(n_pairs)], np.zeros(1, dtype=np.uint64)))


def of_keys(keys: Keys) -> Largest:
    return lambda start, stop: np.abs(keyed_normals(keys, start, stop)).max(axis=0).astype(float)


def drawn(scores: FloatArray) -> GapDraws:
    names = [str(k) for k in range(len(scores))]
    return GapDraws(centred_scores(scores), keys_of(names, content_digest(names, scores)))


def test_independent_pairs_are_adjusted_as_sidaks() -> None:
    p = np.array([0.2, 0.001, sidak_level(4), 0.008])
    family = max_t_family(p, of_normals(4))
    np.testing.assert_allclose(family.p, 1 - (1 - p) ** 4, atol=CLOSE)
    assert family.level == pytest.approx(sidak_level(4), rel=0.08)


def test_pairs_that_move_as_one_are_hardly_adjusted() -> None:
    p = np.array([0.01, 0.05, 0.3])
    np.testing.assert_allclose(max_t_family(p, of_normals(1)).p, p, atol=CLOSE)


@given(hnp.arrays(float, st.integers(2, 12), elements=st.floats(0, 1)))
def test_between_the_own_p_value_and_bonferronis(p: FloatArray) -> None:
    family = max_t_family(p, of_normals(12))
    assert np.all((p <= family.p) & (family.p <= adjust_bonferroni(p)))
    assert np.all(np.diff(family.p[np.argsort(p, kind="stable")]) >= 0)
    assert 0.05 / p.size <= family.level <= 0.05
    # One level for every pair: the verdict is that of the pair's own p at the level.
    np.testing.assert_array_equal(family.p <= 0.05, p <= family.level)


def test_a_pair_alone_keeps_its_p_value() -> None:
    found = max_t_family([0.0625], of_normals(1))
    assert (found.p.tolist(), found.level) == ([0.0625], 0.05)


def test_draws_double_while_a_pair_is_close_and_then_it_is_marked() -> None:
    looks: list[int] = []

    def counted(start: int, stop: int) -> FloatArray:
        looks.append(stop)
        return of_normals(4)(start, stop)

    clear = max_t_family([0.5, 1e-9, 0.9, 1.0], counted)
    assert looks == [1_000]
    assert not clear.close_calls(np.array([0.5, 1e-9])).any()
    looks.clear()
    p = np.array([sidak_level(4), 1e-9, 0.9, 1.0])
    close = max_t_family(p, counted)
    assert looks == [1_000, 2_000, 4_000, 8_000, MOST_DRAWS]
    assert close.close_calls(p).tolist() == [True, False, False, False]


def test_the_smallest_level_that_draws_can_give_is_that_of_the_largest_deviate() -> None:
    deviates = np.linspace(0, 4, 1_000)
    family = max_t_family(np.full(100, 0.5), lambda start, stop: deviates[start:stop], alpha=0.001)
    assert family.level == pytest.approx(2 * norm.sf(4), rel=1e-9)


def test_the_interval_of_the_level_has_the_true_one() -> None:
    """Independent pairs: the true level is Šidák's; a miss at one look has chance .0002."""
    digests, missed = np.arange(2_000, dtype=np.uint64)[:, np.newaxis], 0
    for digest in digests:
        keys = keys_of(["a", "b", "c"], digest)
        p = np.array([1.0, 1.0, 1.0])
        found = max_t_family(p, of_keys(keys))
        assert found.close is not None
        missed += not found.close[0] <= sidak_level(3) <= found.close[1]
    # Of as many, 4 or more have chance .001.
    assert missed <= 3


@pytest.mark.parametrize("models", [4, 20])
def test_deviates_are_correlated_as_the_gaps_are(models: int) -> None:
    rng = named_rng(2, "scores")
    scores = (rng.normal(size=(900, 1)) + rng.normal(size=(900, models)) > 0).astype(float)
    first, second = np.triu_indices(models, k=1)
    gaps = scores[:, first] - scores[:, second]
    expected = np.random.default_rng(0).multivariate_normal(
        np.zeros(len(first)), np.corrcoef(gaps.T), size=40_000, method="eigh"
    )
    found = drawn(scores).largest(0, 40_000)
    for share in (0.5, 0.9, 0.95):
        wanted = np.quantile(np.abs(expected).max(axis=1), share)
        assert np.mean(found <= wanted) == pytest.approx(share, abs=0.01)
    adjacent = drawn(scores[:, :2]).largest(0, 40_000, family="adjacent")
    assert np.mean(adjacent <= norm.ppf(0.975)) == pytest.approx(0.95, abs=0.005)


def test_tiles_of_few_models_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest deviate is that of the last two models, of which only one tile has the pair."""
    scores = named_rng(0, "tiles").uniform(size=(300, 7))
    scores[:, :5] = 0.5
    whole = drawn(scores).largest(0, 100)
    monkeypatch.setattr("llm_power._statistics.max_t._MODELS", 2)
    np.testing.assert_allclose(drawn(scores).largest(0, 100), whole, rtol=1e-6)


@pytest.mark.parametrize("kind", ["binary", "graded", "but for a number", "but for rounding"])
def test_models_of_equal_scores_are_drawn_once(kind: str) -> None:
    """The largest deviates are those of the models that differ, in any order of neighbors."""
    scores = named_rng(0, f"equal/{kind}").uniform(size=(300, 40))
    scores = (scores < 0.6).astype(float) if kind == "binary" else scores
    again = scores[:, ::-1]
    again = again + 0.1 if kind == "but for a number" else again
    again = again * 0.1 * 10 if kind == "but for rounding" else again
    keys = keys_of([str(k) for k in range(300)], np.zeros(1, dtype=np.uint64))
    both = scores, np.hstack([scores, again])
    once, many = (GapDraws(centred_scores(x), keys) for x in both)
    assert many.n_models == 40
    for family in ("all", "adjacent"):
        np.testing.assert_array_equal(
            once.largest(0, 60, family=family), many.largest(0, 60, family=family)
        )


@pytest.mark.parametrize("models", [12, 20])
@pytest.mark.parametrize("family", ["all", "adjacent"])
@pytest.mark.parametrize("alike", [1, 2, 12])
@pytest.mark.parametrize("far", [4e5, 1e6, 1e12])
def test_a_far_larger_score_leaves_the_other_gaps_their_level(
    far: float, alike: int, family: Family, models: int
) -> None:
    """The largest deviate has the law of the gaps, or is a little larger: drawn by themselves."""
    rng = named_rng(0, "far larger")
    scores = rng.normal(size=(200, models))
    scores[0, :alike] += far
    every = np.triu_indices(models, k=1)
    first, second = every if family == "all" else (np.arange(models - 1), np.arange(1, models))
    gaps = scores[:, first] - scores[:, second]
    gaps -= gaps.mean(axis=0)
    gaps /= np.sqrt(np.square(gaps).sum(axis=0))
    expected = np.abs(rng.normal(size=(4_000, 200)) @ gaps).max(axis=1)
    found = drawn(scores).largest(0, 4_000, family=family)
    # Both have a standard error of .03.
    assert -0.13 < np.quantile(found, 0.95) - np.quantile(expected, 0.95) < 0.2


@pytest.mark.parametrize("models", [20, 150])
@pytest.mark.parametrize("kind", ["binary", "graded", "missing"])
def test_neither_order_nor_blocks_change_a_bit(kind: str, models: int) -> None:
    rng = named_rng(4, kind)
    scores = rng.uniform(size=(300, models))
    if kind != "graded":
        scores = np.rint(scores)
    if kind == "missing":
        scores[rng.random(scores.shape) < 0.3] = np.nan
    names = [f"q{k}" for k in range(300)]

    def largest(rows: np.ndarray, columns: np.ndarray) -> FloatArray:
        x, ids = scores[np.ix_(rows, columns)], [names[row] for row in rows]
        return GapDraws(centred_scores(x), keys_of(ids, content_digest(ids, x))).largest(0, 100)

    whole = largest(np.arange(300), np.arange(models))
    np.testing.assert_array_equal(largest(rng.permutation(300), rng.permutation(models)), whole)


@pytest.mark.parametrize("n_a", [80, 200])
@pytest.mark.parametrize("spread", [0.0, 0.2, 2.0])
@pytest.mark.parametrize("looked_up", [50, 2**16])
def test_pairs_that_are_left_out_cannot_be_the_largest(
    monkeypatch: pytest.MonkeyPatch, n_a: int, spread: float, looked_up: int
) -> None:
    monkeypatch.setattr("llm_power._statistics.max_t._LOOKED_UP", looked_up)
    rng = named_rng(6, f"{n_a} {spread}")
    sums = rng.normal(size=(200, 300)).astype(np.float32)
    precision = np.exp(spread * rng.normal(size=(200, 200))).astype(np.float32)
    precision = np.triu(precision, 1) + np.triu(precision, 1).T
    deviates = np.abs(sums[:n_a, np.newaxis] - sums) * precision[:n_a, :, np.newaxis]
    tile, least = Tile(precision[:n_a], sums[:, :TRIED]), np.zeros(300, dtype=np.float32)
    np.testing.assert_array_equal(tile.largest(sums, least, 0, 300), deviates.max(axis=(0, 1)))


def test_draws_are_normal() -> None:
    names = [f"q{k}" for k in range(300)]
    drawn = keyed_normals(keys_of(names, np.zeros(1, dtype=np.uint64)), 0, 2_000).astype(float)
    assert kstest(drawn.ravel(), "norm").statistic < 0.0025  # 1.95 / sqrt(600,000), p = .001
    assert kurtosis(drawn.ravel()) == pytest.approx(0, abs=4 * np.sqrt(24 / drawn.size))
    assert drawn.std() == pytest.approx(1, abs=4 / np.sqrt(2 * drawn.size))
    both = np.corrcoef(drawn[:, :40].T)[np.triu_indices(40, 1)]
    assert np.abs(both).max() < 5 / np.sqrt(300)


def test_other_contents_have_other_draws() -> None:
    names, scores = ["a", "b"], np.array([[1.0, 0.0], [0.0, 0.0]])
    digest = content_digest(names, scores)
    assert digest == content_digest(names[::-1], scores[::-1, ::-1])
    assert digest == content_digest(names, np.where(scores == 0, -0.0, scores))
    others = (scores[::-1], np.zeros((2, 2)), np.array([[1.0, np.nan], [0.0, 0.0]]))
    assert all(content_digest(names, other) != digest for other in others)
    first, second = (keyed_normals(keys_of(names, x), 0, 5_000) for x in (digest, digest + 1))
    together = np.asarray(np.corrcoef(np.vstack([first, second])))
    assert np.abs(together[np.triu_indices(4, 1)]).max() < 0.06
    assert np.abs(first.mean(axis=1)).max() < 0.06
    np.testing.assert_array_equal(keyed_normals(keys_of(names, digest), 7, 9), first[:, 7:9])


def test_equal_rows_are_one_with_the_same_law() -> None:
    rng = named_rng(5, "patterns")
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])[rng.integers(0, 3, size=60)]
    keys = keys_of([str(k) for k in range(60)], np.zeros(1, dtype=np.uint64))
    merged, own = pooled(rows, keys)
    assert merged.shape == (3, 2)
    np.testing.assert_allclose(merged.T @ merged, rows.T @ rows)
    order = rng.permutation(60)
    again, others = pooled(rows[order], keys[order])
    np.testing.assert_array_equal(np.column_stack([merged, own]), np.column_stack([again, others]))


def test_columns_have_draws_with_the_products_of_their_rows() -> None:
    rng = named_rng(8, "columns")
    rows = rng.integers(-3, 4, size=(200, 20)).astype(float)
    rows[:, 1], rows[:, 2], rows[:, 3] = rows[:, 0], -rows[:, 0], 0.0
    keys = keys_of([str(k) for k in range(200)], np.zeros(1, dtype=np.uint64))
    fewer, own = factored(rows, keys)
    assert (fewer.shape, own.shape) == ((19, 20), (19,))
    np.testing.assert_allclose(fewer.T @ fewer, rows.T @ rows, atol=1e-6)
    order, models = rng.permutation(200), rng.permutation(20)
    again, others = factored(rows[np.ix_(order, models)], keys[order])
    np.testing.assert_array_equal(again, fewer[:, models])
    np.testing.assert_array_equal(others, own)
    assert not factored(np.zeros((80, 20)), keys[:80])[0].round(4).any()


def test_a_part_of_a_family_stays_as_large_as_the_family() -> None:
    family = FamilyTest(np.array([0.001, 0.02, 0.2]), 0.01, 3)
    part = family.of(np.array([False, True, False]))
    assert (part.p.tolist(), part.level, part.size) == ([0.02], 0.01, 3)
    assert not family.close_calls(family.p).any()


def test_a_table_of_p_values_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="one-dimensional"):
        max_t_family([[0.1]], of_normals(1))


@pytest.mark.slow
def test_the_family_wise_error_stays_below_its_level() -> None:
    """Five equal models, all pairs, 200 items: exact p-values, nominal .05."""
    rng, rejected = named_rng(3, "null"), 0
    first, second = np.triu_indices(5, k=1)
    for _ in range(1_000):
        scores = (rng.normal(size=(200, 1)) + rng.normal(size=(200, 5)) > 0).astype(float)
        d = scores[:, first] - scores[:, second]
        p = mcnemar_exact((d > 0).sum(axis=0), (d < 0).sum(axis=0))
        rejected += bool((max_t_family(p, drawn(scores).largest).p <= 0.05).any())
    assert rejected / 1_000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1_000)


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


def test_models_that_do_not_vary_take_no_part() -> None:
    rng = named_rng(0, "constant models")
    scores = rng.uniform(size=(200, 3))
    keys = keys_of([str(k) for k in range(200)], np.zeros(1, dtype=np.uint64))
    constant = np.broadcast_to(np.linspace(0.1, 0.9, 30), (200, 30))
    centred = centred_scores(np.hstack([scores, constant]))
    assert not centred[:, 3:].any()
    assert GapDraws(centred, keys).n_models == 4
