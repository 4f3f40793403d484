# The paper's tables and figures, each a named target, as paper.yaml says what they are made from.


def exhibit_outputs(exhibit):
    """Return the outputs of an exhibit's rule; one of them goes into the report."""
    outputs = exhibit.outputs()
    if exhibit.caption:
        outputs[exhibit.shown] = report(
            outputs[exhibit.shown],
            caption=f"../report/{exhibit.caption}.rst",
            category=f"{exhibit.kind.capitalize()}s of the paper",
            labels=partial(exhibit_labels, exhibit),
        )
    return outputs


for exhibit in [*PAPER.exhibits.values(), *RUN.comparisons()]:

    rule:
        name:
            exhibit.name
        input:
            **PAPER.inputs(exhibit, BOARDS),
            code=package_sources(
                PAPER.module(exhibit),
                "replication.drawings" if exhibit.drawing else "replication.exhibits",
            ),
        output:
            **exhibit_outputs(exhibit),
        log:
            f"logs/{exhibit.stem}.log",
        benchmark:
            f"benchmarks/workflow/{exhibit.stem}.tsv"
        params:
            module=PAPER.module(exhibit),
            settings=PAPER.settings,
            numbers=exhibit.numbers(config),
            titles={panel: BOARDS.of_panel(panel).title for panel in exhibit.panels},
        script:
            "../scripts/exhibit.py"
