"""What is to be known of an argument and of a result to take it across every border: the rows of two tables.

`parameters` and `results` fill them in. Their texts name only what they are given, and the fixed vocabulary of the
support files (`wg::…` in C++, `_bridge.…` in Python).
"""

from __future__ import annotations

from enum import Enum

from wrapper_gen.frozen import frozen
from wrapper_gen.types.around import ITSELF, Around, in_call
from wrapper_gen.types.hints import Import


class Care(Enum):
    """What has to be asked of the parameter of the user's code before a value goes there."""

    NONE = "none"
    NUMBER = "number"
    TEXT = "text"
    MAYBE_TEXT = "maybe_text"
    """Text that may be missing: an optional value, or an address, which is null then."""
    BYTES = "bytes"
    POINTER = "pointer"
    HANDLE = "handle"
    """What a handle holds, which is a plain pointer: C++ would make a bool of it."""
    TAKEN = "taken"
    CALLABLE = "callable"
    COMPOUND = "compound"
    """A container or a tuple, whose parts C++ would convert."""


INNERS = Around("", ".inners()")
"""What the handles of a list hold, in a list that is made of it."""
HELD_OR_NULL = in_call("wg::held_or_null")
"""What a handle that may be missing holds, in a pointer that is made of it."""


@frozen
class Form:
    """What the user's code is given, around the typed function's parameter: by what a lambda says it wants."""

    inner: Around = ITSELF
    """What a handle holds."""
    struct: Around = ITSELF
    """The handle struct."""
    pointer: Around = ITSELF
    """A pointer to it."""
    held: Around = ITSELF
    """What an expression of the spec has of it: of a handle, what that holds."""


@frozen
class ParameterRow:
    """One parameter at every border, in the order in which a call crosses them: Python, C, C++."""

    python_arguments: tuple[str, ...]
    """cffi engine: arguments of the C call, one for each of `c`; one with a star stands for an address and a size.

    They run no code of the caller's: a handle is looked at after all of that has run, which may have closed it.
    """
    python_convert: str
    """cffi engine: the thorough conversion, which says what is wrong with an argument. What it makes is of exactly the
    type that the call wants, so that no code of the caller's runs twice."""
    cpython: str
    """cpython engine: the C++ class that takes the Python object."""
    c: tuple[str, ...]
    """C declarations."""
    cpp: str
    """C++ type of the typed function's parameter."""
    cpp_argument: str
    """C++ expression of type `cpp`, over the C parameters."""
    cpp_value: str = ""
    """`cpp` without reference: what `std::optional` wants."""
    cpp_prepare: str = ""
    """C++ statement before the call, or empty."""
    python_prepare: str = ""
    """cffi engine: what a local holds for the time of the call; empty when the argument itself is replaced."""
    python_unless: tuple[str, ...] = ()
    """cffi engine: the conditions under which an argument needs the thorough conversion, if not all do."""
    python_imports: frozenset[Import] = frozenset()
    """cffi engine: what these need."""
    python_range: str = ""
    """cffi engine: what has to hold too, but is left to the call where nothing else can be refused before that."""
    python_strict: bool = False
    """cffi engine: whether the call itself refuses what `python_unless` finds, and runs none of the caller's code."""
    is_lent: bool = False
    """cffi engine: whether the local holds what is the caller's, memory or handles, and has to drop it when the call is
    over."""
    python_empty: str = "0"
    """cffi engine: what the local holds when an optional parameter is None."""
    care: Care = Care.NONE
    brings_length: bool = False
    """Whether C++ may want its address, and how many elements there are, where `care` does not tell already."""
    lengths: str = ""
    """What messages call these, where they are no `len()`."""
    can_be_null: bool = False
    """Whether C++ may want a null pointer where there is no value."""
    is_gathered: bool = False
    """Whether C++ may want its elements one after the other, which takes a copy: texts, what handles hold."""
    goes_by_address: bool = False
    """Whether C++ may want a pointer to it: a struct, or one that may be missing."""
    is_represented: bool = False
    """Whether C++ may want a value that stands for it, as `types` says."""
    form: Form = Form()
    cpp_body: str = ""
    """C++ type of the parameter of a `cpp_body`; empty where it is `cpp`."""
    cpp_body_argument: Around = ITSELF
    """What a `cpp_body` gets, around the typed function's parameter."""
    cpp_owners: str = ""
    """What `wg::Owners` is given of a parameter that a result keeps alive."""
    cpython_is_handle: bool = False
    """cpython engine: whether it is looked at again when all arguments are there: it may be closed by then."""


@frozen
class ResultRow:
    """One result at every border, in the order in which it crosses them: C++, C, Python."""

    cpp: str
    """C++ type of the typed function's result."""
    cpython: Around | None
    """cpython engine: C++ expression around the call, which makes the Python object; None for void."""
    c: str
    """C result type, with the space that a declarator needs."""
    c_value: Around | None
    """C++ expression around the call of the typed function, which makes the C result; None for void."""
    failed: str
    """C++ expression a failed call returns."""
    python_failed: str
    """cffi engine: condition over `_result` under which the call has failed."""
    python_result: str
    """cffi engine: expression over `_result`; empty for void."""
    python_keeping: Around | None = None
    """cffi engine: the same around the objects that it keeps; None where it keeps none."""
    python_made: tuple[str, ...] = ()
    """cffi engine: lines over `_result` that make what `python_result` is."""
    python_made_of_class: tuple[str, ...] = ()
    """cffi engine: the same by a handle class that finds its objects again; empty where it is no handle."""
    is_checked_in_python: bool = False
    """cffi engine: whether what makes it raises what the call failed of."""
    python_imports: frozenset[Import] = frozenset()
    """cffi engine: what these need."""
    python_c: str = "Any"
    """cffi engine: what the C function returns, as the type stub of the extension has it."""
    cpp_returned: Around | None = None
    """Statement of the typed function around the call of the user's code; None where that is converted to `cpp`."""
    cpp_body_returned: Around = Around("return ", ".take();")
    """The same where the user's code is a `cpp_body`."""
    cpp_body: str = ""
    """C++ type that a `cpp_body` returns; empty where it is `wg::Result<cpp>`."""
    cpython_use: str = ""
    """cpython engine: the same where no Python object is made of it at once; `cpython` is over what this returns."""
    cpp_use: str = ""
    """What is done with the call's own result before it is gone, by default; empty where the function returns it."""
    c_kept: Around | None = None
    """The C result of several handles that keep `wg_owners` alive; None where `wg::keep_alive` does that."""
    c_constructed: Around | None = None
    """`c_value` of a constructor, whose object is new whatever is there; None where it is no handle."""
    is_array: bool = False
    """Whether `cpp_returned` makes it of what an expression of the spec says of the call."""
    cpython_of_class: Around | None = None
    """cpython engine: what a class method makes, whose class is `wg_self`; None where nothing is a class method."""
