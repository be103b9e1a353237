"""Streams: input that a call takes some of, and room that a call fills some of."""

from __future__ import annotations

from wrapper_gen.frozen import frozen


@frozen
class Window:
    """Memory, and how much of it a call has used: members of a C struct, or of what the handle holds.

    `members` are the address and what is left; or the address, the size and what is used.
    """

    cpp_type: str
    """Empty: the members are those of the handle."""
    members: tuple[str, ...]


@frozen
class Stream:
    """How a library spells both."""

    input: Window | None
    output: Window


DRAINED = "drained"
"""In `until`: all of the input is taken, and all output is there."""


@frozen
class Streaming:
    """A call that is made until all of its input is taken. `input` and `limit` are parameters; empty where it has none.

    `until` tells the last call: an expression over `drained`, `value`, `self` and the parameters.
    """

    stream: Stream
    input: str = ""
    limit: str = ""
    until: str = DRAINED
