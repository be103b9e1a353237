"""The user's cache folder, for what can be made again: where it is, and whether what lies in it can be trusted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

OTHER = "WRAPPER_GEN_CACHE can name another folder"


def base() -> Path:
    """`$WRAPPER_GEN_CACHE`, or `wrapper-gen` in the user's cache folder.

    Raises:
        RuntimeError: nothing says where the user's home is.
    """
    chosen = os.environ.get("WRAPPER_GEN_CACHE")
    if chosen:
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "wrapper-gen"


def is_own(folder: Path, others: int = stat.S_IWGRP | stat.S_IWOTH) -> bool:
    """Whether a folder of the cache is this user's, and none of these others can write what is run from it.

    Raises:
        OSError: there is no such folder.
    """
    if not hasattr(os, "geteuid"):
        return True
    about, user = folder.stat(), os.geteuid()
    return about.st_uid == user and not about.st_mode & others and base().stat().st_uid in (0, user)
