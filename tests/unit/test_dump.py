"""What `inspect` shows of values that JSON has no type for."""

from __future__ import annotations

import pytest

from wrapper_gen import dump


@pytest.mark.parametrize(
    "value", [1 + 2j, -1j, complex(-0.0, 0.0), complex(1e300, -0.5), complex("inf"), complex("nan")]
)
def test_a_complex_number_is_a_text_that_reads_back(value: complex) -> None:
    shown = dump.plain(value)
    assert isinstance(shown, str)
    assert repr(complex(shown)) == repr(value)
    assert dump.plain(1 + 2j) == "1+2j"
