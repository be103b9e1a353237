"""From a spec to an imported package in one call: generates and builds in a cache, for notebooks, tests and trials."""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import json
import os
import shutil
import stat
import sys
import sysconfig
import tempfile
import threading
import warnings
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from wrapper_gen import caches, compile, files, pipeline
from wrapper_gen.diagnostics import SpecError, ToolchainError
from wrapper_gen.fixes import fixes_of
from wrapper_gen.frozen import frozen, replace


@frozen
class _Loaded:
    """A package that this process has imported."""

    module: ModuleType
    built: compile.BuildResult


_loading = threading.Lock()
_loaded: dict[Path, _Loaded] = {}


def load(path: str | os.PathLike[str], *, stub: bool = False) -> ModuleType:
    """Generate, build and import the package that a spec describes.

    What is built is kept in a cache, under a key of everything that goes into it: `$WRAPPER_GEN_CACHE`, or
    `wrapper-gen` in the user's cache folder; where that cannot be used, there is a warning, and a folder that does not
    last. The module takes its package's name in `sys.modules`. Where a header has
    changed, it is built again, and another module.

    Args:
        path: the spec.
        stub: build without the library, even where it is. Where the spec says that its library is optional and it is
            missing, that is done anyway, with a warning.

    Raises:
        SpecError: the spec is wrong, and the message lists every mistake; or the cache folder is full.
        ToolchainError: a tool is missing or failed: what is wrong is a note for each place; `output` is its own words.
    """
    spec = Path(path).absolute()
    generated = pipeline.generate(spec, spec.as_posix())
    for warning in generated.warnings:
        warnings.warn(f"{warning.span}: {warning.message} [{warning.code}]", stacklevel=2)
    engine = "cffi" if os.environ.get("WRAPPER_GEN_ENGINE") == "cffi" else "auto"
    key = _key(generated.files, stub, engine)
    with _loading:
        while (loaded := _loaded.get(_cache() / key)) and not loaded.built.is_current():
            key = _changed(key, loaded.built)  # a process cannot load another extension in the place of one
        if loaded is None:
            loaded = _loaded[_cache() / key] = _load(generated, _cache() / key, stub=stub, engine=engine)
        return loaded.module


def _load(generated: pipeline.Generated, folder: Path, *, stub: bool, engine: str) -> _Loaded:
    package = folder / generated.module.package
    try:
        with files.updating(folder):
            files.write(files.compare(generated.files, folder, packages=[package.name], force=True))
    except SpecError as error:  # a full disk, or something in the way
        hint = f"make room there, or remove what is in the way; {caches.OTHER}"
        refused = SpecError([replace(each, advice=hint) for each in error.diagnostics])
        refused.add_note(f"hint: {hint}")
        raise refused from error
    try:
        built = compile.build(
            package,
            report=lambda line: None,
            stub=stub,
            engine=engine,
            fixes=fixes_of(generated.module),
            places=generated.module.library.places,
        )
    except ToolchainError as error:
        for each in (error.diagnostic, *error.more):
            error.add_note(f"{each.span}: {each.message} [{each.code}]\n  hint: {each.hint}")
        raise
    if built.stub and not stub:
        warnings.warn(f"{package.name} is a stub, without its library: {built.missing}", stacklevel=3)
    return _Loaded(_import(package), built)


def _cache() -> Path:
    try:
        return _usable(caches.base())
    except RuntimeError:  # a user without a home
        return _usable(None)


@lru_cache(maxsize=16)
def _usable(base: Path | None) -> Path:
    """The cache folder, or one that does not last where that cannot be used."""
    problem = _why_not(base) if base else "this user has no home"
    if base and not problem:
        return base
    warnings.warn(f"what is built is not kept: {problem}; {caches.OTHER}", stacklevel=4)
    folder = Path(tempfile.mkdtemp(prefix="wrapper-gen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _why_not(base: Path) -> str:
    """Why nothing that is imported can lie in a folder; empty where it can."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not caches.is_own(base, stat.S_IWOTH):
            return f"others than this user can write {base}"
        return "" if os.access(base, os.W_OK) else f"{base} cannot be written"
    except OSError as error:
        return str(error)


def _key(rendered: files.Rendered, stub: bool, engine: str) -> str:
    """A name for this content, built by this Python, in this environment (which has the libraries)."""
    environment = [sysconfig.get_config_var("EXT_SUFFIX"), sys.version, sys.prefix, stub, engine]
    content = [[str(path), text] for path, text in sorted(rendered.items())]
    return hashlib.sha256(json.dumps([environment, content]).encode()).hexdigest()[:24]


def _changed(key: str, built: compile.BuildResult) -> str:
    """A name for the same content, over the headers of now."""
    return hashlib.sha256(json.dumps([key, compile.digests(built.files)]).encode()).hexdigest()[:24]


def _import(package: Path) -> ModuleType:
    """Import a package from its folder, in place of any other of its name."""
    name = package.name
    found = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert found is not None
    assert found.loader is not None
    before = {key: sys.modules.pop(key) for key in list(sys.modules) if key == name or key.startswith(f"{name}.")}
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        sys.modules.update(before)
        raise
    return module
