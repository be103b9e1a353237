"""Importing a package is quick: with the cpython engine it loads next to nothing besides itself."""

from __future__ import annotations

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: plain}
handle_types: [{name: Box, cpp_type: "i64*", release: delete h.inner}]
functions:
  - {name: box, cpp_fn: "[](i64 x) { return new i64(x); }", params: [{name: x, type: i64}], return: Box}
"""
HEAVY = {"collections", "contextlib", "dataclasses", "enum", "functools", "pathlib", "re", "typing", "zlib"}
"""What a package could do without."""


@pytest.mark.skipif("cpython" not in ENGINES, reason="this Python has no cpython engine")
def test_only_the_package_itself_is_loaded() -> None:
    package = packages.build_text(SPEC, name="plain")
    code = "import sys; before = set(sys.modules); import plain_ffi; print(*sys.modules.keys() - before)"
    loaded = set(package.python(code, engine="cpython").stdout.split())
    assert "plain_ffi" in loaded
    assert not loaded & HEAVY
