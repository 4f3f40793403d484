# The workflow, for whoever starts Snakemake at the top of the clone.


include: "workflow/Snakefile"


# An included file has no say in what is made by default.
workflow.default_target = "all"
