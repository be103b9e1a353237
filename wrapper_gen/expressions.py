"""What the spec's C++ expressions mention and call: nothing here parses C++, or knows what a name stands for."""

from __future__ import annotations

import re
from functools import lru_cache

from wrapper_gen import names

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


MEMBER = re.compile(r"([A-Za-z_]\w*)\s*(\(\s*\))?")
"""A bare name, or a call without arguments."""
_NAME = re.compile(r"(?<!::)(?<!\.)(?<!->)\b[^\W\d]\w*\b(?!\s*::)")


def mentions(text: str, *wanted: str) -> bool:
    """Whether an expression has one of these names, but not as a member, in a namespace, as one, or in a string."""
    return not _names(text).isdisjoint(wanted)


_MEASURED = re.compile(r"\b(\w+)\b(?=\s*(?:\.|->)\s*(?:size|length)\b)")


def measured(text: str) -> frozenset[str]:
    """The names whose length an expression asks for."""
    return frozenset(_MEASURED.findall(text))


@lru_cache(maxsize=1024)  # asked for each parameter
def _names(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(_STRING.sub('""', text)))


def is_qualified(name: str) -> bool:
    """Whether a name of C++ says in which class or namespace it is; its template arguments are no part of that."""
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return "::" in name


def is_function_name(text: str) -> bool:
    """Whether it is a name of C++, with namespaces or without, rather than an expression."""
    return all(names.is_identifier(part) for part in text.removeprefix("::").split("::"))


def called(text: str, *arguments: str) -> str:
    """An expression as it is; where the spec has the name of a function, its call. `value` is none, nor is `errno`."""
    text = text.strip()
    is_value = text in names.CPP_VALUES or text == "value"
    return f"{text}({', '.join(arguments)})" if not is_value and is_function_name(text) else text
