"""Complex numbers: Python's and std::complex, one by one and in memory, over both engines alike."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from wrapper_gen.diagnostics import ToolchainError

np = pytest.importorskip("numpy")

SPEC = """
wrapper_lib: {name: complexes, cpp_include: [cmath, complex, functional, variant, vector]}
cpp_prelude: |
  namespace lib {
  using c = std::complex<double>;
  struct own { double re, im; double real() const { return re; } double imag() const { return im; } };
  struct like { operator std::complex<double>() const { return {3, 4}; } };
  struct pole { c at; double gain; };
  struct signal {
    std::vector<c> data;
    explicit signal(size_t n) : data(n) { for (size_t i = 0; i < n; ++i) data[i] = c(double(i), -double(i)); }
    c *begin() { return data.data(); }
    size_t size() const { return data.size(); }
    std::vector<std::complex<float>> narrow() const { return {data.begin(), data.end()}; }
  };
  inline c times(c a, const c &b) { return a * b; }
  inline std::complex<float> narrow(std::complex<float> a) { return a; }
  inline std::vector<c> roots(double a, double b, double c2) {
    const c d = std::sqrt(c(b * b - 4 * a * c2));
    return {(-b + d) / (2 * a), (-b - d) / (2 * a)};
  }
  inline c total(const std::vector<c> &all) { c sum; for (const c &each : all) sum += each; return sum; }
  inline double power(const c *x, size_t n) { double sum = 0; for (size_t i = 0; i < n; ++i) sum += std::norm(x[i]); return sum; }
  inline void conjugate(std::complex<float> *x, size_t n) { for (size_t i = 0; i < n; ++i) x[i] = std::conj(x[i]); }
  inline pole moved(pole p, c by) { p.at += by; return p; }
  inline void both(c z, c *root, double *size) { *root = std::sqrt(z); *size = std::abs(z); }
  inline c through(c z, const std::function<c(c)> &f) { return f(z); }
  typedef double pair[2];
  inline double swap(pair *x, int n) { double sum = 0; for (int i = 0; i < n; ++i) { std::swap(x[i][0], x[i][1]); sum += x[i][0]; } return sum; }
  inline float parts(const float *x, int n) { float sum = 0; for (int i = 0; i < n; ++i) sum += x[i]; return sum; }
  inline std::variant<double, c> some(bool is_complex) { if (is_complex) return c(1, 2); return 1.5; }
  }
structs:
- {name: Pole, cpp_type: "lib::pole", fields: {at: c128, gain: f64}}
handle_types:
- name: Signal
  cpp_type: lib::signal
  methods:
  - {def: "Signal(n: usize)"}
  - {def: "values() -> array[c128; size()]", cpp_body: return h.inner.begin();, belongs_to: self}
  - {def: "narrow() -> array[c64; value.size()]"}
functions:
- {def: "times(a: c128, b: c128 = '1+2j') -> c128", cpp: lib::times}
- {def: "narrow(a: c64 = 2) -> c64", cpp: lib::narrow}
- {def: "roots(a: f64, b: f64, c: f64) -> [c128]", cpp: lib::roots}
- {def: "total(all: [c128]) -> c128", cpp: lib::total}
- {def: "power(x: &[c128]) -> f64", cpp: lib::power}
- {def: "conjugate(x: &mut [c64])", cpp: lib::conjugate}
- {def: "moved(p: Pole, by: c128) -> Pole", cpp: lib::moved}
- {def: "both(z: c128) -> (root: c128, size: f64)", cpp: lib::both}
- {def: "through(z: c128, f: fn(c128) -> c128) -> c128", cpp: lib::through}
- {def: "trace(x: &[c128; n, n]) -> c128", cpp_body: "c128 sum; for (size_t i = 0; i < x.extent(0); ++i) sum += x(i, i); return sum;"}
- {def: "doubled(x: &mut [c64; n, m])", cpp_body: "for (size_t i = 0; i < x.extent(0); ++i) for (size_t j = 0; j < x.extent(1); ++j) x(i, j) *= 2.0f;", params: {x: {order: any}}}
- {def: "own() -> c128", cpp_body: "return lib::own{1, 2};"}
- {def: "like() -> c128", cpp_body: "return lib::like();"}
- {def: "real() -> c64", cpp_body: return 2.5;}
- {def: "widened() -> c128", cpp_body: "return std::complex<float>(0.5f, 1);"}
- {def: "narrowed(x: f64) -> c64", cpp_body: "return std::complex<double>(x, 1);"}
- {def: "kind(x: f64) -> text", cpp_body: return "real";}
- {def: "kind(x: c128) -> text", cpp_body: return "complex";}
- {def: "kind(x: &[c64]) -> text", cpp_body: return "array of c64";}
- {def: "kind(x: &[c128]) -> text", cpp_body: return "array of c128";}
- def: "square(n: usize) -> array[c64; n, n]"
  cpp_body: "std::vector<c64> out; for (usize i = 0; i < n; ++i) for (usize j = 0; j < n; ++j) out.push_back(c64(float(i), float(j))); return out;"
- {def: "swap(x: &mut [c128]) -> f64", cpp: "lib::swap((lib::pair *)x, x.size())"}
- {def: "parts(x: &[c64]) -> f32", cpp: "lib::parts((const float *)x, 2 * x.size())"}
- {def: "given(a: c128 = '-1-0.5j', b: c64 = '2j', c: c128 = 'inf+0j') -> [c128]", cpp_body: "return {a, c128(b), c};"}
- {def: "first(x: c128) -> text", cpp_body: return "complex";}
- {def: "first(x: f64) -> text", cpp_body: return "real";}
- {def: "only(x: text) -> text", cpp_body: return "text";}
- {def: "only(x: c128) -> text", cpp_body: return "complex";}
- {def: "either(x: f64 | c128 | text) -> f64 | c128 | text", cpp_body: return x;}
- {def: "some(is_complex: bool) -> f64 | c128", cpp: lib::some}
- {def: "maybe(x: c64?) -> c64?", cpp_body: return x;}
- {def: "rows(x: {text: [c64]}) -> {text: [c64]}", cpp_body: return x;}
"""  # noqa: E501 - one entry a line


@pytest.fixture(scope="module", params=ENGINES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="complexes").load(request.param)


def test_numbers_cross(lib: ModuleType) -> None:
    assert lib.times(1 + 2j, 3) == 3 + 6j
    assert lib.times(2, 0.5) == 1 and type(lib.times(2, 0.5)) is complex
    assert lib.narrow(0.5 + 0.25j) == 0.5 + 0.25j
    assert lib.roots(1, 0, 1) == [1j, -1j]
    assert lib.total([1, 2.5, 1j, np.complex64(1 + 1j), np.complex128(1)]) == 5.5 + 2j
    assert lib.moved(lib.Pole(at=1j, gain=2), 1) == lib.Pole(1 + 1j, 2.0)
    assert lib.both(-4 + 0j) == (2j, 4.0)
    assert lib.through(1j, lambda z: z * 2) == 2j and lib.through(1j, lambda z: 3) == 3
    assert lib.rows({"a": [1, 1j], "b": []}) == {"a": [1, 1j], "b": []}
    assert lib.times(1) == 1 + 2j and lib.narrow() == 2
    assert lib.maybe(None) is None and lib.maybe(2) == 2


def test_defaults(lib: ModuleType) -> None:
    defaults = [-1 - 0.5j, 2j, complex(math.inf, 0)]
    assert lib.given() == defaults
    assert [each.default for each in inspect.signature(lib.given).parameters.values()] == defaults


def test_what_no_number_equals_comes_back(lib: ModuleType) -> None:
    found = lib.narrow(complex(math.inf, math.nan))
    assert found.real == math.inf and math.isnan(found.imag)
    for found in (lib.narrow(complex(-0.0, -0.0)), lib.either(complex(-0.0, -0.0))):
        assert (math.copysign(1, found.real), math.copysign(1, found.imag)) == (-1, -1)


def test_what_cpp_returns_for_one(lib: ModuleType) -> None:
    assert lib.own() == 1 + 2j
    assert lib.like() == 3 + 4j
    assert lib.real() == 2.5
    assert lib.widened() == 0.5 + 1j
    with pytest.raises(OverflowError, match=r"^the result: 1e\+300 does not fit f32$"):
        lib.narrowed(1e300)


def test_memory_is_used_where_it_lies(lib: ModuleType) -> None:
    assert lib.power(np.array([1 + 1j, 2])) == 6
    assert lib.power(np.zeros(0, complex)) == 0
    written = np.array([1 + 1j, 2j], np.complex64)
    lib.conjugate(written)
    assert written.tolist() == [1 - 1j, -2j]
    assert lib.trace(np.eye(3) * (1 + 1j)) == 3 + 3j
    part = np.ones((4, 6), np.complex64)
    lib.doubled(part[::2, ::3])
    assert part.sum() == 28
    values = lib.Signal(3).values()
    assert memoryview(values).format == "Zd"
    assert np.asarray(values).tolist() == [0, 1 - 1j, 2 - 2j]
    assert values.tolist() == list(values) == [0, 1 - 1j, 2 - 2j]
    assert (values[1], values[-1], values[(2,)], len(values)) == (1 - 1j, 2 - 2j, 2 - 2j, 3)
    assert np.asarray(values[1:]).tolist() == [1 - 1j, 2 - 2j]
    square = lib.square(2)
    assert square.tolist() == [[0, 1j], [1, 1 + 1j]] == np.asarray(square).tolist()
    assert (square[0, 1], square[1, 0], square[-1, -1]) == (1j, 1, 1 + 1j)
    for wrong, kind in ((3, IndexError), ((0, 0), TypeError), ("x", TypeError)):
        with pytest.raises(kind):
            values[wrong]
    assert lib.Signal(0).values().tolist() == []
    narrow = np.asarray(lib.Signal(2).narrow())
    assert narrow.dtype == np.complex64 and narrow.tolist() == [0, 1 - 1j]


def test_memory_as_c_has_it(lib: ModuleType) -> None:
    numbers = np.array([1 + 2j, 3 + 4j])
    assert lib.swap(numbers) == 6
    assert numbers.tolist() == [2 + 1j, 4 + 3j]
    assert lib.parts(numbers.astype(np.complex64)) == 10


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("kind", "as_", "said"),
    [
        ("&[c128]", "const long double *", "does not compile"),
        ("&[c128]", "double *", "memory that C may write to"),
        ("&[c64]", "const lib::three *", "no parts of the elements"),
    ],
)
def test_memory_that_c_has_otherwise_does_not_compile(kind: str, as_: str, said: str) -> None:
    text = f"""
wrapper_lib: {{name: wrong}}
cpp_prelude: |
  namespace lib {{ struct three {{ char a[3]; }}; }}
  inline void f(const double *, size_t) {{}}
  inline void f(const lib::three *, size_t) {{}}
functions:
- {{def: "f(x: {kind})", cpp: "f(({as_})x, x.size())"}}
"""
    with pytest.raises(ToolchainError) as failure:
        packages.build_text(text, name="wrong")
    assert failure.value.diagnostic.span.line == 8
    assert said in failure.value.diagnostic.message


@pytest.mark.torch
def test_memory_by_dlpack(lib: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    assert lib.power(torch.ones(3, dtype=torch.complex128)) == 3
    assert lib.trace(torch.ones((2, 2), dtype=torch.complex128)) == 2
    assert torch.from_dlpack(lib.Signal(3).values()).tolist() == [0, 1 - 1j, 2 - 2j]
    with pytest.raises(TypeError, match="complex128 is wanted"):
        lib.power(torch.ones(3, dtype=torch.complex64))


def test_which_form_is_meant(lib: ModuleType) -> None:
    assert [lib.kind(each) for each in (1.0, 1, np.float32(1))] == ["real"] * 3
    real = [1, 1.5, np.float32(1), np.float64(1), np.int8(1), Fraction(1, 2), Decimal("1.5")]
    assert [lib.first(each) for each in real] == ["real"] * len(real)
    assert [lib.first(each) for each in (1j, np.complex64(1), Own(1j))] == ["complex"] * 3
    assert [lib.kind(each) for each in (1j, np.complex64(1), np.complex128(1), Own(1j))] == ["complex"] * 4
    assert [lib.only(each) for each in ("1", 1, 1.5, np.float32(1), np.int8(1), 1j)] == ["text"] + ["complex"] * 5
    assert lib.kind(np.zeros(2, complex)) == "array of c128"
    assert lib.kind(np.zeros(2, np.complex64)) == "array of c64"
    for wrong, shown in (
        (np.zeros((2, 3), np.float32), "ndarray of format 'f' with 2 dimensions"),
        (memoryview(np.zeros(3)).toreadonly(), "memoryview (read-only) of format 'd' with 1 dimension"),
        (bytearray(3), "bytearray"),
    ):
        with pytest.raises(TypeError) as failure:
            lib.kind(wrong)
        assert str(failure.value).startswith(f"kind() takes no ({shown}); it takes")
        assert ": array[complex64])" in str(failure.value) and ": array[complex128])" in str(failure.value)
    assert [repr(lib.either(each)) for each in (1.0, 3, 1j, "x", np.complex64(1j))] == ["1.0", "3.0", "1j", "'x'", "1j"]
    assert repr(lib.some(False)) == "1.5" and lib.some(True) == 1 + 2j


class Own:
    """A number of another library."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __complex__(self) -> Any:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


MISTAKES: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (lambda m: m.times("1", 2), TypeError, "a: a complex number is wanted, not str"),
    (lambda m: m.times(1, None), TypeError, "b: a complex number is wanted, not None"),
    (lambda m: m.narrow(1e300), OverflowError, "a: (1e+300+0j) does not fit c64"),
    (lambda m: m.narrow(1e300j), OverflowError, "a: 1e+300j does not fit c64"),
    (lambda m: m.times(10**400, 1), OverflowError, "a: an int of 1329 bits does not fit c128"),
    (lambda m: m.times(Own(KeyError("own")), 1), KeyError, "'own'"),
    (lambda m: m.times(Own("x"), 1), TypeError, "a: a complex number is wanted, not Own"),
    (lambda m: m.total([1, "a"]), TypeError, "all[1]: a complex number is wanted, not str"),
    (lambda m: m.total("ab"), TypeError, "all: a sequence is wanted, not str"),
    (lambda m: m.rows({"a": [1, 1e300]}), OverflowError, "x['a'][1]: (1e+300+0j) does not fit c64"),
    (lambda m: m.through(1j, lambda z: "x"), TypeError, "f(): a complex number is wanted, not str"),
    (lambda m: m.Pole(at="x", gain=1), TypeError, "at: a complex number is wanted, not str"),
    (lambda m: m.maybe("x"), TypeError, "x: a complex number is wanted, not str"),
    (
        lambda m: m.power(np.zeros(2)),
        TypeError,
        "x: a one-dimensional, contiguous array of complex128 is wanted, not one of format 'd'",
    ),
    (
        lambda m: m.power(np.zeros(2, np.complex64)),
        TypeError,
        "x: a one-dimensional, contiguous array of complex128 is wanted, not one of format 'Zf'",
    ),
    (
        lambda m: m.conjugate(np.zeros(4, np.complex64)[::2]),
        TypeError,
        "x: a one-dimensional, contiguous writable array of complex64 is wanted"
        "; this one has gaps between its elements",
    ),
    (
        lambda m: m.trace(np.zeros((2, 2))),
        TypeError,
        "x: a C-contiguous array of complex128 with 2 dimensions is wanted, not one of format 'd'",
    ),
    (lambda m: m.trace(np.zeros((2, 3), complex)), ValueError, "x: dimension 1 is 3, not 2 (n, dimension 0 of x)"),
    (lambda m: m.roots(np.complex64(1), 2, 3), TypeError, "a: a float is wanted, not complex64"),
    (lambda m: m.Pole(at=1, gain=np.complex128(1)), TypeError, "gain: a float is wanted, not complex128"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes(lib: ModuleType, number: int) -> None:
    call, kind, message = MISTAKES[number]
    with pytest.raises(kind) as failure:
        call(lib)
    assert str(failure.value) == message


def test_unaligned_memory_is_refused(lib: ModuleType) -> None:
    raw = np.zeros(1 + 2 * 16, np.uint8)
    with pytest.raises((TypeError, ValueError), match="does not start at a multiple of its elements' size"):
        lib.power(raw[1:].view(complex))
    of_parts = np.zeros(5)[1:].view(complex)  # at a multiple of 8, as C++ wants
    assert lib.power(of_parts) == 0


@pytest.mark.quick(2)
@pytest.mark.parametrize("returned", ["std::string()", "std::complex<long double>(1)", "1", "true"])
def test_what_is_no_complex_number_does_not_compile(returned: str) -> None:
    text = f"""
wrapper_lib: {{name: wrong, cpp_include: [complex, string]}}
functions:
- {{def: "f() -> c128", cpp_body: "return {returned};"}}
"""
    with pytest.raises(ToolchainError, match="complex") as failure:
        packages.build_text(text, name="wrong")
    assert failure.value.diagnostic.span.line == 4
