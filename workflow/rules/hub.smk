# The per-item data behind the paper's panels, for those who have them.


rule hub_scores:
    input:
        file=hub_file,
        code=package_sources("scores.readers", "scores.wide"),
    output:
        "results/hub/{board}/{task}.parquet",
    log:
        "logs/hub/{board}/{task}.log",
    params:
        cluster=lambda wildcards: config["boards"][wildcards.board]["cluster"],
    script:
        "../scripts/hub_scores.py"
