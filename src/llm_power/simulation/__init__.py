"""Power by simulation, for any process that outcomes come from, any effect and any test.

`Simulation` takes a process, an effect and a test: those of `PROCESSES`, `EFFECTS` and `TESTS`, or
any object and function that is called as they are.
"""

from llm_power.simulation._engine import Simulation
from llm_power.simulation._outcomes import EFFECTS, TESTS
from llm_power.simulation._processes import PROCESSES, admissible_agreement
from llm_power.simulation._tasks import BinaryClassificationTask, PreferenceTask

__all__ = [
    "EFFECTS",
    "PROCESSES",
    "TESTS",
    "BinaryClassificationTask",
    "PreferenceTask",
    "Simulation",
    "admissible_agreement",
]
