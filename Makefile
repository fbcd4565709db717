# Two commands do everything: `make run` and `make test`. Both are safe to run again.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
# A tool-specific pytest selection: make test TESTS=tests/store
TESTS ?= tests
JOBS ?= auto
SUITE ?= ../shared/utlx-suite

.PHONY: suite help site docs pictures setup setup-test system run demo test check format bench soak lock clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: ## make .venv with rolltop in it
	@scripts/setup base

setup-test:
	@scripts/setup test

system:
	@scripts/system-packages

run: setup ## set up and start the server on 127.0.0.1 (PORT=N: another port), and say how to connect
	@exec $(BIN)/rolltop serve --http --show-connect $(if $(PORT),--port $(PORT))

demo: setup ## a tour that ends by itself: a real client calls everything there is
	@$(BIN)/rolltop demo

check: setup-test ## lint, types, import contracts: seconds
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/rolltop tools lint
	@$(BIN)/python scripts/docs --check
	@$(BIN)/python bench/_page.py --check
	@$(BIN)/rolltop toolsets --cost --budget 10000 >/dev/null
	@$(BIN)/rolltop toolsets --cost --descriptions compact --budget 7000 >/dev/null

format: setup-test ## rewrite the sources in the project's format
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

test: setup-test system check ## set up and pass everything
	@$(BIN)/python -m pytest $(TESTS) -n $(JOBS) --dist worksteal -m "not soak"

# The UTL-X conformance cases live outside of this project: make suite SUITE=path/to/utlx-suite
suite: setup-test ## run the UTL-X conformance suite against the transform engine
	@$(BIN)/python scripts/utlx-suite $(SUITE)

soak: setup-test system ## known vulnerabilities, random search of properties, long fuzzing, crash matrices and stress
	@scripts/audit
	@$(BIN)/python -m pytest $(TESTS) -m "soak or hypothesis" --hypothesis-profile=search

bench: setup-test system ## speed and memory, as ratios to peers measured in the same run
	@for b in bench/*.py; do case $$b in bench/_*) ;; *) echo "== $$b"; $(BIN)/python $$b || exit 1 ;; esac; done
	@$(BIN)/python bench/_page.py

pictures: setup-test system ## take the screenshots of README and docs anew, from the running product
	@$(BIN)/python scripts/pictures

site: setup-test ## the documentation as a site with search, in build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q
	@echo "open build/site/index.html"

docs: setup ## write the generated parts of the documentation
	@$(BIN)/python scripts/docs

lock: ## write the lock files anew; newest versions with UPGRADE=--upgrade
	@scripts/lock $(UPGRADE)

clean: ## remove what set-up made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist
