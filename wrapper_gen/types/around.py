"""Text around a value: what the tables say of a value that they are not given."""

from __future__ import annotations

from wrapper_gen.frozen import frozen, replace


@frozen
class Around:
    """What stands before and after a value, in C++ or Python."""

    before: str = ""
    after: str = ""

    def of(self, value: str) -> str:
        """The text with this value."""
        return f"{self.before}{value}{self.after}"

    def within(self, before: str, after: str) -> Around:
        """The same, within more text."""
        return replace(self, before=before + self.before, after=self.after + after)

    def around(self, other: Around) -> Around:
        """That, within this."""
        return other.within(self.before, self.after)


@frozen
class Instead(Around):
    """Text in place of a value that is not asked for."""

    def of(self, value: str) -> str:
        return self.before + self.after

    def around(self, other: Around) -> Around:
        return self


ITSELF = Around()
"""The value, as it is."""
INNER = Around("", ".inner")
"""What a handle struct holds."""


def in_call(function: str, *more: str) -> Around:
    """A call with the value first, and with more arguments."""
    return Around(f"{function}(", "".join(f", {each}" for each in more) + ")")


def lambda_of(captured: str = "[&]() -> decltype(auto)") -> Around:
    """A lambda that returns the value."""
    return Around(f"{captured} {{ return ", "; }")
