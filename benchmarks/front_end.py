"""Measures reading and checking specs beside what the libraries alone take; whatever the figures, it exits 0.

python benchmarks/front_end.py [--sizes 10 1000 10000] [--rounds 5]

Prints the table of docs/adr/0011: processor time, the least of all rounds, since other work on the machine only adds.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from common import REPOSITORY, progress, run, table
from jsonschema.validators import Draft202012Validator
from made_up import wrapper_spec

from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec import check, read_document
from wrapper_gen.spec.document import Document
from wrapper_gen.spec.schema import accepts

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
COMMAND = """\
import atexit, gc, sys
gc.disable(); atexit.register(gc.freeze)
{change}
from wrapper_gen.cli import main
main(["generate", *{specs!r}, "--output", {output!r}])
"""
WITH_JSONSCHEMA = """\
import json
import wrapper_gen.spec.schema as schema
from wrapper_gen.resources import SCHEMA
def check(document):
    from wrapper_gen.spec.schema_errors import schema_errors
    return schema.Shape(*schema_errors(document, json.loads(SCHEMA.read_text(encoding="utf-8")), {}))
sys.modules["wrapper_gen.spec"].check = check
"""
WITH_DATACLASS = """\
import dataclasses
import wrapper_gen.frozen
wrapper_gen.frozen.frozen = dataclasses.dataclass(frozen=True)
"""
BARE = "import click, jinja2, yaml, jsonschema"


def least(measured: Callable[[], object], rounds: int) -> float:
    """The least processor time of several rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        measured()
        times.append(time.process_time() - start)
        gc.collect()
    return min(times)


def steps(path: Path, document: Document, wrong: Document) -> Mapping[str, Callable[[], object]]:
    """What is measured in this process, by name."""
    text = path.read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    whole = Draft202012Validator(schema)
    return {
        "read: ours, with the place of everything": lambda: read_document(path, path.name),
        "read: the parser's events alone": lambda: sum(1 for _ in yaml.parse(text, Loader=LOADER)),
        "read: yaml.compose, nodes with places": lambda: yaml.compose(text, Loader=LOADER),
        "read: yaml.load, without places": lambda: yaml.load(text, Loader=LOADER),
        "check: ours": lambda: accepts(document.data, schema),
        "check: jsonschema": lambda: whole.is_valid(document.data),
        "check, one entry wrong: ours, then jsonschema": lambda: check(wrong),
        "check, one entry wrong: jsonschema": lambda: list(whole.iter_errors(wrong.data)),
    }


def in_this_process(sizes: list[int], rounds: int, folder: Path) -> str:
    rows: dict[str, list[str]] = {}
    gc.disable()  # as the command does
    for size in sizes:
        path = folder / f"{size}.wrapper_spec"
        path.write_text(wrapper_spec(size), encoding="utf-8")
        spoilt = folder / f"wrong_{size}.wrapper_spec"
        spoilt.write_text(wrapper_spec(size) + "    unknown_key: 1\n", encoding="utf-8")
        for name, step in steps(path, read_document(path, "right"), read_document(spoilt, "wrong")).items():
            progress(f"{size} functions, {name}")
            rows.setdefault(name, [name]).append(f"{least(step, rounds) * 1e3:.1f}")
    return table(("ms", *(f"{size:,} functions" for size in sizes)), list(rows.values()), texts=1)


def whole_command(rounds: int, folder: Path) -> str:
    """`generate` on the project's own specs in fresh processes, with the library in place of our code."""
    specs = [str(path) for path in sorted((REPOSITORY / "specs").glob("*.wrapper_spec"))]
    changes = {"as it is": "", "jsonschema always": WITH_JSONSCHEMA, "dataclasses.dataclass": WITH_DATACLASS}
    programs = {"the bare import": BARE}
    for name, change in changes.items():
        output = folder / name.replace(" ", "_") / "generated"
        programs[f"generate, {name}"] = COMMAND.format(change=change, specs=specs, output=str(output))
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds * 3):
        for name, program in programs.items():
            progress(name)
            times[name].append(run([sys.executable, "-c", program]).processor_seconds)
    bare = min(times["the bare import"])
    rows = [[name, f"{min(each) * 1e3:.0f}", f"{min(each) / bare:.2f}x"] for name, each in times.items()]
    return table(("command", "ms", "times the bare import"), rows, texts=1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time our reading and checking of specs beside the libraries'.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 1_000, 10_000], help="how many functions")
    parser.add_argument("--rounds", type=int, default=5, help="how often each step runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = [in_this_process(options.sizes, options.rounds, Path(folder))]
        tables.append(whole_command(options.rounds, Path(folder)))
    progress("")
    print("\n\n".join(tables))


if __name__ == "__main__":
    main()
