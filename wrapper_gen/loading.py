"""From a spec to an imported package in one call: generates and builds in a cache, for notebooks, tests and trials."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import sysconfig
import threading
import warnings
from pathlib import Path
from types import ModuleType

from wrapper_gen import compile, files, pipeline
from wrapper_gen.diagnostics import ToolchainError
from wrapper_gen.fixes import fixes_of
from wrapper_gen.frozen import frozen


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
    `wrapper-gen` in the user's cache folder. The module takes its package's name in `sys.modules`. Where a header has
    changed, it is built again, and another module.

    Args:
        path: the spec.
        stub: build without the library, even where it is. Where the spec says that its library is optional and it is
            missing, that is done anyway, with a warning.

    Raises:
        SpecError: the spec is wrong; the message lists every mistake.
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
    with files.updating(folder):
        files.write(files.compare(generated.files, folder, packages=[package.name], force=True))
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
    chosen = os.environ.get("WRAPPER_GEN_CACHE")
    if chosen:
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wrapper-gen"


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
