# The paper's tables and figures, each a named target, as paper.yaml says what they are made from.

STYLE = str(ROOT / "src/llm_power/report/style.mplstyle")


# A simulation has as many jobs as parts, each with some of its chunks, gathered by name where they
# are read. The same rows and values as in one piece.
rule simulation_part:
    output:
        "results/simulations/{simulation}/part-{part}.parquet",
    log:
        "logs/simulations/{simulation}-{part}.log",
    benchmark:
        "benchmarks/workflow/simulation_part/{simulation}.{part}.tsv"
    params:
        code=lambda wildcards: package_sums(
            PAPER.simulation(wildcards.simulation), "replication.simulations"
        ),
        module=lambda wildcards: PAPER.simulation(wildcards.simulation),
        settings=PAPER.settings,
        numbers=lambda wildcards: PAPER.simulations[wildcards.simulation].numbers(
            config
        ),
        parts=lambda wildcards: PAPER.simulations[wildcards.simulation].parts,
    script:
        "../scripts/simulation_part.py"


for exhibit in [*PAPER.exhibits.values(), *RUN.comparisons()]:

    rule:
        name:
            exhibit.name
        input:
            **PAPER.inputs(exhibit, BOARDS),
            style=STYLE if exhibit.drawing else [],
        output:
            **exhibit_outputs(exhibit),
        log:
            f"logs/{exhibit.name}.log",
        benchmark:
            f"benchmarks/workflow/{exhibit.name}.tsv"
        params:
            code=package_sums(
                PAPER.module(exhibit),
                "replication.drawings" if exhibit.drawing else "replication.exhibits",
            ),
            module=PAPER.module(exhibit),
            settings=PAPER.settings,
            numbers=exhibit.numbers(config),
            titles={panel: BOARDS.of_panel(panel).title for panel in exhibit.panels},
        script:
            "../scripts/exhibit.py"
