"""Matching, replacing and sets, by the draft of RE2."""

from typing import Any

import pytest

m: Any = pytest.importorskip("re2_ffi")


def test_patterns() -> None:
    with m.RE2(r"(?P<word>\w+)-(\d+)") as pattern:
        assert (pattern.ok(), pattern.number_of_capturing_groups()) == (True, 2)
        assert pattern.named_capturing_groups() == {"word": 1}
        assert m.RE2.replace("a-1 b-2", pattern, r"\2") == ("1 b-2", True)
        assert m.RE2.global_replace("a-1 b-2", pattern, r"\2+\1") == ("1+a 2+b", 2)
        assert m.RE2.extract("see c-3", pattern, r"\1") == ("c", True)
        assert pattern.check_rewrite_string(r"\9").result is False
        options = pattern.options()
    assert options.max_mem() > 0  # of the pattern that it keeps
    assert m.RE2.quote_meta("1.5") == r"1\.5"
    assert m.RE2("ab+c").possible_match_range(8).min.startswith("ab")


def test_what_is_no_pattern() -> None:
    with m.Options() as options:
        options.set_log_errors(False)
        broken = m.RE2("(", options)
    assert (broken.ok(), broken.error_code()) == (False, m.ErrorCode.ErrorMissingParen)


def test_sets() -> None:
    with m.Options() as options, m.Set(options, m.Anchor.UNANCHORED) as patterns:
        assert [patterns.add(each).result for each in ("foo", "bar", "f+")] == [0, 1, 2]
        assert patterns.add("(").result == -1
        assert patterns.compile()
        found = patterns.match("a foo")
        assert (sorted(found.v), found.result) == ([0, 2], True)
