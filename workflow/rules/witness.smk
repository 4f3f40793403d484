# Score matrices that agree with the printed numbers, for the panels whose items are not shipped.


def witness_scores(board):
    tasks = config["boards"][board]["tasks"]
    return collect("results/witness/{board}/{task}.parquet", board=board, task=tasks)


def printed_numbers():
    """Return the files that the register of roles points at, and the register."""
    tables = collect("data/published/table_{number:02d}.csv", number=range(1, 12))
    return [
        "data/published/constraints.yaml",
        "data/published/board_scores.csv",
        *tables,
    ]


rule witness_oll_v1:
    input:
        printed=printed_numbers(),
        code=package_sources("witness.oll_v1", "witness.roles", "witness.infeasible"),
    output:
        scores=witness_scores("oll_v1"),
        roles="results/witness/oll_v1/roles.csv",
        infeasible="results/witness/oll_v1/infeasible.csv",
    log:
        "logs/witness/oll_v1.log",
    benchmark:
        "benchmarks/workflow/witness_oll_v1.tsv"
    params:
        seed=config["seed"],
    script:
        "../scripts/witness_oll_v1.py"


rule witness_mmlu_pro:
    input:
        printed=printed_numbers(),
        categories="data/published/mmlu_pro_categories.csv",
        code=package_sources("witness.mmlu_pro", "witness.mmlu_pro_values"),
    output:
        scores=witness_scores("mmlu_pro_top10"),
        roles="results/witness/mmlu_pro_top10/roles.csv",
        infeasible="results/witness/mmlu_pro_top10/infeasible.csv",
    log:
        "logs/witness/mmlu_pro_top10.log",
    benchmark:
        "benchmarks/workflow/witness_mmlu_pro.tsv"
    params:
        seed=config["seed"],
    script:
        "../scripts/witness_mmlu_pro.py"


rule witness_frontier:
    input:
        printed=printed_numbers(),
        code=package_sources("witness.frontier"),
    output:
        scores=witness_scores("frontier"),
        roles="results/witness/frontier/roles.csv",
        infeasible="results/witness/frontier/infeasible.csv",
    log:
        "logs/witness/frontier.log",
    params:
        seed=config["seed"],
    script:
        "../scripts/witness_frontier.py"


rule witness_report:
    input:
        roles=collect("results/witness/{panel}/roles.csv", panel=WITNESSES),
        infeasible=collect("results/witness/{panel}/infeasible.csv", panel=WITNESSES),
    output:
        roles="results/witness/roles.csv",
        infeasible="results/witness/infeasible.csv",
    log:
        "logs/witness/report.log",
    script:
        "../scripts/witness_report.py"
