# What was made, from what, with what.

MANIFESTED = {
    name: getattr(rules, name).rule
    for name in [
        *RUN.exhibits_there(),
        *(plan.name for plan in RUN.comparisons_there()),
    ]
}


if BOARDS.boards:

    rule boards:
        """Every board whose files are there"""
        input:
            warning_of(RUN.boards_left_out(), RUN.board_results()),
        localrule: True


rule manifest:
    f"""Manifest of {PAPER.citation}: files made, their inputs and versions"""
    input:
        exhibits=[rule.output for rule in MANIFESTED.values()],
        boards=warning_of(RUN.left_out(), RUN.board_results()),
        scores=[BOARDS.scores(board) for board in RUN.boards_there()],
        item_findings=RUN.item_findings(),
    output:
        "results/manifest.json",
    log:
        "logs/manifest.log",
    params:
        jobs={name: rule.name for name, rule in MANIFESTED.items()},
        benchmarks={name: str(rule.benchmark) for name, rule in MANIFESTED.items()},
        boards={
            board: {
                "title": BOARDS[board].title,
                "outputs": [RUN.folder + path for path in BOARDS.results(board)],
                "scores": [RUN.folder + path for path in BOARDS.scores(board)],
            }
            for board in RUN.boards_there()
        },
        titles={
            **{name: prose.title for name, prose in PAPER.prose.items()},
            **{plan.name: plan.title for plan in RUN.comparisons_there()},
        },
        left_out=RUN.left_out(),
        prose={name: prose.sources for name, prose in PAPER.prose.items()},
        scores=[
            RUN.folder + path
            for board in BOARDS.boards
            for path in BOARDS.scores(board)
        ],
        paper={
            "title": PAPER.title,
            "citation": PAPER.citation,
            "terms": PAPER.terms,
        },
        config=RUN.settings(config),
    script:
        "../scripts/manifest.py"


rule index:
    f"""Index page of {PAPER.citation}"""
    input:
        manifest=rules.manifest.output,
        exhibits=[rule.output for rule in MANIFESTED.values()],
        boards=RUN.board_results(),
        audit=[rules.audit.output, rules.mutation.output],
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
        beside=[RUN.folder + path for path in CRATE],
        papers=RUN.pages_beside(),
    script:
        "../scripts/index.py"


# The folder of the paper's results is the crate, with its description at the top.
rule crate:
    f"""RO-Crate and CodeMeta descriptions of {PAPER.citation}"""
    input:
        manifest=rules.manifest.output,
        pages=[rules.audit.output, rules.mutation.output, rules.index.output],
        settings=settings_file(),
    output:
        crate="ro-crate-metadata.json",
        codemeta="codemeta.json",
    log:
        "logs/crate.log",
    params:
        workflow=os.path.relpath(workflow.main_snakefile),
    script:
        "../scripts/crate.py"
