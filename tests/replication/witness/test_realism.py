"""The witness against the real answers of the five models on 99 ARC items.

Five of the ten ARC pairs are printed, so the witness has their counts exactly and cannot fail on
them but by the choice of the 99 items, which were picked and are no random sample. The other five
are free: nothing printed fixes them, and the real items were never shown to the solver.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kotawala2026.witness.oll_v1 import OllV1Witness
from llm_power.errors import InvalidArgument
from llm_power.scores.store import TaskScores
from llm_power.statistics._seeds import named_rng
from replication.constraints import BoardScore
from replication.witness.realism import realism_table


@pytest.fixture(scope="module")
def real_arc(data_root: Path, board_scores: tuple[BoardScore, ...]) -> TaskScores:
    path = data_root / "olv1_subset" / "arc.parquet"
    if not path.is_file():
        pytest.skip("olv1_subset/arc.parquet is not at hand")
    arc = [s for s in board_scores if s.task == "ARC-C"]
    frame = pd.read_parquet(path, columns=[s.hub_id for s in arc])
    return TaskScores(
        task="ARC-C",
        kind="binary",
        item_ids=tuple(str(i) for i in frame.index),
        models=tuple(s.model for s in arc),
        values=frame.to_numpy(np.float64),
    )


@pytest.fixture(scope="module")
def table(
    oll_v1_witness: OllV1Witness, oll_v1_tasks: tuple[TaskScores, ...], real_arc: TaskScores
) -> pd.DataFrame:
    return realism_table(oll_v1_tasks[0], real_arc, oll_v1_witness.fixed[:10])


def test_the_free_pairs_are_as_real_ones(table: pd.DataFrame) -> None:
    free = table[table["kind"] == "free"]
    assert (len(free), table["n_real"].iloc[0]) == (5, 99)
    assert (free[["discordance_z", "rho_z"]].abs() < 4).all(axis=None)


def test_what_99_items_can_tell(table: pd.DataFrame) -> None:
    """A standard error of 0.03 to 0.05 in discordance and 0.06 to 0.09 in rho: not much."""
    assert table["discordance_se"].between(0.03, 0.05).all()
    assert table["rho_se"].between(0.06, 0.09).all()


def test_the_largest_deviation_is_on_a_printed_pair(table: pd.DataFrame) -> None:
    """So it is the choice of the items: the witness has that pair's counts exactly."""
    largest = int(np.argmax(table["rho_z"].abs()))
    assert table["kind"][largest] == "printed"


def test_a_random_part_of_the_witness_is_within_its_own_error(
    oll_v1_witness: OllV1Witness, oll_v1_tasks: tuple[TaskScores, ...]
) -> None:
    whole = oll_v1_tasks[0]
    chosen = named_rng(7, "realism").choice(whole.n_items, 300, replace=False)
    part = replace(
        whole,
        item_ids=tuple(whole.item_ids[i] for i in chosen),
        values=whole.values[chosen],
    )
    found = realism_table(whole, part, oll_v1_witness.fixed[:10])
    assert (found[["discordance_z", "rho_z"]].abs() < 4).all(axis=None)


def test_standard_error_of_a_share_without_replacement(
    oll_v1_witness: OllV1Witness, oll_v1_tasks: tuple[TaskScores, ...]
) -> None:
    """Against 4,000 draws of 586 of the 1,172 items, to 4 Monte Carlo standard errors."""
    whole = oll_v1_tasks[0]
    part = replace(whole, item_ids=whole.item_ids[::2], values=whole.values[::2])
    found = realism_table(whole, part, oll_v1_witness.fixed[:10], n_draws=2)
    rng = named_rng(8, "realism")
    differs = whole.values[:, 0] != whole.values[:, 1]
    shares = rng.hypergeometric(differs.sum(), (~differs).sum(), 586, size=4000) / 586
    error = shares.std() / np.sqrt(2 * 4000)
    assert abs(shares.std() - found["discordance_se"][0]) < 4 * error


def test_models_and_pairs_must_match(oll_v1_tasks: tuple[TaskScores, ...]) -> None:
    whole = oll_v1_tasks[0]
    with pytest.raises(InvalidArgument, match="fixed must have one entry a pair"):
        realism_table(whole, whole, [True])
    renamed = replace(whole, models=("a", "b", "c", "d", "e"))
    with pytest.raises(InvalidArgument, match="the real items have no model 'Mistral-7B-I-v0.2'"):
        realism_table(whole, renamed, [True] * 10)
