"""The configuration: `dl.config.sdn`, a YAML file that lies with the program, and environment variables over it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .backends import GpuBackend
from .dtypes import DTYPES
from .errors import ConfigError

FILE = "dl.config.sdn"
VARIABLE = "DL_CONFIG"


@dataclass(frozen=True, slots=True)
class LocalConfig:
    """What was configured; None is what was not.

    Attributes:
        device: `cuda:1`, `cpu`, or a number.
        dtype: what floating point data becomes where no dtype is named.
        backend: `cuda`, `torch` or `cpu`.
        origin: where each of them was said: `file:line`, or a variable's name.
    """

    device: str | None = None
    dtype: str | None = None
    backend: str | None = None
    origin: Mapping[str, str] | None = None


_KEYS = tuple(field.name for field in fields(LocalConfig) if field.name != "origin")


def load_local_config(start: str | os.PathLike[str] | None = None) -> LocalConfig:
    """Read the configuration.

    That is the file that DL_CONFIG names, else `dl.config.sdn` in `start` or the nearest folder above it; then
    DL_DEVICE, DL_DTYPE and DL_BACKEND, which go first. Without any, all is None.

    Args:
        start: a folder; the working directory by default.

    Raises:
        ConfigError: for a file that cannot be read, an unknown key, or a value that cannot be; names file and line.
    """
    values: dict[str, str] = {}
    origin: dict[str, str] = {}
    file = _file(Path(start) if start is not None else Path.cwd())
    if file is not None:
        for key, value, place in _settings(file):
            values[key], origin[key] = value, place
    for key in _KEYS:
        variable = f"DL_{key.upper()}"
        if os.environ.get(variable):
            values[key], origin[key] = os.environ[variable], variable
    for key, value in values.items():
        _check(key, value, origin[key])
    return LocalConfig(**values, origin=origin)


def _file(start: Path) -> Path | None:
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"{VARIABLE} names {named}, and there is no such file")
        return Path(named)
    folders = (start.absolute(), *start.absolute().parents)
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)


def _settings(file: Path) -> Iterator[tuple[str, str, str]]:
    """Key, value and place of every entry of the file below `dl`."""
    import yaml

    try:
        root = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{file}:{line}: {error.problem or 'this is no YAML'}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{file}:1: {error}") from error
    for section, body in _pairs(root, file):
        if section.value != "dl":
            raise ConfigError(f"{_place(file, section)}: unknown key {section.value!r}; all settings stand below `dl:`")
        for key, value in _pairs(body, file):
            if key.value not in _KEYS:
                raise ConfigError(f"{_place(file, key)}: unknown key {key.value!r}; there are {', '.join(_KEYS)}")
            if not isinstance(value, yaml.ScalarNode):
                raise ConfigError(f'{_place(file, value)}: {key.value} has one value, such as "cuda:1"')
            if value.tag != "tag:yaml.org,2002:null":
                yield key.value, str(value.value), _place(file, value)


def _pairs(node: Any, file: Path) -> list[tuple[Any, Any]]:
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return []
    if not isinstance(node.value, list) or not node.tag.endswith(":map"):
        raise ConfigError(f"{_place(file, node)}: expected `key: value` lines below `dl:`")
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key.value, str) or key.value in seen:
            what = f"{key.value!r} stands here twice" if isinstance(key.value, str) else "a key is one word"
            raise ConfigError(f"{_place(file, key)}: {what}")
        seen.add(key.value)
    return list(node.value)


def _place(file: Path, node: Any) -> str:
    return f"{file}:{node.start_mark.line + 1}"


def _check(key: str, value: str, place: str) -> None:
    names: tuple[str, ...] = ()
    if key == "dtype":
        names = tuple(DTYPES)
    elif key == "backend" or not value.partition(":")[0].isdecimal():
        names = tuple(GpuBackend)
    number = value.partition(":")[2]
    named = value if key != "device" else value.partition(":")[0]
    if (names and named not in names) or (key == "device" and not (number or "0").isdecimal()):
        raise ConfigError(f"{place}: {value!r} is no {key}; there are {', '.join(names)}")
