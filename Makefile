# Every target works on a bare clone: it needs Python 3.11 or newer, make, and the package index.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
READY := $(VENV)/.ready
SCORES := build/score
MANUAL := build/docs/manual
ATLAS := build/docs/atlas
FACTS := tests/facts/sglang-0.5.9
SUBJECT := pypi:sglang==0.5.9
NEWEST := 0.5.23
SCHEDULES := 12
# One for all: none in the package that `flowmap emit` writes, though it has settings of its own.
export RUFF_CACHE_DIR := $(CURDIR)/.ruff_cache
GPU_PYTHON ?= python3
KIND ?= tokens

.DEFAULT_GOAL := help
.PHONY: help setup test demo check lint queries queries-newest dist goldens score score-hooks recall recall-sglang prove bench drift counts clean

help: ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

setup: $(READY) ## make the virtual environment in .venv

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "flowmap needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

test: check ## run the checks and all tests; those in a browser last, where there is one
	$(BIN)/python -m pytest
	@$(BIN)/python -m tests.browser

.PHONY: browser
browser: $(READY) ## the tests in a browser: Chromium, headless
	$(BIN)/python -m tests.browser

demo: $(READY) ## index SGLang 0.5.9 and trace its decode loop
	$(BIN)/flowmap trace process_batch_result_decode

check: lint queries ## all checks: those of lint, then those of queries

lint: $(READY) ## lint, formatting, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

queries: $(READY) ## answer the shipped queries about SGLang 0.5.9 and compare with what they expect; SUBJECT=pypi:sglang==VERSION asks another
	$(BIN)/flowmap queries --check --source $(SUBJECT)

queries-newest: $(READY) ## answer them about SGLang 0.5.23 and keep what came of each (4 minutes of processor time, 6 GB of memory)
	$(BIN)/flowmap queries --check --format json --source pypi:sglang==$(NEWEST) >docs/evidence/queries-$(NEWEST).json

.PHONY: docs links
docs: $(READY) ## build the manual and the atlas of SGLang 0.5.9 into build/docs; any warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -j auto -b html -d build/docs/doctrees docs $(MANUAL)
	@echo "$(MANUAL)/index.html"
	$(BIN)/flowmap docs --source $(SUBJECT) -o $(ATLAS)

.PHONY: pictures
pictures: docs ## make the pictures of README anew, from a trace and from the atlas
	$(BIN)/python -m tests.browser.pictures $(SUBJECT) $(ATLAS) docs/pictures

links: $(READY) ## ask every address that the manual links to whether it is there
	$(BIN)/python -m sphinx --quiet -b linkcheck -d build/docs/doctrees docs build/docs/links

dist: $(READY) ## build the wheel and the source distribution into dist/
	$(BIN)/python -m build --outdir dist

goldens: $(READY) ## rewrite the expected reports; read the diff before committing it
	$(BIN)/python -m pytest -q --rewrite-goldens -m golden

score: $(READY) ## score the calls, class orders, accesses and paths of SGLang 0.5.9 against the verified facts
	@mkdir -p $(SCORES)
	$(BIN)/flowmap export calls --source $(SUBJECT) -o $(SCORES)/calls.jsonl
	$(BIN)/flowmap export mro --source $(SUBJECT) -o $(SCORES)/mro.json
	$(BIN)/flowmap export state $$($(BIN)/python -m tests.state_fields) --source $(SUBJECT) -o $(SCORES)/state.jsonl
	FLOWMAP_SOURCE=$(SUBJECT) $(BIN)/python tests/facts/score.py $(FACTS) --calls $(SCORES)/calls.jsonl --mro $(SCORES)/mro.json --state $(SCORES)/state.jsonl --flowmap $(BIN)/flowmap

score-hooks: $(READY) ## score the hook points of SGLang 0.5.9, one report a profile, against the verified facts
	@mkdir -p $(SCORES)
	$(BIN)/flowmap hooks adaptive-disable --profile eagle-v1 --format json --source $(SUBJECT) -o $(SCORES)/hooks-v1.json
	$(BIN)/flowmap hooks adaptive-disable --profile eagle-v2 --format json --source $(SUBJECT) -o $(SCORES)/hooks-v2.json
	$(BIN)/python tests/facts/score.py $(FACTS) --hooks $(SCORES)/hooks-v1.json --hooks $(SCORES)/hooks-v2.json

recall: $(READY) ## run the tests of five packages and compare; RECALL_PYTHON=python3.13 runs them, RECALL_ONLY=NAME one alone
	@mkdir -p build/recall
	$(BIN)/python tests/recall/measure.py build/recall docs/evidence/recall.json

recall-sglang: $(READY) ## run SGLang's scheduler on a CPU and compare; needs Python 3.11, or SGLANG_PYTHON=NAME, and 3 GB of packages
	@mkdir -p build/recall-sglang
	$(BIN)/python -m tests.sglang.measure build/recall-sglang docs/evidence/recall-sglang.json

prove: prove-schedules prove-kinds prove-parallel prove-server ## run the emitted hook on SGLang's scheduler on a CPU: all of these (25 minutes of processor time)

.PHONY: prove-schedules
prove-schedules: $(READY) ## 48 random schedules, and faults that must be found out; SUBJECT=pypi:sglang==0.5.11 SCHEDULES=6 on another release, and fewer (10 minutes of processor time)
	$(BIN)/python -m tests.adaptive.prove docs/evidence $(SUBJECT) $(SCHEDULES)

.PHONY: prove-kinds
prove-kinds: $(READY) ## run it with requests that are sampled, have a grammar, penalties or log probabilities (8 minutes of processor time)
	$(BIN)/python -m tests.adaptive.prove_kinds docs/evidence/adaptive-kinds.json

.PHONY: prove-parallel
prove-parallel: $(READY) ## run it on pairs of schedulers that hold half of a model each: one decision for both (6 minutes of processor time)
	$(BIN)/python -m tests.adaptive.prove_parallel docs/evidence/adaptive-parallel.json

.PHONY: prove-server
prove-server: $(READY) ## start servers by the emitted launcher on a CPU, with the hook in their spawned schedulers, and ask them
	$(BIN)/python -m tests.adaptive.prove_server docs/evidence/adaptive-server.json

.PHONY: simulate
SIMULATION := docs/evidence/adaptive-simulation
simulate: $(READY) ## simulate what the policies of the emitted hook are worth: tables, evidence and plots (two minutes of processor time)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'matplotlib>=3.8'
	PYTHONPATH=queries/emit/adaptive-disable/package $(BIN)/python -m adaptive_disable.simulate --seeds 10 --json $(SIMULATION).json --plots $(SIMULATION)
	$(BIN)/python -m benchmarks.simulation_page $(SIMULATION).json docs/adaptive-disable.md

bench: $(READY) ## measure times and memory against what is wanted; BENCH=--quick for one run of each (minutes; else an hour), RIVALS=all for other tools
	$(BIN)/python -m benchmarks.bench docs/evidence/bench.json $(BENCH) --rivals '$(RIVALS)'

.PHONY: prove-gpu
prove-gpu: $(READY) ## run the emitted hook on SGLang 0.5.9 and one Hopper GPU; KIND=tokens, steps or throughput; GPU_PYTHON has SGLang
	$(BIN)/flowmap emit adaptive-disable --source $(SUBJECT) -o build/gpu/package
	PYTHONPATH=.:build/gpu/package $(GPU_PYTHON) -m benchmarks.gpu.prove $(KIND) build/gpu
	$(GPU_PYTHON) -m benchmarks.gpu.evidence build/gpu docs/evidence "$$(nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader)"

drift: $(READY) ## follow names through twelve releases of SGLang, and compare with what was read by hand (fetches them; 3 minutes of processor time)
	$(BIN)/python -m benchmarks.drift docs/drift-sglang.md

counts: $(READY) ## count again what docs/figures.md says of six releases; SOURCES="pypi:NAME==VERSION" of some
	$(BIN)/python -m benchmarks.counts $(SOURCES)

clean: ## remove what was built, the virtual environment too
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
