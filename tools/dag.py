"""Draw the stages behind the tables and figures of the paper.

    python tools/dag.py FILE.svg [SNAKEMAKE-OPTION ...]

It is Snakemake's rulegraph of `tables figures`, from left to right, without the arrows that others
imply.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

SNAKEMAKE = str(Path(sys.executable).with_name("snakemake"))
TARGETS: Final = ("tables", "figures")
EXHIBIT: Final = re.compile(r"(table|figure)_\d\d")
_NODE: Final = re.compile(r'(\d+)\[label = "(\w+)')
_EDGE: Final = re.compile(r"(\d+) -> (\d+)")

# The rules that each rule takes files of.
Graph = Mapping[str, set[str]]


def rule_graph(options: Sequence[str]) -> Graph:
    """Return what Snakemake says of the rules behind the targets."""
    command = [SNAKEMAKE, *TARGETS, *options, "--forceall", "--rulegraph", "dot"]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    names = dict(_NODE.findall(said))
    graph: dict[str, set[str]] = {name: set() for name in names.values()}
    for before, after in _EDGE.findall(said):
        graph[names[after]].add(names[before])
    return graph


def behind(graph: Graph, rule: str) -> set[str]:
    """Return every rule that a rule waits for."""
    return graph[rule] | {far for near in graph[rule] for far in behind(graph, near)}


def reduced(graph: Graph) -> Graph:
    """Leave out each arrow that a longer way implies."""
    return {
        rule: near - {far for one in near for far in behind(graph, one)}
        for rule, near in graph.items()
    }


def places(graph: Graph) -> dict[str, tuple[float, float]]:
    """Return where each rule stands: right of what it takes, at the height of what takes it."""
    stages = [rule for rule in graph if not EXHIBIT.fullmatch(rule) and rule not in TARGETS]
    column = {rule: _depth(graph, rule) for rule in stages}
    last = max(column.values()) + 1.0
    exhibits = sorted(graph.keys() - {*stages, *TARGETS}, key=lambda rule: (not graph[rule], rule))
    found = {rule: (last, -float(row)) for row, rule in enumerate(exhibits)}
    for target in TARGETS:
        heights = [found[rule][1] for rule in graph[target]]
        found[target] = (last + 1, sum(heights) / len(heights))
    for x in sorted({*column.values()}, reverse=True):
        wanted = {
            rule: [found[after][1] for after in found if rule in graph[after]]
            for rule, at in column.items()
            if at == x
        }
        below = 1.0
        for rule in sorted(wanted, key=lambda rule: -sum(wanted[rule]) / len(wanted[rule])):
            below = min(sum(wanted[rule]) / len(wanted[rule]), below - 1)
            found[rule] = (float(x), below)
    # A stage stands between what it takes and what takes it, out of the way of other arrows.
    for rule in stages:
        if graph[rule] and [*column.values()].count(column[rule]) == 1:
            heights = [found[before][1] for before in graph[rule]]
            found[rule] = (found[rule][0], (found[rule][1] + sum(heights) / len(heights)) / 2)
    return found


def _depth(graph: Graph, rule: str) -> int:
    return max((1 + _depth(graph, before) for before in graph[rule]), default=0)


def draw(graph: Graph, file: str) -> None:
    """Draw the rules and their arrows; the same graph gives the same bytes."""
    mpl.rcParams |= {"svg.hashsalt": "llm-power", "svg.fonttype": "none", "font.size": 9}
    at = places(graph)
    figure = Figure((11.5, 6.5), layout="constrained")
    axes = figure.subplots()
    axes.axis("off")
    axes.set_xlim(-0.4, max(x for x, _ in at.values()) + 0.5)
    axes.set_ylim(min(y for _, y in at.values()) - 1, 1)
    boxes = {}
    for rule, (x, y) in at.items():
        color = "#d9e8f5" if rule not in TARGETS and not EXHIBIT.fullmatch(rule) else "#f3efe2"
        box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": "0.5"}
        boxes[rule] = axes.text(x, y, rule, ha="center", va="center", bbox=box).get_bbox_patch()
    for rule, before in graph.items():
        for other in sorted(before):
            arrow = {
                "arrowstyle": "-|>",
                "color": "0.8" if rule in TARGETS else "0.45",
                "linewidth": 0.8,
                "patchA": boxes[other],
                "patchB": boxes[rule],
            }
            axes.annotate("", at[rule], at[other], arrowprops=arrow)
    figure.savefig(file, metadata={"Date": None} if file.endswith(".svg") else None)


def main(arguments: Sequence[str]) -> int:
    """Say how many arrows Snakemake has, and how many are drawn."""
    file, *options = arguments
    graph = rule_graph(options)
    drawn = reduced(graph)
    draw(drawn, file)
    counts = [sum(map(len, one.values())) for one in (graph, drawn)]
    print(f"{file}: {len(graph)} rules, {counts[0]} arrows, of which {counts[1]} are drawn.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
