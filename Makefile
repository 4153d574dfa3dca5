# Every target sets itself up in .venv; a second run finds it ready and starts at once.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

# Extra arguments for pytest or the server, e.g. make test ARGS="-k replay -x"
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help serve demo test quick browser test-model lint format docs bench rivals lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: .venv/.ready  ## HTTP API, tools for agents and the page, on this machine; e.g. ARGS=--demo
	$(BIN)/ebbtide serve $(ARGS)

demo: .venv/.ready  ## one mind's life in the terminal, under each metabolism
	$(BIN)/ebbtide demo

test: .venv/.ready  ## all tests, fault tests included; installs a browser where there is none, if it can
	@$(BIN)/python -m tests.browsers
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

quick: .venv/.ready  ## the fast tests, in about two minutes: no browser, docs or models, nothing marked slow
	$(BIN)/pytest -n auto --dist worksteal -m "not slow and not browser" --ignore=tests/docs --ignore=tests/models $(ARGS)

browser: .venv/.ready  ## try again to install a browser for the tests of the page
	@$(BIN)/python -m tests.browsers --again

test-model: .venv/.ready .venv-model/.ready  ## the small model's jobs, done by a real one (0.6 GB to fetch; minutes)
	.venv-model/bin/python tests_model/weights.py .cache/qwen2.5-coder-0.5b-instruct-q4.gguf
	$(BIN)/pytest tests_model --durations=5 $(ARGS)

lint: .venv/.ready  ## style, types and import directions
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: .venv/.ready  ## rewrite the code in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/.ready  ## write the pages, pictures and type stubs that follow from the code
	$(BIN)/python docs/stubs.py
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/images/draw.py

bench: .venv/.ready  ## measure, next to the bare floor of the same run
	$(BIN)/python -m bench.tick
	$(BIN)/python -m bench.store
	$(BIN)/python -m bench.startup
	$(BIN)/python -m bench.search
	$(BIN)/python -m bench.retrieval
	$(BIN)/python -m bench.weights
	$(BIN)/python -m bench.months
	$(BIN)/python -m bench.credit
	$(BIN)/python -m bench.superseding
	$(BIN)/python -m bench.forgetting
	$(BIN)/python -m bench.network
	$(BIN)/python -m bench.serve
	$(BIN)/python -m bench.serve_load

rivals: .venv-rivals/.ready  ## other libraries for bench.search to be compared with (600 MB)

# Not for every day: `requirements.lock` changes only when this is run. Needs uv.
# The index is left out on purpose: whoever installs chooses where packages come from, the hashes say which.
lock:  ## pin all dependencies anew
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --group dev \
		--generate-hashes --no-emit-index-url --output-file requirements.lock pyproject.toml

clean:  ## remove the environment and everything generated
	rm -rf .venv .venv-model .venv-rivals .cache build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests tests_model bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Two stamps: a changed lock builds the environment afresh, so that nothing unpinned survives in it;
# a changed pyproject.toml only installs the package again. The build backend is in the lock too,
# hence no build isolation: nothing is fetched that the lock does not name.
.venv/.locked: requirements.lock
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Ebbtide needs Python 3.11 or newer, and '$(PYTHON)' is not." >&2; \
		echo "Name one that is: make PYTHON=/path/to/python3" >&2; exit 1; }
	"$(PYTHON)" -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/.ready: .venv/.locked pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The server of `make test-model` has an environment of its own: a hundred megabytes that nothing else needs.
.venv-model/.ready: tests_model/server.lock
	"$(PYTHON)" -m venv --clear .venv-model
	.venv-model/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --only-binary :all: --require-hashes -r tests_model/server.lock
	@touch $@

# So have the libraries that `bench.search` is compared with.
.venv-rivals/.ready: bench/rivals.txt
	"$(PYTHON)" -m venv --clear .venv-rivals
	.venv-rivals/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r bench/rivals.txt
	@touch $@
