"""The functions of the cpython engine: each takes its arguments and calls the typed function of the bridge."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.interfaces import passes_overridable
from wrapper_gen.iterators import iterates
from wrapper_gen.lifetimes import ends_made_in_call, is_recorded, keeps_value, may_be_there, recorded
from wrapper_gen.model import (
    NO_DEFAULT,
    Function,
    Mode,
    Module,
    Parameter,
)
from wrapper_gen.queries import (
    any_call_runs_callables,
    callbacks,
    class_of,
    contended,
    ends_loans,
    exclusive_types,
    fills_room,
    leading,
    locked,
    positional,
    positional_only,
)
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.tiers.cpython.byte_offsets import in_text, indices, offsets, passed_offset
from wrapper_gen.tiers.cpython.calls import GIVEN, ROW, caller
from wrapper_gen.tiers.cpython.forms import level_entry
from wrapper_gen.tiers.cpython.kept_objects import held, is_only_lent, kept_by_result, of_argument, of_iterator
from wrapper_gen.tiers.cpython.positions import counted, passed
from wrapper_gen.tiers.cpython.slots import has_signature, is_raw, raw, slot_entries
from wrapper_gen.types.hints import Way
from wrapper_gen.types.kept import kept_parameter
from wrapper_gen.types.parameters import parameter
from wrapper_gen.types.queries import handle_in_forms, handles_in, has_holding
from wrapper_gen.types.results import result
from wrapper_gen.types.rows import ParameterRow, ResultRow
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.views.callables import kept_callables, recorded_call
from wrapper_gen.views.deprecations import in_cpython
from wrapper_gen.views.documentation import not_implemented
from wrapper_gen.views.ending import Cpp, ending_after
from wrapper_gen.views.interfaces import closes_at_exit, constructs_interface, may_override
from wrapper_gen.views.lifetimes import effects
from wrapper_gen.views.literals import literal
from wrapper_gen.views.record_members import is_own_record


@frozen
class SignatureView:
    """The parameters of one function under one name, as Python's own messages have it."""

    variable: str
    name: str
    implied: int
    """1 when Python counts an instance or a class too."""


@frozen
class EntryView:
    """A function that CPython calls: it passes on what it is given to the one that several share."""

    head: str
    lines: tuple[str, ...]


@frozen
class FunctionView:
    """One function or method, in the order in which its lines run."""

    where: str
    c_name: str
    head: str
    declared: tuple[str, ...]
    """What the tables refer to."""
    count: int
    required: int
    parameters: tuple[str, ...]
    defaults: str
    former: tuple[str, ...]
    """For each parameter the keyword that it had formerly, or nullptr; none where no parameter had another."""
    marks: str
    """Further arguments of the signature; empty where all parameters may be given by name, or without one."""
    signatures: tuple[SignatureView, ...]
    """One for each name that it has in Python; none without parameters."""
    catches: str
    """What catches what is thrown; empty where its caller does."""
    lines: tuple[str, ...]
    wrappers: tuple[EntryView, ...]


def function_view(function: Function, module: Module, factory_of: str | None) -> FunctionView:
    """A function with arguments is in two: the taking of them is one for all functions with the same ones.

    Numbers too: to take them in place makes calls no faster, and the compiler slower (benchmarks/compile.py).
    """
    c_name = names.python_code(function)
    own = _own_head(function, c_name, module, bool(factory_of))
    wrappers = (_setter(function, c_name),) if function.sets else _wrappers(function, c_name, factory_of, module)
    levels = (EntryView(*level_entry(function, c_name, module)),) if function.is_form else ()
    return FunctionView(
        where=f"{function.name}: {module.place(function.span)}",
        c_name=c_name,
        head=own,
        declared=(*(tuple(w.head for w in wrappers) or (own,)), *(each.head for each in levels)),
        count=len(function.parameters),
        required=leading(function),
        parameters=tuple(c_string(names.python(p.name)) for p in function.parameters),
        defaults=_defaults(function),
        former=_former(function),
        marks=_marks(function),
        signatures=_signatures(function, factory_of),
        catches="" if _has_core(function, module) else _catches(function),
        lines=(
            *in_cpython(function, "-1" if is_raw(function) else "nullptr"),
            *(_on_own if _has_core(function, module) else _with_frames)(function, module, factory_of),
        ),
        wrappers=(*wrappers, *levels),
    )


def _with_frames(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """All that a call does, in the order in which it does so."""
    return (
        *_own(function),
        *_opened(function, module),
        *_locked(function, module),
        *effects(function, module, _cpp(function)),
        *kept_callables(function, module, "wg_own.held()", _callable, _within),
        *recorded_call(function, module, "wg_own.held()", lambda several: held(several, function), _callable, _within),
        *_in_call(_statements(function, module, factory_of), function, module),
    )


def _has_core(function: Function, module: Module) -> bool:
    """Whether the frames of a call are one function of the runtime for its class.

    All that they need is the object, and the handles among the arguments that are recorded.
    """
    if (
        not function.handle
        or function.constructs
        or any(p.callbacks or p.mode is Mode.TAKE for p in function.parameters)
    ):
        return False
    if not_implemented(function, module) or effects(function, module, _cpp(function)):
        return False
    return function.side_by_side or (
        {of_argument(name, function) for name in locked(function, module)} <= {"wg_own"}
        and set(_exclusive(function, module)) <= {"wg_own", *_recorded(function, module)}
    )


def _on_own(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """The checks of the arguments, then the body, which the core for the class and for this way of calling runs."""
    handles = [_argument(p) for p in function.parameters if _row(p, module).cpython_is_handle]
    opened = [
        f"{_argument(p)}.open({c_string(names.python(p.name))})"
        for p in function.parameters
        if _row(p, module).cpython_is_handle
    ]
    pins = _pins(function, module)
    opened += [f"{each}.pin()" for each in handles * pins]
    made = "Py_ssize_t" if is_raw(function) else "PyObject *"
    failed = "-1" if is_raw(function) else "nullptr"
    others = _recorded(function, module)
    own = f"[[maybe_unused]] wg::cpython::Handle<{function.handle}> &wg_own"
    core = ", ".join(
        (function.handle or "", _run(function, module), _record(function, module), *_locks(function, module))
    )
    return (
        *((f"if ({' || '.join(f'!{each}' for each in opened)}) return {failed};",) if opened else ()),
        *((f"const wg::cpython::ListedHandles wg_used({', '.join(others)});",) if others else ()),
        f"return wg::cpython::on_own<{core}>(wg_self, [&]({own}) -> {made} {{",
        *(f"    {each}" for each in _statements(function, module, factory_of)),
        f"}}{', wg_used.list()' if others else ''});",
    )


def _recorded(function: Function, module: Module) -> tuple[str, ...]:
    """The arguments with handles that the record of a call names, as what took them."""
    if not is_recorded(function, module):
        return ()
    return tuple(of_argument(name, function) for name in recorded(function, module))


def _run(function: Function, module: Module) -> str:
    """How the body runs, as the core is told."""
    if not callbacks(module):
        return "wg::cpython::Plainly"
    passes = may_override(function, module)
    is_outer = passes or any_call_runs_callables(module)
    return f"wg::cpython::Outermost<{c_bool(passes)}>" if is_outer else "wg::cpython::BesideOthers"


def _record(function: Function, module: Module) -> str:
    """What says that the call runs, as the core is told."""
    if not is_recorded(function, module):
        return "wg::cpython::Unrecorded"
    return f"wg::RecordedCall<{'true' * passes_overridable(function, module)}>"


def _locks(function: Function, module: Module) -> tuple[str, ...]:
    """What the core holds while the call runs: the object in use, and locks."""
    pinned = ("wg::cpython::Pinned",) * _pins(function, module)
    if function.side_by_side:
        return pinned
    owners = ("wg::cpython::Locked<wg::OwnerLocks>",) if locked(function, module) else ()
    exclusive = _exclusive(function, module)
    kind = "wg::cpython::Locked<wg::cpython::ExclusiveOwn>" if exclusive == ["wg_own"] else "wg::cpython::ExclusiveAll"
    return (*pinned, *owners, *((kind,) if exclusive else ()))


def _signatures(function: Function, factory_of: str | None) -> tuple[SignatureView, ...]:
    if not function.parameters or function.sets or (function.protocol and not has_signature(function)):
        return ()
    c_name, name = names.python_code(function), names.of_function(function)
    if function.constructs:
        return (SignatureView(f"{c_name}_signature", c_string(f"{function.constructs}.__init__"), 1),)
    owner = class_of(function)
    own_name = f"{owner}.{name}" if owner else name
    own = SignatureView(f"{c_name}_signature", c_string(own_name), 1 if function.handle else 0)
    if not factory_of:
        return (own,)
    return (own, SignatureView(f"{c_name}_of_class", c_string(f"{factory_of}.{name}"), 1))


def _defaults(function: Function) -> str:
    later = function.parameters[leading(function) :]
    values = "".join(f"{'NotImplemented' if p.default is NO_DEFAULT else literal(p.default)}, " for p in later)
    return c_string(f"({values})") if values else "nullptr"


def _former(function: Function) -> tuple[str, ...]:
    former = names.former_parameters(function)
    if not former:
        return ()
    own = [former.get(names.python(p.name)) for p in function.parameters]
    return tuple(c_string(old) if old else "nullptr" for old in own)


def _marks(function: Function) -> str:
    """How many parameters are given without a name only, and how many may be, where the signature has to know it."""
    knows = any(p.is_positional or (p.is_keyword and not p.is_option) for p in function.parameters)
    count = positional(function)
    if not knows and not (has_signature(function) and count < len(function.parameters)):
        return ""
    return f"{positional_only(function)}, {count}"


def _row(p: Parameter, module: Module) -> ParameterRow:
    return parameter(p.type, p.name, module.name, is_taken=p.mode is Mode.TAKE)


def _taken_by(p: Parameter, function: Function, module: Module) -> str:
    """The C++ class that takes an argument; a record whose method is called needs no copy where that is const."""
    if is_own_record(p, function) and not (function.blocking or p.within or has_holding(p.type)):
        described = descriptor(p.type, Way.ARGUMENT, module.name)
        return f"wg::cpython::RecordArgument<{described}, decltype({names.user_code(function)}())>"
    row = kept_parameter(p.type, p.name, module.name) if keeps_value(function, p) else _row(p, module)
    return in_text(row.cpython, p, function)


def _has_slot(function: Function) -> bool:
    """Whether CPython calls it by a slot, or as a constructor."""
    return function.protocol is not None or bool(function.constructs)


def _catches(function: Function) -> str:
    """What catches what it throws. Callables as arguments end where an exception passes them by: outside of it."""
    if _has_slot(function) or any(p.callbacks for p in function.parameters):
        return ""
    return "WG_RAISED_HERE" if function.parameters else "WG_RAISED"


def _argument(p: Parameter) -> str:
    return names.extra(p.name, "argument")


def _cpp(function: Function) -> Cpp:
    """How this engine writes what a call does to what objects lend."""

    def value(name: str) -> str:
        return f"{of_argument(name, function)}.value()"

    return Cpp("wg_own.held()", lambda several: held(several, function), "wg::cpython::InObjects", value, "")


def _callable(name: str) -> str:
    return f"{names.extra(name, 'argument')}.value()"


def _within(name: str) -> str:
    return f"{names.extra(name, 'argument')}.passed()"


def _own_head(function: Function, c_name: str, module: Module, is_factory: bool) -> str:
    """What the function with the statements is declared as: by CPython's conventions, or for its wrappers."""
    if function.parameters or _has_slot(function):
        arguments = "".join(
            f", [[maybe_unused]] {_taken_by(p, function, module)} &{_argument(p)}" for p in function.parameters
        )
        made = "Py_ssize_t " if is_raw(function) else "PyObject *"
        return f"static {made}{c_name}_body([[maybe_unused]] PyObject *wg_self{arguments})"
    if is_factory:
        return f"static PyObject *{c_name}_body(PyObject *wg_self)"
    if function.property:
        return f"PyObject *{c_name}(PyObject *wg_self, void *)"
    return _head(c_name, function)


def _head(c_name: str, function: Function, *, uses_self: bool = False) -> str:
    own = "PyObject *wg_self" if uses_self or function.handle or function.parameters else "PyObject *"
    return f"PyObject *{c_name}({own}, {ROW if function.parameters else 'PyObject *'})"


def _wrappers(function: Function, c_name: str, factory_of: str | None, module: Module) -> tuple[EntryView, ...]:
    """The functions that CPython calls, where it does not call the one with the statements."""
    if _has_slot(function):
        return tuple(EntryView(head, lines) for head, lines in slot_entries(function, c_name, module))
    if not function.parameters and not factory_of:
        return ()
    exact = f"reinterpret_cast<PyObject *>(wg::cpython::Traits<{factory_of}>::type)"
    wanted = [(c_name, f"{c_name}_signature", exact if factory_of else "wg_self")]
    wanted += [(f"{c_name}_in_class", f"{c_name}_of_class", "wg_self")] * bool(factory_of)
    entries = []
    for name, signature, own in wanted:
        head = _head(name, function, uses_self=own != exact)
        if function.parameters:
            lines = [f"return wg::cpython::{caller(function)}({c_name}_body, {signature}, {own}, {GIVEN});"]
            lines = ["static_cast<void>(wg_self);"] * (own == exact) + lines
        else:
            lines = [f"return {c_name}_body({own});"]
        entries.append(EntryView(head, tuple(lines)))
    return tuple(entries)


def _setter(function: Function, c_name: str) -> EntryView:
    """What CPython calls to set a property."""
    name = c_string(names.of_function(function))
    head = f"int {c_name}(PyObject *wg_self, PyObject *wg_value, void *)"
    return EntryView(head, (f"return wg::cpython::set_property({c_name}_body, {name}, wg_self, wg_value);",))


def _own(function: Function) -> tuple[str, ...]:
    return (f"wg::cpython::Handle<{function.handle}> wg_own(wg_self);",) if function.handle else ()


def _opened(function: Function, module: Module) -> tuple[str, ...]:
    """The instance comes after the other handles: those are arguments, which Python's own messages would name first.

    What is taken is claimed last, and nothing else of the call may be it: hence the pins.
    """
    handles = [p for p in function.parameters if _row(p, module).cpython_is_handle]
    takes = [p for p in handles if p.mode is Mode.TAKE]
    opened = [f"{_argument(p)}.open({c_string(names.python(p.name))})" for p in handles]
    opened += ["wg_own.open_own()"] * bool(function.handle)
    if _pins(function, module):
        pinned = [_argument(p) for p in handles if p not in takes]
        opened += [f"{a}.pin()" for a in (*pinned, *(["wg_own"] if function.handle else []))]
    opened += [f"{_argument(p)}.claim({c_string(names.python(p.name))})" for p in takes]
    refused = " || ".join(f"!{each}" for each in opened)
    failed = "-1" if is_raw(function) else "nullptr"
    return (f"if ({refused}) return {failed};",) if refused else ()


def _pins(function: Function, module: Module) -> bool:
    """Whether the handles of a call have to be kept usable while it runs."""
    may_close = bool(callbacks(module)) or ends_loans(function, module)  # a callable, or the call itself
    takes = any(p.mode is Mode.TAKE and _row(p, module).cpython_is_handle for p in function.parameters)
    return takes or function.blocking or may_close or bool(locked(function, module))


def _locked(function: Function, module: Module) -> tuple[str, ...]:
    """What keeps other calls off the handles of this one."""
    if function.side_by_side:
        return ()
    arguments = (of_argument(name, function) for name in locked(function, module))
    given = ", ".join(arguments)
    owners = (f"const wg::OwnerLocks wg_alone({given});",) if given else ()
    return (*owners, *_locked_without_gil(function, module))


def _locked_without_gil(function: Function, module: Module) -> tuple[str, ...]:
    """The same where a GIL does it elsewhere: no call of these lets go of that."""
    found = _exclusive(function, module)
    kind = "ExclusiveOwn" if found == ["wg_own"] else "Exclusive"
    return (f"[[maybe_unused]] const wg::cpython::{kind} wg_exclusive({', '.join(found)});",) if found else ()


def _exclusive(function: Function, module: Module) -> list[str]:
    """The arguments with handles that one call at a time uses, and the object."""
    exclusive = exclusive_types(module) - contended(module)
    found = [_argument(p) for p in function.parameters if exclusive & set(handles_in(p.type))]
    return found + ["wg_own"] * bool(function.handle and function.handle in exclusive)


def _in_call(statements: tuple[str, ...], function: Function, module: Module) -> tuple[str, ...]:
    """What a callable raises while the call runs is raised when it has ended."""
    if not callbacks(module):
        return statements
    passes = any(p.callbacks for p in function.parameters) or may_override(function, module)
    is_outer = passes or any_call_runs_callables(module)
    head = f"outer<{c_bool(passes)}>" if is_outer else "outer_beside"
    return (
        f"return wg::cpython::{head}([&]() -> {'Py_ssize_t' if is_raw(function) else 'PyObject *'} {{",
        *(f"    {each}" for each in statements),
        "});",
    )


def _statements(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """The call, and its result as a Python object."""
    missing = not_implemented(function, module)
    if missing:
        return (f"throw wg::NotImplemented({c_string(missing)});",)
    return (*counted(function, module), *offsets(function), *_call(function, module, factory_of))


def _call(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    arguments = ["wg_own.value()"] if function.handle else []
    arguments += [passed_offset(p) or passed(p, function) for p in function.parameters]
    row = result(function.returns, module.name)
    is_run_without_gil = function.blocking and not fills_room(function)
    """Otherwise the typed function needs it, and releases it for the library's own call."""
    ends_after = ends_made_in_call(function, module)
    makes_at_once = bool(row.cpp_use) and not (is_run_without_gil or ends_after or row.cpython_use)
    if row.cpp_use:
        arguments.append(_use(function, row, module) if makes_at_once else row.cpython_use or row.cpp_use)
    if fills_room(function):
        arguments.append(f"wg::cpython::InBytes<{c_bool(function.blocking)}>()")
    call = f"wg_api::{names.cpp_function(module.name, function)}({', '.join(arguments)})"
    if makes_at_once:
        return (f"return {indices(call, function)};",)
    if is_run_without_gil:
        run = "blocking_beside_overrides" if function.beside_overrides else "blocking"
        call = f"wg::cpython::{run}([&]() -> decltype(auto) {{ return {call}; }})"
    if ends_after:
        call = ending_after(call, function, module, _cpp(function))
    if is_raw(function):
        return (f"return wg::cpython::{raw(function)}({call});",)
    if not row.cpython:
        return (f"{call};", "Py_RETURN_NONE;")
    return (f"return {indices(_result(function, call, module, factory_of), function)};",)


def _result(function: Function, call: str, module: Module, factory_of: str | None) -> str:
    row = result(function.returns, module.name)
    kept = kept_by_result(function, module)
    if iterates(function):
        kept = ", ".join([of_iterator(function, module), *([kept] if kept else [])])
    if row.cpp_use or row.is_array:
        return row.cpython.replace("$", f"{call}, {kept}" if kept else call)
    made = row.cpython_of_class if factory_of else row.cpython
    if function.constructs:
        construct = f"construct<{function.constructs}>"
        if constructs_interface(function, module):
            construct = f"construct_overriding<{function.constructs}, {names.extra(function.constructs, 'overriding')}>"
        made = f"wg::cpython::{construct}(wg_self, [&]() -> decltype(auto) {{ return $; }})"
    made = made.replace("$", call)
    if kept and is_only_lent(function, module):
        kept = "wg::SoleLender(wg_own.held())"
    kept = kept or "wg::no_owners" * may_be_there(function, module)
    made = f"wg::cpython::keep_alive<{handle_in_forms(function.returns)}>({made}, {kept})" if kept else made
    return f"wg::cpython::close_at_exit({made})" if closes_at_exit(function, module) else made


def _use(function: Function, row: ResultRow, module: Module) -> str:
    """What makes a Python object of the call's own result, without a copy of it."""
    value, kept = "std::forward<decltype(wg_value)>(wg_value)", kept_by_result(function, module)
    made = row.cpython.replace("$", f"{value}, {kept}" if kept else value)
    return f"[&](auto &&wg_value) {{ return {made}; }}"
