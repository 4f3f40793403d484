# Every claim of the paper's register, judged by what the other rules made.

AUDITED = {name: getattr(rules, name).rule for name in RUN.audited_rules()}
JUDGED_BY = audited_files(CLAIMS, PAPER.results(), RUN.absent())


rule audit:
    f"""Audit of {PAPER.citation}: every claim, judged by the other results"""
    input:
        warning_of(RUN.exhibits_left_out() + RUN.sample_left_out(), []),
        register=CLAIMS,
        printed=PRINTED,
        evidence=rules.findings_printed.output.evidence,
        results=JUDGED_BY,
        # What the items of the panels give, where these are no witnesses.
        item_findings=RUN.item_findings(),
        misprints=PAPER.misprints(),
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
        absent=RUN.not_audited(),
        made_by={
            os.path.relpath(path, RUN.results): rule.name
            for rule in AUDITED.values()
            for path in rule.output
        },
        rule_files={
            rule.name: os.path.relpath(rule.snakefile) for rule in AUDITED.values()
        },
    script:
        "../scripts/audit_claims.py"


rule mutation:
    f"""Audit of {PAPER.citation}: share of altered printed numbers that it detects"""
    input:
        register=CLAIMS,
        printed=PRINTED,
        evidence=rules.findings_printed.output.evidence,
        results=JUDGED_BY,
    output:
        csv="results/audit/mutation.csv",
        md="results/audit/mutation.md",
    log:
        "logs/mutation.log",
    benchmark:
        "benchmarks/workflow/mutation.tsv"
    params:
        absent=RUN.not_audited(),
    script:
        "../scripts/mutation.py"
