"""Building a generated package: what it finds, what it says, when it builds again. Runs a real compiler."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.compilers import precompiled, quick, quick_linking, quickest
from tests.limits import HANGS
from wrapper_gen import compile, files, pipeline
from wrapper_gen.compile import BuildResult
from wrapper_gen.diagnostics import Span, ToolchainError
from wrapper_gen.tiers.cffi_build import python_literal

_FIRST, *_OTHERS = [name for name in ("g++", "clang++") if shutil.which(name)] or ["c++"]
COMPILERS = [_FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in _OTHERS)]
QUICKEST = quickest()
"""Compiles where a test is not about one of them; empty where that is the usual one."""

ANSWER = """\
functions:
  - name: answer
    cpp_body: return {value};
    stub: -1
    params: []
    return: i32
"""


class Project:
    """A spec in a folder of its own, and its package."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        self.places: Sequence[tuple[str, Span]] = ()
        self.write("specs/small.wrapper_spec", "")

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def spec(self, library: str = "", value: str = "42", more: str = "") -> None:
        lines = "".join(f"  {line}\n" for line in library.splitlines())
        self.write(
            "specs/small.wrapper_spec", f"wrapper_lib:\n  name: small\n{lines}{ANSWER.format(value=value)}{more}"
        )

    def generate(self) -> Path:
        shown = "specs/small.wrapper_spec"
        generated = pipeline.generate(self.root / shown, shown)
        rendered, self.places = generated.files, generated.module.library.places
        files.write(files.compare(rendered, self.root / "generated", packages=["small_ffi"]))
        return self.root / "generated/small_ffi"

    def build(
        self,
        *,
        stub: bool = False,
        allow_stub: bool = False,
        require: bool = False,
        force: bool = False,
        engine: str = "auto",
        abi3: bool = False,
        check_only: bool = False,
    ) -> BuildResult:
        self.said.clear()
        return compile.build(
            self.generate(),
            check_only=check_only,
            places=self.places,
            report=self.said.append,
            stub=stub,
            allow_stub=allow_stub,
            require=require,
            force=force,
            engine=engine,
            abi3=abi3,
        )

    def answer(self) -> int:
        return int(self.python("import small_ffi; print(small_ffi.answer())"))

    def python(self, code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=self.root / "generated", capture_output=True, text=True, check=True
        )
        return done.stdout


def _flags() -> str:
    return precompiled("-O0", QUICKEST, is_whole=True) if QUICKEST else quick()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("CXX", "CC", "CXXFLAGS", "CFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "LIBRARY_PATH", "PKG_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    if QUICKEST:
        monkeypatch.setenv("CXX", QUICKEST)
        monkeypatch.setenv("LDFLAGS", quick_linking(QUICKEST))
    monkeypatch.setenv("CXXFLAGS", _flags())
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


def test_it_builds_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.spec()
    first = project.build()
    assert (first.stub, first.rebuilt) == (False, True)
    assert first.extension.name == "_small_ffi" + sysconfig.get_config_var("EXT_SUFFIX")
    assert project.said[0] == "small_ffi: built from its own sources"
    assert project.answer() == 42
    stamp = first.extension.stat().st_mtime_ns
    assert not project.build().rebuilt
    assert first.extension.stat().st_mtime_ns == stamp
    assert project.build(force=True).rebuilt
    monkeypatch.setenv("CXXFLAGS", f"{_flags()} -DANSWER=7")
    assert project.build().rebuilt
    project.spec(value="ANSWER")
    assert project.build().rebuilt
    assert project.answer() == 7


@pytest.mark.slow
def test_one_kind_of_extension_takes_the_place_of_the_other(project: Project) -> None:
    project.spec()
    own = project.build().extension
    other_version, free_threaded = (
        own.with_name(f"_small_ffi.cpython-3{which}-x86_64-linux-gnu.so") for which in ("99", "99t")
    )
    for path in (other_version, free_threaded):
        path.write_bytes(b"")
    abi3 = project.build(abi3=True)
    assert (abi3.extension.name, abi3.rebuilt) == ("_small_ffi.abi3.so", True)
    assert [line for line in project.said if "removed" in line] == [
        f"small_ffi: removed {path.name}, which is of the other kind" for path in (own, other_version)
    ]
    assert free_threaded.exists(), "its Python loads nothing else"
    free_threaded.unlink()
    assert project.answer() == 42
    assert not project.build(abi3=True).rebuilt
    assert project.build().rebuilt
    assert f"small_ffi: removed {abi3.extension.name}, which is of the other kind" in project.said
    assert list(own.parent.glob("*.so")) == [own]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["cpython", "cffi"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_engine_can_be_built_for_all_later_versions(
    project: Project, monkeypatch: pytest.MonkeyPatch, compiler: str, engine: str
) -> None:
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("CXXFLAGS", quick(compiler=compiler))
    monkeypatch.setenv("CXXFLAGS", "-Wall -Wextra -Werror")
    project.spec()
    assert project.build(abi3=True, engine=engine).extension.name == "_small_ffi.abi3.so"
    assert project.python("import small_ffi; print(small_ffi.ENGINE, small_ffi.answer())") == f"{engine} 42\n"
    assert project.build(abi3=True, stub=True).stub
    assert project.answer() == -1


def test_the_former_name_of_an_engine(project: Project) -> None:
    project.spec()
    package = project.build(engine="cpython").extension.parent
    command = [sys.executable, package / "ffi_build.py", "--engine", "native"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "up to date" in done.stderr + done.stdout


def test_a_package_gets_its_extension_and_nothing_else(project: Project) -> None:
    package, cache = project.root / "generated/small_ffi", project.root / "cache/builds"

    def found() -> set[str]:
        return {str(path.relative_to(package)) for path in package.rglob("*") if "__pycache__" not in path.parts}

    def kept() -> list[str]:
        return [path.name for path in cache.rglob("*") if path.is_file()]

    project.spec(value="no_such_thing")
    with pytest.raises(ToolchainError):
        project.build()
    generated = found()
    assert kept() == []
    project.spec()
    extension = project.build(engine="both").extension
    assert found() == {*generated, extension.name}
    assert kept() == ["stamp.json"], "objects and probes are removed"
    shutil.rmtree(cache)
    assert project.build(engine="both").rebuilt, "nobody knows what it was built from"


def test_a_killed_build_leaves_nothing(project: Project) -> None:
    project.spec()
    project.build()
    (stamp,) = (project.root / "cache/builds").rglob("stamp.json")
    (stamp.parent / "work").mkdir()
    (stamp.parent / "work/0_bridge.cpp.o").touch()
    assert not project.build().rebuilt
    assert [path.name for path in stamp.parent.iterdir()] == ["stamp.json"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("sent", ["SIGTERM", "SIGKILL", "SIGINT"])
@pytest.mark.parametrize("command", ["build script", "wrapper-gen build"])
def test_what_ends_a_build_ends_its_compilers(
    project: Project, monkeypatch: pytest.MonkeyPatch, command: str, sent: str
) -> None:
    """Also those that they start, as `c++` starts another program; and the work folder goes."""
    project.spec()
    project.generate()
    started = project.root / "started"
    compiler = project.write(
        "compiler",
        f'#!/bin/sh\ncase "$*" in *" -c "*) sleep {HANGS} & '
        f'echo $$ $! > {started}.new; mv {started}.new {started}; wait;; *) exec {QUICKEST or "c++"} "$@";; esac\n',
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    words = {
        "build script": [str(project.root / "generated/small_ffi/ffi_build.py")],
        "wrapper-gen build": ["-m", "wrapper_gen", "build", "specs/small.wrapper_spec"],
    }
    running = subprocess.Popen([sys.executable, *words[command]], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_until(started.exists)
    compilers = [int(each) for each in started.read_text(encoding="utf-8").split()]
    running.send_signal(getattr(signal, sent))
    running.wait(HANGS)
    wait_until(lambda: not any(is_running(each) for each in compilers))
    wait_until(lambda: not has_work(project.root / "cache/builds"))
    assert not list(project.root.glob("generated/small_ffi/*.so*"))


def has_work(builds: Path) -> bool:
    """Whether a build has a folder for its work, or has just removed one."""
    try:
        return bool(list(builds.rglob("work")))
    except FileNotFoundError:
        return True


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(done: Callable[[], object]) -> None:
    end = time.monotonic() + HANGS
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_where_no_cache_can_be_the_next_build_builds_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAPPER_GEN_CACHE", str(project.write("a_file", "")))
    project.spec()
    for _ in range(2):
        assert project.build().rebuilt
        assert project.said[0].startswith("small_ffi: the next build cannot know of this one: ")
        assert "WRAPPER_GEN_CACHE can name another folder" in project.said[0]
    assert project.answer() == 42


ENGINE_OF = "import os, small_ffi; print(small_ffi.ENGINE)"


@pytest.mark.slow
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the cpython engine is CPython's")
def test_the_default_is_the_engine_that_this_python_uses(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.spec()
    package = project.build().extension.parent
    assert not any("_small_ffi.cpp" in line or "bridge.cpp" in line for line in project.said), project.said
    assert project.python(ENGINE_OF) == "cpython\n"
    monkeypatch.setenv("WRAPPER_GEN_ENGINE", "cffi")
    program = "try: import small_ffi\nexcept ImportError as error: print(error)"
    said, _, command = project.python(program).strip().partition("; run: ")
    assert said == "small_ffi: it was built without its cffi engine"
    assert command == f"{sys.executable} {package / 'ffi_build.py'} --engine both"
    subprocess.run(command.split(), capture_output=True, check=True)
    assert project.python(ENGINE_OF) == "cffi\n"
    monkeypatch.delenv("WRAPPER_GEN_ENGINE")
    assert project.python(ENGINE_OF) == "cpython\n"
    assert not project.build().rebuilt, "both hold the one that is used"
    assert project.build(engine="cffi").rebuilt
    assert project.python(ENGINE_OF) == "cffi\n"
    assert project.build().rebuilt
    assert project.python(ENGINE_OF) == "cpython\n"


@pytest.mark.quick(1)
@pytest.mark.parametrize("engine", ["auto", "cpython", "both"])
def test_an_engine_that_does_not_compile_is_an_error(
    project: Project, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """A fault that only the cpython engine has is no reason to leave that engine out."""
    project.spec()
    extension = project.build(engine="both").extension
    monkeypatch.setenv("CXXFLAGS", f"{_flags()} -DPyInit__small_ffi_cpython=0wrong")
    with pytest.raises(ToolchainError) as caught:
        project.build(engine=engine)
    assert caught.value.diagnostic.code == "WG061"
    assert "PyInit__small_ffi_cpython" in caught.value.output
    assert not extension.exists()
    command = [sys.executable, "-m", "wrapper_gen", "build", "--engine", engine, "specs/small.wrapper_spec"]
    assert subprocess.run(command, cwd=project.root, capture_output=True, check=False).returncode == 4


def test_the_users_flags_come_last(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    log = project.root / "commands"
    compiler = project.write("compiler", f'#!/bin/sh\necho "$*" >> {log}\nexec c++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    project.spec()
    project.build(engine="both")
    commands = [line for line in log.read_text(encoding="utf-8").splitlines() if " -c " in line]
    assert len(commands) == 2
    assert [re.findall(r"-O\d", line)[-1] for line in commands] == ["-O0", "-O0"]


WITHOUT_CFFI = """
import importlib.util, runpy, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "cffi" else find(name, *more)
sys.modules["cffi"] = None
runpy.run_path({script!r}, run_name="__main__")
"""


def test_the_cpython_engine_is_built_without_cffi(project: Project) -> None:
    project.spec()
    package = project.build().extension.parent
    program = WITHOUT_CFFI.format(script=str(package / "ffi_build.py"))
    for options, code in ([], 0), (["--engine", "both"], 3):
        command = [sys.executable, "-c", program, "--force", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, "pip install cffi" in done.stderr) == (code, code != 0), done.stderr


@pytest.mark.parametrize(
    ("without", "said"),
    [
        ('from importlib.machinery import *\nEXTENSION_SUFFIXES.remove(".abi3.so")\n', ""),
        # CPython 3.13 names the suffix even there, and has no limited API.
        ('import sysconfig\nsysconfig.get_config_vars()["Py_GIL_DISABLED"] = 1\n', " without the GIL"),
    ],
    ids=["no suffix", "no GIL"],
)
def test_a_python_that_loads_no_abi3(
    project: Project, monkeypatch: pytest.MonkeyPatch, without: str, said: str
) -> None:
    project.write("site/sitecustomize.py", without)
    monkeypatch.setenv("PYTHONPATH", str(project.root / "site"))
    project.spec()
    said = rf"--abi3 is for CPython with its GIL, and this is \w+ [\d.]+{said}$"
    with pytest.raises(ToolchainError, match=said) as caught:
        project.build(abi3=True)
    assert caught.value.diagnostic.code == "WG060"
    assert not list(project.root.glob("**/*.so"))
    assert project.build().rebuilt


def test_a_missing_header_is_stub_mode_until_it_appears(project: Project) -> None:
    project.spec('optional: true\ncpp_include: "absent.h"\ninclude_paths: [third/party, /nowhere]')
    result = project.build()
    assert (result.stub, result.missing) == (True, "header absent.h was not found")
    looked = "looked in third/party (no such folder), /nowhere (no such folder), the compiler's own folders"
    assert project.said[0] == f"small_ffi: stub mode: header absent.h was not found ({looked})"
    assert project.said[-1].startswith("small_ffi: THIS IS A STUB, without the library: header absent.h was not found;")
    assert project.answer() == -1
    assert project.python("import small_ffi; print(small_ffi.STUB)") == "True\n"
    again = project.build()
    assert (again.stub, again.rebuilt) == (True, False)
    header = project.write("specs/third/party/absent.h", "")
    found = project.build()
    assert (found.stub, found.rebuilt) == (False, True)
    assert project.said[0] == f"small_ffi: built against absent.h in {header.parent}"
    assert project.answer() == 42


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_missing_header_of_a_header_is_stub_mode_too(
    project: Project, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    """As with a wheel that needs the headers of another wheel."""
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("CXXFLAGS", quick(compiler=compiler))
    project.write("specs/outer.h", "#include <inner/absent.h>\n")
    project.spec("optional: true\ncpp_include: [<stdlib.h>, outer.h]\ninclude_paths: [.]")
    assert project.build().stub
    looked = "(looked in ., the compiler's own folders)"
    assert (
        project.said[0]
        == f"small_ffi: stub mode: header inner/absent.h, which outer.h includes, was not found {looked}"
    )
    with pytest.raises(ToolchainError, match=r"header inner/absent\.h, which outer\.h includes") as caught:
        project.build(require=True)
    assert caught.value.diagnostic.code == "WG062"
    project.write("specs/inner/absent.h", "")
    assert not project.build().stub
    assert project.answer() == 42


def test_a_header_with_a_mistake_is_no_missing_header(project: Project) -> None:
    project.write("specs/wrong.h", "#error not for you\n")
    project.spec("cpp_include: wrong.h\ninclude_paths: [.]")
    with pytest.raises(ToolchainError, match="not for you") as caught:
        project.build()
    assert caught.value.diagnostic.code == "WG061"


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("library", ["", "cpp_include: stdlib.h"])
def test_a_flag_that_the_compiler_refuses_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch, compiler: str, library: str
) -> None:
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("CXXFLAGS", quick(compiler=compiler))
    monkeypatch.setenv("CXXFLAGS", "-fno-such-flag")
    project.spec(library)
    for stub in (False, True):
        with pytest.raises(ToolchainError, match=r"the compiler refuses a flag of CPPFLAGS.* CXXFLAGS") as caught:
            project.build(stub=stub)
        assert caught.value.diagnostic.code == "WG061"
        assert "-fno-such-flag" in caught.value.output
        assert "header" not in caught.value.diagnostic.message


def test_a_missing_library_is_stub_mode(project: Project) -> None:
    project.spec("optional: true\nlink: [absent_library]")
    assert project.build().stub
    assert "library absent_library was not found" in project.said[0]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("optional", "require"), [("", False), ("optional: false\n", False), ("optional: true\n", True)]
)
@pytest.mark.parametrize("what", ["header absent.h", "library absent_library"])
def test_a_missing_library_is_an_error(project: Project, optional: str, require: bool, what: str) -> None:
    wanted = "cpp_include: absent.h" if "header" in what else "link: [absent_library]"
    project.spec(f"{optional}{wanted}\nrequires: [{{pkg_config: wg-absent}}]\nsearch_paths: [/nowhere]")
    with pytest.raises(
        ToolchainError, match=rf"^{what} was not found \(looked in pkg-config wg-absent \(.*/nowhere"
    ) as caught:
        project.build(require=require)
    found = caught.value.diagnostic
    assert (found.code, found.span.path) == ("WG062", "specs/small.wrapper_spec")
    for way_out in ("requires", "specs/small.wrapper_spec", "CPPFLAGS", "-stub"):
        assert way_out in found.hint
    script = [sys.executable, "generated/small_ffi/ffi_build.py", *(["--require"] if require else [])]
    alone = subprocess.run(script, capture_output=True, text=True, check=False)
    assert alone.returncode == 4
    assert alone.stderr == f"small_ffi: {found.message}\nsmall_ffi: hint: {found.hint}\n"
    assert not list(project.root.glob("**/*.so"))
    assert project.build(allow_stub=True).stub


def test_a_failure_in_stub_mode_names_what_was_missing_and_the_command(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "  - {name: other, cpp_body: return 1;, return: i32}\n"
    project.spec('cpp_include: [stdlib.h, "absent \\"x\\".h"]'.replace('\\"x\\"', "x"), more=more)
    assert project.build(allow_stub=True).stub
    program = "import small_ffi\ntry: small_ffi.other()\nexcept small_ffi.LibraryUnavailable as error: print(error)"
    says, _, command = project.python(program).strip().partition("; install the library, then run: ")
    assert says == "small_ffi was built without its library (stub mode): header absent x.h was not found"
    project.write("specs/absent x.h", "")
    elsewhere = project.root / "elsewhere"
    elsewhere.mkdir()
    assert subprocess.run(["/bin/sh", "-c", command], cwd=elsewhere, capture_output=True, check=False).returncode == 4
    monkeypatch.setenv("CPPFLAGS", f"-I{project.root}/specs")
    assert subprocess.run(["/bin/sh", "-c", command], cwd=elsewhere, capture_output=True, check=False).returncode == 0
    assert project.answer() == 42


def test_stub_mode_can_be_asked_for(project: Project) -> None:
    project.spec('cpp_include: "stdlib.h"')
    assert project.build(stub=True).stub
    assert project.answer() == -1
    assert not project.build().stub
    assert project.answer() == 42


def test_the_environment_of_the_compiler_counts(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    header = project.write("elsewhere/present.h", "#define PRESENT 5\n")
    monkeypatch.setenv("CPATH", str(header.parent))
    project.spec('cpp_include: "present.h"', value="PRESENT")
    assert not project.build().stub
    assert project.answer() == 5


def test_an_installed_python_package_brings_headers_and_libraries(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A namespace package as wheels ship them: a versioned library without its plain name."""
    wheel = project.write("site/vendor/lib13/include/vendor.h", 'extern "C" int vendor_answer(void);\n').parent.parent
    source = project.write("vendor.cpp", 'extern "C" int vendor_answer(void) { return 13; }\n')
    (wheel / "lib").mkdir()
    shared = wheel / "lib/libvendor.so.13"
    command = ["/usr/bin/env", "c++", "-shared", "-fPIC", "-Wl,-soname,libvendor.so.13", str(source), "-o", str(shared)]
    subprocess.run(command, check=True)
    monkeypatch.setenv("PYTHONPATH", str(project.root / "site"))
    project.spec(
        'cpp_include: "vendor.h"\nlink: [vendor]\n'
        "requires:\n  - {python: vendor.lib13, include: [include], lib: [lib]}",
        value="vendor_answer()",
    )
    assert not project.build().stub
    assert str(wheel / "include") in project.said[0]
    monkeypatch.delenv("PYTHONPATH")
    assert project.answer() == 13


def test_pkg_config_is_asked(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("prefix/include/packaged.h", "")
    answers = project.write("pkg-config", f'#!/bin/sh\necho "-I{project.root}/prefix/include -DPACKAGED=9"\n')
    answers.chmod(0o755)
    monkeypatch.setenv("PKG_CONFIG", str(answers))
    project.spec('cpp_include: "packaged.h"\nrequires: [{pkg_config: packaged}]', value="PACKAGED")
    assert not project.build().stub
    assert project.answer() == 9
    monkeypatch.setenv("PKG_CONFIG", "/nowhere/pkg-config")
    assert project.build(allow_stub=True).stub
    assert "pkg-config packaged (pkg-config is not installed)" in project.said[0]


def test_sources_of_the_user_are_compiled_too(project: Project) -> None:
    project.write("specs/native/one.c", "int one(void) { return sizeof('a') == 1 ? 100 : 1; }\n")
    project.write("specs/native/two.cpp", "#include \"both.h\"\nint two() { return sizeof('a') == 1 ? 2 : 200; }\n")
    project.write("specs/native/both.h", '#pragma once\nextern "C" int one(void);\nint two();\n')
    project.spec("cpp_include: both.h\nsources: [native/one.c, native/two.cpp, native/both.h]", value="one() + two()")
    assert not project.build().stub
    assert project.answer() == 3
    project.write("specs/native/two.cpp", '#include "both.h"\nint two() { return 20; }\n')
    assert project.build().rebuilt
    assert project.answer() == 21


def test_a_mistake_in_the_spec_is_shown_in_the_spec(project: Project) -> None:
    project.spec(value="no_such_thing")
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = caught.value.diagnostic
    assert (found.code, found.span.path, found.span.line) == ("WG061", "specs/small.wrapper_spec", 5)
    assert "no_such_thing" in found.message
    assert "specs/small.wrapper_spec:5:" in caught.value.output
    assert caught.value.output.endswith("\n")
    line = (project.root / "specs/small.wrapper_spec").read_text(encoding="utf-8").splitlines()[4]
    assert line[found.span.column - 1 : found.span.end_column - 1] == "no_such_thing"
    assert not list((project.root / "generated/small_ffi").glob("*.so"))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_all_mistakes_are_shown_after_compiling_once(
    project: Project, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("CXXFLAGS", quick(compiler=compiler))
    wrong = [f"  - {{name: f{i}, cpp_fn: '[] {{ return nothing{i}; }}', return: i64}}" for i in range(6)]
    wrong.append("  - {name: g, cpp_body: 'return 2.5;', return: i64}")
    project.spec(more="\n".join([*wrong, ""]))
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = [caught.value.diagnostic, *caught.value.more]
    assert [each.span.line for each in found] == [*range(9, 16)]
    for i, each in enumerate(found[:6]):
        assert f"nothing{i}" in each.message
    assert "the result is no integer" in found[6].message
    assert sum("compiling" in line and "cffi" not in line and "_small" not in line for line in project.said) == 1
    assert "specs/small.wrapper_spec:9: error" in caught.value.output, "a column of the bridge is none of the spec"


MISTAKES = r"""
  - name: block
    cpp_fn: |
      [](i64 a) {
          return a + «gone»0;
      }
    params: [{name: a, type: i64}]
    return: i64
  - {name: flow, cpp_fn: "[](i64 a) { return a + «gone»1; }", params: [{name: a, type: i64}], return: i64}
  - name: escaped
    cpp_fn: "[](std::string text) { return text + \"gone2\" + «gone»3; }"
    params: [{name: text, type: text}]
    return: text
  - {name: twice, cpp_fn: '[] { return ''gone4'' + «gone»5; }', return: i64}
  - name: plain
    cpp_body: i64 value = 1;
      return value + «gone»6;
    return: i64
  - name: folded
    cpp_fn: >-
      []
      { return «gone»7; }
    return: i64
  - name: other
    cpp_fn: «gone»8
    return: i64
  - name: unicode
    «cpp_body: return u8"é"[0] + gone9;»
    return: i64
  - name: whole
    «cpp_body: "return 1; \" gonea; // \"gonea\""»
    return: i64
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_mistake_is_marked_where_it_stands_in_its_line(
    project: Project, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("CXXFLAGS", quick(compiler=compiler))
    text = MISTAKES.removeprefix("\n")
    project.spec(more=re.sub("[«»]", "", text))
    lines = (project.root / "specs/small.wrapper_spec").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in text.splitlines() if "«" in line]
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = {}
    for each in (caught.value.diagnostic, *caught.value.more):
        span, line = each.span, lines[each.span.line - 1]
        assert span.end_column <= len(line) + 1
        first, last = span.column - 1, span.end_column - 1
        found[line] = f"{line[:first]}«{line[first:last]}»{line[last:]}"
    for line in wanted:
        marked = re.sub(r"«gone»(.)", r"«gone\1»", line)
        assert found[marked.replace("«", "").replace("»", "")] == marked


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_errors_that_are_shown_are_limited(
    project: Project, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By us: clang itself would stop after 20 errors, and count none beyond."""
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("CXXFLAGS", quick(compiler=compiler))
    wrong = [f"  - {{name: f{i}, cpp_fn: '[] {{ return nothing{i}; }}', return: i64}}" for i in range(25)]
    project.spec(more="\n".join([*wrong, ""]))
    with pytest.raises(ToolchainError) as caught:
        project.build()
    assert len(caught.value.more) == 19
    assert caught.value.more[-1].hint.endswith(", and 5 more errors")


def test_warnings_of_others_headers_are_not_shown(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXXFLAGS", "-Wall -Wextra")
    project.write("others/others.h", "inline int others(int unused_there) { return 1; }\n")
    project.write("specs/own.h", "inline int own(int unused_here) { return 2; }\n")
    paths = f"include_paths: [{project.root / 'others'}, .]"
    project.spec(f"cpp_include: [others.h, own.h]\n{paths}", value="others(0) + own(0)")
    assert not project.build().stub
    said = "\n".join(project.said)
    assert "unused_here" in said
    assert "unused_there" not in said
    assert project.answer() == 3


def test_a_mistake_deep_in_a_template_leads_back_to_the_spec(project: Project) -> None:
    header = "template <class T> int deep(T value) { return value.nothing(); }\n"
    project.write("specs/deep.h", header)
    project.spec("cpp_include: deep.h\ninclude_paths: [.]", value="deep(1)")
    with pytest.raises(ToolchainError) as caught:
        project.build()
    assert str(caught.value.diagnostic.span).startswith("specs/small.wrapper_spec:7:")


def test_a_failed_build_leaves_no_extension_that_was_built_from_something_else(project: Project) -> None:
    project.spec()
    first = project.build().extension
    project.spec(value="no_such_thing")
    with pytest.raises(ToolchainError, match="no_such_thing"):
        project.build()
    assert not first.exists()
    assert any(line.startswith(f"small_ffi: removed {first.name}") for line in project.said)
    project.spec()
    assert not project.build().stub
    assert project.answer() == 42
    project.spec("cpp_include: absent.h")
    assert project.build(allow_stub=True).stub
    with pytest.raises(ToolchainError, match=r"header absent\.h was not found"):
        project.build()
    assert not first.exists()


@pytest.mark.quick(1)
@pytest.mark.trial("stale-header")
@pytest.mark.parametrize("folder", [".", "{root}/elsewhere"], ids=["beside the spec", "another folder"])
def test_a_header_that_changed_is_compiled_again(project: Project, folder: str) -> None:
    """Also one that is included by others, and one in a folder whose warnings are not shown, as the system's."""
    where = project.root / "specs" / folder.format(root=project.root)
    outer = project.write(f"{where}/outer.h", '#include "inner header.h"\n')
    inner = project.write(f"{where}/inner header.h", "inline int inner() { return 1; }\n")
    project.spec(f'cpp_include: outer.h\ninclude_paths: ["{folder.format(root=project.root)}"]', value="inner()")
    project.build()
    assert project.answer() == 1
    before = inner.stat()
    inner.write_text("inline int inner() { return 2; }\n", encoding="utf-8")
    os.utime(inner, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert project.build().rebuilt, "the content counts, not the time"
    assert project.answer() == 2
    outer.touch()
    assert not project.build().rebuilt
    inner.write_text("#error gone\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ToolchainError, match="gone"):
            project.build()
        assert not list(project.root.glob("generated/small_ffi/*.so"))


def test_a_static_library_that_changed_is_linked_again(project: Project) -> None:
    def archive(value: int) -> None:
        source = project.write("specs/kept.c", f"int kept(void) {{ return {value}; }}\n")
        made = source.with_suffix(".o")
        subprocess.run(["/usr/bin/env", "cc", "-fPIC", "-c", str(source), "-o", str(made)], check=True)
        # In its place: the folder's time stays as it is.
        written = project.root / "libkept.a"
        written.unlink(missing_ok=True)
        subprocess.run(["/usr/bin/env", "ar", "rcs", str(written), str(made)], check=True)
        (project.root / "specs/libkept.a").write_bytes(written.read_bytes())

    archive(3)
    project.write("specs/kept.h", "int kept(void);\n")
    project.spec("lang: c\ncpp_include: kept.h\ninclude_paths: [.]\nsearch_paths: [.]\nlink: [kept]", value="kept()")
    project.build()
    assert not project.build().rebuilt
    archive(4)
    assert project.build().rebuilt
    assert project.answer() == 4


def test_a_failed_build_leaves_nothing_that_counts_as_built(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that fails although nothing changed: its disk was full, or it was killed."""
    compiler = project.write("compiler", f'#!/bin/sh\ntest ! -e {project.root}/full && exec {QUICKEST or "c++"} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    project.spec()
    project.build()
    full = project.write("full", "")
    with pytest.raises(ToolchainError):
        project.build(force=True)
    assert not list(project.root.glob("generated/small_ffi/*.so"))
    full.unlink()
    assert project.build().rebuilt
    assert project.answer() == 42


def test_a_rule_for_make_names_the_headers(project: Project) -> None:
    """By the command and by the build script, whether anything is compiled or not."""
    project.write("specs/in clude/own.h", "#include <stddef.h>\n")
    project.spec('cpp_include: own.h\ninclude_paths: ["in clude"]')
    extension = project.build().extension.relative_to(project.root)
    commands = {
        "script": ["generated/small_ffi/ffi_build.py"],
        "build": ["-m", "wrapper_gen", "build", "specs/small.wrapper_spec"],
        "generate": ["-m", "wrapper_gen", "specs/small.wrapper_spec"],
    }
    for name, command in commands.items():
        run = [sys.executable, *command, "--depfile", f"{name}.d"]
        subprocess.run(run, cwd=project.root, check=True, capture_output=True)
        text = (project.root / f"{name}.d").read_text(encoding="utf-8")
        makefile = project.write(f"{name}.mk", f"{extension}:\n\t@echo made\ninclude {name}.d\n")
        outputs = "" if name == "generate" else str(extension)
        lines = [line for line in text.splitlines() if line.partition(":")[0] == outputs] or text.splitlines()[:1]
        assert "specs/in\\ clude/own.h" in lines[0].replace(f"{project.root}/", ""), name
        assert (name == "generate") == ("/stddef.h" not in lines[0])
        done = subprocess.run(["make", "-q", "-f", makefile.name, str(extension)], cwd=project.root, check=False)
        assert done.returncode == 0, name
        os.utime(project.root / "specs/in clude/own.h")
        if name != "generate":
            done = subprocess.run(["make", "-q", "-f", makefile.name, str(extension)], cwd=project.root, check=False)
            assert done.returncode == 1, name
            os.utime(project.root / extension)


@pytest.mark.slow
def test_an_extension_that_is_not_whole_is_built_again(project: Project) -> None:
    project.spec()
    extension = project.build().extension
    whole = extension.read_bytes()
    for broken in (whole[:-100], whole[: len(whole) // 2], b"", bytes(len(whole))):
        extension.write_bytes(broken)
        assert project.build().rebuilt
        assert project.answer() == 42
    assert not project.build().rebuilt


LATER = "int later(int); int other(int);\n"
CALLS = """\
  - {name: one, cpp_fn: later, params: [{name: x, type: i32}], return: i32}
  - name: two
    cpp_body: |
      i32 more = x;
      return other(more);
    params: [{name: x, type: i32}]
    return: i32
"""


def test_a_function_that_no_library_has_is_an_error_of_the_build(project: Project) -> None:
    project.write("specs/later.h", LATER)
    project.spec("lang: c\ncpp_include: later.h\ninclude_paths: [.]", more=CALLS)
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = [caught.value.diagnostic, *caught.value.more]
    assert [(each.code, str(each.span), each.message) for each in found] == [
        ("WG063", "specs/small.wrapper_spec:12:3", "later is called, but no library that is linked has it"),
        ("WG063", "specs/small.wrapper_spec:16:7", "other is called, but no library that is linked has it"),
    ]
    assert all("'link' in specs/small.wrapper_spec" in each.hint for each in found)
    assert not list(project.root.glob("generated/small_ffi/*.so"))


NAMES_NO_LINES = """\
#!/bin/sh
"$@" 2> {root}/said.$$
code=$?
sed -E 's/^[^ ]*ld[^ ]*: //; s/^[^ ]+:[0-9]+: undefined/bridge.cpp:(.text+0x13): undefined/' {root}/said.$$ >&2
exit $code
"""


@pytest.mark.trial("one-symbol-on-another-linker")
@pytest.mark.parametrize("nm", ["nm", pytest.param("no-such-nm", marks=pytest.mark.slow)])
def test_what_no_library_has_is_found_without_the_words_of_a_linker(
    project: Project, monkeypatch: pytest.MonkeyPatch, nm: str
) -> None:
    linker = project.write("compiler", NAMES_NO_LINES.replace("{root}", str(project.root)).replace('"$@"', 'g++ "$@"'))
    linker.chmod(0o755)
    for name, value in (("CXX", linker), ("CXXFLAGS", quick()), ("LDFLAGS", ""), ("NM", nm)):
        monkeypatch.setenv(name, str(value))
    project.write("specs/later.h", LATER)
    project.spec("lang: c\ncpp_include: later.h\ninclude_paths: [.]", more=CALLS)
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = [caught.value.diagnostic, *caught.value.more]
    assert [(str(each.span), each.message.split()[0]) for each in found] == [
        ("specs/small.wrapper_spec:12:3", "later"),
        ("specs/small.wrapper_spec:16:7", "other"),
    ]


def test_what_a_library_lacks_is_said_before_anything_is_compiled(project: Project) -> None:
    """A function of the header that is none of the library's, and one of a library that it needs, are as they were."""
    (project.root / "lib").mkdir()
    for name, text, needs in (
        ("needed", "int needed(int x) { return x; }", []),
        ("older", "int first(int x) { return x; }", ["-L", str(project.root / "lib"), "-lneeded"]),
    ):
        source = project.write(f"{name}.c", f"{text}\n")
        library = str(project.root / f"lib/lib{name}.so")
        command = ["cc", "-shared", "-fPIC", str(source), "-o", library, "-Wl,--no-as-needed", *needs]
        subprocess.run(["/usr/bin/env", *command, "-Wl,-rpath," + str(project.root / "lib")], check=True)
    text = "int first(int); int second(int); int third(int); int needed(int);\n"
    text += "static inline int own(int x) { return x; }\n"
    project.write("specs/older.h", f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{text}#ifdef __cplusplus\n}}\n#endif\n')
    library = "lang: c\ncpp_include: older.h\ninclude_paths: [.]\nsearch_paths: [../lib]\nlink: [older]"
    call = "  - {{name: {0}, cpp_fn: {0}, params: [{{name: x, type: i32}}], return: i32}}\n"
    names = ("first", "second", "own", "needed", "third")
    project.spec(library, more="".join(call.format(each) for each in names))
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = [caught.value.diagnostic, *caught.value.more]
    assert [(each.code, each.span.line, each.message.split()[0]) for each in found] == [
        ("WG063", 15, "second"),
        ("WG063", 18, "third"),
    ]
    assert "install a version of older that has it" in found[0].hint
    assert not any("compiling" in line for line in project.said)
    project.spec(library, more="".join(call.format(each) for each in names if each not in ("second", "third")))
    assert project.build().rebuilt


KNOWS_LATER = """\
#!/bin/sh
[ "$1" = --list-all ] || exit 1
echo "later   Later - comes later"
"""


@pytest.mark.parametrize(("lang", "check_only"), [("c", False), ("c", True), ("cpp", True)])
def test_a_requirement_that_is_misspelt_is_said_once(
    project: Project, monkeypatch: pytest.MonkeyPatch, lang: str, check_only: bool
) -> None:
    """Where it stands, and not at each function, whose names stand alone; of C before anything is compiled."""
    answers = project.write("pkg-config", KNOWS_LATER)
    answers.chmod(0o755)
    monkeypatch.setenv("PKG_CONFIG", str(answers))
    project.write("specs/later.h", f'extern "C" {{ {LATER.strip()} }}\n' if lang == "c" else LATER)
    project.spec(f"lang: {lang}\ncpp_include: later.h\nrequires: [laterr, {{dirs: [.]}}]", more=CALLS)
    with pytest.raises(ToolchainError) as caught:
        project.build(check_only=check_only)
    found = caught.value.diagnostic
    assert (found.code, str(found.span), caught.value.more) == ("WG062", "specs/small.wrapper_spec:5:3", [])
    what = "`requires` does not find pkg-config laterr (it knows no such package)"
    assert found.message.startswith(f"{what}, and no library that is linked has later")
    assert "(int" not in found.message
    assert found.hint.startswith("correct the name, which may be later, or install it; or name the library in 'link'")
    assert lang == "cpp" or not any("compiling" in line for line in project.said)


def test_a_library_that_is_loaded_later_is_not_linked(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when pkg-config would link it; then a function that is not listed would be found, but not loaded."""
    project.write("prefix/later.h", LATER)
    source = project.write("later.c", "int later(int x) { return 2 * x; } int other(int x) { return 3 * x; }\n")
    shared = project.root / "prefix/liblater.so"
    subprocess.run(["/usr/bin/env", "cc", "-shared", "-fPIC", str(source), "-o", str(shared)], check=True)
    answers = project.write(
        "pkg-config", f'#!/bin/sh\necho "-I{project.root}/prefix -L{project.root}/prefix -llater"\n'
    )
    answers.chmod(0o755)
    monkeypatch.setenv("PKG_CONFIG", str(answers))
    library = "lang: c\ncpp_include: later.h\nrequires: [{pkg_config: later}]\n"
    library += "dynamic: liblater.so"
    project.spec(library, more=CALLS.replace("return other", "return ::other"))
    with pytest.raises(ToolchainError) as caught:
        project.build()
    found = caught.value.diagnostic
    assert (found.code, found.span.line) == ("WG063", 17)
    assert found.message == "other is called past 'dynamic', which would load it"
    by_macro = CALLS.replace("i32 more = x;", "#define OTHER(x) other(x)").replace("other(more)", "OTHER(x)")
    project.spec(library, more=by_macro)
    project.build()
    program = "import small_ffi\ntry: print(small_ffi.two(1))\nexcept small_ffi.LibraryUnavailable: print('not here')"
    assert project.python(program) == "3\n"
    shared.rename(project.root / "elsewhere.so")
    assert project.python(program) == "not here\n"


def test_places_are_those_of_the_current_folder(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("specs/native/one.cpp", "int one() { return wrong_in_source; }\n")
    project.write("specs/inner.h", "inline int inner() { return wrong_in_header; }\n")
    monkeypatch.chdir(project.root / "specs/native")
    cases = {
        "../small.wrapper_spec:5:": ("", "wrong_in_spec"),
        "one.cpp:1:": ("sources: [native/one.cpp]", "1"),
        "../inner.h:1:": ("cpp_include: inner.h\nsources: [inner.h]", "1"),
    }
    for place, (library, value) in cases.items():
        project.spec(library, value=value)
        with pytest.raises(ToolchainError) as caught:
            project.build()
        lines = [line for line in caught.value.output.splitlines() if " error: " in line]
        assert lines[0].startswith(place), caught.value.output
        assert Path(caught.value.diagnostic.span.path).exists()


@pytest.mark.parametrize("how", ["CXX", "PATH"])
def test_a_missing_compiler_says_how_to_get_one(project: Project, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv(how, "/nowhere/c++")
    project.spec()
    with pytest.raises(ToolchainError, match="no C\\+\\+ compiler") as caught:
        project.build()
    assert caught.value.diagnostic.code == "WG060"
    assert "apt install" in caught.value.diagnostic.hint


def test_a_missing_compiler_is_named_with_who_asks_for_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "nothing++")
    project.spec()
    with pytest.raises(ToolchainError, match=r"no C\+\+ compiler: 'nothing\+\+', which CXX names, is not there"):
        project.build()


def test_a_folder_without_a_build_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="nothing to compile"):
        compile.build(tmp_path, report=lambda line: None)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("suffix", "tag"),
    [
        (".abi3.so", "cp311-abi3"),
        (".cpython-{}-x86_64-linux-gnu.so", "cp{0}-cp{0}"),
        (".cpython-{}t-x86_64-linux-gnu.so", "cp{0}-cp{0}t"),
        (".pypy{}-pp80-x86_64-linux-gnu.so", "pp{0}-pypy{0}_pp80"),
    ],
)
def test_the_tag_of_a_wheel_with_an_extension(project: Project, suffix: str, tag: str) -> None:
    project.spec()
    package = project.build().extension.parent
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    program = f"from small_ffi._runtime.build import wheel_tag; print(wheel_tag({suffix.format(version)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=package.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout.rpartition("-")[0] == tag.format(version)


def _compiler_for(project: Project, target: str) -> str:
    """A compiler that says that it makes code for this machine, and makes it for the one that it runs on."""
    said = f'for each; do test "$each" != -dumpmachine || {{ echo {target}; exit; }}; done'
    compiler = project.write("cross", f'#!/bin/sh\n{said}\nexec {QUICKEST or "c++"} "$@"\n')
    compiler.chmod(0o755)
    return str(compiler)


OTHER = "aarch64" if "x86_64" in (sysconfig.get_config_var("MULTIARCH") or "") else "x86_64"


@pytest.mark.trial("cross-compiled")
@pytest.mark.skipif("-linux-" not in (sysconfig.get_config_var("MULTIARCH") or ""), reason="asked on Linux")
@pytest.mark.parametrize("abi3", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_cross_compiler_is_asked_for_the_suffix_and_the_tag(
    project: Project, monkeypatch: pytest.MonkeyPatch, abi3: bool
) -> None:
    suffix, own = sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_config_var("MULTIARCH")
    monkeypatch.setenv("CXX", _compiler_for(project, f"{OTHER}-none-linux-{own.split('-')[2]}"))
    project.spec()
    options = ["--abi3"] if abi3 else []
    command = [sys.executable, str(project.generate() / "ffi_build.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    outcome = json.loads(done.stdout)
    wanted = ".abi3.so" if abi3 else suffix.replace(own.partition("-")[0], OTHER)
    assert outcome["extension"] == f"_small_ffi{wanted}"
    assert outcome["tag"].endswith(f"-linux_{OTHER}")
    assert "cross-compiled: it is for Python" in done.stderr
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not json.loads(again.stdout)["rebuilt"]
    monkeypatch.setenv("CXX", QUICKEST or "c++")
    here = json.loads(subprocess.run([sys.executable, *command[1:]], capture_output=True, text=True, check=True).stdout)
    assert (here["rebuilt"], here["extension"]) == (True, f"_small_ffi{'.abi3.so' if abi3 else suffix}")


@pytest.mark.skipif("-linux-" not in (sysconfig.get_config_var("MULTIARCH") or ""), reason="asked on Linux")
@pytest.mark.parametrize(
    ("target", "flags", "said"),
    [
        ("mips-linux-gnu", "", "cross compiles for mips-linux-gnu, and this Python is for"),
        ("x86_64-w64-mingw32", "", "cross compiles for x86_64-w64-mingw32, and this Python is for"),
        ("", "-U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=2", "compiles for pointers of 2 bytes, and this Python is for"),
    ],
)
def test_a_compiler_for_what_python_is_not_known_of(
    project: Project, monkeypatch: pytest.MonkeyPatch, target: str, flags: str, said: str
) -> None:
    if target:
        monkeypatch.setenv("CXX", _compiler_for(project, target))
    monkeypatch.setenv("CXXFLAGS", f"{_flags()} {flags}")
    project.spec()
    with pytest.raises(ToolchainError, match=said) as caught:
        project.build()
    assert caught.value.diagnostic.code == "WG060"
    assert "_PYTHON_SYSCONFIGDATA_NAME" in caught.value.diagnostic.hint
    assert not list(project.root.glob("generated/small_ffi/*.so"))


def test_the_script_runs_without_wrapper_gen(project: Project) -> None:
    project.spec()
    project.build()
    script = project.root / "generated/small_ffi/ffi_build.py"
    code = (
        "import runpy, sys; sys.modules['wrapper_gen'] = None; sys.argv = ['x', '--force']; "
        f"runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"rebuilt": true' in done.stdout


@pytest.mark.slow
def test_it_ticks_while_a_compiler_runs(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.spec()
    project.build()
    ticked, compiler = project.root / "ticked", project.root / "patient"
    compiler.write_text(f'#!/bin/sh\nuntil [ -e "{ticked}" ]; do sleep 0.01; done\nexec g++ "$@"\n', encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    ticks: list[float] = []

    def tick(progress: compile.BuildProgress) -> None:
        ticks.append(progress.seconds)
        ticked.touch()

    compile.build(project.root / "generated/small_ffi", report=lambda line: None, tick=tick)
    assert ticks == sorted(ticks)
    assert ticks[0] > 0


def test_progress_has_counts_and_as_many_compilers_run_as_are_asked_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at a time would start one after the other in the log."""
    project.write("specs/more.c", "int wg_more(void) { return 1; }\n")
    project.spec("sources: [more.c]")
    package, log = project.generate(), project.root / "log"
    for variable, name in (("CXX", "g++"), ("CC", "gcc")):
        compiler = project.write(
            name, f'#!/bin/sh\necho "start $*" >> "{log}"\n{name} "$@"; code=$?\necho end >> "{log}"\nexit $code\n'
        )
        compiler.chmod(0o755)
        monkeypatch.setenv(variable, str(compiler))
    script = [sys.executable, str(package / "ffi_build.py"), "--engine", "cpython", "--progress", "-j", "1"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    told = re.findall(r"^small_ffi: progress: (\d of \d)$", done.stderr, re.MULTILINE)
    assert told == ["0 of 2", "1 of 2", "2 of 2"]
    lines = [line.partition(" ")[0] for line in log.read_text(encoding="utf-8").splitlines()]
    assert lines == ["start", "end"] * (len(lines) // 2)
    refused = subprocess.run([*script[:-1], "0"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "0 is less than one" in refused.stderr


@pytest.mark.slow
def test_two_builds_at_once_do_not_disturb_each_other(project: Project) -> None:
    project.spec()
    project.build()
    command = [sys.executable, str(project.root / "generated/small_ffi/ffi_build.py"), "--force"]
    both = [subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert project.answer() == 42


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ([], "[]"),
        ("a", '"a"'),
        (True, "True"),
        (["a", 'b"'], '[\n    "a",\n    \'b"\',\n]'),
        ([{"k": ["v"]}], '[\n    {\n        "k": [\n            "v",\n        ],\n    },\n]'),
    ],
)
def test_literals_are_as_a_formatter_leaves_them(value: object, literal: str) -> None:
    assert python_literal(value) == literal


def test_build_products_are_ignored_by_check(project: Project) -> None:
    project.spec()
    project.build()
    shown = "specs/small.wrapper_spec"
    rendered = pipeline.generate(project.root / shown, shown).files
    assert files.compare(rendered, project.root / "generated", packages=["small_ffi"]).up_to_date
    assert [path.name for path in (project.root / "generated").iterdir()] == ["small_ffi"]
