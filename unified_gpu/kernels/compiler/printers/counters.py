"""Sums of whole numbers to which the blocks of a kernel only add: the CPU keeps its own of them between the blocks.

An atomic addition takes as long as tens of others do. Which of them come first makes no difference to whole numbers, so
that a thread of the CPU adds to a table of its own, and adds that to the array when its blocks are done. Nothing else
in the kernel may use the array, nor, which is known at the launch, its memory.
"""

from __future__ import annotations

from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.ranges import Ranges

from .c_printer import c_name, c_type

_MOST = 1024
"""Elements of a table."""


def found(f: ir.Function, ranges: Ranges) -> dict[str, int]:
    """The arrays that a kernel only counts in, and before which of their elements it does."""
    arrays = {name: array for name, array in f.arrays.items() if name in f.params}
    if any(array.strided for array in arrays.values()):
        return {}
    alone = {s.value for s in ir.walk(f.body) if isinstance(s, ir.Eval)}
    tables: dict[str, int] = {}
    others = {s.array for s in ir.walk(f.body) if isinstance(s, ir.Store)}
    for e in ir.all_expressions(f):
        name = e.value[1] if e.op == "atomic" else e.value if e.op in ("load", "array") else ""
        is_sum = e.op == "atomic" and e in alone and e.value[0] == "add" and name in arrays and len(e.args) == 2
        if is_sum and e.type.kind in ("int", "uint") and e.type.size >= 4:
            low, high = ranges.of(e.args[0])
            if low < 0 or high >= _MOST:
                others.add(name)
            tables[name] = max(tables.get(name, 0), high + 1)
        elif name:
            others.add(name)
    return {name: length for name, length in tables.items() if name not in others}


def at_start(f: ir.Function, tables: dict[str, int]) -> list[str]:
    """The tables, and whether the array's memory is no other array's."""
    lines = []
    for name, length in tables.items():
        type_, own = c_type(f.arrays[name].dtype), c_name(name)
        lines.append(f"alignas(64) {type_} {own}k_sums[{length}] = {{}};")
        apart = []
        for other, array in f.arrays.items():
            if other in f.params and other != name:
                sizes = " * ".join(f"(long long){c_name(f'{other}.n{axis}')}" for axis in range(array.ndim))
                apart.append(f"k_apart({own}, k_least({length}, {c_name(f'{name}.n0')}), {c_name(other)}, {sizes})")
        lines.append(f"const bool {own}k_apart = {' && '.join(apart) or 'true'};")
    return lines


def counted(name: str, at: str, value: str) -> str:
    """An addition to an element, whose address is `at`."""
    own = c_name(name)
    return f"k_count({own}k_apart, {own}k_sums, {own}, {at}, {value})"


def at_end(tables: dict[str, int]) -> list[str]:
    return [
        f"    for (int k = 0; k < {length}; ++k) "
        f"if ({c_name(name)}k_sums[k] != 0) k_atomic_add(&{c_name(name)}[k], {c_name(name)}k_sums[k]);"
        for name, length in tables.items()
    ]
