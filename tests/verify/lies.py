"""Wrong statements put into right specs, one at a time: how many of them `verify` finds.

`python -m tests.verify.lies` prints the share. Those of `lies_seen.yaml` were there while the checks were written. The
other lists were written one after the other, each when the checks were done: its first line says how many were found
then.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

LIBRARIES = Path(__file__).with_name("libraries")
ROOT = Path(__file__).parents[2]
_FINDING = re.compile(r"^lie_\d+\.wrapper_spec:(\d+):\d+: (?:error|warning): .*\[WG\d+\]$", re.MULTILINE)
LISTS = ("seen", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class Lie:
    """A text of a right spec, and the wrong one in its place; `kind` says what is wrong then."""

    library: str
    kind: str
    right: str
    wrong: str


def listed(which: str) -> list[Lie]:
    """The lies of a list."""
    text = Path(__file__).with_name(f"lies_{which}.yaml").read_text(encoding="utf-8")
    return [Lie(**each) for each in yaml.safe_load(text) or []]


@dataclass(frozen=True)
class Verdict:
    """What `verify` says of a lie: its exit code under --strict, and its findings; `lines` are those of the lie."""

    lie: Lie
    code: int
    said: str
    lines: frozenset[int]

    @property
    def is_caught(self) -> bool:
        """Whether something was said at a line of the spec that the right spec does not say: of that, nothing is."""
        return self.code in (1, 3, 4) and any(line in self.lines for line in self.told_at)

    @property
    def told_at(self) -> list[int]:
        """The lines of the spec at which something was found."""
        return [int(line) for line in _FINDING.findall(self.said)]


def lines_of(text: str, at: int, wrong: str) -> frozenset[int]:
    """The lines, from 1, of the entry that has a lie at this place of a text.

    Of a key of a class those are all of the class, and of the entries that give an object of it.
    """
    lines = text.split("\n")
    first, last = (text.count("\n", 0, each) for each in (at, at + len(wrong.rstrip("\n"))))
    start = next((each for each in range(first, -1, -1) if _begins(lines[each], lines[first])), first)
    depth = _indent(lines[start])
    end = max(start, last) + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > depth):
        end += 1
    name = re.match(r"  - (?:\{)?name: (\w+)", lines[start])
    gives = re.compile(rf"-> .*\b{name[1]}\b") if name else re.compile(r"(?!)")
    return frozenset(
        [*range(start + 1, end + 1), *(n for n, each in enumerate(lines, 1) if "def:" in each and gives.search(each))]
    )


def _begins(line: str, inner: str) -> bool:
    """Whether a line begins the item of a list, or the section, that another one is in."""
    is_above = _indent(line) < _indent(inner) or line == inner
    return bool(line.strip()) and is_above and (line.lstrip().startswith("- ") or _indent(line) == 0)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def spec_of(library: str) -> Path:
    """The right spec: of one of the libraries of these tests, of an example, or of the project's own."""
    name = f"{library}.wrapper_spec"
    folders = (LIBRARIES, ROOT / "examples" / "libraries" / library, ROOT / "specs")
    return next(folder / name for folder in folders if (folder / name).exists())


def compiled(folder: Path) -> None:
    """Compile the libraries beside copies of their headers and specs."""
    for each in LIBRARIES.iterdir():
        shutil.copy(each, folder)
    for source in [*LIBRARIES.glob("*.c"), *LIBRARIES.glob("*.cpp")]:
        compiler = "cc" if source.suffix == ".c" else "c++"
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", f"lib{source.stem}.so", source.name]
        subprocess.run(command, cwd=folder, check=True)


def told(spec: Path, *options: str) -> tuple[int, str]:
    """What `verify` says of a spec."""
    command = [sys.executable, "-m", "wrapper_gen", "verify", "--strict", spec.name, *options]
    done = subprocess.run(command, cwd=spec.parent, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def verdicts(lies: Sequence[Lie], folder: Path) -> Iterator[Verdict]:
    """Verify each spec with one lie in it."""

    def of(numbered: tuple[int, Lie]) -> Verdict:
        number, lie = numbered
        right = spec_of(lie.library).read_text(encoding="utf-8")
        assert right.count(lie.right) == 1, f"{lie.right!r} stands {right.count(lie.right)} times in {lie.library}"
        spec = folder / f"lie_{number}.wrapper_spec"
        wrong = right.replace(lie.right, lie.wrong)
        spec.write_text(wrong, encoding="utf-8")
        return Verdict(lie, *told(spec), lines_of(wrong, right.index(lie.right), lie.wrong))

    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(of, enumerate(lies))


def main() -> None:
    """Print which lies are found, and the share."""
    with tempfile.TemporaryDirectory() as name:
        compiled(Path(name))
        for how in sys.argv[1:] or LISTS:
            found = list(verdicts(listed(how), Path(name)))
            for each in found:
                mark = "caught" if each.is_caught else f"MISSED at {sorted(each.lines)}, told at {each.told_at}"
                heads = [line for line in each.said.splitlines() if "[WG" in line]
                print(f"{mark} ({each.code}) {each.lie.library}: {each.lie.kind}: {heads[0] if heads else ''}")
            caught = sum(each.is_caught for each in found)
            share = f", {100 * caught / len(found):.0f} %" if found else ""
            print(f"{how}: {caught} of {len(found)} caught{share}")


if __name__ == "__main__":
    main()
