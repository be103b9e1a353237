"""The CUDA C of the built-in operations: which source has the kernels of an operation on a dtype."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from unified_gpu.dtypes import DTYPES, DType

_FOLDER = Path(__file__).parent
_ANY_UNARY = ("neg", "relu", "abs")
_FLOAT_UNARY = (*_ANY_UNARY, "exp", "log", "sigmoid", "tanh", "sqrt")
_ARITHMETIC = ("add", "sub", "mul", "div", "pow", "maximum", "minimum")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
Family = Literal["unary", "binary", "cast", "select", "reduce", "matmul"]
"""A group of kernels that are compiled together, each but `select` once a dtype."""


@cache
def source(family: Family, dtype: DType | None) -> str:
    """The CUDA C of a family; `select` is for all dtypes together, and has None."""
    text = _read("numbers.cuh") + _read("arithmetic.cuh")
    if dtype is not None:
        text += f"typedef {_name(dtype)} T;\n"
    match family, dtype:
        case "select", None:
            return text + _each("select.cu", [{"T": name} for name in ("u8", "u16", "u32", "u64")])
        case "unary", DType():
            return text + _each("unary.cu", [{"op": op} for op in (_FLOAT_UNARY if dtype.is_float else _ANY_UNARY)])
        case "binary", DType():
            return text + _each("binary.cu", _binary(dtype))
        case "cast", DType():
            return text + _each("cast.cu", [{"To": _name(to)} for to in DTYPES.values()])
        case "reduce", DType():
            return text + _read("reduce.cuh") + _each("reduce.cu", _reductions(dtype))
        case "matmul", DType(is_float=True):
            return text + _read("matmul.cu")
    raise ValueError(f"there are no {family} kernels for {dtype}")


def _binary(dtype: DType) -> list[dict[str, str]]:
    arithmetic = _ARITHMETIC if dtype.kind != "bool" else ("maximum", "minimum")
    return [{"op": op, "Out": "T"} for op in arithmetic] + [{"op": op, "Out": "boolean"} for op in _COMPARISONS]


def _reductions(dtype: DType) -> list[dict[str, str]]:
    """What each reduction gives, and what it calculates with (A): wider than the elements, so that nothing is lost."""
    if dtype.is_float:
        wide = "f64" if dtype.size == 8 else "f32"
        names = {"sum": ("T", wide), "mean": ("T", wide), "max": ("T", wide), "min": ("T", wide)}
    else:
        wide = "u64" if dtype.kind == "uint" else "i64"
        own = "u8" if dtype.kind == "bool" else "T"
        names = {"sum": (wide, wide), "mean": ("f32", "f64"), "max": ("T", own), "min": ("T", own)}
    return [{"op": op, "Out": out, "A": wide} for op, (out, wide) in names.items()]


def _each(file: str, meanings: list[dict[str, str]]) -> str:
    """The file's text once for each of the meanings of its @words@."""
    texts = []
    for meaning in meanings:
        text = _read(file)
        for word, replacement in meaning.items():
            text = text.replace(f"@{word}@", replacement)
        texts.append(text)
    return "".join(texts)


@cache
def _read(file: str) -> str:
    return (_FOLDER / file).read_text(encoding="utf-8")


def _name(dtype: DType) -> str:
    return "boolean" if dtype.kind == "bool" else dtype.name
