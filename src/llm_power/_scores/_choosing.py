"""What a log leaves open (metric, filter, reducer, run), and the one place that settles it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final, TypeVar

from llm_power._errors import ScoreError, Setting, as_options, counted, listed
from llm_power._scores._source import LogFile, NoClusterColumn, SourceFile
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores

Asked = TypeVar("Asked", bound=ReadOptions)

_EXAMPLE: Final = ", for example"
_MOST_CANDIDATES: Final = 12
# Of many metrics one of these is offered.
_USUAL: Final = ("acc", "accuracy", "exact_match", "quasi_exact_match")
_MOST_ROUNDS: Final = 10
# Options that tasks may have of their own, as TASK=NAME.
_OF_A_TASK: Final = ("metric", "filter", "reducer")


#: Candidates with their sizes, and settings that these call for.
Sized = tuple[Mapping[str, str], Mapping[str, Setting]]


class OpenChoice(ScoreError):
    """A log has several of what a score can be made of, or several runs, or not what was named."""

    def __init__(
        self,
        lead: str,
        candidates: Mapping[str, str],
        settings: Mapping[str, Setting],
        log: LogFile,
        remedy: str,
        *,
        is_of_names: bool = False,
        is_absent: bool = False,
        sized: Callable[[ReadOptions], Sized] | None = None,
    ) -> None:
        self.lead, self.candidates = lead, candidates
        self.is_of_names, self.is_absent = is_of_names, is_absent
        self.task, self._sized = "", sized
        super().__init__(
            f"{lead}: {self.listing}",
            remedy=remedy,
            file=str(log.path),
            model=log.model,
            settings=settings,
        )

    @property
    def listing(self) -> str:
        """The candidates, each with its number of scores and items."""
        shown = [f"{name!r}{size}" for name, size in self.candidates.items()]
        more = len(shown) - _MOST_CANDIDATES
        return ", ".join(shown[:_MOST_CANDIDATES]) + (f" and {more} more" if more > 0 else "")

    def measure(self, options: ReadOptions) -> None:
        """Have the size of each candidate, and the settings by it, as far as reading tells them."""
        if self._sized is not None:
            with suppress(ScoreError):
                self.candidates, further = self._sized(options)
                self.settings |= further
                self._sized = None


class AllOpen(ScoreError):
    """One refusal that lists all that is open, and settings that settle it together."""

    def __init__(
        self, faults: Sequence[ScoreError], settings: Mapping[str, Setting], beyond: str = ""
    ) -> None:
        self.faults: list[ScoreError] = [
            one
            for fault in faults
            for one in (fault.faults if isinstance(fault, AllOpen) else [fault])
        ]
        alike: dict[tuple[str, ...], list[ScoreError]] = {}
        for fault in self.faults:
            alike.setdefault(_what_is_open(fault), []).append(fault)
        first = self.faults[0]
        tried = " ".join(as_options(settings))
        others = f"choose others of them than {tried}"
        remedies = dict.fromkeys(
            others
            if beyond and isinstance(fault, OpenChoice) and fault.is_of_names
            else fault.remedy.removesuffix(_EXAMPLE)
            for fault in self.faults
        )
        super().__init__(
            "; ".join(
                [
                    *(_of_tasks(same, first, len(self.faults)) for same in alike.values()),
                    *([f"with {tried}, {beyond}"] if beyond else []),
                ]
            ),
            remedy="; ".join(remedies) + ("" if beyond else _EXAMPLE),
            file=first.file,
            model=first.model,
            item=first.item,
            settings={} if beyond else settings,
        )


def _what_is_open(fault: ScoreError) -> tuple[str, ...]:
    if isinstance(fault, OpenChoice):
        return (fault.lead, *fault.candidates)
    return (fault.problem,)


def _of_tasks(same: Sequence[ScoreError], foremost: ScoreError, n_faults: int) -> str:
    """Tell what is open alike in some tasks, by the first of them."""
    first = same[0]
    if not isinstance(first, OpenChoice):
        place = (first.model, first.item)
        is_told = first.model is None or place == (foremost.model, foremost.item)
        known = {"model": first.model, "item": first.item}
        where = ", ".join(f"{what} {name!r}" for what, name in known.items() if name is not None)
        return first.problem if is_told else f"{where}: {first.problem}"
    others = {fault.task for fault in same if isinstance(fault, OpenChoice)} - {first.task}
    where = f" in task {first.task!r}" if first.task and n_faults > 1 else ""
    where += f" and {counted(len(others), 'other')}" if others else ""
    return f"{first.lead}{where}: {first.listing}"


class Choice:
    """What a score is made of: the first declared that a log has, or else the only one it has."""

    def __init__(self, option: str, what: str, declared: str | None) -> None:
        self.option, self.what, self.declared = option, what, declared
        self._wanted = declared.split(",") if declared is not None else []
        self.name = declared
        self._records: dict[tuple[str, ...], int] = {}  # how many have just these names
        self._names: dict[str, None] = {}  # in order of appearance

    @property
    def counts(self) -> dict[str, int]:
        """Scores by name, in order of appearance."""
        counts = dict.fromkeys(self._names, 0)
        for names, n_records in self._records.items():
            for name in names:
                counts[name] += n_records
        return counts

    def among(self, names: Iterable[str]) -> str | None:
        """Note the names of a record, and return the chosen one, of which the end may be given."""
        own = tuple(names)
        n_records = self._records[own] = self._records.get(own, 0) + 1
        if n_records == 1:
            self._names |= dict.fromkeys(own)
            self._choose()
        return self.name

    def _choose(self) -> None:
        if self.name not in self._names:
            self.name = next(filter(None, map(self._named, self._wanted)), self.name)
        if self.name is None:
            self.name = next(iter(self._names), None)

    def _named(self, wanted: str) -> str | None:
        if wanted in self._names:
            return wanted
        ending = [name for name in self._names if name.endswith(f"/{wanted}")]
        return ending[0] if len(ending) == 1 else None

    def check(self, log: LogFile, n_items: int | None = None) -> None:
        """Refuse to have chosen where there was a choice, or to choose what is not there."""
        unit, counts = "items" if n_items is None else f"scores of {n_items:,} items", self.counts
        if not counts or (self.name in counts and (self.declared is not None or len(counts) == 1)):
            return
        usual = [name for name in _USUAL if name in counts]
        most = usual[0] if usual else max(counts, key=counts.__getitem__)
        by_size = len(set(counts.values())) > 1
        why = "a usual name" if usual else "the one with most scores" if by_size else "the first"
        raise OpenChoice(
            f"there are several {self.what}"
            if self.declared is None
            else f"{self.declared!r} is not among the {self.what}",
            {name: f" ({n:,} {unit})" for name, n in counts.items()},
            {self.option: most},
            log,
            f"choose among them ({most!r} is only {why}){_EXAMPLE}",
            is_of_names=True,
            is_absent=self.declared is not None,
        )


def read_each(
    reads: Iterable[tuple[str, Callable[[ReadOptions], list[TaskScores]]]], options: ReadOptions
) -> list[TaskScores]:
    """Read tasks, of which some may lack a cluster column; refuse at once all that is open."""
    lacking: list[NoClusterColumn] = []
    left_open: list[ScoreError] = []
    tasks: list[TaskScores] = []
    n_reads = 0
    for task, read in reads:
        n_reads += 1
        rest = [*options.clusters]
        while True:
            try:
                tasks += read(replace(options, clusters=rest))
            except NoClusterColumn as fault:
                lacking.append(fault)
                rest.remove(fault.column)
                continue
            except ScoreError as fault:
                if not fault.settings:
                    raise
                if isinstance(fault, OpenChoice):
                    fault.task = fault.task or task
                left_open.append(fault)
            break
    if left_open:
        # What no task has is replaced; to what some lack, what they have is added.
        is_everywhere = len(left_open) == n_reads
        known = {name: getattr(options, name) for name in _OF_A_TASK if not is_everywhere}
        raise left_open[0] if n_reads == 1 else AllOpen(left_open, _together(left_open, known))
    for lack in lacking:
        if not any(lack.column in task.clusters for task in tasks):
            raise lack
    return tasks


def _together(faults: Sequence[ScoreError], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings that settle all of these; a task takes the first name that it has."""
    settings: dict[str, Any] = {}
    for fault in faults:
        for name, further in fault.settings.items():
            before = settings.get(name, known.get(name))
            if isinstance(before, str) and isinstance(further, str) and name in _OF_A_TASK:
                both = [*before.split(","), *further.split(",")]
                settings[name] = ",".join(dict.fromkeys(both))
            elif isinstance(further, list):
                settings[name] = list(dict.fromkeys([*(before or ()), *further]))
            else:
                settings[name] = further
    return settings


@contextmanager
def refusing_all_open(read: Callable[[Asked], object], options: Asked) -> Iterator[None]:
    """Have a refusal of what is open name all of it: settle each, and read again to the next."""
    try:
        yield
    except ScoreError as fault:
        every = _of_all_open(fault, read, options)
        if every is fault:
            raise
        raise every from fault


def _of_all_open(fault: ScoreError, read: Callable[[Asked], object], options: Asked) -> ScoreError:
    faults: list[ScoreError] = []
    settings: dict[str, Any] = {}
    beyond = ""  # what no setting settles
    for _ in range(_MOST_ROUNDS):
        further = _together([fault], {"exclude": options.exclude, **settings})
        if settings | further == settings:
            if not faults:
                return fault
            beyond = "" if fault.settings else fault.problem
            break
        faults.append(fault)
        settings |= further
        # What is measured now keeps what follows from it from being asked.
        for one in (every := AllOpen(faults, settings).faults):
            if isinstance(one, OpenChoice):
                one.measure(replace(options, **settings))
        settings |= _together(every, {"exclude": options.exclude, **settings})
        try:
            read(replace(options, **settings))
        except ScoreError as following:
            fault = following
        else:
            break
    every = AllOpen(faults, settings).faults
    # What is not where it was first settled is nothing that was asked for.
    own = [one for one in every if _is_asked(one, options)]
    return AllOpen(own, settings, beyond)


def _is_asked(fault: ScoreError, options: ReadOptions) -> bool:
    is_absent = isinstance(fault, OpenChoice) and fault.is_absent
    return not is_absent or any(getattr(options, name) for name in fault.settings)


def for_task(options: ReadOptions, task: str, known: Mapping[str, Collection[str]]) -> ReadOptions:
    """Return the options of one task, of those that name tasks, or groups of them, with a =."""
    chosen: dict[str, Any] = {}
    for option in _OF_A_TASK:
        declared = getattr(options, option)
        if declared is not None:
            pairs = _by_task(option, declared, known)
            own = [value for name, value in pairs if task in known.get(name, ())]
            chosen[option] = ",".join(own or [value for name, value in pairs if not name]) or None
    return replace(options, **chosen)


def _by_task(
    option: str, declared: str, known: Mapping[str, Collection[str]]
) -> list[tuple[str, str]]:
    """Return the names that were declared, each with the task or group it is for, if it is."""
    pieces, rest = _pieces(
        declared, lambda piece: "=" not in piece or piece.rpartition("=")[0] in known
    )
    if rest:
        raise ScoreError(
            f"{rest!r} names no task; the tasks are {listed(known)}",
            remedy=f"write TASK=NAME with one of them (--{option})",
        )
    return [(name, value) for name, _, value in (piece.rpartition("=") for piece in pieces)]


def named_in(text: str, known: Collection[str]) -> list[str] | None:
    """Return the names in a text with commas, None unless each is known."""
    names, rest = _pieces(text, known.__contains__)
    return None if rest else names


def asked_tasks(asked: str | None, names: Sequence[str], source: SourceFile) -> Sequence[str]:
    """Return which tasks of a table are asked for, all without a name."""
    found = names if asked is None else named_in(asked, names)
    if found is None:
        raise source.fault(
            f"there is no task {asked!r}; the tasks are {listed(names)}", "name one of them"
        )
    return found


def _pieces(text: str, is_whole: Callable[[str], bool]) -> tuple[list[str], str]:
    """Cut a text at commas, which the names of tasks may have too; return what is left over."""
    pieces: list[str] = []
    piece = ""
    for part in text.split(","):
        piece = f"{piece},{part}" if piece else part
        if is_whole(piece):
            pieces.append(piece)
            piece = ""
    return pieces, piece
