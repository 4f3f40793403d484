# What was made, from what, with what.


MANIFESTED = [*PAPER.exhibit_rules, *(plan.name for plan in RUN.comparisons_there())]


rule manifest:
    input:
        exhibits=[getattr(rules, name).output for name in MANIFESTED],
        boards=[BOARDS.results(board) for board in RUN.boards_there()],
        code=package_sources(
            "replication.manifest", "llm_power.report.score_provenance"
        ),
    output:
        "results/manifest.json",
    log:
        "logs/manifest.log",
    params:
        benchmarks={name: str(getattr(rules, name).benchmark) for name in MANIFESTED},
        boards={
            board: {
                "title": BOARDS[board].title,
                "outputs": BOARDS.results(board),
                "scores": BOARDS.scores(board),
            }
            for board in RUN.boards_there()
        },
        left_out=RUN.left_out(),
        prose={name: prose.sources for name, prose in PAPER.prose.items()},
        paper={"title": PAPER.title, "citation": PAPER.citation},
        config=config,
    script:
        "../scripts/manifest.py"
