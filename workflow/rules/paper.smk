# One paper: the Snakefile includes it for that of config.yaml, and uses it as a module for others.


container: "docker://python:3.11.7-slim-bookworm"


include: "common.smk"


if BOARDS.boards:

    include: "hub.smk"
    include: "boards.smk"
    include: "streamed.smk"


include: "exhibits.smk"
include: "findings.smk"


if os.path.isfile(PAPER.rules):

    include: f"{PAPER.name}.smk"


include: "audit.smk"
include: "manifest.smk"


rule paper:
    f"""All results of {PAPER.citation}, with the index page"""
    input:
        rules.index.output,
        rules.crate.output,
    localrule: True
