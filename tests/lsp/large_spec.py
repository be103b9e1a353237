"""A large spec, and what an editor asks about it: for the test of how long that takes, and `benchmarks/editors.py`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.language_servers import Document


def large(entries: int) -> str:
    """A spec of so many entries, half of them methods."""
    lines = ["wrapper_lib: {name: big, lang: c, prefix: big_}", "handle_types:"]
    for i in range(entries // 20):
        lines += [f"  - name: Thing{i}", f"    cpp_type: thing{i} *", "    release: thing_free", "    methods:"]
        lines += [f'      - {{def: "act{j}(data: bytes, count: i32 = 3) -> text", doc: Does it.}}' for j in range(9)]
    lines.append("functions:")
    lines += [f'  - {{def: "work{i}(data: bytes, other: Thing{i % 5}) -> i64"}}' for i in range(entries // 2)]
    return "\n".join(lines) + "\n"


def questions(document: Document) -> Mapping[str, Callable[[], Any]]:
    """What an editor asks while one types in this spec, each to be asked as often as wanted."""
    nothing = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}

    def typed() -> None:
        document.change(document.text + "\n")
        document.of("codeAction", range=nothing, context={"diagnostics": []})  # waits for what is found

    return {
        "completion": lambda: document.at("completion", '"work50(data: by'),
        "hover": lambda: document.at("hover", '"work50(data: by'),
        "symbols": lambda: document.of("documentSymbol"),
        "tokens": lambda: document.of("semanticTokens/full"),
        "diagnostics": typed,
    }


def processor_time(process: int) -> float:
    """The seconds for which a process has run: what a busy machine does not change."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
