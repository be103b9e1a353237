"""Tier 3, the Python API over cffi. Decides every line of `__init__.py` and its type stub; places none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from wrapper_gen import names
from wrapper_gen.conversions import ParameterRow, ResultRow, parameter, result
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    NO_DEFAULT,
    EnumType,
    Function,
    HandleType,
    Mode,
    Module,
    Parameter,
    PythonPackage,
)
from wrapper_gen.quoting import python_string
from wrapper_gen.tiers import bridge, records
from wrapper_gen.tiers.documentation import docstring, exception_doc, factory_doc, function_doc, handle_doc
from wrapper_gen.tiers.literals import literal
from wrapper_gen.tiers.records import RecordView
from wrapper_gen.types.model import Handle, Type
from wrapper_gen.types.queries import enums_in, is_compound
from wrapper_gen.types.spelling import codec

NUMBER = 3
TEMPLATES = (
    ("python/__init__.py.jinja", "__init__.py"),
    ("python/__init__.pyi.jinja", "__init__.pyi"),
    ("python/_cffi_engine.py.jinja", "_cffi_engine.py"),
    ("python/extension.pyi.jinja", "{extension}.pyi"),
)
STATIC = (
    ("python/_support.py", "_support.py"),
    ("python/_types.py", "_types.py"),
    ("python/_cffi_support.py", "_cffi_support.py"),
    ("python/_wire.py", "_wire.py"),
    ("python/_records.py", "_records.py"),
    ("python/py.typed", "py.typed"),
)

_WIDTH = 120  # columns of a line, as the formatter has it
_LONG = 88  # columns that a line of names may have, before it is one name a line


@frozen
class FunctionView:
    """One function or method, in the order in which its lines run."""

    name: str
    symbol: str
    signature: str
    docstring: str
    stub: str
    """The statement that returns in stub mode; empty when it raises there."""
    prepare: tuple[str, ...]
    call: str
    thorough: tuple[str, ...]
    """What converts arguments that the call refused, or says what is wrong with them; empty when it refuses none."""
    forget: str
    """What empties the locals that hold lent memory; empty when there are none.

    Locals of a call that raised live on with its traceback, and CPython crashes when it collects a memoryview that is
    still lent.
    """
    failed: str
    taken: str
    """What the call takes, also when it fails after that."""
    after: tuple[str, ...]
    result: str
    is_property: bool
    renamed: str
    """Former names of parameters, as keyword arguments with the present ones; empty when there are none."""
    former: str
    """Its own former name, if it has one."""
    former_signature: str
    deprecated: str
    """For the type stub: the signature that calls by former names of parameters have; empty when there are none."""


@frozen
class FactoryView:
    """A function that returns a handle, as a class method of the handle's class."""

    name: str
    signature: str
    summary: str
    call: str
    renamed: str
    former: str
    former_signature: str
    deprecated: str


@frozen
class ClassView:
    """One handle type."""

    name: str
    docstring: str
    methods: tuple[FunctionView, ...]
    factories: tuple[FactoryView, ...]
    drop: str
    drop_symbol: str
    makers: str


@frozen
class EnumView:
    """One enum; its members' values come from the extension."""

    name: str
    base: str
    docstring: str
    array: str
    members: tuple[tuple[str, int], ...]


@frozen
class MaskView:
    """What the cffi engine makes an enum's results with."""

    mask: str
    enum: str


@frozen
class ExceptionView:
    """One exception class of the spec."""

    name: str
    bases: str
    docstring: str


@frozen
class SymbolView:
    """One function of the extension, for its type stub."""

    name: str
    annotation: str


@frozen
class View:
    """Everything that the Python templates place."""

    docstring: str
    name: str
    version: str
    extension_name: str
    command: str
    fingerprint: str
    imports: tuple[str, ...]
    """Import statements of the standard library for the cffi engine, finished and sorted."""
    enum_imports: tuple[str, ...]
    type_imports: tuple[str, ...]
    """The same for the package itself, and for its type stub."""
    type_support: tuple[str, ...]
    """What the type stub imports from the package."""
    engine_imports: tuple[str, ...]
    """What the cffi engine imports from the package."""
    preloaded: str
    """Packages to import first: they load what the extension's libraries need."""
    packages: str
    folders: str
    is_dynamic: bool
    error_kind: str
    """The function of the extension that says whether there is a failure."""
    error: str
    error_docstring: str
    exceptions: tuple[ExceptionView, ...]
    exception_names: str
    derives: str
    arrays: bool
    """Whether the extension has any: with the values of an enum, or with what derives from what."""
    caught: str
    """The exceptions that stand for C++ classes, in order; empty where there are no two."""
    enums: tuple[EnumView, ...]
    crossing_enums: tuple[MaskView, ...]
    """Those of parameters and results."""
    classes: tuple[ClassView, ...]
    functions: tuple[FunctionView, ...]
    records: tuple[RecordView, ...]
    codecs: tuple[str, ...]
    """Lines of a dict: what encodes and decodes the values of each compound type."""
    renamed: str
    """What functions are called now by their former names, a dict; empty when none was renamed."""
    renamed_members: str
    """The same for each class that has class methods that were renamed."""
    shared: str
    """Lists of names: what the package defines itself, errors and enums."""
    defined: str
    """What the engines define: classes and functions."""
    public: str
    """Both."""
    symbols: tuple[str, ...]
    extension_symbols: tuple[SymbolView, ...]


def view(module: Module) -> View:
    """The Python package of one module."""
    error = names.library_error(module.name)
    functions = tuple(_function(f, module) for f in module.functions)
    found = members(module)
    classes = tuple(_class(h, found[h.name], module) for h in module.handles)
    everything = (*functions, *(m for c in classes for m in c.methods))
    declared = bridge.exception_names(module)
    own = tuple(n for n in declared if n not in names.PYTHON_EXCEPTIONS and n != error)
    library = module.library
    command = f"wrapper-gen build {module.spec}"
    structs = records.views(module)
    hints = " ".join([*(f.signature for f in everything), *(s.signature for s in structs)])
    abstract = _abstract(hints)
    stubbed = _abstract(" ".join(f.signature for f in everything))  # a record's constructor is not in the type stub
    imported = [r for r in library.requires if isinstance(r, PythonPackage) and r.imported]
    has_former_parameters = any(names.former_parameters(f) for f in (*module.functions, *module.methods))
    deprecates = has_former_parameters or any(names.former_function(f) for f in module.functions)
    of_enums = (any(not e.flags for e in module.enums), any(e.flags for e in module.enums))
    enums = tuple(_enum(e, module) for e in module.enums)
    shared = ["ENGINE", "STUB", "ClosedHandleError", error, "LibraryUnavailable", *own, *(e.name for e in enums)]
    defined = [*(h.name for h in module.handles), *(s.name for s in module.structs)]
    defined += [names.of_function(f) for f in module.functions]
    return View(
        docstring=docstring([module.doc or f"Bindings of {module.name}."]),
        name=python_string(module.name),
        version=python_string(module.version),
        extension_name=python_string(names.extension(module.package)),
        command=python_string(command),
        fingerprint=python_string(bridge.fingerprint(module)),
        imports=_imports((*abstract, False, False, False, any(c.factories for c in classes), False)),
        enum_imports=_imports((False, False, False, False, *of_enums, False, False)),
        type_imports=_imports((*stubbed, bool(module.structs), *of_enums, bool(classes), has_former_parameters)),
        type_support=_type_support(hints, deprecates),
        engine_imports=_engine_imports(module, hints, own, everything),
        preloaded=_block("[", [_preloaded(r, library.link) for r in imported], "]") if imported else "",
        packages=_block("[", [_package(r) for r in library.requires if isinstance(r, PythonPackage)], "]"),
        folders=_block("[", [python_string(p) for p in library.search_paths], "]"),
        is_dynamic=library.dynamic is not None,
        error_kind=names.support(module.name, "error_kind"),
        error=error,
        error_docstring=docstring([exception_doc(error, module)]),
        exceptions=_exceptions(module, own),
        exception_names=_tuple(declared) if len(_tuple(declared)) <= _LONG else _block("(", declared, ")"),
        derives=bridge.derives(module),
        arrays=bool(module.enums) or bool(bridge.derives(module)),
        caught=_tuple([e.exception for e in module.errors if not e.ok]) if bridge.derives(module) else "",
        enums=enums,
        crossing_enums=tuple(MaskView(names.python_enum_mask(n), python_string(n)) for n in crossing_enums(module)),
        classes=classes,
        functions=functions,
        records=structs,
        codecs=tuple(
            _call(codec(type_), f"{python_string(str(type_))}: ", ",")
            for type_ in types_of((*module.functions, *module.methods))
            if is_compound(type_)
        ),
        renamed=_former_names(module.functions),
        renamed_members=_former_members(found),
        shared=_names(shared),
        defined=_names(defined),
        public=_names([*shared, *defined]),
        symbols=tuple(f.symbol for f in everything),
        extension_symbols=(
            SymbolView(names.support(module.name, "is_stub"), "bool"),
            *(_symbol(f, module) for f in (*module.functions, *module.methods)),
        ),
    )


def _exceptions(module: Module, own: Sequence[str]) -> tuple[ExceptionView, ...]:
    """The exception classes of the spec, and those of mapped statuses, each after its bases."""
    error = names.library_error(module.name)
    mapped = {
        n: (e.exception, b) for e in module.errors for n, (_, b) in zip(bridge.mapped_errors(e), e.mapped, strict=True)
    }
    views = [ExceptionView(n, error, docstring([exception_doc(n, module)])) for n in own if n not in mapped]
    for name in own:
        if name in mapped:
            exception, builtin = mapped[name]
            doc = docstring([f"A `{exception}` that is a `{builtin}` too."])
            views.append(ExceptionView(name, f"{exception}, {builtin}", doc))
    return tuple(views)


def _tuple(items: Sequence[str]) -> str:
    """A tuple on one line."""
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _call(call: str, before: str = "", after: str = "", room: int = _LONG - 4) -> str:
    """A call whose arguments are calls, as the formatter leaves it: where it is too long, one argument a line."""
    if len(before + call + after) <= room:
        return before + call + after
    head, _, arguments = call.removesuffix(")").partition("(")
    found, depth = [""], 0
    for char in arguments:
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return before + _block(f"{head}(", [_call(each.strip(), room=room - 5) for each in found], ")") + after


def _package(requirement: PythonPackage) -> str:
    return _block("(", [python_string(requirement.name), _strings(requirement.lib)], ")")


def _preloaded(requirement: PythonPackage, libraries: Sequence[str]) -> str:
    return _block("(", [python_string(requirement.name), _strings(requirement.lib), _strings(libraries)], ")")


def _strings(texts: Sequence[str]) -> str:
    return _block("[", [python_string(text) for text in texts], "]")


def _block(opening: str, items: Sequence[str], closing: str) -> str:
    """Items in brackets, one a line, as the formatter leaves them."""
    indented = "".join("    {},\n".format(item.replace("\n", "\n    ")) for item in items)
    return f"{opening}\n{indented}{closing}" if items else opening + closing


def _abstract(hints: str) -> tuple[bool, bool, bool]:
    """Which of the abstract containers type hints name."""
    return "_Mapping[" in hints, "_Sequence[" in hints, "_AbstractSet[" in hints


def _imports(used: tuple[bool, bool, bool, bool, bool, bool, bool, bool]) -> tuple[str, ...]:
    """What is used of the standard library: containers, records, enums, flags, the instance's type, overloads."""
    lines = (
        "from collections.abc import Mapping as _Mapping",
        "from collections.abc import Sequence as _Sequence",
        "from collections.abc import Set as _AbstractSet",
        "from dataclasses import dataclass as _dataclass",
        "from enum import IntEnum as _IntEnum",
        "from enum import IntFlag as _IntFlag",
        "from typing import Self as _Self",
        "from typing import overload as _overload",
    )
    return tuple(line for line, wanted in zip(lines, used, strict=True) if wanted)


def _type_support(hints: str, deprecates: bool) -> tuple[str, ...]:
    wanted = [
        ("_support import ClosedHandleError as ClosedHandleError", True),
        ("_support import LibraryError as _LibraryError", True),
        ("_support import LibraryUnavailable as LibraryUnavailable", True),
        ("_types import Array as _Array", "_Array" in hints),
        ("_types import Buffer as _Buffer", "_Buffer" in hints),
    ]
    own = tuple(f"from .{name}" for name, used in wanted if used)
    return ("from typing_extensions import deprecated as _deprecated", "", *own) if deprecates else own


def _engine_imports(
    module: Module, hints: str, own: tuple[str, ...], written: Sequence[FunctionView]
) -> tuple[str, ...]:
    error = names.library_error(module.name)
    extension = names.extension(module.package)
    functions = (*module.functions, *module.methods)
    code = " ".join(line for f in written for line in f.prepare)
    wire = ["_wire"] if any(map(is_compound, types_of(functions))) or module.structs else []
    shared = sorted({error, *own, *wire, *crossing_enums(module)}, key=_rank)
    line = f"from . import {', '.join(shared)}"
    own_lines = ["from . import STUB as _STUB"] if any(f.stub is not NO_DEFAULT for f in functions) else []
    own_lines.append(line if len(line) <= _LONG else "from . import " + _block("(", shared, ")"))
    own_lines.append(f"from . import {extension} as _extension")
    wanted = [
        ("from ._cffi_support import AGAIN as _AGAIN", any(f.thorough for f in written)),
        ("from ._cffi_support import MOST_F32 as _MOST_F32", "_MOST_F32" in code),
        ("from ._cffi_support import Bridge as _Bridge", True),
        ("from ._cffi_support import Handle as _Handle", bool(module.handles)),
        ("from ._cffi_support import renamed as _renamed", any(names.former_parameters(f) for f in functions)),
        ("from ._records import Record as _Record", bool(module.structs)),
        ("from ._records import fields as _fields", bool(module.structs)),
        ("from ._types import Array as _Array", "_Array" in hints),
        ("from ._types import Buffer as _Buffer", "_Buffer" in hints),
    ]
    return (*own_lines, *sorted((line for line, used in wanted if used), key=_rank_of_import))


def crossing_enums(module: Module) -> list[str]:
    """The enums of parameters and results, in the spec's order."""
    types = [*types_of((*module.functions, *module.methods)), *(f.type for s in module.structs for f in s.fields)]
    used = frozenset[str]().union(*map(enums_in, types))
    return [e.name for e in module.enums if e.name in used]


def _rank_of_import(line: str) -> tuple[str, object]:
    """As a formatter sorts `from module import name as other`."""
    _, module, _, name, *_ = line.split()
    return module, _rank(name)


def _former_names(functions: Iterable[Function]) -> str:
    """A dict of former names and present ones."""
    former = {names.former_function(f): names.of_function(f) for f in functions if names.former_function(f)}
    items = [f"{python_string(old)}: {python_string(now)}" for old, now in former.items()]
    return _block("{", items, "}") if items else ""


def _former_members(found: Mapping[str, Members]) -> str:
    """A dict of such dicts, by class."""
    former = {handle: _former_names(own.makers) for handle, own in found.items()}
    return _block("{", [f"{python_string(handle)}: {each}" for handle, each in former.items() if each], "}")


def _names(listed: Sequence[str]) -> str:
    """The value of `__all__`."""
    return _block("[", [python_string(name) for name in sorted(listed, key=_rank)], "]")


def _rank(name: str) -> tuple[int, list[tuple[str, int]]]:
    """Constants, then classes, then the rest; numbers in names by what they count."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", name)]


def types_of(functions: Sequence[Function]) -> list[Type]:
    """The types of parameters and results, each once, in order."""
    return list(dict.fromkeys(t for f in functions for t in (*(p.type for p in f.parameters), f.returns)))


# --- functions and classes -------------------------------------------------------------------------------------------


def _exploded(head: str, items: list[str], tail: str) -> str:
    """`head(items)tail` as the formatter leaves it: one item a line, unless there is none or just the instance."""
    if not items or items in (["self"], ["self._h"], ["cls"]):
        return f"{head}({''.join(items)}){tail}"
    return head + _block("(", items, ")") + tail


def _declared(p: Parameter, row: ParameterRow) -> str:
    default = "" if p.default is NO_DEFAULT else f" = {literal(p.default)}"
    return f"{names.python(p.name)}: {row.annotation}{default}"


def _function(function: Function, module: Module) -> FunctionView:
    rows = [parameter(p.type, p.name, module.name) for p in function.parameters]
    out = result(function.returns, module.name)
    both = list(zip(function.parameters, rows, strict=True))
    name = names.of_function(function)
    symbol = names.c_symbol(module.name, function.base, function.handle)
    me = bool(function.handle)
    declared = ["self"] * me + [_declared(p, row) for p, row in both]
    arguments = ["self._h"] * me + [a for row in rows for a in row.python_arguments]
    takes = [names.python(p.name) for p in function.parameters if p.mode is Mode.TAKE]
    lent = [names.python_local(p.name) for p, row in both if row.is_lent]
    former = names.former_function(function)
    return FunctionView(
        name=name,
        symbol=symbol,
        signature=_exploded(f"def {name}", declared, f" -> {out.annotation}:"),
        docstring=docstring(function_doc(function, module)),
        stub=_stub(function, out),
        prepare=_prepare(both, 4 + 4 * me + 4 * bool(lent)),
        call=_exploded(f"_result = _{symbol}", arguments, ""),
        thorough=_thorough(both),
        forget=" = ".join([*lent, "None"]) if lent else "",
        failed=out.python_failed,
        taken=", ".join(takes),
        after=(*out.python_made, *(f"{name}.close()" for name in takes)),
        result=out.python_result,
        is_property=function.property,
        renamed=_renamed(function),
        former=former,
        former_signature=_exploded(f"def {former}", declared, f" -> {out.annotation}: ..."),
        deprecated=_deprecated(function, name, module),
    )


def _stub(function: Function, out: ResultRow) -> str:
    if function.stub is NO_DEFAULT:
        return ""
    return f"return {literal(function.stub, mutable=True)}" if out.python_result else "return"


def _is_plain(rows: Sequence[ParameterRow]) -> bool:
    """Whether a look at the arguments' types tells that the call can have all of them as they are."""
    return not any(row.python_prepare for row in rows)


def _prepare(both: Sequence[tuple[Parameter, ParameterRow]], indent: int) -> tuple[str, ...]:
    """What happens to the arguments before the call: in their order, so that the first wrong one is named."""
    if both and _is_plain([row for _, row in both]):
        wrong = " or ".join(row.python_unless for _, row in both if not row.python_strict)
        converted = (f"    {names.python(p.name)} = {row.python_convert}" for p, row in both)
        return (*_condition(wrong, indent), *converted) if wrong else ()
    return tuple(line for p, row in both for line in _prepared(p, row, indent))


def _thorough(both: Sequence[tuple[Parameter, ParameterRow]]) -> tuple[str, ...]:
    """What happens to numbers that the call refused: those of Python's own types do not fit, others are converted."""
    if not _is_plain([row for _, row in both]):
        return ()
    left = [(p, row) for p, row in both if row.python_range or row.python_strict]
    return tuple(f"{names.python(p.name)} = {row.python_convert}" for p, row in left)


def _prepared(p: Parameter, row: ParameterRow, indent: int) -> tuple[str, ...]:
    """What happens to one argument where others may be refused after it."""
    if row.python_prepare:
        return (f"{names.python_local(p.name)} = {row.python_prepare}",)
    fits = f" or not {row.python_range}" if row.python_range else ""
    return (*_condition(row.python_unless + fits, indent), f"    {names.python(p.name)} = {row.python_convert}")


def _condition(condition: str, indent: int) -> tuple[str, ...]:
    """`if condition:` as the formatter leaves it."""
    if indent + len(f"if {condition}:") <= _WIDTH:
        return (f"if {condition}:",)
    first, *others = condition.split(" or ")
    return ("if (", f"    {first}", *(f"    or {other}" for other in others), "):")


def _renamed(function: Function) -> str:
    return ", ".join(f"{old}={python_string(now)}" for old, now in names.former_parameters(function).items())


def _deprecated(function: Function, name: str, module: Module, first: str = "self", returned: str = "") -> str:
    """The signature of calls with former names of parameters: keywords, from the first that was renamed on."""
    former = {now: old for old, now in names.former_parameters(function).items()}
    if not former:
        return ""
    declared, is_keyword = [first] * (bool(function.handle) or first == "cls"), False
    for p in function.parameters:
        row, now = parameter(p.type, p.name, module.name), names.python(p.name)
        if now in former and not is_keyword:
            is_keyword = True
            declared.append("*")
        declared.append(f"{former[now]}: {row.annotation}" if now in former else _declared(p, row))
    returned = returned or result(function.returns, module.name).annotation
    return _exploded(f"def {name}", declared, f" -> {returned}: ...")


def _factory(function: Function, module: Module) -> FactoryView:
    name = names.of_function(function)
    former = names.former_function(function)
    declared = [_declared(p, parameter(p.type, p.name, module.name)) for p in function.parameters]
    given = [names.python(p.name) for p in function.parameters]
    called = _exploded(f'_globals()["{name}"]' if name in given else name, given, "")
    indented = called.replace("\n", "\n    ")
    return FactoryView(
        name=name,
        signature=_exploded(f"def {name}", ["cls", *declared], " -> _Self:"),
        summary=docstring([factory_doc(function)]),
        call=f"return cls._adopt(\n    {indented},\n)" if declared else f"return cls._adopt({called})",
        renamed=_renamed(function),
        former=former,
        former_signature=_exploded(f"def {former}", ["cls", *declared], " -> _Self: ..."),
        deprecated=_deprecated(function, name, module, "cls", "_Self"),
    )


@frozen
class Members:
    """What a handle class has of its own, and the functions that make one, less those that another member hides."""

    methods: list[Function]
    makers: list[Function]


def members(module: Module) -> dict[str, Members]:
    """The members of each handle class."""
    found = {h.name: Members([], []) for h in module.handles}
    for method in module.methods:
        found[method.handle or ""].methods.append(method)
    for function in module.functions:
        if isinstance(function.returns, Handle):
            found[function.returns.name].makers.append(function)
    for each in found.values():
        hidden = names.HANDLE_MEMBERS | {names.of_function(m) for m in each.methods}
        each.makers[:] = [f for f in each.makers if names.of_function(f) not in hidden]
    return found


def makers(handle: str, made: list[Function]) -> str:
    """How one makes a handle, for the message of who tries to make it directly."""
    return " or ".join(f"{handle}.{names.of_function(f)}()" for f in made[:3])


def _class(handle: HandleType, own: Members, module: Module) -> ClassView:
    return ClassView(
        name=handle.name,
        docstring=docstring([handle_doc(handle)]),
        methods=tuple(_function(m, module) for m in own.methods),
        factories=tuple(_factory(f, module) for f in own.makers),
        drop=names.python_drop(handle.name),
        drop_symbol=handle.drop_symbol,
        makers=python_string(makers(handle.name, own.makers)),
    )


def _enum(enum: EnumType, module: Module) -> EnumView:
    members = tuple((names.python_enum_member(m.name), i) for i, m in enumerate(enum.members))
    return EnumView(
        name=enum.name,
        base="_IntFlag" if enum.flags else "_IntEnum",
        docstring=docstring([enum.doc or f"Values of {enum.cpp_type}."]),
        array=names.support(module.name, enum.name),
        members=members,
    )


def _symbol(function: Function, module: Module) -> SymbolView:
    """The extension's own function: numbers have types, pointers are Any."""
    out = result(function.returns, module.name)
    kinds = {"float ": "float", "double ": "float"}
    return SymbolView(
        name=names.c_symbol(module.name, function.base, function.handle),
        annotation="Any" if out.c.endswith("*") else kinds.get(out.c, "int"),
    )
