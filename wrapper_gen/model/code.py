"""C++ of the user's, and what it implements."""

from __future__ import annotations

from enum import StrEnum

from wrapper_gen.diagnostics import KeyPlace, Span
from wrapper_gen.frozen import frozen
from wrapper_gen.model.streams import Streaming


@frozen
class Code:
    """C++ of the user's, verbatim. `literal`: its lines are the spec's lines, one for one, from `span.line` on."""

    text: str
    span: Span
    literal: bool = False


class Passing(StrEnum):
    """How a lambda's parameter wants a handle."""

    STRUCT = "struct"  # the handle struct: it reaches `.inner` itself
    INNER = "inner"  # what the struct holds
    POINTER = "pointer"  # optional handles only: a pointer to the struct, null for none


class Place(StrEnum):
    """What stands at one place of a C call."""

    HANDLE = "handle"
    PARAMETER = "parameter"
    ALONE = "alone"  # a parameter without the length or the user data that it brings elsewhere
    ADDRESS = "address"  # of a parameter whose length stands elsewhere
    LENGTH = "length"  # of that parameter
    JOINED = "joined"  # all of a list of bytes or text, one after the other
    LENGTHS = "lengths"  # of each of them
    OUT = "out"  # an item of the result
    INOUT = "inout"  # a parameter, and what the call leaves there is an item of the result
    FILLED = "filled"  # memory that is made before the call, which fills it: an item of the result
    DISCARD = "discard"  # what the call writes and nobody reads
    VALUE = "value"  # C++ that Python does not see
    USER_DATA = "user_data"  # of a callable
    DESTROY = "destroy"  # the function that C calls when it needs a callable no more
    CAPACITY = "capacity"  # of the buffer, where no parameter says it
    ERROR = "error"  # the text of a failure, which the call writes


@frozen
class Argument:
    """One argument of a C call: `name` is the parameter's, `item` the number of the item of the result.

    `value` is an expression over the parameters and `self`, of handles over what they hold. `cast` is the C++ type as
    which an argument is passed, or what a discarded out-parameter or a failure's text has. Of that text, `value` is
    what releases it; of memory that the call fills, how many elements that has, where its type does not say it.
    """

    place: Place
    span: Span
    name: str = ""
    item: int = 0
    value: str = ""
    cast: str = ""
    sharing: tuple[str, ...] = ()
    """The parameters that share this user data, in order; empty where it is that of `name` alone."""


class Written(StrEnum):
    """What says how much of a buffer a call has filled."""

    RESULT = "result"  # the call's value
    CAPACITY = "capacity"  # the capacity, which the call is given a pointer to
    NUL = "nul"  # the first NUL in it, which ends a text of C
    ALL = "all"  # nothing: it fills all of it; of what it allocates, C finds a length to write, or a NUL at the end
    FOUND = "found"  # what C leaves at its pointer to the capacity; without one, all of it, text to its NUL
    SAID = "said"  # C++ of the spec's


@frozen
class Buffer:
    """A buffer that the call fills, which becomes the result.

    `capacity` is the parameter that says how large it is; or, with `is_computed`, an expression over the parameters.
    With `asks` the call itself says it, where it is given no buffer, and there is no `capacity`. `grow` are the values
    of the call that mean that it was too small: the call is made again with a larger one.
    """

    capacity: str
    length: Written
    is_computed: bool = False
    grow: tuple[str, ...] = ()
    said: str = ""
    """How much was written: an expression over `value`, what the call returned, `h` and the parameters."""
    asks: bool = False


@frozen
class Allocated:
    """Memory whose address the call writes, which becomes the result; `free` releases `value`, if the spec says it."""

    free: str
    length: Written


@frozen
class Returned:
    """Memory whose address the call returns, which becomes the result.

    `free` releases `value`; without it the library keeps it. `length` is an expression over `value`, `h` and the
    parameters; where both it and `is_written`, by the call, say nothing, a NUL ends it. With `may_be_written` the call
    may write the address through a pointer instead, as where memory is `Allocated`: the type of its value tells.
    """

    free: str
    length: str
    is_written: bool
    may_be_written: bool = False


@frozen
class Options:
    """A struct that the call takes, made of those `parameters` that Python gives; `name` is the spec's word for it.

    It stands before argument number `place` of those that the spec declares.
    """

    name: str
    struct: str
    place: int
    parameters: tuple[str, ...]


@frozen
class Accessor:
    """How C++ reads or sets a property: the first of these that there is.

    A member function by name; then a function that takes what the handle holds, which may do more than the data member,
    which is next; then a member function that is called after what it does, such as `get_width`.
    """

    methods: tuple[str, ...]
    members: tuple[str, ...]
    functions: tuple[str, ...]
    sets: bool
    verbs: tuple[str, ...] = ()


@frozen
class Named:
    """Implemented by a function of the library, or (in a method, with `is_member`) by a member of that name.

    `arguments` are those of the call in C's order, where the spec says it: C++ finds it out otherwise.
    """

    name: Code
    is_member: bool = False
    arguments: tuple[Argument, ...] | None = None
    buffer: Buffer | Allocated | Returned | None = None
    streaming: Streaming | None = None
    options: Options | None = None
    is_pointed: bool = False
    """Whether an argument is a smart pointer, or what that points to, as C++ wants it."""
    names_class: bool = False
    """Whether the call makes an object of a class that the spec names."""
    bound: tuple[str, ...] = ()
    """Arguments that are a plain pointer, or what that points to, as C++ wants it: parameters, or `h`."""
    accessor: Accessor | None = None
    """Of a property: what the name can stand for, which only C++ knows."""
    place: KeyPlace | None = None
    """Where the spec can say C's order, where that turns out to be needed when the call is compiled."""
    protected: str = ""
    """The member of an interface's class that it calls, which only derived classes can."""


@frozen
class Lambda:
    """Implemented by a lambda.

    `passing` has one entry an argument, in order; `takes_handle`: the first is the method's handle; `in_pairs`: it has
    an address and a length for each bytes; `bound` are the arguments that are plain pointers, where it takes an object;
    `is_implied`: it is ours, an operator of C++ over the arguments alone.
    """

    code: Code
    passing: tuple[Passing, ...]
    takes_handle: bool
    in_pairs: bool = False
    bound: tuple[str, ...] = ()
    is_implied: bool = False


@frozen
class Body:
    """Implemented by statements; parameters by name, in a method `h` is the handle.

    With `is_expression`, by an expression whose value is the result, over `self`, the object, and what the handles
    among the parameters hold.
    """

    code: Code
    is_expression: bool = False


@frozen
class NotImplementedYet:
    """Nothing implements it; `span` is where the spec says so."""

    span: Span


Implementation = Named | Lambda | Body | NotImplementedYet
