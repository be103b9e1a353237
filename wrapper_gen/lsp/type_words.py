"""What the words of the type language mean, in a line for whoever points at one."""

from __future__ import annotations

_NUMBERS = {
    **{f"i{bits}": f"a whole number of {bits} bits, with a sign; `int` in Python" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"a whole number of {bits} bits, without a sign; `int` in Python" for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"a floating point number of {bits} bits; `float` in Python" for bits in (32, 64)},
    **{f"c{bits}": f"a complex number of {bits} bits; `complex` in Python" for bits in (64, 128)},
}
TYPE_WORDS = {
    **_NUMBERS,
    "bool": "a truth value",
    "usize": "`size_t`, the size of something in memory; `int` in Python",
    "text": "`const char *`, `std::string` or `std::string_view`; `str` in Python",
    "bytes": "a pointer and a length, `std::string_view` or a vector of bytes; `bytes` or any buffer in Python",
    "path": "`std::filesystem::path` or `const char *`; `str` or `os.PathLike` in Python",
    "duration": "`std::chrono::duration`, or a number of a unit: `duration[ms]`; `timedelta` in Python",
    "datetime": "a `time_point`, or a number of a unit: `datetime[s]`; an aware `datetime` in Python",
    "position": "an index: a negative one counts from the end; `position[n]`, `position[text]`",
    "key": "a key of `__getitem__` that C++ itself looks up",
    "slice": "`a[i:j:k]`",
    "index": "whatever stands between the brackets of `a[…]`",
    "dlpack": "memory of another library, passed on through DLPack",
    "fn": "a callable: `fn(size: usize) -> bytes`",
    "iter": "an iterator over a range: `iter[T]`",
    "set": "a set: `set[T]`",
    "array": "memory of C++, not copied: `array[f64; n, m]`",
    "mut": "what the call may write to: `&mut [f64; n]`",
    "object": "any object of Python; `wg::Object` in C++",
    "stream": "the stream on which memory of a device is used",
    "None": "no value: a null pointer, an empty `std::optional`",
}
