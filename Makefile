# Two commands are enough to work here: `make dev` and `make test`. CONTRIBUTING.md says more.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

export UV_CACHE_DIR ?= $(CURDIR)/.tools/uv-cache
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS ?= 1

UV := .tools/uv/bin/uv
BIN := .venv/bin
PYTHON := $(BIN)/python
SYNCED := .venv/.synced
CHECKED := $(wildcard src tests examples scripts)
TYPED := $(wildcard src tests examples)
JOBS ?= 2
APP ?= examples/dev_app.py
ARGS ?=

MINUTES ?= 10

.PHONY: help dev ui test test-postgres soak lint fmt typecheck ratchet lock bench build clean

help:
	@echo "make dev      server, UI and worker with reload, for $(APP)"
	@echo "make ui       build the web UI, if it has changed"
	@echo "make test     every gate: lint, types, layers, tests, coverage floors"
	@echo "make test-postgres  the tests of stores and transactions on PostgreSQL 14, 15, 16, 17 and 18"
	@echo "make soak     faults under load for MINUTES=$(MINUTES) a database; random flows, a million rows: some 10 more"
	@echo "make lint     the gates that run no test"
	@echo "make fmt      format, and repair what can be repaired"
	@echo "make ratchet  tighten the limits to what the code now keeps"
	@echo "make lock     resolve the dependencies anew into requirements.lock"
	@echo "make bench    measure throughput and latency on this machine"
	@echo "make build    the wheel and the source distribution"
	@echo "make clean    remove everything that this folder made for itself"

# One recipe for both: the stamp is newer than the lock when the environment is up to date.
$(SYNCED): pyproject.toml requirements.lock scripts/bootstrap
	@scripts/bootstrap

dev: $(SYNCED) ui
	@$(BIN)/holdfast dev $(APP) $(ARGS)

# A build is skipped while its sources are what they were; scripts/build_ui.py says how Node is found.
ui: $(SYNCED)
	@$(PYTHON) scripts/build_ui.py

# pytest comes last, so that its summary is the last line and its exit code is the answer.
test: lint ui
	@$(PYTHON) -m pytest -n $(JOBS) --cov --cov-report=json:.tools/coverage.json \
		-p tests.quality.coverage_floors $(ARGS)

# The same tests as in `make test`, for longer, with every planted bug, a storm that SOAK_SEED chooses, and a
# million rows. The end says how long each of them took.
soak: $(SYNCED)
	@SOAK_MINUTES=$(MINUTES) $(PYTHON) -m pytest -s tests/faults tests/flow/run/test_against_the_reference.py \
		tests/stores/test_postgres_plans.py tests/services/test_postgres_versions.py --durations=10 $(ARGS)

# `make test` does this with the oldest and the newest version, and `make soak` with all.
test-postgres: $(SYNCED)
	@POSTGRES_VERSIONS=all $(PYTHON) -m pytest -n $(JOBS) tests/services/test_postgres_versions.py $(ARGS)

lint: $(SYNCED)
	@$(BIN)/ruff check --quiet $(CHECKED)
	@$(BIN)/ruff format --check --quiet $(CHECKED)
	@$(BIN)/mypy --no-error-summary $(TYPED)
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/bandit --quiet --recursive --configfile pyproject.toml src

fmt: $(SYNCED)
	@$(BIN)/ruff check --fix --quiet $(CHECKED) || true
	@$(BIN)/ruff format --quiet $(CHECKED)

ratchet: $(SYNCED)
	@$(PYTHON) -m tests.quality.tighten

lock: $(SYNCED)
	@$(UV) pip compile --quiet --upgrade --universal --all-extras --group dev --generate-hashes \
		--no-annotate --no-header --python $(PYTHON) --output-file requirements.lock pyproject.toml

bench: $(SYNCED)
	@$(BIN)/holdfast bench $(ARGS)

build: $(SYNCED)
	@$(UV) build --quiet --out-dir dist

clean:
	@rm -rf .venv .tools build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
