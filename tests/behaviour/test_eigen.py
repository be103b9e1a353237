"""Eigen: memory that becomes its matrices, vectors and references to them, and its values as handles and arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from wrapper_gen.diagnostics import ToolchainError

np = pytest.importorskip("numpy")
HEADERS = Path("/usr/include/eigen3")
if not (HEADERS / "Eigen" / "Dense").exists():
    pytest.skip("Eigen is not installed", allow_module_level=True)
pytestmark = pytest.mark.slow

LIBRARY = f"wrapper_lib: {{name: eigen, include_paths: [{HEADERS}], cpp_include: [Eigen/Dense]}}\n"
SPEC = (
    LIBRARY
    + """
cpp_prelude: |
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  namespace lib {
  using namespace Eigen;
  inline const void *seen = nullptr;
  inline MatrixXd gram(const Ref<const Rows> &x) { seen = x.data(); return x.transpose() * x; }
  inline MatrixXd gram_in_columns(const Ref<const MatrixXd> &x) { seen = x.data(); return x.transpose() * x; }
  inline double weighed(const MatrixXd &x) {
    double sum = 0;
    for (Index i = 0; i < x.rows(); ++i) sum += double(i + 1) * x.row(i).sum();
    return sum;
  }
  inline double total(const Map<const Rows> &x) { return x.sum(); }
  inline double sum_of(Map<const VectorXd> x) { return x.sum(); }
  inline double first_of(const Map<const Vector3d> &x) { return x[0]; }
  inline void add_to(Map<VectorXi> x, int by) { x.array() += by; }
  inline double corner(const Map<const Matrix3d> &x) { return x(2, 0); }
  inline VectorXd row_sums(MatrixXd x) { return x.rowwise().sum(); }
  inline double dot(const VectorXd &a, const Ref<const VectorXd> &b) { return a.dot(b); }
  inline void scale(Ref<Rows> x, double by) { x *= by; }
  inline void scale_columns(Ref<MatrixXd> x, double by) { x *= by; }
  inline void negate(Ref<VectorXi> x) { x = -x; }
  inline VectorXd solve(const MatrixXd &a, const VectorXd &b) { return a.colPivHouseholderQr().solve(b); }
  inline Vector3d cross(const Vector3d &a, const RowVector3d &b) { return a.cross(b.transpose()); }
  inline Matrix2d turned(const Matrix2d &x) { return x.transpose(); }
  inline double spread(const ArrayXXf &x) { return double(x.maxCoeff() - x.minCoeff()); }
  inline MatrixXcd conjugate(const Ref<const MatrixXcd> &x) { return x.conjugate(); }
  }
handle_types:
- for: [{N: Matrix, C: Eigen::MatrixXd, T: f64}, {N: ComplexMatrix, C: Eigen::MatrixXcd, T: c128}]
  name: $N
  cpp_type: $C
  methods:
  - {def: "$N(values: &[$T; rows, columns])", cpp: "::$C"}
  - {def: "__add__(other: $N) -> $N"}
  - {def: "__sub__(other: $N) -> $N"}
  - {def: "__matmul__(other: $N) -> $N"}
  - {def: "__mul__(by: $T) -> $N"}
  - {def: "__rmul__(by: $T) -> $N"}
  - {def: "__neg__() -> $N"}
  - {def: "__eq__(other: $N) -> bool"}
  - {def: "__getitem__(row: position[self.rows()], col: position[self.cols()]) -> $T"}
  - {def: "__setitem__(row: position[self.rows()], col: position[self.cols()], value: $T)"}
  - {def: "transpose() -> $N"}
  - {def: "inverse() -> $N"}
  - {def: "values() -> array[$T; rows(), cols()]", cpp_body: "return h.inner.data();", belongs_to: self, order: F}
functions:
- {def: "gram(x: &[f64; n, m]) -> array[f64; rows(), cols()]", cpp: lib::gram}
- {def: "gram_in_columns(x: &[f64; n, m]) -> array[f64; m, m]", cpp: lib::gram_in_columns, params: {x: {order: F}}}
- {def: "gram_of_rows(x: &[f64; n, m]) -> array[f64; m, m]", cpp: lib::gram_in_columns}
- {def: "saw(x: &[f64; n, m]) -> bool", cpp_body: "return lib::seen == x.data();", params: {x: {order: any}}}
- {def: "weighed(x: &[f64; n, m]) -> f64", cpp: lib::weighed}
- {def: "weighed_columns(x: &[f64; n, m]) -> f64", cpp: lib::weighed, params: {x: {order: F}}}
- {def: "total(x: &[f64; n, m]) -> f64", cpp: lib::total}
- {def: "sum_of(x: &[f64; n]) -> f64", cpp: lib::sum_of}
- {def: "sum_in_a_lambda(x: &[f64]) -> f64", cpp_fn: "[](Eigen::Map<const Eigen::VectorXd> x) { return x.sum(); }"}
- {def: "sum_of_array(x: &[f64]) -> f64", cpp_fn: "[](Eigen::Map<const Eigen::ArrayXd> x) { return x.sum(); }"}
- {def: "first_of(x: &[f64]) -> f64", cpp: lib::first_of}
- {def: "add_to(x: &mut [i32], by: i32)", cpp: lib::add_to}
- {def: "corner(x: &[f64; n, m]) -> f64", cpp: lib::corner, params: {x: {order: F}}}
- {def: "row_sums(x: &[f64; n, m]) -> array[f64; size()]", cpp: lib::row_sums}
- {def: "dot(a: &[f64; n], b: &[f64; n]) -> f64", cpp: lib::dot}
- {def: "scale(x: &mut [f64; n, m], by: f64)", cpp: lib::scale}
- {def: "scale_columns(x: &mut [f64; n, m], by: f64)", cpp: lib::scale_columns, params: {x: {order: F}}}
- {def: "negate(x: &mut [i32])", cpp: lib::negate}
- {def: "solve(a: &[f64; n, n], b: &[f64; n]) -> array[f64; n]", cpp: lib::solve}
- {def: "cross(a: &[f64], b: &[f64; 3]) -> array[f64; 3]", cpp: lib::cross}
- {def: "turned(x: &[f64; n, m]) -> array[f64; 2, 2]", cpp: lib::turned}
- {def: "spread(x: &[f32; n, m]) -> f64", cpp: lib::spread}
- {def: "conjugate(x: &[c128; n, m]) -> array[c128; n, m]", cpp: lib::conjugate}
"""
)  # fmt: skip


@pytest.fixture(scope="module", params=ENGINES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(SPEC, name="eigen").load(request.param)


X = np.arange(6.0).reshape(2, 3)


def test_memory_becomes_matrices_and_vectors(lib: ModuleType) -> None:
    columns = np.asfortranarray(X)
    for x, gram in ((X, lib.gram), (columns, lib.gram_in_columns), (X, lib.gram_of_rows)):
        assert np.array_equal(gram(x), X.T @ X)
        assert lib.saw(x) == (gram is not lib.gram_of_rows), "a reference to the other order is to a copy"
    assert lib.weighed(X) == lib.weighed_columns(columns) == 3 + 2 * 12
    assert lib.total(X) == 15
    assert np.array_equal(lib.row_sums(X), [3, 12])
    assert lib.dot(X[0], X[1]) == X[0] @ X[1]
    assert np.allclose(lib.solve(np.array([[2.0, 1], [1, 3]]), np.array([3.0, 5])), [0.8, 1.4])
    assert np.array_equal(lib.cross(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), [0, 0, 1])
    assert np.array_equal(lib.turned(X[:, :2].copy()), X[:, :2].T)
    assert lib.spread(X.astype(np.float32)) == 5
    assert np.array_equal(lib.conjugate(X * 1j), X * -1j)
    assert lib.total(np.zeros((0, 3))) == 0


@pytest.mark.trial("eigen-map")
def test_memory_becomes_maps_of_vectors(lib: ModuleType) -> None:
    x, whole = np.array([1.5, 2, 3]), np.arange(3, dtype=np.int32)
    assert lib.sum_of(x) == lib.sum_in_a_lambda(x) == lib.sum_of_array(x) == 6.5
    assert (lib.first_of(x), lib.sum_of(x[:0])) == (1.5, 0)
    lib.add_to(whole, 2)
    assert whole.tolist() == [2, 3, 4]
    assert lib.corner(np.asfortranarray(np.arange(9.0).reshape(3, 3))) == 6
    with pytest.raises(ValueError, match=r"^memory with 2 elements, of which the C\+\+ type has 3$"):
        lib.first_of(x[:2])
    with pytest.raises(ValueError, match=r"^memory with 2 rows, of which the C\+\+ type has 3$"):
        lib.corner(np.zeros((2, 2), order="F"))


def test_what_is_written_is_the_callers(lib: ModuleType) -> None:
    rows, columns, whole = X.copy(), np.asfortranarray(X), np.arange(3, dtype=np.int32)
    lib.scale(rows, 2)
    lib.scale_columns(columns, 3)
    lib.negate(whole)
    assert np.array_equal(rows, X * 2) and np.array_equal(columns, X * 3) and whole.tolist() == [0, -1, -2]


def test_matrices_as_handles(lib: ModuleType) -> None:
    square = np.array([[1.0, 2], [3, 4]])
    for kind, values in ((lib.Matrix, square), (lib.ComplexMatrix, square * (1 + 1j))):
        a = kind(values)
        for made, wanted in (
            (a + a, values + values),
            (a - a, values * 0),
            (a @ a, values @ values),
            (a * 2, values * 2),
            (2 * a, values * 2),
            (-a, -values),
            (a.transpose(), values.T),
            ((a + a) @ a.inverse(), np.eye(2) * 2),
        ):
            assert np.allclose(made.values(), wanted)
        assert a == kind(values) and a[1, -1] == values[1, 1]
        a[0, 1] = 7
        assert a.values()[0, 1] == 7
        with pytest.raises(IndexError, match="col index out of range"):
            a[0, 2]


MISTAKES: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (
        lambda m: m.cross(np.zeros(2), np.zeros(3)),
        ValueError,
        "memory with 2 elements, of which the C\\+\\+ type has 3",
    ),
    (lambda m: m.turned(np.zeros((2, 3))), ValueError, "memory with 3 columns, of which the C\\+\\+ type has 2"),
    (lambda m: m.turned(np.zeros((3, 2))), ValueError, "memory with 3 rows, of which the C\\+\\+ type has 2"),
    (lambda m: m.solve(np.eye(2), np.zeros(3)), ValueError, "b: dimension 0 is 3, not 2"),
    (lambda m: m.gram(np.asfortranarray(X)), TypeError, "this one is in the other order"),
    (lambda m: m.scale(X.astype(np.float32), 1), TypeError, "not one of format 'f'"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes(lib: ModuleType, number: int) -> None:
    call, kind, message = MISTAKES[number]
    with pytest.raises(kind, match=message):
        call(lib)


@pytest.mark.parametrize(
    "entry",
    [
        '{def: "f(x: &mut [f64; n, m])", cpp_fn: lib::f}',  # in the other order
        '{def: "f(x: &[f32; n, m])", cpp_fn: lib::g}',  # of another type
        '{def: "f(x: &[f64; n, m])", cpp_fn: lib::h}',  # written, where it is only read
    ],
)
def test_what_no_memory_becomes_does_not_compile(entry: str) -> None:
    prelude = """
cpp_prelude: |
  namespace lib {
  inline void f(Eigen::Ref<Eigen::MatrixXd>) {}
  inline void g(const Eigen::Ref<const Eigen::MatrixXd> &) {}
  inline void h(Eigen::Ref<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>) {}
  }
functions:
"""
    text = f"{LIBRARY}{prelude}- {entry}\n"
    with pytest.raises(ToolchainError) as failure:
        packages.build_text(text, name="eigen")
    assert failure.value.diagnostic.span.line == text.count("\n")
