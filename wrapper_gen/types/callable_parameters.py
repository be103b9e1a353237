"""How callables cross each border as arguments, by themselves and within others: rows of `parameters.py`."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Import, Way
from wrapper_gen.types.model import Fn, Type
from wrapper_gen.types.queries import if_given
from wrapper_gen.types.rows import Care, ParameterRow
from wrapper_gen.types.spelling import descriptor


def callable_parameter(type_: Type, name: str, lib: str) -> ParameterRow:
    """A callable, or a null pointer for none; it crosses C as what cffi finds it by."""
    py, c, local, passed = names.python(name), names.cpp(name), names.python_local(name), names.extra(name, "passed")
    of = if_given(type_)
    assert isinstance(of, Fn)
    described = descriptor(of, Way.ARGUMENT, lib)
    convert = f'_callables.passed({py}, "{py}", _types[{python_string(str(of))}])'
    optional = "" if of is type_ else f"_callables.NONE if {py} is None else "
    return ParameterRow(
        python_convert=optional + convert,
        python_prepare=optional + convert,
        python_arguments=(f"{local}.handle",),
        is_lent=True,
        cpython=f"wg::cpython::CallableArgument<{described}, {'false' if of is type_ else 'true'}>",
        c=(f"void *{c}",),
        cpp=f"const wg::Callable<{described}> &",
        cpp_prepare=f"wg::Passed<{described}> {passed}(wg::callable_of_c<{described}>({c}));",
        cpp_argument=f"{passed}.callable()",
        care=Care.CALLABLE,
    )


_WITH_CALLABLES = Import(names.runtime_module("_callables_within"), "with_callables", "_with_callables")


def with_callables_within(row: ParameterRow, type_: Type, name: str, lib: str) -> ParameterRow:
    """The row of an encoded value that has callables in it, which the call counts among those that it is passed."""
    py, described = names.python(name), descriptor(type_, Way.ARGUMENT, lib)
    convert = f"_with_callables(_types[{python_string(str(type_))}], {py}, {python_string(py)})"
    return replace(
        row,
        python_convert=convert,
        python_prepare=convert,
        python_imports=frozenset({_WITH_CALLABLES}),
        is_lent=True,
        cpython=f"wg::cpython::WithCallables<{described}>",
        cpp_prepare=row.cpp_prepare.replace("wg::Decoded<", "wg::DecodedWithCallables<", 1),
        care=row.care if row.goes_by_address else Care.COMPOUND,
    )
