# The paper's tables and figures, each a named target, as paper.yaml says what they are made from.

# A simulation has as many jobs as parts, each with some of its chunks, gathered by name where they
# are read. The same rows and values as in one piece.
if PAPER.simulations:

    rule simulation_part:
        """Appendix B: one part of a simulation (Figure 6)"""
        output:
            "results/simulations/{simulation}/part-{part}.parquet",
        log:
            "logs/simulations/{simulation}-{part}.log",
        benchmark:
            "benchmarks/workflow/simulation_part/{simulation}.{part}.tsv"
        params:
            module=PAPER.simulator,
            settings=PAPER.settings,
            numbers=lambda wildcards: PAPER.simulations[wildcards.simulation].numbers(
                config
            ),
            parts=lambda wildcards: PAPER.simulations[wildcards.simulation].parts,
        script:
            "../scripts/simulation_part.py"


for exhibit in [*PAPER.exhibits.values(), *RUN.comparisons()]:

    rule:
        f"""{PAPER.summary(exhibit)}; from {RUN.rests_on(exhibit).replace("witness", "scores fitted to printed numbers")}"""
        name:
            exhibit.name
        input:
            **PAPER.inputs(exhibit),
            **{
                f"data_root/{name}": lambda wildcards, name=name: refused(
                    RUN.data_file, name
                )
                for name in exhibit.data_root
            },
        output:
            **exhibit_outputs(exhibit),
        log:
            f"logs/{exhibit.name}.log",
        benchmark:
            f"benchmarks/workflow/{exhibit.name}.tsv"
        params:
            module=PAPER.module(exhibit),
            settings=PAPER.settings,
            numbers=exhibit.numbers(config),
            titles={panel: BOARDS.of_panel(panel).title for panel in exhibit.panels},
        script:
            "../scripts/exhibit.py"


for kind in dict.fromkeys(plan.kind for plan in PAPER.exhibits.values()):

    rule:
        f"""Every {kind} of the paper"""
        name:
            f"{kind}s"
        input:
            warning_of(RUN.exhibits_left_out(), RUN.exhibit_files(kind)),
        localrule: True
