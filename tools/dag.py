"""Draw Snakemake's rulegraph of `tables figures`, without the arrows that others imply.

python tools/dag.py FILE.svg [SNAKEMAKE-OPTION ...]
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

SNAKEMAKE = str(Path(sys.executable).with_name("snakemake"))
TARGETS: Final = ("tables", "figures")
# The rules that each rule takes files of.
Graph = Mapping[str, set[str]]


def rule_graph(options: Sequence[str]) -> Graph:
    """Return what Snakemake says of the rules behind the targets."""
    command = [SNAKEMAKE, *TARGETS, *options, "--forceall", "--rulegraph", "dot"]
    dot = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    names = dict(re.findall(r'(\d+)\[label = "(\w+)', dot))
    edges = [(names[a], names[b]) for a, b in re.findall(r"(\d+) -> (\d+)", dot)]
    return {rule: {a for a, b in edges if b == rule} for rule in names.values()}


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
    """Return the place of each rule: right of what it takes, at the height of what takes it."""
    exhibits = sorted(
        (r for r in graph if re.search(r"_\d\d$", r)), key=lambda r: (not graph[r], r)
    )
    column = {rule: _depth(graph, rule) for rule in graph.keys() - {*exhibits, *TARGETS}}
    last = max(column.values()) + 1.0
    at = {rule: (last, -float(row)) for row, rule in enumerate(exhibits)}
    at |= {one: (last + 1, mean(at[rule][1] for rule in graph[one])) for one in TARGETS}
    for x in range(int(last) - 1, -1, -1):
        wanted = {
            rule: mean(at[after][1] for after in at if rule in graph[after])
            for rule in sorted(column)
            if column[rule] == x
        }
        if len(wanted) == 1 and x > 2:
            # Out of the way of the arrows that pass it.
            wanted = {rule: height + 1 for rule, height in wanted.items()}
        below = 1.0
        for rule in sorted(wanted, key=lambda rule: -wanted[rule]):
            below = min(wanted[rule], below - 1)
            at[rule] = (float(x), below)
    return at


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
        color = "#f3efe2" if re.match(r"(table|figure)(_|s$)", rule) else "#d9e8f5"
        box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": "0.5"}
        boxes[rule] = axes.text(x, y, rule, ha="center", va="center", bbox=box).get_bbox_patch()
    for rule, before in graph.items():
        color = "0.8" if rule in TARGETS else "0.45"
        for other in sorted(before):
            ends = {"patchA": boxes[other], "patchB": boxes[rule]}
            arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 0.8} | ends
            axes.annotate("", at[rule], at[other], arrowprops=arrow)
    figure.savefig(file, metadata={"Date": None} if file.endswith(".svg") else None)


if __name__ == "__main__":
    graph = rule_graph(sys.argv[2:])
    draw(reduced(graph), sys.argv[1])
    arrows = [sum(map(len, graph.values())) for graph in (graph, reduced(graph))]
    print(f"{sys.argv[1]}: {len(graph)} rules, {arrows[0]} arrows, of which {arrows[1]} are drawn.")
