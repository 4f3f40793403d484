# Item scores: downloaded or placed by hand, of the paper's panels and of the user's boards.


rule download:
    """Sections 6.1, 6.2: download a file of published items, and check its sum"""
    output:
        # What is there and hashes right is not fetched again, whatever made the job run.
        update("{download}"),
    log:
        "logs/hub/{download}.log",
    localrule: True
    resources:
        downloads=1,
    params:
        dataset=lambda wildcards: asdict(BOARDS.downloads.datasets[wildcards.download]),
        lock=HUB_LOCK,
        folder=config["hub"]["folder"],
        offline=config["hub"]["offline"],
        with_token=config["source"] == "hub",
    script:
        "../scripts/download.py"


rule item_scores:
    """Sections 6.1, 6.2: real scores, each model on each item of a task (source=items or hub, and boards)"""
    input:
        files=lambda wildcards: refused(
            BOARDS.files_of, wildcards.board, wildcards.task
        ),
        known=lambda wildcards: (
            refused(PAPER.displayed, wildcards.board, wildcards.task)
            if BOARDS[wildcards.board].is_panel
            else []
        ),
    output:
        "results/scores/{board}/{task}.parquet",
    log:
        "logs/scores/{board}/{task}.log",
    benchmark:
        "benchmarks/workflow/item_scores/{board}.{task}.tsv"
    params:
        # A reader is loaded by its name.
        module="llm_power._scores.wide",
        reading=reading,
        panel=panel_task,
        paper=str(PAPER.folder),
        accepted=list(BOARDS.downloads.accepted),
        folder=config["hub"]["folder"],
        endpoint=BOARDS.downloads.access.hub,
        missing=lambda wildcards: BOARDS[wildcards.board].missing,
        only_best=lambda wildcards: BOARDS[wildcards.board].only_best,
        lock=HUB_LOCK,
    script:
        "../scripts/item_scores.py"


rule witness_scores:
    """Sections 6.1, 6.2: scores of a witness in the place of item_scores (source=printed)"""
    input:
        "results/witness/{board}/{task}.parquet",
    output:
        "results/witness/ranked/{board}/{task}.parquet",
    log:
        "logs/witness/ranked/{board}/{task}.log",
    script:
        "../scripts/witness_scores.py"
