"""What README and docs show is what their blocks print, and what they link to is there.

A page is run section by section, each in a folder of its own. `text` is what the block above it
prints: `...` is any lines, or any part of a line. A block whose first line is `# NAME` is a file.
What cannot be run here has a comment above it, `<!-- not run: why -->`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from board_examples import inspect_log
from llm_power._cli import main
from needed import ROOT, folder_of

LOGS = ROOT / "tests" / "llm_power" / "scores" / "logs"
PAGES = [ROOT / "README.md", ROOT / "config" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(
    r"^(<!-- not run: .+ -->\n)?```([^\n`]+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE
)
#: Programs of others, which are not in the environment or want a network.
ELSEWHERE = {"lm_eval", "pip", "snakedeploy"}


@dataclass
class Section:
    """A page down to its first heading of the second level, or from one to the next."""

    page: Path
    title: str
    text: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        return [(kind, text) for skip, kind, text in FENCE.findall(self.text) if not skip]

    @property
    def code(self) -> str:
        return "".join(text for kind, text in self.blocks if kind in {"sh", "python"})


def sections(page: Path) -> Iterator[Section]:
    first, *others = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    yield Section(page, "", first)
    for text in others:
        yield Section(page, text.partition("\n")[0], text)


SECTIONS = [section for page in PAGES for section in sections(page)]
#: They take seconds, most of them for pictures.
LONG = {"claims.md", "logs.md", "thousands.md", "tutorial-leaderboard.md", "walks.md"}
#: A finished run is read there.
OF_A_RUN = [section for section in SECTIONS if re.search(r"\bresults/", section.code)]


def name(section: Section) -> str:
    page = section.page.relative_to(ROOT).with_suffix("")
    return f"{page}: {section.title.partition(':')[0][:20]}"


def scores_of_birds(folder: Path) -> None:
    """Make falcon beat heron, and kite and wren solve nearly the same."""
    solved = {
        "falcon": np.arange(2_000) < 1_600,
        "heron": np.arange(2_000) < 1_200,
        "kite": np.arange(2_000) % 500 > 99,
        "wren": np.arange(2_000) % 500 > 98,
    }
    table = pd.DataFrame(solved).astype(int)
    table.insert(0, "item", [f"q{i}" for i in range(2_000)])
    table.to_csv(folder / "scores.csv", index=False)


def scores_of_the_gate(folder: Path) -> None:
    """Of 2,000 items both solve 1,419, the baseline 37 others, the candidate 25.

    Of three tasks of 400 items both solve 200; the candidate breaks and mends others.
    """
    items = np.arange(2_000)
    gained = (items >= 1_456) & (items < 1_481)
    solved = {"baseline": items < 1_456, "candidate": (items < 1_419) | gained}
    for model, of_model in solved.items():
        table = pd.DataFrame({"item": [f"q{i}" for i in items], model: of_model.astype(int)})
        table.to_csv(folder / f"{model}.csv", index=False)
    flips = {"algebra": (30, 5), "botany": (11, 12), "chess": (4, 34)}
    for start, model in ((200, "old"), (240, "new")):
        rows = [
            (task, f"q{item}", model, int(item < 200 or start <= item < start + lone[start > 200]))
            for task, lone in flips.items()
            for item in range(400)
        ]
        table = pd.DataFrame(rows, columns=["task", "item", "model", "score"])
        table.to_csv(folder / f"{model}.csv", index=False)


def logs_of_two_tools(folder: Path) -> None:
    """Logs of lm_eval and Inspect under the names of the page."""
    unlike = shutil.ignore_patterns("*spelling*", "*07-15-45*")  # a task and a rerun of one model
    shutil.copytree(LOGS / "lm_eval-0.4.13", folder / "runs", ignore=unlike)
    shutil.copytree(LOGS / "inspect_ai_four-0.3.285", folder / "logs")
    first, second, *_ = sorted((folder / "logs").glob("*.eval"))
    for made, kept in {"old": first, "new": second, "a": first, "b": second}.items():
        shutil.copy(kept, folder / f"{made}.eval")


def logs_of_four_models(folder: Path) -> None:
    shutil.copytree(LOGS / "lm_eval_four-0.4.13", folder / "lm_eval")
    shutil.copytree(LOGS / "inspect_ai_four-0.3.285", folder / "inspect")


def files_of_the_walks(folder: Path) -> None:
    """Logs of four models; runs again, reducers and grades; a workbook of another locale."""
    logs_of_four_models(folder)
    shutil.copytree(LOGS / "lm_eval-0.4.13", folder / "runs")
    shutil.copytree(LOGS / "inspect_ai-0.3.285" / "several", folder / "epochs")
    grades = [60 + 7 * k % 40 for k in range(60)]
    lower = [grade - k % 4 for k, grade in enumerate(grades)]
    inspect_log(folder / "grades" / "old.json", grades, "heron")
    inspect_log(folder / "grades" / "new.json", lower, "wren")
    shares = [(37 * k % 80, 37 * k % 80 + 11 * k % 19) for k in range(300)]
    rows = [f"f{k};{old},5%;{new},5%" for k, (old, new) in enumerate(shares)]
    rows[17] = "f17;9,5%;#NV"
    (folder / "noten.csv").write_text("\n".join(["Frage;alt;neu", *rows]), encoding="utf-16")


#: What a page takes for granted.
PREPARED: dict[str, Callable[[Path], None]] = {
    "claims.md": scores_of_birds,
    "gate.md": scores_of_the_gate,
    "logs.md": logs_of_two_tools,
    "walks.md": files_of_the_walks,
}


@dataclass
class Session:
    """Blocks are run one after another, and what the last one printed is kept."""

    capsys: pytest.CaptureFixture[str]
    names: dict[str, Any] = field(default_factory=dict)
    said: str = ""

    def block(self, kind: str, text: str) -> None:
        file = re.match(r"# (\w+\.\w+)\n", text)
        if kind == "yaml":
            yaml.safe_load(text)
        if file:
            Path(file[1]).write_text(text, encoding="utf-8")
        elif kind == "python":
            exec(compile(text, "a block", "exec"), self.names)
            self.said = self.capsys.readouterr().out
        elif kind == "sh":
            for line in text.splitlines():
                self.said = self.line(line)
        elif kind == "text":
            assert re.fullmatch(pattern(text), self.said), self.said

    def line(self, line: str) -> str:
        command, *shown_code = re.split(r"; (?=echo)", line.strip())
        program, *arguments = shlex.split(os.path.expandvars(command), comments=True)
        if Path(program).name == "llm-power":
            with pytest.raises(SystemExit) as stop:
                main(arguments)
            said = "".join(self.capsys.readouterr())
            if shown_code:
                assert shown_code == ['echo "exit code $?"']
                return f"{said}exit code {stop.value.code or 0}\n"
            assert not stop.value.code, said
            return said
        if program == "make":
            assert arguments[0] in targets_of_make()
        else:
            assert Path(program).name in {*ELSEWHERE, "snakemake"}
        return ""


def pattern(shown: str) -> str:
    """What a shortened text matches: `...` is any lines, or any part of a line."""
    lines = [
        r"(?:.*\n)*?"
        if line == "..."
        else re.sub(r"(\\ )*\\\.\\\.\\\.", ".*", re.escape(line)) + r"\n"
        for line in shown.splitlines()
    ]
    return "".join(lines)


def targets_of_make() -> set[str]:
    named = re.findall(r"^([a-z -]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    # Whatever else is asked of it is a target of Snakemake's, an exhibit for one.
    exhibits = yaml.safe_load((ROOT / "data/kotawala2026/paper.yaml").read_text())["exhibits"]
    return {target for names in named for target in names.split()} | {*exhibits}


def run(
    section: Section,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if prepare := PREPARED.get(section.page.name):
        prepare(folder)
    monkeypatch.setenv("COLUMNS", "100")
    session = Session(capsys)
    if "read_frame" in section.code:
        session.names["frame"] = pd.DataFrame({"item": ["q1", "q2"], "heron": [1, 0]})
    for kind, text in section.blocks:
        session.block(kind, text)


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(one, marks=[pytest.mark.slow] if one.page.name in LONG else [], id=name(one))
        for one in SECTIONS
        if one.code and one not in OF_A_RUN
    ],
)
def test_blocks_run_and_print_what_is_shown(
    section: Section,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "$LLM_POWER_DATA" in section.code:
        folder_of("LLM_POWER_DATA")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    run(section, tmp_path, capsys, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("section", OF_A_RUN, ids=name)
def test_blocks_on_a_run_print_what_is_shown(
    section: Section,
    whole_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for shared in ("data", "results"):
        Path(shared).symlink_to(whole_run / shared)
    run(section, tmp_path, capsys, monkeypatch)


def test_a_text_that_nothing_prints_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(capsys)
    session.block("python", "print('two')\n")
    with pytest.raises(AssertionError):
        session.block("text", "one\n")
    with pytest.raises(AssertionError):
        session.block("sh", "no-such-program\n")


def test_no_section_is_empty() -> None:
    bodies = {
        f"{section.page.name}: {section.title}": re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
        for section in filter(lambda one: one.title, SECTIONS)
        for body in [section.text.partition("\n")[2]]
    }
    assert [place for place, body in bodies.items() if not body.strip()] == []


def test_nothing_is_installed_from_an_index_that_lacks_it() -> None:
    said = [*PAGES, *(ROOT / "src" / "llm_power").rglob("*.py")]
    wrong = [
        path for path in said if re.search(r"pip install '?llm-power", path.read_text("utf-8"))
    ]
    assert wrong == []


def anchors(page: Path) -> set[str]:
    """What the headings of a page, and of files that it includes, are linked by."""
    text = page.read_text(encoding="utf-8")
    for file in re.findall(r"^```{include} (.+)$", text, re.MULTILINE):
        text += (page.parent / file).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    wrong = []
    for target, anchor in links:
        # The site writes pages of its own for modules.
        if "://" in target or target.startswith("api/"):
            continue
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            wrong.append(f"{target}#{anchor}")
    assert wrong == []
