# The environment is made in .venv from the locks alone: a Python >= 3.11 and make are all it takes.

PYTHON ?= python3
CORES ?= all
# printed, items or hub; by default what config.yaml says.
SOURCE ?=
# The name of a folder in data; by default every paper.
PAPER ?=
# Those that `make floors` and `make newest` try.
PYTHONS ?= $(PYTHON)
# Anything here shows Snakemake's own screen.
VERBOSE ?=

BIN := .venv/bin
STAMP := .venv/.made
# Packages of one task alone, beside those of .venv.
BENCH := .venv-bench/bin
BENCH_STAMP := .venv-bench/.made
MUTANTS_STAMP := .venv-mutants/.made
RELEASE_STAMP := .venv-release/.made
# Rules and tests that call a program by its name get the environment's own.
WITH_PATH := PATH="$(CURDIR)/$(BIN):$$PATH"
OPTIONS := --cores $(CORES) $(if $(SOURCE),--config source=$(SOURCE))
SNAKEMAKE := $(WITH_PATH) $(BIN)/snakemake $(OPTIONS)
# Snakemake, after the lock of a killed run and damaged files are seen to.
RUN := $(WITH_PATH) $(BIN)/python tools/launch.py $(if $(PAPER),--paper $(PAPER)) $(if $(VERBOSE),--verbose)

# Modules from elsewhere stay out.
export PYTHONNOUSERSITE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONHOME PYTHONPATH
# Where it is set, each job compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

ifneq ($(words $(CURDIR)),1)
$(error Snakemake cannot run where a folder has a space in its name: $(CURDIR))
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env slurm reproduce audit tables figures boards dag verify test test-slow test-slurm wheel dist floors newest lint format report \
    docs lock bench bench-smoke bench-verdicts mutants audit-power runtimes edits clean

help: ## list the targets
	@echo "make TARGET [PYTHON=python3.12] [PAPER=miller2024] [CORES=2] [SOURCE=items] [VERBOSE=1]"
	@echo "TARGET is one of these, or one that snakemake --list names: table_06, board_NAME"
	@awk -F ': .*## ' '/^[a-z -]+:.* ## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

env: $(STAMP) ## make the environment in .venv (again only when the locks or pyproject.toml change)

slurm: $(STAMP) ## add to .venv what profiles/slurm submits jobs to a cluster with
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-slurm.lock

reproduce: $(STAMP) ## make every paper: its exhibits, and with the first every board whose data are there
	@$(RUN) -- $(OPTIONS)

audit: $(STAMP) ## judge every claim of the papers by what the workflow makes (a part of reproduce)
	@$(RUN) $(if $(PAPER),audit,audits) -- $(OPTIONS)

tables figures boards: $(STAMP) ## make the tables, the figures or the boards alone
	@$(RUN) $@ -- $(OPTIONS)

dag: $(STAMP) ## draw the stages behind the tables and figures, into docs/images/dag.svg
	@$(BIN)/python tools/dag.py docs/images/dag.svg $(OPTIONS)

PYTEST := $(WITH_PATH) $(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# Each of the two workers has a core: more threads of OpenBLAS than one wait for one another.
# Slow tests leave it its threads, for one of them compares what these make with what one makes.
test: $(STAMP) ## run every test that is not slow by nature
	OPENBLAS_NUM_THREADS=1 $(PYTEST) -m "not slow and not whole_run"

test-slow: $(STAMP) wheel ## run what is: Monte Carlo, kills, whole runs and what reads one, a deployed copy, the wheel
	$(PYTEST) -m "slow or whole_run"

test-slurm: $(STAMP) ## make a board of a million pairs on a Slurm cluster of two nodes, both this machine (as root)
	$(BIN)/python tests/slurm_board.py

mutants: $(MUTANTS_STAMP) ## report the share of 500 code mutants that the tests kill (MUTANTS="--count 50")
	$(WITH_PATH) .venv-mutants/bin/python tools/mutants.py $(MUTANTS)

wheel: $(STAMP) ## run the tests of library and audit on their wheel, installed without the other houses
	$(BIN)/python tests/installed_wheel.py

dist: $(RELEASE_STAMP) ## build wheel and source distribution into dist and check them (TAG=v0.1.0: as what is released)
ifdef TAG
	test "$(TAG)" = "v$$($(BIN)/python -c 'import llm_power; print(llm_power.__version__)')"
	test -z "$$(git status --porcelain)"
	! git grep --line-number OWNER/llm-power -- . ':!CONTRIBUTING.md' ':!Makefile'
endif
	rm -rf dist
	$(BIN)/python -m hatchling build --directory dist
	.venv-release/bin/python -m twine check --strict dist/*

floors newest: $(STAMP) ## run them beside the lowest, or newest, packages that pyproject.toml allows (PYTHONS="python3.11 python3.13")
	for python in $(PYTHONS); do $(BIN)/python tools/versions.py $(@:floors=lowest) --python $$python || exit 1; done

lint: $(STAMP) ## check style, types and the workflow, and change nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(SNAKEMAKE) --lint
	$(SNAKEMAKE) --dry-run --quiet all

format: $(STAMP) ## rewrite Python and Snakemake files in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

bench: $(BENCH_STAMP) ## time the heavy paths beside the peers, into docs/benchmarks.md (WORKFLOW=1: the workflow too)
	$(BENCH)/python benchmarks/run.py $(if $(WORKFLOW),--paper)
	$(BENCH)/python benchmarks/plots.py

bench-smoke: $(BENCH_STAMP) ## run the same once at tiny sizes, and print
	$(BENCH)/python benchmarks/run.py --smoke --results benchmarks/results/smoke.json
	$(BENCH)/python benchmarks/plots.py --results benchmarks/results/smoke.json \
	    --output benchmarks/results/smoke.png

bench-verdicts: $(STAMP) ## simulate what the verdicts claim of themselves, into docs/numbers.md and docs/verdicts.md
	$(BIN)/python benchmarks/measured_errors.py

audit-power: $(STAMP) ## misprint drawn numbers of a paper, results made again, into docs/audit.md (after make reproduce)
	nice $(BIN)/python tools/audit_power.py $(if $(PAPER),--paper $(PAPER))

runtimes: $(STAMP) ## print what the jobs of the last run took
	@$(BIN)/python tools/runtimes.py

edits: $(STAMP) ## print what an edit of a file makes again, by the last run, folder by folder
	@$(BIN)/python tools/edits.py

verify: $(STAMP) ## name every result, or those of PAPER, that is not, byte for byte, what a run made
	@$(RUN) --verify -- $(OPTIONS)

report: reproduce ## write the browsable report of a finished run
	@$(WITH_PATH) $(BIN)/python tools/report.py results/report.html $(OPTIONS)

# Beside the environment and not in it: users need none of this.
DOCS_TOOLS := build/docs-tools

docs: $(STAMP) $(DOCS_TOOLS)/.made ## build the site of docs/ in build/docs; a fault of a page or a link stops it
	PYTHONPATH=$(DOCS_TOOLS) $(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto docs build/docs
	@echo "Open $(CURDIR)/build/docs/index.html."

$(DOCS_TOOLS)/.made: requirements-docs.lock $(STAMP)
	rm -rf $(DOCS_TOOLS)
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --target $(DOCS_TOOLS) -r requirements-docs.lock
	@touch $@

lock: $(STAMP) ## take the newest versions into the locks and environment.yml
	$(BIN)/python tools/lock.py

clean: ## remove whatever the workflow and the checks have made; .venv stays
	rm -rf results figures papers ro-crate-metadata.json codemeta.json logs .snakemake
	rm -rf benchmarks/workflow benchmarks/results benchmarks/*.tsv build/docs docs/api
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache

# First the tools that build, then everything with them: a dependency that comes as source and the
# package itself are built without isolation, so that nothing unpinned is fetched for it.
$(STAMP): requirements-build.lock requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "make: Python 3.11 or newer is needed, and $(PYTHON) is not: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	    echo "make: $(PYTHON) comes without venv; on Debian: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-build.lock
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --no-build-isolation -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m pip check
	@touch $@

# A .pth file lets it see .venv, and no package of .venv is in its lock.
.venv-%/.made: requirements-%.lock $(STAMP)
	$(BIN)/python -m venv --clear --without-pip .venv-$*
	$(BIN)/python -m pip --python .venv-$*/bin/python install --quiet --no-deps --require-hashes -r requirements-$*.lock
	$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' \
	    > "$$(.venv-$*/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
	@touch $@

# Whatever else is asked for is a target of Snakemake's: table_06, board_NAME, miller2024_table_01.
.DEFAULT:
	@$(MAKE) --silent env
	@$(RUN) $@ -- $(OPTIONS)
