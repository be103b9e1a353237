"""Times `import` and `verify` over headers, beside libclang's own parse and what others read; exits 0 in any case.

python benchmarks/headers.py [--no-install] [--page docs/import.md]

Processor seconds of fresh processes, the best of three: imports of made-up headers with 300 and 3 000 functions,
reading template-heavy headers beside libclang's parse of them, `verify` of a spec with 300 entries, and SWIG, litgen
and headerkit on the same made-up header. What takes longer than a minute is stopped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from common import OverLimit, RunFailed, progress, run, table
from made_up import LITGEN_PROGRAM, SWIG_INTERFACE, header
from peers import ENVIRONMENT, Missing, installed

TEMPLATE_HEAVY = {
    "yaml-cpp": ["yaml-cpp/yaml.h"],
    "pugixml": ["pugixml.hpp"],
    "re2": ["re2/re2.h", "re2/set.h", "re2/filtered_re2.h"],
    "leveldb": ["leveldb/db.h", "leveldb/write_batch.h"],
}
ROUNDS = 3
LIMIT = 60.0  # seconds on the clock
BEGIN, END = "<!-- table of benchmarks/headers.py -->", "<!-- end of the table of headers -->"
PARSE = """\
import gc, sys
gc.disable()
from wrapper_gen.headers.read import Clang, HeaderSource
source = HeaderSource(tuple(sys.argv[2:]), "c++")
"""
READS = {
    "nothing": PARSE + "Clang(source); source.arguments",
    "libclang": PARSE + "Clang(source).parse()",
    "ours": PARSE + "from wrapper_gen.headers.read import read; read(source)",
}
HEADERKIT = (
    "import sys; from headerkit.backends import get_backend\nget_backend().parse(open(sys.argv[1]).read(), sys.argv[1])"
)


def main() -> None:
    """Measure, and print the tables or write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-install", action="store_true", help="leave out what is not installed")
    parser.add_argument("--page", type=Path, help="a page that has the tables")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        text = f"{of_templates()}\n\n{of_sizes(Path(folder), install=not chosen.no_install)}"
    if chosen.page:
        page = chosen.page.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        chosen.page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    else:
        print(text)


def best(command: Sequence[str], before: Callable[[], object] = lambda: None) -> float:
    """The processor seconds of a command, the least of some rounds."""
    seconds = []
    for _ in range(ROUNDS):
        before()
        seconds.append(run(command, limit=LIMIT).processor_seconds)
    return min(seconds)


def shown(command: Sequence[str], before: Callable[[], object] = lambda: None) -> str:
    """The same as text, or why there is none."""
    try:
        return f"{best(command, before):.2f} s"
    except OverLimit:
        return f"more than {LIMIT:.0f} s"
    except RunFailed as error:
        return f"does not run here: {str(error).splitlines()[-1][:100]}"


def of_templates() -> str:
    """Reading template-heavy headers, and libclang's own parse of them; what both start with is taken off."""
    rows = []
    for name, headers in TEMPLATE_HEAVY.items():
        progress(f"{name}…")
        try:
            times = {what: best([sys.executable, "-c", code, what, *headers]) for what, code in READS.items()}
        except RunFailed:
            continue  # the library's headers are not here
        parse, ours = (times[each] - times["nothing"] for each in ("libclang", "ours"))
        rows.append((name, f"{parse:.2f} s", f"{ours:.2f} s", f"{ours / parse:.2f}"))
    return table(("header", "libclang's parse", "ours", "times"), rows)


def of_sizes(folder: Path, *, install: bool) -> str:
    """Imports and a verify of made-up libraries, and what other tools take to read the same headers."""
    rows = []
    for count in (300, 3000):
        progress(f"{count} functions…")
        path = folder / str(count)
        path.mkdir()
        (path / "bench.hpp").write_text(header(count), encoding="utf-8")
        command = [sys.executable, "-m", "wrapper_gen", "import", "bench.hpp", "--lib", "bench"]
        command += ["--include", str(path), "-o", str(path)]
        rows.append((f"wrapper-gen import, {count} functions", shown(command, lambda at=path: cleaned(at))))
    path = folder / "300"
    spec = [sys.executable, "-m", "wrapper_gen", "verify", str(path / "bench.wrapper_spec"), "--lock"]
    rows.append(("wrapper-gen verify, 300 entries", shown([*spec, str(path / "bench.import.lock")])))
    for count in (300, 3000):
        rows += [(f"{name}, {count} functions", said) for name, said in peers(folder / str(count), install=install)]
    return table(("what", "processor seconds"), rows)


def cleaned(folder: Path) -> None:
    """Remove what an import has written."""
    for each in folder.glob("bench.*"):
        if each.suffix != ".hpp":
            each.unlink()


def peers(path: Path, *, install: bool) -> list[tuple[str, str]]:
    """SWIG and litgen generate, headerkit parses: each its own way to read the header, with what it does then."""
    (path / "bench.i").write_text(SWIG_INTERFACE, encoding="utf-8")
    (path / "litgen_program.py").write_text(LITGEN_PROGRAM, encoding="utf-8")
    python, hpp = str(ENVIRONMENT / "bin" / "python"), str(path / "bench.hpp")
    swig = [
        "swig",
        "-c++",
        "-python",
        f"-I{path}",
        "-outdir",
        str(path),
        "-o",
        f"{path}/bench_wrap.cxx",
        f"{path}/bench.i",
    ]
    commands: dict[str, tuple[str | Missing, list[str]]] = {
        "SWIG": ("", swig),
        "litgen": (installed("litgen", "0.22.0", install), [python, f"{path}/litgen_program.py", hpp, str(path)]),
        "headerkit": (installed("headerkit", "0.47.8", install), [python, "-c", HEADERKIT, hpp]),
    }
    found = []
    for name, (version, command) in commands.items():
        progress(f"{name}…")
        said = version.why if isinstance(version, Missing) else shown(command)
        found.append((f"{name} {version}".rstrip() if isinstance(version, str) else name, said))
    return found


if __name__ == "__main__":
    main()
