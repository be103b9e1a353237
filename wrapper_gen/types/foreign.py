"""Types of other languages, and what to suggest in place of each."""

from __future__ import annotations

import re
from collections.abc import Collection

_SAME = {
    **dict.fromkeys(("int", "int32_t", "signed", "signed int", "i32_t", "long int32"), "i32"),
    **dict.fromkeys(("int64_t", "long", "long long", "long int", "ssize_t", "ptrdiff_t", "intptr_t", "isize"), "i64"),
    **dict.fromkeys(("uint8_t", "unsigned char", "byte", "std::byte", "uchar"), "u8"),
    **dict.fromkeys(("int8_t", "signed char", "char"), "i8"),
    **dict.fromkeys(("int16_t", "short"), "i16"),
    **dict.fromkeys(("uint16_t", "unsigned short"), "u16"),
    **dict.fromkeys(("uint32_t", "unsigned", "unsigned int", "uint"), "u32"),
    **dict.fromkeys(("uint64_t", "unsigned long", "unsigned long long", "uintptr_t"), "u64"),
    **dict.fromkeys(("size_t", "std::size_t"), "usize"),
    **dict.fromkeys(("float", "float32"), "f32"),
    **dict.fromkeys(("double", "float64", "long double", "real"), "f64"),
    **dict.fromkeys(("complex64", "std::complex<float>", "Complex32"), "c64"),
    **dict.fromkeys(("complex", "complex128", "std::complex<double>", "Complex64", "_Complex double"), "c128"),
    **dict.fromkeys(("str", "string", "std::string", "std::string_view", "string_view", "char*", "utf8"), "text"),
    **dict.fromkeys(("bytearray", "buffer", "memoryview", "blob", "binary", "std::span<std::byte>"), "bytes"),
    **dict.fromkeys(("Path", "pathlib.Path", "os.PathLike", "std::filesystem::path", "filesystem::path"), "path"),
    **dict.fromkeys(("timedelta", "datetime.timedelta", "std::chrono::nanoseconds", "chrono::duration"), "duration"),
    **dict.fromkeys(("std::chrono::seconds", "std::chrono::milliseconds", "std::chrono::microseconds"), "duration"),
    **dict.fromkeys(
        ("datetime.datetime", "std::chrono::system_clock::time_point", "std::chrono::sys_seconds"), "datetime"
    ),
    **dict.fromkeys(("time_t", "std::time_t"), "datetime[s]"),
    **dict.fromkeys(("None", "none", "null", "nothing", "()"), "void"),
    **dict.fromkeys(("boolean", "_Bool"), "bool"),
    **dict.fromkeys(("array", "ndarray", "numpy.ndarray", "np.ndarray"), "&[f64]"),
}
_PYTHON = {"int": "i64", "float": "f64"}
"""What Python's types are where they are not what C calls so."""
_GENERIC = {
    **dict.fromkeys(("vector", "list", "List", "Sequence", "array", "initializer_list", "Vec"), ("[{}]", 1)),
    **dict.fromkeys(("set", "unordered_set", "Set", "frozenset", "HashSet"), ("set[{}]", 1)),
    **dict.fromkeys(("optional", "Optional", "Option"), ("{}?", 1)),
    **dict.fromkeys(("span", "Span"), ("&[{}]", 1)),
    **dict.fromkeys(("map", "unordered_map", "dict", "Dict", "Mapping", "HashMap"), ("{{{}: {}}}", 2)),
    **dict.fromkeys(("pair", "tuple", "Tuple"), ("({}, {})", 2)),
    **dict.fromkeys(("variant", "Union"), ("{} | {}", 2)),
    **dict.fromkeys(("Iterator", "Iterable", "Generator", "generator"), ("iter[{}]", 1)),
}
"""How the type is written here, and how many types it is made of."""
_GENERIC_TYPE = re.compile(r"(?:std::|wg::)?(\w+)\s*[<\[](.*)[>\]]", re.DOTALL)
_ADVICE = {
    **dict.fromkeys(("list", "vector", "Sequence"), "say what it holds: [i64], [text]"),
    **dict.fromkeys(("tuple", "pair"), "say what it holds: (i64, text)"),
    **dict.fromkeys(("struct", "record"), "write the name of one that the spec declares under `structs`"),
    **dict.fromkeys(("dict", "map", "unordered_map"), "say what it holds: {text: i64}"),
    **dict.fromkeys(
        ("callback", "callable", "Callable", "function", "fn", "closure"),
        "say what it is called with and what it returns: fn(i64, text) -> bool",
    ),
    **dict.fromkeys(
        ("any", "Any", "auto", "PyObject", "variant"),
        "say which types it can be, i64 | text; or write object",
    ),
    **dict.fromkeys(
        ("time_point", "chrono::time_point", "steady_clock::time_point"),
        "a point in time of std::chrono::system_clock is a datetime; of another clock, declare duration, how long "
        "after its epoch it is: `result: value.time_since_epoch()`, and for a parameter its time_point(x)",
    ),
    **dict.fromkeys(("enum", "handle", "class"), "write the name of one that the spec declares"),
}
"""What to do where the name alone does not say enough, or there is no such type here."""


def advice(text: str, known: Collection[str]) -> str:
    """What to write instead of a type of C++, Python or Rust; empty when it is none. `known` are the spec's types."""
    ours = _translated(text, known)
    if ours:
        of_python = _PYTHON.get(text.strip(), ours)
        return (
            f"write {ours!r}"
            if of_python == ours
            else f"write {ours!r}, or {of_python!r} for what Python calls {text.strip()}"
        )
    if text.startswith("mut "):
        return "only the type of a property has `mut`, once; memory that a call writes is &mut [f64]"
    name = re.split(r"[<\[(]", text)[0].removeprefix("std::").strip()
    name = "time_point" if name.endswith("_clock::time_point") else name
    return _ADVICE.get(name, "")


_PROTOTYPE = re.compile(
    r"(?P<returns>(?:\w[\w:<>]*[\s*&]+)+)(?P<name>\w+)\s*\((?P<takes>[^()]*)\)\s*(?:const)?\s*;?\s*\Z"
)


def signature_of(prototype: str) -> str | None:
    """What to write for a function as C declares it: empty where a type is not clear, None for other texts."""
    found = _PROTOTYPE.match(prototype.strip())
    if found is None or ":" in re.sub("::", "", found["takes"]) or "->" in prototype:
        return None
    takes = [each.strip() for each in found["takes"].split(",") if each.strip() not in ("", "void")]
    parameters = []
    for i, each in enumerate(takes):
        declared = re.fullmatch(r"(.*[\s*&])(\w+)", each)
        is_named = declared is not None and declared[2] not in _SAME and bool(declared[1].strip())
        type_, name = (declared[1], declared[2]) if declared and is_named else (each, f"x{i + 1}")
        parameters.append((name, _of_c(type_)))
    returns = "void" if found["returns"].strip() == "void" else _of_c(found["returns"])
    if not returns or not all(type_ for _, type_ in parameters):
        return ""
    result = "" if returns == "void" else f" -> {returns}"
    return f"{found['name']}({', '.join(f'{name}: {type_}' for name, type_ in parameters)}){result}"


def _of_c(type_: str) -> str:
    return _translated(" ".join(type_.replace("*", " *").split()), ())


def directions(text: str, *, is_parameter: bool) -> tuple[tuple[str, str], ...]:
    """What a pointer or a reference to a number can be meant as, each with the type of ours."""
    element = _SAME.get(text.replace("const", "").rstrip("&* ").strip(), "")
    if not re.fullmatch(r"[iuf]\d+|usize", element):
        return ()
    if not is_parameter:
        return (("one number", element), ("numbers, which are copied", f"[{element}]"))
    one = (("one number, which is read", element),)
    return (("memory that is read", f"&[{element}]"), ("memory that is written", f"&mut [{element}]"), *one)


def _translated(text: str, known: Collection[str], *, python: bool = False) -> str:
    """The type of ours that a foreign one is; empty when there is none. With `python`, a type of Python, not of C."""
    text = text.strip().replace(" *", "*")
    text = text.removeprefix("const ").removesuffix("&").strip() if text.startswith("const ") else text
    if python and text in _PYTHON:
        return _PYTHON[text]
    *types, last = _parts(text, "|")
    if types and last == "None":
        found = [each if each in known else _translated(each, known, python=True) for each in types]
        one = " | ".join(found) if len(found) == 1 else f"({' | '.join(found)})"
        return f"{one}?" if all(found) else ""
    generic = _GENERIC_TYPE.fullmatch(text)
    if generic is None or generic[1] not in _GENERIC:
        return _SAME.get(text, "")
    pattern, count = _GENERIC[generic[1]]
    inner = _parts(generic[2], ",")
    is_python = python or text.endswith("]")
    translated = [part if part in known else _translated(part, known, python=is_python) for part in inner]
    return pattern.format(*translated) if len(inner) == count and all(translated) else ""


def _parts(text: str, mark: str) -> list[str]:
    """The text between the marks that stand in no brackets."""
    found, depth = [""], 0
    for char in text:
        depth += (char in "<[(") - (char in ">])")
        if char == mark and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return [each.strip() for each in found]
