"""Results of OpenCompass, BFCL, AlpacaEval and Every Eval Ever.

- OpenCompass writes ``results/MODEL/DATASET.json``, with ``details`` where it was told to dump
  them: a list, or an object by number, whose ``correct`` is a truth value, or a list, one a repeat.
- BFCL, the Berkeley Function-Calling Leaderboard, writes ``score/MODEL/.../BFCL_vN_T_score.json``
  with a line of totals and a line for each failure. Which items there were stands in the file
  ``result/MODEL/.../BFCL_vN_T_result.json``, without which nothing can be said.
- AlpacaEval writes ``annotations.json``: a record an instruction, whose ``preference`` is from 1,
  for the output of the baseline ``generator_1``, to 2, for that of the model ``generator_2``. The
  score is the preference less 1, and the baseline has to be the same for all models. An item is
  known by its place, or by its instruction where records are left out (`ReadOptions.match`).
- Every Eval Ever (schema 0.3.0) is a common form that logs of several tools are converted to:
  ``ID_samples.jsonl``, a line an item. Its converter of lm-evaluation-harness writes a missing
  score as 0, which nothing in the file tells from a wrong answer.
"""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from llm_power.errors import listed
from llm_power.scores._attempts import (
    Attempt,
    Run,
    document,
    first_record,
    must_be_found,
    named_folder,
    number_of,
    of_document,
    of_records,
    text_of,
)
from llm_power.scores._displayed import Displayed, displayed, inside
from llm_power.scores._head import Head
from llm_power.scores._json import json_records
from llm_power.scores._logs import LogFormat
from llm_power.scores._source import HeldFile, SourceFile, read_file
from llm_power.scores.options import ReadOptions
from llm_power.scores.store import TaskScores

_AS_WRITTEN: Final = "give the file as its tool wrote it"
# Metrics of Every Eval Ever that are means of the scores of samples.
_MEANS: Final = {"accuracy", "acc", "exact_match", "mean", "pass_rate", "pass@1"}
_CORRECT: Final = ("correct", "is_correct", "cascade_correct")


def read_opencompass(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read results of OpenCompass with details, one file a model.

    Examples
    --------
    >>> from pathlib import Path
    >>> import json
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.answer_results import read_opencompass
    >>> for model, solved in {"heron": [True, False], "wren": [True, True]}.items():
    ...     details = {"type": "GEN"} | {str(i): {"correct": s} for i, s in enumerate(solved)}
    ...     _ = Path(f"{model}.json").write_text(json.dumps({"details": details}))
    ...
    >>> read_opencompass(sorted(Path().glob("*.json")), ReadOptions()).mean_scores
    array([0.5, 1. ])
    """
    return OPENCOMPASS.one_task(paths, options)


def _of_opencompass(source: SourceFile, run: Run) -> Iterator[Attempt]:
    found = document(source, run.log)
    details = found.get("details")
    if isinstance(details, list):
        details = {str(i): detail for i, detail in enumerate(details)}
    if not isinstance(details, dict):
        raise run.log.fault("there are no details", "run OpenCompass with --dump-eval-details")
    run.displayed = displayed("accuracy", found.get("accuracy"), scale=100, is_exact=True)
    for number, detail in details.items():
        if number == "type":  # how the model was asked
            continue
        name = next((name for name in _CORRECT if name in detail), None)
        if not isinstance(detail, dict) or name is None:
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
    task_of=lambda path: path.stem if _is_in_results(path) else None,
    read=of_document(_of_opencompass),
    fits=lambda head: (
        isinstance(head.record, dict) and isinstance(head.record.get("details"), dict | list)
    ),
    is_loose=True,
)


def read_bfcl(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read scores of the Berkeley Function-Calling Leaderboard, one file a model.

    Examples
    --------
    >>> from pathlib import Path
    >>> import json
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.answer_results import read_bfcl
    >>> for model, failed in {"heron": ["simple_1"], "wren": ["simple_0", "simple_1"]}.items():
    ...     ids = [f"simple_{i}" for i in range(3)]
    ...     total = {"accuracy": 1 - len(failed) / 3, "correct_count": 3 - len(failed)}
    ...     for kind, rows in {"result": ids, "score": failed}.items():
    ...         path = Path(kind, model, f"BFCL_v4_simple_{kind}.json")
    ...         path.parent.mkdir(parents=True)
    ...         lines = [{"id": item} for item in rows]
    ...         lines = [total | {"total_count": 3}, *lines] if kind == "score" else lines
    ...         _ = path.write_text(chr(10).join(map(json.dumps, lines)))
    ...
    >>> read_bfcl([Path("score")], ReadOptions()).mean_scores.round(2)
    array([0.67, 0.33])
    """
    return BFCL.one_task(paths, options)


def _of_bfcl(source: SourceFile, run: Run) -> Iterator[Attempt]:
    log = run.log
    records = list(json_records(HeldFile(source)))
    if not records or not _is_total(records[0]):
        raise log.fault("its first line is not of totals", _AS_WRITTEN)
    total, failures = records[0], {_id(one, log) for one in records[1:]}
    scored = named_folder(log.path, "score")
    if scored is None:
        raise log.fault(
            "it is in no folder score/MODEL, so that the results it is of cannot be found",
            "keep the folders score and result as BFCL wrote them",
        )
    place = scored.with_name("result") / log.path.absolute().relative_to(scored)
    results = must_be_found(
        place.with_name(log.path.name.replace("_score.json", "_result.json")),
        log,
        "which items there were, of which it lists the failures alone,",
    )
    ids = [_id(one, log) for one in json_records(HeldFile(results))]
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
        raise log.fault("a line has no id", _AS_WRITTEN)
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


def read_alpaca_eval(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read annotations of AlpacaEval, one file a model; `clusters` may be ``dataset``.

    Examples
    --------
    >>> from pathlib import Path
    >>> import json
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.answer_results import read_alpaca_eval
    >>> for model, preferences in {"heron": [1.9, 1.5], "wren": [1.0, 1.25]}.items():
    ...     records = [
    ...         {"instruction": f"Say {i}.", "generator_1": "gpt4", "preference": preference}
    ...         | {"generator_2": model}
    ...         for i, preference in enumerate(preferences)
    ...     ]
    ...     path = Path(model, "annotations.json")
    ...     path.parent.mkdir()
    ...     _ = path.write_text(json.dumps(records))
    ...
    >>> read_alpaca_eval(sorted(Path().glob("*/*.json")), ReadOptions()).mean_scores.round(3)
    array([0.7  , 0.125])
    """
    return ALPACA_EVAL.one_task(paths, options)


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
    task_of=lambda _: None,
    read=of_records(_of_alpaca_eval),
    fits=lambda head: (
        isinstance(head.record, dict)
        and {"instruction", "preference", "generator_2"} <= {*head.record}
    ),
    is_loose=True,
)


def read_every_eval_ever(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read samples of Every Eval Ever, one file a model.

    `metric` is an ``evaluation_result_id``, where a sample has several. Samples of one id are
    repeats, by ``metadata.epoch``.

    Examples
    --------
    >>> from pathlib import Path
    >>> import json
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.answer_results import read_every_eval_ever
    >>> for model, scores in {"heron": [1.0, 0.0], "wren": [1.0, 1.0]}.items():
    ...     records = [
    ...         {"model_id": model, "evaluation_name": "exam", "sample_id": str(i)}
    ...         | {"schema_version": "0.3.0", "evaluation": {"score": score}}
    ...         for i, score in enumerate(scores)
    ...     ]
    ...     path = Path(f"{model}_samples.jsonl")
    ...     _ = path.write_text(chr(10).join(map(json.dumps, records)))
    ...
    >>> read_every_eval_ever(sorted(Path().glob("*.jsonl")), ReadOptions()).mean_scores
    array([0.5, 1. ])
    """
    return EVERY_EVAL_EVER.one_task(paths, options)


def _of_every_eval_ever(record: Mapping[str, Any], number: int, run: Run) -> Iterator[Attempt]:
    log = run.log
    item = text_of(record, "sample_id", log, number)
    model = record.get("model_id")
    if run.made.setdefault("evaluation", record.get("evaluation_name")) != record.get(
        "evaluation_name"
    ):
        raise log.fault(f"record {number} is of another evaluation", "keep one a file", item)
    metric = str(record.get("evaluation_result_id"))
    # The id may be of this run alone, so that files need not have the same.
    run.chosen = run.chosen or run.options.metric or metric
    if number == 1:
        run.displayed = _aggregate(run.log.path, run.chosen)
    if inside(record, "metadata", "epoch") not in {None, 1, "1"}:
        run.displayed = []  # which reducer it is of is not said
    if metric != run.chosen:
        if run.options.metric is None:
            raise log.fault(
                f"its samples have several results: {listed([run.chosen, metric])}",
                "set metric to one of them",
                item,
            )
        return
    said = record.get("evaluation")
    if not isinstance(said, dict) or not isinstance(model, str):
        raise log.fault(f"record {number} has no evaluation of a model_id", _AS_WRITTEN, item)
    score = number_of(said.get("score"), "the score", item, log)
    run.is_graded |= not math.isnan(score) and score not in {0.0, 1.0}
    yield Attempt(item, score, {"input": record.get("input")}, record.get("metadata"))


def _aggregate(path: Path, metric: str) -> list[Displayed]:
    """Return what the file that samples are beside displays of the metric, if that is a mean."""
    beside = path.with_name(path.name.removesuffix("_samples.jsonl") + ".json")
    found = first_record(beside).get("evaluation_results") if beside.is_file() else None
    results = found if isinstance(found, list) else []
    named = [one for one in results if str(inside(one, "evaluation_result_id")) == metric]
    said = inside(named[0], "metric_config") if len(named) == 1 else None
    names = ("evaluation_description", "metric_id", "metric_kind", "metric_name")
    if not _MEANS & {str(inside(said, name)).lower() for name in names}:
        return []
    is_percent = inside(said, "metric_unit") == "percent" or inside(said, "max_score") == 100
    score = inside(named[0], "score_details", "score")
    return displayed(f"score ({beside.name})", score, scale=100 if is_percent else 1)


def _is_sample_of_every_eval(head: Head) -> bool:
    record = head.record
    return isinstance(record, dict) and {"sample_id", "evaluation", "schema_version"} <= {*record}


def _text_in_first(path: Path, name: str) -> str | None:
    said = first_record(path).get(name)
    return said if isinstance(said, str) else None


EVERY_EVAL_EVER: Final = LogFormat(
    name=re.compile(r".+_samples\.jsonl", re.DOTALL),
    patterns=("**/*_samples.jsonl",),
    model_of=lambda path: _text_in_first(path, "model_id") or path.stem,
    task_of=lambda path: _text_in_first(path, "evaluation_name"),
    read=of_records(_of_every_eval_ever),
    fits=_is_sample_of_every_eval,
    is_loose=True,
)
