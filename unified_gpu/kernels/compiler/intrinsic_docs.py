"""What `help()` says of the functions that only kernels have."""

from __future__ import annotations

_ID = """{what}

    {name}(axis=0) -> i32

{more}

Args:
    axis: 0, 1 or 2, known when the kernel is compiled; as in `global_size`, the last axis is the fastest. Along an
        axis that the launch does not have this is {beyond}.

In CUDA: {cuda}. In a device function it is refused: pass it as an argument."""

_BLOCK = "A kernel that uses it needs `local_size` when it is launched, else ctx.launch raises ValueError."


def _id(name: str, what: str, cuda: str, *, block: bool = True) -> str:
    more = _BLOCK if block else "It works with any blocks, so that a launch needs no `local_size`."
    beyond = "0" if name.endswith("_id") else "1"
    return _ID.format(name=name, what=what, cuda=cuda, more=more, beyond=beyond)


def _atomic(name: str, what: str, dtypes: str, values: str = "value") -> str:
    return f"""{what}; returns what the element was before.

    {name}(array, index, {values})

Other threads see the element before or after it, never in between, and none of their changes is lost.

Args:
    array: a parameter of the kernel, or one of `shared`.
    index: a whole number; a tuple of them, as in (i, j), where the array has several axes.
    {values.replace(", ", " and ")}: converted to the array's dtype.

The array's dtype is one of {dtypes}; another one is a KernelSourceError."""


_WHOLE = "i32 u32 i64 u64"
DOCS = {
    "global_id": _id(
        "global_id", "The number of this thread, of all of the launch.", "blockIdx * blockDim + threadIdx", block=False
    ),
    "global_size": _id("global_size", "How many threads the launch has: `global_size`.", "no name", block=False),
    "local_id": _id("local_id", "The number of this thread in its block.", "threadIdx"),
    "local_size": _id("local_size", "How many threads each block has: `local_size`.", "blockDim"),
    "group_id": _id("group_id", "The number of this thread's block.", "blockIdx"),
    "group_count": _id("group_count", "How many blocks the launch has.", "gridDim"),
    "barrier": f"""All threads of a block wait here until the last has come.

    barrier()

What they have written before, also to shared memory, all of them see after it. It is a statement of its own. All
threads of the block must reach it: behind a condition that differs between threads, and in a device function, it is a
KernelSourceError. {_BLOCK} In CUDA: __syncthreads().""",
    "shared": f"""An array that the threads of a block have in common.

    tile = shared(dtype, shape)

It is a statement of its own, with one name, and holds anything at first. Each block has its own, for as long as it
runs.

Args:
    dtype: one such as f32, or `x.dtype` of a parameter.
    shape: a whole number, or a tuple of them such as (16, 16); known when the kernel is compiled.

A block has at most 48 KiB of it (49,152 bytes), else it is a KernelSourceError. {_BLOCK}
In CUDA: __shared__.""",
    "atomic_add": _atomic("atomic_add", "Adds to an element", f"{_WHOLE} f32 f64"),
    "atomic_min": _atomic("atomic_min", "Sets an element to the lesser of it and the value", _WHOLE),
    "atomic_max": _atomic("atomic_max", "Sets an element to the greater of it and the value", _WHOLE),
    "atomic_and": _atomic("atomic_and", "Keeps the bits of an element that the value has too", _WHOLE),
    "atomic_or": _atomic("atomic_or", "Sets the bits of an element that the value has", _WHOLE),
    "atomic_xor": _atomic("atomic_xor", "Changes the bits of an element that the value has", _WHOLE),
    "atomic_exchange": _atomic("atomic_exchange", "Sets an element to the value", f"{_WHOLE} f32"),
    "atomic_cas": _atomic(
        "atomic_cas", "Sets an element to `value` where it equals `expected`", _WHOLE, "expected, value"
    ),
    "rsqrt": """1 / sqrt(x).

    rsqrt(x)

Of f32, f64 and f16; a whole number is computed as f64.""",
}
