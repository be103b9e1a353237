"""Interpreters end in any order: nothing crashes, nothing runs in Python any more, and what can be released is."""

from __future__ import annotations

import pytest

from tests.behaviour import packages
from tests.behaviour.objects import COUNTS_REFERENCES
from tests.behaviour.packages import Package

HEADER = """\
import atexit, gc, sys, threading, time, types
import shapes_ffi as shapes
canvas = shapes.canvas("x")
part = canvas.part()
point = shapes.point(1, 2)
"""
PROGRAMS = {
    "globals": "",
    "globals that sort the other way": "a_part, z_canvas = part, canvas; del canvas, part",
    "another module's globals": """
module = types.ModuleType("another"); sys.modules["another"] = module
module.canvas, module.part = canvas, part; del canvas, part, module
""",
    "a cycle": """
class Holder: pass
a, b = Holder(), Holder(); a.b, b.a, a.canvas, b.part = b, a, canvas, part
del a, b, canvas, part
""",
    "a cycle with the package": "shapes.mine = [canvas, part, shapes]; del canvas, part, shapes",
    "a cycle without collector": """
gc.disable(); cycle = [canvas, part]; cycle.append(cycle); del cycle, canvas, part
""",
    "a builtin's attribute": "import builtins; builtins.canvas, builtins.part = canvas, part",
    "a function's default": "def f(part=part, canvas=canvas): pass\ndel part, canvas",
    "atexit": "atexit.register(lambda: (part.title, canvas.size(), part.close()))",
    "atexit, closed before": "atexit.register(part.close); atexit.register(canvas.close)",
    "the package is gone before": """
for name in [n for n in sys.modules if n.startswith("shapes_ffi")]: del sys.modules[name]
del shapes; gc.collect()
""",
    "finalizers of others": """
class Uses:
    def __init__(self, *handles): self.handles = handles
    def __del__(self):
        for handle in self.handles: handle.close()
keep = Uses(part, canvas); keep.me = keep; del part, canvas, keep
""",
    "a class that counts": """
class Mine(shapes.Point):
    def __del__(self): self.close()
mine = Mine.point(1, 2); mine.me = mine; del mine
""",
    "a generator that never ends": """
def generate():
    with shapes.canvas("y") as held, held.part() as part:
        yield part
        yield held
steps = generate(); next(steps)
""",
    "a thread that waits": """
threading.Thread(target=lambda: shapes.gate().pass_(100)).start()
""",
    "a daemon that waits": """
gate = shapes.gate(); threading.Thread(target=lambda: gate.pass_(60_000), daemon=True).start()
while gate.waiting == 0: time.sleep(0.001)
""",
    "a daemon that works": """
def work():
    while True:
        with shapes.canvas("z") as held: held.part().title; shapes.point(1).scaled(2)
threading.Thread(target=work, daemon=True).start(); time.sleep(0.02)
""",
    "an exception with a traceback": """
def fail(canvas, part): raise SystemExit(0)
fail(canvas, part)
""",
    "a closed handle": "canvas.close(); part.close()",
    "a long chain": """
for _ in range(100_000): part = part.following()
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_exit(shapes_package: Package, engine: str, program: str) -> None:
    done = shapes_package.python(HEADER + PROGRAMS[program], engine=engine)
    assert done.stderr == ""


@pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python runs no finalizers at exit")
@pytest.mark.parametrize("program", ["globals", "a cycle", "atexit", "finalizers of others", "a class that counts"])
def test_what_python_lets_go_of_is_released(shapes_package: Package, engine: str, program: str) -> None:
    done = shapes_package.python(HEADER + PROGRAMS[program], engine=engine, SHAPES_REPORT_AT_EXIT="1")
    assert done.stderr == "live at exit: 0, widows: 0\n"


NAP = """
wrapper_lib: {name: nap}
cpp_prelude: |
  #include <chrono>
  #include <memory>
  #include <string>
  #include <thread>
  #include <vector>
  inline std::vector<std::shared_ptr<int>> things() {
    std::this_thread::yield();
    return std::vector<std::shared_ptr<int>>(3, std::make_shared<int>(1));
  }
  inline std::unique_ptr<int> part(const std::shared_ptr<int> &of) {
    std::this_thread::yield();
    return std::make_unique<int>(*of);
  }
  template <class Data>
  std::size_t total(const std::shared_ptr<int> &, const Data &data, const std::vector<std::string> &names) {
    std::this_thread::yield();
    return data.size() + names.size();
  }
handle_types:
  - name: Thing
    cpp_type: std::shared_ptr<int>
    methods:
      - {def: "part() -> Part", cpp: "::part", belongs_to: self, blocking: true}
      - {def: "total(data: &[u8], names: [text]) -> usize", cpp: "::total", blocking: true}
  - {name: Part, cpp_type: std::unique_ptr<int>}
functions:
  - {name: nap, blocking: true, cpp_body: "std::this_thread::sleep_for(std::chrono::milliseconds(1));"}
  - name: echo
    cpp_body: std::this_thread::yield(); return x;
    params: [{name: x, type: text}]
    return: text
    blocking: true
  - {def: "things() -> [Thing]", cpp: things, blocking: true}
"""

COMING_BACK = """
def work():
    while True: {call}
for _ in range(4): threading.Thread(target=work, daemon=True).start()
time.sleep(0.02)
sys.long_to_destroy = [{{}} for _ in range(500_000)]
"""
"""Python ends daemon threads as they ask for the GIL, by unwinding C++ code."""


def test_daemons_that_come_back_from_a_call(shapes_package: Package, engine: str) -> None:
    program = COMING_BACK.format(call="shapes.gate().pass_(1)")
    assert shapes_package.python(HEADER + program, engine=engine).stderr == ""


@pytest.mark.parametrize(
    "call",
    ["nap_ffi.nap()", "nap_ffi.echo('x')", "nap_ffi.things()", "thing.part()", "thing.total(bytearray(9), ['x'])"],
)
def test_daemons_that_come_back_with_a_result(engine: str, call: str) -> None:
    package = packages.build_text(NAP, name="nap")
    program = COMING_BACK.format(call=call)
    start = "import nap_ffi, sys, threading, time\nthing = nap_ffi.things()[0]"
    assert package.python(f"{start}\n{program}", engine=engine).stderr == ""


def test_fork(shapes_package: Package, engine: str) -> None:
    """A child has its own objects: both processes release theirs."""
    program = """
import os
child = os.fork()
part.title; point.scaled(2)
if child == 0:
    part.close(); sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    assert shapes_package.python(HEADER + program, engine=engine).stderr == ""


def test_imported_again(shapes_package: Package, engine: str) -> None:
    """Handles of a package that was imported again still work; those of both are of different classes."""
    program = """
import importlib
old = shapes
for name in [n for n in sys.modules if n.startswith("shapes_ffi")]: del sys.modules[name]
shapes = importlib.import_module("shapes_ffi")
assert part.title == "x" and shapes.point(1).x == 1 and old.point(2).x == 2
"""
    assert shapes_package.python(HEADER + program, engine=engine).stderr == ""
