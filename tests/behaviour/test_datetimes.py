"""Points in time: aware datetimes, and std::chrono's or numbers since the epoch, over both engines alike."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES

SPEC = """
wrapper_lib: {name: datetimes, cpp_include: [chrono, ctime, functional, map, optional, string, vector]}
cpp_prelude: |
  using namespace std::chrono;
  using point = system_clock::time_point;
  template <class D> using at = time_point<system_clock, D>;
  struct Visit {
    std::string who;
    at<milliseconds> from;
    std::time_t until;
    std::optional<std::time_t> checked;
  };
  struct Clock {
    std::time_t now = 0;
    point alarm() const { return point(seconds(now + 60)); }
  };
  inline i64 in_ns(at<nanoseconds> t) { return t.time_since_epoch().count(); }
  inline i64 in_hours(at<hours> t) { return t.time_since_epoch().count(); }
  inline i64 in_seconds(at<seconds> t) { return t.time_since_epoch().count(); }
  inline i64 counted(std::time_t t) { return t; }
  inline i64 counted_int(int t) { return t; }
  inline f64 counted_real(double t) { return t; }
  inline i64 counted_all(const std::vector<std::time_t> &all) { i64 sum = 0; for (auto each : all) sum += each; return sum; }
  inline std::map<std::time_t, std::string> named(const std::map<std::time_t, std::string> &all) { return all; }
  inline at<nanoseconds> ns(i64 n) { return at<nanoseconds>(nanoseconds(n)); }
  inline std::time_t number(i64 n) { return n; }
  inline double real(f64 n) { return n; }
  inline u64 unsigned_number(u64 n) { return n; }
  inline point later(point t, milliseconds by) { return t + by; }
  inline void read_clock(std::time_t *now, point *then) { *now = 90; *then = point(seconds(91)); }
  inline int ask(std::time_t t, const std::function<std::time_t(point)> &next) { return static_cast<int>(next(point(seconds(t))) - t); }
  inline i64 since_default(point t = point(seconds(30))) { return duration_cast<seconds>(t.time_since_epoch()).count(); }
  template <class T> T same(T value) { return value; }
  inline i64 wait(long ms) { return ms; }
  inline f64 wait_seconds(double s) { return s; }
  inline int waited() { return 1500; }
structs:
  - {name: Visit, cpp_type: "::Visit", fields: {who: text, from_: {type: datetime, cpp: from}, until: "datetime[s]", checked: {type: "datetime[s]?", default: null}}}
handle_types:
  - name: Clock
    cpp_type: "::Clock"
    methods: [{def: "Clock()"}]
    fields: {now: "mut datetime[s]", alarm: datetime}
functions:
  - {def: "echo(value: datetime) -> datetime", cpp_body: return value;}
  - {def: "echo_ms(value: datetime[ms]) -> datetime[ms]", cpp_body: return value;}
  - {def: "in_us(value: datetime) -> i64", cpp_body: return value.count();}
  - {def: "in_ms(value: datetime[ms]) -> i64", cpp_body: "return value.count();"}
  - {def: "as_seconds(value: datetime[ms]) -> i64", cpp_body: "return at<seconds>(value).time_since_epoch().count();"}
  - {def: "in_ns(t: datetime) -> i64"}
  - {def: "in_hours(t: datetime) -> i64"}
  - {def: "in_seconds(t: datetime[ms]) -> i64"}
  - {def: "counted(t: datetime[s]) -> i64"}
  - {def: "counted_ns(t: datetime[ns]) -> i64", cpp: counted}
  - {def: "counted_int(t: datetime[s]) -> i64"}
  - {def: "counted_real(t: datetime[ms]) -> f64"}
  - {def: "counted_all(all: [datetime[s]]) -> i64"}
  - {def: "named(all: {datetime[s]: text}) -> {datetime[s]: text}"}
  - {def: "ns(n: i64) -> datetime"}
  - {def: "seconds(n: i64) -> datetime[s]", cpp: number}
  - {def: "micros(n: i64) -> datetime[us]", cpp: number}
  - {def: "real(n: f64) -> datetime[s]"}
  - {def: "unsigned_number(n: u64) -> datetime[s]"}
  - {def: "later(t: datetime, by: duration) -> datetime"}
  - {def: "read_clock() -> (now: datetime[s], then: datetime)", cpp: "read_clock(&now, &then)"}
  - {def: "ask(t: datetime[s], next: fn(datetime) -> datetime[s]) -> i32"}
  - {def: "maybe(t: datetime? = None) -> datetime?", cpp_fn: "[](std::optional<at<microseconds>> t) { return t; }"}
  - {def: "rows(rows: [(text, datetime)]) -> [(text, datetime)]", cpp_body: return rows;}
  - {def: "by(m: {datetime: set[datetime]}) -> {datetime: set[datetime]}", cpp_body: return m;}
  - {def: "either(v: f64 | datetime | duration) -> f64 | datetime | duration", cpp_body: return v;}
  - {def: "from_variant() -> i64 | datetime", cpp_fn: "[] { return std::variant<int, point>(point(seconds(3))); }"}
  - {def: "visit(visit: Visit) -> Visit", cpp_body: "visit.until += 1; return visit;"}
  - {def: "kind(value: datetime) -> text", cpp_body: 'return std::string("datetime");'}
  - {def: "kind(value: duration[s]) -> text", cpp_body: 'return std::string("duration");'}
  - {def: "kind(value: i64) -> text", cpp_body: 'return std::string("i64");'}
  - {def: "since_default(t: datetime? = None) -> i64", cpp: "since_default(t ? point(*t) : point(seconds(30)))"}
  - {for: {T: ["datetime[s]", "duration[ms]"], name: [point, span]}, def: "same_$name(value: $T) -> $T", cpp: "same<i64>"}
  - {def: "wait(time: duration[ms]) -> i64"}
  - {def: "wait_seconds(time: duration[s]) -> f64"}
  - {def: "waited() -> duration[ms]"}
  - {def: "whole_seconds(time: duration[ms]) -> i64", cpp_body: "return std::chrono::seconds(time).count();"}
"""  # noqa: E501 - one entry a line

START = datetime(1970, 1, 1, tzinfo=UTC)
SECOND, MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)
ZURICH = ZoneInfo("Europe/Zurich")
FIRST, LAST = (each.replace(tzinfo=UTC) for each in (datetime.min, datetime.max))


class Late(datetime):
    """One that says that it is something else."""

    def __sub__(self, other: Any) -> Any:
        raise ZeroDivisionError

    def utcoffset(self) -> timedelta:
        raise ZeroDivisionError

    def __repr__(self) -> str:
        return "Late()"


class Zone(tzinfo):
    """A time zone in Python."""

    def __init__(self, offset: object) -> None:
        self.offset = offset

    def utcoffset(self, when: datetime | None) -> Any:
        if isinstance(self.offset, Exception):
            raise self.offset
        return self.offset

    def dst(self, when: datetime | None) -> None:
        return None


@pytest.fixture(scope="module", params=ENGINES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="datetimes").load(request.param)


@pytest.mark.parametrize(
    "value",
    [
        START,
        FIRST,
        LAST,
        datetime(2024, 2, 29, 12, 30, 15, 999999, UTC),
        datetime(2024, 7, 1, 2, tzinfo=ZURICH),
        datetime(1900, 1, 1, tzinfo=timezone(timedelta(hours=-14))),
        datetime(2024, 10, 27, 2, 30, tzinfo=ZURICH, fold=1),
        datetime(2024, 1, 1, tzinfo=Zone(timedelta(minutes=90))),
    ],
)
def test_a_point_in_time_comes_back_in_utc(lib: ModuleType, value: datetime) -> None:
    got = lib.echo(value)
    assert (type(got), got.tzinfo) == (datetime, UTC)
    assert got == value.astimezone(UTC)
    assert lib.in_us(value) == (value - START) // MICROSECOND
    assert lib.echo_ms(value) == value.astimezone(UTC)
    assert lib.maybe(value) == got


def test_it_is_rounded_to_what_cpp_wants(lib: ModuleType) -> None:
    def after(microseconds: int) -> datetime:
        return START + MICROSECOND * microseconds

    assert lib.in_ns(after(-3)) == -3000
    assert [lib.in_ms(after(n)) for n in (1499, 1500, 499, -499, -500)] == [1, 2, 0, 0, -1]
    assert lib.in_hours(START + timedelta(minutes=89)) == 1
    assert [lib.in_seconds(after(n)) for n in (1_499_999, 1_500_000)] == [1, 2]
    assert lib.as_seconds(START + timedelta(milliseconds=2600)) == 3
    assert [lib.ns(n) for n in (1499, 1500, -1500)] == [after(1), after(2), after(-2)]


def test_numbers_since_the_epoch(lib: ModuleType) -> None:
    at = START + SECOND * 90
    assert (lib.counted(at), lib.counted_int(at), lib.counted_ns(at)) == (90, 90, 90 * 10**9)
    assert lib.counted(at + timedelta(milliseconds=500)) == 91
    assert lib.counted_real(at + MICROSECOND) == 90_000.001
    assert (lib.seconds(90), lib.micros(90), lib.real(1.5)) == (at, START + MICROSECOND * 90, START + SECOND * 1.5)
    assert lib.counted_all([at, at]) == 180
    assert lib.named({at: "a"}) == {at: "a"}
    assert lib.unsigned_number(90) == at
    assert lib.read_clock() == (at, at + SECOND)
    assert lib.ask(at, lambda now: now + SECOND * 5) == 5


def test_what_is_left_out_and_what_a_for_repeats(lib: ModuleType) -> None:
    assert (lib.since_default(), lib.since_default(START + SECOND)) == (30, 1)
    assert (lib.same_point(START + SECOND), lib.same_span(SECOND)) == (START + SECOND, SECOND)


def test_durations_that_are_numbers(lib: ModuleType) -> None:
    assert lib.wait(timedelta(seconds=2, microseconds=1600)) == 2002
    assert lib.wait_seconds(timedelta(milliseconds=1500)) == 1.5
    assert lib.waited() == timedelta(milliseconds=1500)
    assert lib.whole_seconds(timedelta(milliseconds=2600)) == 3
    with pytest.raises(TypeError, match=r"^time: a timedelta is wanted, not int$"):
        lib.wait(3)


@pytest.mark.parametrize(
    ("name", "value"), [("counted_int", START + timedelta(days=365 * 80)), ("in_ns", LAST), ("counted_ns", FIRST)]
)
def test_what_cpp_has_no_room_for_is_an_error(lib: ModuleType, name: str, value: datetime) -> None:
    with pytest.raises(OverflowError, match=r"^the point in time does not fit the type that it is converted to$"):
        getattr(lib, name)(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seconds", 2**62),
        ("seconds", 253402300800),
        ("real", 1e300),
        ("real", float("nan")),
        ("unsigned_number", 2**63),
    ],
)
def test_what_python_has_no_room_for_is_an_error(lib: ModuleType, name: str, value: float) -> None:
    with pytest.raises(OverflowError, match=r"^the point in time (does not fit|is not within the years 1 to 9999)"):
        getattr(lib, name)(value)


def test_a_result_beyond_the_last_year(lib: ModuleType) -> None:
    assert lib.later(START, SECOND) == START + SECOND
    with pytest.raises(OverflowError, match=r"^the point in time is not within the years 1 to 9999 of a datetime$"):
        lib.seconds(-62135596801)
    assert lib.seconds(-62135596800) == FIRST


@pytest.mark.parametrize("value", [FIRST.replace(tzinfo=timezone(SECOND)), LAST.replace(tzinfo=timezone(-SECOND))])
def test_what_is_of_no_year_in_utc_is_named(lib: ModuleType, value: datetime) -> None:
    with pytest.raises(OverflowError) as failure:
        lib.echo(value)
    assert str(failure.value) == f"value: {value!r} does not fit datetime"
    with pytest.raises(OverflowError) as failure:
        lib.rows([("a", START), ("b", value)])
    assert str(failure.value) == f"rows[1][1]: {value!r} does not fit datetime"


@pytest.mark.parametrize("value", [datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=Zone(None)), datetime.min])
def test_a_naive_datetime_is_refused(lib: ModuleType, value: datetime) -> None:
    said = "a datetime without a time zone is no point in time: give it a tzinfo, such as datetime.timezone.utc"
    with pytest.raises(ValueError) as failure:
        lib.echo(value)
    assert str(failure.value) == f"value: {said}"
    with pytest.raises(ValueError) as failure:
        lib.counted_all([START, value])
    assert str(failure.value) == f"all[1]: {said}"
    with pytest.raises(ValueError) as failure:
        lib.Visit("a", START, value)
    assert str(failure.value) == f"until: {said}"


@pytest.mark.parametrize("value", [5, 1.5, "2024-01-01", None, True, date(2024, 1, 1), timedelta(), datetime, object])
def test_nothing_else_is_a_datetime(lib: ModuleType, value: object) -> None:
    kind = "None" if value is None else type(value).__name__
    for call in (lib.echo, lib.echo_ms):
        with pytest.raises(TypeError) as failure:
            call(value)
        assert str(failure.value) == f"value: a datetime is wanted, not {kind}"


def test_what_a_time_zone_raises_is_passed_on(lib: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError):
        lib.echo(datetime(2024, 1, 1, tzinfo=Zone(ZeroDivisionError())))
    with pytest.raises(ZeroDivisionError):
        lib.either(datetime(2024, 1, 1, tzinfo=Zone(ZeroDivisionError())))
    with pytest.raises(TypeError):
        lib.echo(datetime(2024, 1, 1, tzinfo=Zone(5)))


def test_a_subclass_counts_as_what_it_is(lib: ModuleType) -> None:
    assert lib.echo(Late(2024, 1, 1, tzinfo=UTC)) == datetime(2024, 1, 1, tzinfo=UTC)
    assert type(lib.echo(Late(2024, 1, 1, tzinfo=UTC))) is datetime


def test_points_in_time_nest(lib: ModuleType) -> None:
    a, b = START + SECOND, datetime(2024, 7, 1, 2, tzinfo=ZURICH)
    assert lib.maybe() is None
    assert lib.rows([("a", a), ("b", b)]) == [("a", a), ("b", b)]
    assert lib.by({a: {b, a}, b: set()}) == {a: {b, a}, b: set()}
    assert [lib.either(v) for v in (1.5, a, SECOND, b)] == [1.5, a, SECOND, b]
    assert lib.from_variant() == START + SECOND * 3
    assert [lib.kind(v) for v in (a, SECOND, 3)] == ["datetime", "duration", "i64"]


def test_fields_of_structs_and_properties(lib: ModuleType) -> None:
    visit = lib.visit(lib.Visit("a", START, START, START))
    assert visit == lib.Visit("a", START, START + SECOND, START)
    assert lib.visit(lib.Visit("a", START, START)).checked is None
    hints = {field.name: field.type for field in dataclasses.fields(lib.Visit)}
    assert vars(lib)[str(hints["until"])] is datetime
    clock = lib.Clock()
    assert (clock.now, clock.alarm) == (START, START + SECOND * 60)
    clock.now = datetime(1970, 1, 1, 1, 0, 5, tzinfo=ZURICH)
    assert (clock.now, clock.alarm) == (START + SECOND * 5, START + SECOND * 65)
    with pytest.raises(ValueError, match="a datetime without a time zone"):
        clock.now = datetime(1970, 1, 1)


def test_two_of_one_moment_are_two_keys_that_become_the_same(lib: ModuleType) -> None:
    """A time that a time zone skips is equal to none of another zone."""
    skipped = datetime(2024, 3, 31, 2, 30, tzinfo=ZURICH)
    same = skipped.astimezone(UTC)
    assert skipped != same
    with pytest.raises(ValueError, match=r"^m: two keys become the same: "):
        lib.by({skipped: {START}, same: {START}})
