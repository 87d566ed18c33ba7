# Two commands do everything: `make run` and `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev

.PHONY: help run test setup setup-test scan demo lint format bench

help:
	@echo "make run     set up what is missing and serve the hub"
	@echo "make scan    look for LLM servers on this machine"
	@echo "make demo    the hub beside a real llama.cpp server with a tiny model"
	@echo "make test    set up what is missing and run the whole suite"
	@echo "make lint    ruff and mypy"
	@echo "make bench   figures and ratios"

run: setup
	@$(BIN)/python manage.py start

scan: setup
	@$(BIN)/python manage.py scan

demo: $(DEV_STAMP) .env
	@$(BIN)/python manage.py demo

setup: $(RUN_STAMP) .env

test: setup-test
	@$(BIN)/pytest -n auto --dist loadfile $(ARGS)

setup-test: $(DEV_STAMP)
	@sh tests/prepare.sh

lint: $(DEV_STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy .

format: $(DEV_STAMP)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(DEV_STAMP)
	@$(BIN)/python -m tests.bench $(ARGS)

.env: $(RUN_STAMP)
	@$(BIN)/python -m llmhub.make_env .env
	@touch .env

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; $(PYTHON) is older."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python has no venv here: install it first (Debian: apt install python3-venv)."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# Hash-locked: what is installed is what was reviewed.
$(RUN_STAMP): requirements.lock | $(VENV)/bin/python
	@echo "Installing what the hub needs..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(DEV_STAMP): requirements-dev.lock $(RUN_STAMP)
	@echo "Installing what tests and lint need..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@
