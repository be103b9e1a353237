#!/usr/bin/env bash
# Runs the tests with the mark `trial`, which restate kinds of faults that were found by trying the tool: over both engines and all backends, then
# those of behaviour/ again under AddressSanitizer and UBSan.
#
#   trials.sh [ARGUMENT OF PYTEST]...
#
# It needs what `make test` installs and compiles. The exit status is not 0 where either run fails.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export WRAPPER_GEN_TEST_CLANG=${WRAPPER_GEN_TEST_CLANG-clang++}
failed=0
.venv/bin/pytest -n 2 --dist worksteal -m trial "$@" || failed=1
.venv/bin/python -m tests.behaviour.sanitized -m trial "$@" || failed=1
exit "$failed"
