"""The paper's exhibits, recomputed beside the printed cells.

One module an exhibit: a pure function from published numbers, or from the stages of a board,
to a frame at full precision, and one that dresses the frame as a
`llm_power.report.tables.Table` or draws it. A board may be raw scores or a witness: its
provenance is an argument. The modules ``prose*`` do the same for numbers that stand in the
paper's text only. A printed number that the recomputation does not reproduce stays in the
frame, with its flag down.
"""
