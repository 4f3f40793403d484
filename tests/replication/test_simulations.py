"""A simulation in parts is the simulation in one piece, or is refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from llm_power._statistics.random_streams import named_rng
from replication.simulations import Chunks, SimulationParts, gathered, simulate_part
from replication.stages import write_stage


def chunk(name: str) -> pd.DataFrame:
    rng = named_rng(5, name)
    return pd.DataFrame({"trial": range(3), "name": name, "value": rng.random(3)})


CHUNKS: Chunks = {name: partial(chunk, name) for name in ("b/1", "a", "d", "c", "e")}


def parts_in(folder: Path, parts: int) -> list[str]:
    paths = [str(folder / f"part-{part}.parquet") for part in range(parts)]
    for part in reversed(range(parts)):
        write_stage(simulate_part(CHUNKS, part, parts), paths[part])
    return paths


@pytest.mark.parametrize("parts", [0, 1, 2, 3, 5])
def test_gathered_chunks_are_those_of_one_piece_in_their_order(parts: int, tmp_path: Path) -> None:
    paths = parts_in(tmp_path, parts)
    for order in (paths, paths[::-1]):
        found = gathered(order, CHUNKS)
        assert list(found) == list(CHUNKS)
        for name, rows in found.items():
            pd.testing.assert_frame_equal(rows, chunk(name), check_exact=True)


def test_a_part_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    first = [Path(path).read_bytes() for path in parts_in(tmp_path, 2)]
    assert first == [Path(path).read_bytes() for path in parts_in(tmp_path, 2)]


def test_a_missing_chunk_is_refused_in_one_line(tmp_path: Path) -> None:
    first, _ = parts_in(tmp_path, 2)
    with pytest.raises(SimulationParts, match=r"part-0.*no part has the chunk 'a'.*Remedy") as seen:
        gathered([first], CHUNKS)
    assert "\n" not in str(seen.value)


def test_a_chunk_of_two_parts_is_refused(tmp_path: Path) -> None:
    first, second = parts_in(tmp_path, 2)
    with pytest.raises(SimulationParts, match=r"part-0.*'b/1' is in another part too"):
        gathered([first, second, first], CHUNKS)


def test_more_parts_than_chunks_are_refused() -> None:
    with pytest.raises(SimulationParts, match=r"5 chunks is to have 6 parts.*paper\.yaml"):
        simulate_part(CHUNKS, 5, 6)
