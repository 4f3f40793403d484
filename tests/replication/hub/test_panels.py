"""The boards' files as downloaded: read as the board displayed them, or refused."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from stand_in import TOKEN, StandIn, details_v1, metric_of, running, samples_v2

from llm_power._errors import LLMPowerError
from llm_power._scores.store import TaskScores
from needed import ROOT
from paper_fixtures import loaded_paper
from replication.constraints import BoardScore
from replication.hub.access import HUB, Access
from replication.hub.datasets import Dataset, download_path, load_datasets
from replication.hub.download import download
from replication.hub.errors import HubError
from replication.hub.lock import Locked, LockFile
from replication.hub.panels import displayed_scores, read_panel
from replication.stages import write_undefined

REGISTER = load_datasets(ROOT / "data" / "datasets.csv")
PAPER = loaded_paper("hub")
N_ITEMS = 60


def lines(board: str, task: str) -> list[Dataset]:
    return [
        replace(d, rows=(N_ITEMS, N_ITEMS))
        for d in REGISTER.values()
        if (d.board, d.task) == (board, task)
    ]


def made_up(datasets: Sequence[Dataset]) -> TaskScores:
    """Scores that no two models share, with categories."""
    values = np.zeros((N_ITEMS, len(datasets)))
    for j in range(len(datasets)):
        values[: 20 + 3 * j, j] = 1
    categories = tuple(f"category {i % 3}" for i in range(N_ITEMS))
    return TaskScores(
        task=datasets[0].task,
        kind="binary",
        item_ids=tuple(map(str, range(N_ITEMS))),
        models=tuple(d.model for d in datasets),
        values=values,
        clusters={"category": categories},
    )


@dataclass
class Panel:
    """One task's files on the disk, as they were downloaded."""

    folder: Path
    datasets: list[Dataset]
    task: TaskScores
    displayed: dict[str, BoardScore] = field(default_factory=dict)
    accepted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for j, dataset in enumerate(self.datasets):
            self.put(j, self.body(j))
            solved = int(self.task.values[:, j].sum())
            self.displayed[dataset.model] = BoardScore(
                dataset.task, dataset.model, "", self.task.n_items, solved
            )

    @property
    def lock(self) -> LockFile:
        return LockFile(self.folder / "lock.csv")

    def body(self, j: int, *, task: TaskScores | None = None) -> bytes:
        scores = self.task if task is None else task
        if self.datasets[0].board == "mmlu_pro_top10":
            return samples_v2(scores, j, as_list=j % 2 == 0)
        return details_v1(scores, j, metric_of(self.task.task))

    def path(self, j: int) -> Path:
        return download_path(self.folder, HUB, self.datasets[j])

    def put(self, j: int, body: bytes) -> None:
        path, dataset = self.path(j), self.datasets[j]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        file = dataset.file if not dataset.is_pattern else "x/samples_leaderboard_mmlu_pro_1.json"
        revision = dataset.revision or "f" * 40
        sha256, time = hashlib.sha256(body).hexdigest(), f"2026-01-0{j % 9 + 1}T00:00:00+00:00"
        self.lock.record(Locked(dataset.name, HUB, revision, file, len(body), sha256, time))

    def read(self) -> TaskScores:
        return read_panel(
            PAPER.panel_task(self.datasets[0].board, self.datasets[0].task),
            self.datasets,
            self.displayed,
            self.folder,
            self.lock,
            access=Access(),
            accepted=self.accepted,
        )

    def refusal(self) -> str:
        """Return the one line with which the panel is refused; nothing may be left by it."""
        before = sorted(self.folder.rglob("*"))
        with pytest.raises(LLMPowerError) as caught:
            self.read()
        assert sorted(self.folder.rglob("*")) == before
        message = str(caught.value)
        assert "\n" not in message
        assert ". Remedy: " in message
        return message


@pytest.fixture(params=PAPER.hub, ids="/".join)
def panel(request: pytest.FixtureRequest, tmp_path: Path) -> Panel:
    datasets = lines(*request.param)
    return Panel(tmp_path, datasets, made_up(datasets))


@pytest.fixture
def arc(tmp_path: Path) -> Panel:
    datasets = lines("oll_v1", "arc")
    return Panel(tmp_path, datasets, made_up(datasets))


@pytest.fixture
def mmlu_pro(tmp_path: Path) -> Panel:
    datasets = lines("mmlu_pro_top10", "mmlu_pro")
    return Panel(tmp_path, datasets, made_up(datasets))


def test_panel_is_read_with_the_metric_that_was_displayed(panel: Panel) -> None:
    task = panel.read()
    assert task.models == panel.task.models
    np.testing.assert_array_equal(task.values, panel.task.values)
    if "category" in task.clusters:
        assert task.clusters == panel.task.clusters


def test_provenance_names_the_hub_the_revisions_and_the_hashes(panel: Panel) -> None:
    provenance = panel.read().provenance
    first = panel.datasets[0]
    more = len(panel.datasets) - 1
    assert provenance.kind == "raw"
    assert provenance.source == f"{first.page} and {more} more of datasets.csv"
    assert provenance.revision is not None
    assert (first.revision or "f" * 40)[:12] in provenance.revision
    sums = {hashlib.sha256(panel.path(j).read_bytes()).hexdigest() for j in range(more + 1)}
    assert set(provenance.files.values()) == sums
    assert len(provenance.files) == more + 1
    times = [f"2026-01-0{j % 9 + 1}T00:00:00+00:00" for j in range(more + 1)]
    assert provenance.retrieved == max(times)
    assert provenance.tolerated == {}


def test_model_of_another_score_than_the_displayed_costs_no_other_model(
    panel: Panel, caplog: pytest.LogCaptureFixture
) -> None:
    """As the stored file of Meta-Llama-3-8B on GSM8K has: 604 items where 598 were displayed."""
    worse = panel.task.values.copy()
    worse[58, 3] = 1
    solved = int(worse[:, 3].sum())
    panel.put(3, panel.body(3, task=replace(panel.task, values=worse)))
    task = panel.read()
    kept = [j for j in range(len(panel.datasets)) if j != 3]
    assert task.models == tuple(panel.datasets[j].model for j in kept)
    np.testing.assert_array_equal(task.values, panel.task.values[:, kept])
    name = panel.datasets[3].model
    assert task.provenance.tolerated == {"no_run_with_the_displayed_score": {name: 60}}
    (message,) = caplog.messages
    assert f"{solved} of its 60 answers are correct" in message
    assert f"{solved - 1} of 60 were displayed (+1)" in message
    assert panel.datasets[3].name in message
    assert "accept_other_score" in message
    assert message.endswith("; no pair with it is judged by items")


def test_model_whose_file_the_hub_does_not_have_costs_no_other_model(panel: Panel) -> None:
    write_undefined([str(panel.path(1))], "only_gated_files")
    task = panel.read()
    kept = [j for j in range(len(panel.datasets)) if j != 1]
    assert task.models == tuple(panel.datasets[j].model for j in kept)
    np.testing.assert_array_equal(task.values, panel.task.values[:, kept])
    name = panel.datasets[1].model
    assert task.provenance.tolerated == {"only_gated_files": {name: 60}}
    assert not any(key.startswith(f"{name}: ") for key in task.provenance.files)


def test_one_model_alone_is_no_board(panel: Panel) -> None:
    """Whether the others are gone, or are other runs."""
    displayed = panel.displayed
    panel.displayed = {
        name: score if name == panel.datasets[0].model else replace(score, correct=1)
        for name, score in displayed.items()
    }
    assert "and 1 of 60 were displayed" in panel.refusal()
    panel.displayed = displayed
    for j in range(1, len(panel.datasets)):
        write_undefined([str(panel.path(j))], "no_data_set_on_the_hub")
    message = panel.refusal()
    assert f"{panel.datasets[1].name}': the model has no data set on the hub" in message
    assert "logs/hub" in message


def gsm8k(folder: Path, stored: dict[str, int]) -> Panel:
    """GSM8K with as many correct answers as displayed, but for these models."""
    datasets = [d for d in REGISTER.values() if (d.board, d.task) == ("oll_v1", "gsm8k")]
    displayed = displayed_scores(PAPER.folder, PAPER.hub["oll_v1", "gsm8k"])
    solved = {m: s.correct for m, s in displayed.items()} | stored
    values = np.zeros((1319, 5))
    for j, dataset in enumerate(datasets):
        values[: solved[dataset.model], j] = 1
    ids = tuple(map(str, range(1319)))
    task = TaskScores("gsm8k", "binary", ids, tuple(d.model for d in datasets), values)
    panel = Panel(folder, datasets, task)
    panel.displayed = displayed
    return panel


def test_stored_llama_on_gsm8k_is_the_one_that_the_register_knows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    panel = gsm8k(tmp_path, {"Llama-3-8B": 604})
    tolerated = panel.read().provenance.tolerated
    assert tolerated == {"items_off_the_displayed_score": {"Llama-3-8B": 6}}
    (line,) = caplog.messages
    assert line.startswith("oll_v1/gsm8k/Llama-3-8B: accepted, as its register says: ")
    assert "604 correct answers where 598 were displayed" in line


@pytest.mark.parametrize(
    ("model", "solved", "problem"),
    [
        ("Llama-3-8B", 603, "603 of its 1319 answers are correct, and 598 of 1319"),
        ("gemma-7b", 697, "697 of its 1319 answers are correct, and 696 of 1319"),
    ],
)
def test_model_of_any_other_number_on_gsm8k_is_absent_until_it_is_accepted(
    model: str, solved: int, problem: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    panel = gsm8k(tmp_path, {model: solved})
    assert model not in panel.read().models
    assert any(problem in message for message in caplog.messages)
    panel.accepted = (f"oll_v1/gsm8k/{model}",)
    off = abs(solved - panel.displayed[model].correct)
    tolerated = panel.read().provenance.tolerated
    assert tolerated == {"items_off_the_displayed_score": {model: off}}


def test_items_that_were_not_displayed_stop_though_the_correct_ones_are_as_many(arc: Panel) -> None:
    name = arc.datasets[0].model
    arc.displayed[name] = replace(arc.displayed[name], n_items=61)
    assert "20 of its 60 answers are correct, and 20 of 61 were displayed (+0)" in arc.refusal()


def test_board_that_nobody_described(arc: Panel) -> None:
    arc.datasets = [replace(d, name=f"my_board/arc/{d.model}") for d in arc.datasets]
    assert "nothing says how my_board/arc is read" in arc.refusal()
    with pytest.raises(HubError, match="nothing says how a/b is read"):
        PAPER.displayed("a", "b")


def test_model_without_a_displayed_score(panel: Panel) -> None:
    del panel.displayed[panel.datasets[1].model]
    assert "no score was displayed for this model" in panel.refusal()


@pytest.mark.parametrize("declared", [(61, 61), (10, 59), (1172, 1172)])
def test_other_number_of_items_than_declared(panel: Panel, declared: tuple[int, int]) -> None:
    panel.datasets[2] = replace(panel.datasets[2], rows=declared)
    message = panel.refusal()
    assert "there are 60 items, the register declares" in message
    assert panel.datasets[2].name in message


def test_run_that_was_cut_short(panel: Panel) -> None:
    """The hub has runs of 10 items beside complete ones."""
    short = TaskScores(
        panel.task.task,
        "binary",
        panel.task.item_ids[:58],
        panel.task.models,
        panel.task.values[:58],
        {"category": panel.task.clusters["category"][:58]},
    )
    panel.put(1, panel.body(1, task=short))
    message = panel.refusal()
    assert "its number of rows is 58" in message or "2 of the 60 items" in message
    assert "run all models alike" in message or "complete run" in message


def test_item_that_one_model_lacks(mmlu_pro: Panel) -> None:
    records = [json.loads(line) for line in mmlu_pro.body(1).splitlines()]
    kept = [record for record in records if record["doc_id"] != 7]
    mmlu_pro.put(1, json.dumps(kept).encode())
    message = mmlu_pro.refusal()
    assert "1 of the 60 items of the other models have no score here, the first is '7'" in message
    assert mmlu_pro.datasets[1].name in message


@pytest.mark.parametrize("readable", [True, False])
def test_file_that_was_changed_after_its_download(panel: Panel, readable: bool) -> None:
    path = panel.path(0)
    other = panel.body(0, task=replace(panel.task, values=1 - panel.task.values))
    path.write_bytes(other if readable else b"no longer what it was")
    message = panel.refusal()
    assert "it was changed since it was downloaded: remove it and start again" in message
    assert str(path) in message


def test_file_that_was_never_downloaded(panel: Panel) -> None:
    panel.lock.path.unlink()
    message = panel.refusal()
    assert "download it first; if it is there, remove it" in message
    assert str(panel.path(0)) in message


def test_file_that_is_gone(panel: Panel) -> None:
    panel.path(1).unlink()
    assert str(panel.path(1)) in panel.refusal()


def _rewritten(body: bytes, change: Callable[[Any], Any]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(change(pq.read_table(io.BytesIO(body))), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda t: t.drop_columns(["metrics"]), "no metric 'acc_norm'"),
        (lambda t: t.drop_columns(["example"]), "no column 'example'"),
        (lambda t: t.rename_columns(["q", "prompt", "c", "g", "m"]), "'prompt'"),
        (lambda t: t.take([1, 0, *range(2, N_ITEMS)]), "another item than in"),
    ],
)
def test_schema_of_neither_form_says_what_is_there(
    arc: Panel, change: Callable[[Any], Any], problem: str
) -> None:
    arc.put(1, _rewritten(arc.body(1), change))
    assert problem in arc.refusal()


@pytest.mark.parametrize("body", [b"", b"PAR1 and more PAR1", b"<html>", b"version https://git"])
def test_file_that_is_something_else(panel: Panel, body: bytes) -> None:
    panel.put(1, body)
    assert str(panel.path(1)) in panel.refusal()


def test_both_schemas_of_the_first_board_are_read(arc: Panel) -> None:
    for j in (0, 3):
        arc.put(j, details_v1(arc.task, j, "acc_norm", old=True))
    np.testing.assert_array_equal(arc.read().values, arc.task.values)


def test_question_that_is_another_for_one_model(mmlu_pro: Panel) -> None:
    records = [json.loads(line) for line in mmlu_pro.body(1).splitlines()]
    next(r for r in records if r["doc_id"] == 5)["doc"]["question"] = "Another?"
    mmlu_pro.put(1, json.dumps(records).encode())
    assert "'5'" in mmlu_pro.refusal()


# Through the real client, from the stand-in


@pytest.fixture
def hub() -> Iterator[StandIn]:
    with running() as started:
        yield started


def test_panel_through_the_client_is_that_of_the_stand_in(
    panel: Panel, hub: StandIn, tmp_path: Path
) -> None:
    """Gated or public: what was served is read, and is not called the hub's."""
    hub.add_board(panel.datasets, [panel.body(j) for j in range(len(panel.datasets))])
    for repo in hub.repos.values():
        repo.gated = panel.datasets[0].board == "mmlu_pro_top10"
    access = Access(hub=hub.endpoint, token=TOKEN)
    lock = LockFile(tmp_path / "datasets.lock.csv")
    for dataset in panel.datasets:
        download(dataset, tmp_path / "d", lock, access=access)
    how = PAPER.panel_task(panel.datasets[0].board, panel.datasets[0].task)
    task = read_panel(how, panel.datasets, panel.displayed, tmp_path / "d", lock, access=access)
    np.testing.assert_array_equal(task.values, panel.task.values)
    assert task.provenance.kind == "stand_in"
    assert task.provenance.source.startswith(f"{hub.endpoint}, ")
    assert "huggingface.co" not in task.provenance.source
    with pytest.raises(HubError, match="download it first"):
        read_panel(how, panel.datasets, panel.displayed, tmp_path / "d", lock, access=Access())
