"""Why bounds are not reached, for the page: what is known, and what is not."""

from __future__ import annotations

from collections.abc import Mapping

_CFFI = "a function in Python that calls one of cffi's is two calls"
_CFFI_HANDLE = "most of what is left is Python: the class looks after its handle"
_NOTHING_MORE = "by hand, just the calls of C-API that are needed: there is none to leave out"
_OWNER = "both make an object that keeps its owner; ours is listed there too, to end with it"
_TUPLE = "of so few bytes, most is calls, and the result is a tuple with names"
_GETTER = "CPython's own call of a getter is most of it"
_PYTHON_CODE = "arrays, streams and their order are looked after in Python"
_LAYOUT = "of 20 ns, where the code lies in memory makes one or two: it held in builds with the same instructions"
_MEMORY = "memory is the bound, and others on the machine use it too"
_COPY = "C's text is copied into a `std::string` on its way"
_ARGUMENT = "an object that a callable keeps is closed after the call: that, and its owner, are looked after"
_UNKNOWN = "not known"
_SMALL = "the array, its stream and the order of work are looked after in Python, which torch does in C++"
_SORT = "merges that are kernels, the same on each backend; NumPy sorts with instructions of AVX-512"
_CHECKS = "each thread is looked at by itself, where unchecked ones are computed by vectors of 8 to 16"
_ENTRIES = "each entry becomes code of its own, which nanobind's runtime has once, for tables"
_BUILT = f"{_ENTRIES}: over half of the time; a quarter is for the runtime's headers"
_HELD = "g++ holds the runtime's headers, and what it makes of their templates"
_CHECKED = (
    "an entry is code of its own: six functions, and lambdas that ask how C++ takes its arguments: 23 ms, half to read "
    "them; nanobind shares those of one signature: 14 ms"
)
_TEXT = "Python's text is looked through for NUL, and copied into a `std::string` on its way"
_COLLECTED = "an object is known to Python's collector, and has its users and a lock beside its value"
_CALLS_BACK = "the package asks each time which thread calls"
_IN_USE = "a call looks whether another one uses the object"
_ZSTD = (
    "of 250 µs and more, two are of calls, as 100 B show; the rest is zstd: Debian's build here, the peer's own there"
)
_CPYTHON = "nine tenths are CPython's own call, and so they are by hand"
_ATTRIBUTE = "three quarters are CPython's own, which looks the attribute up and makes the value"
_UNWOUND = "three quarters are the unwinding of C++'s exception, and so they are by hand"
_MODULES = "modules of the runtime in Python are imported, which ten functions need as well; nanobind has none"
_REBUILT = (
    "half or more is to compile the changed group, of which a quarter is to load the runtime's headers; the spec is "
    "read and all texts are made, in Python: a quarter of the time for 100 entries, two fifths for 400"
)
_BATCHED = "the driver computes; the calls around it are put together in Python, and by hand in C++"

REASONS: Mapping[str, Mapping[str, str]] = {
    "calls": {
        "two floats: against C-API by hand": _LAYOUT,
        "abi3, two floats: against C-API by hand": _LAYOUT,
        "property: against Cython": _GETTER,
        "abi3, property: against Cython": _GETTER,
        "abi3, list of 1000: against nanobind": "the limited API gets items by functions; nanobind has all of the API",
        "method(int)": _CPYTHON,
        "bool": _CPYTHON,
        "exception": _UNWOUND,
        "abi3, method(int)": _CPYTHON,
        "abi3, exception": _UNWOUND,
        "cffi engine, exception": "it has a class, text and attributes, each of which is asked of C",
        "cffi engine, two": _CFFI,
        "cffi engine, property": _CFFI,
        "cffi engine, method": _CFFI,
        "cffi engine, ": _CFFI_HANDLE,
    },
    "marshal": {
        "1000 calls back": f"by hand, it is known which thread calls; {_CALLS_BACK}",
        "an out-parameter": _NOTHING_MORE,
        "two out-parameters": _NOTHING_MORE,
        "a buffer of 64 bytes": _NOTHING_MORE,
        "a buffer of 64 KiB": "filling the memory is most of it",
        "[[f64]] of 1, out": "two lists for few numbers: by hand, it takes hardly less",
        "array[f64; 100, 100], out, as NumPy's": "NumPy makes its array of the package's in a call of its own",
    },
    "protocols": {
        "attribute of a struct": _GETTER,
        "a step to a child handle": _OWNER,
        "100 steps of iteration over handles": _OWNER,
    },
    "real": {
        "nodes: value of an attribute": _COPY,
        "nodes: property set": _COPY,
        "nodes: child by name": _TEXT,
        "nodes: attribute by name": _TEXT,
        "nodes: constructor": _COLLECTED,
        "vectors: constructor": _COLLECTED,
        "vectors: property set": _IN_USE,
        "vectors: nearest_if": _CALLS_BACK,
        "nodes: find(lambda)": _ARGUMENT,
        "nodes: ": _ATTRIBUTE,
        "rows: match(lambda)": _ARGUMENT,
    },
    "libraries": {
        "zlib, crc32, 100 B": "`blocking`: the GIL is given up for any length, by the other from 5 KiB on",
        "zlib, decompress a stream, 100 B": _TUPLE,
        "zstd, decompress a stream, 100 B": _TUPLE,
        "zstd, ": _ZSTD,
        "leveldb": "most of it is leveldb itself",
        "yaml-cpp": "yaml-cpp's own reading of the text is most of it",
    },
    "free_threaded": {
        "method": "a call also counts as a use of the object, which another thread may close",
    },
    "startup": {"1 000 functions": _MODULES},
    "compile": {"the same, two cores": _UNKNOWN, "": _CHECKED},
    "rebuild": {"one entry of": _REBUILT},
    "build": {
        **{f"{library}: processor time": _BUILT for library in ("nodes", "rows", "vectors")},
        **{f"{library}: peak memory": _HELD for library in ("nodes", "rows", "vectors")},
        "nodes: stripped size": _ENTRIES,
    },
    "torch_bridge": {"lean includes": "the headers of ATen that every call needs are most of what is left"},
    "generate": {
        "time of SWIG": "the time is Python's for some hundred small steps an entry, which are spread evenly",
        "time of": "for so few functions, starting Python and importing is most of it",
        "check against generate": "both make all texts; that nothing is written saves next to nothing",
        "generate on": "the time is for the specs: to read, check and print them",
    },
    "gpu": {
        "cpu backend: launch": _PYTHON_CODE,
        "cpu backend: upload": _PYTHON_CODE,
        "cpu backend: download": _PYTHON_CODE,
        "cpu backend: blocking download": _PYTHON_CODE,
        "cpu backend: one element": _PYTHON_CODE,
        "cpu backend: copy": _PYTHON_CODE,
        "cpu backend: allocate": _PYTHON_CODE,
        "cpu backend: add of": _MEMORY,
        "cpu backend: mul of": _MEMORY,
        "cpu backend: maximum of": _MEMORY,
        "cpu backend: sqrt of": _MEMORY,
        "cpu backend: kernel in Python, first launch": "g++ and the linker are processes, which start for each kernel",
        "cpu backend: kernel in Python, saxpy": _MEMORY,
        "cpu backend: kernel in Python, stencil": "not known; launching and waking a thread may be what is left",
        "cpu backend: kernel in Python, nbody fast": "g++ has estimates of roots only where there is no NaN",
        "cpu backend: kernel in Python": _UNKNOWN,
        "kernel in Python, front end": "all of it is Python; to find types takes up to a half",
        "Vulkan: launch, each": "the driver's: by hand, which the table shows, it takes about as long",
        "Vulkan: batched, each": "the driver's: by hand, which the table shows, it takes about as long",
        "Vulkan: a graph": "Mesa's lavapipe computes the kernels on the CPU, which is what is left",
        "Vulkan: launch, time of": _BATCHED,
        "Vulkan: batched, time of": _BATCHED,
        "Vulkan: ": _UNKNOWN,
    },
    "gpu_arrays": {
        "small: sin": f"it is a kernel, whose launch is looked after in Python, too; else as `x + 1`: {_SMALL}",
        "small: ": _SMALL,
        "greatest of columns": "a thread is as fast as NumPy's; to wake those it is queued for takes as long again",
        "sum of columns": "the sums of f32 are kept in f64, of which a vector has half as many",
        "exp of f64": "a thread takes half as long again as NumPy's; two make up for it where both are free",
        "x ** 1.5 of f32": "in f64, of which a thread takes twice as long; two make up for it where both are free",
        "x ** 1.5 of f64": "of f64, the C library's function is called for one number after the other",
        "sort of ": _SORT,
        "running sum of i": "NumPy goes over the numbers once; the kernels twice, in parts for each thread",
        "checked mode: sums": "with a barrier each thread is a fiber, and each switch takes as long as many steps",
        "checked mode: ": _CHECKS,
        "Vulkan: product": "lavapipe reads number by number; the cpu backend has vectors, and tiles in caches",
    },
}
"""By benchmark and by how the text of the bound begins; the first that fits counts."""


def reason(benchmark: str, what: str) -> str:
    """The reason that is named for a bound, empty where none is."""
    return next((why for begin, why in REASONS.get(benchmark, {}).items() if what.startswith(begin)), "")
