"""What all questions look at: the headers, the functions that are left, and how they use records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from wrapper_gen.drafts.answers import Questions
from wrapper_gen.drafts.decisions import LibraryOptions
from wrapper_gen.drafts.documentation import doc_of
from wrapper_gen.drafts.uses import RecordUse
from wrapper_gen.frozen import frozen
from wrapper_gen.headers import CFunction, Headers

_RELEASES = (
    *("free", "close", "unref", "decref", "release", "destroy", "finalize", "finish", "dispose"),
    *("free_?all", "cleanup", "end", "delete", "clear"),
)
"""What functions that release are called, the likeliest first: `branch_delete` deletes a branch on disk."""
_RELEASE = re.compile(rf"(?:^|_|(?<=[a-z0-9])(?=[A-Z]))((?i:{'|'.join(_RELEASES)}))(?=$|_|[A-Z])")
_ENDINGS = (each for each in _RELEASES if each != "end")  # `append`
_RELEASE_AT_END = re.compile(rf"({'|'.join(_ENDINGS)})(?:_[a-z0-9]{{1,2}})?$")
_MAKES = re.compile(
    r"(?:^|_|(?<=[a-z0-9]))(new|create|open|dopen|init|alloc|dup|copy|clone|prepare|begin|load|parse|make|start|fetch|read|blob"
    r"|New|Create|Open|Init|Alloc|Dup|Copy|Clone|Load|Make|Fetch|Parse)(?=$|_|[A-Z0-9])"
)
_MOST_LISTED = 5
_INTERNAL = re.compile(r"(^|::)(\w+_)?(detail|details|internal|impl|priv|private_)(::|$)")
"""Namespaces that are not for users."""


@frozen
class Context:
    """What questions look at."""

    options: LibraryOptions
    headers: Headers
    questions: Questions
    functions: Sequence[CFunction]
    uses: Mapping[str, RecordUse]

    @property
    def all_macros(self) -> Collection[str]:
        """Macros of any kind: an initialiser of a struct has no value that clang computes."""
        return {*self.headers.constants, *self.headers.macro_texts}

    def shown(self, record: str) -> str:
        """A record as a declaration of C names it."""
        found = self.headers.records.get(record)
        names = sorted(found.typedefs, key=lambda each: each.endswith("*")) if found and self.options.is_c else []
        return names[0].removesuffix(" *") if names else record


def rank_of_release(name: str) -> tuple[int, int]:
    """How likely a function releases what it takes: the least is the likeliest, 99 none."""
    word = (_RELEASE.search(name) or _RELEASE_AT_END.search(name) or [None, ""])[1]
    for at, each in enumerate(_RELEASES):
        if word and re.fullmatch(each, word, re.IGNORECASE):
            return at, len(name)
    return 99, len(name)


def releases(name: str) -> bool:
    """Whether a function is named as one that releases its argument."""
    return rank_of_release(name)[0] < 99


def makes(name: str) -> bool:
    """Whether a function is named as one that makes what it returns."""
    return _MAKES.search(name) is not None


def is_internal(qualified: str) -> bool:
    """Whether a name of C++ lies in a namespace that is not for users: `detail`, `lib_internal`."""
    return _INTERNAL.search(qualified) is not None


def listed(names: Sequence[str]) -> str:
    """The first of these names."""
    shown = ", ".join(names[:_MOST_LISTED])
    return shown + ("…" if len(names) > _MOST_LISTED else "")


def comments(functions: Iterable[CFunction]) -> str:
    """What the header says of functions: the first sentence of each comment, a line each; their names without any."""
    each_once = {function.name: function for function in functions}
    said = {name: doc_of(f.doc, is_item=True) for name, f in each_once.items()}
    lines = [f"{name}: {sentence}" for name, sentence in said.items() if sentence]
    return "\n".join(lines) or listed(sorted(each_once))


def is_listed(name: str, patterns: Any) -> bool:
    """Whether a list of an answer has this name; its items may be patterns."""
    return any(re.fullmatch(str(each), name) for each in patterns or ())


def is_named(function: CFunction, patterns: Any) -> bool:
    """Whether such a list has a function, by its name or by the whole name with its namespaces and class."""
    return is_listed(function.name, patterns) or is_listed(function.qualified, patterns)
