# What a paper prints, evaluated by its quantities.


rule findings_printed:
    """What follows from the printed numbers and stands in no table"""
    input:
        printed=PAPER.data(),
    output:
        findings="results/findings/printed.csv",
        evidence="results/audit/evidence.csv",
    log:
        "logs/findings/printed.log",
    benchmark:
        "benchmarks/workflow/findings_printed.tsv"
    params:
        module=PAPER.quantities,
    script:
        "../scripts/findings_printed.py"
