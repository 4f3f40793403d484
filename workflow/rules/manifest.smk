# What was made, from what, with what.


MANIFESTED = [*RUN.exhibits_there(), *(plan.name for plan in RUN.comparisons_there())]


rule manifest:
    input:
        exhibits=[getattr(rules, name).output for name in MANIFESTED],
        boards=[BOARDS.results(board) for board in RUN.boards_there()],
    output:
        "results/manifest.json",
    log:
        "logs/manifest.log",
    params:
        code=package_sums("replication.manifest", "llm_power.report.score_provenance"),
        benchmarks={name: str(getattr(rules, name).benchmark) for name in MANIFESTED},
        boards={
            board: {
                "title": BOARDS[board].title,
                "outputs": BOARDS.results(board),
                "scores": BOARDS.scores(board),
            }
            for board in RUN.boards_there()
        },
        scores=[path for board in BOARDS.boards for path in BOARDS.scores(board)],
        titles={
            **{name: prose.title for name, prose in PAPER.prose.items()},
            **{plan.name: plan.title for plan in RUN.comparisons_there()},
        },
        left_out=RUN.left_out(),
        prose={name: prose.sources for name, prose in PAPER.prose.items()},
        paper={"title": PAPER.title, "citation": PAPER.citation},
        config=config,
    script:
        "../scripts/manifest.py"


rule index:
    input:
        manifest=rules.manifest.output,
        made=[rules.manifest.input.exhibits, rules.manifest.input.boards],
        audit=[rules.audit.output, rules.mutation.output],
        templates=[
            *sources.package_data(ROOT, "replication"),
            *sources.package_data(ROOT, "llm_power.report"),
        ],
    output:
        report(
            "results/index.html",
            caption="../report/index.rst",
            category="Claims audit",
            labels={"audit": "every exhibit: picture, numbers, verdicts"},
        ),
    log:
        "logs/index.log",
    params:
        code=package_sums("replication.index_page"),
        beside=CRATE,
        papers=pages_beside(ROOT),
    script:
        "../scripts/index.py"


# The folder of the run is the crate, whose description stands at its top.
rule crate:
    input:
        manifest=rules.manifest.output,
        pages=[rules.audit.output, rules.mutation.output, rules.index.output],
        settings=CONFIG,
    output:
        crate="ro-crate-metadata.json",
        codemeta="codemeta.json",
    log:
        "logs/crate.log",
    params:
        code=package_sums("replication.crate"),
        workflow=os.path.relpath(workflow.main_snakefile),
    script:
        "../scripts/crate.py"
