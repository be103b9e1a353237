"""Specs from binding code of pybind11 and nanobind; the only part of the project that knows these tools."""

from wrapper_gen.bindings.convert import Conversion, convert

__all__ = ["Conversion", "convert"]
