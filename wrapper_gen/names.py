"""Every identifier we mint, each in exactly one place.

| thing                   | pattern                              | told apart by                                   |
|-------------------------|--------------------------------------|-------------------------------------------------|
| base name               | the spec's, less a leading `<lib>_`  | unique among functions                          |
| C++ function            | `wg_do_<base>`                       | inside the namespace `wg_<lib>::wg_api`         |
| C symbol                | `rt_<lib>_<base>`                    | `rt_`                                           |
| C++ method              | `<lib>_<handle>_<name>`              | the handle's name, in lower case                |
| C symbol of a method    | `rt_<lib>_<handle>_<name>`           | the same                                        |
| constructor             | `construct_<handle>`, a base name    |                                                 |
| method of a protocol    | `slot_len` of `__len__`, in C and C++ |                                                |
| drop function           | the spec's, verbatim                 | default `rt_<lib>_<handle>_free`                |
| C type of a handle      | `wg_handle_<lib>_<handle>`           | `wg_`, which no function has                    |
| support symbol          | `wg_<lib>_<what>`                    | `wg_`, which no spec may use                    |
| user's code in C++      | `wg_code_<base>`                     | `wg_`                                           |
| its status, its result  | `wg_status_of_<base>`, …             | `wg_`                                           |
| a status type's tag     | the spec's, in `wg_statuses`         | the namespace                                   |
| C parameter             | `arg_<parameter>`                    | a prefix that no macro has                      |
| parameter in `cpp_body` | the spec's                           | `_` appended to words of C++                    |
| C parameter of ours     | `wg_<parameter>_<what>`              | `wg_`                                           |
| Python parameter        | the spec's                           | `_` appended to keywords                        |
| Python function         | `<base>`                             | `_` appended to keywords and words of type hints|
| Python method           | the spec's name                      | the same                                        |
| Python function of a submodule | the same; `<module>_<base>` in C and C++ |                                    |
| coroutine function      | `<Python function>_async`            | in the register of Python names                 |
| former Python name      | `<name>_`, of builtins               | given up where something else has it            |
| Python class            | the handle's or enum's name          |                                                 |
| Python private          | `_<what>`; locals `_c_<parameter>`   | a leading `_`, which no spec may use            |
| drop function in Python | `_drop_<handle>`                     | the same                                        |
| what is said of a callable | `wg_callback_<base>_<parameter>`  | `wg_`                                           |
| its expressions in C++     | `wg_code_<base>_<parameter>`      | `wg_`                                           |
| what makes options      | `wg_options_<struct>`                | `wg_`                                           |
| a class of another package, in the cffi engine | `_used_<handle>` | the same                     |
| a struct's codec        | `_struct_<struct>`                   | the same                                        |
| an enum's mask          | `_mask_<enum>`                       | the same                                        |
| exception of a library  | `<Lib>Error`                         | `<Lib>LibraryError` where Python has that name  |
| result with names       | `<Handle><Function>Result`           | in camel case                                   |
| a mapped status         | `<exception><Builtin>`               | less an `Error` in the middle                   |
| package, extension      | `<lib>_ffi`, `_<package>`            |                                                 |
| guard                   | `HAS_<LIB>`                          |                                                 |
| file of the runtime     | `_runtime/<file>`, in the package    | what is not there is generated                  |
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from wrapper_gen.frozen import remembered

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
LIBRARY = re.compile(r"[a-z][a-z0-9_]*\Z")
RESERVED_PREFIXES = ("wg_", "WG_")

CPP_KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
    wchar_t while xor xor_eq
    """.split()
)
_CPP_MACROS = frozenset({"EOF", "INFINITY", "NAN", "NULL", "errno"})
CPP_VALUES = _CPP_MACROS | {"false", "nullptr", "this", "true"}
"""Words that are expressions by themselves, and no functions."""
CPP_WORDS = CPP_KEYWORDS | _CPP_MACROS
"""What nothing in generated C and C++ can be called: keywords, and macros of the standard headers."""
PYTHON_KEYWORDS = frozenset(keyword.kwlist)
FUNCTION_WORDS = PYTHON_KEYWORDS | set("bool bytes classmethod float int list object property str".split())
"""What a function or method cannot be called: keywords, and what the type hints beside it mean by these names."""
PYTHON_EXCEPTIONS = frozenset(
    """
    ArithmeticError AssertionError AttributeError BlockingIOError BrokenPipeError BufferError ChildProcessError
    ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError EOFError EnvironmentError
    Exception FileExistsError FileNotFoundError FloatingPointError IOError ImportError IndentationError
    IndexError InterruptedError IsADirectoryError KeyError LookupError MemoryError ModuleNotFoundError NameError
    NotADirectoryError NotImplementedError OSError OverflowError PermissionError ProcessLookupError
    RecursionError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError TabError
    TimeoutError TypeError UnboundLocalError ValueError ZeroDivisionError
    """.split()
)
"""The builtin exceptions that a failure of a library can be: those of Python 3.11, whatever Python generates.

What a spec says must not depend on that, and packages are for 3.11, too.
"""
PYTHON_WORDS = (
    PYTHON_KEYWORDS
    | PYTHON_EXCEPTIONS
    | frozenset(
        """
        BaseException BaseExceptionGroup BytesWarning DeprecationWarning Ellipsis EncodingWarning ExceptionGroup
        FutureWarning GeneratorExit ImportWarning KeyboardInterrupt NotImplemented PendingDeprecationWarning
        ResourceWarning RuntimeWarning SyntaxWarning SystemExit UnicodeDecodeError UnicodeEncodeError UnicodeError
        UnicodeTranslateError UnicodeWarning UserWarning Warning abs aiter all anext any ascii bin bool breakpoint
        bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate
        eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
        issubclass iter len license list locals map max memoryview min next object oct open ord pow print property
        quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
        """.split()
    )
)
"""Keywords and builtins, of Python 3.11 as well."""
TYPE_WORDS = frozenset({"text", "bytes", "std", "wg"})
"""Types and namespaces, besides numbers, that a class of the same name would hide, in the spec or in C++."""
HANDLE_MEMBERS = frozenset({"close", "closed"})
"""What every handle class has of its own."""
ENUM_MEMBERS = frozenset({"name", "value", "mro"})
"""What every enum has of its own."""
PACKAGE_MEMBERS = frozenset({"ENGINE", "STUB", "ClosedHandleError", "LibraryUnavailable"})
"""What every package has of its own, besides `<Lib>Error`."""
CPYTHON_NAME = re.compile(r"_?Py(?:_\w*|\w*(?:Object|Def|Spec|Slot|State|Function\w*|proc))")
"""Names of CPython's own, which the cpython engine uses beside the classes."""
BUILD_PACKAGES = frozenset({"cffi", "pycparser", "setuptools"})
"""What the build of a package imports, besides Python's own modules."""


def is_identifier(name: str) -> bool:
    return IDENTIFIER.match(name) is not None


def is_reserved(name: str) -> bool:
    return name.startswith(RESERVED_PREFIXES)


def base(lib: str, name: str) -> str:
    prefix = lib + "_"
    return name[len(prefix) :] if name.startswith(prefix) and len(name) > len(prefix) else name


def _own(function: Callable) -> str:
    return f"{function.handle.lower()}_{function.base}" if function.handle else function.base


def cpp_function(function: Callable) -> str:
    return f"wg_do_{_own(function)}"


def line_macro(kind: str, entry: str, number: int) -> str:
    """The macro for a line of the spec: of an entry of this kind, the first, 0, or a later one."""
    return f"WG_{kind}_{number}_IN_{entry}" if number else f"WG_{kind}_AT_{entry}"


def line_of_function(function: Callable) -> str:
    """What such macros call a function."""
    return _own(function)


def c_symbol(lib: str, function: Callable) -> str:
    return f"rt_{lib}_{_own(function)}"


def constructor(handle: str) -> str:
    return f"construct_{handle.lower()}"


def protocol(word: str) -> str:
    return f"slot_{word}"


def drop_symbol(lib: str, handle: str) -> str:
    return f"rt_{lib}_{handle.lower()}_free"


def c_handle(lib: str, handle: str) -> str:
    return f"wg_handle_{lib}_{handle.lower()}"


def support(lib: str, what: str) -> str:
    return f"wg_{lib}_{what}"


def python_code(function: Callable) -> str:
    return f"wg_python_{_own(function)}"


def namespace(lib: str) -> str:
    return f"wg_{lib}"


def enum_alias(enum: str) -> str:
    return f"wg_enum_{enum}"


def enum_tag(enum: str) -> str:
    return f"wg_python_{enum}"


def struct_tag(struct: str) -> str:
    return f"wg_struct_{struct}"


def recursive_tag(name: str) -> str:
    return f"wg_recursive_{name}"


def tuple_tag(label: str) -> str:
    return f"wg_tuple_{label}"


def named_result(base: str, handle: str | None) -> str:
    """The class of a result with names: `mem_get_info` → `MemGetInfoResult`."""
    words = "".join(part[:1].upper() + part[1:] for part in base.split("_"))
    return f"{handle or ''}{words}Result"


def callback(label: str) -> str:
    return f"wg_callback_{label}"


def callback_code(label: str) -> str:
    return f"wg_code_{label}"


def struct_alias(struct: str) -> str:
    return f"wg_record_{struct}"


LEFT_OUT = "_LEFT_OUT"
"""What the cffi engine has as default of a parameter that only C++ has one for."""


def options_start(struct: str) -> str:
    return f"wg_options_{struct}"


def said_of(what: str, function: Callable) -> str:
    """What holds an expression of the spec about a call: its `status`, its `result`, that it has `none`, or `each`."""
    return f"wg_{what}_of_{_own(function)}"


def status_tag(type_: str) -> str:
    return f"wg_statuses::{type_}"


def python_used(handle: str) -> str:
    return f"_used_{handle}"


def setter(name: str) -> str:
    return f"{name}_setter"


def python_form(base: str) -> str:
    return f"_form_{base}"


def in_submodule(module: str, base: str) -> str:
    return f"{module}_{base}"


def python_in_submodule(module: str, name: str) -> str:
    return f"_in_{module}_{name}"


def python_forms(name: str, owner: str) -> str:
    return f"wg_forms_{owner or 'module'}_{name}"


def doc(function: Callable) -> str:
    """The documentation of a function, of both engines."""
    return f"wg_doc_{_own(function)}"


def doc_in_class(function: Callable) -> str:
    """That of a function that makes objects, as a method of their class."""
    return f"wg_doc_in_class_{_own(function)}"


def signature(function: Callable) -> str:
    """The signature of what Python shows none of: one of several forms, and what calls an object."""
    return f"wg_signature_{_own(function)}"


def forms_doc(name: str, owner: str) -> str:
    return f"wg_doc_of_forms_{owner or 'module'}_{name}"


def class_doc(name: str) -> str:
    return f"wg_doc_of_class_{name}"


def summary_doc(handle: str) -> str:
    return f"wg_doc_of_making_{handle}"


def constructors_doc(name: str) -> str:
    return f"wg_doc_of_constructors_{name}"


def owner_doc(handle: str) -> str:
    return f"wg_doc_of_owner_{handle}"


def deprecated_maker(struct: str) -> str:
    return f"wg_deprecated_{struct}"


def user_code(function: Callable) -> str:
    return f"wg_code_{_own(function)}"


def inner(handle: str) -> str:
    return f"wg_inner_{handle}"


def extra(parameter: str, what: str) -> str:
    return f"wg_{parameter}_{what}"


def argument(parameter: str) -> str:
    """What took an argument in the cpython engine. The end keeps it from being a macro of a library."""
    return f"{parameter}_"


def typed(parameter: str) -> str:
    """What a typed function calls a parameter of a call by name: Python's name, and what no macro ends in."""
    return f"{python(parameter)}_"


def cpp(parameter: str) -> str:
    return f"arg_{parameter}"


def body(parameter: str) -> str:
    return parameter + "_" if parameter in CPP_WORDS else parameter


def python(parameter: str) -> str:
    return parameter + "_" if parameter in PYTHON_KEYWORDS or parameter in ("self", "cls") else parameter


def python_function(name: str) -> str:
    return name + "_" if name in FUNCTION_WORDS else name


def python_method(name: str) -> str:
    return name + "_" if name in HANDLE_MEMBERS or name in FUNCTION_WORDS else name


def awaited(name: str) -> str:
    return f"{name.rstrip('_')}_async"


def python_enum_member(name: str) -> str:
    return name + "_" if name in ENUM_MEMBERS or name in PYTHON_WORDS else name


def former(name: str, now: str) -> str:
    """What `name` was called in Python while builtins got a `_`, if it is not called so now; or nothing."""
    return f"{name}_" if now == name and name in PYTHON_WORDS else ""


class NamedParameter(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def is_either(self) -> bool: ...


class Callable(Protocol):
    """What the names of a function or method in Python depend on."""

    @property
    def base(self) -> str: ...
    @property
    def handle(self) -> str | None: ...
    @property
    def py_name(self) -> str: ...
    @property
    def had_former_names(self) -> bool: ...
    @property
    def sets(self) -> str: ...
    @property
    def is_form(self) -> bool: ...
    @property
    def constructs(self) -> str: ...
    @property
    def virtual(self) -> object: ...
    @property
    def parameters(self) -> Sequence[NamedParameter]: ...


def of_function(function: Callable) -> str:
    """What a function or method is called in Python."""
    if function.py_name:
        return function.py_name
    return python_method(function.base) if function.handle else python_function(function.base)


def former_function(function: Callable) -> str:
    """The former name of a function of the module; methods were never renamed."""
    if function.handle or function.py_name or not function.had_former_names:
        return ""
    return former(function.base, of_function(function))


@remembered
def former_parameters(function: Callable) -> Mapping[str, str]:
    """The former names of parameters, by what they are called now; constructors, forms and interfaces never had any."""
    if not function.had_former_names or function.sets or function.is_form or function.constructs or function.virtual:
        return {}
    found = {p.name: former(p.name, python(p.name)) for p in function.parameters if p.name in PYTHON_WORDS}
    either = {p.name for p in function.parameters if p.is_either} if found else set[str]()
    taken = {p.name for p in function.parameters}
    return {now: old for now, old in found.items() if old and now in either and old not in taken}


def cased(name: str, case: str) -> str:
    """A name in the case of a library: `pascal`, `camel`, or as it is."""
    if case not in ("pascal", "camel"):
        return name
    first, *others = name.split("_")
    parts = [first[:1].upper() + first[1:] if case == "pascal" else first]
    return "".join(parts + [part[:1].upper() + part[1:] for part in others])


def python_local(parameter: str) -> str:
    return f"_c_{parameter}"


def python_drop(handle: str) -> str:
    return f"_drop_{handle}"


def python_struct_codec(struct: str) -> str:
    return f"_struct_{struct}"


def python_recursive_codec(name: str) -> str:
    return f"_recursive_{name}"


def python_enum_mask(enum: str) -> str:
    return f"_mask_{enum}"


def camel(lib: str) -> str:
    return "".join(part.capitalize() for part in lib.split("_"))


def library_error(lib: str) -> str:
    name = camel(lib) + "Error"
    return name if name not in PYTHON_WORDS else camel(lib) + "LibraryError"


def mapped_error(exception: str, builtin: str) -> str:
    """The class that is both; the builtin one where the other is one too."""
    return builtin if exception in PYTHON_EXCEPTIONS else exception.removesuffix("Error") + builtin


def package(lib: str) -> str:
    return lib + "_ffi"


FILES_OF_CPP = ("bridge.h", "bridge.cpp", "cpython.cpp", "docs.hpp", "lines.hpp")
"""The files of C++ in a package: `#include "lines.hpp"` in the code of a spec finds these, among which it stands."""

RUNTIME = "_runtime"
"""The folder of a package, and its subpackage, with the files that are the same in every package."""


def runtime(file: str) -> str:
    """The path of a runtime file in the package."""
    return f"{RUNTIME}/{file}"


def runtime_module(name: str) -> str:
    """A Python module of the runtime, as the modules of a package that carries it import it."""
    return f".{RUNTIME}.{name}"


def extension(package: str) -> str:
    return "_" + package


def guard(lib: str) -> str:
    return "HAS_" + lib.upper()


def library_variable(package: str) -> str:
    return package.upper() + "_LIBRARY"
