"""CPython's slots: how it calls the methods of protocols and constructors, and which slot of a class has which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Module
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import Protocol, Shape, word_of_operator
from wrapper_gen.queries import Members, methods_of
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.tiers.cpython.calls import ROW, caller, listed, slot_code
from wrapper_gen.types.queries import is_void
from wrapper_gen.views.protocols import has_index, inherited, is_its_own_iterator, is_lookup, iterated_by


@frozen
class SlotKind:
    """How CPython calls one shape."""

    macro: str
    """That of its row."""
    result: str
    """A C function's, with what stands between it and the name."""
    parameters: tuple[str, ...]
    """That function's, after the object."""
    how: str = ""
    """What calls the statements, where functions with that row differ in it."""
    is_keyed: bool = False
    """Whether that is told whether a key may not be there."""
    is_raw: bool = False
    """Whether the statements give a number of C, and no Python object."""


_OBJECT = "PyObject *"
_UNARY = SlotKind("WG_UNARY_SLOT", _OBJECT, (), "unary")
_BINARY = SlotKind("WG_BINARY_SLOT", _OBJECT, (_OBJECT,), "operate")

_SLOTS = {
    Shape.UNARY: _UNARY,
    Shape.COPY: _UNARY,
    Shape.LENGTH: SlotKind("WG_NUMBER_SLOT", "Py_ssize_t ", (), "number_of", is_raw=True),
    Shape.HASH: SlotKind("WG_NUMBER_SLOT", "Py_hash_t ", (), "number_of", is_raw=True),
    Shape.TRUTH: SlotKind("WG_NUMBER_SLOT", "int ", (), "truth_of", is_raw=True),
    Shape.COMPARISON: _BINARY,
    Shape.BINARY: _BINARY,
    Shape.REFLECTED: _BINARY,
    Shape.IN_PLACE: replace(_BINARY, how="operate_in_place"),
    Shape.GET_ITEM: replace(_BINARY, how="get_item", is_keyed=True),
    Shape.SET_ITEM: SlotKind("WG_SETTING_SLOT", "int ", (_OBJECT, _OBJECT), "set_item", is_keyed=True),
    Shape.DELETE_ITEM: SlotKind("WG_BINARY_SLOT", "int ", (_OBJECT,), "delete_item", is_keyed=True),
    Shape.CONTAINS: SlotKind("WG_CONTAINS_SLOT", "int ", (_OBJECT,), is_raw=True),
    Shape.CALL: SlotKind("WG_CALL_SLOT", _OBJECT, (_OBJECT, _OBJECT)),
    Shape.ITERATE: _UNARY,
    Shape.NEXT: replace(_UNARY, how="next_of"),
    Shape.ENTER: replace(_UNARY, how="enter"),
    Shape.BUFFER: SlotKind("WG_BUFFER_SLOT", "int ", ("Py_buffer *", "int")),
    Shape.EXIT: _UNARY,
}


VECTORCALL = "PyObject *, PyObject *const *, std::size_t, PyObject *"
INIT = "PyObject *, PyObject *, PyObject *"

_RAW = {
    Shape.LENGTH: "as_length",
    Shape.HASH: "as_hash",
    Shape.TRUTH: "as_truth",
    Shape.CONTAINS: "as_truth",
}


def raw(function: Function) -> str:
    """What makes CPython's number of the result."""
    assert function.protocol is not None
    return _RAW[function.protocol.shape]


def slot_of(protocol: Protocol) -> SlotKind:
    """How CPython calls the methods of a protocol."""
    return _SLOTS[protocol.shape]


def is_raw(function: Function) -> bool:
    """Whether CPython wants a number of C of it."""
    return function.protocol is not None and _SLOTS[function.protocol.shape].is_raw


def has_signature(function: Function) -> bool:
    """Whether its arguments may come by name."""
    return bool(function.constructs) or (function.protocol is not None and function.protocol.shape is Shape.CALL)


def slot_row(
    function: Function, taken: Sequence[str], signature: Sequence[str], module: Module
) -> tuple[str, tuple[str, ...]]:
    """The macro of its row, and what stands in that before the statements.

    `taken` are the parameters, and `signature` says how arguments are given.
    """
    c_name, given = names.python_code(function), taken if function.parameters else ()
    if function.is_form and has_signature(function):
        if not given:
            return "WG_UNARY_METHOD", (c_name, "unary")
        return "WG_DEFINE_PASSING", (c_name, *signature, caller(function), *given)
    without = "_0" * (not given)
    if function.constructs:
        return f"WG_CONSTRUCTOR{without}", (c_name, *signature, *given)
    assert function.protocol is not None
    slot = _slot(function.protocol, function)
    if slot.macro == "WG_CALL_SLOT":
        return f"{slot.macro}{without}", (c_name, *signature, *given)
    made = [slot.result.strip()] * (slot.macro in _WITH_RESULT)
    how = [f"{slot.how}<{c_bool(is_lookup(function, module))}>" if slot.is_keyed else slot.how] * bool(slot.how)
    shown = listed([c_string(names.python(p.name)) for p in function.parameters]) if given else ()
    return slot.macro, (*made, c_name, *how, *shown, *given)


_WITH_RESULT = ("WG_NUMBER_SLOT", "WG_BINARY_SLOT")
"""The rows of several types that CPython wants."""


def slot_heads(function: Function, c_name: str) -> tuple[str, ...]:
    """What declares the functions that CPython calls."""
    if function.is_form and has_signature(function):
        return (f"PyObject *{c_name}(PyObject *, {ROW if function.parameters else _OBJECT})",)
    if function.constructs:
        return f"PyObject *{c_name}({VECTORCALL})", f"int {c_name}_init({INIT})"
    assert function.protocol is not None
    slot = _slot(function.protocol, function)
    return (f"{slot.result}{c_name}({', '.join([_OBJECT, *slot.parameters])})",)


def _slot(protocol: Protocol, function: Function) -> SlotKind:
    slot = _SLOTS[protocol.shape]
    if protocol.shape is Shape.ENTER and not is_void(function.returns):
        slot = replace(slot, how="unary")
    return replace(slot, macro="WG_UNARY_METHOD", parameters=(_OBJECT,)) if protocol.name in IN_TABLE else slot


# --- the table of a class --------------------------------------------------------------------------------------------

_PLAIN = {
    "__str__": "tp_str",
    "__repr__": "tp_repr",
    "__hash__": "tp_hash",
    "__call__": "tp_call",
    "__bool__": "nb_bool",
    "__int__": "nb_int",
    "__index__": "nb_index",
    "__float__": "nb_float",
    "__neg__": "nb_negative",
    "__pos__": "nb_positive",
    "__abs__": "nb_absolute",
    "__invert__": "nb_invert",
    "__iter__": "tp_iter",
    "__next__": "tp_iternext",
    "__getitem__": "mp_subscript",
    "__contains__": "sq_contains",
    "__buffer__": "bf_getbuffer",
}
"""Slots that hold one method as it is."""
_BINARY_SLOTS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "matmul": "matrix_multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "divmod": "divmod",
    "pow": "power",
    "lshift": "lshift",
    "rshift": "rshift",
    "and": "and",
    "or": "or",
    "xor": "xor",
}
_COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
"""In CPython's order."""
IN_TABLE = {
    "__copy__": "METH_NOARGS",
    "__deepcopy__": "METH_O",
    "__enter__": "METH_NOARGS",
    "__exit__": "METH_VARARGS",
    "__fspath__": "METH_NOARGS",
    "__reversed__": "METH_NOARGS",
}
"""Methods of protocols that have no slot, and how CPython calls them."""


def slots(handle: str, own: Members, module: Module) -> tuple[str, ...]:
    """The lines of a class's table of slots."""
    found = {m.name: m for m in own.methods if m.protocol}
    code = {name: _code(m) for name, m in found.items()}
    lines = [(_PLAIN[name], each) for name, each in code.items() if name in _PLAIN]
    if is_its_own_iterator(own.methods):
        lines.append(("tp_iter", "&PyObject_SelfIter"))
    if iterated_by(handle, own.methods, module):
        lines.append(("tp_iter", "&PySeqIter_New"))  # as CPython does itself; with `__iter__`, type checkers know of it
    if "__len__" in code:
        lines += [("sq_length", code["__len__"]), ("mp_length", code["__len__"])]
    if any(m.name == "__getitem__" and m.protocol and has_index(m, module) for m in own.methods):
        lines.append(("sq_item", f"&wg::cpython::item_at<{code['__getitem__']}>"))
    # Where a slot has several methods, CPython inherits all of them or none.
    shared = {name: _code(m) for name, m in inherited(handle, module).items()} | code
    changing = ("__setitem__", "__delitem__")
    if found.keys() & set(changing):
        lines.append(("mp_ass_subscript", f"&wg::cpython::change_item<{_listed(changing, shared)}>"))
    lines += _comparing(handle, set(found), shared, module)
    lines += _operators(handle, list(found.values()), shared)
    for constructor in own.constructors[:1]:
        lines.append(("tp_init", f"&{slot_code(constructor)}_init"))
        lines.append(("tp_new", f"&wg::cpython::empty_handle<{handle}>"))
    return tuple(f"{{Py_{slot}, WG_SLOT({each})}}," for slot, each in lines)


def _code(method: Function) -> str:
    return f"&{slot_code(method)}"


def _listed(wanted: Sequence[str], code: dict[str, str]) -> str:
    return ", ".join(code.get(each, "nullptr") for each in wanted)


def _comparing(handle: str, own: Set[str], code: dict[str, str], module: Module) -> Iterator[tuple[str, str]]:
    """The slots of comparisons and of the hash, of which CPython inherits both or none."""
    if not own & {*_COMPARISONS, "__hash__"}:
        return
    if code.keys() & set(_COMPARISONS):
        yield "tp_richcompare", f"&wg::cpython::compare<{_listed(_COMPARISONS, code)}>"
    if not own & {"__eq__", "__hash__"}:
        yield from (("tp_hash", each) for each in _inherited_hash(handle, module))


def _inherited_hash(handle: str, module: Module) -> Iterator[str]:
    """What makes the hash of a class that says nothing of it; nothing where a base can be compared only."""
    for each in bases(handle, module.extends):
        found = {m.name: m for m in methods_of(each, module) if m.protocol}
        if "__hash__" in found:
            yield _code(found["__hash__"])
        if found.keys() & {"__eq__", "__hash__"}:
            return
    yield "&wg::cpython::hash_of_identity"


def _operators(handle: str, found: Sequence[Function], code: dict[str, str]) -> Iterator[tuple[str, str]]:
    own_names = {m.name for m in found}
    kinds = (Shape.BINARY, Shape.REFLECTED, Shape.IN_PLACE)
    words = dict.fromkeys(word_of_operator(m.protocol) for m in found if m.protocol and m.protocol.shape in kinds)
    for word in words:
        own, reflected = code.get(f"__{word}__", "nullptr"), code.get(f"__r{word}__", "nullptr")
        third = "_of_three" if word == "pow" else ""
        if own_names & {f"__{word}__", f"__r{word}__"}:
            yield f"nb_{_BINARY_SLOTS[word]}", f"&wg::cpython::either{third}<{handle}, {own}, {reflected}>"
        if f"__i{word}__" in own_names:
            in_place = code[f"__i{word}__"]
            slot = f"nb_inplace_{_BINARY_SLOTS[word]}"
            yield slot, f"&wg::cpython::of_three<{in_place}>" if third else in_place
