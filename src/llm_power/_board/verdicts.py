"""The verdict table: one row a pair, one stage a group of columns.

Each stage takes the rows of `tabulation` and adds what its own idea says about them, in a module of
its own: resolution, multiplicity, clusters, sequential, decision. The workflow caches every stage;
`llm_power._board.resolve` runs them in a row.

What to act on is ``verdict``, of the stage `decision`. ``resolved``, ``n_star`` and ``q`` are the
paper's: `resolved` means q >= 1, that the items at hand reach the target power at the observed gap.
At level .05 and power .80 that is p <= .0051 of a z test: many pairs that are different by their
test are not resolved, and five discordant items all one way are resolved at an exact p of .0625.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from llm_power._board.columns import PAIR_COLUMNS
from llm_power._board.tabulation import PAIR_KEY
from llm_power._errors import InvalidArgument

# What the files for readers show of the verdict table.
PAIRS_COLUMNS: Final = [*PAIR_COLUMNS]


def verdict_table(pairs: pd.DataFrame, *stages: pd.DataFrame) -> pd.DataFrame:
    """Join the counts and all stages of the same pairs into one table."""
    for stage in stages:
        if not stage[PAIR_KEY].equals(pairs[PAIR_KEY]):
            raise InvalidArgument("the stages of a verdict table must be about the same pairs")
    return pd.concat([pairs, *(stage.drop(columns=PAIR_KEY) for stage in stages)], axis=1)
