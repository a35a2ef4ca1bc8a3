# Everything a newcomer runs. Each target makes what it needs; nothing is asked. Files stay inside the clone, apart from
# the caches named here: pip's own cache, ~/.m2 (the test broker's jars) and ~/.cache/claimstream.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.installed
PACKAGES := schemas topics processors inference sinks streams recall audit
EXTRAS := embedded,dev
#: More arguments for pytest, for example: make test ARGS="-k disputes"
ARGS ?=
#: A file in LoCoMo's format for the demo; without one it plays the conversation that ships.
CONVERSATION ?= $(wildcard ../shared/data/locomo10.json)

.PHONY: help venv install test test-fast test-smoke lint format demo schemas topology bench-pipeline bench-extract bench-adjudicate bench-replay \
	eval-identity constraints clean

help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(PY) ## the virtual environment (.venv)

$(PY):
	@command -v $(PYTHON) >/dev/null || { echo "no $(PYTHON) on PATH: install Python 3.11 or newer," \
		"or name one: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is" \
		"$$($(PYTHON) --version 2>&1); claimstream needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) lacks the venv module:" \
		"install it (Debian: apt-get install python3-venv)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamp is newer than what was installed: a change of the dependencies installs again.
$(STAMP): pyproject.toml constraints.txt | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

install: $(STAMP) ## claimstream and what its tests need, pinned, into .venv

test: $(STAMP) ## all tests, on a real broker and a real Postgres
	$(BIN)/pytest $(ARGS)

test-fast: $(STAMP) ## the tests that need no broker and no database
	$(BIN)/pytest -m "not slow and not broker and not postgres" $(ARGS)

test-smoke: $(STAMP) ## the smoke part of the integration suite, on the embedded broker
	CLAIMSTREAM_TEST_BROKER=tansu $(BIN)/pytest -m smoke $(ARGS)

lint: $(STAMP) ## ruff, mypy --strict, import layers, purity of processors/
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(PY) -m tools.purity processors

format: $(STAMP) ## let ruff format and fix what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

demo: $(STAMP) ## two agents disagree, on an embedded broker and Postgres: the whole pipeline in one command
	$(BIN)/claimstream demo $(if $(CONVERSATION),--conversation $(CONVERSATION))

schemas: $(STAMP) ## regenerate the JSON Schema files and the AsyncAPI document
	$(PY) -m tools.generate_schemas

topology: $(STAMP) ## redraw the stages in README.md from streams/topology.py
	$(PY) -m tools.draw_topology

bench-pipeline: $(STAMP) ## facts per second, end to end, beside the embedder's own rate
	$(PY) -m bench.pipeline

bench-extract: $(STAMP) ## precision and recall of the rule extractor on labelled sentences
	$(PY) -m bench.extract

bench-adjudicate: $(STAMP) ## proposals decided and committed per second, beside the bare COPY
	$(PY) -m bench.adjudicate --plot docs/adjudicate.svg

bench-replay: $(STAMP) ## 100,000 recorded inbox records decided again: the same ledger, and how fast
	$(PY) -m bench.replay

eval-identity: $(STAMP) ## precision and recall of putting mentions into one entity, on labelled pairs
	$(PY) -m bench.identity

constraints: $(PY) ## write constraints.txt from what .venv holds now
	{ echo "# Made by 'make constraints' with $$($(PY) --version). Install: pip install -c constraints.txt -e '.[$(EXTRAS)]'"; \
	  $(PY) -m pip freeze --exclude-editable --exclude pip --exclude setuptools; } > constraints.new
	mv constraints.new constraints.txt
	@touch $(STAMP)

clean: ## remove what was made inside the clone, .venv too
	rm -rf $(VENV) build dist var .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
