# What a paper prints, evaluated by its quantities.


rule findings_printed:
    f"""Audit of {PAPER.citation}: numbers of the text that follow from printed ones"""
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
