"""Structs of numbers in kernels, as arguments and as what device functions give; NumPy is the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from unified_gpu import Array, Context, KernelSourceError, Struct, device, f32, f64, global_id, i8, i32, kernel


class Camera(Struct):
    zoom: f32
    column: i8
    angle: f64


class Turned(Camera):
    turns: i32


@device
def seen(value, camera: Camera):
    return value * camera.zoom + camera.column


@kernel
def shown(x: Array[f32, 1], camera: Camera, shift: f32, turned: Turned):
    i = global_id(0)
    own = camera
    x[i] = seen(x[i], camera=own) + shift * turned.turns + f32(turned.angle)
    for each in (camera.zoom, turned.zoom):
        x[i] += each


RECORD = np.dtype([("angle", "f8"), ("column", "i1"), ("zoom", "f4")])
CAMERA = Camera(0.5, column=-3, angle=2)
TURNED = Turned(zoom=8, column=1, angle=0.25, turns=7)


def wanted(x: np.ndarray) -> np.ndarray:
    return x * np.float32(0.5) - 3 + np.float32(2 * 7 + 0.25) + np.float32(0.5) + 8


@pytest.mark.parametrize("camera", [CAMERA, np.array((2, -3, 0.5), RECORD)[()], np.array((2, -3, 0.5), RECORD)])
def test_structs_are_passed(ctx: Context, camera: Camera) -> None:
    values = np.arange(5, dtype="f4")
    x = ctx.alloc_upload(values)
    ctx.launch(shown, 5, [x, camera, 2, TURNED])
    np.testing.assert_array_equal(x.download(), wanted(values))
    ctx.launch(shown, 5, {"turned": TURNED, "shift": 2, "camera": camera, "x": x})
    np.testing.assert_array_equal(x.download(), wanted(wanted(values)))
    shown.reference(5, [values, camera, 2, TURNED])
    np.testing.assert_array_equal(values, wanted(np.arange(5, dtype="f4")))


def test_what_is_no_struct(cpu: Context) -> None:
    x = cpu.ones(1)
    for other, what in (
        (3, "`camera` of shown is a Camera, and an int was given; pass Camera"),
        (np.zeros(1, RECORD), "and a record of .* was given"),
        (np.zeros((), [("zoom", "f4"), ("column", "i1"), ("angle", "f4")])[()], "zoom: f32, column: i8, angle: f64"),
    ):
        with pytest.raises(TypeError, match=what):
            cpu.launch(shown, 1, [x, other, 1, TURNED])
    with pytest.raises(TypeError, match="shown takes 4 arguments"):
        cpu.launch(shown, 1, [x, CAMERA, 1, TURNED, 2])


def test_structs_of_numbers_only() -> None:
    assert repr(CAMERA) == "Camera(zoom=0.5, column=-3, angle=2.0)"
    with pytest.raises(TypeError, match="Camera takes zoom, column, angle"):
        Camera(1, 2)
    with pytest.raises(TypeError, match="Camera takes zoom, column, angle"):
        Camera(1, 2, 3, zoom=1)
    with pytest.raises(OverflowError, match="200 does not fit in i8"):
        Camera(1, 200, 3)
    with pytest.raises(TypeError, match="inner of Nested is one of the numbers"):

        class Nested(Struct):
            inner: Camera


@device
def turned_only(each: Turned):
    return each.turns


@device
def zoomed(camera: Camera, by: f32):
    return Camera(zoom=camera.zoom * by, column=camera.column, angle=camera.angle)


@device
def in_a_tuple(camera):
    return camera, camera


@kernel
def made(x: Array[f32, 1], camera: Camera):
    i = global_id(0)
    own = zoomed(camera, x[i])
    if i == 1:
        own = Camera(i, 0, angle=i)
    x[i] = own.zoom + f32(own.angle)


class Wrong:
    def as_number(x: Array[f32, 1], camera: Camera):
        x[0] = camera * 2

    def no_field(x: Array[f32, 1], camera: Camera):
        x[0] = camera.size

    def written(x: Array[f32, 1], camera: Camera):
        camera.zoom = x[0]

    def of_another(x: Array[f32, 1], camera: Camera):
        x[0] = turned_only(camera)

    def given_back(x: Array[f32, 1], camera: Camera):
        x[0] = in_a_tuple(camera)[0].zoom

    def taken_at_once(x: Array[f32, 1], camera: Camera):
        x[0] = zoomed(camera, 2).zoom

    def made_of_less(x: Array[f32, 1]):
        x[0] = Camera(1, angle=2).zoom

    def made_of_a_fraction(x: Array[f32, 1]):
        x[0] = Camera(1, 0.5, 2).zoom

    def assigned(x: Array[f32, 1], camera: Camera, other: Camera):
        if x[0] > 0:
            camera = other
        x[0] = camera.zoom

    def indexed(x: Array[f32, 1], camera: Camera):
        x[0] = camera[0]

    def named_again(x: Array[f32, 1], camera: Camera):
        own = camera
        x[0] = own.zoom
        own = f32(1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("as_number", "camera is a struct, and a number is needed.*take a field: camera.zoom"),
        ("no_field", "a struct has no size in a kernel.*it has zoom, column, angle"),
        ("written", "a kernel assigns to variables and to elements of arrays"),
        ("of_another", "this is a struct of zoom: .*, column: .*, angle: .*, and turned_only takes each as Turned"),
        ("given_back", "a device function returns numbers"),
        ("taken_at_once", "a kernel cannot take `.zoom` of this.*assign it to a variable first"),
        ("made_of_less", "Camera takes column, too"),
        ("made_of_a_fraction", "0.5 is a fraction, and i8 is needed"),
        ("assigned", "camera is a struct that the call gives"),
        ("indexed", "camera is a struct, and is not indexed"),
        ("named_again", "own is a number here, and a struct of zoom, column, angle elsewhere"),
    ],
)
def test_says_what_a_struct_is_for(name: str, message: str) -> None:
    with pytest.raises(KernelSourceError, match=f"(?s)test_kernel_structs.py:\\d+: {message}"):
        kernel(getattr(Wrong, name)).ir()


def test_device_functions_give_structs(ctx: Context) -> None:
    x = ctx.alloc_upload(np.array([3, 5, 7], "f4"))
    ctx.launch(made, 3, [x, CAMERA])
    assert x.tolist() == [3 * 0.5 + 2, 1 + 1, 7 * 0.5 + 2]
