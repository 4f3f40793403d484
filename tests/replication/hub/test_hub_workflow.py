"""source: hub, by the real Snakemake and the real client, against the stand-in."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from stand_in import (
    TOKEN,
    Fault,
    StandIn,
    details_v1,
    file_of,
    matrix_zip,
    running,
    samples_v2,
    with_shared_item,
)

from llm_power._scores.store import TaskScores, read_task
from llm_power._statistics.arrays import FloatArray
from llm_power_audit.evaluate import Audit, audit
from llm_power_audit.register import load_register, with_item_checks
from needed import ROOT
from replication.constraints import load_board_scores
from replication.hub.access import Access
from replication.hub.datasets import load_datasets
from replication.hub.download import download
from replication.hub.lock import LockFile
from repository import copy_finished, copy_repository, launch, run_workflow

pytestmark = pytest.mark.slow

REGISTER = load_datasets(ROOT / "data" / "datasets.csv")
ARC = [d for d in REGISTER.values() if (d.board, d.task) == ("oll_v1", "arc")]
TARGET = "results/scores/oll_v1/arc.parquet"
FROM_HUB = ["--config", "source=hub"]
FROM_ITEMS = ["--config", "source=items"]
# The exhibits that take the items of a panel, but for those of the frontier, which is on no hub.
PANEL_EXHIBITS = {
    *(f"table_{number:02d}" for number in range(3, 13)),
    *("figure_01", "figure_02", "figure_03", "findings_boards"),
}
# Of these, those that take the counts that the paper prints where there are no items.
OF_COUNTS = {*(f"table_{number:02d}" for number in (5, 6, 7, 11, 12)), "figure_03"}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with running() as started:
        monkeypatch.setenv("HF_ENDPOINT", started.endpoint)
        monkeypatch.setenv("LLM_POWER_GITHUB_ENDPOINT", started.endpoint)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield started


def displayed_arc() -> TaskScores:
    """Items that add up to the scores that were displayed."""
    scores = load_board_scores(ROOT / "data" / "kotawala2026" / "board_scores.csv")["oll_v1"]
    score = {s.model: s.score.value for s in scores if s.task == "ARC-C"}
    values = np.zeros((1172, len(ARC)))
    for j, dataset in enumerate(ARC):
        values[: round(11.72 * score[dataset.model]), j] = 1
    ids = tuple(map(str, range(1172)))
    return TaskScores("arc", "binary", ids, tuple(d.model for d in ARC), values)


def files_of(where: Path) -> list[Path]:
    made = (path for path in where.rglob("*") if path.is_file())
    return [path for path in made if "downloads" in path.parts and "logs" not in path.parts]


def without_evidence(path: Path) -> tuple[pd.DataFrame, set[str]]:
    table = pd.read_csv(path)
    if "evidence" not in table:
        return table, set()
    return table.drop(columns="evidence"), set(table["evidence"])


def made(where: Path, *, fails: bool = False) -> str:
    """Make the scores of ARC there as `make` does, and return what is said."""
    done = launch(where, "--verbose", TARGET, "--", "--cores", "2", *FROM_HUB)
    shown = done.stdout + done.stderr
    assert (done.returncode != 0) == fails, shown
    return shown


def test_downloads_are_jobs_that_fail_in_one_line_and_are_made_up_for(
    hub: StandIn, tmp_path: Path
) -> None:
    """An outage is an error; a file that is not to be had costs its model, until it is."""
    arc = displayed_arc()
    hub.add_board(ARC, [details_v1(arc, j, "acc_norm") for j in range(len(ARC))])
    down = Fault("status", method="ANY", where=ARC[2].repo, headers={"Retry-After": "3600"})
    hub.faults.append(down)
    where = copy_repository(tmp_path / "repository")

    shown = made(where, fails=True)
    (line,) = {line for line in shown.splitlines() if line.startswith("error: ")}
    assert "has a fault of its own (status 503)" in line
    assert ARC[2].name in line
    assert len(files_of(where)) == len(ARC) - 1
    assert not (where / TARGET).exists()

    hub.faults.clear()
    closed = hub.repos[ARC[2].repo]
    closed.gated, closed.accepted = True, False
    shown += made(where)
    assert f"open https://huggingface.co/datasets/{ARC[2].repo} in the account" in shown
    task = read_task(where / TARGET)
    assert task.models == tuple(model for model in arc.models if model != ARC[2].model)
    assert task.provenance.tolerated == {"only_gated_files": {ARC[2].model: 1172}}

    # It is asked for again, and nothing else is made; an outage then is an error still.
    hub.requests.clear()
    again = made(where)
    assert hub.requests
    assert again.count("rule ") == again.count("rule download:") == 1
    hub.faults.append(down)
    shown += made(where, fails=True)
    hub.faults.clear()

    # The terms have been accepted: the one file is fetched, and no other.
    closed.accepted = True
    hub.requests.clear()
    shown += made(where)
    assert len(hub.fetched()) == 1
    assert "first download" in shown
    task = read_task(where / TARGET)
    assert task.models == arc.models
    np.testing.assert_array_equal(task.values, arc.values)
    assert task.provenance.kind == "stand_in"
    assert task.provenance.source.startswith(f"{hub.endpoint}, ")
    assert len((where / "datasets.lock.csv").read_text().splitlines()) == 1 + len(ARC)

    # Offline everything is there: nothing runs, and nobody is asked.
    hub.requests.clear()
    config = yaml.safe_load((where / "config.yaml").read_text())
    config["hub"]["offline"] = True
    (where / "config.yaml").write_text(yaml.safe_dump(config))
    (where / TARGET).unlink()
    made(where)
    assert hub.requests == []

    # The token is in no file that the runs have left, logs and Snakemake's own included.
    assert TOKEN not in shown
    left = [path for path in where.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in left)
    assert [path for path in left if TOKEN.encode() in path.read_bytes()] == []


# What a run downloads for the panels: from the boards' own repositories, or without a token.
TOP_TEN = {"hub": "mmlu_pro_top10", "items": "efficiently_evaluating"}


@pytest.mark.parametrize("source", ["hub", "items"])
def test_run_from_published_items_is_that_of_the_witness_that_is_served(
    source: str, hub: StandIn, whole_run: Path, tmp_path: Path
) -> None:
    """Every exhibit and the audit, from both boards, gated and public: to the last digit."""
    hub.add_witness(whole_run / "results" / "witness", REGISTER)
    where = copy_finished(whole_run, tmp_path / "repository")
    # Here the files are fetched without jobs of the workflow, which take a second each to start.
    access = Access.from_environment(with_token=source == "hub")
    lock = LockFile(where / "datasets.lock.csv")
    wanted = [d for d in REGISTER.values() if d.board in {"oll_v1", TOP_TEN[source]}]
    for dataset in wanted:
        download(dataset, where / "downloads", lock, access=access)
    assert any(request.authorization for request in hub.requests) == (source == "hub")
    hub.requests.clear()
    # Without the boards, which are not served here: they would be downloaded.
    shutil.rmtree(where / "config/boards")
    done = run_workflow(where, "manifest", "audit", "--config", f"source={source}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert hub.requests == []
    assert len(files_of(where)) == len(wanted)

    folders = ["tables", "figures", "prose"]
    made = [path for name in folders for path in (where / "results" / name).glob("*.csv")]
    assert len(made) >= 30
    for path in made:
        found, evidence = without_evidence(path)
        expected, _ = without_evidence(whole_run / path.relative_to(where))
        if path.stem in OF_COUNTS:
            found, expected = (as_counted(table, path.stem) for table in (found, expected))
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        assert "raw" not in evidence

    # The item that was added is named by the printed numbers, as the only category it can be of.
    missing = pd.read_csv(where / "results" / "missing_item.csv")
    assert set(missing.loc[missing["is_possible"], "category"]) == {"business"}
    assert missing.loc[missing["is_left_out"], "item"].tolist() == [788]
    assert len(missing) == 1 + (whole_items(whole_run) == 1).all(axis=1).sum()

    # What used a panel says where from, and the audit takes none of it for evidence.
    manifest = json.loads((where / "results/manifest.json").read_text())
    assert manifest["source"] == source
    used = {e["name"] for e in manifest["exhibits"] if "stand_in" in e["classes"]}
    assert used == PANEL_EXHIBITS
    for exhibit in manifest["exhibits"]:
        marked = f"stand-in or mirror ({hub.endpoint}, "
        assert (marked in exhibit["provenance"]) == (exhibit["name"] in PANEL_EXHIBITS)
    table = (where / "results/tables/table_03.md").read_text(encoding="utf-8")
    assert "no number here is a finding" in table.replace("\n", " ")
    claims = pd.read_csv(where / "results/audit/claims.csv")
    assert "raw" not in set(claims["evidence"])
    verdicts = claims.loc[claims["evidence"] == "stand_in", "verdict"]
    assert len(verdicts) > 0
    # Ambiguous stays what the paper does not define, and has another reading that is decided.
    assert set(verdicts) <= {"not_checkable", "ambiguous"}

    # A test of the plumbing: had the same files come from their owners, they would decide these.
    judged = as_if_raw(where / "results", tmp_path / "raw").judged
    decided = [one.claim.id for one in judged if one.evidence == "raw"]
    print(f"{len(decided)} of {len(judged)} claims would be judged by raw items")
    assert len(decided) >= 400
    assert {
        "table_04/4/icc",
        "table_06/1/b",
        "table_07/5/n_star",
        "table_03/6/unresolved/count",
    } <= set(decided)
    # What only an exhibit of counts says of a claim, its items decide.
    of_exhibit = {one.claim.id: one for one in judged if one.claim.id.startswith("table_11/")}
    rests = {
        one.evidence for name, one in of_exhibit.items() if name.endswith(("p_midp", "verdict"))
    }
    assert rests == {"raw"}


def as_counted(table: pd.DataFrame, stem: str) -> pd.DataFrame:
    """Drop what a table from items has besides the one from printed counts, and should."""
    besides = [f"{name}_{end}" for name in ("n_items", "b", "c") for end in ("printed", "agrees")]
    if stem in {"table_06", "table_07"} and "b_printed" in table:
        # As the items are, so the counts are printed; but for the one item that is left out.
        assert table[["b_agrees", "c_agrees"]].all(axis=None)
        assert table["n_items_agrees"].eq(stem == "table_06").all()
    if stem == "table_05":
        # On the items the board decides each row.
        table = table.drop(columns="basis")
    if stem == "table_12":
        items = "^(at hand:|public .* by Table 6:) "
        table = table.assign(shown=table["shown"].str.replace(items, "", regex=True))
    if stem == "figure_03":
        # At the N of the items and not of the caption.
        table = table.drop(columns=["n_items", "n_star", "q"]).round({"r": 5})
    return table.drop(columns=besides, errors="ignore")


def test_table_7_from_items_and_nothing_that_it_does_not_show(
    hub: StandIn, whole_run: Path, tmp_path: Path
) -> None:
    hub.add_witness(whole_run / "results" / "witness", REGISTER)
    where = copy_repository(tmp_path / "repository")
    # Without the authors' outputs, which are not served here.
    shutil.rmtree(where / "config/boards")
    done = run_workflow(where, "table_07", *FROM_ITEMS)
    shown = done.stdout + done.stderr
    assert done.returncode == 0, shown
    ran = re.findall(r"^(?:local)?rule (\w+):$", shown, re.MULTILINE)
    chain = ["download", "item_scores", "missing_item", "discordance", "required_n", "table_07"]
    assert ran == chain
    table = pd.read_csv(where / "results/tables/table_07.csv")
    flags = [name for name in map(str, table) if re.search("(?<!n_items)_agrees$", name)]
    assert table[flags].all(axis=None)
    kinds = json.loads((where / "results/tables/table_07.csv-metadata.json").read_text())
    assert kinds["dc:source"] == ["stand_in", "published"]
    assert run_workflow(where, "--dry-run", "table_07", *FROM_ITEMS).stdout.count("rule ") == 0


def without_one(task: TaskScores, model: int) -> TaskScores:
    """The scores of another run, in which a model solved one item less."""
    values = task.values.copy()
    values[np.flatnonzero(values[:, model])[0], model] = 0
    return replace(task, values=values)


def test_models_that_are_not_there_or_evaluated_again_cost_their_pairs_and_not_the_run(
    hub: StandIn, whole_run: Path, tmp_path: Path
) -> None:
    """Rank 5 has another number of correct answers, and rank 10 no row: three pairs are lost.

    Of the first board one model is gone, and another was run again on one task: 19 pairs are lost.
    """
    hub.add_witness(whole_run / "results" / "witness", REGISTER)
    where = copy_finished(whole_run, tmp_path / "repository")
    shutil.rmtree(where / "config/boards")
    (zipped,) = [d for d in REGISTER.values() if d.board == TOP_TEN["items"]]
    served = with_shared_item(
        read_task(whole_run / "results/witness/mmlu_pro_top10/mmlu_pro.parquet")
    )
    again, absent = served.models[4], served.models[9]
    there = without_one(served, 4).part(models=range(9))
    hub.add_board([zipped], [matrix_zip(there)])
    del hub.repos[ARC[0].repo]
    wino = read_task(whole_run / "results/witness/oll_v1/winogrande.parquet")
    run_again = REGISTER["oll_v1/winogrande/gemma-7b"]
    j = wino.models.index(run_again.model)
    hub.add_board([run_again], [details_v1(without_one(wino, j), j, "acc")])
    done = run_workflow(where, "audit", "manifest", *FROM_ITEMS)
    shown = done.stdout + done.stderr
    assert done.returncode == 0, shown
    log = (where / "logs/scores/mmlu_pro_top10/mmlu_pro.log").read_text(encoding="utf-8")
    assert log.count("no pair with it is judged by items") == 2

    judged = pd.read_csv(where / "results/items/mmlu_pro_top10.csv")
    claims = set(judged.loc[judged["value"].notna(), "id"].dropna())
    assert {f"table_07/{row}/b" for row in (1, 2, 3, 6, 7, 8)} <= claims
    lost = tuple(f"table_07/{row}/" for row in (4, 5, 9))
    assert not {claim for claim in claims if claim.startswith(lost)}
    assert "table_04/1/icc" in claims
    assert "s6.4/unresolved-clustered" not in claims
    page = (where / "results/audit/report.html").read_text(encoding="utf-8")
    assert f"{again} has no row with the displayed score and {absent} has no row." in page
    assert (
        "are the pairs 1 vs 2, 2 vs 3, 3 vs 4, 6 vs 7, 7 vs 8, 8 vs 9; not judged by them are "
        "4 vs 5, 5 vs 6, 9 vs 10 and every number of the whole board" in page
    )
    verdicts = pd.read_csv(where / "results/audit/claims.csv", index_col="id")
    assert len(verdicts) == len(pd.read_csv(whole_run / "results/audit/claims.csv"))
    assert "raw" not in set(verdicts["evidence"])
    of_v1 = pd.read_csv(where / "results/items/oll_v1.csv")
    said = (
        f"{ARC[0].model} has no data set on the hub on ARC-C, HS, Wino, GSM8K and gemma-7b has no "
        "run with the displayed score on Wino"
    )
    assert f"Open LLM Leaderboard v1, {said}. Judged by items are 21 of the 40 pairs" in page
    left_out = json.loads((where / "results/manifest.json").read_text())["left_out"]
    assert sum("not judged by them are" in line for line in left_out) == 2
    claims = set(of_v1.loc[of_v1["value"].notna(), "id"].dropna())
    assert {f"table_06/{row}/b" for row in (1, 2, 3, 4)} <= claims
    assert not {f"table_06/{row}/b" for row in (5, 6, 7)} & claims
    for claim, why in {"s6.2/rho-oll-most": said, "table_07/4/n_star": f"{again} has"}.items():
        assert verdicts.loc[claim, "verdict"] == "not_checkable"
        assert f"is empty: {why}" in str(verdicts.loc[claim, "reason"])
    in_its_place = read_task(where / "results/shown/oll_v1/winogrande.parquet")
    assert in_its_place.provenance.kind == "stand_in"
    assert set(in_its_place.models) == set(wino.models)

    decided = {one.claim.id: one for one in as_if_raw(where / "results", tmp_path / "raw").judged}
    assert decided["table_06/1/b"].evidence == "raw"
    assert decided["table_07/6/b"].evidence == "raw"
    assert decided["table_07/6/b"].verdict == "holds"


def test_models_of_the_gated_board_that_are_absent_cost_their_pairs(
    hub: StandIn, whole_run: Path, tmp_path: Path
) -> None:
    """Rank 1 is gone, rank 4 has two runs, rank 7 another score: five of nine pairs are lost."""
    hub.add_witness(whole_run / "results" / "witness", REGISTER)
    where = copy_finished(whole_run, tmp_path / "repository")
    shutil.rmtree(where / "config/boards")
    of_board = [one for one in REGISTER.values() if one.board == TOP_TEN["hub"]]
    task = with_shared_item(
        read_task(whole_run / "results/witness/mmlu_pro_top10/mmlu_pro.parquet")
    )
    by_model = {one.model: one for one in of_board}
    gone, twice, other = (by_model[task.models[rank]] for rank in (0, 3, 6))
    del hub.repos[gone.repo]
    files = hub.repos[twice.repo].files
    files[file_of(twice).replace("2024", "2025")] = b"{}"
    hub.add_board([other], [samples_v2(without_one(task, 6), 6)])
    done = run_workflow(where, "results/items/mmlu_pro_top10.csv", *FROM_HUB)
    assert done.returncode == 0, done.stdout + done.stderr
    judged = pd.read_csv(where / "results/items/mmlu_pro_top10.csv")
    (remark,) = judged.loc[judged["quantity"] == "remark", "value"]
    assert f"{gone.model} has no data set on the hub" in remark
    assert f"{twice.model} has several runs on the hub" in remark
    assert f"{other.model} has no run with the displayed score" in remark
    assert "the pairs 2 vs 3, 5 vs 6, 8 vs 9, 9 vs 10; not" in remark
    (lost,) = judged.loc[judged["id"] == "table_07/1/b", "method"]
    assert f"{gone.model} has no data set on the hub" in lost


def whole_items(run: Path) -> FloatArray:
    """The scores of the witness of the top ten."""
    return read_task(run / "results" / "witness" / "mmlu_pro_top10" / "mmlu_pro.parquet").values


def as_if_raw(results: Path, copy: Path) -> Audit:
    """Judge a copy of results in which what a stand-in served is called raw."""
    shutil.copytree(results, copy)
    for path in copy.rglob("*"):
        if path.suffix in {".csv", ".json"} and "stand_in" in (text := path.read_text()):
            path.write_text(text.replace("stand_in", "raw"))
    register = load_register(ROOT / "data" / "kotawala2026" / "claims.yaml")
    items = [f"items/{panel}.csv" for panel in ("oll_v1", "mmlu_pro_top10")]
    return audit(with_item_checks(register, copy, items), copy)


def test_run_without_a_network_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HF_ENDPOINT", "LLM_POWER_GITHUB_ENDPOINT"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    where = copy_repository(tmp_path / "repository")
    config = yaml.safe_load((where / "config.yaml").read_text())
    config["hub"]["offline"] = True
    (where / "config.yaml").write_text(yaml.safe_dump(config))
    done = run_workflow(where, "results/scores/mmlu_pro_top10/mmlu_pro.parquet", *FROM_ITEMS)
    shown = done.stdout + done.stderr
    assert done.returncode != 0
    (line,) = {line for line in shown.splitlines() if line.startswith("error: ")}
    assert "efficiently_evaluating/mmlu_pro/all" in line
    assert "the file is not here, and the network is not to be used" in line
