"""Arrays of structs: on devices, in kernels, to and from NumPy's records, which are the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from unified_gpu import (
    Array,
    Context,
    KernelSourceError,
    Struct,
    atomic_add,
    barrier,
    device,
    f32,
    f64,
    global_id,
    i8,
    i32,
    kernel,
    local,
    local_id,
    shared,
)


class Body(Struct):
    x: f32
    kind: i8
    weight: f64
    hits: i32


class Other(Struct):
    x: f32


MIXED = np.dtype([("hits", "i4"), ("weight", "f8"), ("kind", "i1"), ("x", "f4")])
"""The same fields in another order, without gaps."""


def bodies(*shape: int) -> np.ndarray:
    data, count = np.zeros(shape, MIXED), int(np.prod(shape))
    for step, name in enumerate(MIXED.names or ()):
        data[name] = np.arange(count).reshape(shape) * (step + 1) % 100
    return data


def assert_same(found: np.ndarray, wanted: np.ndarray) -> None:
    assert found.shape == wanted.shape
    for name in MIXED.names or ():
        np.testing.assert_array_equal(found[name], wanted[name])


@device
def moved(body: Body, by: f32):
    return Body(body.x + by, body.kind, hits=body.hits + 1, weight=body.weight)


@device
def total(bodies: Array[Body, 1], first: i32):
    found = bodies.weight[first]
    for i in range(first + 1, len(bodies)):
        found += bodies[i].weight
    return found


@kernel
def step(bodies: Array[Body, 1], out: Array[Body, 1], totals: Array[f64, 1]):
    i = global_id(0)
    body = bodies[i]
    after = moved(body, 1.5)
    out[i] = after
    out[i].kind = -body.kind
    out[i].hits += bodies.shape[0]
    totals[i] = total(bodies, i)


def stepped(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    out = data.copy()
    out["x"] += 1.5
    out["kind"] = -data["kind"]
    out["hits"] += 1 + len(data)
    return out, data["weight"][::-1].cumsum()[::-1]


def test_kernels_read_and_write_structs(ctx: Context) -> None:
    data = bodies(37)
    wanted, sums = stepped(data)
    given, out, totals = ctx.upload_structs(data, Body), ctx.alloc_structs(37, Body), ctx.zeros(37, "f64")
    ctx.launch(step, 37, [given, out, totals])
    assert_same(out.download(), wanted)
    assert_same(given.download(), data)
    np.testing.assert_array_equal(totals.download(), sums)


def test_the_reference_takes_records() -> None:
    data, out, totals = bodies(37), bodies(37), np.zeros(37)
    step.reference(37, [data, out, totals])
    wanted, sums = stepped(data)
    assert_same(out, wanted)
    np.testing.assert_array_equal(totals, sums)


@kernel
def turned(bodies: Array[Body, 2], kinds: Array[i32, 1]):
    row = bodies[global_id(0)]
    last = row.shape[0] - 1
    for i in range(len(row) // 2):
        row[i], row[last - i] = row[last - i], row[i]
    for i in range(row.shape[0]):
        atomic_add(row.hits, 0, row[i].kind)
        atomic_add(kinds, row[i].kind, 1)


def test_rows_and_swaps(ctx: Context) -> None:
    data = bodies(5, 7)
    wanted = data[:, ::-1].copy()
    wanted["hits"][:, 0] += wanted["kind"].sum(axis=1, dtype="i4")
    given, kinds = ctx.upload_structs(data, Body), ctx.zeros(100, "i32")
    ctx.launch(turned, 5, [given, kinds])
    assert_same(given.download(), wanted)
    np.testing.assert_array_equal(kinds.download(), np.bincount(data["kind"].reshape(-1), minlength=100))


@device
def weighed(row: Array[Body, 1]):
    sum = f64(0)
    for i in range(len(row)):
        body = row[i]
        sum += body.weight * body.kind
    return sum


@device
def counted(row: Array[Body, 1], by: i32):
    for i in range(row.shape[0]):
        row[i].hits += by


@kernel
def by_rows(bodies: Array[Body, 2], sums: Array[f64, 1]):
    i = global_id(0)
    row = bodies[i]
    sums[i] = weighed(row) + weighed(bodies[i])
    counted(row, 3)


def test_rows_are_passed_to_device_functions(ctx: Context) -> None:
    data = bodies(5, 7)
    given, sums = ctx.upload_structs(data, Body), ctx.zeros(5, "f64")
    ctx.launch(by_rows, 5, [given, sums])
    np.testing.assert_array_equal(sums.download(), 2 * (data["weight"] * data["kind"]).sum(axis=1))
    data["hits"] += 3
    assert_same(given.download(), data)


@kernel
def followed(bodies: Array[Body, 1], kinds: Array[i32, 1]):
    kinds[0] = 2
    bodies[bodies[0].hits] = Body(kinds[0], 3, 4, hits=bodies[2].hits)
    bodies[kinds[0]] = bodies[1]


def test_an_index_is_read_before_anything_is_stored(ctx: Context) -> None:
    data = bodies(3)
    data["hits"] = 0, 7, 9
    wanted = data.copy()
    wanted[0] = (9, 4.0, 3, 2.0)
    wanted[2] = wanted[1]
    given = ctx.upload_structs(data, Body)
    ctx.launch(followed, 1, [given, ctx.zeros(1, "i32")])
    assert_same(given.download(), wanted)


@kernel
def reversed_in_blocks(bodies: Array[Body, 1]):
    tile = shared(Body, 4)
    own = local(Body, 2)
    i, here = global_id(0), local_id(0)
    tile[here] = bodies[i]
    own[here % 2] = Body(0, 0, 0, here)
    barrier()
    bodies[i] = tile[3 - here]
    bodies[i].hits = own[here % 2].hits + own.shape[0]


def test_shared_and_own_arrays(ctx: Context) -> None:
    data = bodies(8)
    wanted = data.reshape(2, 4)[:, ::-1].reshape(-1).copy()
    wanted["hits"] = np.arange(8) % 4 + 2
    given = ctx.upload_structs(data, Body)
    ctx.launch(reversed_in_blocks, 8, [given], local_size=4)
    assert_same(given.download(), wanted)


def test_fields_are_arrays(ctx: Context) -> None:
    given = ctx.upload_structs([Body(x, 1, 2, hits=3) for x in range(4)], Body)
    assert (given.shape, given.ndim, given.size, len(given), given.struct) == ((4,), 1, 4, 4, Body)
    given["weight"] = given["x"].cast("f64") * 2
    given["hits"][1:] = 9
    assert given["weight"].tolist() == [0, 2, 4, 6]
    assert repr(given.tolist()[3]) == "Body(x=3.0, kind=1, weight=6.0, hits=9)"
    assert given.download().dtype == np.dtype(
        [("x", "f4"), ("kind", "i1"), ("weight", "f8"), ("hits", "i4")], align=True
    )
    assert repr(given).splitlines()[1] == f"  x: GpuArray([0., 1., 2., 3.], dtype=f32, device={ctx.device.backend}:0)"
    assert_same(given.upload(bodies(4)).download(), bodies(4))
    empty = ctx.alloc_structs((0, 2), Body)
    assert empty.tolist() == [] and empty.download().shape == (0, 2)
    assert ctx.upload_structs(bodies(2, 3), Body).download().shape == (2, 3)


def test_what_is_no_array_of_structs(cpu: Context) -> None:
    given = cpu.upload_structs(bodies(2), Body)
    totals = cpu.zeros(2, "f64")
    for wrong, what in (
        (
            cpu.ones(2),
            "`out` of step is an array of Body: x: f32, .*; a GpuArray was given; make one by ctx.upload_structs",
        ),
        (cpu.alloc_structs(2, Other), "one of Other: x: f32 was given"),
        (np.zeros(2, [("x", "f4")]), "an array of .* was given"),
        (bodies(2), "`out.x` of step is an array of this library"),
    ):
        with pytest.raises(TypeError, match=what):
            cpu.launch(step, 2, [given, wrong, totals])
    with pytest.raises(TypeError, match=r"annotate it as Array\[Body, 1\] .* or pass a field: array\['x'\]"):
        cpu.launch(step, 2, [given, given, given])
    with pytest.raises(ValueError, match=r"`bodies.x` of step has 1 axis"):
        cpu.launch(step, 2, [cpu.alloc_structs((2, 2), Body), given, totals])
    for wrong, what in (
        ([1], "a list was given"),
        (np.zeros(2), "an array of float64 was given"),
        (3, "an int was given"),
    ):
        with pytest.raises(TypeError, match=f"structs are uploaded from .*hits: i32, or a list of Body; {what}"):
            cpu.upload_structs(wrong, Body)
    with pytest.raises(ValueError, match=r"data of shape \[3\] cannot be uploaded to structs of shape \[2\]"):
        given.upload(bodies(3))
    with pytest.raises(TypeError, match="the elements are of a class of Struct, not f32"):
        cpu.alloc_structs(2, f32)  # type: ignore[type-var]  # on purpose
    with pytest.raises(KeyError, match="Body has no field 'y'; it has x, kind, weight, hits"):
        given["y"]
    with pytest.raises(TypeError, match="is asked for a field"):
        given[0]  # type: ignore[index]  # on purpose
    with pytest.raises(TypeError, match=r"array\.tolist"):
        list(given)
    with pytest.raises(TypeError, match="upload_structs"):
        cpu.alloc_upload(bodies(2))


def test_the_checked_mode_looks_at_each_field(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel
    def beyond(bodies: Array[Body, 1], at: i32):
        bodies[at].hits = 1

    monkeypatch.setenv("DL_CHECK", "1")
    with Context("cpu") as ctx:
        given = ctx.upload_structs(bodies(3), Body)
        ctx.launch(beyond, 1, [given, 2])
        ctx.sync()
        ctx.launch(beyond, 1, [given, 3])
        with pytest.raises(RuntimeError, match=r"index 3 of axis 0 of bodies\.hits"):
            ctx.sync()


class Wrong:
    def as_number(bodies: Array[Body, 1]):
        bodies[0] = bodies[0] + 1

    def of_a_number(bodies: Array[Body, 1]):
        bodies[0] = 1

    def of_others(bodies: Array[Body, 1], others: Array[Other, 1]):
        bodies[0] = others[0]

    def copied(bodies: Array[Body, 1]):
        body = bodies[0]
        body.x = 1

    def no_field(bodies: Array[Body, 1]):
        bodies[0].y = 1

    def writing(bodies: Array[Body, 1], n: Array[i32, 1]):
        body = bodies[atomic_add(n, 0, 1)]
        bodies[0] = body

    def passed(bodies: Array[Body, 2]):
        bodies[0, 0].weight = total(bodies, 0)

    def whole(bodies: Array[Body, 1]):
        bodies = bodies[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("as_number", r"bodies\[0\] is a struct, and a number is needed.*take a field: bodies\[0\].x"),
        ("of_a_number", r"bodies\[0\] is a struct of x: f32, .*, and this is none"),
        ("of_others", r"bodies\[0\] is a struct of x: f32, .*, and this is a struct of x: f32"),
        ("copied", "a kernel assigns to variables and to elements of arrays.*body is a copy"),
        ("no_field", "a struct has no y in a kernel"),
        ("writing", "an index of structs that writes.*assign it to a variable first"),
        ("passed", r"this is an array of structs of .*, and total takes bodies as Array\[Body, 1\]"),
        ("whole", "bodies is a struct that the call gives"),
    ],
)
def test_says_what_is_wrong(name: str, message: str) -> None:
    with pytest.raises(KernelSourceError, match=f"(?s)test_arrays_of_structs.py:\\d+: {message}"):
        kernel(getattr(Wrong, name)).ir()


@device
def pair(body: Body):
    return body.x, body.weight


class Twice(Struct):
    first: f32
    second: f64


@device
def twice(body: Body):
    return Twice(body.x * 2, body.weight * 2)


@kernel
def both(bodies: Array[Body, 1], out: Array[f64, 1]):
    i = global_id(0)
    a, b = pair(bodies[i])
    c = twice(bodies[i])
    out[i] = a + b + c.first + c.second


def test_a_tuple_and_a_struct_of_the_same_types(ctx: Context) -> None:
    given, out = ctx.upload_structs(bodies(9), Body), ctx.zeros(9, "f64")
    ctx.launch(both, 9, [given, out])
    np.testing.assert_array_equal(out.download(), 3.0 * (bodies(9)["x"] + bodies(9)["weight"]))
