# Replication of "Resolution Diagnostics for Paired LLM Evaluation" (Kotawala 2026).
# Every exhibit and every board is a named target: snakemake table_6, figure_4, board_NAME.

from snakemake.utils import min_version, validate

from replication.settings import check_file, check_settings

min_version("9.0")

CONFIG = "config.yaml"
SCHEMA = "workflow/schemas/config.schema.yaml"

check_file(CONFIG)


configfile: CONFIG


check_settings(config, SCHEMA, CONFIG)
# Fills in the defaults.
validate(config, SCHEMA)


report: "workflow/report/workflow.rst"


container: "docker://python:3.11.7-slim-bookworm"


include: "workflow/rules/common.smk"
include: "workflow/rules/witness.smk"
include: "workflow/rules/hub.smk"
include: "workflow/rules/exhibits.smk"
include: "workflow/rules/board_exhibits.smk"
include: "workflow/rules/boards.smk"
include: "workflow/rules/findings.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/manifest.smk"


rule all:
    default_target: True
    input:
        exhibit_files(),
        board_files(),
    localrule: True
