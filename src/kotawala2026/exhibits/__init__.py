"""The paper's exhibits, recomputed beside the printed cells.

Each exhibit has a module, whose ``make(inputs)`` the workflow calls. One function computes a frame
at full precision from printed numbers or from the stages of a board. Another turns the frame into a
`llm_power.report.tables.Table`, or draws it. A board may be raw scores or a witness: the provenance
is an argument. Where the recomputation does not agree with a printed number, both stay in the frame
and the column ``NAME_agrees`` is false.
"""
