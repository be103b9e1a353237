"""What stood under `wrapper_lib`: how the library was found, loaded and started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wrapper_gen import names
from wrapper_gen.diagnostics import SpecError
from wrapper_gen.expressions import called
from wrapper_gen.spec.document import read_document
from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.walk import At


def requires(at: At) -> None:
    """`[{pkg_config: zlib}, {python: p, include: a, lib: b, import: true}]` → `[zlib, {python: p, dirs: [a, b]}]`."""
    listed = at.value
    for i, each in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(each, dict):
            continue
        if each.keys() == {"pkg_config"} and isinstance(each["pkg_config"], str):
            at.rewriter.replace(listed, i, each["pkg_config"])
        elif "python" in each and "pkg_config" not in each and _has_only_names(each, "include", "lib"):
            _join(each, "include", "lib", "dirs", at.rewriter)
            if "dirs" not in each:
                at.rewriter.insert(each, "dirs", ["."], because="python")
            if isinstance(each.get("import"), bool | None) and "import" in each:
                at.rewriter.remove(each, "import")


def folders(at: At) -> None:
    """`include_paths: [a], search_paths: [b]` → `requires: [{dirs: [a, b]}]`, behind what else is required."""
    library, rewriter = at.container, at.rewriter
    if not _has_only_names(library, "include_paths", "search_paths"):
        return
    required = library.get("requires")
    _join(library, "include_paths", "search_paths", "dirs", rewriter)
    if "dirs" not in library:
        return
    made = [{"dirs": library["dirs"]}]
    if required is None and "requires" in library:
        rewriter.remove(library, "requires")
    rewriter.replace(library, "dirs", made)
    if "requires" not in library:
        rewriter.rename(library, "dirs", "requires")
        return
    if not isinstance(required, list):
        rewriter.replace(library, "requires", [required])
    rewriter.append(library, "dirs", library["requires"])


def dynamic(at: At) -> None:
    """`dynamic: {sonames: [a.so], symbols: [f]}` → `dynamic: [a.so]`: the build finds which functions are called."""
    value = at.value
    if isinstance(value, dict) and "sonames" in value and value.keys() <= {"sonames", "symbols"}:
        at.replace(value["sonames"])


def guard(at: At) -> None:
    """`guard: WITH_DEMO` → `compile_args: [-DWITH_DEMO]`, where it is not `HAS_` and the library's name."""
    library, rewriter = at.container, at.rewriter
    name = library.get("name")
    if at.value is None or (isinstance(name, str) and at.value == names.guard(name)):
        at.remove()
        return
    others = library.get("compile_args")
    is_macro = isinstance(at.value, str) and names.is_identifier(at.value)
    if not is_macro or not _has_only_names(library, "compile_args"):
        return
    at.replace([f"-D{at.value}"])
    if others is None:
        if "compile_args" in library:
            rewriter.remove(library, "compile_args")
        at.rename("compile_args")
        return
    if not isinstance(others, list):
        rewriter.replace(library, "compile_args", [others])
    rewriter.append(library, at.key, library["compile_args"])


def modules(at: At) -> None:
    """`modules: {io: Reading.}` → nothing: the entries name their modules; a comment keeps what was said of each."""
    if not isinstance(at.value, dict | None):
        return
    said = [f"{name}: {doc.strip()}" for name, doc in (at.value or {}).items() if isinstance(doc, str)]
    if said and "name" in at.container:
        at.rewriter.comment(at.container, "name", f"modules, whose documentation has no place: {'; '.join(said)}")
    at.remove()


def uses(at: At) -> None:
    """`uses: [../geo.wrapper_spec]` → `uses: {geo: ../geo.wrapper_spec}`: by the name of that library."""
    if not isinstance(at.value, list) or not all(isinstance(each, str) for each in at.value):
        return
    listed = at.value
    named = {_library_of(at.rewriter.document.path.parent / each): each for each in listed}
    if len(named) == len(listed):
        at.replace(named)
        for i, name in enumerate(named):
            at.rewriter.keep_place(named, name, listed, i)


def _library_of(path: Path) -> str:
    """The name of a spec's library; of one that cannot be read, the name of the file."""
    try:
        data: Any = read_document(path, str(path)).data
        return str(data["wrapper_lib"]["name"])
    except (SpecError, OSError, LookupError, TypeError):
        return path.name.partition(".")[0]


def init(at: At) -> None:
    """`init: {call: f, raises: E}` → `init: wg_check<E>(f())`; `init: f` where the type tells."""
    value = at.value
    if not isinstance(value, dict) or not value.keys() <= {"call", "raises"} or not isinstance(value.get("call"), str):
        return
    call, raises = value["call"], value.get("raises")
    if raises is not None:
        if not isinstance(raises, str):
            return
        named = [each for each in _statuses(at) if raises == (each.get("label") or each.get("name") or _default(at))]
        if not named:
            hint = "name an entry of `errors` that has `ok`"
            at.rewriter.error(value, "raises", "WG045", f"unknown error {raises!r}", hint)
        elif len(named) > 1 or not _is_told(at, raises, named[0]):
            call = f"wg_check<{raises}>({called(call)})"
    at.replace(call)


def _statuses(at: At) -> list[dict[str, Any]]:
    listed = at.spec.get("errors")
    errors = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [each for each in errors if each.get("ok") is not None]


def _default(at: At) -> str:
    """The exception of errors without a name."""
    return names.library_error(str(at.library.get("name")))


def _is_told(at: At, raises: str, named: dict[str, Any]) -> bool:
    """Whether the C++ type of a status says which error it is of."""
    alike = [each for each in _statuses(at) if each.get("cpp_type") == named.get("cpp_type")]
    return len(alike) == 1 or at.library.get("raises") == raises


def _has_only_names(container: dict[str, Any], *keys: str) -> bool:
    """Whether these keys are lists of text, one text, or nothing."""
    values = [each for key in keys for each in _listed(container.get(key))]
    return all(isinstance(each, str) for each in values)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _join(container: dict[str, Any], first: str, second: str, new: str, rewriter: Rewriter) -> None:
    """Make one list of two, each of which may be one text, or not be there."""
    for key in (first, second):
        if key in container and not _listed(container[key]):
            rewriter.remove(container, key)
    if first in container and second in container:
        listed = _listed(container[first])
        if all(each in listed for each in _listed(container[second])):
            rewriter.remove(container, second)
        else:
            for key in (first, second):
                if not isinstance(container[key], list):
                    rewriter.replace(container, key, [container[key]])
            rewriter.append(container, second, container[first])
    present = next((key for key in (first, second) if key in container), None)
    if present is not None:
        rewriter.rename(container, present, new)
