"""The files of a git revision."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

from wrapper_gen.diagnostics import Diagnostic, Span, SpecError


def extracted(revision: str, here: Path, to: Path) -> None:
    """Write all files of a revision, of the repository that `here` is in, below a folder.

    Raises:
        SpecError: git is missing, or does not know the revision (WG334).
    """
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        top = _git(here, ["rev-parse", "--show-toplevel"], environment)
        root = Path(top.stdout.decode().strip()) if top.returncode == 0 else here
        done = _git(root, ["archive", "--format=tar", "--end-of-options", revision], environment)
    except OSError as error:
        raise _refused(revision, f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        raise _refused(revision, said[-1].removeprefix("fatal: "))
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extraction_filter = tarfile.data_filter  # nothing outside of the folder
        archive.extractall(to)


def is_revision(name: str, here: Path) -> bool:
    """Whether git knows a revision of this name, of the repository that `here` is in."""
    try:
        wanted = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
        return _git(here, wanted, {**os.environ, "LC_ALL": "C"}).returncode == 0
    except OSError:
        return False


def _git(folder: Path, arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, env=environment, check=False)


def _refused(revision: str, why: str) -> SpecError:
    message = f"the revision {revision!r} cannot be read: {why}"
    return SpecError([Diagnostic("WG334", message, Span(revision, 1, 1), "name a spec, a package, or REVISION:path")])
