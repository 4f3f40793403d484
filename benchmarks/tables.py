"""The tables of docs/benchmarks.md, from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from statistics import median

from contests import US, Contest, Target
from drawn import Size
from results import Measured, Profile, Results
from tabulate import tabulate

_HOT_SPOTS = 5


@dataclass(frozen=True, slots=True)
class Other:
    """A peer or a yardstick beside us.

    Attributes
    ----------
    who : str
        Its name.
    size : Size
        The largest board that it did in its time.
    seconds : float
        Median of the rounds.
    ratio : float
        Its time over ours, a pair where there are pairs: median of the ratios of the rounds.
    """

    who: str
    size: Size
    seconds: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Line:
    """A contest as it went.

    Attributes
    ----------
    contest : Contest
        The contest.
    size : Size
        The largest board that we did in our time.
    seconds, gigabytes : float
        Median of the rounds, and the peak of memory.
    rounds : int
        How many.
    others : list of Other
        The peers, fastest first.
    yardstick : Other or None
        What our time is held against.
    """

    contest: Contest
    size: Size
    seconds: float
    gigabytes: float
    rounds: int
    others: list[Other]
    yardstick: Other | None

    @property
    def figures(self) -> Target:
        """The figures measured, as the target names them."""
        return Target(
            seconds=self.seconds,
            microseconds_a_pair=1e6 * self.seconds / self.size.pairs if self.size.pairs else None,
            gigabytes=self.gigabytes,
            times_yardstick=1 / self.yardstick.ratio if self.yardstick else None,
        )

    @property
    def missed(self) -> bool:
        """Whether a figure is above its limit, or the board is smaller than it should be."""
        pairs = zip(astuple(self.contest.target), astuple(self.figures), strict=True)
        above = any(
            limit is not None and figure is not None and figure > limit for limit, figure in pairs
        )
        return above or self.size != self.contest.sizes[-1]


def line_of(contest: Contest, results: Results) -> Line:
    """Return how a contest went."""
    rows = {row.who: row for row in results.of(contest.name, in_turn=True)}
    ours = rows.pop(US)
    mark = rows.pop(contest.yardstick.who) if contest.yardstick else None
    return Line(
        contest=contest,
        size=ours.size,
        seconds=median(ours.seconds),
        gigabytes=ours.gigabytes,
        rounds=len(ours.seconds),
        others=sorted((_beside(ours, row) for row in rows.values()), key=lambda x: x.ratio),
        yardstick=_beside(ours, mark) if mark else None,
    )


def _beside(ours: Measured, row: Measured) -> Other:
    pairs = max(row.size.pairs, 1) / max(ours.size.pairs, 1)
    ratios = [theirs / own / pairs for own, theirs in zip(ours.seconds, row.seconds, strict=True)]
    return Other(row.who, row.size, median(row.seconds), median(ratios))


def as_markdown(contests: Sequence[Contest], results: Results) -> str:
    """Return the table of targets, that of all peers, and where the time goes."""
    held = {row.contest for row in results.measured}
    lines = [line_of(contest, results) for contest in contests if contest.name in held]
    machine = ", ".join(f"{name} {value}" for name, value in results.machine.items())
    parts = [f"Measured on: {machine}.", _targets(lines), _peers(lines)]
    if results.left_out:
        parts.append(_left_out(results))
    works = {contest.name: contest.work for contest in contests}
    parts += [_profile(works[one.contest], one) for one in results.profiles]
    return "\n\n".join(parts) + "\n"


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True)


def _targets(lines: Sequence[Line]) -> str:
    rows = []
    for line in lines:
        best = line.others[0] if line.others else line.yardstick
        rows.append(
            [
                line.contest.work,
                _board(line.size),
                f"at most {_figures(line.contest.target, line.contest)}",
                _figures(line.figures, line.contest) + (" **missed**" if line.missed else ""),
                _time(line.seconds),
                f"{line.gigabytes:.2f} GB" if line.gigabytes else "",
                f"{best.who}, {_pace(best)}" if best else "none",
                _ratio(best.ratio) if best else "",
                str(line.rounds),
            ]
        )
    headers = ["work", "board", "to reach", "reached", "time", "memory", "best peer", "ratio"]
    return _table([*headers, "rounds"], rows)


def _peers(lines: Sequence[Line]) -> str:
    rows = []
    for line in lines:
        remarks = {side.who: side.remark for side in line.contest.peers}
        marks = [line.yardstick] if line.yardstick else []
        for other in marks + line.others:
            board, remark = _board(other.size), remarks.get(other.who, "")
            work = line.contest.work
            rows.append([work, other.who, board, _pace(other), _ratio(other.ratio), remark])
    return _table(["work", "peer", "board", "time", "ratio", "what it does"], rows)


def _left_out(results: Results) -> str:
    contests: dict[tuple[str, str], list[str]] = {}
    for one in results.left_out:
        contests.setdefault((one.who, one.why), []).append(one.contest)
    return "\n".join(
        f"- {who} is left out of {', '.join(names)}: {why}."
        for (who, why), names in contests.items()
    )


def _profile(work: str, profile: Profile) -> str:
    rows = [[f"`{where}`", _time(own)] for where, own in profile.own_seconds[:_HOT_SPOTS]]
    board = f" ({_board(profile.size)})" if profile.size.pairs else ""
    title = f"Where the time goes in {work}{board}, under a profiler:"
    return f"{title}\n\n" + _table(["function", "own time"], rows)


def _board(size: Size) -> str:
    if not size.pairs:
        return ""
    pairs = "1 pair" if size.pairs == 1 else f"{size.pairs:,} pairs"
    return f"{size.models:,} x {size.items:,}, {pairs}"


def _pace(other: Other) -> str:
    if not other.size.pairs:
        return _time(other.seconds)
    return f"{_time(other.seconds / other.size.pairs)} a pair"


def _figures(figures: Target, contest: Contest) -> str:
    """Write those figures of `figures` that the contest is about."""
    wanted, texts = contest.target, []
    if wanted.times_yardstick is not None and figures.times_yardstick is not None:
        name = contest.yardstick.who if contest.yardstick else "itself"
        texts.append(f"{figures.times_yardstick:.3g} x {name}")
    if wanted.microseconds_a_pair is not None and figures.microseconds_a_pair is not None:
        texts.append(f"{figures.microseconds_a_pair:.3g} µs a pair")
    if wanted.seconds is not None and figures.seconds is not None:
        texts.append(_time(figures.seconds))
    if wanted.gigabytes is not None and figures.gigabytes is not None:
        texts.append(f"{figures.gigabytes:.2g} GB")
    return ", ".join(texts)


def _ratio(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


def _time(seconds: float) -> str:
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return "0"
