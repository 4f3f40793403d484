"""The paper's exhibits that its printed numbers decide, recomputed beside the printed cells.

One module an exhibit: a pure function from published inputs to a frame at full precision,
and one that dresses the frame as a `llm_power.render.tables.Table`. A printed number that
the recomputation does not reproduce stays in the frame, with its flag down.
"""
