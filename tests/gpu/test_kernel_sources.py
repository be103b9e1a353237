"""What a kernel in Python is compiled from: its source as it was imported, and values outside as they are."""

from __future__ import annotations

import importlib.util
import math
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from unified_gpu import Array, Context, KernelSourceError, PythonKernel, f32, f64, kernel

HEAD = """\
import math
from unified_gpu import Array, device, f64, i32, kernel

"""
BEFORE = """\
@kernel
def work(out: Array[f64, 1], x: Array[f64, 1], n: i32):
    total = f64(0)
    for k in range(n):
        if x[0] < x[1] and k > 1:
            total += math.floor(x[0]) + x[1]
    out[0] = total
"""
EDITS = [
    ("+ x[1]", "- x[1]"), ("x[0] < x[1]", "x[1] < x[0]"), ("x[0] < x[1]", "x[0] <= x[1]"), (" and ", " or "),
    ("k > 1", "1 > k"), ("f64(0)", "f64(1)"), ("+=", "-="), ("out[0] = total", "out[0] = -total"),
    ("math.floor(x[0])", "math.floor(x[1])"),
]  # fmt: skip


def imported(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.trial("kernel-source-edited")
@pytest.mark.parametrize(("old", "new"), EDITS, ids=range(len(EDITS)))
@pytest.mark.parametrize("nested", [False, True])
def test_a_file_that_was_edited_before_the_first_launch(
    tmp_path: Path, cpu: Context, old: str, new: str, nested: bool
) -> None:
    file, text = tmp_path / "edited.py", BEFORE
    if nested:  # in a function, with a variable of its own
        inner = "".join(f"    {line}\n" for line in BEFORE.replace("k > 1", "k > least").splitlines())
        text = f"def made(least):\n{inner}    return work\nwork = made(1)\n"
        old, new = old.replace("k > 1", "k > least"), new.replace("1 > k", "least > k")
    file.write_text(HEAD + text)
    work = imported(file).work
    file.write_text(HEAD + text.replace(old, new))
    with pytest.raises(KernelSourceError, match="the file has changed since work was defined"):
        cpu.launch(work, 1, [cpu.alloc_zeros(1, "f64"), cpu.alloc_zeros(2, "f64"), 3])
    file.write_text(HEAD + "# a comment\n" + text)
    out = cpu.alloc_zeros(1, "f64")
    work = imported(file).work
    cpu.launch(work, 1, [out, cpu.alloc_upload(np.array([1.5, 2.0])), 4])
    assert out.tolist() == [2 * (1 + 2.0)]


def test_what_python_compiles_in_another_way_is_no_edit(cpu: Context) -> None:
    """A name of a function around it, an imported module, a docstring of several lines."""
    import math as mathematics

    step = 2.0

    @kernel
    def scaled(out: Array[f64, 1]):
        """A docstring,

        of several lines.
        """
        out[0] = mathematics.sqrt(f64(16.0)) * step + math.floor(2.5)

    out = cpu.alloc_zeros(1, "f64")
    cpu.launch(scaled, 1, [out])
    assert out.tolist() == [10.0]


# --- values outside --------------------------------------------------------------------------------------------------

VALUE: Any = 0.0


@kernel
def of_value(out: Array[f64, 1]):
    out[0] = 1.0 / f64(VALUE)


@kernel
def of_pair(out: Array[f64, 1]):
    out[0] = VALUE[0] // VALUE[1] + VALUE[0] / 2


@kernel
def of_type(out: Array[f64, 1]):
    out[0] = f64(VALUE(0.1))


@kernel
def of_function(out: Array[f64, 1]):
    out[0] = VALUE(f64(0.5))


@pytest.mark.parametrize(
    ("work", "before", "after"),
    [
        (of_value, 0.0, -0.0),
        (of_value, 2, 2.0),
        (of_value, 2, True),
        (of_value, np.float64(0.0), np.float64(-0.0)),
        (of_value, np.float32(2), np.float64(2)),
        (of_pair, (2, 3), (2.0, 3.0)),
        (of_pair, (2, 3), (2, 3, 4)),
        (of_pair, (0.0, 1.0), (-0.0, 1.0)),
        (of_type, f32, f64),
        (of_function, math.sin, math.cos),
    ],
)
def test_values_that_change_are_noticed(
    work: PythonKernel, before: Any, after: Any, cpu: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    work._made.clear()
    out = cpu.alloc_zeros(1, "f64")
    monkeypatch.setattr(f"{__name__}.VALUE", before)
    cpu.launch(work, 1, [out])
    monkeypatch.setattr(f"{__name__}.VALUE", after)
    for run in (lambda: cpu.launch(work, 1, [out]), lambda: work.reference(1, [np.zeros(1)])):
        with pytest.raises(KernelSourceError, match=r"VALUE was .* when \w+ was compiled, and is .* now"):
            run()
    monkeypatch.setattr(f"{__name__}.VALUE", before)
    cpu.launch(work, 1, [out])


@pytest.mark.parametrize("value", [math.nan, (1, (2.5, -0.0)), np.float32(math.nan)])
def test_an_equal_value_is_no_change(value: Any, cpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    of_value._made.clear()

    @kernel
    def pair(out: Array[f64, 1]):
        out[0] = f64(VALUE[1][0] + VALUE[0])

    work = pair if isinstance(value, tuple) else of_value
    out = cpu.alloc_zeros(1, "f64")
    monkeypatch.setattr(f"{__name__}.VALUE", value)
    cpu.launch(work, 1, [out])
    same = type(value)(float(value)) if not isinstance(value, tuple) else (1, (float("2.5"), float("-0.0")))
    monkeypatch.setattr(f"{__name__}.VALUE", same)
    cpu.launch(work, 1, [out])
    of_value._made.clear()


def test_an_array_of_no_axes_is_refused(cpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number can change in place, which no later launch would notice."""
    of_value._made.clear()
    monkeypatch.setattr(f"{__name__}.VALUE", np.array(2.0))
    with pytest.raises(KernelSourceError, match="VALUE is an array of the surroundings"):
        cpu.launch(of_value, 1, [cpu.alloc_zeros(1, "f64")])


# --- tracebacks ------------------------------------------------------------------------------------------------------


@kernel
def wrong(out: Array[f64, 1]):
    out[0] = missing + 1  # noqa: F821 -- which is the error


def launches(ctx: Context) -> list[Callable[[], object]]:
    return [
        lambda: ctx.launch(wrong, 1, [ctx.alloc_zeros(1, "f64")]),
        lambda: wrong.reference(1, [np.zeros(1)]),
        lambda: wrong.source("cuda"),
        lambda: wrong.spirv(),
        lambda: wrong.ir(),
    ]


@pytest.mark.parametrize("number", range(5))
def test_the_traceback_of_an_error_in_a_kernel_ends_at_the_launch(cpu: Context, number: int) -> None:
    with pytest.raises(KernelSourceError, match="missing is not defined") as caught:
        launches(cpu)[number]()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert len([frame for frame in frames if "unified_gpu" in Path(frame.filename).parts]) == 1
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
