"""Keys that only have another name now."""

from __future__ import annotations

from wrapper_gen.spec.former.walk import At


def prefix(at: At) -> None:
    """`cpp_prefix: lib_` → `prefix: lib_`."""
    at.rename("prefix")


def case(at: At) -> None:
    """`cpp_case: pascal` → `case: pascal`."""
    at.rename("case")


def std(at: At) -> None:
    """`cpp_std: 20` → `std: 20`."""
    at.rename("std")


def thread(at: At) -> None:
    """`thread_safe: true` → `thread: any`."""
    if at.value is True:
        at.replace("any")
        at.rename("thread")
    elif at.value in (False, None):
        at.remove()


def package(at: At) -> None:
    """`python_package: cuda_ffi` → `package: cuda_ffi`."""
    at.rename("package")
