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
    "gap": "How far A is ahead, or the better model: 1 point (pp) is 1 item of 100.",
    "gap, points|points": "The gap that the line plans for, in items of 100.",
    "simultaneous .*|.*of all tasks at once": (
        "Ranges of the gaps that hold for all pairs at once. One that holds 0 leaves open who is "
        "better."
    ),
    ".*interval( from| to)?": (
        "The range of values that the data allow, from its low end to its high end. An interval "
        "of a gap that holds 0 leaves open who is better."
    ),
    "adjusted p": (
        "Chance of a gap as large as this or larger between equal models, adjusted for all pairs "
        "looked at. Small is strong evidence."
    ),
    "FDR-adjusted p": (
        "Smallest rate of false discoveries at which the pair is called different. Small is strong "
        "evidence."
    ),
    "p|p, gap within .*|p, .*|p at .*": (
        "Chance of evidence as strong as this or stronger if there is nothing to be found. Small "
        "is strong evidence."
    ),
    "verdict, .*|different": (
        "Different: the evidence is strong enough. Equivalent: the gap is within the margin. "
        "Undetermined: neither is shown, which does not make the models equal."
    ),
    "enough items differ for a difference to show": (
        "Whether items on which the models differ are enough for any result to be significant."
    ),
    "new items to (decide it|find it again), chance 0.5 to.*": (
        'Size of a new run that decides the pair with a chance of one half; behind "to", with '
        "the chance asked for, which a thousand times the items at hand have not where even the "
        "sign is uncertain."
    ),
    "new items, chance of .*": "Size of a new run that decides the pair with that chance.",
    "items to add to these, chance of .*": (
        "Items to add to those at hand, so that all together decide the pair with that chance. To "
        "test them together is a second look at these: decide before how often you look."
    ),
    "with these added it would be": "What all items together would show.",
    "chance a new sample changes the verdict": (
        "Chance that as many other items give another verdict."
    ),
    "smallest gap found, chance of .*": (
        "The true gap from which on items as many as these find a difference with that chance."
    ),
    r"N\* at .*|N\*, normal .*": (
        "N*: items that find the gap by the paper's formula, which takes one variance. It is no "
        "promise for a gap that was observed: the true one may be smaller."
    ),
    r"q = N/N\*.*": "q: items at hand over N*. The paper calls a pair resolved from q = 1 on.",
    "resolved, as the paper has it": "Whether N* is at most the items at hand.",
    "at this gap, .*": "Items that find this gap with the power asked for, by that method.",
    "log e-value, .*": (
        "Evidence that stays valid if one looks after every item, as a logarithm; above 0 it "
        "speaks for a difference."
    ),
    "monitoring has crossed": "Whether that evidence is strong enough to stop and call it.",
    "looking after every item, at most": (
        "Items to allow for if one looks after every item and stops once it is decided."
    ),
    "used on average": "Items that such a run takes on average.",
    "at most, for power 0.9": "The same, for power 0.9: nine of ten runs stop by then.",
    "power, .*|power": "Power: chance that a test on so many items finds the gap.",
    "wrong sign(, if found)?": (
        "Chance that a gap found significant points the wrong way (type S)."
    ),
    "times the gap(, if found)?": (
        "How many times the true gap a gap found significant is on average (type M)."
    ),
    # Two accuracies.
    "items that [AB] solves": "The accuracy times the items.",
    "(lowest|highest) correlation": (
        "Correlation: how much the same items are solved by both. High means that few items tell "
        "the models apart, and that these few suffice."
    ),
    "from the correlation": "From this correlation on the answer is yes.",
    "that is, b at most": "The same as a number of items that A alone solves.",
    "(least|full) discordance": (
        "Discordance: the share of items that one model alone solves. Least: one solves all that "
        "the other does. Full: they differ on every item."
    ),
    # A plan.
    ".*, Holm": "The same with the pairs tested one after another, the smallest p first (Holm).",
    "exact .*|mid-p .*|McNemar's score test": (
        "McNemar's test asks whether items that one model alone solves favour one of them. Exact "
        "keeps the false alarms below the level; mid-p and score test need fewer items."
    ),
    "test by clusters, .*": "The test if whole clusters of items were sampled.",
    "two one-sided tests": "Items that show the gap to be within the margin, on both sides.",
    "test": "How the run will be judged.",
    "items, from these clusters alone": "Further items of the same clusters, for these alone.",
    "items|in all": "Number of items.",
    "items run": "A smaller run of the same pair.",
    "items of each": "Items from each cluster.",
    "clusters|subjects": "Groups of items that belong together, as items of one subject do.",
    "answers( of each model)?": "Answers of a model to the same item.",
    "finds": "The smallest gap found with the power asked for.",
    "required": "Number that finds the declared gap, at the pilot's estimates.",
    "assurance of .*|assurance": (
        "Assurance: the power to expect, averaged over all that the pilot leaves open."
    ),
    "the pilot's own": "Plans for the gap that the pilot shows, as if it were the true one.",
    "median-unbiased": "Plans for a gap that is as often too small as too large.",
    "confidence of .*": "Plans for a gap that the true one exceeds with that confidence.",
    "number": "How many to take.",
    "variance": "How much scores vary from one to the next.",
    "cost of one|cost": "In the unit of the costs given.",
    # A board.
    "rank": "Place by score alone.",
    "possible": "Places that the data allow, for all models at once.",
    "model|task": "Its name.",
    "better|worse|A|B": "The two models of the pair.",
    "score": "Share of items solved, or mean score, of 100.",
    "missing": "Items that the model has no score on.",
    "missing at worst to best": (
        "Gaps over all items if the missing scores all spoke against the model on the left, or for "
        "it."
    ),
}

# Words of sentences, wherever the answer has them.
WORDS: Final[dict[str, tuple[str, str]]] = {
    "max-T": (
        r"[Mm]ax-T",
        "Adjusts for many pairs at once, by the largest gap that chance alone would show.",
    ),
    "false discovery rate": (
        "false discovery",
        "Adjusts for many pairs, so that few of those called different are false alarms.",
    ),
    "Bonferroni, Holm": ("Bonferroni|Holm", "Divide the level among the pairs looked at."),
    "McNemar test": (
        "McNemar",
        "Asks whether the items that one model alone solves favour one of the two.",
    ),
    "CR2": (
        "CR2",
        "A t test that takes clusters of items for the sample, not single items.",
    ),
    "level": ("level", "Chance of a false alarm that is accepted; --alpha sets it."),
    "power": ("power", "Chance to detect a true gap; --power sets it."),
    "worse, better": (
        "^(worse|better): ",
        "The test finds a gap at the level, and the candidate trails; or it leads.",
    ),
    "undetermined": (
        "[Uu]ndetermined",
        "Neither a difference nor equivalence is shown. The models need not be equal.",
    ),
    "different": ("^different|pairs? differs?\\b", "The test finds a gap at the level."),
    "equivalent": ("equivalent", "The gap is shown to be within the margin."),
    "not inferior": ("not inferior", "The candidate is worse by less than the margin, if at all."),
    "interval": ("interval", "The range of gaps that the data allow."),
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
