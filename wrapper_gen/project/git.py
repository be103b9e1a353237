"""Facts that git knows of a project: who works on it, and where its source is published."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ISSUES = {
    "github.com": "/issues",
    "codeberg.org": "/issues",
    "gitlab.com": "/-/issues",
    "bitbucket.org": "",
}
"""Servers whose pages have the addresses of their repositories; behind that, where one reports issues there."""
_OF_SSH = re.compile(r"(?:ssh://)?(?:[\w.-]+@)?([\w.-]+)[:/]/?([\w./~+-]+)")
_SECONDS = 10


def author(root: Path) -> str:
    """Who commits in this folder, as `NAME <MAIL>`; empty where git does not know it."""
    name, mail = _said(root, "config", "user.name"), _said(root, "config", "user.email")
    return f"{name} <{mail}>" if name and mail else name


def address(root: Path) -> str:
    """The page of the repository `origin`; empty where there is none that can be told from it."""
    return page_of(_said(root, "remote", "get-url", "origin"))


def page_of(remote: str) -> str:
    """The page of a remote repository, without a name or password; empty where its server is not known to have one."""
    if not remote.isprintable() or " " in remote:
        return ""
    if remote.startswith(("https://", "http://")):
        try:
            parts = urlsplit(remote)
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            return ""
        page = urlunsplit((parts.scheme, f"{parts.hostname}{port}", parts.path, "", ""))
        return _without_end(page) if parts.hostname else ""
    found = _OF_SSH.fullmatch(remote)
    return _without_end(f"https://{found[1]}/{found[2]}") if found and found[1] in ISSUES else ""


def issues(page: str) -> str:
    """Where one reports issues of the repository with this page; empty where its server is not known."""
    end = ISSUES.get(urlsplit(page).hostname or "", "")
    return page.rstrip("/") + end if end else ""


def _without_end(page: str) -> str:
    return page.rstrip("/").removesuffix(".git")


def _said(root: Path, *words: str) -> str:
    """What git prints in this folder, or in the nearest one that is there; empty where it fails or is missing."""
    program = shutil.which("git")
    folder = next((each for each in (root, *root.absolute().parents) if each.is_dir()), None)
    if program is None or folder is None:
        return ""
    try:
        done = subprocess.run(
            [program, "-C", str(folder), *words], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
