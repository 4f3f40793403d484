"""Table 10: the power that McNemar's test has at the prescribed number of items."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import pandas as pd

from kotawala2026.exhibits._beside import as_rounded_up, beside, compared
from kotawala2026.labels import pair_label, spelled_out, validated_labels
from kotawala2026.operating_point import COUNTS, DECLARED, POWER
from kotawala2026.simulations import TESTS, exact_rates
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from llm_power_audit.agreement import MONTE_CARLO_STANDARD_ERRORS, agrees
from llm_power_audit.printed import Printed
from replication.exhibits import Exhibit, Inputs

FACTORS = {"power_at_080": 0.8, "power_at_100": 1.0, "power_at_120": 1.2}
_CHI2, _EXACT = TESTS.index("mcnemar_chi2"), TESTS.index("exact")


def make(inputs: Inputs) -> Exhibit:
    """Make Table 10."""
    n_trials = inputs.settings["prospective_trials"]
    pairs = inputs.panel("oll_v1", "discordance", "required_n")
    frame = table_10(inputs.printed(10), pairs, n_trials=n_trials)
    return Exhibit(present(frame, inputs.provenance(), n_trials=n_trials))


def table_10(published: pd.DataFrame, pairs: pd.DataFrame, *, n_trials: int) -> pd.DataFrame:
    """Return printed and exact power of each pair at each factor times N*."""
    # Items drawn with replacement have multinomial cells. A size is the factor times N*, rounded up
    # as in print. "gemma" is whichever gemma has the printed gap, the instruction-tuned one in both
    # rows. A printed power is an outcome of M trials: it is held against the exact one.
    ours = pairs.loc[
        [_find(*named, pairs) for named in zip(published["pair"], published["gap"], strict=True)]
    ]
    gap = ours["delta"].abs().to_numpy()
    recognized = pd.DataFrame(
        {
            "label": published["pair"],
            "pair": list(map(pair_label, ours["model_a"], ours["model_b"])),
            **beside(
                published.rename(columns={"gap": "gap_pp"}),
                ours.assign(gap_pp=gap)[["gap_pp", "rho", "n_star"]],
            ),
        }
    ).assign(gap_pp=100 * gap)
    rows = []
    for cells, (_, pair) in zip(published.to_dict(orient="records"), ours.iterrows(), strict=True):
        for name, factor in FACTORS.items():
            n_items = math.ceil(factor * pair["n_star"])
            rates = exact_rates(pair["b"] / pair["n_items"], pair["c"] / pair["n_items"], n_items)
            exact = float(rates[_CHI2])
            error = math.sqrt(exact * (1 - exact) / n_trials)
            rows.append(
                {
                    "factor": factor,
                    "n_items": n_items,
                    "power_printed": cells[name].text,
                    "power_exact": exact,
                    "power_se": error,
                    "power_agrees": agrees(cells[name], exact, standard_error=error),
                    "power_conditional": float(rates[_EXACT]),
                }
            )
    of_each = recognized.index.repeat(len(FACTORS))
    return recognized.loc[of_each].reset_index(drop=True).join(pd.DataFrame(rows))


def present(frame: pd.DataFrame, provenance: Sequence[Provenance], *, n_trials: int) -> Table:
    """Dress the frame of `table_10`; `n_trials` is what it was made with."""
    pairs = frame.drop_duplicates("label")
    n_agreeing = int(frame["power_agrees"].sum())
    taken = [
        f"“{label}”"
        for label, pair in zip(pairs["label"], pairs["pair"], strict=True)
        if not label.endswith(pair)
    ]
    by_factor = frame.groupby("factor")["power_exact"]
    below, at, above = (f"{power.min():.2f} to {power.max():.2f}" for _, power in by_factor)
    conditional = frame["power_exact"] - frame["power_conditional"]
    return Table(
        frame=frame,
        shown=_as_printed(frame),
        columns=[
            Column("named", "Pair"),
            compared("gap_pp", "Gap, pp", given=True),
            compared("rho", "ρ̂", given=True),
            compared("n_star", "N*", as_rounded_up, given=True),
            compared("power_at_080", "Power at 0.8 N*", chance=True),
            compared("power_at_100", "Power at N*", chance=True),
            compared("power_at_120", "Power at 1.2 N*", chance=True),
        ],
        finding=f"At N* items the power of McNemar's test is {at}, for a target of {POWER:g}; "
        f"at 0.8 N* it is {below}, at 1.2 N* {above}. {n_agreeing} of {len(frame)} "
        "printed powers are within chance.",
        caption=f"{len(pairs)} OLL v1 pairs; exact powers.",
        provenance=[*provenance, Provenance.published("Table 10")],
        notes=[
            *(
                [f"Printed as {' and '.join(taken)}; the printed gap is that of the models shown."]
                if taken
                else []
            ),
            "Shown is the exact power of the asymptotic test (without continuity correction) on "
            "independent items with the pair's shares b/N and c/N, N being the items of its task; "
            f"printed is the paper's simulation of it. {COUNTS} {DECLARED} N* is rounded up, 0.8 "
            "N* and 1.2 N* down. ρ̂: correlation of the pair's scores. Chance: "
            f"{MONTE_CARLO_STANDARD_ERRORS:.1f} standard errors of {n_trials:,} trials.",
            "The exact conditional test has "
            f"{100 * conditional.min():.1f} to {100 * conditional.max():.1f} pp less power. "
            + spelled_out("OLL v1", "HS", "ARC", "Mistral-I", "Llama-I", "gemma-it", "pp"),
        ],
    )


def _as_printed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row a pair, with the three powers beside each other."""
    wide = frame.drop_duplicates("label").reset_index(drop=True)
    tasks = wide["label"].str.partition(", ")[0]
    wide["named"] = tasks + ", " + wide["pair"]
    wide["gap_pp_printed"] = wide["gap_pp_printed"].str.removesuffix("pp")
    for name, factor in FACTORS.items():
        powers = frame[frame["factor"] == factor].reset_index(drop=True)
        for end, column in (("", "_exact"), ("_printed", "_printed"), ("_agrees", "_agrees")):
            wide[f"{name}{end}"] = powers[f"power{column}"]
    return wide


def _find(label: str, gap: Printed, pairs: pd.DataFrame) -> Hashable:
    rows = zip(pairs["task"], pairs["model_a"], pairs["model_b"], strict=True)
    matches = [label in validated_labels(*row) for row in rows]
    candidates = pairs[matches]
    if candidates.empty:
        raise InvalidArgument(f"the board has no pair {label!r}")
    return (candidates["delta"].abs() - gap.value).abs().idxmin()
