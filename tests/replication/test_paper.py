"""A paper by its paper.yaml: what is made, from what, by which module."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pandas as pd
import pytest

from llm_power._documents import DocumentError
from llm_power._errors import LLMPowerError
from needed import ROOT
from paper_fixtures import loaded_paper
from replication.boards import Board, BoardNotThere, Boards
from replication.exhibits import Exhibit, Inputs
from replication.hub.errors import HubError
from replication.hub.plan import Downloads
from replication.paper import DataFile, ExhibitPlan, Paper, folders_of
from replication.records import code_sums
from replication.stages import write_stage
from replication.targets import (
    SAMPLE_EVIDENCE,
    ResultsOfAnother,
    Run,
    audited_files,
    not_yet_shown,
    refuse_results_of_another,
    unit_of,
)

PAPER = loaded_paper("printed")


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
    found = PAPER.inputs(PAPER.exhibits["table_05"])
    assert found["oll_v1/multiplicity"] == "results/boards/oll_v1/multiplicity.parquet"
    panels = ("oll_v1", "mmlu_pro_top10")
    assert found["provenance"] == [f"results/boards/{panel}/provenance.json" for panel in panels]


def test_with_items_counts_come_from_the_stages_of_the_panel() -> None:
    printed, items = (loaded_paper(source).exhibits["table_05"] for source in ("printed", "hub"))
    assert printed.panels["mmlu_pro_top10"] == ["icc"]
    assert items.panels["oll_v1"] == printed.panels["oll_v1"]
    assert items.panels["mmlu_pro_top10"][:2] == ["icc", "discordance"]
    assert PAPER.exhibits["table_06"].panels == {}
    paper = loaded_paper("hub")
    run = Run(paper, Boards(paper.panels), "hub", paper.point)
    assert run.rests_on(paper.exhibits["table_06"]) == "items"
    assert paper.exhibits["table_06"].caption == "panel"


def test_stages_of_a_panel_are_joined_on_the_pair(tmp_path: Path) -> None:
    ranks = pd.DataFrame({"task": "exam", "rank_a": [1, 2, 3], "rank_b": [2, 3, 4]})
    stages = {"icc": ranks.assign(icc=[0.1, 0.2, 0.3]), "loso": ranks.assign(n=[7, 8, 9])}
    for name, table in stages.items():
        write_stage(table[:: 1 if name == "icc" else -1], str(tmp_path / name))
    files = {f"panel/{name}": str(tmp_path / name) for name in stages}
    inputs = Inputs("table_08", files)
    joined = inputs.panel("panel", "icc", "loso")
    assert joined[["icc", "n"]].to_numpy().tolist() == [[0.1, 7], [0.2, 8], [0.3, 9]]
    assert inputs.has("panel", "loso")
    assert not inputs.has("panel", "discordance")
    with pytest.raises(LLMPowerError, match=r"asks for panel/discordance, .* paper\.yaml"):
        inputs.panel("panel", "icc", "discordance")


def test_an_exhibit_in_parts_is_made_from_all_of_them() -> None:
    found = PAPER.inputs(PAPER.exhibits["figure_06"])
    names = [f"results/simulations/figure_06/part-{part}.parquet" for part in range(2)]
    assert found["simulated"] == names
    assert PAPER.inputs(PAPER.exhibits["figure_05"])["simulated"] == []


@pytest.mark.parametrize("name", PAPER.simulations)
def test_every_simulation_has_a_function_and_chunks_for_its_parts(name: str) -> None:
    plan = PAPER.simulations[name]
    chunks = getattr(import_module(PAPER.simulator), name)
    assert 1 <= plan.parts <= len(chunks(PAPER.settings, plan.numbers({"seed": 1})))


def test_a_part_of_a_simulation_belongs_to_its_exhibit() -> None:
    run = Run(PAPER, boards(), "printed", PAPER.point)
    assert run.unit_of("simulation_part", {"simulation": "figure_05", "part": "0"}) == "Figure 5"
    assert run.unit_of("simulation_part", {"simulation": "findings_simulated", "part": "0"}) is None


def test_numbers_of_the_configuration() -> None:
    plan = ExhibitPlan("figure_09", config={"n": "bootstrap/resamples"}, simulated={"n_trials": 7})
    assert plan.numbers({"bootstrap": {"resamples": 5}}) == {"n": 5, "n_trials": 7}


def test_an_input_that_the_entry_does_not_name_is_refused() -> None:
    with pytest.raises(LLMPowerError, match=r"table_06 asks for printed/7, .* paper\.yaml"):
        Inputs("table_06", {}).printed(7)


def test_a_number_in_the_meaning_of_a_term_is_the_settings() -> None:
    assert PAPER.terms["α"] == "How often a test finds a gap where there is none: 0.05, two-sided."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("printed: [1]", "printd: [1]", "'printd' was unexpected"),
        ("caption: counts", "caption: count", "'count' is not one of"),
        ("table_01:", "tabel_1:", "'tabel_1'"),
        ("board_scores: HS", "board_score: HS", "'board_score' was unexpected"),
        ("{alpha}", "{aplha}", "'aplha'"),
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
        Paper.load(tmp_path, "kotawala2026", source="printed")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_panels_come_from_the_hub_where_it_has_them() -> None:
    panels = loaded_paper("hub").panels
    assert panels["oll_v1"].tasks["arc"]["path"] == "results/shown/oll_v1/arc.parquet"
    frontier = panels["frontier"].tasks["mmlu_pro"]
    assert frontier["path"] == "results/witness/ranked/frontier/mmlu_pro.parquet"


def test_public_panels_are_read_from_matrices_where_their_files_take_a_token() -> None:
    public = loaded_paper("items", "atlas")
    scores = "results/missing_item/mmlu_pro.parquet"
    for paper in (public, loaded_paper("hub")):
        assert paper.panels["mmlu_pro_top10"].tasks["mmlu_pro"]["path"] == scores
    assert public.panel_task("oll_v1", "arc").reader == "details_v1"
    assert public.panel_task("mmlu_pro_top10", "mmlu_pro").matrices == ("atlas",)
    categories = public.file("mmlu_pro_categories.csv")
    assert categories in public.displayed("mmlu_pro_top10", "mmlu_pro")
    settings = {"offline": True, "folder": "d", "accept_other_score": [], "boards": True}
    register = ROOT / "data/datasets.csv"
    downloads = Downloads.planned(settings, register=register, tasks=public.hub)
    names = [downloads.datasets[path].name for path in downloads.of("mmlu_pro_top10", "mmlu_pro")]
    assert len(names) == 14
    assert all(name.startswith("atlas/mmlu_pro/") for name in names)
    assert len(downloads.of("oll_v1", "arc")) == 5
    other = loaded_paper("items", "atlas", "atlsa")
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
    found = code_sums(Path(), None, "kotawala2026.exhibits.table_06")
    assert "src/kotawala2026/exhibits/table_06.py" in found
    assert "src/llm_power/_statistics/mcnemar.py" in found
    assert "src/llm_power/_report/figures.py" not in found
    assert not any(name.endswith("__init__.py") for name in found)
    of_script = code_sums(Path(), Path("workflow/scripts/stage.py"), "llm_power._board.clusters")
    assert "src/llm_power/_board/clusters.py" in of_script
    # What every script does around its one call.
    around = {f"src/replication/{name}.py" for name in ("job", "records", "stages")}
    assert around <= {*of_script}


@pytest.mark.parametrize(
    ("module", "read"),
    [
        ("llm_power_audit.register", "llm_power_audit/register.schema.yaml"),
        ("llm_power_audit.report", "llm_power/_report/page.css"),
        ("llm_power._report.figures", "llm_power/_report/style.mplstyle"),
        ("llm_power._scores.readers", "llm_power/_scores/helm.py"),
    ],
)
def test_sources_are_the_files_of_packages_that_modules_read_too(module: str, read: str) -> None:
    assert str(ROOT / "src" / read) in code_sums(ROOT, None, module)
    assert str(ROOT / "src" / read) not in code_sums(ROOT, None, "llm_power._errors")


def test_quantities_are_evaluated_on_every_table_of_the_folder() -> None:
    names = {str(Path(path).relative_to(PAPER.folder)) for path in PAPER.data()}
    assert {"claims.yaml", "settings.yaml", "board_scores.csv", "printed/table_09.csv"} <= names
    assert "mmlu_pro_categories.csv" in names


def test_results_that_claims_name_are_audited_with_their_descriptions(tmp_path: Path) -> None:
    claims = tmp_path / "claims.yaml"
    claims.write_text("- {result: tables/t.csv}\n- {result: audit/evidence.csv}\n")
    made = ["results/tables/t.csv-metadata.json", "results/tables/u.csv-metadata.json"]
    picture = "figures/f.png"
    found = audited_files(str(claims), [*made, picture, "figures/f.svg"])
    assert found == [picture, "results/tables/t.csv", made[0]]
    assert audited_files(str(claims), made, {"results/tables/t.csv"}) == [made[0]]


def test_an_audit_waits_for_the_files_that_its_page_links(tmp_path: Path) -> None:
    claims = tmp_path / "claims.yaml"
    claims.write_text("exhibits:\n  table_02: {file: tables/t.md}\n  table_03: {file: out.md}\n")
    assert audited_files(str(claims), ["results/tables/t.md"]) == ["results/tables/t.md"]


def of_boards(run: Run) -> list[str]:
    return [line for line in run.left_out() if not line.startswith("The sample")]


def test_the_sample_is_left_out_in_one_line_where_a_file_of_it_is_missing(tmp_path: Path) -> None:
    run = Run(PAPER, boards(tmp_path), "printed", PAPER.point)
    with pytest.raises(BoardNotThere, match="The sample of real items is left out"):
        run.sample()
    files = [tmp_path / name for listed in PAPER.sample.values() for name in listed]
    assert len(files) == 5
    for path in files[1:]:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (line,) = run.left_out()
    assert "DATA_ROOT/olv1_items" in line
    assert "LLM_POWER_DATA" in line
    assert run.absent() == {SAMPLE_EVIDENCE}
    assert run.not_audited() == ["sample/evidence.csv"]
    files[0].touch()
    assert run.left_out() == []
    assert run.absent() == set()
    assert run.sample() == [str(path) for path in files]


def test_what_is_made_from_a_file_that_is_not_there_is_left_out_in_one_line(
    tmp_path: Path,
) -> None:
    plan = ExhibitPlan("table_13", data_root=["board"])
    paper = replace(
        PAPER,
        exhibits={"table_06": PAPER.exhibits["table_06"], "table_13": plan},
        data_files={"board": DataFile("far/board.csv", "ask Nobody for DATA_ROOT/far/board.csv")},
    )
    run = Run(paper, boards(tmp_path), "printed", PAPER.point)
    file = tmp_path / "far/board.csv"
    with pytest.raises(BoardNotThere, match="board.csv is not there. Remedy: ask Nobody for"):
        run.data_file("board")
    (line,) = (line for line in run.left_out() if "far/board.csv" in line)
    assert line.startswith("Table 13: left out, for far/board.csv is not there. To include")
    assert "ask Nobody for DATA_ROOT/far/board.csv, and set data_root" in line
    made = {*plan.outputs().values()}
    assert not made & {*run.exhibit_files("table")}
    assert made <= run.absent()
    assert "table_13" not in run.exhibits_there()
    file.parent.mkdir()
    file.touch()
    assert run.data_file("board") == str(file)
    assert made <= {*run.exhibit_files("table")}
    assert run.exhibit_files("figure") == []
    assert not made & run.absent()
    assert "table_13" in run.exhibits_there()
    with pytest.raises(DocumentError, match="made from other, and files_of_data_root"):
        run.data_file("other")


def test_a_comparison_needs_its_board_and_the_papers_point(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").touch()
    mine = Board("Mine", {"exam": {"path": "mine.csv"}}, families=("all", "adjacent"))
    with_board = boards(tmp_path, mmlu_pro_authors=mine)
    (plan,) = Run(PAPER, with_board, "printed", PAPER.point).comparisons_there()
    assert "results/boards/mmlu_pro_comparison.md" in plan.outputs().values()
    assert of_boards(Run(PAPER, with_board, "printed", PAPER.point)) == []
    other = Run(PAPER, with_board, "printed", {"alpha": 0.2, "power": 0.8})
    assert other.comparisons_there() == []
    (line,) = of_boards(other)
    assert line.startswith("mmlu_pro_comparison is left out")
    assert Run(PAPER, boards(), "printed", PAPER.point).comparisons_there() == []


def test_results_of_another_paper_are_not_replaced(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    refuse_results_of_another("toy", tmp_path)
    manifest.write_text('{"config": {"paper": "kotawala2026"}}')
    refuse_results_of_another("kotawala2026", tmp_path)
    with pytest.raises(ResultsOfAnother, match=r"of the paper kotawala2026, .*Remedy: .*PAPER=toy"):
        refuse_results_of_another("toy", tmp_path)
    manifest.write_text("{")
    refuse_results_of_another("toy", tmp_path)


@pytest.fixture
def several(tmp_path: Path) -> Path:
    for name in ("heron", "kite", "wren"):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        (folder / "paper.yaml").write_text(f"title: On {name}s\n")
    (tmp_path / "data/recorded").mkdir()
    return tmp_path


def test_the_papers_are_the_folders_of_data_that_describe_one(several: Path) -> None:
    folders = {"kite": "", "heron": "papers/heron/", "wren": "papers/wren/"}
    assert folders_of(several, "kite") == folders


def test_the_page_of_a_paper_leads_to_those_of_the_others(several: Path) -> None:
    folders = folders_of(several, "kite")
    kite, wren = (
        Run(replace(PAPER, name=name, root=several), boards(), "printed", {}, folders)
        for name in ("kite", "wren")
    )
    assert (kite.folder, wren.folder) == ("", "papers/wren/")
    assert kite.pages_beside() == {
        "On herons": "../papers/heron/results/index.html",
        "On wrens": "../papers/wren/results/index.html",
    }
    assert wren.pages_beside()["On kites"] == "../../../results/index.html"
    assert wren.pages_beside()["On herons"] == "../../heron/results/index.html"


def test_a_job_of_any_paper_is_named_by_what_it_is_part_of() -> None:
    runs = {
        prefix: Run(PAPER, boards(), "printed", PAPER.point) for prefix in ("", "kite_", "kite_2_")
    }
    assert unit_of(runs, "table_03", {}) == "Table 3"
    assert unit_of(runs, "kite_table_03", {}) == "kite: Table 3"
    assert unit_of(runs, "kite_2_figure_07", {}) == "kite_2: Figure 7"
    assert unit_of(runs, "discordance", {"panel": "oll_v1"}) == "Board oll_v1"
    assert unit_of(runs, "kite_manifest", {}) is None


def test_what_is_absent_is_said_once() -> None:
    assert not_yet_shown(["no kite", "no wren", "no kite"]) == ["no kite", "no wren"]
    assert not_yet_shown(["no wren", "no heron"]) == ["no heron"]
