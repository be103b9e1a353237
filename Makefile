# The words for work, the same on every machine: `make setup demo test test-torch test-slow test-long pythons platforms check regen golden bench docs site clean`.
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
CHECKS := check-pyright check-mypy check-style check-imports check-generated

# Tests start Python some thousand times, which would compile the same modules each time.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help setup demo test test-torch test-slow test-long tested pythons platforms check $(CHECKS) regen golden bench bench-once docs site clean

help:
	@echo 'make setup    install the project and its tools into .venv, but torch: 0.5 GB; the Debian packages that some'
	@echo '              tests need, libvulkan-dev libvulkan1 mesa-vulkan-drivers vulkan-validationlayers among them: README.md'
	@echo 'make demo     generate and build the packages for CUDA and the CPU, and run a program on each'
	@echo 'make test     run the tests, with 0.25 GB in .venv; ARGS="-k lambda" chooses some'
	@echo 'make test-torch'
	@echo '              run those that need torch, jax or scikit-learn, which take 1.3 GB more, and 5 GB where torch is one for CUDA'
	@echo 'make test-slow'
	@echo '              run those that take longer: sanitizers, leaks, fuzzing, wheels'
	@echo 'make test-long'
	@echo '              run what does the same at greater length, before a release'
	@echo 'make pythons  run the behaviour tests on other Pythons, and write docs/pythons.md; as root on Debian'
	@echo 'make platforms  compile for aarch64, macOS and Windows, as far as that goes here; 0.4 GB in .venv'
	@echo 'make check    style, types, imports, and whether generated/ is what specs/ make'
	@echo 'make regen    write generated/ anew'
	@echo 'make golden   accept what the golden tests found changed'
	@echo 'make bench    a short run of the benchmarks, and docs/performance/ from it; RUNS=3 makes three'
	@echo 'make docs     write the generated pages of docs/ anew'
	@echo 'make site     the pages of docs/ as a site, in build/site'
	@echo 'make clean    remove what was built, except .venv'

setup:
	@$(MAKE) --no-print-directory -k $(STAMPS)/test $(STAMPS)/pyright

demo: $(STAMPS)/cuda
	$(BIN)/wrapper-gen specs
	$(BIN)/wrapper-gen build $(foreach name,cuda nvrtc cpu dlpack,specs/$(name).wrapper_spec)
	$(BIN)/python examples/cuda_demo.py
	$(BIN)/python examples/context_basic.py --backend cpu

# Where there is a clang++, tests have their packages from it, save those that are compiled with flags of their own.
test test-torch test-slow test-long: export WRAPPER_GEN_TEST_CLANG ?= clang++
test: tested
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow and not long and not torch' $(ARGS)

test-torch: tested $(STAMPS)/package-of-torch
	$(BIN)/pytest -n 2 --dist worksteal -m 'torch and not long' $(ARGS)

test-slow: tested $(STAMPS)/pyright $(STAMPS)/site $(STAMPS)/wheels
	$(BIN)/pytest -n 2 --dist worksteal -m 'slow and not long and not torch' $(ARGS)

test-long: tested $(STAMPS)/pyright $(STAMPS)/site $(STAMPS)/wheels
	$(BIN)/pytest -n 2 --dist worksteal -m 'long and not torch' $(ARGS)

# PYTHONS is a folder that keeps the other Pythons for the next time.
pythons:
	tests/pythons/setup.sh $(PYTHONS)
	$(PYTHON) tests/pythons/run.py $(PYTHONS)

# What test-slow leaves out of it, since compilers for other systems are large.
platforms: $(STAMPS)/test $(STAMPS)/platforms
	$(BIN)/pytest -n 2 tests/test_platforms.py $(ARGS)

# What most tests need; packages compile while pip installs.
tested: $(STAMPS)/cuda
	@$(MAKE) --no-print-directory -j 2 $(STAMPS)/test $(STAMPS)/packages

# Each part runs also where another one fails, or has a tool that cannot be installed here. pip installs one group at a time.
check:
	@-$(MAKE) --no-print-directory -k $(STAMPS)/check $(STAMPS)/pyright
	@$(MAKE) --no-print-directory -k -j 2 --output-sync $(CHECKS)

check-pyright: $(STAMPS)/pyright
	$(BIN)/pyright generated

check-mypy: $(STAMPS)/check
	$(BIN)/mypy

check-style: $(STAMPS)/check
	$(BIN)/ruff check
	$(BIN)/ruff format --check

check-imports: $(STAMPS)/check
	$(BIN)/lint-imports

check-generated: $(STAMPS)/project
	$(BIN)/wrapper-gen check specs

regen: $(STAMPS)/project
	$(BIN)/wrapper-gen specs

golden: $(STAMPS)/test
	$(BIN)/pytest -q -n 2 -m 'not slow and not long and not torch' --update-golden $$(grep -l golden tests/test_*.py) $(ARGS)

bench: tested $(STAMPS)/package-of-torch
	for run in $$(seq $(RUNS)); do $(MAKE) --no-print-directory bench-once RESULTS=$(RESULTS)/$$run || exit; done
	$(BIN)/python benchmarks/report.py $$(seq -f '$(RESULTS)/%g' $(RUNS))

bench-once:
	@mkdir -p $(RESULTS)
	$(BIN)/python benchmarks/calls.py --short --json $(RESULTS)/calls.json
	$(BIN)/python benchmarks/marshal.py --short --json $(RESULTS)/marshal.json
	$(BIN)/python benchmarks/protocols.py --short --json $(RESULTS)/protocols.json
	$(BIN)/python benchmarks/real.py --short --json $(RESULTS)/real.json
	$(BIN)/python benchmarks/libraries.py --short --json $(RESULTS)/libraries.json
	$(BIN)/python benchmarks/torch_calls.py --short --json $(RESULTS)/torch_calls.json
	$(BIN)/python benchmarks/threads.py --short --json $(RESULTS)/threads.json
	[ ! -e $(PYTHONS)/opt/complete ] || tests/pythons/enter.sh $(PYTHONS) env PYTHON_GIL=0 PYTHONPATH=. \
	    /opt/3.13t/bin/python benchmarks/free_threaded.py --short --json $(RESULTS)/free_threaded.json
	$(BIN)/python benchmarks/startup.py --short --json $(RESULTS)/startup.json
	$(BIN)/python benchmarks/memory.py --short --json $(RESULTS)/memory.json
	$(BIN)/python benchmarks/compile.py --short --json $(RESULTS)/compile.json
	$(BIN)/python benchmarks/rebuild.py --short --json $(RESULTS)/rebuild.json
	$(BIN)/python benchmarks/build.py --short --json $(RESULTS)/build.json
	$(BIN)/python benchmarks/torch_bridge.py --rounds 1 --json $(RESULTS)/torch_bridge.json
	$(BIN)/python benchmarks/generate.py --sizes 10 1000 --rounds 3 --json $(RESULTS)/generate.json
	$(BIN)/python benchmarks/gpu.py --short --json $(RESULTS)/gpu.json
	$(BIN)/python benchmarks/gpu_arrays.py --short --json $(RESULTS)/gpu_arrays.json

docs: $(STAMPS)/project
	$(BIN)/python docs/build.py

site: docs $(STAMPS)/site
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site

clean:
	rm -rf build dist generated/*/build generated/*/*.so $(STAMPS)/package* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# One stamp a dependency group of pyproject.toml, so that the second run of a word is quick.

$(STAMPS)/project: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("wrapper-gen needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --editable '.[cffi]'
	@mkdir -p $(STAMPS) && touch $@

# The packages that unified_gpu stands on, compiled where they lie, when anything that goes into them has changed.
# Without torch there would be nothing but a stub of its own, so it is compiled where torch is installed.

SOURCES := $(wildcard specs/*) $(shell find runtime runtimes templates wrapper_gen -type f -not -name '*.pyc')

$(STAMPS)/packages: $(STAMPS)/cuda $(SOURCES)
	$(BIN)/wrapper-gen build --engine both $(filter-out %/torch.wrapper_spec,$(wildcard specs/*.wrapper_spec))
	@touch $@

# CI, which asks what it does and not how fast, has flags for it in TORCH_FLAGS.
$(STAMPS)/package-of-torch: $(STAMPS)/torch $(SOURCES)
	$(if $(TORCH_FLAGS),CXXFLAGS=$(TORCH_FLAGS)) $(BIN)/wrapper-gen build --engine both specs/torch.wrapper_spec
	@touch $@

# Of ten thousand modules of these, a fifth is ever imported, and compiled then: compiling all takes half a minute.
$(STAMPS)/cuda $(STAMPS)/check $(STAMPS)/platforms $(STAMPS)/pyright $(STAMPS)/site $(STAMPS)/test $(STAMPS)/torch $(STAMPS)/wheels: $(STAMPS)/%: $(STAMPS)/project
	$(PIP) install --no-compile --group $*
	@touch $@
