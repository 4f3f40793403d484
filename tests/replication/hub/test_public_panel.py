"""source: items: the top ten of MMLU-Pro from matrices, held against what was displayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from stand_in import Repo, StandIn, hub_ids, running

from llm_power._errors import LLMPowerError
from llm_power._scores.store import TaskScores
from needed import ROOT
from paper_fixtures import loaded_paper
from replication.constraints import BoardScore
from replication.hub.access import Access
from replication.hub.datasets import download_path, load_datasets
from replication.hub.download import download
from replication.hub.lock import LockFile
from replication.hub.matrices import block_labels
from replication.hub.panels import displayed_scores, read_panel

REGISTER = load_datasets(ROOT / "data" / "datasets.csv")
BOTH = ("efficiently_evaluating", "atlas")
LABELS = block_labels(ROOT / "data" / "kotawala2026" / "mmlu_pro_categories.csv")


@cache
def made_up() -> TaskScores:
    """Scores of the ten models on all items, that nobody has displayed."""
    models = tuple(hub_ids())
    values = np.random.default_rng(7).integers(0, 2, (len(LABELS), len(models))).astype(float)
    ids = tuple(map(str, range(len(LABELS))))
    return TaskScores("mmlu_pro", "binary", ids, models, values, {"category": LABELS})


@cache
def served_files() -> dict[str, Repo]:
    """The matrices of these scores, which take seconds to write."""
    hub = StandIn()
    hub.add_matrices(made_up(), REGISTER)
    return hub.github


@dataclass
class Public:
    """What the stand-in serves, and where it is downloaded to."""

    hub: StandIn
    folder: Path
    task: TaskScores
    displayed: dict[str, BoardScore]

    def read(self, *matrices: str) -> TaskScores:
        paper = loaded_paper("items", *matrices)
        access, lock = Access(github=self.hub.endpoint), LockFile(self.folder / "lock.csv")
        datasets = [d for name in matrices for d in REGISTER.values() if d.board == name]
        for dataset in datasets:
            download(dataset, self.folder, lock, access=access)
        return read_panel(
            paper.panel_task("mmlu_pro_top10", "mmlu_pro"),
            datasets,
            self.displayed,
            self.folder,
            lock,
            access=access,
            labels=LABELS,
        )

    def refusal(self, *matrices: str) -> str:
        with pytest.raises(LLMPowerError) as caught:
            self.read(*matrices)
        message = str(caught.value)
        assert "\n" not in message
        assert ". Remedy: " in message
        return message


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Public]:
    task = made_up()
    solved = dict(zip(task.models, task.values.sum(axis=0), strict=True))
    displayed = {
        model: BoardScore("MMLU-Pro", model, hub_id, task.n_items, int(solved[model]))
        for model, hub_id in hub_ids().items()
    }
    with running() as hub:
        hub.github |= served_files()
        yield Public(hub, tmp_path, task, displayed)


@pytest.mark.parametrize("matrices", [BOTH[:1], BOTH[1:], BOTH])
def test_scores_are_those_that_were_served(matrices: tuple[str, ...], public: Public) -> None:
    task = public.read(*matrices)
    assert (task.models, task.item_ids) == (public.task.models, public.task.item_ids)
    assert task.clusters == public.task.clusters
    np.testing.assert_array_equal(task.values, public.task.values)
    assert task.provenance.kind == "stand_in"
    assert len(task.provenance.files) == {BOTH[:1]: 1, BOTH[1:]: 14, BOTH: 15}[matrices]
    assert not any(request.authorization for request in public.hub.requests)


def test_a_model_without_its_displayed_score_costs_no_other_model(
    public: Public, caplog: pytest.LogCaptureFixture
) -> None:
    score = public.displayed["Arcee-Blitz"]
    public.displayed["Arcee-Blitz"] = replace(score, correct=score.correct + 1)
    kept = [model != "Arcee-Blitz" for model in public.task.models]
    for matrices, file in ((BOTH[:1], "mmlu-pro.zip"), (BOTH, "mmlu-pro.zip")):
        caplog.clear()
        task = public.read(*matrices)
        assert task.models == tuple(m for m in public.task.models if m != "Arcee-Blitz")
        np.testing.assert_array_equal(task.values, public.task.values[:, kept])
        (said,) = [record.getMessage() for record in caplog.records if "Arcee" in record.message]
        assert file in said
        assert "model 'arcee-ai/Arcee-Blitz': its rows have" in said
        assert f"{score.correct} correct answers, and {score.correct + 1} were displayed" in said
        assert said.endswith("; no pair with it is judged by items")
        tolerated = task.provenance.tolerated
        assert tolerated == {"no_row_with_the_displayed_score": {"Arcee-Blitz": 12032}}


def test_one_model_alone_is_no_board(public: Public) -> None:
    for model in list(public.displayed)[1:]:
        score = public.displayed[model]
        public.displayed[model] = replace(score, correct=score.correct + 1)
    assert "were displayed" in public.refusal(BOTH[0])


def test_matrices_that_differ_on_one_score(public: Public) -> None:
    """With the right counts both: one model solves another item, as many in all."""
    values = public.task.values.copy()
    here, there = np.flatnonzero(values[:, 4] == 1)[0], np.flatnonzero(values[:, 4] == 0)[0]
    values[[here, there], 4] = [0, 1]
    other = replace(public.task, values=values)
    public.hub.github.clear()
    public.hub.add_matrices(other, REGISTER)
    zipped = next(d for d in REGISTER.values() if d.board == BOTH[0])
    public.hub.github[zipped.repo] = served_files()[zipped.repo]
    message = public.refusal(*BOTH)
    assert "matrix atlas has another score than the one before it, as on 2 items" in message
    assert f"item '{min(here, there)}'" in message


def test_file_of_a_category_with_items_of_another(public: Public) -> None:
    labels = list(LABELS)
    labels[788] = "law"  # the last of business
    shifted = replace(public.task, clusters={"category": tuple(labels)})
    public.hub.github.clear()
    public.hub.add_matrices(shifted, REGISTER)
    message = public.refusal("atlas")
    assert "item 788 is of 'business' in the file, or in the test, and not in both" in message


def test_matrix_of_fewer_items(public: Public) -> None:
    short = replace(
        public.task,
        item_ids=public.task.item_ids[:-1],
        values=public.task.values[:-1],
        clusters={"category": LABELS[:-1]},
    )
    public.displayed = {
        model: replace(score, correct=int(short.values[:, j].sum()))
        for j, (model, score) in enumerate(public.displayed.items())
    }
    public.hub.github.clear()
    public.hub.add_matrices(short, REGISTER)
    assert "its 12031 items are not those of the test, 0 to 12031" in public.refusal(BOTH[0])


def test_file_that_was_changed_after_its_download(public: Public) -> None:
    public.read(BOTH[0])
    dataset = next(d for d in REGISTER.values() if d.board == BOTH[0])
    path = download_path(public.folder, public.hub.endpoint, dataset)
    access, lock = Access(github=public.hub.endpoint), LockFile(public.folder / "lock.csv")
    path.write_bytes(b"model,0\n")
    paper = loaded_paper("items", *BOTH[:1])
    how = paper.panel_task("mmlu_pro_top10", "mmlu_pro")
    with pytest.raises(LLMPowerError, match="changed since it was downloaded"):
        read_panel(
            how, [dataset], public.displayed, public.folder, lock, access=access, labels=LABELS
        )


def test_displayed_counts_of_the_ten_models_are_of_all_items() -> None:
    paper = loaded_paper("items", *BOTH)
    scores = displayed_scores(paper.folder, paper.hub["mmlu_pro_top10", "mmlu_pro"])
    assert {score.n_items for score in scores.values()} == {len(LABELS)}
    assert len(scores) == 10
