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
from wrapper_gen.runtime_files import FOLDER, Runtime, abi


@frozen
class _Loaded:
    """A package that this process has imported."""

    module: ModuleType
    built: compile.BuildResult


_loading = threading.Lock()
_loaded: dict[Path, _Loaded] = {}
_used: set[Path] = set()
"""Specs that others use: their packages have the runtime that those have."""


def load(path: str | os.PathLike[str], *, stub: bool = False) -> ModuleType:
    """Generate, build and import the package that a spec describes.

    What is built is kept in a cache, under a key of everything that goes into it: `$WRAPPER_GEN_CACHE`, or
    `wrapper-gen` in the user's cache folder; where that cannot be used, there is a warning, and a folder that does not
    last. The module takes its package's name in `sys.modules`. Where a header has
    changed, it is built again, and another module. The packages that it uses are loaded before it,
    and from then on are what `load` gives of their specs: load a spec that uses others before those.

    Args:
        path: the spec.
        stub: build without the library, even where it is. Where the spec says that its library is optional and it is
            missing, that is done anyway, with a warning.

    Raises:
        SpecError: the spec is wrong, and the message lists every mistake; or the cache folder is full.
        ToolchainError: a tool is missing or failed: what is wrong is a note for each place; `output` is its own words.
    """
    with _loading:
        return _load_whole(Path(path).absolute(), stub=stub, depth=3)


def _load_whole(spec: Path, *, stub: bool, depth: int) -> ModuleType:
    """The same of a spec by itself, after those that it uses; `depth` is how far below the caller this is."""
    module, found = pipeline.read(spec, spec.as_posix())
    for warning in found:
        warnings.warn(f"{warning.span}: {warning.message} [{warning.code}]", stacklevel=depth)
    for uses in module.uses:
        other = Path(os.path.normpath(spec.parent / uses.path))
        _used.add(other)
        sys.modules[uses.module.package] = _load_whole(other, stub=stub, depth=depth + 1)
    runtime = Runtime.SHARED if module.uses or spec in _used else Runtime.VENDORED
    generated = pipeline.rendered(module, found, runtime=runtime)
    if runtime is Runtime.SHARED:
        generated = replace(generated, files={**generated.files, **_shared_runtime()})
    engine = "cffi" if os.environ.get("WRAPPER_GEN_ENGINE") == "cffi" else "auto"
    key = _key(generated.files, stub, engine)
    while (loaded := _loaded.get(_cache() / key)) and not loaded.built.is_current():
        key = _changed(key, loaded.built)  # a process cannot load another extension in the place of one
    if loaded is None:
        loaded = _loaded[_cache() / key] = _load(generated, _cache() / key, stub=stub, engine=engine)
    return loaded.module


def _load(generated: pipeline.Generated, folder: Path, *, stub: bool, engine: str) -> _Loaded:
    package = folder / generated.module.package
    is_shared = generated.module.runtime is Runtime.SHARED
    packages = [package.name, *[FOLDER] * is_shared]
    try:
        with files.updating(folder):
            files.write(files.compare(generated.files, folder, packages=packages, force=True))
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
        warnings.warn(f"{package.name} is a stub, without its library: {built.missing}", stacklevel=4)
    if is_shared and getattr(sys.modules.get(FOLDER), "ABI", None) != abi():
        _import(folder / FOLDER)
    return _Loaded(_import(package), built)


def _shared_runtime() -> files.Rendered:
    from wrapper_gen.render import render_shared

    return render_shared()


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
