"""What a spec says of a virtual function that methods of Python override."""

from __future__ import annotations

from wrapper_gen.frozen import frozen
from wrapper_gen.model.callbacks import Callback
from wrapper_gen.model.code import Code


@frozen
class Virtual:
    """A virtual function of an interface."""

    callback: Callback
    """What C++ calls the method of Python with."""
    member: Code
    """Its name in C++."""
    cpp_type: Code | None = None
    """Its C++ type, such as `int (double) const`; C++ finds it out where it is not said."""
    is_abstract: bool = False
    """Whether C++ has no implementation."""
    is_optional: bool = False
    """Whether C++ has no implementation, and nothing happens where Python has none."""
    is_mirrored: bool = False
    """Whether C++ has other arguments or another result than Python, as the spec says: Python cannot call it."""
