"""Table 2: exact p-value and required items of two pairs, from the counts of Table 1."""

from __future__ import annotations

from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_integer, as_p_value
from llm_power_audit.agreement import agrees
from replication.exhibits import Exhibit, Inputs
from toy.pairs import resolved_pairs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 2: what is printed beside what follows from Table 1."""
    frame = resolved_pairs(inputs.printed(1), **inputs.point)[["pair", "p_exact", "n_star"]]
    printed = inputs.printed(2)
    columns = [Column("pair", "Pair")]
    for name, header, shown in (("p_exact", "p", as_p_value), ("n_star", "N*", as_integer)):
        frame[f"{name}_printed"] = [cell.text for cell in printed[name]]
        frame[f"{name}_agrees"] = list(map(agrees, printed[name], frame[name]))
        columns.append(Column(name, header, shown, "right", printed=True))
    table = Table(
        frame=frame,
        columns=columns,
        caption="Exact p-value and required items of two pairs.",
        finding=f"{frame['n_star_agrees'].sum()} of {len(frame)} printed N* follow from Table 1.",
        provenance=[Provenance.published("Tables 1 and 2")],
    )
    return Exhibit(table)
