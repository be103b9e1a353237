"""CPython's slots: how it calls the methods of protocols and constructors, and which slot of a class has which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from wrapper_gen import names
from wrapper_gen.frozen import frozen, replace
from wrapper_gen.model import Function, Module
from wrapper_gen.model.inheritance import bases
from wrapper_gen.model.protocols import Protocol, Shape, word_of_operator
from wrapper_gen.queries import Members
from wrapper_gen.quoting import c_bool, c_string
from wrapper_gen.tiers.cpython.calls import GIVEN, ROW, caller, slot_code
from wrapper_gen.types.queries import is_void
from wrapper_gen.views.protocols import has_index, inherited, is_its_own_iterator, is_lookup, iterated_by


@frozen
class Slot:
    """How CPython calls one shape: a C function's result, its parameters after the object, and what calls the body."""

    result: str
    parameters: str
    call: str
    """Over `BODY`, `NAMES` of the parameters, `SIGNATURE`, and the parameters."""
    is_raw: bool = False
    """Whether the body gives a number of C, and no Python object."""

    @property
    def operands(self) -> int:
        """How many objects CPython gives it beside the object."""
        return self.parameters.count("PyObject *") - 1


_OTHER = "PyObject *wg_self, PyObject *wg_other"
_KEY = "PyObject *wg_self, PyObject *wg_key"
_OPERATE = "operate(BODY, NAMES, wg_self, wg_other)"
_UNARY = Slot("PyObject *", "PyObject *wg_self", "unary(BODY, wg_self)")
_BINARY = Slot("PyObject *", _OTHER, _OPERATE)

_SLOTS = {
    Shape.UNARY: _UNARY,
    Shape.COPY: _UNARY,
    Shape.LENGTH: Slot("Py_ssize_t ", "PyObject *wg_self", "number_of(BODY, wg_self)", is_raw=True),
    Shape.HASH: Slot("Py_hash_t ", "PyObject *wg_self", "number_of(BODY, wg_self)", is_raw=True),
    Shape.TRUTH: Slot("int ", "PyObject *wg_self", "truth_of(BODY, wg_self)", is_raw=True),
    Shape.COMPARISON: _BINARY,
    Shape.BINARY: _BINARY,
    Shape.REFLECTED: _BINARY,
    Shape.IN_PLACE: Slot("PyObject *", _OTHER, "operate_in_place(BODY, NAMES, wg_self, wg_other)"),
    Shape.GET_ITEM: Slot("PyObject *", _KEY, "get_item<KEYED>(BODY, NAMES, wg_self, wg_key)"),
    Shape.SET_ITEM: Slot(
        "int ", f"{_KEY}, PyObject *wg_value", "set_item<KEYED>(BODY, NAMES, wg_self, wg_key, wg_value)"
    ),
    Shape.DELETE_ITEM: Slot("int ", _KEY, "delete_item<KEYED>(BODY, NAMES, wg_self, wg_key)"),
    Shape.CONTAINS: Slot("int ", _OTHER, "contains(BODY, NAMES, wg_self, wg_other)", is_raw=True),
    Shape.CALL: Slot(
        "PyObject *",
        "PyObject *wg_self, PyObject *wg_arguments, PyObject *wg_keywords",
        "call_with(BODY, SIGNATURE, wg_self, wg_arguments, wg_keywords)",
    ),
    Shape.ITERATE: _UNARY,
    Shape.NEXT: Slot("PyObject *", "PyObject *wg_self", "next_of(BODY, wg_self)"),
    Shape.ENTER: Slot("PyObject *", "PyObject *wg_self, PyObject *", "enter(BODY, wg_self)"),
    Shape.BUFFER: Slot(
        "int ", "PyObject *wg_self, Py_buffer *wg_view, int wg_flags", "export_memory(BODY, wg_self, wg_view, wg_flags)"
    ),
    Shape.EXIT: Slot("PyObject *", "PyObject *wg_self, PyObject *", "unary(BODY, wg_self)"),
}
VECTORCALL = "PyObject *wg_type, PyObject *const *wg_arguments, std::size_t wg_given, PyObject *wg_keywords"
INIT = "PyObject *wg_self, PyObject *wg_arguments, PyObject *wg_keywords"


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


def slot_of(protocol: Protocol) -> Slot:
    """How CPython calls the methods of a protocol."""
    return _SLOTS[protocol.shape]


def is_raw(function: Function) -> bool:
    """Whether CPython wants a number of C of it."""
    return function.protocol is not None and _SLOTS[function.protocol.shape].is_raw


def has_signature(function: Function) -> bool:
    """Whether its arguments may come by name."""
    return bool(function.constructs) or (function.protocol is not None and function.protocol.shape is Shape.CALL)


def slot_entries(function: Function, c_name: str, module: Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The functions that CPython calls: the head and the lines of each."""
    if function.is_form and has_signature(function):
        yield _form_entry(function, c_name)
        return
    if function.constructs:
        called = f"{c_name}_body, {_signature(function, c_name)}"
        made = f"return wg::cpython::make({called}, wg_type, wg_arguments, wg_given, wg_keywords);"
        yield f"PyObject *{c_name}({VECTORCALL})", (made,)
        yield (
            f"int {c_name}_init({INIT})",
            (f"return wg::cpython::initialize({called}, wg_self, wg_arguments, wg_keywords);",),
        )
        return
    assert function.protocol is not None
    slot = _slot(function.protocol, function)
    call = slot.call.replace("BODY", f"{c_name}_body").replace("SIGNATURE", _signature(function, c_name))
    listed = ", ".join(c_string(names.python(p.name)) for p in function.parameters)
    declared = (f"static constexpr const char *wg_names[] = {{{listed}}};",) if "NAMES" in call else ()
    call = call.replace("NAMES", "wg_names").replace("KEYED", c_bool(is_lookup(function, module)))
    yield f"{slot.result}{c_name}({slot.parameters})", (*declared, f"return wg::cpython::{call};")


def _form_entry(function: Function, c_name: str) -> tuple[str, tuple[str, ...]]:
    """One form of a constructor, or of calls of objects, as a function that is not called by a slot."""
    if not function.parameters:
        head = f"PyObject *{c_name}(PyObject *wg_self, PyObject *)"
        return head, (f"return wg::cpython::unary({c_name}_body, wg_self);",)
    head = f"PyObject *{c_name}(PyObject *wg_self, {ROW})"
    return head, (f"return wg::cpython::{caller(function)}({c_name}_body, {c_name}_signature, wg_self, {GIVEN});",)


def _slot(protocol: Protocol, function: Function) -> Slot:
    if protocol.shape is Shape.ENTER and not is_void(function.returns):
        return replace(_SLOTS[Shape.ENTER], call="unary(BODY, wg_self)")
    if protocol.name in IN_TABLE:
        return replace(_SLOTS[protocol.shape], parameters="PyObject *wg_self, PyObject *")
    return _SLOTS[protocol.shape]


def _signature(function: Function, c_name: str) -> str:
    """What says how arguments are given; a function without any has a name only."""
    if function.parameters:
        return f"{c_name}_signature"
    return c_string(f"{function.constructs}.__init__" if function.constructs else f"{function.handle}.{function.name}")


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
        found = {m.name: m for m in module.methods if m.handle == each and m.protocol}
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
