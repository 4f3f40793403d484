"""Work out every core column of one part of a board's pairs, and count what they show."""

from pathlib import Path

from llm_power._board.pair_store import PairWriter, read_family
from llm_power._board.stream import Tally, columns_between
from llm_power._scores.store import read_task
from replication.board_pairs import board_pairs, read_p_values
from replication.job import logged, snakemake

with logged():
    part = int(snakemake.wildcards.part)
    settings = snakemake.params.settings
    pairs = board_pairs([*map(read_task, snakemake.input.scores)], settings)
    family = read_family(Path(snakemake.input.family[0]), *read_p_values([snakemake.input.p]))[0]
    bounds, tally = pairs.parts(settings["parts"])[part], Tally.empty(pairs.tasks)
    path = Path(snakemake.output.pairs)
    with PairWriter(lambda _: path, pairs.tasks) as writer:
        for start, columns in columns_between(pairs, *bounds, family, threads=snakemake.threads):
            tally.add(pairs.tasks[int(columns["task"][0])], columns)
            writer.write(start, columns)
    Path(snakemake.output.tally).write_text(tally.to_json(), encoding="utf-8")
