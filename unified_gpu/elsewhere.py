"""What NumPy, CuPy and torch call otherwise, or have and this library does not: what messages say to use instead."""

from __future__ import annotations

_CUPY = "DLPack with CuPy or torch: cupy.from_dlpack(array)"
_NO_COMPLEX = "the array as it is: there are no complex numbers"

FUNCTIONS = {
    "absolute": "unified_gpu.abs(x)",
    "amax": "unified_gpu.max(x)",
    "amin": "unified_gpu.min(x)",
    "array": "ctx.alloc_upload(data)",
    "asarray": "ctx.alloc_upload(data)",
    "astype": "x.cast(dtype)",
    "concat": "unified_gpu.concatenate(arrays)",
    "cumprod": "unified_gpu.cumulative_prod(x, axis)",
    "cumsum": "unified_gpu.cumulative_sum(x, axis)",
    "diagonal": "x[ctx.arange(n), ctx.arange(n)]",
    "diff": "ctx.array_namespace.diff(x)",
    "dot": "a @ b",
    "equal": "unified_gpu.eq(a, b)",
    "greater": "unified_gpu.gt(a, b)",
    "greater_equal": "unified_gpu.ge(a, b)",
    "hstack": "unified_gpu.concatenate(arrays, 1)",
    "inner": "a @ b",
    "isin": "ctx.array_namespace.isin(a, b)",
    "less": "unified_gpu.lt(a, b)",
    "less_equal": "unified_gpu.le(a, b)",
    "logsumexp": "top = x.max(-1, keepdims=True); top + unified_gpu.exp(x - top).sum(-1, keepdims=True).log()",
    "multiply": "unified_gpu.mul(a, b)",
    "negative": "unified_gpu.neg(x)",
    "not_equal": "unified_gpu.ne(a, b)",
    "outer": "a[:, None] * b",
    "pad": "padded = ctx.zeros((rows + 2, columns + 2)); padded[1:-1, 1:-1] = x",
    "power": "unified_gpu.pow(a, b)",
    "ravel": "unified_gpu.reshape(x, (-1,))",
    "softmax": "e = unified_gpu.exp(x - x.max(-1, keepdims=True)); e / e.sum(-1, keepdims=True)",
    "subtract": "unified_gpu.sub(a, b)",
    "swapaxes": "unified_gpu.permute_dims(x, axes)",
    "tensordot": "ctx.array_namespace.tensordot(a, b, axes=2)",
    "transpose": "unified_gpu.permute_dims(x, axes)",
    "true_divide": "unified_gpu.divide(a, b)",
    "vdot": "ctx.array_namespace.vecdot(a, b)",
    "vecdot": "ctx.array_namespace.vecdot(a, b)",
    "vstack": "unified_gpu.concatenate(arrays, 0)",
}
"""Functions of those modules, and what does it here."""
FUNCTIONS |= {
    name: f"ctx.{name}"
    for name in "arange empty empty_like eye full full_like linspace ones ones_like random zeros zeros_like".split()
}
FUNCTIONS |= {
    name: f"ctx.array_namespace.{name}"
    for name in "can_cast finfo iinfo isdtype result_type unique_all unique_counts unique_inverse unique_values".split()
}
FUNCTIONS |= dict.fromkeys(
    "fft linalg einsum kron histogram bincount digitize interp convolve correlate polyfit cov corrcoef gradient "
    "lexsort percentile quantile median angle conj real imag complex64 complex128 nextafter special ndimage signal "
    "sparse".split(),
    _CUPY,
)

ATTRIBUTES = {
    "asnumpy": "download()",
    "astype": "cast(dtype)",
    "clone": "copy()",
    "conj": f"{_NO_COMPLEX}; {_CUPY}",
    "cpu": "download()",
    "cuda": "ctx.alloc_upload(data), with Context('cuda')",
    "cumprod": "unified_gpu.cumulative_prod(array, axis)",
    "detach": "the array as it is",
    "diagonal": "array[ctx.arange(n), ctx.arange(n)]",
    "diff": "ctx.array_namespace.diff(array)",
    "dot": "array @ other",
    "fft": _CUPY,
    "flatten": "reshape(-1)",
    "get": "download()",
    "imag": "DLPack with CuPy or torch, which have complex numbers: cupy.from_dlpack(array)",
    "itemset": "array[index] = value",
    "median": "unified_gpu.sort(array)[len(array) // 2]",
    "nbytes": "size_bytes",
    "numel": "size",
    "numpy": "download()",
    "outer": "array[:, None] * other",
    "partition": "unified_gpu.sort(array)",
    "ptp": "array.max() - array.min()",
    "ravel": "reshape(-1)",
    "real": _NO_COMPLEX,
    "set": "upload(data)",
    "softmax": FUNCTIONS["softmax"],
    "swapaxes": "permute_dims(axes)",
    "to": "cast(dtype), and for another device ctx.alloc_upload(array.download()) of its Context",
    "tobytes": "download().tobytes()",
    "tofile": "download().tofile(path)",
    "trace": "unified_gpu.sum(array * ctx.eye(n))",
    "transpose": "permute_dims(axes)",
    "unsqueeze": "unified_gpu.expand_dims(array, axis)",
    "view": "reshape(shape) for another shape, cast(dtype) for another dtype, and for the same bytes as another dtype "
    "ctx.alloc_upload(array.download().view(dtype))",
}
"""Attributes of their arrays, and what does it here."""

CONTEXT = {
    "compile": "launch(kernel, global_size, args), which compiles it, or kernel.compile(ctx)",
    "empty_cache": "trim()",
    "Event": "create_event()",
    "event": "create_event()",
    "free": "trim(), after the last reference to the arrays is gone",
    "malloc": "alloc(shape, dtype)",
    "rand": "random.uniform(shape)",
    "randn": "random.normal(shape)",
    "Stream": "create_stream()",
    "stream": "create_stream()",
    "synchronize": "sync()",
}
CONTEXT |= dict.fromkeys(
    "array as_tensor asarray ascontiguousarray copy from_numpy tensor to_device upload".split(),
    "alloc_upload(data)",
)
"""What one asks a context for, and the attribute of it that does it."""

RANDOM = {
    "choice": "x[ctx.random.integers(0, len(x), count)]",
    "manual_seed": "seed(number)",
    "rand": "uniform(shape)",
    "randint": "integers(low, high, shape)",
    "randn": "normal(shape)",
    "random": "uniform(shape)",
    "randperm": "permutation(count)",
    "shuffle": "x[ctx.random.permutation(len(x))]",
    "standard_normal": "normal(shape)",
}
"""Functions of other generators, and what does it here."""


def missing(what: str, owner: object, name: str, instead: str | None) -> AttributeError:
    """The error for an attribute that an object does not have, with what to use instead where that is known."""
    return AttributeError(f"{what} has no {name!r}{f'; use {instead}' if instead else ''}", name=name, obj=owner)
