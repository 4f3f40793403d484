"""Table 1: N of five calculators at one worked example, and which give half of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import statsmodels
from scipy.special import ndtri

from kotawala2026.exhibits._beside import as_rounded_up, beside, compared
from kotawala2026.operating_point import DECLARED, OF_K, K
from llm_power._documents import read_yaml
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_fixed, as_printed
from llm_power._statistics.paired_binary import (
    cohens_h,
    required_n_paired_binary,
    unpaired_required_n_per_arm,
)
from replication.exhibits import Exhibit, Inputs

_MISSING = float("nan")


def make(inputs: Inputs) -> Exhibit:
    """Make Table 1; statsmodels is called here, R was recorded."""
    # Slow to load, and who wants a formula of this module has no use for it.
    from statsmodels.stats.power import NormalIndPower  # noqa: PLC0415

    settings, point = inputs.settings, inputs.point
    example = {name: settings[f"calculator_{name}"] for name in ("p_a", "p_b", "rho")}
    effect = float(cohens_h(example["p_a"], example["p_b"]))
    per_arm = NormalIndPower().solve_power(effect, alternative="two-sided", **point)
    frame = table_01(
        inputs.printed(1),
        **example,
        r_session=read_yaml(inputs.file_of_data("recorded/r_pwr_2p_test.yaml")),
        of_statsmodels=float(per_arm),
        **point,
    )
    return Exhibit(present(frame, **example))


def table_01(
    published: pd.DataFrame,
    *,
    p_a: float,
    p_b: float,
    rho: float,
    r_session: Mapping[str, Any],
    of_statsmodels: float,
    alpha: float = 0.05,
    power: float = 0.80,
) -> pd.DataFrame:
    """Return each calculator's N an arm, and times 1 - rho, beside the printed cells."""
    # Rows 1, 4 and 5 print the numbers rounded up. Row 3: R's pwr.2p.test gives 2K/h^2 = 1,470.09
    # in each group; the printed 736 is pwr.p.test's, one sample. Row 2: G*Power was not run, as it
    # is closed; its test's formula (pooled_z_per_arm, also R's power.prop.test) gives 1,470.5 a
    # group, not 736.
    n_star = float(required_n_paired_binary(p_a, p_b, rho, alpha=alpha, power=power))
    n_r = float(r_session["calls"]["pwr.2p.test"]["n"])
    r_versions = f"{r_session['r_version'].split()[0]}, pwr {r_session['pwr_version']}"
    obtained = [
        ("closed form", float(unpaired_required_n_per_arm(p_a, p_b, alpha=alpha, power=power))),
        ("formula, not run", pooled_z_per_arm(p_a, p_b, alpha=alpha, power=power)),
        (f"recorded, R {r_versions}", n_r),
        (f"called, version {statsmodels.__version__}", of_statsmodels),
        ("our code, eq. (6)", _MISSING),
    ]
    if len(published) != len(obtained):
        raise InvalidArgument(f"published must have the 5 rows of Table 1, got {len(published)}")
    per_arm = np.array([n for _, n in obtained])
    printed = published["convention"].astype(str)
    convention = [*map(_multiple, per_arm[:-1] / per_arm[0]), "K Var(Δ)/δ^2"]
    # The paper may have left K to be understood in the last row.
    agrees_as_read = [*(printed == convention)[:-1], None]
    adjusted = np.where(np.isnan(per_arm), n_star, (1 - rho) * per_arm)
    return pd.DataFrame(
        {
            "calculator": published["calculator"].astype(str),
            "source": [source for source, _ in obtained],
            "convention_printed": printed,
            "convention": convention,
            "convention_agrees": agrees_as_read,
            **beside(
                published, {"per_arm": per_arm, "times_one_minus_rho": adjusted}, rounding="up"
            ),
            "ratio_to_n_star": adjusted / n_star,
        }
    )


def pooled_z_per_arm(p_a: float, p_b: float, *, alpha: float = 0.05, power: float = 0.80) -> float:
    """Items an arm for the z test of two proportions with pooled variance under H0."""
    # Fleiss, Levin and Paik (2003), section 4.2, doi:10.1002/0471445428.
    mean = (p_a + p_b) / 2
    null = np.sqrt(2 * mean * (1 - mean))
    alternative = np.sqrt(p_a * (1 - p_a) + p_b * (1 - p_b))
    z_alpha, z_beta = -ndtri(alpha / 2), -ndtri(1 - power)
    return float(((z_alpha * null + z_beta * alternative) / (p_a - p_b)) ** 2)


def present(frame: pd.DataFrame, *, p_a: float, p_b: float, rho: float) -> Table:
    """Dress the frame of `table_01`."""
    n_star = frame["times_one_minus_rho"].iloc[-1]
    as_in_print = frame["times_one_minus_rho_printed"].str.replace(",", "").astype(float)
    is_half = frame["times_one_minus_rho"] < 0.75 * n_star
    names = frame["calculator"].str.split().str[0].str.removeprefix("statsmodels.")
    given = names + " (" + frame["times_one_minus_rho"].map(as_rounded_up) + ")"
    others = given[~is_half].iloc[:-1]
    _, g_power, r_pwr, *_ = frame["per_arm"]
    return Table(
        frame=frame,
        columns=[
            Column("calculator", "Calculator"),
            Column("source", "Obtained by"),
            Column("convention", "Convention", as_printed, printed=True, symbols=True),
            compared("per_arm", "Per arm", as_rounded_up),
            compared("times_one_minus_rho", "×(1−ρ)", as_rounded_up),
            Column("ratio_to_n_star", "Of N*", as_fixed(2), "right", "Of $N^{*}$"),
        ],
        finding=f"{int(is_half.sum())} of {len(frame)} calculators gives half of the required N* = "
        f"{as_rounded_up(n_star)} when its output is multiplied by 1 − ρ: "
        f"{', '.join(given[is_half])}, by the formula that the paper states; {', '.join(others)} "
        "give about all of it (G*Power by its textbook formula, not run). The paper says that "
        f"{int(np.count_nonzero(as_in_print < 0.75 * n_star))} give half.",
        caption=f"(p_A, p_B, ρ) = ({p_a:.2f}, {p_b:.2f}, {rho:.2f}).",
        provenance=[
            Provenance.published(
                "p_A, p_B and ρ of Table 1; R's row recorded, statsmodels' row called"
            )
        ],
        notes=[
            "Cohen's K/h² is the formula of one sample, and two samples need 2K/h² each; the "
            "paper cites it as his Eq. 6.3.2, the book was not at hand. G*Power was not run: its "
            f"test's textbook formula, with pooled variance, gives {g_power:,.2f} items per arm, "
            f"2K/h² {r_pwr:,.2f}.",
            f"K: {OF_K}; h: Cohen's effect size, 2 asin √p_A − 2 asin √p_B; ?: without K, which "
            f"the paper may have left to be understood, Var(Δ)/δ² is {as_rounded_up(n_star / K)}; "
            "Δ: difference of the two scores of an item; δ: p_A − p_B. Recorded: from a stored "
            "run of R. Items are rounded up; the last row of ×(1−ρ) is N* itself; Of N*: that "
            f"column over it. {DECLARED}",
        ],
    )


def _multiple(ratio: float) -> str:
    near = "≈ " if abs(ratio - round(ratio)) > 1e-4 else ""
    return f"{near}{round(ratio) if ratio > 1.5 else ''}K/h^2"
