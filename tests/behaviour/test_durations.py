"""Durations: timedelta and std::chrono, over both engines alike."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: durations, cpp_include: [chrono, optional, string, vector]}
cpp_prelude: |
  using namespace std::chrono;
  struct Task {
    std::string name;
    milliseconds limit;
  };
  inline i64 in_ns(nanoseconds t) { return t.count(); }
  inline i64 in_ms(const milliseconds &t) { return t.count(); }
  inline i64 in_hours(duration<short, std::ratio<3600>> t) { return t.count(); }
  inline i64 unsigned_seconds(duration<unsigned, std::ratio<1>> t) { return t.count(); }
  inline f64 in_seconds(duration<double> t) { return t.count(); }
  inline nanoseconds ns(i64 n) { return nanoseconds(n); }
  inline hours hours_of(i64 n) { return hours(n); }
  inline duration<double> seconds_of(f64 n) { return duration<double>(n); }
  inline duration<unsigned long long, std::milli> unsigned_ms(u64 n) { return duration<unsigned long long, std::milli>(n); }
  inline long timeout = 0;
  inline void set_timeout(long ms) { timeout = ms; }
  inline long get_timeout() { return timeout; }
structs:
  - {name: Task, cpp_type: Task, fields: {name: text, limit: duration}}
functions:
  - {name: echo, cpp_body: return value;, params: [{name: value, type: duration}], return: duration}
  - {name: in_ns, cpp: in_ns, params: [{name: t, type: duration}], return: i64}
  - {name: in_ms, cpp: in_ms, params: [{name: t, type: duration}], return: i64}
  - {name: in_hours, cpp: in_hours, params: [{name: t, type: duration}], return: i64}
  - {name: unsigned_seconds, cpp: unsigned_seconds, params: [{name: t, type: duration}], return: i64}
  - {name: in_seconds, cpp: in_seconds, params: [{name: t, type: duration}], return: f64}
  - {name: in_us, cpp_fn: "[](const auto &t) { return t.count(); }", params: [{name: t, type: duration}], return: i64}
  - {name: ns, cpp: ns, params: [{name: n, type: i64}], return: duration}
  - {name: hours_of, cpp: hours_of, params: [{name: n, type: i64}], return: duration}
  - {name: seconds_of, cpp: seconds_of, params: [{name: n, type: f64}], return: duration}
  - {name: unsigned_ms, cpp: unsigned_ms, params: [{name: n, type: u64}], return: duration}
  - name: maybe
    cpp_fn: "[](std::optional<milliseconds> t) { return t; }"
    params: [{name: t, type: "duration?", default: null}]
    return: "duration?"
  - {name: total, cpp_body: "milliseconds all{}; for (auto each : ts) all += each; return all;", params: [{name: ts, type: "[duration]"}], return: duration}
  - {name: seconds, cpp_fn: "[] { return std::vector<seconds>{1s, 2s}; }", return: "[duration]"}
  - {name: rows, cpp_body: return rows;, params: [{name: rows, type: "[(text, duration)]"}], return: "[(text, duration)]"}
  - {name: by, cpp_body: return m;, params: [{name: m, type: "{duration: set[duration]}"}], return: "{duration: set[duration]}"}
  - {name: either, cpp_body: return v;, params: [{name: v, type: "f64 | duration | [duration]"}], return: "f64 | duration | [duration]"}
  - {name: from_variant, cpp_fn: "[] { return std::variant<int, seconds>(3s); }", return: "i64 | duration"}
  - {def: "set_timeout(time: duration)", cpp: set_timeout(milliseconds(time).count())}
  - {def: "get_timeout() -> duration", result: milliseconds(value)}
  - {name: later, cpp_body: "task.limit += 1ms; return task;", params: [{name: task, type: Task}], return: Task}
"""  # noqa: E501 - one entry a line


class Late(timedelta):
    """One that says that it is something else."""

    days = seconds = microseconds = 5  # type: ignore[assignment]

    def __floordiv__(self, other: Any) -> Any:
        raise ZeroDivisionError

    def __repr__(self) -> str:
        return "Late()"


MICROSECOND = timedelta(microseconds=1)
MOST = MICROSECOND * (2**63 - 1)


@pytest.fixture(scope="module", params=ENGINES)
def durations(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="durations").load(request.param)


@pytest.mark.parametrize(
    "value",
    [timedelta(), MICROSECOND, -MICROSECOND, timedelta(days=-3, seconds=5, microseconds=7), MOST, -MOST - MICROSECOND],
)
def test_a_duration_comes_back(durations: ModuleType, value: timedelta) -> None:
    assert durations.echo(value) == value
    assert type(durations.echo(value)) is timedelta
    assert durations.in_us(value) == value // MICROSECOND


def test_it_is_rounded_to_what_cpp_wants(durations: ModuleType) -> None:
    assert durations.in_ns(timedelta(microseconds=-3)) == -3000
    assert [durations.in_ms(MICROSECOND * n) for n in (1499, 1500, 499, -499, -500, 0)] == [1, 2, 0, 0, -1, 0]
    assert durations.in_hours(timedelta(minutes=89)) == 1
    assert durations.in_seconds(timedelta(milliseconds=-1500)) == -1.5
    assert durations.ns(1499) == MICROSECOND
    assert durations.ns(-1500) == timedelta(microseconds=-2)
    assert durations.seconds_of(0.0000026) == timedelta(microseconds=3)
    assert durations.unsigned_ms(3) == timedelta(milliseconds=3)


def test_a_number_that_counts_milliseconds(durations: ModuleType) -> None:
    durations.set_timeout(timedelta(seconds=2, microseconds=1600))
    assert durations.get_timeout() == timedelta(seconds=2, milliseconds=2)
    with pytest.raises(TypeError, match=r"^time: a timedelta is wanted, not int$"):
        durations.set_timeout(3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("in_ns", MOST),
        ("in_hours", timedelta(hours=32768)),
        ("unsigned_seconds", timedelta(seconds=-1)),
        ("hours_of", 2**62),
        ("seconds_of", 1e300),
        ("seconds_of", float("nan")),
        ("unsigned_ms", 2**63),
    ],
)
def test_what_does_not_fit_is_an_error(durations: ModuleType, name: str, value: object) -> None:
    with pytest.raises(OverflowError, match=r"^the duration does not fit the type that it is converted to$"):
        getattr(durations, name)(value)


@pytest.mark.parametrize("value", [timedelta.max, timedelta.min, MOST + MICROSECOND])
def test_what_is_too_long_for_64_bits_is_named(durations: ModuleType, value: timedelta) -> None:
    with pytest.raises(OverflowError) as failure:
        durations.echo(value)
    assert str(failure.value) == f"value: {value!r} does not fit duration"
    with pytest.raises(OverflowError) as failure:
        durations.rows([("a", MICROSECOND), ("b", value)])
    assert str(failure.value) == f"rows[1][1]: {value!r} does not fit duration"


@pytest.mark.parametrize("value", [5, 1.5, "1s", None, True, b"", timedelta, object])
def test_nothing_else_is_a_duration(durations: ModuleType, value: object) -> None:
    kind = "None" if value is None else type(value).__name__
    with pytest.raises(TypeError) as failure:
        durations.echo(value)
    assert str(failure.value) == f"value: a timedelta is wanted, not {kind}"
    with pytest.raises(TypeError) as failure:
        durations.total([MICROSECOND, value])
    assert str(failure.value) == f"ts[1]: a timedelta is wanted, not {kind}"


def test_a_subclass_counts_as_what_it_is(durations: ModuleType) -> None:
    assert durations.echo(Late(hours=2)) == timedelta(hours=2)
    assert durations.total([Late(hours=2), timedelta(hours=1)]) == timedelta(hours=3)
    with pytest.raises(OverflowError) as failure:
        durations.echo(Late(days=999999999))
    assert str(failure.value) == "value: datetime.timedelta(days=999999999) does not fit duration"


def test_durations_nest(durations: ModuleType) -> None:
    hour, day = timedelta(hours=1), timedelta(days=1)
    assert durations.maybe() is None
    assert durations.maybe(hour) == hour
    assert durations.seconds() == [timedelta(seconds=1), timedelta(seconds=2)]
    assert durations.by({hour: {day, hour}, day: set()}) == {hour: {day, hour}, day: set()}
    assert [durations.either(v) for v in (1.5, hour, [day], Late(hours=1))] == [1.5, hour, [day], hour]
    assert durations.from_variant() == timedelta(seconds=3)
    task = durations.later(durations.Task("a", hour))
    assert (task.name, task.limit) == ("a", hour + timedelta(milliseconds=1))
    with pytest.raises(TypeError, match=r"^limit: a timedelta is wanted, not int$"):
        durations.Task("a", 5)


def test_what_the_types_of_fields_name_is_there(durations: ModuleType) -> None:
    hints = {field.name: field.type for field in dataclasses.fields(durations.Task)}
    assert vars(durations)[str(hints["limit"])] is timedelta
