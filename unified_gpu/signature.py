"""Reads what a kernel takes from its CUDA C source: numbers, and pointers to numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .dtypes import DTYPES, DType

_C_TYPES = {
    "bool": "bool",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned": "u32",
    "long": "i64",
    "unsigned long": "u64",
    "long long": "i64",
    "unsigned long long": "u64",
    "float": "f32",
    "double": "f64",
    "half": "f16",
    "__half": "f16",
    "bfloat16": "bf16",
    "__nv_bfloat16": "bf16",
    "size_t": "u64",
    "ptrdiff_t": "i64",
    **{f"int{bits}_t": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"u{bits}" for bits in (8, 16, 32, 64)},
}
_QUALIFIERS = {"const", "volatile", "restrict", "__restrict__", "__restrict", "__grid_constant__"}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        dtype: of the number, or of what the pointer points to; None for `void *`, which takes every dtype.
        code: of the `struct` module.
    """

    name: str
    dtype: DType | None
    pointer: bool

    @property
    def code(self) -> str:
        return "P" if self.pointer or self.dtype is None else self.dtype.format

    def __str__(self) -> str:
        return f"{self.dtype or 'void'}{' *' if self.pointer else ' '}{self.name}"


def parse_signature(source: str, name: str) -> tuple[Parameter, ...]:
    """The parameters of kernel `name`.

    Raises:
        ValueError: when there is no such kernel, or one of its parameters is neither a number nor a pointer to numbers.
    """
    text = _COMMENT.sub(" ", source)
    found = re.search(rf"__global__\b[^;{{}}]*?\bvoid\b[^;{{}}]*?\b{re.escape(name)}\s*\(", text)
    if found is None:
        kernels = re.findall(r"__global__\b[^;{}]*?\bvoid\b[^;{}]*?(\w+)\s*\([^()]*\)\s*\{", text)
        there = f"; it has {', '.join(kernels)}" if kernels else ""
        raise ValueError(f'the source has no `extern "C" __global__ void {name}(…)`{there}')
    inside, _, _ = text[found.end() :].partition(")")
    if re.search(r"\btemplate\s*<[^;{}]*$", text[: found.start()]):
        raise ValueError(f"kernel {name} is a template; write one that calls it for the types needed")
    parts = [" ".join(part.split()) for part in inside.split(",")]
    if parts in ([""], ["void"]):
        return ()
    return tuple(_parameter(part, number, name) for number, part in enumerate(parts))


def _parameter(text: str, number: int, kernel: str) -> Parameter:
    words = [word for word in re.findall(r"\w+|\S", text) if word not in _QUALIFIERS]
    stars = words.count("*")
    type_words = [word for word in words if word != "*"]
    name = f"argument {number}"
    if len(type_words) > 1 and type_words[-1] not in ("int", "char", "short", "long", "float", "double", "unsigned"):
        name = type_words.pop()
    plain = _plain(type_words)
    if stars == 1 and plain == "void":
        return Parameter(name, None, pointer=True)
    if plain not in _C_TYPES or stars > 1:
        raise ValueError(
            f"`{text}` of kernel {kernel} cannot be passed from here; parameters are numbers and pointers to numbers: "
            "float, double, int, unsigned, long long, int8_t … uint64_t, size_t, bool, half, void *"
        )
    return Parameter(name, DTYPES[_C_TYPES[plain]], pointer=stars == 1)


def _plain(words: list[str]) -> str:
    """One spelling of a type: `unsigned long int` is `unsigned long`."""
    if {"short", "long", "unsigned", "signed"} & set(words):
        words = [word for word in words if word != "int"] or words
    if "signed" in words and "char" not in words:
        words = [word for word in words if word != "signed"] or ["int"]
    if "unsigned" in words:
        words = ["unsigned", *(word for word in words if word != "unsigned")]
    return " ".join(words)
