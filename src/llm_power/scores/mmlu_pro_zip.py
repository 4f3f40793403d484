"""The output zips of the MMLU-Pro authors (github.com/TIGER-AI-Lab/MMLU-Pro, eval_results).

One zip a model, ``model_outputs_<MODEL>_5shots.zip``, holds one JSON list of records. Of a
record this reader uses ``question_id``, ``answer``, ``pred`` (null where no answer was found in
the model's text) and the cluster fields; a model solves an item where ``pred`` equals
``answer``. No answer found is a wrong answer, a missing record is a missing score.

Every zip carries its own copy of the correct answers, and the published copies differ: on 33
items ``gemini-1.5-flash-002`` was judged by other answers than every other model published at
the same commit. Comparing such scores item by item compares the answer keys as well.
`ReadOptions.answer_key` decides.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from llm_power.errors import ScoreError
from llm_power.scores._source import SourceFile, read_file
from llm_power.scores._zip import open_archive
from llm_power.scores.options import ReadOptions
from llm_power.scores.store import TaskScores
from llm_power.statistics._typing import FloatArray

_FILE_NAME: Final = re.compile(r"model_outputs_(?P<model>.+)_\d+shots\.zip")
_DEFAULT_CLUSTERS: Final = ("category",)


@dataclass(frozen=True, slots=True)
class _Outputs:
    """One model's file: its records by question, without the text the model wrote."""

    model: str
    source: SourceFile
    answers: Mapping[int, str]
    correct: Mapping[int, bool]
    labels: Mapping[int, tuple[str, ...]]
    malformed: int


def read_mmlu_pro_zips(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read a folder of output zips, or the zips themselves.

    Parameters
    ----------
    paths : sequence of Path
        One folder, whose files that do not end in ``.zip`` are passed over, or one or more zips.
    options : ReadOptions
        `clusters` names text fields of the records, by default ``category``; `skip_malformed`
        and `answer_key` say which faults to accept.

    Returns
    -------
    TaskScores
        Every item that occurs in a zip, by question id; models by name. What was accepted is
        counted in ``provenance.tolerated`` under "malformed_records" and "other_answer_key": the
        number of items on which a file's answer is not the one most files give.

    Raises
    ------
    ScoreError
        If a zip is damaged, expands to more than 128 MB, or does not hold one
        JSON list; if a record is malformed or a question occurs twice; if two zips are of one
        model, or disagree about an item; or if the scores fail a check of `TaskScores`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from zipfile import ZipFile
    >>> import json
    >>> from llm_power import ReadOptions
    >>> from llm_power.scores.mmlu_pro_zip import read_mmlu_pro_zips
    >>> question = {"question": "?", "options": ["yes", "no"], "answer": "A", "answer_index": 0}
    >>> for model, answers in {"heron": "AB", "wren": "BA"}.items():
    ...     records = [
    ...         {**question, "question_id": i, "category": "law", "pred": pred}
    ...         for i, pred in enumerate(answers)
    ...     ]
    ...     with ZipFile(f"model_outputs_{model}_5shots.zip", "w") as archive:
    ...         archive.writestr("law_result.json", json.dumps(records))
    ...
    >>> read_mmlu_pro_zips(sorted(Path().glob("*.zip")), ReadOptions()).values
    array([[1., 0.],
           [0., 1.]])
    """
    zips = _find_zips(paths)
    if options.kind not in {None, "binary"}:
        raise ScoreError(
            "the scores of this format are binary",
            remedy="declare them binary",
            file=str(paths[0]),
        )
    clusters = tuple(options.clusters) or _DEFAULT_CLUSTERS
    kept = options.kept(sorted(zips), str(paths[0]))
    outputs = [_read_outputs(model, zips[model], clusters, options) for model in kept]
    if not outputs:
        raise ScoreError("every model is excluded", remedy="keep two", file=str(paths[0]))
    labels = _common_labels(outputs, clusters)
    questions = sorted(labels)
    tolerated = {
        "malformed_records": {one.model: one.malformed for one in outputs if one.malformed},
        "other_answer_key": _other_answer_key(outputs, options),
    }
    # The working folder has a name as well, which `.` does not tell.
    name = (paths[0] if len(paths) == 1 else paths[0].parent).absolute().name
    return TaskScores(
        task=options.task or Path(name).stem,
        kind="binary",
        item_ids=tuple(map(str, questions)),
        models=kept,
        values=_score_matrix(outputs, questions),
        clusters={
            field: tuple(labels[question][k] for question in questions)
            for k, field in enumerate(clusters)
        },
        provenance=options.provenance(
            [output.source for output in outputs],
            name,
            {fault: counts for fault, counts in tolerated.items() if counts},
        ),
    )


def _find_zips(paths: Sequence[Path]) -> dict[str, Path]:
    if len(paths) == 1 and paths[0].is_dir():
        files = sorted(path for path in paths[0].iterdir() if path.suffix == ".zip")
        if not files:
            raise ScoreError(
                "the folder holds no zip",
                remedy="put the model_outputs_MODEL_5shots.zip files there",
                file=str(paths[0]),
            )
    else:
        files = list(paths)
    zips: dict[str, Path] = {}
    for path in files:
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            raise ScoreError(
                "the file name does not say which model it is of",
                remedy="call it model_outputs_MODEL_5shots.zip, or move it away",
                file=str(path),
            )
        model = match["model"]
        if model in zips:
            raise ScoreError(
                f"{zips[model]} is of the same model",
                remedy="keep one zip a model",
                file=str(path),
                model=model,
            )
        zips[model] = path
    return zips


def _read_outputs(
    model: str, path: Path, clusters: Sequence[str], options: ReadOptions
) -> _Outputs:
    source = read_file(path)
    answers: dict[int, str] = {}
    correct: dict[int, bool] = {}
    labels: dict[int, tuple[str, ...]] = {}
    malformed = 0
    for position, record in enumerate(_records(source), start=1):
        fault = _fault(record, clusters)
        if fault is not None:
            if not options.skip_malformed:
                raise _malformed(source, model, clusters, position, fault)
            malformed += 1
            continue
        question = record["question_id"]
        if question in answers:
            raise ScoreError(
                "this question occurs more than once",
                remedy="keep one record a question",
                file=str(path),
                model=model,
                item=str(question),
            )
        answers[question] = record["answer"]
        correct[question] = record["pred"] == record["answer"]
        labels[question] = tuple(record[field] for field in clusters)
    # The text is by far the most of a file and is not needed any more.
    return _Outputs(model, source.without_data(), answers, correct, labels, malformed)


def _records(source: SourceFile) -> list[Any]:
    file = str(source.path)
    payload = _payload(source)
    try:
        records = json.loads(payload.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ScoreError(
            f"what it holds is not JSON in UTF-8 ({error})",
            remedy="download the file again",
            file=file,
        ) from error
    if not isinstance(records, list):
        raise ScoreError(
            "what it holds is JSON, but not a list of records",
            remedy="give the output zips as published",
            file=file,
        )
    return records


def _payload(source: SourceFile) -> bytes:
    """Return the one JSON file of a zip; nothing is ever extracted to disk."""
    file = str(source.path)
    with open_archive(source.data, file) as archive:
        # A __MACOSX folder holds what the Finder adds, not data.
        members = [
            name
            for name in archive.names
            if not name.endswith("/") and not name.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            raise ScoreError(
                f"the zip holds {len(members)} files instead of one JSON list",
                remedy="give the output zips as published",
                file=file,
            )
        return archive.read(members[0])


def _fault(record: object, clusters: Sequence[str]) -> str | None:
    """Return what is wrong with a record, None if nothing."""
    if not isinstance(record, dict):
        return f"is a {type(record).__name__} instead of an object"
    if type(record.get("question_id")) is not int:  # True is an int to isinstance
        return "has no whole number as question_id"
    if "pred" not in record or not isinstance(record["pred"], str | None):
        return "has neither text nor null as pred"
    for field in ("answer", *clusters):
        if not isinstance(record.get(field), str):
            return f"has no text as {field}"
    return None


def _malformed(
    source: SourceFile, model: str, clusters: Sequence[str], position: int, fault: str
) -> ScoreError:
    records = _records(source)
    count = sum(_fault(record, clusters) is not None for record in records)
    return ScoreError(
        f"{count} of {len(records)} records are malformed, the first is record {position}, "
        f"which {fault}",
        remedy="set skip_malformed: true to leave them out, and have them counted",
        file=str(source.path),
        model=model,
    )


def _score_matrix(outputs: Sequence[_Outputs], questions: Sequence[int]) -> FloatArray:
    row = {question: i for i, question in enumerate(questions)}
    values = np.full((len(questions), len(outputs)), np.nan)
    for j, output in enumerate(outputs):
        values[[row[question] for question in output.correct], j] = list(output.correct.values())
    return values


def _common_labels(
    outputs: Sequence[_Outputs], clusters: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    labels: dict[int, tuple[str, ...]] = {}
    first: dict[int, _Outputs] = {}
    for output in outputs:
        for question, ours in output.labels.items():
            if question not in labels:
                labels[question], first[question] = ours, output
            elif labels[question] != ours:
                raise ScoreError(
                    f"{', '.join(clusters)} is {ours!r} here and {labels[question]!r} in "
                    f"{first[question].source.path.name}",
                    remedy="use outputs on one version of the benchmark",
                    file=str(output.source.path),
                    model=output.model,
                    item=str(question),
                )
    return labels


def _other_answer_key(outputs: Sequence[_Outputs], options: ReadOptions) -> dict[str, int]:
    """Return for each model on how many items its file's answer is not the usual one."""
    given: dict[int, Counter[str]] = {}
    for output in outputs:
        for question, answer in output.answers.items():
            given.setdefault(question, Counter())[answer] += 1
    disputed = {question: votes for question, votes in given.items() if len(votes) > 1}
    # Equal votes go to the answer given first, in the order of the models' names.
    usual = {question: votes.most_common(1)[0][0] for question, votes in disputed.items()}
    unusual = {
        output.model: [
            question
            for question, answer in output.answers.items()
            if usual.get(question, answer) != answer
        ]
        for output in outputs
    }
    for output in outputs:
        if options.answer_key == "shared" and unusual[output.model]:
            question = unusual[output.model][0]
            raise ScoreError(
                f"judged by another answer key: {len(unusual[output.model])} of its answers are "
                f"not the usual ones, this item first ({output.answers[question]!r} instead of "
                f"{usual[question]!r})",
                remedy="exclude the model, or set answer_key: own to judge each model by its own "
                "file, and have the items counted",
                file=str(output.source.path),
                model=output.model,
                item=str(question),
            )
    return {model: len(questions) for model, questions in unusual.items() if questions}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
