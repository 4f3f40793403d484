"""A paper by its paper.yaml: what is made, from what, by which module."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest

from llm_power.documents import DocumentError
from llm_power.errors import LLMPowerError
from replication.boards import Board, BoardNotThere, Boards
from replication.exhibits import Exhibit, Inputs
from replication.hub.errors import HubError
from replication.hub.plan import Downloads
from replication.paper import DataFile, ExhibitPlan, Paper
from replication.sources import package_sums
from replication.targets import (
    SAMPLE_EVIDENCE,
    SAMPLE_PAIRS,
    ResultsOfAnother,
    Run,
    audited_files,
    refuse_results_of_another,
)

ROOT = Path(__file__).resolve().parents[2]
PAPER = Paper.load(ROOT, "kotawala2026", source="published")


def boards(root: Path | None = None, **own: Board) -> Boards:
    return Boards({**PAPER.panels, **own}, str(root) if root else None)


@pytest.mark.parametrize("name", [*PAPER.exhibits, *PAPER.comparisons])
def test_every_exhibit_has_a_module_with_one_entry(name: str) -> None:
    plan = {**PAPER.exhibits, **PAPER.comparisons}[name]
    make = import_module(PAPER.module(plan)).make
    assert get_type_hints(make) == {"inputs": Inputs, "return": Exhibit}


def test_files_of_a_table_and_of_a_figure() -> None:
    table = PAPER.exhibits["table_02"].outputs()
    assert table["csv"] == "results/tables/table_02.csv"
    assert table["json"] == "results/tables/table_02.csv-metadata.json"
    assert table["cells_csv"] == "results/tables/table_02_cells.csv"
    figure = PAPER.exhibits["figure_04"].outputs()
    assert figure["svg"] == "figures/figure_04.svg"
    assert figure["csv"] == "results/figures/figure_04.csv"
    assert figure["tex"] == "results/figures/figure_04.tex"
    assert figure["camera_ready"] == "figures/camera_ready/figure_04.pdf"
    assert figure["camera_ready_caption"] == "figures/camera_ready/figure_04.txt"
    assert "md" not in PAPER.exhibits["figure_01"].outputs()


def test_inputs_of_an_exhibit() -> None:
    found = PAPER.inputs(PAPER.exhibits["table_05"], boards())
    assert found["oll_v1/verdicts"] == "results/boards/oll_v1/verdicts.parquet"
    assert found["scores"][-1] == "results/witness/ranked/mmlu_pro_top10/mmlu_pro.parquet"
    assert len(found["scores"]) == 5


def test_an_exhibit_in_parts_is_made_from_all_of_them() -> None:
    found = PAPER.inputs(PAPER.exhibits["figure_06"], boards())
    names = [f"results/simulations/figure_06/part-{part}.parquet" for part in range(2)]
    assert found["simulated"] == names
    assert PAPER.inputs(PAPER.exhibits["figure_05"], boards())["simulated"] == []


@pytest.mark.parametrize("name", PAPER.simulations)
def test_every_simulation_has_a_module_and_chunks_for_its_parts(name: str) -> None:
    plan = PAPER.simulations[name]
    numbers = plan.numbers({"seed": 1})
    chunks = import_module(PAPER.simulation(name)).chunks(PAPER.settings, numbers)
    assert 1 <= plan.parts <= len(chunks)


def test_a_part_of_a_simulation_belongs_to_its_exhibit() -> None:
    run = Run(PAPER, boards(), "published", PAPER.point)
    assert run.unit_of("simulation_part", {"simulation": "figure_05", "part": "0"}) == "Figure 5"
    assert run.unit_of("simulation_part", {"simulation": "findings_simulated", "part": "0"}) is None


def test_numbers_of_the_configuration() -> None:
    plan = ExhibitPlan("figure_09", config={"n": "bootstrap/resamples"}, simulated={"n_trials": 7})
    assert plan.numbers({"bootstrap": {"resamples": 5}}) == {"n": 5, "n_trials": 7}


def test_an_input_that_the_entry_does_not_name_is_refused() -> None:
    with pytest.raises(LLMPowerError, match=r"table_06 asks for printed/7, .* paper\.yaml"):
        Inputs("table_06", {}).printed(7)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("printed: [1]", "printd: [1]", "'printd' was unexpected"),
        ("caption: counts", "caption: count", "'count' is not one of"),
        ("table_01:", "tabel_1:", "'tabel_1'"),
        ("board_scores: HS", "board_score: HS", "'board_score' was unexpected"),
    ],
)
def test_a_fault_of_paper_yaml_is_one_line(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "data/kotawala2026", tmp_path / "data/kotawala2026")
    shutil.copytree(ROOT / "workflow/schemas", tmp_path / "workflow/schemas")
    file = tmp_path / "data/kotawala2026/paper.yaml"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(DocumentError, match="Remedy") as caught:
        Paper.load(tmp_path, "kotawala2026", source="published")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_panels_come_from_the_hub_where_it_has_them() -> None:
    panels = Paper.load(ROOT, "kotawala2026", source="hub").panels
    assert panels["oll_v1"].tasks["arc"]["path"] == "results/scores/oll_v1/arc.parquet"
    frontier = panels["frontier"].tasks["mmlu_pro"]
    assert frontier["path"] == "results/witness/ranked/frontier/mmlu_pro.parquet"


def test_public_panels_are_read_from_matrices_where_their_files_take_a_token() -> None:
    public = Paper.load(ROOT, "kotawala2026", source="public", matrices=["atlas"])
    scores = "results/missing_item/mmlu_pro.parquet"
    for paper in (public, Paper.load(ROOT, "kotawala2026", source="hub")):
        assert paper.panels["mmlu_pro_top10"].tasks["mmlu_pro"]["path"] == scores
    assert public.panel_task("oll_v1", "arc").reader == "details_v1"
    assert public.panel_task("mmlu_pro_top10", "mmlu_pro").matrices == ["atlas"]
    categories = public.file("mmlu_pro_categories.csv")
    assert categories in public.displayed("mmlu_pro_top10", "mmlu_pro")
    settings = {"offline": True, "folder": "d", "accept_other_score": []}
    register = ROOT / "data/datasets.csv"
    downloads = Downloads.planned(settings, register=register, tasks=public.hub)
    names = [downloads.datasets[path].name for path in downloads.of("mmlu_pro_top10", "mmlu_pro")]
    assert len(names) == 14
    assert all(name.startswith("atlas/mmlu_pro/") for name in names)
    assert len(downloads.of("oll_v1", "arc")) == 5
    other = Paper.load(ROOT, "kotawala2026", source="public", matrices=["atlas", "atlsa"])
    with pytest.raises(HubError, match="no file of the matrix 'atlsa'.* hub: matrices"):
        Downloads.planned(settings, register=register, tasks=other.hub)


def test_a_board_is_there_with_its_files(tmp_path: Path) -> None:
    mine = Board("Mine", {"exam": {"path": "mine.csv"}}, families=("all", "adjacent"))
    assert set(boards(mine=mine).panels) >= {"mine", "mine.adjacent", "oll_v1"}
    assert not boards(mine=mine).is_there("mine")
    with pytest.raises(BoardNotThere, match="LLM_POWER_DATA"):
        boards(mine=mine).source_of("mine", "exam")
    assert not boards(tmp_path, mine=mine).is_there("mine")
    (tmp_path / "mine.csv").touch()
    assert boards(tmp_path, mine=mine).is_there("mine")
    assert boards().is_there("oll_v1")
    assert not boards().is_there("nobody")


def test_a_board_with_the_name_of_a_panel_is_refused() -> None:
    with pytest.raises(DocumentError, match="oll_v1.yaml.*another name"):
        Boards.of(PAPER.panels, {"oll_v1": {}}, data_root=None, downloads=Downloads())


def test_sources_are_the_modules_that_are_imported_and_their_paths_relative(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    found = package_sums(Path(), "kotawala2026.exhibits.table_06")
    assert "src/kotawala2026/exhibits/table_06.py" in found
    assert "src/llm_power/statistics/mcnemar.py" in found
    assert "src/llm_power/report/figures.py" not in found
    assert not any(name.endswith("__init__.py") for name in found)


def test_results_that_claims_name_are_audited_with_their_descriptions(tmp_path: Path) -> None:
    claims = tmp_path / "claims.yaml"
    claims.write_text("- {result: tables/t.csv}\n- {result: audit/evidence.csv}\n")
    made = ["results/tables/t.csv-metadata.json", "results/tables/u.csv-metadata.json"]
    picture = "figures/f.png"
    found = audited_files(str(claims), [*made, picture, "figures/f.svg"])
    assert found == [picture, "results/tables/t.csv", made[0]]
    assert audited_files(str(claims), made, {"results/tables/t.csv"}) == [made[0]]


def of_boards(run: Run) -> list[str]:
    return [line for line in run.left_out() if not line.startswith("The sample")]


def test_the_sample_is_left_out_in_one_line_where_a_file_of_it_is_missing(tmp_path: Path) -> None:
    run = Run(PAPER, boards(tmp_path), "published", PAPER.point)
    assert len(run.sample()) == 5
    for path in run.sample()[1:]:
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).touch()
    (line,) = run.left_out()
    assert "DATA_ROOT/olv1_items" in line
    assert "LLM_POWER_DATA" in line
    assert run.absent() == {SAMPLE_EVIDENCE}
    assert SAMPLE_PAIRS not in run.files()
    Path(run.sample()[0]).touch()
    assert run.left_out() == []
    assert run.absent() == set()
    assert {SAMPLE_PAIRS, SAMPLE_EVIDENCE} <= set(run.files())


def test_what_is_made_from_a_file_that_is_not_there_is_left_out_in_one_line(
    tmp_path: Path,
) -> None:
    plan = ExhibitPlan("table_13", data_root=["board"])
    paper = replace(
        PAPER,
        exhibits={"table_06": PAPER.exhibits["table_06"], "table_13": plan},
        data_files={"board": DataFile("far/board.csv", "ask Nobody for DATA_ROOT/far/board.csv")},
    )
    run = Run(paper, boards(tmp_path), "published", PAPER.point)
    file = tmp_path / "far/board.csv"
    assert paper.inputs(plan, run.boards)["data_root/board"] == str(file)
    (line,) = (line for line in run.left_out() if "far/board.csv" in line)
    assert line.startswith("Table 13: left out, for far/board.csv is not there. To include")
    assert "ask Nobody for DATA_ROOT/far/board.csv, and set data_root" in line
    made = {*plan.outputs().values()}
    assert not made & {*run.files()}
    assert made <= run.absent()
    assert "table_13" not in run.exhibits_there()
    file.parent.mkdir()
    file.touch()
    assert made <= {*run.files()}
    assert not made & run.absent()
    assert "table_13" in run.exhibits_there()
    unnamed = ExhibitPlan("table_14", data_root=["other"])
    with pytest.raises(DocumentError, match="made from other, and files_of_data_root"):
        paper.inputs(unnamed, run.boards)


def test_a_comparison_needs_its_board_and_the_papers_point(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").touch()
    mine = Board("Mine", {"exam": {"path": "mine.csv"}}, families=("all", "adjacent"))
    with_board = boards(tmp_path, mmlu_pro_authors=mine)
    file = "results/boards/mmlu_pro_comparison.md"
    assert file in Run(PAPER, with_board, "published", PAPER.point).files()
    assert of_boards(Run(PAPER, with_board, "published", PAPER.point)) == []
    other = Run(PAPER, with_board, "published", {"alpha": 0.2, "power": 0.8})
    assert file not in other.files()
    (line,) = of_boards(other)
    assert line.startswith("mmlu_pro_comparison is left out")
    assert file not in Run(PAPER, boards(), "published", PAPER.point).files()


def test_results_of_another_paper_are_not_replaced(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    refuse_results_of_another("toy", manifest)
    manifest.write_text('{"config": {"paper": "kotawala2026"}}')
    refuse_results_of_another("kotawala2026", manifest)
    with pytest.raises(ResultsOfAnother, match=r"of the paper kotawala2026, .*Remedy: .*PAPER=toy"):
        refuse_results_of_another("toy", manifest)
    manifest.write_text("{")
    refuse_results_of_another("toy", manifest)
