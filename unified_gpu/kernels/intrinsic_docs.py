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


_SUBGROUP = f"""A subgroup is a part of a block: 32 threads on CUDA, where it is called a warp, and on the CPU; over
Vulkan as many as the device has, `ctx.subgroup_size`. The last one of a block may have fewer.
{_BLOCK}"""
_TOGETHER = """All threads of the block must reach it: behind a condition that differs between threads, and in a device
function, it is a KernelSourceError."""


def _lane(name: str, what: str, cuda: str) -> str:
    return f"""{what}

    {name}() -> i32

{_SUBGROUP}
In CUDA: {cuda}. In a device function it is refused: pass it as an argument."""


def _reduction(name: str, what: str, more: str) -> str:
    return f"""{what} of what the threads of a subgroup give; each of them gets it.

    {name}(value)

Of all dtypes but bool; the result has the dtype of the value. {more}
{_TOGETHER}
{_SUBGROUP}"""


def _vote(name: str, what: str, cuda: str) -> str:
    return f"""{what}

    {name}(condition)

{_TOGETHER}
{_SUBGROUP}
In CUDA: {cuda}."""


def _shuffle(name: str, what: str, lane: str, cuda: str) -> str:
    return f"""{what}

    {name}(value, {lane})

Where there is no such thread, a thread gets its own value. Of all dtypes; `{lane}` is a whole number, up to 32 bits.
{_TOGETHER}
{_SUBGROUP}
In CUDA: {cuda}."""


def _block(name: str, what: str, argument: str, more: str) -> str:
    return f"""{what} of the block; each of them gets it.

    {name}({argument})

{more}
It is the same in all threads, so that a barrier may stand in an `if` or a `while` that it decides. It waits as
`barrier()` does, and has 4 or 8 KiB of shared memory, which all such functions of one dtype have in common.
{_TOGETHER}
{_BLOCK}"""


_NUMBERS = "Of all dtypes but bool; the result has the dtype of the value. "
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
    "uniform": f"""The value, which is the same in all threads of the block.

    uniform(value)

It lets a barrier stand in a loop or a branch that the value decides, where the compiler cannot prove that all threads
of the block decide alike: `while uniform(flag[0]) != 0:`. What it need not be told is what follows from numbers of
the block, from arguments, and from elements that the kernel does not write to, at an index that is the same in all
threads. Where the values differ, each thread of the block may get that of the first one; with DL_CHECK=1, and in
`reference`, it is an error that names the line. It is no barrier.

Args:
    value: a number, or a bool.

All threads of the block must reach it: behind a condition that differs between threads, and in a device function, it is
a KernelSourceError. {_BLOCK}""",
    "shared": f"""An array that the threads of a block have in common.

    tile = shared(dtype, shape)

It is a statement of its own, with one name, and holds anything at first. Each block has its own, for as long as it
runs.

Args:
    dtype: one such as f32, or `x.dtype` of a parameter.
    shape: a whole number, or a tuple of them such as (16, 16); known when the kernel is compiled.

A block has at most 48 KiB of it (49,152 bytes), else it is a KernelSourceError. {_BLOCK}
In CUDA: __shared__.""",
    "local": """An array that each thread has for itself.

    part = local(dtype, shape)

It is a statement of its own, with one name, also in a device function, and holds anything at first.

Args:
    dtype: one such as f32, or `x.dtype` of a parameter.
    shape: a whole number, or a tuple of them such as (4, 4); known when the kernel is compiled.

A thread has at most 1 KiB of it (1,024 bytes), else it is a KernelSourceError. In CUDA: an array in the kernel.""",
    "block_sum": _block(
        "block_sum",
        "The sum of what the threads give",
        "value",
        _NUMBERS + "Fractions are added in an order that is\nthe same on every device.",
    ),
    "block_min": _block("block_min", "The least of what the threads give", "value", _NUMBERS + "NaN as in `min`."),
    "block_max": _block("block_max", "The greatest of what the threads give", "value", _NUMBERS + "NaN as in `max`."),
    "block_any": _block(
        "block_any", "Whether the condition holds in a thread", "condition", "In CUDA: __syncthreads_or."
    ),
    "block_all": _block(
        "block_all", "Whether the condition holds in all threads", "condition", "In CUDA: __syncthreads_and."
    ),
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
    "subgroup_size": _lane("subgroup_size", "How many threads a subgroup has.", "warpSize"),
    "subgroup_count": _lane("subgroup_count", "How many subgroups a block has.", "no name"),
    "subgroup_id": _lane("subgroup_id", "The number of this thread's subgroup in its block.", "no name"),
    "lane_id": _lane("lane_id", "The number of this thread in its subgroup.", "the register %laneid"),
    "subgroup_sum": _reduction("subgroup_sum", "The sum", "Fractions are added in an order that is the device's."),
    "subgroup_min": _reduction("subgroup_min", "The least", "With a NaN among fractions it is not defined."),
    "subgroup_max": _reduction("subgroup_max", "The greatest", "With a NaN among fractions it is not defined."),
    "subgroup_any": _vote("subgroup_any", "Whether the condition holds in a thread of the subgroup.", "__any_sync"),
    "subgroup_all": _vote("subgroup_all", "Whether the condition holds in all threads of the subgroup.", "__all_sync"),
    "subgroup_ballot": _vote(
        "subgroup_ballot", "The lanes where the condition holds, as the bits of a u64.", "__ballot_sync"
    ),
    "subgroup_shuffle": _shuffle(
        "subgroup_shuffle", "The value of the thread with that `lane_id` in the subgroup.", "lane", "__shfl_sync"
    ),
    "subgroup_shuffle_up": _shuffle(
        "subgroup_shuffle_up", "The value of the thread whose lane is less by `delta`.", "delta", "__shfl_up_sync"
    ),
    "subgroup_shuffle_down": _shuffle(
        "subgroup_shuffle_down",
        "The value of the thread whose lane is greater by `delta`.",
        "delta",
        "__shfl_down_sync",
    ),
    "subgroup_shuffle_xor": _shuffle(
        "subgroup_shuffle_xor", "The value of the thread whose lane is `lane_id() ^ mask`.", "mask", "__shfl_xor_sync"
    ),
    "rsqrt": """1 / sqrt(x).

    rsqrt(x)

Of f32, f64 and f16; a whole number is computed as f64.""",
}
