"""Python's names of what headers declare."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Sequence

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SUFFIX = re.compile(r"(?<=[a-z0-9])_(t|s|st|tag)$")
_HUNGARIAN = re.compile(r"^(?:pp|sz|xs|z|p|i|n|b|e)(?=[A-Z])")
_PREFIX = re.compile(r"[A-Za-z0-9]+?_|[a-z]+(?=[A-Z])")
_OF_THE_LANGUAGE = ("self", "out", "value", "capacity", "length", "owner", "h", "result", "user_data")
_OF_GENERATED_CODE = ("Signature",)
"""Names of classes that the generated code has for itself."""
_OF_GENERATED_CODE = ("Signature",)
"""Names of classes that the generated code has for itself."""
_SHARE = 0.6  # of the functions, that begin alike where a library has a prefix


def snake(name: str) -> str:
    """A name in lower case, with underscores."""
    return _HUMP.sub("_", name).lower()


def usable(name: str) -> str:
    """A name that Python takes: those of its own get an underscore."""
    cleaned = re.sub(r"\W", "_", name).lstrip("_") or "value"
    return f"{cleaned}_" if keyword.iskeyword(cleaned) else f"n{cleaned}" if cleaned[0].isdigit() else cleaned


def parameter(name: str, at: int, *, is_c: bool) -> str:
    """What Python calls a parameter; `zSql` and `pStmt` without what says their type."""
    bare = _HUNGARIAN.sub("", name) if is_c else name
    made = snake(bare).strip("_") or f"a{at}"
    return f"{made}_" if made in _OF_THE_LANGUAGE else usable(made)


def class_name(name: str, prefix: str) -> str:
    """What Python calls a record or an enum: without the library's prefix, in capitals."""
    bare = _SUFFIX.sub("", name.split("::")[-1])
    for each in (prefix, prefix.rstrip("_"), prefix.upper(), prefix.rstrip("_").upper()):
        if each and bare.startswith(each) and bare[len(each) :].strip("_"):
            bare = bare[len(each) :]
            break
    made = "".join(part[:1].upper() + part[1:] for part in bare.split("_") if part) or name
    if made in _OF_GENERATED_CODE:
        made = f"{prefix.rstrip('_').capitalize()}{made}" if prefix else f"{made}Object"
    if made in _OF_GENERATED_CODE:
        made = prefix.rstrip("_").capitalize() + made if prefix else f"{made}Object"
    return made if made[:1].isalpha() and not keyword.iskeyword(made) else f"C{made}"


def common_prefix(names: Sequence[str]) -> str:
    """What most functions of a library begin with; empty where there is no such thing."""
    found = Counter(match[0] for name in names if (match := _PREFIX.match(name)))
    if not found:
        return ""
    (prefix, count), *_ = found.most_common(1)
    return prefix if count >= max(3, _SHARE * len(names)) else ""


def shared_start(names: Sequence[str]) -> str:
    """What all of these begin with, up to an underscore."""
    first, last = min(names, default=""), max(names, default="")
    alike = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[: first.rfind("_", 0, alike) + 1] if len(names) > 1 else ""


def best_prefix(names: Sequence[str], choices: Sequence[str]) -> str:
    """The longest of these that most of the names begin with."""
    fit = [each for each in choices if each and sum(n.startswith(each) for n in names) >= max(_SHARE * len(names), 1)]
    return max(fit, key=len, default="")
