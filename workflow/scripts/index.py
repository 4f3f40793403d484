"""Write the page from which everything that the run made is found."""

import json
from pathlib import Path

from replication.index_page import render_index
from replication.job import logged, snakemake

with logged(despite=True):
    manifest = json.loads(Path(snakemake.input.manifest[0]).read_bytes())
    place, params = Path(snakemake.output[0]), snakemake.params
    page = render_index(manifest, place.parent, params.beside, params.papers)
    place.write_text(page, encoding="utf-8")
