"""The type of the spec language that stands for a type of C++, or of the binder's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wrapper_gen.bindings.outcomes import Left
from wrapper_gen.frozen import frozen
from wrapper_gen.headers.declarations import CKind, Type

_LISTS = {"std::vector", "std::list", "std::deque", "std::array", "std::valarray", "std::span", "std::forward_list"}
_SETS = {"std::set", "std::unordered_set"}
_MAPS = {"std::map", "std::unordered_map"}
_TEXTS = {"std::basic_string", "std::basic_string_view"}
SMART = {"std::shared_ptr", "std::unique_ptr"}
_SEVERAL = {"std::tuple", "std::pair"}
_OBJECTS = {"object": "object", "handle": "object", "bytes": "bytes", "str": "text"}
_OF_OBJECTS = {"int_": "i64", "float_": "f64", "bool_": "bool"}
_BINDER = re.compile(r"^(?:pybind11|nanobind)::(?:\w+::)*(\w+)")
_LANGUAGE = {"pybind11::array_t", "nanobind::ndarray"}
_NUMBERS = {
    "signed char": "i8", "unsigned char": "u8", "float": "f32", "double": "f64", "bool": "bool",
    "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned int": "u32", "long": "i64", "unsigned long": "u64",
    "long long": "i64", "unsigned long long": "u64",
}  # fmt: skip
"""The elements of an array by their C++ names."""


@frozen
class KnownNames:
    """The names of the spec by those of C++: of classes, and of enums."""

    classes: Mapping[str, str]
    enums: Mapping[str, str]


class Spelling:
    """Spells types; raises `Left` for one that the language has no equivalent of."""

    def __init__(self, known: KnownNames) -> None:
        self._known = known

    def of(self, type: Type, *, is_result: bool = False) -> str:
        """The spec's type; empty for `void`."""
        if type.kind in (CKind.REFERENCE, CKind.RVALUE):
            return self._target(type, is_result)
        if type.kind is CKind.POINTER:
            return self._pointer(type, is_result)
        match type.kind:
            case CKind.VOID:
                return ""
            case CKind.BOOL:
                return "bool"
            case CKind.INTEGER:
                return self._integer(type)
            case CKind.FLOAT:
                return self._float(type)
            case CKind.ENUM:
                return self._named(self._known.enums, type, "the enum")
            case CKind.RECORD:
                return self._record(type, is_result)
            case CKind.FUNCTION:
                return self._function(type)
        raise Left(f"the type {type.spelling} has no equivalent")

    def class_of(self, type: Type) -> str:
        """The canonical name of the bound class that a value, a pointer or a reference is of; empty for another."""
        while type.target is not None and type.kind in (CKind.REFERENCE, CKind.RVALUE, CKind.POINTER):
            type = type.target
        return type.name if type.name in self._known.classes else ""

    def name_of(self, canonical: str) -> str:
        return self._known.classes[canonical]

    def _target(self, type: Type, is_result: bool) -> str:
        assert type.target is not None
        return self.of(type.target, is_result=is_result)

    def _pointer(self, type: Type, is_result: bool) -> str:
        to = type.target
        assert to is not None
        if to.kind is CKind.INTEGER and to.canonical.removeprefix("const ") == "char":
            return "text"
        if to.name in self._known.classes:
            return self._known.classes[to.name]
        if to.kind is CKind.FUNCTION:
            raise Left("a function pointer: C++ keeps no state for a callable of Python")
        if to.name == "_object":
            raise Left("a PyObject *, which Python's C API handles")
        raise Left(f"nothing says what the pointer {type.spelling} is to: one value, or several")

    def _integer(self, type: Type) -> str:
        if type.canonical.removeprefix("const ") in ("char", "char16_t", "char32_t", "wchar_t"):
            raise Left("a char is a str of one character in Python, which the language has no type for")
        if type.canonical.removeprefix("const ") == "unsigned long" and "size_t" in type.spelling:
            return "usize"
        return f"{'i' if type.is_signed else 'u'}{8 * type.size}"

    def _float(self, type: Type) -> str:
        if type.size not in (4, 8):
            raise Left(f"the language has no {type.canonical}")
        return f"f{8 * type.size}"

    def _named(self, known: Mapping[str, str], type: Type, what: str) -> str:
        if type.name not in known:
            raise Left(f"{what} {type.name} is not bound in these files")
        return known[type.name]

    def _function(self, type: Type) -> str:
        given = ", ".join(self.of(each) for each in type.parameters)
        result = self.of(type.target, is_result=True) if type.target is not None else ""
        return f"fn({given})" + (f" -> {result}" if result else "")

    def _record(self, type: Type, is_result: bool) -> str:
        template, arguments = re.sub(r"::__\w+::", "::", type.template), type.arguments
        if type.name in self._known.classes:
            return self._known.classes[type.name]
        if binder := _BINDER.match(type.canonical.removeprefix("const ")):
            return self._of_binder(binder[1], type, is_result)
        if template in _TEXTS:
            return self._text(arguments)
        if template in _LISTS and arguments:
            return f"[{self.of(arguments[0], is_result=is_result)}]"
        if template in _SETS:
            return f"set[{self.of(arguments[0], is_result=is_result)}]"
        if template in _MAPS:
            key, value = (self.of(each, is_result=is_result) for each in arguments[:2])
            return f"{{{key}: {value}}}"
        if template in SMART:
            return self.of(arguments[0], is_result=is_result)
        return self._other_record(template, arguments, type, is_result)

    def _other_record(self, template: str, arguments: Sequence[Type], type: Type, is_result: bool) -> str:
        if template in _SEVERAL:
            items = [self.of(each, is_result=is_result) for each in arguments]
            return f"({', '.join(items)}{',' * (len(items) == 1)})"
        if template == "std::optional":
            item = self.of(arguments[0], is_result=is_result)
            return f"({item})?" if " | " in item or "->" in item else f"{item}?"
        if template == "std::variant":
            return self._variant(arguments, is_result)
        if template == "std::function" and arguments:
            return self._function(arguments[0])
        if template == "std::complex":
            return "c64" if arguments[0].size == 4 else "c128"
        if template == "std::reference_wrapper":
            return self.of(arguments[0], is_result=is_result)
        if template.startswith("std::chrono::duration"):
            return "duration"
        if template.startswith("std::chrono::time_point"):
            if "system_clock" not in type.canonical:
                raise Left("a point in time of another clock than system_clock: a lambda gives its time_since_epoch()")
            return "datetime"
        if type.canonical.removeprefix("const ") in ("std::filesystem::path", "std::filesystem::__cxx11::path"):
            return "path"
        hint = "if a type caster converts it, it is an entry of `types`"
        raise Left(f"the class {type.name or type.spelling} is not bound in these files; {hint}")

    def _text(self, arguments: Sequence[Type]) -> str:
        if arguments and arguments[0].canonical != "char":
            raise Left("text of wide characters")
        return "text"

    def _variant(self, arguments: Sequence[Type], is_result: bool) -> str:
        items = [self.of(each, is_result=is_result) for each in arguments if each.name != "std::monostate"]
        if len(items) != len(set(items)):
            raise Left("a variant of which two types are one in Python")
        joined = " | ".join(f"({each})" if "->" in each else each for each in items)
        if len(items) == len(arguments):
            return joined
        return f"({joined})?" if len(items) > 1 else f"{joined}?"

    def _of_binder(self, name: str, type: Type, is_result: bool) -> str:
        if name in _OBJECTS:
            return _OBJECTS[name]
        if name in _OF_OBJECTS:
            return _OF_OBJECTS[name]
        if name in ("array_t", "ndarray"):
            raise Left("an array of which the dimensions are not known")
        if name in ("list", "tuple", "dict", "set", "iterable", "sequence", "iterator"):
            raise Left(f"a {name} of Python objects: a type is always declared")
        if name in ("args", "kwargs"):
            said = "*args: T" if name == "args" else "**options: T"
            raise Left(f"{name} of any type: the language has `{said}`, of which C++ has a list or a map of T")
        if name in ("function", "callable", "cpp_function"):
            raise Left("a callable whose parameters are not declared")
        raise Left(f"the binder's {name}")


def element(canonical: str) -> str:
    """The spec's type of an element of an array."""
    name = canonical.removeprefix("const ").strip()
    if name in _NUMBERS:
        return _NUMBERS[name]
    if name.startswith("std::complex<"):
        return "c64" if "float" in name else "c128"
    raise Left(f"an array of {name}")
