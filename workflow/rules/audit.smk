# Every claim of the paper's register, judged by what the other rules made.


rule audit:
    input:
        register=CLAIMS,
        printed=PRINTED,
        evidence=rules.findings_printed.output.evidence,
        results=audited_files(CLAIMS, made_by(PAPER.exhibit_rules), RUN.absent()),
        # What the items of the panels give, where these are no witnesses.
        item_findings=RUN.item_findings(),
        templates=[
            *sources.package_data(ROOT, "llm_power.claims"),
            *sources.package_data(ROOT, "llm_power.report"),
        ],
    output:
        csv=report(
            "results/audit/claims.csv",
            caption="../report/audit.rst",
            category="Claims audit",
            labels={"audit": "every claim, as a table of data"},
        ),
        md="results/audit/claims.md",
        corrections="results/audit/corrections.json",
        html=report(
            "results/audit/report.html",
            caption="../report/audit.rst",
            category="Claims audit",
            labels={"audit": "the report"},
        ),
    log:
        "logs/audit.log",
    benchmark:
        "benchmarks/workflow/audit.tsv"
    params:
        code=package_sums(
            "replication.item_checks",
            "llm_power.claims.corrections",
            "llm_power.claims.evaluate",
            "llm_power.claims.register",
            "llm_power.claims.report",
            "llm_power.claims.pictures",
            "llm_power.claims.tables",
        ),
        made_by={
            path.removeprefix("results/"): name
            for path, name in made_by(RUN.audited_rules()).items()
        },
        rule_files={
            name: os.path.relpath(getattr(rules, name).rule.snakefile)
            for name in RUN.audited_rules()
        },
    script:
        "../scripts/audit.py"


# Which misprints of the register the same results would contradict.


rule mutation:
    input:
        register=CLAIMS,
        printed=PRINTED,
        evidence=rules.findings_printed.output.evidence,
        results=rules.audit.input.results,
    output:
        csv="results/audit/mutation.csv",
        md="results/audit/mutation.md",
    log:
        "logs/mutation.log",
    benchmark:
        "benchmarks/workflow/mutation.tsv"
    params:
        code=package_sums("llm_power.claims.mutation", "llm_power.claims.register"),
    script:
        "../scripts/mutation.py"
