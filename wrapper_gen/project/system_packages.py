"""Packages of systems that have the wrapped library, where wheels are built: which, and how cibuildwheel gets them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence

from wrapper_gen.model import Library, PkgConfig

MANAGERS = {
    "dnf": "manylinux",
    "apk": "musllinux",
    "brew": "macOS",
    "vcpkg": "Windows",
}
"""The package managers of the machines on which cibuildwheel builds wheels, and for which wheels each is."""
NAME = re.compile(r"[A-Za-z0-9][\w.+@/:\[\],()-]*")
"""What a package may be called."""
_ALWAYS_THERE = frozenset({"c", "dl", "m", "pthread", "rt", "stdc++"})
"""Libraries of the compiler and the system, which no package brings."""
_NAMES = """
bzip2 bzip2 bzip2 | cairo cairo cairo | capstone capstone capstone | expat expat expat | fftw3 fftw fftw3
fftw3f fftw fftw3 | flac flac libflac | fmt fmt fmt | freetype2 freetype freetype | geos geos geos
glfw3 glfw glfw3 | gmp gmp gmp | gsl gsl gsl | harfbuzz harfbuzz harfbuzz | hiredis hiredis hiredis
jansson jansson jansson | json-c json-c json-c | libarchive libarchive libarchive | libbrotlicommon brotli brotli
libbrotlidec brotli brotli | libbrotlienc brotli brotli | libcjson cjson cjson | libcmark cmark cmark
libcrypto openssl@3 openssl
libcurl curl curl | libevent libevent libevent | libffi libffi libffi | libgit2 libgit2 libgit2
libjpeg jpeg-turbo libjpeg-turbo | liblz4 lz4 lz4 | liblzma xz liblzma | libpcre2-8 pcre2 pcre2
libpng libpng libpng | libpng16 libpng libpng | libpq libpq libpq | libsodium libsodium libsodium
libssh libssh libssh | libssh2 libssh2 libssh2 | libssl openssl@3 openssl | libtiff-4 libtiff tiff
libturbojpeg jpeg-turbo libjpeg-turbo | libusb-1.0 libusb libusb | libuv libuv libuv | libwebp webp libwebp
libxml-2.0 libxml2 libxml2 | libxxhash xxhash xxhash | libzmq zeromq zeromq | libzstd zstd zstd
lmdb lmdb lmdb | mpfr mpfr mpfr | ogg libogg libogg | openssl openssl@3 openssl | opus opus opus
proj proj proj | re2 re2 re2 | rocksdb rocksdb rocksdb | sdl2 sdl2 sdl2 | snappy snappy snappy
sndfile libsndfile libsndfile | spdlog spdlog spdlog | sqlite3 sqlite sqlite3 | vorbis libvorbis libvorbis
yaml-0.1 libyaml libyaml | yaml-cpp yaml-cpp yaml-cpp | zlib zlib zlib
"""
"""What pkg-config, Homebrew and vcpkg call a library; dnf and apk know the name for pkg-config themselves."""
_OF_HOMEBREW = "$(brew --prefix)/opt"
_OF_VCPKG = "C:/vcpkg/installed"
_TRIPLET = "x64-windows-static-md"
"""Static libraries over the C runtime that Python has, so that a wheel needs no DLL beside the extension."""


def system_packages(library: Library, given: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
    """The packages that have a library, by their managers, without those whose packages are not known.

    Args:
        library: how the spec finds it.
        given: those that a person has named, each as `MANAGER=NAME`; they stand for all of that manager.

    Returns:
        None where no package is needed: without a library, with one of the project's own folders or of a Python
        package, and where a stub is wanted in its place.
    """
    names = [each.name for each in library.requires if isinstance(each, PkgConfig)]
    linked = [each for each in library.link if each not in _ALWAYS_THERE] if not library.requires else []
    if library.optional or not (names or linked or given):
        return None
    found: dict[str, tuple[str, ...]] = {}
    for manager in MANAGERS:
        said = tuple(word.partition("=")[2] for word in given if word.partition("=")[0] == manager)
        known = _known(manager, names) if names and not said else ()
        found |= {manager: said or known} if said or known else {}
    return found


def cibuildwheel_lines(library: Library, packages: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The lines of pyproject.toml below `[tool.cibuildwheel.linux]`, and its sections behind that."""
    uses_pkg_config = any(isinstance(each, PkgConfig) for each in library.requires)
    lines: list[str] = []
    if names := packages.get("dnf"):
        lines += [_before_all(f"dnf -y install {shlex.join(names)}")]
    if names := packages.get("apk"):
        lines += ["", "[[tool.cibuildwheel.overrides]]", 'select = "*-musllinux_*"']
        lines += [_before_all(f"apk add {shlex.join(names)}")]
    if names := packages.get("brew"):
        lines += ["", "[tool.cibuildwheel.macos]", _before_all(f"brew install {shlex.join(names)}")]
        lines += _environment(_of_macos(names, uses_pkg_config=uses_pkg_config))
    if names := packages.get("vcpkg"):
        tool = ["pkgconf:x64-windows"] if uses_pkg_config else []
        install = " ".join(["vcpkg install", *(f"{name}:{_TRIPLET}" for name in names), *tool])
        lines += ["", "[tool.cibuildwheel.windows]", _before_all(install)]
        lines += _environment(_of_windows(uses_pkg_config=uses_pkg_config))
    return tuple(lines)


def _known(manager: str, names: Sequence[str]) -> tuple[str, ...]:
    """The packages of libraries by their names for pkg-config; nothing unless all of them are known."""
    match manager:
        case "dnf":
            return tuple(f"pkgconfig({name})" for name in names)
        case "apk":
            return tuple(f"pc:{name}" for name in names)
    column = 1 if manager == "brew" else 2
    rows = [row.split() for row in _NAMES.replace("\n", "|").split("|") if row.strip()]
    table = {row[0]: row[column] for row in rows}
    return tuple(dict.fromkeys(table[name] for name in names)) if {*names} <= table.keys() else ()


def _of_macos(names: Sequence[str], *, uses_pkg_config: bool) -> dict[str, str]:
    """Where libraries of Homebrew are, also those that it does not link into its own folders; and for which macOS."""

    def folders(below: str) -> str:
        return ":".join(f"{_OF_HOMEBREW}/{name}/{below}" for name in names)

    own = {"PKG_CONFIG_PATH": folders("lib/pkgconfig")} if uses_pkg_config else {}
    others = {} if uses_pkg_config else {"CPATH": folders("include"), "LIBRARY_PATH": folders("lib")}
    # Homebrew compiles for the macOS of the machine, and a wheel for an earlier one must not have such a library.
    return {**own, **others, "MACOSX_DEPLOYMENT_TARGET": "$(bash -c 'sw_vers -productVersion | cut -d. -f1').0"}


def _of_windows(*, uses_pkg_config: bool) -> dict[str, str]:
    """Where libraries of vcpkg are; `CL` and `LINK` are options that Microsoft's compiler and linker read."""
    folder = f"{_OF_VCPKG}/{_TRIPLET}"
    if not uses_pkg_config:
        return {"CL": f"/I{folder}/include", "LINK": f"/LIBPATH:{folder}/lib"}
    return {
        "PKG_CONFIG": f"{_OF_VCPKG}/x64-windows/tools/pkgconf/pkgconf.exe",
        "PKG_CONFIG_PATH": f"{folder}/lib/pkgconfig",
    }


def _before_all(command: str) -> str:
    return f"before-all = {json.dumps(command)}"


def _environment(variables: Mapping[str, str]) -> list[str]:
    return [f"environment.{name} = {json.dumps(value)}" for name, value in variables.items()]
