"""Which section of the documentation explains each key of a spec: where the tables of docs/reference.md lead to."""

from __future__ import annotations

_STATUSES = "guide/errors.md#which-status-is-tested"
_VALUES = "guide/c-values.md#c-structs-that-stand-for-a-value"
_OF_C = "guide/callbacks-in-c.md#callbacks-with-cs-arguments"
_NAMES = "guide/signatures.md#signatures-in-one-line-def"
_REPEATED = "guide/signatures.md#several-entries-from-one-for"
_BUFFERS = "guide/c-memory.md#buffers-that-the-call-fills"
_GIVEN = "guide/c-memory.md#memory-that-the-call-allocates-or-returns"
_OWNERS = "guide/memory.md#memory-and-its-owners"
_HOLDERS = "guide/lifetimes.md#objects-that-keep-arguments"
_WAITS = "guide/threads.md#a-library-that-waits"
_LIBRARY = "guide/functions.md#the-library"
_FOUND = "guide/libraries.md#finding-the-library"
_PROPERTIES = "guide/handles.md#properties"
_RAISED = "guide/callback-lifetimes.md#exceptions-in-callbacks"

EVERYWHERE = {
    "for": _REPEATED,
    "entries": _REPEATED,
    "module": "guide/names.md#submodules",
    "deprecated": "guide/names.md#deprecated-entries",
    "def": _NAMES,
    "prefix": _NAMES,
    "cpp": "guide/functions.md#cpp-a-name-a-call-or-an-expression",
    "cpp_body": "guide/functions.md#what-implements-a-function",
    "cpp_prelude": _LIBRARY,
    "capacity": _BUFFERS,
    "grow": _BUFFERS,
    "length": _GIVEN,
    "release": _GIVEN,
    "stream": "guide/c-calls.md#streams",
    "raises": _STATUSES,
    "status": _STATUSES,
    "ok": _STATUSES,
    "result": _STATUSES,
    "none": _STATUSES,
    "scope": "guide/callback-lifetimes.md#how-long-c-calls-it-scope",
    "user_data": "guide/callback-lifetimes.md#user-data",
    "on_exception": _RAISED,
    "blocking": "guide/threads.md#threads",
    "thread": "guide/threads.md#threads",
    "async": _WAITS,
    "cancel": _WAITS,
    "on_failure": _OWNERS,
    "belongs_to": "guide/memory.md#handles-that-another-handle-owns",
    "holds": _HOLDERS,
    "holds_last": _HOLDERS,
    "lets_go": _HOLDERS,
    "takes": _OWNERS,
    "ends": "guide/lifetimes.md#calls-that-end-handles",
    "stub": "guide/libraries.md#stub-mode",
    "params": "language.md#entries",
}
"""Keys that mean the same wherever they stand."""

OF_A_SECTION = {
    "The spec": {
        "wrapper_lib": _LIBRARY,
        "errors": "guide/errors.md#errors",
        "enums": "guide/names.md#enums",
        "structs": "guide/structs.md#structs",
        "types": _VALUES,
        "handle_types": "guide/handles.md#handles",
        "constants": "guide/names.md#constants",
        "functions": "guide/functions.md#functions",
    },
    "representation": {
        **dict.fromkeys(("name", "type", "cpp_type", "data", "length", "tag", "cases", "release"), _VALUES),
        **dict.fromkeys(("cpp", "capacity", "result", "raises", "on_exception"), _OF_C),
        **dict.fromkeys(("next", "valid"), "cursors.md#cursors-and-linked-lists"),
        "status": "cursors.md#when-an-iteration-fails",
        "make": "guide/c-values.md#values-of-c-that-are-made-of-pythons",
        "thread": "guide/callback-lifetimes.md#callbacks-from-other-threads",
    },
    "wrapper_lib": {
        **dict.fromkeys(("name", "lang", "cpp_include"), _LIBRARY),
        **dict.fromkeys(("link", "requires", "std", "compile_args", "link_args"), _FOUND),
        **dict.fromkeys(("init", "shutdown"), "guide/libraries.md#init-and-shutdown"),
        "optional": "guide/libraries.md#stub-mode",
        "package": "guide/names.md#names",
        "dynamic": "guide/libraries.md#loading-at-first-use",
        "uses": "guide/libraries.md#types-of-another-package",
        "sources": "guide/names.md#python-of-your-own",
        "case": _NAMES,
    },
    "requirement": dict.fromkeys(("dirs", "python"), _FOUND),
    "exception": dict.fromkeys(("when", "also", "fields", "exceptions"), _STATUSES),
    "error": dict.fromkeys(("name", "label", "message", "code", "exceptions", "fields", "on_null"), _STATUSES),
    "enum": dict.fromkeys(("values", "flags"), "guide/names.md#enums"),
    "struct": {
        "extends": "guide/struct-methods.md#structs-that-extend-another",
        "fields": "guide/structs.md#structs",
        "make": "guide/structs.md#fields-behind-functions",
        "methods": "guide/struct-methods.md#methods-of-records",
        **dict.fromkeys(("scope", "user_data", "thread", "on_exception"), "guide/callbacks.md#callables-in-structs"),
    },
    "handle_type": {
        **dict.fromkeys(("cpp_type", "empty", "release"), "guide/handles.md#handles"),
        "in_place": "guide/c-memory.md#structs-that-the-caller-allocates",
        "fields": _PROPERTIES,
        "extends": "guide/memory.md#handles-that-extend-another",
        "when": "guide/memory.md#kinds-of-objects-in-c",
        "identity": "guide/identity.md#one-object-for-each-pointer",
    },
    "attribute": dict.fromkeys(("type", "cpp", "set"), _PROPERTIES),
    "accessor": {"cpp": _PROPERTIES},
    "constant": dict.fromkeys(("type", "cpp"), "guide/names.md#constants"),
    "stream": dict.fromkeys(("input", "output"), "guide/c-calls.md#streams"),
    "streaming": dict.fromkeys(("until", "input", "output"), "guide/c-calls.md#streams"),
    "holds": dict.fromkeys(("self", "result"), _HOLDERS),
    "Keys of functions and methods": {"label": "guide/signatures.md#several-functions-of-one-name"},
    "method": {"cpp_type": "guide/overriding.md#overriding-in-python"},
}
"""What one section of the reference adds to that, or has in place of it."""


def section_of(key: str, title: str) -> str:
    """Where the key is explained; empty where nothing needs to be said beside the table."""
    return OF_A_SECTION.get(title, {}).get(key) or EVERYWHERE.get(key, "")


def unknown(titles: dict[str, set[str]]) -> list[str]:
    """The keys that are named here and stand in no table, given the keys of each."""
    every = set().union(*titles.values())
    listed = [(title, key) for title, keys in OF_A_SECTION.items() for key in keys]
    found = [f"{key} of {title}" for title, key in listed if key not in titles.get(title, ())]
    return [key for key in EVERYWHERE if key not in every] + found
