"""Random streams by name, so that no result depends on order, cores or block size."""

from __future__ import annotations

from zlib import crc32

import numpy as np


def named_rng(seed: int, name: str) -> np.random.Generator:
    """Return the generator of the stream `name` under `seed`.

    The stream is a function of the two arguments alone: running a subset of the
    work, or the same work in another order, draws the same numbers.
    """
    return np.random.default_rng(np.random.SeedSequence([seed, crc32(name.encode())]))
