"""The macros for calls with each number of arguments are written by a program, and not by hand."""

from __future__ import annotations

import runpy

from wrapper_gen.resources import RUNTIME


def test_the_header_is_what_the_program_writes() -> None:
    written = runpy.run_path(str(RUNTIME / "call_macros.py"))["text"]()
    assert (RUNTIME / "include/wg/entries/call_macros.hpp").read_text(encoding="utf-8") == written
