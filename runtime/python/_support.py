"""What both engines of every package share: errors, and the choice of the engine.

Static: the same for all packages, and private to the one it lies in. It is imported with the package, so it imports
little itself; what only a failure needs is imported there.
"""

import os
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec

from . import ABI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def with_article(kind: type) -> str:
    """A class's name with its article."""
    return f"{'an' if kind.__name__[:1] in 'AEIOaeio' else 'a'} {kind.__name__}"


def another_made(wanted: type, made: type) -> TypeError:
    """Of a class method that a subclass inherits."""
    which = f"{with_article(wanted)} is wanted, and the library made {with_article(made)}"
    return TypeError(f"{which}: call this on {made.__name__}")


def kind_of(value: object) -> str:
    """What a message calls an object of the wrong type."""
    if value is None:
        return "None"
    kind = type(value)
    package = _package_of_another_runtime(kind.__module__)
    return f"{kind.__name__} of {package}, another package with another runtime" if package else kind.__name__


def _package_of_another_runtime(module: object) -> str:
    """The package of ours that a module is of, or lies below, where its runtime is not this one; else nothing."""
    while isinstance(module, str) and module:
        kind = type(getattr(sys.modules.get(module), "_extension", None))
        if kind is Extension:
            return ""
        if kind.__name__ == "Extension" and "_runtime" in kind.__module__:
            return module
        module = module.rpartition(".")[0]
    return ""


class ClosedHandleError(ValueError):
    """A handle was used after it was closed, or after a call took it."""


class LibraryUnavailable(RuntimeError):
    """The wrapped library, or a function of it, is not on this machine."""


class LibraryError(RuntimeError):
    """A failure in the wrapped library.

    Attributes:
        code: the library's own status code, or None.
        name: the library's own name for it, or None.
    """

    code: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        """The message; a class that is a `KeyError` too would show it in quotes."""
        return RuntimeError.__str__(self)


class LazyNotes(list[str]):
    """The notes of an exception, one of which is made when somebody reads them: it may take long.

    Whatever prints an exception takes any sequence for notes, and reads it through its methods; `add_note` appends.
    """

    def __init__(self, notes: "Sequence[str]", make: "Callable[[], str]") -> None:
        super().__init__(notes)
        self._at, self._make = len(notes), make

    def __reduce_ex__(self, protocol: "Any") -> "tuple[Any, ...]":
        return list, ([*self],)

    def _complete(self) -> None:
        make, self._make = self._make, str
        if text := make():
            list.insert(self, self._at, text)


def _completed(method: "Callable[..., Any]") -> "Callable[..., Any]":
    def call(self: LazyNotes, *arguments: "Any", **keywords: "Any") -> "Any":
        self._complete()
        return method(self, *arguments, **keywords)

    return call


for _name in (
    "__add__ __contains__ __delitem__ __eq__ __getitem__ __iadd__ __imul__ __iter__ __len__ __mul__ __ne__ __repr__"
    " __reversed__ __rmul__ __setitem__ clear copy count extend index insert pop remove reverse sort"
).split():
    setattr(LazyNotes, _name, _completed(getattr(list, _name)))


def add_lazy_note(exception: BaseException, make: "Callable[[], str]") -> None:
    """Give an exception a note that is made when somebody reads it."""
    exception.__notes__ = LazyNotes(getattr(exception, "__notes__", ()), make)


def warn_of_renamed(message: str) -> None:
    """A former name was used: the caller's line is to be shown."""
    import warnings

    warnings.warn(message, DeprecationWarning, stacklevel=3)


class FormerName:
    """A member of a class by its former name."""

    def __init__(self, owner: str, name: str, now: str) -> None:
        self._now = now
        self._message = f"{owner}.{name} is called {now} now"

    def __get__(self, instance: object, owner: type) -> "Any":
        warn_of_renamed(self._message)
        return getattr(owner if instance is None else instance, self._now)


def _folder(package: str) -> str:
    """Where the files of a package lie, which is being imported."""
    return os.path.dirname(sys.modules[package].__file__ or "")


def _used_packages() -> "Any":
    """A module that only packages need which do not carry the runtime: by its name, so that no others have it."""
    return import_module(f"{__package__}._used_packages")


_common = 0
"""The address of what packages that share objects have in common; 0 before the first of them is imported."""


class Extension:
    """The compiled part of a package, through the engine that was chosen.

    The cpython engine is taken where it was built, the cffi engine elsewhere; `WRAPPER_GEN_ENGINE=cpython` or `cffi`
    insists.
    """

    def __init__(
        self,
        package: str,
        *,
        extension: str,
        name: str,
        command: str,
        fingerprint: str,
        abi: int = ABI,
        preload: "tuple[str, Sequence[str], Sequence[str]] | None" = None,
        packages: "Sequence[tuple[str, Sequence[str]]]" = (),
        folders: "Sequence[str]" = (),
        starts: bool = False,
        shares: bool = False,
        uses: "Sequence[Any]" = (),
    ) -> None:
        self._package = package
        self._name = name
        self._command = command
        if abi != ABI:
            runtime = f"{os.path.dirname(__file__)}, which is {ABI}"
            raise ImportError(f"{package} was generated for version {abi} of {runtime}; run: {command}")
        if preload:
            _preload(*preload)
        used = self._import_used(uses)
        self.engine: str
        self.engine, self._module = _load(package, extension, name, command, used[0].engine if used else "")
        if self.get("fingerprint") != fingerprint:
            raise ImportError(f"{_differing(package, self.get('fingerprints'))}; run: {self.command}")
        self.is_stub: bool = self.get("is_stub")
        if shares and not self.is_stub:
            self._share()
        for i, other in enumerate(used):
            self._use(i, other, uses[i])
        if packages or folders:
            self._find_library(packages, folders)
        if starts and not self.is_stub:
            self._start_library()

    def get(self, what: str) -> "Any":
        """A value of the extension: the cpython module's attribute, a function of cffi's; None in one without it."""
        if self.engine == "cpython":
            return getattr(self._module, what, None)
        function = getattr(self._module.lib, f"wg_{self._name}_{what}", None)
        value = function and function()
        return value if value is None or isinstance(value, bool) else self._module.ffi.string(value).decode()

    @staticmethod
    def kind_of(value: object) -> str:
        """What a message calls an object of the wrong type."""
        return kind_of(value)

    def _import_used(self, uses: "Sequence[Any]") -> "list[Extension]":
        """The extensions of the packages whose types this one uses, which all have one engine."""
        if not uses:
            return []
        import_used = _used_packages().import_used
        found = [import_used(self._package, each, self.command) for each in uses]
        for other in found[1:]:
            if other.engine != found[0].engine:
                self._refuse_engines(found[0], other)
        return found

    def _refuse_engines(self, one: "Extension", other: "Extension") -> None:
        names = f"{one._package} has its {one.engine} engine, and {other._package} its {other.engine} engine"
        hint = "build all with --engine both, and set WRAPPER_GEN_ENGINE to one of the two"
        raise ImportError(f"{self._package}: {names}: {hint}")

    def _share(self) -> None:
        """Have in common with other packages what objects need that keep each other alive."""
        global _common
        common = getattr(self._module if self.engine == "cpython" else self._module.lib, f"wg_{self._name}_common")
        if self.engine == "cpython":
            _common = common(_common)
        else:
            cast = self._module.ffi.cast
            _common = int(cast("uintptr_t", common(cast("void *", _common))))

    def _types(self) -> "Any":
        """The address of what it tells other packages of its handle types."""
        if self.engine == "cpython":
            return getattr(self._module, f"wg_{self._name}_types")()
        return int(self._module.ffi.cast("uintptr_t", getattr(self._module.lib, f"wg_{self._name}_types")()))

    def _use(self, number: int, other: "Extension", uses: "Any") -> None:
        """Take what another package tells of its types."""
        if self.is_stub:
            return
        if other.engine != self.engine:
            self._refuse_engines(other, self)
        if other.is_stub:
            which = f"{other._package}, which was built without its library"
            raise ImportError(f"{self._package} uses {which}; run: {other.command}")
        if self.engine == "cpython":
            changed = getattr(self._module, f"wg_{self._name}_use")(
                number, other._types(), _used_packages().classes_of(uses)
            )
        else:
            ffi = self._module.ffi
            said = getattr(self._module.lib, f"wg_{self._name}_use")(number, ffi.cast("void *", other._types()))
            changed = ffi.string(said).decode() if said else None
        if changed is not None:
            raise _used_packages().other_spec(self._package, other._package, [changed], self.command)

    @property
    def command(self) -> str:
        """The command that builds the package again, wherever it is run."""
        return build_command(self._package, self._command)

    def values(self, enum: str) -> "Sequence[int]":
        """The values of an enum, in the spec's order."""
        if self.engine == "cpython":
            values: Sequence[int] = getattr(self._module, f"wg_{self._name}_{enum}")
            return values
        *crossed, bits = getattr(self._module.lib, f"wg_{self._name}_{enum}")
        return [value % 2**64 for value in crossed] if bits == 64 else crossed

    def mirror(self, classes: "Sequence[type[Exception]]") -> None:
        """Give exceptions the bases which the C++ classes have that they stand for; a stub has no C++ to ask."""
        derives, count = self.values("derives"), len(classes)
        rows = [(each, [c for j, c in enumerate(classes) if derives[i * count + j]]) for i, each in enumerate(classes)]
        for each, above in sorted(rows, key=lambda row: len(row[1])):
            bases = [base for base in dict.fromkeys(above) if not issubclass(base, each)]  # two of C++ may be one here
            bases = [base for base in bases if not any(b is not base and issubclass(b, base) for b in bases)]
            if bases and issubclass(each, LibraryError):
                own = () if any(issubclass(base, LibraryError) for base in bases) else each.__bases__
                type.__setattr__(each, "__bases__", (*own, *bases))

    def populate(self, namespace: "dict[str, Any]") -> None:
        """Put the package's classes and functions into its namespace, which has its exceptions and enums already."""
        defined = self.defined(namespace)[""]
        namespace.update(defined)
        namespace["__all__"] += defined

    def defined(self, namespace: "dict[str, Any]") -> "dict[str, dict[str, Any]]":
        """The classes and functions by submodule, those of the package under an empty name."""
        if self.engine == "cpython":
            found: dict[str, Any] = self._module.start(namespace)
            below = {name[1:]: found.pop(name) for name in [*found] if name.startswith(".")}
            return {"": found, **below}
        engine = import_module(f"{self._package}._cffi_engine")
        defined = {"": {name: getattr(engine, name) for name in engine.__all__}, **getattr(engine, "SUBMODULES", {})}
        for where, own in defined.items():
            for name, each in own.items():
                each.__module__ = f"{self._package}.{where}" if where else self._package
                if where and each.__name__ != name:
                    each.__name__ = each.__qualname__ = name
        return defined

    def read(self, namespace: "dict[str, Any]", constants: "Sequence[str]") -> "Callable[[str], Any]":
        """Put constants where the functions are that read them; gives the package's `__getattr__`.

        Those of a library that is not there are left out, and looked for again when they are asked for.
        """
        unread: dict[str, Any] = {}
        for name in constants:
            read = namespace.pop(name)
            try:
                namespace[name] = read()
            except LibraryUnavailable:
                unread[name] = read
        namespace["__all__"] = [each for each in namespace["__all__"] if each not in unread]

        def get(name: str) -> "Any":
            if name not in unread:
                raise AttributeError(f"module {self._package!r} has no attribute {name!r}")
            namespace[name] = value = unread[name]()
            return value

        return get

    def renamed(
        self, namespace: "dict[str, Any]", functions: "dict[str, str]", members: "dict[str, dict[str, str]]"
    ) -> "Callable[[str], Any]":
        """Let former names work for one version more: as class members, and by the `__getattr__` that this gives."""
        for owner, former in members.items():
            for name, now in former.items():
                setattr(namespace[owner], name, FormerName(owner, name, now))

        unread = namespace.get("__getattr__")

        def get(name: str) -> "Any":
            if name not in functions:
                if unread is not None:
                    return unread(name)
                raise AttributeError(f"module {self._package!r} has no attribute {name!r}")
            warn_of_renamed(f"{self._package}.{name} is called {functions[name]} now")
            return namespace[functions[name]]

        return get

    def _start_library(self) -> None:
        """Start the library; it ends with the interpreter, once no handle is left."""
        import atexit

        owner = self._module if self.engine == "cpython" else self._module.lib
        problem = getattr(owner, f"wg_{self._name}_start")()
        if self.engine == "cffi":
            problem = self._said(problem)
        if problem is not None:
            raise ImportError(f"{self._package}: the library cannot be started: {problem}", name=self._package)
        atexit.register(getattr(owner, f"wg_{self._name}_end"))

    def _said(self, buffer: "Any") -> "str | None":
        """A text of cffi's, which is freed; None where there is none."""
        if not buffer:
            return None
        said: bytes = self._module.ffi.unpack(buffer.data, buffer.size)
        getattr(self._module.lib, f"wg_{self._name}_buffer_free")(buffer)
        return said.decode("utf-8", "replace")

    def _find_library(self, packages: "Sequence[tuple[str, Sequence[str]]]", folders: "Sequence[str]") -> None:
        """Tell the bridge where the library may lie: folders of installed Python packages, then these folders."""
        owner = self._module if self.engine == "cpython" else self._module.lib
        add = getattr(owner, f"wg_{self._name}_add_folder")
        for package, below in packages:
            for root in _roots(package):
                for folder in below:
                    add(os.fsencode(os.path.join(root, folder)))
        for folder in folders:
            if os.path.isdir(folder):
                add(os.fsencode(folder))


def _roots(package: str) -> "Sequence[str]":
    """The folders of an installed Python package, which is not imported."""
    from importlib.util import find_spec

    try:
        found = find_spec(package)
    except (ImportError, ValueError):
        return ()
    return (found.submodule_search_locations or ()) if found else ()


def _preload(package: str, below: "Sequence[str]", libraries: "Sequence[str]") -> None:
    """Load libraries of an installed Python package, from these folders of it, before the extension that needs them.

    The package is not imported, which may take seconds, unless its libraries are not found or do not load like that.
    Whoever imports it later, or has imported it, has the same libraries.
    """
    if package in sys.modules:
        return
    before, after = (
        ("", ".dll") if sys.platform == "win32" else ("lib", ".dylib" if sys.platform == "darwin" else ".so")
    )
    folders = [path for root in _roots(package) for each in below if os.path.isdir(path := os.path.join(root, each))]
    names = [f"{before}{library}{after}" for library in libraries]
    paths = [path for folder in folders for name in names if (path := _file(folder, name))]
    try:
        if paths:
            from ctypes import CDLL

            for path in paths:
                CDLL(path)
            return
    except OSError:  # it prepares their loading itself
        pass
    try:
        import_module(package)
    except ImportError:
        pass


def _file(folder: str, name: str) -> str:
    """The library of this name in a folder, or a version of it where there is no other; empty where there is none."""
    found = [each for each in sorted(os.listdir(folder)) if each == name or each.startswith(f"{name}.")]
    return os.path.join(folder, name if name in found else found[-1]) if found else ""


def _load(package: str, extension: str, name: str, command: str, needed: str) -> "tuple[str, Any]":
    """The engine's name and its module; `needed` is the one that the packages have which it uses."""
    wanted = needed or os.environ.get("WRAPPER_GEN_ENGINE") or None
    if wanted == "native":  # its former name
        wanted = "cpython"
    if wanted not in (None, "cpython", "cffi"):
        raise ImportError(f"WRAPPER_GEN_ENGINE is {wanted!r}; it can be 'cpython' or 'cffi'")
    folder = _folder(package)
    path = next((p for s in EXTENSION_SUFFIXES if os.path.exists(p := os.path.join(folder, extension + s))), None)
    if path is None:
        raise ImportError(f"{package} is not built for this Python; run: {build_command(package, command)}")
    failure: ImportError | None = None
    if wanted == "cpython" and sys.implementation.name != "cpython":
        raise ImportError(f"{package}: the cpython engine is for CPython; WRAPPER_GEN_ENGINE=cffi takes the other one")
    if wanted != "cffi" and sys.implementation.name == "cpython":
        try:
            return "cpython", _load_cpython(f"{package}.{extension}_cpython", path)
        except ImportError as error:
            failure = error
    try:
        module = import_module(f"{package}.{extension}")
    except ImportError as error:
        reason = _why_none(package, failure, error, build_command(package, command))
        if not reason:
            raise
        raise ImportError(reason) from (failure or error)
    if failure is None or (_is_left_out(failure) and wanted is None):
        return "cffi", module
    if wanted is None:
        import warnings

        why = f"{package} uses its cffi engine, because the cpython one fails: {failure}"
        warnings.warn(why, RuntimeWarning, stacklevel=4)
    elif not getattr(module.lib, f"wg_{name}_is_stub")():  # a stub never has a cpython engine
        if _is_of_interpreter(failure):
            raise ImportError(f"{package}: {failure}; WRAPPER_GEN_ENGINE=cffi takes the other one") from failure
        if _is_left_out(failure):
            what = f"was built without its cpython engine; run: {build_command(package, command)} --engine both"
        else:
            what = f"{failure}; try: {build_command(package, command)}"
        raise ImportError(f"{package}: {what}") from failure
    return "cffi", module


def _why_none(package: str, failure: "ImportError | None", error: ImportError, build: str) -> str:
    """Why there is no engine: the cpython one failed or is not wanted, and the cffi one failed with this error.

    Empty where the error says all that there is to say.
    """
    of_cpython = failure is not None and not _is_left_out(failure)
    if _is_left_out(error):
        left_out = f"it was built without its cffi engine; run: {build} --engine both"
        if failure is None or not of_cpython:
            return f"{package}: {left_out}"
        return f"{package}: {failure}" + (f", and {left_out}" if _is_of_interpreter(failure) else "")
    if of_cpython and str(failure) != str(error):
        return f"{package}: {failure}; its cffi engine fails too: {error}"
    return ""


def build_command(package: str, otherwise: str = "") -> str:
    """The package's own build script with this Python; a package that was installed may come without it."""
    from shlex import join

    script = os.path.join(os.path.abspath(_folder(package)), "ffi_build.py")
    return join([sys.executable or "python", script]) if os.path.exists(script) else otherwise


def _is_left_out(error: ImportError) -> bool:
    """Whether an extension was built without an engine, which is CPython's own message."""
    return "PyInit_" in str(error)


def _is_of_interpreter(error: ImportError) -> bool:
    """Whether an engine refused an interpreter that is not the main one: in its own words, or in CPython's."""
    return "interpreter" in str(error)


def _load_cpython(name: str, path: str) -> "Any":
    """The second module of the extension, which the import system cannot find by its name."""
    loader = ExtensionFileLoader(name, path)
    module = loader.create_module(ModuleSpec(name, loader, origin=path))
    loader.exec_module(module)
    return module


def _differing(package: str, built: "str | None") -> str:
    """In what an extension differs from the sources beside it: by symbol, or in the runtime where all are the same."""
    import re

    another_spec = f"the extension of {package} was built from another spec"
    if built is None:  # by a generator that gave it none
        return another_spec
    try:
        with open(os.path.join(_folder(package), "bridge.cpp"), encoding="utf-8") as bridge:
            text = bridge.read()
    except OSError:
        return another_spec
    sources = dict(re.findall(r'^ +"(\w+) ([0-9a-f]{8})\\n"$', text, re.MULTILINE))
    carried = dict(line.split() for line in built.splitlines())
    differ = sorted(name for name in {*sources, *carried} if sources.get(name) != carried.get(name))
    if not differ:
        return f"the extension of {package} was built with another version of its runtime"
    return f"{another_spec}: {', '.join(differ)}"
