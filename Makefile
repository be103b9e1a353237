# The words for work, the same on every machine: `make setup demo test test-slow pythons check regen golden bench docs clean`.
# Everything is installed into .venv; nothing outside this folder is changed, and no system package is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
STAMPS := $(VENV)/stamps
RESULTS := build/benchmarks/results
PYTHONS ?= build/pythons/tree
RUNS ?= 1
ARGS ?=

# Tests start Python some thousand times, which would compile the same modules each time.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help setup demo test test-slow tested pythons check check-pyright check-mypy check-others regen golden bench bench-once docs clean

help:
	@echo 'make setup    install the project and all its tools into .venv; the Debian packages that some tests need,'
	@echo '              libvulkan-dev libvulkan1 mesa-vulkan-drivers vulkan-validationlayers among them: README.md'
	@echo 'make demo     generate and build the packages for CUDA and the CPU, and run a program on each'
	@echo 'make test     run the tests; ARGS="-k lambda" chooses some'
	@echo 'make test-slow'
	@echo '              run the others: sanitizers, soaks, leaks, long fuzzing, other Pythons'
	@echo 'make pythons  run the behaviour tests on other Pythons, and write docs/pythons.md; as root on Debian'
	@echo 'make check    style, types, imports, and whether generated/ is what specs/ make'
	@echo 'make regen    write generated/ anew'
	@echo 'make golden   accept what the golden tests found changed'
	@echo 'make bench    a short run of the benchmarks, and docs/performance.md from it; RUNS=3 makes three'
	@echo 'make docs     write the generated pages of docs/ anew'
	@echo 'make clean    remove what was built, except .venv'

setup: $(STAMPS)/test $(STAMPS)/check

demo: $(STAMPS)/cuda
	$(BIN)/wrapper-gen specs
	$(BIN)/wrapper-gen build specs/cuda.wrapper_spec specs/cpu.wrapper_spec specs/dlpack.wrapper_spec
	$(BIN)/python examples/cuda_demo.py
	$(BIN)/python examples/context_basic.py --backend cpu

# Where there is a clang++, tests have their packages from it, save those that are compiled with flags of their own.
test test-slow: export WRAPPER_GEN_TEST_CLANG ?= clang++
test: tested
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow' $(ARGS)

test-slow: tested
	$(BIN)/pytest -n 2 --dist worksteal -m slow $(ARGS)

# PYTHONS is a folder that keeps the other Pythons for the next time.
pythons:
	tests/pythons/setup.sh $(PYTHONS)
	$(PYTHON) tests/pythons/run.py $(PYTHONS)

# What tests need. pip installs one group at a time; packages compile meanwhile.
tested: $(STAMPS)/cuda
	@$(MAKE) --no-print-directory -j 2 $(STAMPS)/test $(STAMPS)/packages-without-torch
	@$(MAKE) --no-print-directory -j 2 $(STAMPS)/check $(STAMPS)/packages

check: $(STAMPS)/check
	@$(MAKE) --no-print-directory -j 2 --output-sync check-pyright check-mypy check-others

check-pyright:
	$(BIN)/pyright generated

check-mypy:
	$(BIN)/mypy

check-others:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/wrapper-gen check specs

regen: $(STAMPS)/project
	$(BIN)/wrapper-gen specs

golden: $(STAMPS)/test
	$(BIN)/pytest -q -n 2 -m 'not slow' --update-golden $$(grep -l golden tests/test_*.py) $(ARGS)

bench: $(STAMPS)/packages
	for run in $$(seq $(RUNS)); do $(MAKE) --no-print-directory bench-once RESULTS=$(RESULTS)/$$run || exit; done
	$(BIN)/python benchmarks/report.py $$(seq -f '$(RESULTS)/%g' $(RUNS))

bench-once:
	@mkdir -p $(RESULTS)
	$(BIN)/python benchmarks/calls.py --short --json $(RESULTS)/calls.json
	$(BIN)/python benchmarks/marshal.py --short --json $(RESULTS)/marshal.json
	$(BIN)/python benchmarks/protocols.py --short --json $(RESULTS)/protocols.json
	$(BIN)/python benchmarks/libraries.py --short --json $(RESULTS)/libraries.json
	$(BIN)/python benchmarks/torch_calls.py --short --json $(RESULTS)/torch_calls.json
	$(BIN)/python benchmarks/threads.py --short --json $(RESULTS)/threads.json
	[ ! -e $(PYTHONS)/opt/complete ] || tests/pythons/enter.sh $(PYTHONS) env PYTHON_GIL=0 PYTHONPATH=. \
	    /opt/3.13t/bin/python benchmarks/free_threaded.py --short --json $(RESULTS)/free_threaded.json
	$(BIN)/python benchmarks/startup.py --short --json $(RESULTS)/startup.json
	$(BIN)/python benchmarks/memory.py --short --json $(RESULTS)/memory.json
	$(BIN)/python benchmarks/compile.py --short --json $(RESULTS)/compile.json
	$(BIN)/python benchmarks/build.py --rounds 1 --json $(RESULTS)/build.json
	$(BIN)/python benchmarks/generate.py --sizes 10 1000 --rounds 3 --json $(RESULTS)/generate.json
	$(BIN)/python benchmarks/gpu.py --short --json $(RESULTS)/gpu.json

docs: $(STAMPS)/project
	$(BIN)/python docs/build.py

clean:
	rm -rf build dist generated/*/build generated/*/*.so $(STAMPS)/packages* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# One stamp a dependency group of pyproject.toml, so that the second run of a word is quick.

$(STAMPS)/project: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("wrapper-gen needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --editable '.[cffi]'
	@mkdir -p $(STAMPS) && touch $@

# The packages that unified_gpu stands on, compiled where they lie, when anything that goes into them has changed.

SOURCES := $(wildcard specs/*) $(shell find runtimes templates wrapper_gen -type f -not -name '*.pyc')

$(STAMPS)/packages: $(STAMPS)/test $(SOURCES)
	$(BIN)/wrapper-gen build --engine both specs
	@touch $@

$(STAMPS)/packages-without-torch: $(STAMPS)/cuda $(SOURCES)
	$(BIN)/wrapper-gen build --engine both $(filter-out %/torch.wrapper_spec,$(wildcard specs/*.wrapper_spec))
	@touch $@

# Of ten thousand modules of these, a fifth is ever imported, and compiled then: compiling all takes half a minute.
$(STAMPS)/cuda $(STAMPS)/check $(STAMPS)/test: $(STAMPS)/%: $(STAMPS)/project
	$(PIP) install --no-compile --group $*
	@touch $@
