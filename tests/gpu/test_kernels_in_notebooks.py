"""Kernels in the cells of a notebook, where what they use is defined anew between launches: they are compiled anew."""

from __future__ import annotations

import linecache
import re
import sys
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.gpu.places import ROOT
from unified_gpu import Context, GpuArray, KernelSourceError

HEAD = """\
import math
from unified_gpu import Array, Struct, device, elementwise, f32, f64, global_id, i32, kernel
"""
NAMES = ("<ipython-input-{}-0123456789ab>", "/tmp/ipykernel_4711/{}.py", "<python-input-{}>")
"""Of IPython's cells, of ipykernel's, which are no files, and of Python's own prompt from 3.13 on."""
WORK = "@kernel\ndef work(out: Array[f64, 1]):\n    out[global_id(0)] = f64(STEP)\n"


@pytest.fixture
def names(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", NAMES[0]))


@pytest.fixture
def session(names: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """What cells share; `session.run` runs one, as a notebook does: its text is an entry of linecache."""
    module = ModuleType("__main__")
    numbers = count(1)

    def run(text: str) -> None:
        file = names.format(next(numbers))
        lines = text.splitlines(keepends=True)
        linecache.cache[file] = len(text), None, lines, file
        exec(compile(text, file, "exec"), vars(module))

    monkeypatch.setitem(sys.modules, "__main__", module)
    monkeypatch.setattr(linecache, "checkcache", lambda *_: None)  # as IPython does, for names that are no files
    module.run = run  # type: ignore[attr-defined]
    run(HEAD)
    yield module
    for each in [each for each in linecache.cache if each.startswith(names.partition("{")[0])]:
        del linecache.cache[each]


def launched(ctx: Context, work: Any, *args: Any, size: int = 1) -> list[Any]:
    """What a kernel writes, which the reference writes as well."""
    out, there = ctx.alloc_zeros(size, "f64"), np.zeros(size)
    ctx.launch(work, size, [out, *args])
    given = [each.download() if isinstance(each, GpuArray) else each for each in args]
    work.reference(size, [there, *given])
    assert out.tolist() == there.tolist()
    return out.tolist()  # type: ignore[no-any-return]


VALUES = [
    ("STEP", "f64(STEP)", "2", "3", [2.0, 3.0]),
    ("STEP", "1.0 / f64(STEP)", "0.5", "-0.0", [2.0, -np.inf]),
    ("STEP", "f64(STEP) / 2", "3", "3.5", [1.5, 1.75]),
    ("PAIR", "f64(PAIR[0] + PAIR[1])", "(1, 2)", "(4, 5)", [3.0, 9.0]),
    ("ALL", "total(f64(0))", "(1, 2)", "(1, 2, 3)", [3.0, 6.0]),
    ("TYPE", "f64(TYPE(0.1))", "f32", "f64", [float(np.float32(0.1)), 0.1]),
    ("OP", "OP(f64(0.25))", "math.sqrt", "math.floor", [0.5, 0.0]),
    ("place.STEP", "f64(place.STEP)", "2", "3", [2.0, 3.0]),
]
TOTAL = """
class place: pass
@device
def total(x):
    for each in ALL:
        x += each
    return x
ALL = ()
"""


@pytest.mark.parametrize(("name", "value", "before", "after", "wanted"), VALUES, ids=[v[1] for v in VALUES])
def test_a_value_that_is_changed(
    session: Any, cpu: Context, name: str, value: str, before: str, after: str, wanted: list[float]
) -> None:
    session.run(TOTAL)
    session.run(f"{name} = {before}\n@kernel\ndef work(out: Array[f64, 1]):\n    out[global_id(0)] = {value}\n")
    assert launched(cpu, session.work) == wanted[:1]
    session.run(f"{name} = {after}")
    assert launched(cpu, session.work) == wanted[1:]
    session.run(f"{name} = {before}")
    assert launched(cpu, session.work) == wanted[:1]
    assert len(next(iter(session.work._made.values()))) == 2, "a value that comes again is not compiled again"


def test_a_device_function_that_is_defined_anew(session: Any, ctx: Context) -> None:
    session.run("SHIFT = 1\n@device\ndef f(x: f32):\n    return x + SHIFT\n")
    session.run("@kernel\ndef work(out: Array[f32, 1]):\n    out[global_id(0)] = f(f32(global_id(0)))\n")
    out = ctx.alloc_zeros(3)
    for cell, wanted in (
        ("", [1, 2, 3]),
        ("@device\ndef f(x: f32):\n    return x * x", [0, 1, 4]),
        ("@device\ndef f(x: f32):\n    return g(x)\n@device\ndef g(x: f32):\n    return -x", [0, -1, -2]),
        ("@device\ndef g(x: f32):\n    return x - SHIFT", [-1, 0, 1]),
        ("SHIFT = 10", [-10, -9, -8]),
    ):
        session.run(cell)
        ctx.launch(session.work, 3, [out])
        assert out.tolist() == wanted


def test_two_contexts_and_a_launch_of_other_blocks(session: Any, cpu: Context) -> None:
    session.run("STEP = 2")
    session.run("from unified_gpu import local_size\n" + WORK.replace("f64(STEP)", "f64(STEP) + f64(local_size(0))"))
    out = cpu.alloc_zeros(64, "f64")
    with Context("cpu") as other:
        elsewhere = other.alloc_zeros(64, "f64")
        for value in (2, 3, 2):
            session.run(f"STEP = {value}")
            for block in (32, 64):
                cpu.launch(session.work, 64, [out], local_size=block)
                other.launch(session.work, 64, [elsewhere], local_size=block)
                assert {*out.tolist(), *elsewhere.tolist()} == {value + block}


STRUCT = "class Line(Struct):\n    {}\n"
OF_LINE = """
@kernel
def work(out: Array[f64, 1], line: Line):
    made = Line({})
    out[global_id(0)] = line.slope + 10 * made.slope
"""
OF_LINES = """
@kernel
def work(out: Array[f64, 1], lines: Array[Line, 1]):
    out[global_id(0)] = lines[0].slope
"""


@pytest.mark.parametrize("names", NAMES, indirect=True)
def test_a_struct_that_is_defined_anew(session: Any, cpu: Context) -> None:
    """With the same fields, in another order, and with more; what is of the former class is refused by name."""
    session.run(STRUCT.format("slope: f64; shift: f64"))
    session.run(OF_LINE.format("1, 2"))
    former = session.Line(3, 4)
    assert launched(cpu, session.work, former) == [13]
    session.run(STRUCT.format("slope: f64; shift: f64"))
    assert launched(cpu, session.work, session.Line(5, 6)) == [15]
    session.run(STRUCT.format("shift: f64; slope: f64"))
    assert launched(cpu, session.work, session.Line(5, 6)) == [26]
    session.run(STRUCT.format("shift: f64; slope: i32"))
    assert launched(cpu, session.work, session.Line(5, 6)) == [26]
    for run in (lambda: launched(cpu, session.work, former), lambda: session.work.reference(1, [np.zeros(1), former])):
        with pytest.raises(TypeError, match=r"takes a Line as its class is defined now; this one was made before that"):
            run()
    session.run(STRUCT.format("slope: f64"))
    with pytest.raises(KernelSourceError, match=r"made = Line\(1, 2\)"):
        launched(cpu, session.work, session.Line(5))


def test_an_array_of_structs_that_are_defined_anew(session: Any, cpu: Context) -> None:
    session.run(STRUCT.format("slope: f64"))
    session.run(OF_LINES)
    out = cpu.alloc_zeros(1, "f64")
    for fields, data, wanted in (("slope: f64", (7,), 7), ("shift: f64; slope: f64", (1, 2), 2)):
        session.run(STRUCT.format(fields))
        lines = cpu.upload_structs([session.Line(*data)], session.Line)
        cpu.launch(session.work, 1, [out, lines])
        assert out.tolist() == [wanted]


def test_a_function_of_elements_whose_result_has_another_dtype_then(session: Any, ctx: Context) -> None:
    session.run("STEP = 2\n@elementwise\ndef scaled(x):\n    return x * STEP\nlonger = elementwise(lambda x: x + STEP)")
    x = ctx.alloc_upload(np.arange(3, dtype="i4"))
    for value, dtype in ((2, "i32"), (3, "i32"), (2.5, "f64"), (2, "i32")):
        session.run(f"STEP = {value}")
        for _ in range(2):
            found = session.scaled(x)
            assert (found.tolist(), found.dtype.name) == ([0, value, 2 * value], dtype)
            assert session.longer(x).tolist() == [value, value + 1, value + 2]
        out = ctx.alloc_zeros(3, dtype)
        session.scaled(x, out=out)
        assert out.tolist() == [0, value, 2 * value]
        assert session.scaled(ctx.alloc_zeros(0, "i32")).dtype.name == dtype


def test_a_graph_stays_as_it_was_recorded(session: Any, ctx: Context) -> None:
    session.run("STEP = 2\n@kernel\ndef work(out: Array[f32, 1]):\n    out[global_id(0)] += f32(STEP)\n")
    out = ctx.alloc_zeros(2)
    ctx.launch(session.work, 2, [out])
    with ctx.record() as graph:
        ctx.launch(session.work, 2, [out])
    session.run("STEP = 10")
    ctx.launch(session.work, 2, [out])
    graph.launch()
    assert out.tolist() == [14, 14]


def test_what_is_there_no_longer_and_what_no_kernel_has(session: Any, cpu: Context) -> None:
    session.run("STEP = 2\n" + WORK)
    assert launched(cpu, session.work) == [2]
    session.run("del STEP")
    with pytest.raises(KernelSourceError, match=r"(?s)<ipython-input-2.*:\d+: STEP is not defined"):
        launched(cpu, session.work)
    session.run("STEP = [1]")
    with pytest.raises(KernelSourceError, match=r"(?s)<ipython-input-2.*:\d+: .*STEP"):
        launched(cpu, session.work)
    session.run("STEP = 4")
    assert launched(cpu, session.work) == [4]


def test_a_variable_of_the_function_around_it(session: Any, cpu: Context) -> None:
    inner = "".join(f"    {line}\n" for line in WORK.splitlines())
    change = "    def change(x):\n        nonlocal STEP\n        STEP = x\n"
    session.run(f"def made(STEP):\n{change}{inner}    return work, change\n")
    work, change = session.made(2)
    assert launched(cpu, work) == [2]
    change(3)
    assert launched(cpu, work) == [3]


def test_what_a_file_has_is_an_error_as_before(
    session: Any, cpu: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a cell's kernel uses it, and so is a module of an archive."""
    text = f"{HEAD}\nSTEP = 2\n{WORK}\n@device\ndef step():\n    return f64(STEP)\n"
    (tmp_path / "steps_of_a_file.py").write_text(text)
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("steps_of_an_archive.py", text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "archive.zip"))
    session.run("import steps_of_a_file, steps_of_an_archive")
    session.run(WORK.replace("f64(STEP)", "steps_of_a_file.step()"))
    works = (steps := session.steps_of_a_file).work, (archived := session.steps_of_an_archive).work, session.work
    for work in works:
        assert launched(cpu, work) == [2]
    steps.STEP = archived.STEP = 3
    for work in works:
        with pytest.raises(KernelSourceError, match=r"STEP was 2 when \w+ was compiled, and is 3 now"):
            launched(cpu, work)


def test_the_prompt_of_a_python_that_keeps_no_source(cpu: Context) -> None:
    module: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(HEAD + "STEP = 2\n" + WORK, "<stdin>", "exec"), module)
    message = r"<stdin>:\d+: .* before Python 3.13(?s:.*)hint: .* IPython or Jupyter"
    with pytest.raises(KernelSourceError, match=message):
        launched(cpu, module["work"])


def test_the_cells_of_the_page_print_what_it_says(session: Any, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "gpu" / "notebooks.md").read_text(encoding="utf-8")
    cells = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(cells) == 3
    for cell, printed in cells:
        session.run(cell)
        assert capsys.readouterr().out == printed
    session.ctx.close()
