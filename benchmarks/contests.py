"""The contests: a line of the table each, and who else does the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from drawn import N_CLUSTERS, Size


@dataclass(frozen=True, slots=True)
class Side:
    """One way to do the work.

    Attributes
    ----------
    who : str
        Name of the package, or of a yardstick.
    prepare : str
        ``module:function``, which takes a size and `arguments` and returns what is timed.
    arguments : tuple of str
        Further arguments.
    sizes : tuple of Size
        Sizes to climb, where they are not those of the contest.
    remark : str
        What this side does less, or otherwise.
    """

    who: str
    prepare: str
    arguments: tuple[str, ...] = ()
    sizes: tuple[Size, ...] = ()
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """The target: at most so much of each figure that is named.

    Attributes
    ----------
    seconds, microseconds_a_pair, gigabytes : float, optional
        Wall time, and the peak of memory.
    times_yardstick : float, optional
        Wall time over that of the yardstick.
    """

    seconds: float | None = None
    microseconds_a_pair: float | None = None
    gigabytes: float | None = None
    times_yardstick: float | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """A line of the table.

    Attributes
    ----------
    name : str
        Its key in the results.
    work : str
        What is done.
    ours : Side
        This package.
    target : Target
        Its target, at the largest size.
    sizes : tuple of Size
        From small to large: each side climbs until the next would take too long.
    peers : tuple of Side
        The others.
    yardstick : Side, optional
        What `Target.times_yardstick` is about; runs in the process of `ours`.
    more_items : tuple of Size
        Sizes that are run once, for the plot against items.
    tolerance : float
        How far apart the answers may be, absolutely; above rounding only for random draws.
    """

    name: str
    work: str
    ours: Side
    target: Target
    sizes: tuple[Size, ...]
    peers: tuple[Side, ...] = ()
    yardstick: Side | None = None
    more_items: tuple[Size, ...] = ()
    tolerance: float = 1e-12

    def small(self) -> Contest:
        """Return the contest at one tiny size."""
        return replace(
            self,
            sizes=(self.sizes[0].small(),),
            peers=tuple(
                replace(side, sizes=tuple(size.small() for size in side.sizes[:1]))
                for side in self.peers
            ),
            more_items=(),
        )


US: Final = "llm_power"
_ITEMS: Final = 12_032
_LADDER: Final = tuple(Size(models, _ITEMS) for models in (5, 15, 50, 150, 500, 1_500, 4_500))
_MORE_ITEMS: Final = tuple(Size(50, items) for items in (100, 1_000, 10_000, 100_000))
_PAIR: Final = (Size(2, _ITEMS),)
_PAGE: Final = (Size(320, 735),)
_NOTHING: Final = (Size(0, 0),)


def _peers(
    function: str, remarks: dict[str, str], sizes: tuple[Size, ...] = ()
) -> tuple[Side, ...]:
    return tuple(
        Side(who, f"peers.with_{who.replace('-', '_')}:{function}", sizes=sizes, remark=remark)
        for who, remark in remarks.items()
    )


def _processes(function: str, names: tuple[str, ...]) -> tuple[Side, ...]:
    return tuple(Side(name.split(".")[0], f"commands:{function}", (name,)) for name in names)


CONTESTS: Final = (
    Contest(
        name="counts",
        work="b, c of all pairs",
        ours=Side(US, "ours:counts"),
        target=Target(times_yardstick=1.5),
        sizes=_LADDER,
        peers=_peers("counts", {"mlxtend": "all four cells"}),
        yardstick=Side("the float32 product X Xᵀ", "ours:float32_product"),
        more_items=_MORE_ITEMS,
    ),
    Contest(
        name="core",
        work="core columns and max-T of all pairs, to Parquet",
        ours=Side(US, "ours:core"),
        target=Target(microseconds_a_pair=4, gigabytes=4),
        sizes=_LADDER,
        peers=_peers(
            "p_values",
            {
                "statsmodels": "asymptotic and exact p alone",
                "evalsig": "one p and Wald's interval",
                "evalci": "asymptotic p alone",
                "evalstats": "mid-p and Tango's interval",
                "scipy": "exact p alone",
                "pingouin": "asymptotic and exact p alone",
                "mlxtend": "asymptotic and exact p alone",
                "paired-eval": "exact p alone, from b and c",
            },
        )
        + _peers(
            "p_values",
            {"abeval": "exact p alone, up to 1,023 discordant items"},
            (Size(5, 1_000), Size(50, 1_000)),
        )
        # It searches for groups of ranks in a time that doubles with each model.
        + _peers(
            "p_values",
            {"errorbars": "exact, t and cluster-robust p, intervals, Holm"},
            _LADDER[:2],
        ),
        more_items=_MORE_ITEMS,
    ),
    Contest(
        name="missing",
        work="the same with 1 % missing",
        ours=Side(US, "ours:core_missing"),
        target=Target(times_yardstick=3),
        sizes=_LADDER[-3:],
        yardstick=Side("the same without gaps", "ours:core"),
    ),
    Contest(
        name="board",
        work="a board of 14 clusters: all pairs, max-T, ranks, shown pairs in full",
        ours=Side(US, "ours:board"),
        target=Target(microseconds_a_pair=10, gigabytes=1.5, times_yardstick=70),
        sizes=tuple(Size(models, _ITEMS) for models in (50, 150, 450, 1_200)),
        yardstick=Side("the float32 product X Xᵀ", "ours:float32_product"),
    ),
    Contest(
        name="graded",
        work="the same of graded scores",
        ours=Side(US, "ours:board", (str(N_CLUSTERS), "graded")),
        target=Target(microseconds_a_pair=10),
        sizes=(Size(50, 1_000), Size(300, 1_000)),
        more_items=(Size(150, _ITEMS),),
    ),
    Contest(
        name="many_clusters",
        work="the same of 5,000 clusters",
        ours=Side(US, "ours:board", ("5000",)),
        target=Target(gigabytes=0.5, times_yardstick=3),
        sizes=(Size(60, 10_000),),
        yardstick=Side("the same of 14 clusters", "ours:board"),
    ),
    Contest(
        name="documents",
        work="the same of 100,000 clusters",
        ours=Side(US, "ours:board", ("100000",)),
        target=Target(seconds=2),
        sizes=(Size(3, 400_000),),
    ),
    Contest(
        name="long",
        work="the same of five models and no clusters",
        ours=Side(US, "ours:board", ("1",)),
        target=Target(seconds=6),
        sizes=(Size(5, 1_000_000),),
    ),
    Contest(
        name="kept",
        work="all pairs and max-T, those kept that are different",
        ours=Side(US, "ours:different"),
        target=Target(microseconds_a_pair=2, gigabytes=4),
        sizes=(Size(1_000, 1_000), Size(5_000, 1_000), Size(20_000, 1_000)),
    ),
    Contest(
        name="csv",
        work="reading a CSV of an answer a line",
        ours=Side(US, "files:long_csv"),
        target=Target(seconds=25, gigabytes=2),
        sizes=(Size(1_000, 10_000),),
    ),
    Contest(
        name="jsonl",
        work="reading the JSON Lines of lm-evaluation-harness, 200 MB",
        ours=Side(US, "files:lm_eval_lines"),
        target=Target(seconds=200 / 350),
        sizes=(Size(2, 50_000),),
        yardstick=Side("json.loads a line", "files:standard_parser"),
    ),
    Contest(
        name="paired_bootstrap",
        work="paired bootstrap, B = 10,000",
        ours=Side(US, "ours:paired_bootstrap"),
        target=Target(seconds=0.002),
        sizes=(Size(2, 12_000),),
        peers=_peers(
            "paired_bootstrap",
            dict.fromkeys(("scipy", "evalsig", "evalci", "evalstats", "pingouin"), ""),
        ),
        # Ends of the interval times the root of n: five Monte Carlo errors of two quantiles.
        tolerance=0.1,
    ),
    Contest(
        name="clusters",
        work="category bootstrap, B = 1,000, and leave one out; 14 clusters, from their counts",
        ours=Side(US, "ours:clusters"),
        target=Target(seconds=0.010),
        sizes=(Size(10, _ITEMS),),
        peers=_peers(
            "clusters",
            dict.fromkeys(("evalsig", "evalci"), "interval of the gap alone, from the scores"),
            _PAIR,
        ),
    ),
    Contest(
        name="trajectories",
        work="e-process trajectories, three mixtures",
        ours=Side(US, "ours:trajectories"),
        target=Target(seconds=0.100),
        sizes=(Size(10, _ITEMS),),
        peers=_peers("trajectories", {"evalsig": "one confidence sequence"}, _PAIR),
    ),
    Contest(
        name="max_t",
        work="exact tests of all pairs by max-T, 1,000 draws",
        ours=Side(US, "ours:max_t"),
        target=Target(seconds=10),
        sizes=(Size(320, _ITEMS),),
        peers=_peers("max_t", {"evalstats": "by bootstrap-t"}, (Size(5, _ITEMS),)),
        # Two shares of 1,000 draws each.
        tolerance=0.1,
    ),
    Contest(
        name="resolve",
        work="`llm-power resolve`, adjacent pairs",
        ours=Side(US, "commands:resolving"),
        target=Target(seconds=1),
        sizes=(Size(10, 1_000),),
    ),
    Contest(
        name="page",
        work="the page of all pairs opens in Chromium",
        ours=Side(US, "pages:opening"),
        target=Target(seconds=0.5),
        sizes=_PAGE,
    ),
    Contest(
        name="page_control",
        work="the page follows a tick of the level, under Holm, lists in view",
        ours=Side(US, "pages:controlling"),
        target=Target(seconds=0.05),
        sizes=_PAGE,
    ),
    Contest(
        name="import",
        work="`import llm_power`",
        ours=Side(US, "commands:importing", (US,)),
        target=Target(seconds=0.3),
        sizes=_NOTHING,
        peers=_processes(
            "importing",
            (
                *("statsmodels.stats.contingency_tables", "evalsig", "evalci", "evalstats"),
                *("errorbars", "scipy.stats", "pingouin", "mlxtend.evaluate"),
            ),
        ),
    ),
    Contest(
        name="help",
        work="`llm-power --help`",
        ours=Side(US, "commands:helping", ("llm-power",)),
        target=Target(seconds=0.4),
        sizes=_NOTHING,
        peers=_processes("helping", ("evalsig", "evalci", "evalstats", "errorbars")),
    ),
)


def _of_file(name: str, work: str, seconds: float, *arguments: str) -> Contest:
    ours = Side(US, "commands:resolving_data", arguments)
    return Contest(name, f"`llm-power resolve` of {work}", ours, Target(seconds=seconds), _NOTHING)


# Of the folder LLM_POWER_DATA, which a smoke run does without.
OF_DATA: Final = (
    _of_file("arc", "arc, 3,747 models, adjacent pairs", 10, "olv1_subset/arc.parquet"),
    _of_file("arc_all", "the same, all pairs", 20, "olv1_subset/arc.parquet", "--pairs=all"),
    _of_file("hellaswag", "hellaswag, adjacent pairs", 10, "olv1_subset/hellaswag.parquet"),
    _of_file("winogrande", "winogrande, adjacent pairs", 10, "olv1_items/winogrande.parquet"),
)


def _papers(
    name: str, work: str, first: Target, again: Target, arguments: tuple[str, ...]
) -> tuple[Contest, Contest]:
    ours = Side(US, "paper:run_twice", arguments)
    return (
        Contest(name, f"{work}, every exhibit and the audit", ours, first, _NOTHING),
        Contest(f"{name}_again", f"{work}, again: nothing to do", ours, again, _NOTHING),
    )


# Run by `--paper` alone, each in a clean copy of the project: a first time, and once more.
PAPERS: Final = (
    _papers("paper", "the paper", Target(35), Target(3), ("PAPER=kotawala2026", "LLM_POWER_DATA=")),
    _papers("papers", "all papers and every board of LLM_POWER_DATA", Target(90), Target(), ()),
)
