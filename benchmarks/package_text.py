"""Counts the files and lines of a package, its own and the runtime's, for each way to have the runtime.

python benchmarks/package_text.py [SPEC ...]        without a spec: one with a single function
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from common import table

from wrapper_gen import names, pipeline
from wrapper_gen.diagnostics import SpecError
from wrapper_gen.runtime_files import Runtime

ONE_FUNCTION = """\
wrapper_lib: {name: one}
cpp_prelude: "#include <cmath>"
functions:
  - {def: "hypot(x: f64, y: f64) -> f64"}
"""
HEADER = ("package", "runtime", "files", "its own lines", "lines of the runtime")


def rows(spec: Path) -> list[tuple[str, ...]]:
    """A row for each way; a runtime that lies elsewhere does not count."""
    found = []
    for runtime in Runtime:
        generated = pipeline.generate(spec, spec.name, runtime=runtime)
        lines = {True: 0, False: 0}
        for path, text in generated.files.items():
            lines[path.parts[1] == names.RUNTIME] += text.count("\n")
        counted = (len(generated.files), lines[False], lines[True])
        found.append((generated.module.package, runtime.value, *(f"{count:,}".replace(",", " ") for count in counted)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("specs", nargs="*", type=Path, metavar="SPEC")
    specs = parser.parse_args().specs
    with tempfile.TemporaryDirectory() as folder:
        if not specs:
            specs = [Path(folder) / "one.wrapper_spec"]
            specs[0].write_text(ONE_FUNCTION, encoding="utf-8")
        try:
            counted = [row for spec in specs for row in rows(spec)]
        except SpecError as error:
            parser.exit(1, f"{error}\n")
        print(table(HEADER, counted, texts=2))


if __name__ == "__main__":
    main()
