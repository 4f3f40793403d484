"""An answer as it is printed, with what each row, column and word of it means if asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from llm_power._choices import Format
from llm_power._errors import InvalidArgument
from llm_power._report.answer import Answer, Notes, Reply, Table, as_markdown, as_text

# Labels of rows and columns as an answer shows them; the first pattern that fits all of one.
LINES: Final[dict[str, str]] = {
    # A pair.
    "gap": "Lead of A, or of the better model: 1 point (pp) is 1 item of 100.",
    "gap, points|points": "Gap that the row plans for, in items of 100.",
    "simultaneous .*|.*of all tasks at once": (
        "Ranges of the gaps that hold for all pairs at once. A range with 0 inside leaves open "
        "which model is better."
    ),
    "FCR-adjusted .*": (
        "Ranges of the gaps. Of those of pairs called different, on average at most the declared "
        "rate miss the gap."
    ),
    ".*interval( from| to)?": (
        "A range made to hold the true value with that confidence, by itself: of 100 such ranges "
        "of 95%, about 5 do not. An interval of a gap that holds 0 leaves open who is better."
    ),
    "gap, (?!within).*": "How far A is ahead, or the better model, in that unit.",
    "score, .*": "Mean score, in that unit.",
    "adjusted p": (
        "Chance of a gap as large as this or larger between equal models, adjusted for all "
        "compared pairs. Small is strong evidence."
    ),
    "FDR-adjusted p": (
        "Smallest false discovery rate at which the pair is called different. Small is strong "
        "evidence."
    ),
    "p|p, gap within .*|p, .*|p at .*": (
        "Chance of evidence as strong as this or stronger if there is no effect. Small is strong "
        "evidence."
    ),
    "verdict, .*|different": (
        "Different: the evidence is strong enough. Equivalent: the gap is within the margin. "
        "Undetermined: neither is shown; the models need not be equal."
    ),
    "items that show a gap within .*": (
        "Items from which two one-sided tests show that, if this gap is the true one."
    ),
    "significance attainable": (
        "Whether any result on this number of items that differ could be significant."
    ),
    "new items to (decide it|find it again), chance 0.5 to.*": (
        'Size of a new run that decides the pair with a chance of one half; after "to", with the '
        "requested chance, if the true gap is as likely as the gaps of all models of the board "
        'suggest. After "over": even a thousand times the items at hand do not give '
        "that chance, because the sign of the gap is too uncertain. No gap so far: both models "
        "score alike on these items, and no number follows from a gap of 0."
    ),
    "new items, chance of .*": "Size of a new run that decides the pair with that chance.",
    "items to add to these, chance of .*": (
        "Items to add to those at hand, so that all together decide the pair with that chance. "
        "The joint test is a second look at these: decide beforehand how often you look."
    ),
    "likely verdict with these added": "Verdict of all items together, with that chance.",
    "chance a new sample changes the verdict": (
        "Chance that as many other items give another verdict."
    ),
    "detectable gap, power .*": (
        "Smallest true gap that this number of items detects with that power."
    ),
    r"N\* at .*|N\*, normal .*": (
        "N*: items that detect the gap by the paper's formula, which uses one variance. It "
        "promises nothing for an observed gap, because the true gap may be smaller."
    ),
    r"q = N/N\*.*": "q: items at hand over N*. The paper calls a pair resolved from q = 1 on.",
    "resolved, as in the paper": "Whether N* is at most the items at hand.",
    "at this gap, .*": "Items that detect this gap with the requested power, by that method.",
    "log e-value, .*": (
        "Logarithm of evidence that stays valid with a look after every item; above 0 it supports "
        "a difference."
    ),
    "monitoring has crossed": "Whether that evidence suffices to stop with a verdict.",
    "testing after every item, at most|at most": (
        "Items to allow for in a run with a look after every item that stops once it is decided."
    ),
    "used on average": "Mean number of items of such a run.",
    "at most, for power 0.9": "The same, for power 0.9: nine of ten runs stop by then.",
    "power, .*|power": "Power: chance that a test on this number of items detects the gap.",
    "wrong sign(, if significant)?": ("Chance that a significant gap has the wrong sign (type S)."),
    "times the gap(, if significant)?": (
        "Mean size of a significant gap over the true gap (type M)."
    ),
    # Two accuracies.
    "items that [AB] solves": "The accuracy times the items.",
    "(lowest|highest) correlation": (
        "Correlation: how far both models solve the same items. If it is high, the models differ "
        "on few items, and few suffice."
    ),
    "from the correlation": "The answer is yes from this correlation on.",
    "that is, b at most": "The same as a number of items that A alone solves.",
    "(least|full) discordance": (
        "Discordance: the share of items that one model alone solves. Least: one solves all that "
        "the other does. Full: they differ on every item."
    ),
    # A plan.
    ".*, Holm": "The same with a test of one pair after another, the smallest p first (Holm).",
    "exact .*|mid-p .*|McNemar's score test.*": (
        "McNemar's test asks whether items that one model alone solves favour one of them. Exact "
        "keeps the false alarms below the level; mid-p and score test need fewer items."
    ),
    "test by clusters, .*": "The test if whole clusters of items were sampled.",
    "two one-sided tests.*": "Items that show the gap to be within the margin, on both sides.",
    "test": "Test that will judge the run. Declare it before the run: only then its number counts.",
    "for comparison, .*": "What a formula gives, which no test of this plan rests on.",
    "another design: .*": "A run that may stop after any item needs other numbers than this plan.",
    "items, from these clusters alone": "Further items of the same clusters, for these alone.",
    "items|in all": "Number of items.",
    "items run": "A run of the same pair on so many items.",
    "items of each": "Items from each cluster.",
    "clusters|subjects": "Groups of items that belong together, as items of one subject do.",
    "answers( of each model)?": "Answers of a model to the same item.",
    "detectable gap": "Smallest gap that the test detects with the requested power.",
    "required": "Number that detects the declared gap, at the pilot's estimates.",
    "assurance of .*|assurance": (
        "Assurance: expected power, averaged over the pilot's uncertainty."
    ),
    "the pilot's own": "Plans for the pilot's own gap, as if it were the true one.",
    "median-unbiased": "Plans for a gap that is as often too small as too large.",
    "confidence of .*": "Plans for a gap that the true one exceeds with that confidence.",
    "number": "Number to take.",
    "variance": "Variance of the scores from one to the next.",
    "cost of one|cost": "In the unit of the given costs.",
    # A board.
    "rank": "Place by score alone.",
    "possible": (
        "Ranks consistent with the data, for all models at once with the board's confidence."
    ),
    "model|task": "Its name.",
    "better|worse|A|B": "The two models of the pair.",
    "score": "Share of items solved, or mean score, of 100.",
    "missing": "Items without a score of the model.",
    "missing at worst to best": (
        "Gaps over all items with every missing score against the model on the left, or for it."
    ),
}

# Words of sentences, wherever the answer has them.
WORDS: Final[dict[str, tuple[str, str]]] = {
    "max-T": (
        r"[Mm]ax-T",
        "Adjusts for many pairs at once, by the distribution of the largest gap under chance.",
    ),
    "false discovery rate": (
        "false discovery",
        "Adjusts for many pairs, so that few of those called different are false alarms.",
    ),
    "Bonferroni, Holm": ("Bonferroni|Holm", "Divide the level among the compared pairs."),
    "McNemar test": (
        "McNemar",
        "Asks whether the items that one model alone solves favour one of the two.",
    ),
    "CR2": (
        "CR2",
        "A t test in which clusters of items are the sample, not single items.",
    ),
    "level": ("level", "Accepted chance of a false alarm; --alpha sets it."),
    "power": ("power", "Chance to detect a true gap; --power sets it."),
    "worse, better": (
        "^(worse|better): ",
        "The test rejects at the level, and the candidate trails; or leads.",
    ),
    "undetermined": (
        "[Uu]ndetermined",
        "Neither a difference nor equivalence is shown. The models need not be equal.",
    ),
    "different": ("[Dd]ifferent", "The test rejects at the level."),
    "equivalent": ("equivalent", "The gap is shown to be within the margin."),
    "not inferior": ("not inferior", "The candidate is worse by less than the margin, if at all."),
    "interval": ("interval", "Range of gaps consistent with the data."),
    "broke, mended": (
        r"^broke \(",
        "Items on which the candidate scores less; more.",
    ),
}


def shown(reply: Reply, form: Format, *, explain: bool = False) -> str:
    """Return an answer as it is printed, with what its lines mean if asked."""
    if form == "json":
        if explain:
            raise InvalidArgument("explain must come without --format json: docs/columns.md has it")
        return json.dumps(reply.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    answer = explained(reply.answer) if explain else reply.answer
    return as_text(answer) if form == "table" else as_markdown(answer)


def explained(answer: Answer) -> Answer:
    """Return the answer with what its rows, columns and words mean, each once."""
    labels = dict.fromkeys(label.strip() for label in _labels(answer))
    of_lines = {label: meaning for label in labels if (meaning := meaning_of(label))}
    once: dict[str, list[str]] = {}
    for label, meaning in of_lines.items():
        once.setdefault(meaning, []).append(label)
    text = as_text(answer)
    lines = [f"{' / '.join(names)}: {meaning}" for meaning, names in once.items()]
    lines += [
        f"{word}: {meaning}"
        for word, (pattern, meaning) in WORDS.items()
        if re.search(pattern, text, re.MULTILINE) and not re.search(pattern, " ".join(labels))
    ]
    return replace(answer, parts=(*answer.parts, Notes(("What it means", *lines))))


def meaning_of(label: str) -> str | None:
    """Return what a row or column of this label shows."""
    fitting = (text for pattern, text in LINES.items() if re.fullmatch(pattern, label))
    return next(fitting, None)


def _labels(answer: Answer) -> Iterator[str]:
    for part in answer.parts:
        if isinstance(part, Table):
            header, *rows = part.rows
            yield from header
            yield from (row[0] for row in rows)
        elif isinstance(part, Answer):
            yield from _labels(part)
