"""The functions of the cpython engine: each takes its arguments and calls the typed function of the bridge."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.interfaces import passes_overridable
from wrapper_gen.iterators import iterates
from wrapper_gen.lifetimes.ended import ends_loans
from wrapper_gen.lifetimes.identity import may_be_there
from wrapper_gen.lifetimes.kept import keeps_value
from wrapper_gen.lifetimes.running import (
    any_call_runs_callables,
    ends_made_in_call,
    exclusive_types,
    is_recorded,
    locked,
    locked_by_calls,
    recorded,
)
from wrapper_gen.model import (
    Function,
    Mode,
    Module,
    Parameter,
)
from wrapper_gen.queries import callbacks, class_of, fills_room, makes_own
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.tiers.cpython.byte_offsets import in_text, indices, offsets, passed_offset, texts
from wrapper_gen.tiers.cpython.calls import ROW, caller, listed, row
from wrapper_gen.tiers.cpython.forms import level_head, level_row
from wrapper_gen.tiers.cpython.kept_objects import held, is_only_lent, kept_by_result, of_argument, of_iterator
from wrapper_gen.tiers.cpython.positions import counted, passed
from wrapper_gen.tiers.cpython.slots import is_raw, raw, slot_heads, slot_row
from wrapper_gen.types.around import lambda_of
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
from wrapper_gen.views.interfaces import closes_at_exit, constructs_interface, may_override, raises_of
from wrapper_gen.views.lifetimes import effects
from wrapper_gen.views.record_members import is_own_record
from wrapper_gen.views.shown_signatures import evaluated, has_own_signature


@frozen
class RowView:
    """One function or method."""

    lines: tuple[str, ...]
    """Its row, between the keywords that its parameters had formerly and what says how well arguments fit."""
    declared: tuple[str, ...]
    """What the tables refer to, which may be compiled in another unit."""


def function_view(function: Function, module: Module, factory_of: str | None) -> RowView:
    """A function with arguments is in two: the taking of them is one for all functions with the same ones.

    Numbers too: to take them in place makes calls no faster, and the compiler slower (benchmarks/compile.py).
    """
    c_name = names.python_code(function)
    macro, given = _row_of(function, module, factory_of)
    level = level_row(function, c_name, module) if function.is_form else ()
    return RowView(
        lines=(*_former(function), *row(macro, given, _lines(function, module, factory_of)), *level),
        declared=_declared(function, c_name, factory_of),
    )


def _lines(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """The statements, in the order in which they run."""
    return (
        *in_cpython(function, "-1" if is_raw(function) else "nullptr"),
        *(_on_own if _has_core(function, module) else _with_frames)(function, module, factory_of),
    )


def _with_frames(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """All that a call does, in the order in which it does so."""
    return (
        *_own(function),
        *_opened(function, module),
        *_locked(function, module),
        *effects(function, module, _cpp(function)),
        *kept_callables(function, module, "self.held()", _callable, _within),
        *recorded_call(function, module, "self.held()", lambda several: held(several, function), _callable, _within),
        *_in_call(_statements(function, module, factory_of), function, module),
    )


def _has_core(function: Function, module: Module) -> bool:
    """Whether the frames of a call are one function of the runtime for its class.

    All that they need is the object, and the handles among the arguments that are recorded.
    """
    if not function.handle or function.constructs or function.lifetime.takes_own:
        return False
    if any(p.callbacks or p.mode is Mode.TAKE for p in function.parameters):
        return False
    if not_implemented(function, module) or effects(function, module, _cpp(function)):
        return False
    return function.lifetime.concurrent or (
        {of_argument(name, function) for name in locked(function, module)} <= {"self"}
        and set(_exclusive(function, module)) <= {"self", *_recorded(function, module)}
    )


def _on_own(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    """The checks of the arguments, then the body, which the core for the class and for this way of calling runs."""
    handles = [p for p in function.parameters if _row(p, module).cpython_is_handle]
    opened = [f"{_argument(p)}.open({c_string(names.python(p.name))})" for p in handles]
    opened += [f"{_argument(p)}.pin()" for p in handles if _pins(function, module)]
    made, failed = ("Py_ssize_t", "-1") if is_raw(function) else ("PyObject *", "nullptr")
    others = _recorded(function, module)
    own = f"[[maybe_unused]] wg::cpython::Handle<{function.handle}> &self"
    how = (function.handle or "", _run(function, module), _record(function, module), *_locks(function, module))
    return (
        *((f"if ({' || '.join(f'!{each}' for each in opened)}) return {failed};",) if opened else ()),
        *((f"const wg::cpython::ListedHandles wg_used({', '.join(others)});",) if others else ()),
        f"return wg::cpython::on_own<{', '.join(how)}>(wg_self, [&]({own}) -> {made} {{",
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
    if function.lifetime.concurrent:
        return pinned
    owners = ("wg::cpython::Locked<wg::OwnerLocks>",) if locked(function, module) else ()
    exclusive = _exclusive(function, module)
    kind = "Locked<wg::cpython::ExclusiveOwn>" if exclusive == ["self"] else "ExclusiveAll"
    return (*pinned, *owners, *((f"wg::cpython::{kind}",) if exclusive else ()))


def _row_of(function: Function, module: Module, factory_of: str | None) -> tuple[str, tuple[str, ...]]:
    """The macro of its row, and what stands in that before the statements."""
    c_name, taken = names.python_code(function), _taken(function, module)
    passing = "_PASSING" * any(p.callbacks for p in function.parameters)
    if _has_slot(function):
        return slot_row(function, taken, _signature(function, module), module)
    if function.sets:
        return f"WG_SETTER{passing}", (c_name, c_string(names.of_function(function)), *taken)
    if factory_of and not function.parameters:
        return "WG_MAKER_0", (c_name, factory_of)
    if factory_of:
        how = (*_signature(function, module), caller(function))
        return f"WG_MAKER{passing}", (c_name, factory_of, *how, *taken)
    if function.parameters:
        return f"WG_DEFINE{passing}", (c_name, *_signature(function, module), caller(function), *taken)
    return "WG_GETTER" if function.property else "WG_DEFINE_0", (c_name,)


def _taken(function: Function, module: Module) -> tuple[str, ...]:
    """The parameters of the function with the statements, in parentheses."""
    unused = "[[maybe_unused]] " * bool(not_implemented(function, module))
    found = texts(function)
    taken = ((in_text(_taken_by(p, function, module), p, found), _argument(p)) for p in function.parameters)
    return listed([f"{unused}{of} &{name}" for of, name in taken])


def _signature(function: Function, module: Module) -> tuple[str, ...]:
    """How arguments are given, and the name that messages have: of a function without any, that alone."""
    shown = c_string(f"{function.constructs}.__init__" if function.constructs else _shown(function))
    if not function.parameters:
        return (shown,)
    text = names.doc(function)
    if has_own_signature(function):
        text = names.signature(function)
    elif function.constructs:
        text = names.class_doc(function.constructs)
    elif makes_own(function):
        text = names.doc_in_class(function)
    more = [c_string(values)] if (values := evaluated(function, module)) else []
    if names.former_parameters(function):
        more = [*(more or ["nullptr"]), f"{names.python_code(function)}_former"]
    return text, f"({', '.join([shown, *more])})"


def _shown(function: Function) -> str:
    """What messages call it; the row of what makes objects has their class."""
    owner, name = "" if makes_own(function) else class_of(function), names.of_function(function)
    return f"{owner}.{name}" if owner else name


def _former(function: Function) -> tuple[str, ...]:
    """The table of the keywords that its parameters had formerly."""
    former = names.former_parameters(function)
    if not former:
        return ()
    own = [former.get(names.python(p.name)) for p in function.parameters]
    listed = ", ".join(c_string(old) if old else "nullptr" for old in own)
    return (f"static const char *const {names.python_code(function)}_former[] = {{{listed}}};",)


def _row(p: Parameter, module: Module) -> ParameterRow:
    return parameter(p.type, p.name, module.name, is_taken=p.mode is Mode.TAKE)


def _taken_by(p: Parameter, function: Function, module: Module) -> str:
    """The C++ class that takes an argument; a record whose method is called needs no copy where that is const."""
    if is_own_record(p, function) and not (function.blocking or p.within or has_holding(p.type)):
        described = descriptor(p.type, Way.ARGUMENT, module.name)
        return f"wg::cpython::RecordArgument<{described}, decltype({names.user_code(function)}())>"
    row = kept_parameter(p.type, p.name, module.name) if keeps_value(function, p) else _row(p, module)
    return row.cpython


def _has_slot(function: Function) -> bool:
    """Whether CPython calls it by a slot, or as a constructor."""
    return function.protocol is not None or bool(function.constructs)


def _argument(p: Parameter) -> str:
    return names.argument(p.name)


def _cpp(function: Function) -> Cpp:
    """How this engine writes what a call does to what objects lend."""

    def value(name: str) -> str:
        return f"{of_argument(name, function)}.value()"

    return Cpp("self.held()", lambda several: held(several, function), "wg::cpython::InObjects", value, "")


def _callable(name: str) -> str:
    return f"{names.argument(name)}.value()"


def _within(name: str) -> str:
    return f"{names.argument(name)}.passed()"


def _declared(function: Function, c_name: str, factory_of: str | None) -> tuple[str, ...]:
    """The heads of what CPython calls, and of what says how well arguments fit."""
    level = (level_head(function, c_name),) if function.is_form else ()
    if _has_slot(function):
        return (*slot_heads(function, c_name), *level)
    if function.sets:
        return (f"int {c_name}(PyObject *, PyObject *, void *)",)
    given = ROW if function.parameters else "void *" if function.property else "PyObject *"
    in_class = (f"PyObject *{c_name}_in_class(PyObject *, {given})",) if factory_of else ()
    return (f"PyObject *{c_name}(PyObject *, {given})", *in_class, *level)


def _own(function: Function) -> tuple[str, ...]:
    kind = "TakenHandle" if function.lifetime.takes_own else "Handle"
    return (f"wg::cpython::{kind}<{function.handle}> self(wg_self);",) if function.handle else ()


def _opened(function: Function, module: Module) -> tuple[str, ...]:
    """The instance comes after the other handles: those are arguments, which Python's own messages would name first.

    What is taken is claimed last, and nothing else of the call may be it: hence the pins.
    """
    handles = [p for p in function.parameters if _row(p, module).cpython_is_handle]
    takes = [p for p in handles if p.mode is Mode.TAKE]
    opened = [f"{_argument(p)}.open({c_string(names.python(p.name))})" for p in handles]
    opened += ["self.open_own()"] * bool(function.handle)
    if _pins(function, module):
        pinned = [_argument(p) for p in handles if p not in takes]
        is_pinned = function.handle and not function.lifetime.takes_own
        opened += [f"{a}.pin()" for a in (*pinned, *(["self"] if is_pinned else []))]
    opened += ["self.claim_own()"] * bool(function.lifetime.takes_own)
    opened += [f"{_argument(p)}.claim({c_string(names.python(p.name))})" for p in takes]
    refused = " || ".join(f"!{each}" for each in opened)
    failed = "-1" if is_raw(function) else "nullptr"
    return (f"if ({refused}) return {failed};",) if refused else ()


def _pins(function: Function, module: Module) -> bool:
    """Whether the handles of a call have to be kept usable while it runs."""
    may_close = bool(callbacks(module)) or ends_loans(function, module)  # a callable, or the call itself
    takes = any(p.mode is Mode.TAKE and _row(p, module).cpython_is_handle for p in function.parameters)
    takes = takes or function.lifetime.takes_own is not None
    return takes or function.blocking or may_close or bool(locked(function, module))


def _locked(function: Function, module: Module) -> tuple[str, ...]:
    """What keeps other calls off the handles of this one."""
    if function.lifetime.concurrent:
        return ()
    arguments = (of_argument(name, function) for name in locked(function, module))
    given = ", ".join(arguments)
    owners = (f"const wg::OwnerLocks wg_alone({given});",) if given else ()
    return (*owners, *_locked_without_gil(function, module))


def _locked_without_gil(function: Function, module: Module) -> tuple[str, ...]:
    """The same where a GIL does it elsewhere: no call of these lets go of that."""
    found = _exclusive(function, module)
    kind = "ExclusiveOwn" if found == ["self"] and not function.lifetime.takes_own else "Exclusive"
    return (f"[[maybe_unused]] const wg::cpython::{kind} wg_exclusive({', '.join(found)});",) if found else ()


def _exclusive(function: Function, module: Module) -> list[str]:
    """The arguments with handles that one call at a time uses, and the object."""
    exclusive = exclusive_types(module) - locked_by_calls(module)
    found = [_argument(p) for p in function.parameters if exclusive & set(handles_in(p.type))]
    return found + ["self"] * bool(function.handle and function.handle in exclusive)


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
    raised = raises_of(function, module, "self.held()", lambda several: held(several, function))
    return (*counted(function, module), *offsets(function), *raised, *_call(function, module, factory_of))


def _call(function: Function, module: Module, factory_of: str | None) -> tuple[str, ...]:
    arguments = ["self.value()"] if function.handle else []
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
    call = f"wg_api::{names.cpp_function(function)}({', '.join(arguments)})"
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
    assert row.cpython is not None, f"{function.name} has no result"
    kept = kept_by_result(function, module)
    if iterates(function):
        kept = ", ".join([of_iterator(function, module), *([kept] if kept else [])])
    if row.cpp_use or row.is_array:
        return row.cpython.of(f"{call}, {kept}" if kept else call)
    around = (row.cpython_of_class if factory_of else None) or row.cpython
    if function.constructs:
        construct = f"construct<{function.constructs}>"
        if constructs_interface(function, module):
            construct = f"construct_overriding<{function.constructs}, {names.extra(function.constructs, 'overriding')}>"
        around = lambda_of().within(f"wg::cpython::{construct}(wg_self, ", ")")
    made = around.of(call)
    if kept and is_only_lent(function, module):
        kept = "wg::SoleLender(self.held())"
    kept = kept or "wg::no_owners" * may_be_there(function, module)
    made = f"wg::cpython::keep_alive<{handle_in_forms(function.returns)}>({made}, {kept})" if kept else made
    return f"wg::cpython::close_at_exit({made})" if closes_at_exit(function, module) else made


def _use(function: Function, row: ResultRow, module: Module) -> str:
    """What makes a Python object of the call's own result, without a copy of it."""
    value, kept = "std::forward<decltype(wg_value)>(wg_value)", kept_by_result(function, module)
    assert row.cpython is not None, "a void result is of no use"
    made = row.cpython.of(f"{value}, {kept}" if kept else value)
    return f"[&](auto &&wg_value) {{ return {made}; }}"
