"""Results of OpenCompass, BFCL, AlpacaEval and Every Eval Ever."""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from llm_power._errors import listed
from llm_power._scores._attempts import (
    Attempt,
    Run,
    document,
    first_record,
    named_folder,
    number_of,
    of_document,
    of_records,
    text_of,
    texts_in,
)
from llm_power._scores._items import Displayed, displayed
from llm_power._scores._json import inside, json_records, list_inside
from llm_power._scores._logs import AS_WRITTEN, LogFormat
from llm_power._scores._source import SourceFile, read_file

# Metrics of Every Eval Ever that are means of the scores of samples.
_MEANS: Final = {"accuracy", "acc", "exact_match", "mean", "pass_rate", "pass@1"}
_CORRECT: Final = ("correct", "is_correct", "cascade_correct")


def _of_opencompass(source: SourceFile, run: Run) -> Iterator[Attempt]:
    results = document(source, run.log)
    details = results.get("details")
    if isinstance(details, list):
        details = {str(i): detail for i, detail in enumerate(details)}
    if not isinstance(details, dict):
        raise run.log.fault(
            "there are no details", "have OpenCompass keep them (dump_eval_details)"
        )
    run.displayed = displayed("accuracy", results.get("accuracy"), scale=100, is_exact=True)
    for number, detail in details.items():
        if number == "type":  # how the model was asked
            continue
        fields = detail if isinstance(detail, dict) else {}
        name = next((name for name in _CORRECT if name in fields), None)
        if name is None:
            raise run.log.fault(
                f"it says nothing of {listed(_CORRECT)}",
                "have an evaluator score it that says which answers are correct",
                number,
            )
        graded = detail[name] if isinstance(detail[name], list) else [detail[name]]
        content = {name: detail.get(name) for name in ("references", "answer")}
        item = str(detail.get("example_abbr", number))
        for grade in graded:
            yield Attempt(item, number_of(grade, name, item, run.log), content)


def _is_in_results(path: Path) -> bool:
    return path.absolute().parent.parent.name == "results"


OPENCOMPASS: Final = LogFormat(
    name=re.compile(r".+\.json", re.DOTALL),
    patterns=("**/results/*/*.json",),
    is_at=_is_in_results,
    model_of=lambda path: path.absolute().parent.name,
    tasks_of=lambda path: [path.stem if _is_in_results(path) else None],
    read=of_document(_of_opencompass),
    fits=lambda head: isinstance(inside(head.record, "details"), dict | list),
    is_loose=True,
)


def _of_bfcl(source: SourceFile, run: Run) -> Iterator[Attempt]:
    log = run.log
    records = list(json_records(source))
    if not records or not _is_total(records[0]):
        raise log.fault("its first line is not of totals", AS_WRITTEN)
    total, failures = records[0], {_id(one, log) for one in records[1:]}
    scored = named_folder(log.path, "score")
    if scored is None:
        raise log.fault(
            "it is in no folder score/MODEL, so that the results it is of cannot be found",
            "keep the folders score and result as BFCL wrote them",
        )
    place = scored.with_name("result") / log.path.absolute().relative_to(scored)
    results = place.with_name(log.path.name.replace("_score.json", "_result.json"))
    if not results.is_file():
        raise log.fault(
            "which items there were, of which it lists the failures alone, should be in "
            f"{results}, which does not exist",
            "keep the folders as the tool wrote them",
        )
    ids = [_id(one, log) for one in json_records(read_file(results))]
    beyond = failures.difference(ids)
    solved = len({*ids}) - len(failures)
    if beyond or len({*ids}) != total["total_count"]:
        raise log.fault(
            f"it counts {total['correct_count']} of {total['total_count']} correct, by its "
            f"failures and the results it is {solved} of {len({*ids})}",
            "score the results again: they are of another run",
            min(beyond) if beyond else None,
        )
    count, n = total["correct_count"], len({*ids})
    run.displayed = displayed("accuracy", total["accuracy"])
    run.displayed += displayed("correct_count", count, scale=n, is_exact=True)
    for item in dict.fromkeys(ids):
        yield Attempt(item, float(item not in failures))


def _is_total(record: object) -> bool:
    return isinstance(record, dict) and {"accuracy", "correct_count", "total_count"} <= {*record}


def _id(record: object, log: Any) -> str:
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise log.fault("a line has no id", AS_WRITTEN)
    return str(record["id"])


def _model_of_bfcl(path: Path) -> str:
    scored = named_folder(path, "score")
    return path.absolute().relative_to(scored).parts[0] if scored else path.absolute().parent.name


BFCL: Final = LogFormat(
    name=re.compile(r"BFCL_v\d+_(?P<task>.+)_score\.json"),
    patterns=("**/BFCL_v*_score.json",),
    model_of=_model_of_bfcl,
    read=of_document(_of_bfcl),
    fits=lambda head: _is_total(head.record),
)


def _of_alpaca_eval(record: Mapping[str, Any], number: int, run: Run) -> Iterator[Attempt]:
    instruction = text_of(record, "instruction", run.log, number)
    if number == 1:
        run.displayed = _win_rate(run.log.path, record.get("generator_2"))
    baseline = record.get("generator_1")
    if run.made.setdefault("baseline", baseline) != baseline:
        raise run.log.fault(
            f"record {number} is against {baseline!r}, those before are against "
            f"{run.made['baseline']!r}",
            "keep the comparisons with one baseline",
        )
    run.is_graded = True
    # From 1, for the baseline's output, to 2, for the model's.
    preference = number_of(record.get("preference"), "the preference", str(number), run.log)
    item = str(number - 1)
    if run.options.match == "content":
        item = hashlib.sha256(instruction.encode()).hexdigest()[:16]
    yield Attempt(item, preference - 1, {"instruction": instruction}, record)


def _win_rate(path: Path, generator: object) -> list[Displayed]:
    """Return what the leaderboard beside annotations displays, in percent, if it has the model."""
    beside = path.with_name("leaderboard.csv")
    text = read_file(beside).data.decode("utf-8", errors="replace") if beside.is_file() else ""
    for row in csv.DictReader(text.splitlines()):
        with suppress(ValueError):
            if next(iter(row.values())) == generator:
                value = float(row.get("win_rate") or "nan")
                return displayed(f"win_rate ({beside.name})", value, scale=100)
    return []


def _generator(path: Path) -> str:
    name = first_record(path).get("generator_2")
    return name if isinstance(name, str) else path.absolute().parent.name


ALPACA_EVAL: Final = LogFormat(
    name=re.compile(r"annotations\.json"),
    patterns=("**/annotations.json",),
    model_of=_generator,
    read=of_records(_of_alpaca_eval),
    fits=lambda head: head.has("instruction", "preference", "generator_2"),
    is_loose=True,
)


def _of_every_eval_ever(record: Mapping[str, Any], number: int, run: Run) -> Iterator[Attempt]:
    log = run.log
    item = text_of(record, "sample_id", log, number)
    model = record.get("model_id")
    if text_of(record, "evaluation_name", log, number) != log.task:
        return
    metric = str(record.get("evaluation_result_id"))
    # The id may be of this run alone, so that files need not have the same.
    is_first = not run.metric.counts
    chosen = run.metric.among([metric])
    if is_first:
        run.displayed = _aggregate(run.log.path, chosen or metric)
    if inside(record, "metadata", "epoch") not in {None, 1, "1"}:
        run.displayed = []  # nothing names its reducer
    if metric != chosen:
        return
    evaluation = record.get("evaluation")
    if not isinstance(evaluation, dict) or not isinstance(model, str):
        raise log.fault(f"record {number} has no evaluation of a model_id", AS_WRITTEN, item)
    # The converter of lm-evaluation-harness writes a missing score as 0, which nothing tells.
    score = number_of(evaluation.get("score"), "the score", item, log)
    run.is_graded |= not math.isnan(score) and score not in {0.0, 1.0}
    yield Attempt(item, score, {"input": record.get("input")}, record.get("metadata"))


def _aggregate(path: Path, metric: str) -> list[Displayed]:
    """Return what the file that samples are beside displays of the metric, if that is a mean."""
    beside = path.with_name(path.name.removesuffix("_samples.jsonl") + ".json")
    record = first_record(beside) if beside.is_file() else None
    results = list_inside(record, "evaluation_results")
    named = [one for one in results if str(inside(one, "evaluation_result_id")) == metric]
    config = inside(named[0], "metric_config") if len(named) == 1 else None
    names = ("evaluation_description", "metric_id", "metric_kind", "metric_name")
    if not _MEANS & {str(inside(config, name)).lower() for name in names}:
        return []
    is_percent = inside(config, "metric_unit") == "percent" or inside(config, "max_score") == 100
    score = inside(named[0], "score_details", "score")
    return displayed(f"score ({beside.name})", score, scale=100 if is_percent else 1)


EVERY_EVAL_EVER: Final = LogFormat(
    name=re.compile(r".+_samples\.jsonl", re.DOTALL),
    patterns=("**/*_samples.jsonl",),
    model_of=lambda path: str(first_record(path).get("model_id") or path.stem),
    tasks_of=lambda path: texts_in(path, "evaluation_name"),
    read=of_records(_of_every_eval_ever),
    fits=lambda head: head.has("sample_id", "evaluation", "schema_version"),
    is_loose=True,
)
