"""Judge every claim of the register by the results of the run."""

import os
from pathlib import Path

from llm_power_audit._exhibits import small_pictures
from llm_power_audit.audit_files import result_links, write_claims
from llm_power_audit.corrections import corrections_json
from llm_power_audit.evaluate import audit
from llm_power_audit.misprints import Detection
from llm_power_audit.register import load_register, with_item_checks
from llm_power_audit.report import render_report
from replication.job import logged, snakemake

with logged(despite=True):
    page = Path(snakemake.output.html)
    results = page.parents[1]
    items = [os.path.relpath(path, results) for path in snakemake.input.item_findings]
    register = load_register(Path(snakemake.input.register))
    # An optional result may be there from an earlier run.
    register = register.without(register.optional & {*snakemake.params.absent})
    judged = audit(
        with_item_checks(register, results, items),
        results,
        rule_of=snakemake.params.made_by,
    )
    corrections = Path(snakemake.output.corrections)
    places = snakemake.params.rule_files | {
        corrections.name: corrections,
        "index.html": results / "index.html",
    }
    links = {name: os.path.relpath(place, page.parent) for name, place in places.items()}
    links |= result_links(judged, results, page.parent)
    write_claims(judged, Path(snakemake.output.csv), Path(snakemake.output.md))
    corrections.write_text(corrections_json(judged), encoding="utf-8")
    pictures = small_pictures(register.exhibits, results)
    tried = Detection.of(*map(Path, snakemake.input.misprints))
    report = render_report(judged, links=links, pictures=pictures, detection=tried)
    page.write_text(report, encoding="utf-8")
