# Every claim of the paper's register, judged by what the other rules made.


rule audit_evidence:
    input:
        tables=[published(number) for number in TABLES],
        settings=PAPER.file("settings.yaml"),
        code=package_sources("kotawala2026.evidence.printed"),
    output:
        "results/audit/evidence.csv",
    log:
        "logs/audit_evidence.log",
    benchmark:
        "benchmarks/workflow/audit_evidence.tsv"
    script:
        "../scripts/audit_evidence.py"


rule audit:
    input:
        register=CLAIMS,
        evidence=rules.audit_evidence.output,
        results=audited_files(CLAIMS, made_by(*exhibit_rules())),
        code=package_sources(
            "llm_power.claims.evaluate",
            "llm_power.claims.report",
            "llm_power.claims.tables",
        ),
        templates=sources.package_data(ROOT, "llm_power.claims"),
    output:
        csv=report(
            "results/audit/claims.csv",
            caption="../report/audit.rst",
            category="Claims audit",
            labels={"exhibit": "every claim"},
        ),
        md="results/audit/claims.md",
        html=report(
            "results/audit/report.html",
            caption="../report/audit.rst",
            category="Claims audit",
            labels={"exhibit": "report"},
        ),
    log:
        "logs/audit.log",
    benchmark:
        "benchmarks/workflow/audit.tsv"
    params:
        made_by=makers(),
        rule_files=rule_files(),
    script:
        "../scripts/audit.py"
