"""Wrong statements put into right specs, one at a time: how many of them `verify` finds.

`python -m tests.verify.lies` prints the share. Those of `lies_seen.yaml` were there while the checks were written. The
other lists were written one after the other, each when the checks were done: its first line says how many were found
then.
"""

from __future__ import annotations

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
LISTS = ("seen", "second", "third", "fourth")


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
    """What `verify` says of a lie: its exit code under --strict, and its findings."""

    lie: Lie
    code: int
    said: str

    @property
    def is_caught(self) -> bool:
        """Whether something was said at a line of the spec that the right spec does not say."""
        return self.code in (1, 3, 4)


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
        spec.write_text(right.replace(lie.right, lie.wrong), encoding="utf-8")
        return Verdict(lie, *told(spec))

    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(of, enumerate(lies))


def main() -> None:
    """Print which lies are found, and the share."""
    with tempfile.TemporaryDirectory() as name:
        compiled(Path(name))
        for how in sys.argv[1:] or LISTS:
            found = list(verdicts(listed(how), Path(name)))
            for each in found:
                mark = "caught" if each.is_caught else "MISSED"
                heads = [line for line in each.said.splitlines() if "[WG" in line]
                print(f"{mark} ({each.code}) {each.lie.library}: {each.lie.kind}: {heads[0] if heads else ''}")
            caught = sum(each.is_caught for each in found)
            share = f", {100 * caught / len(found):.0f} %" if found else ""
            print(f"{how}: {caught} of {len(found)} caught{share}")


if __name__ == "__main__":
    main()
