# The paper's exhibits that its printed counts or a simulation decide, each a named target.


rule prose_required_n:
    input:
        counts=published(6),
        printed=printed_numbers("oll_v1"),
        settings=PAPER.file("settings.yaml"),
        code=package_sources("kotawala2026.exhibits.prose_required_n_bootstrap"),
    output:
        "results/prose/required_n_bootstrap.csv",
    log:
        "logs/prose/required_n.log",
    benchmark:
        "benchmarks/workflow/prose_required_n.tsv"
    params:
        seed=config["seed"],
        n_resamples_large=config["simulation"]["crossing_trials"],
    script:
        "../scripts/prose_required_n.py"


rule prose_theory:
    input:
        printed=printed_numbers("general"),
        settings=PAPER.file("settings.yaml"),
        code=package_sources(
            "kotawala2026.exhibits.prose_lemma",
            "kotawala2026.exhibits.prose_e_process",
        ),
    output:
        lemma="results/prose/lemma.csv",
        e_process="results/prose/e_process.csv",
    log:
        "logs/prose/theory.log",
    benchmark:
        "benchmarks/workflow/prose_theory.tsv"
    params:
        seed=config["seed"],
        n_trials_large=config["simulation"]["stopping_trials"],
    script:
        "../scripts/prose_theory.py"
