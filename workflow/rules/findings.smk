# What a paper prints, evaluated by its quantities, and the witnesses of its panels against it.


rule findings_printed:
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
        code=package_sums(PAPER.quantities, "replication.views"),
        module=PAPER.quantities,
    script:
        "../scripts/findings_printed.py"


rule witness_report:
    input:
        roles=collect("results/witness/{panel}/roles.csv", panel=WITNESSES),
        infeasible=collect("results/witness/{panel}/infeasible.csv", panel=WITNESSES),
    output:
        roles="results/witness/roles.csv",
        infeasible="results/witness/infeasible.csv",
    log:
        "logs/witness/report.log",
    params:
        code=package_sums(),
    script:
        "../scripts/witness_report.py"
