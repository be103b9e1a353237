"""What a kernel takes: read from its type, as the compiler that has compiled it names that type.

Compilers for the CPU and NVRTC mangle names alike, by the Itanium C++ ABI: `PFvPKffE` is `void (*)(const float *,
float)`, with macros, typedefs and templates resolved. Only the names of the parameters come from the source, for
messages.
"""

from __future__ import annotations

import re

from unified_gpu.dtypes import DTYPES, DType

from .arguments.layout import Parameter
from .mangling import CType, parse_function

_BUILTINS = {
    "bool": "bool",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned int": "u32",
    "long": "i64",
    "unsigned long": "u64",
    "long long": "i64",
    "unsigned long long": "u64",
    "float": "f32",
    "double": "f64",
    "__half": "f16",
    "__nv_bfloat16": "bf16",
}
_VECTORS = {"uchar": "u8", "ushort": "u16", "uint": "u32", "ulong": "u64", "longlong": "i64", "ulonglong": "u64"}
_VECTOR = re.compile(r"(u?(?:char|short|int|long|longlong)|float|double)([1-4])|(__half|__nv_bfloat16)2")
_NO_NAMES = {"const", "volatile", "restrict", "__restrict__", "__restrict", "__grid_constant__", "struct"}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def parameters_of(mangled: str, source: str, kernel: str) -> tuple[Parameter, ...]:
    """What a kernel takes.

    Args:
        mangled: the type of a pointer to it.
        source: in which it is found, where it can be, for the names of its parameters.
        kernel: its name there.

    Raises:
        ValueError: when one of them is neither a number nor a pointer to numbers.
    """
    types = parse_function(mangled)
    names = _names(source, kernel, len(types))
    return tuple(_parameter(type_, name, kernel) for type_, name in zip(types, names, strict=True))


def without_comments(source: str) -> str:
    return _COMMENT.sub(" ", source)


def plain_name(kernel: str) -> str:
    """The identifier in `mine::scale<float>`."""
    return re.sub(r"<.*", "", kernel, flags=re.DOTALL).rpartition("::")[2].strip()


def kernels_in(source: str) -> list[str]:
    """What looks like kernels, for messages."""
    return re.findall(r"__global__\b[^;{}]*?\bvoid\b[^;{}]*?(\w+)\s*\([^()]*\)\s*\{", without_comments(source))


def is_template(source: str, kernel: str) -> bool:
    """Whether it looks like a template of which an instance is wanted; for messages."""
    pattern = rf"\btemplate\s*<[^;{{}}]*__global__[^;{{}}]*\b{re.escape(plain_name(kernel))}\s*\("
    return re.search(pattern, without_comments(source)) is not None


def _parameter(type_: CType, name: str, kernel: str) -> Parameter:
    if type_.target is not None and type_.text.endswith("*"):
        if type_.target.text == "void":
            return Parameter(name, None, pointer=True)
        dtype, lanes = _elements(type_.target.text)
        if dtype is not None:
            return Parameter(name, dtype, pointer=True, lanes=lanes)
    elif type_.text in _BUILTINS:
        return Parameter(name, DTYPES[_BUILTINS[type_.text]])
    raise ValueError(
        f"`{type_.text} {name}` of kernel {kernel} cannot be passed from here; parameters are numbers and pointers to "
        "numbers: float, double, int, unsigned, long long, int8_t … uint64_t, size_t, bool, half, void *, float4 *"
    )


def _elements(text: str) -> tuple[DType | None, int]:
    """What a pointer to a type points to, and how many of them at once."""
    if text in _BUILTINS:
        return DTYPES[_BUILTINS[text]], 1
    found = _VECTOR.fullmatch(text)
    if found is None:
        return None, 1
    element, count, half = found.groups()
    name = half or _VECTORS.get(element, element)
    return DTYPES.get(name) or DTYPES[_BUILTINS[name]], int(count or 2)


def _names(source: str, kernel: str, count: int) -> list[str]:
    """What the parameters are called where a kernel of that name and with as many of them is declared."""
    for found in re.finditer(rf"\b{re.escape(plain_name(kernel))}\s*\(([^()]*)\)\s*[{{;]", without_comments(source)):
        parts = found[1].split(",")
        if len(parts) == count:
            return [_declared(part) or f"argument {number}" for number, part in enumerate(parts)]
    return [f"argument {number}" for number in range(count)]


def _declared(text: str) -> str:
    """The name in `const float *x` or `float x[4]`; empty where there seems to be none."""
    words = [word for word in re.findall(r"\w+", re.sub(r"\[.*", "", text)) if word not in _NO_NAMES]
    return words[-1] if len(words) > 1 and words[-1] not in _BUILTINS else ""
