"""Extension of Inspect, by the entry point `inspect_ai`: the paired answer after a run."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspect_ai.hooks import Hooks, RunEnd, hooks

from llm_power._door import compare, resolve
from llm_power._errors import LLMPowerError, one_line

#: The log that new ones are compared with.
BASELINE: Final = "LLM_POWER_BASELINE"


@hooks(
    name="paired",
    description=f"Prints which models of a run differ; with {BASELINE}=LOG, what became better.",
)
class Paired(Hooks):  # type: ignore[misc]  # without Inspect it has no types
    """Answers of a run: each log against the baseline, or the models of a task."""

    async def on_run_end(self, data: RunEnd) -> None:
        """Print the answers."""
        for answer in answers(data.logs, os.environ.get(BASELINE)):
            print(f"\n{answer}")


def answers(logs: Sequence[Any], baseline: str | None) -> Iterator[str]:
    """Give an answer for each log beside a baseline, or for each task that several models ran."""
    by_task: dict[str, list[Any]] = defaultdict(list)
    for log in logs:
        if log.status == "success":
            by_task[log.eval.task].append(log)
    for of_task in by_task.values():
        paths = [log.location.removeprefix("file://") for log in of_task]
        try:
            if baseline:
                yield from (str(compare(baseline, path)) for path in paths)
            elif len({log.eval.model for log in of_task}) > 1:
                yield str(resolve(*paths))
        except LLMPowerError as error:
            yield f"llm-power: {one_line(str(error))}"
