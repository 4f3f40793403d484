"""The second derivation of every claim that the audit contradicts, by the id of the claim."""

from __future__ import annotations

from collections.abc import Mapping

import second_derivations_boards as boards
import second_derivations_calculators as calculators
import second_derivations_calibration as calibration
import second_derivations_lemma as lemma
import second_derivations_sentences as sentences
import second_derivations_sequential as sequential
from second_derivations_paper import Derivation

DERIVATIONS: Mapping[str, Derivation] = {
    "abstract/three-of-five": calculators.three_of_five,
    "app-a/grows-with-p": lemma.change_with_p,
    "app-a/grows-with-rho": lemma.change_with_rho,
    "app-c/stopping-ratio/1": sequential.stopping_ratio(0.024, 2362),  # Figure 4, caption
    "app-c/stopping-ratio/2": sequential.stopping_ratio(0.078, 294),  # Table 10, row ARC
    "s1/every-calculator": calculators.every_calculator,
    "s1/three-of-five": calculators.three_of_five,
    "s1/two-pairs-beyond-3n": boards.flipped_beyond_three_n,
    "s2/miller-unpaired": calculators.miller_formula,
    "s4.1/three-of-five": calculators.three_of_five,
    "s4/close-pairs-four-decimals": lemma.close_pairs_at_half,
    "s4/deviation-at-005": lemma.largest_deviation(0.05, "0.0008"),
    "s4/deviation-at-020": lemma.largest_deviation(0.20, "0.014"),
    "s4/widely-used-tools": calculators.widely_used_tools,
    "s6.2/shortcut-ratio-max": lemma.shortcut_ratio_max,
    "s6.2/shortcut-ratio-min": lemma.shortcut_ratio_min,
    "s6.4/midpoint": boards.midpoint,
    "s6.4/three-pairs-drive-the-flip": boards.flipped,
    "s6.5/fails-to-cross": sequential.five_against_six,
    "table-1-caption/three-of-five": calculators.three_of_five,
    "table-2-notes/graded-only": calibration.data_of_the_bootstrap,
    "table-7-caption/n-items": boards.n_items_implied,
    "table_01/2/convention": calculators.convention(2),
    "table_01/2/per_arm": calculators.cell_per_arm(2),
    "table_01/2/times_one_minus_rho": calculators.cell_times_one_minus_rho(2),
    "table_01/3/convention": calculators.convention(3),
    "table_01/3/per_arm": calculators.cell_per_arm(3),
    "table_01/3/times_one_minus_rho": calculators.cell_times_one_minus_rho(3),
    **{
        f"table_02/{row}/power_max_dev_pp": calibration.power_max_dev_pp(row) for row in range(1, 5)
    },
    "app-a/fourth-order-at-most": sentences.fourth_order_at_most,
    "fig-4/h0-stay-below": sentences.null_trajectories,
    "app-c/resolved-pairs": sentences.resolved_calibration_pairs,
    "s4.1/miller-unpaired": calculators.miller_formula,
    "s4.1/pattern-surfaces": sentences.left_open,
    "s4/near-half": sentences.accuracies_near_half,
    "s5/remaining-gap": sentences.remaining_gap,
    "s6.1/markers-above-the-diagonal": sentences.caption_of_figure_2,
    "s6.5/inflation": sentences.inflation_of_fewest,
    "s7/accuracies-near-half": sentences.accuracies_near_half,
    "s7/lemma-sharpest-at-half": sentences.sharpest_at_half,
    "table-12-caption/each-row": sentences.rows_that_follow,
    "x/grid-bound-against-constant-005": lemma.printed_constant("0.05", "0.0008"),
    "x/grid-bound-against-constant-020": lemma.printed_constant("0.20", "0.014"),
    "x/mmlu-n-table-7": boards.n_items_implied,
    "x/pairs-that-flip": boards.pairs_that_flip,
    "x/repeated/2": lemma.n_star_of_rank(4),
    "x/repeated/3": lemma.n_star_of_rank(5),
    "x/table-7-accuracies-at-caption-n": boards.accuracies_at_caption_n,
    "x/table-7-displayed-accuracies": boards.displayed_accuracies,
    "x/table-7-at-caption-n": boards.rows_unexplained,
}
