"""The configuration: where it is found, what goes first, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from unified_gpu import ConfigError, backends, create_context_from_config, load_local_config
from unified_gpu.config import LocalConfig

FILE = "dl.config.sdn"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DL_CONFIG", "DL_DEVICE", "DL_DTYPE", "DL_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def write(folder: Path, text: str, name: str = FILE) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def settings(config: LocalConfig) -> tuple[str | None, str | None, str | None]:
    return config.device, config.dtype, config.backend


def test_all_settings(tmp_path: Path) -> None:
    file = write(tmp_path, 'dl:\n  device: "cuda:1"   # the second\n  dtype: f16\n  backend: cuda\n')
    config = load_local_config()
    assert settings(config) == ("cuda:1", "f16", "cuda")
    assert config.origin == {"device": f"{file}:2", "dtype": f"{file}:3", "backend": f"{file}:4"}


@pytest.mark.parametrize("text", ["", "dl:\n", "dl: {}\n", "# nothing\n", "dl:\n  device:\n"])
def test_nothing_is_configured(tmp_path: Path, text: str) -> None:
    assert settings(load_local_config()) == (None, None, None)
    write(tmp_path, text)
    assert settings(load_local_config()) == (None, None, None)


def test_the_nearest_folder_above(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path, "dl: {device: cpu, dtype: f64}")
    assert settings(load_local_config(inner)) == ("cpu", "f64", None)
    write(tmp_path / "a", "dl: {device: 1}")
    assert settings(load_local_config(inner)) == ("1", None, None)


def test_a_file_by_name_and_variables_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "dl: {device: cpu}")
    monkeypatch.setenv(
        "DL_CONFIG", str(write(tmp_path, "dl: {device: cuda:3, dtype: f64, backend: torch}", "mine.sdn"))
    )
    assert settings(load_local_config()) == ("cuda:3", "f64", "torch")
    monkeypatch.setenv("DL_DEVICE", "cpu:0")
    monkeypatch.setenv("DL_DTYPE", "bf16")
    monkeypatch.setenv("DL_BACKEND", "cpu")
    config = load_local_config()
    assert settings(config) == ("cpu:0", "bf16", "cpu")
    assert config.origin is not None
    assert config.origin["device"] == "DL_DEVICE"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dl:\n  devise: cpu\n", ":2: unknown key 'devise'; there are device, dtype, backend"),
        ("gpu:\n  device: cpu\n", ":1: unknown key 'gpu'; all settings stand below `dl:`"),
        ("dl:\n  dtype: f33\n", ":2: 'f33' is no dtype; there are f16, bf16, f32, "),
        ("dl:\n\n  backend: metal\n", ":3: 'metal' is no backend; there are cuda, torch, vulkan, cpu"),
        ("dl:\n  device: gpu:0\n", ":2: 'gpu:0' is no device; there are cuda, torch, vulkan, cpu"),
        ("dl:\n  device: cuda:x\n", ":2: 'cuda:x' is no device"),
        ("dl:\n  device: [0, 1]\n", ":2: device has one value"),
        ("dl:\n  - device\n", ":2: expected `key: value` lines below `dl:`"),
        ("[1, 2]", ":1: expected `key: value` lines"),
        ("dl:\n  device: 'cpu\n", ":2: found unexpected end of stream|:3: found unexpected end of stream"),
        ("dl:\n\tdevice: cpu\n", ":2: found character"),
        ("dl:\n  device: cpu\n  device: cuda\n", ":3: 'device' stands here twice"),
        ("dl:\n  device: cpu\ndl:\n  dtype: f64\n", ":3: 'dl' stands here twice"),
        ("dl:\n  ? [device]\n  : cpu\n", ":2: a key is one word"),
        ("dl:\n  device: cpu:²\n", ":2: 'cpu:²' is no device"),
    ],
)
def test_mistakes_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_local_config()
    assert str(caught.value).startswith(str(file))


def test_mistakes_outside_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DL_DTYPE", "f33")
    with pytest.raises(ConfigError, match="DL_DTYPE: 'f33' is no dtype"):
        load_local_config()
    monkeypatch.setenv("DL_CONFIG", str(tmp_path / "none.sdn"))
    with pytest.raises(ConfigError, match=r"DL_CONFIG names .*none\.sdn, and there is no such file"):
        load_local_config()
    (tmp_path / "none.sdn").write_bytes(b"dl: \xff\xfe")
    with pytest.raises(ConfigError, match=r"none\.sdn:1: "):
        load_local_config()


def test_a_context_from_it(tmp_path: Path) -> None:
    write(tmp_path, "dl:\n  device: cpu:0\n  dtype: f64\n")
    with create_context_from_config() as ctx:
        assert (ctx.backend_name, ctx.device_id, ctx.dtype.name) == ("cpu", 0, "f64")
        assert ctx.alloc(1).dtype.name == "f64"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dl:\n  dtype: f32\n  device: cpu:7\n", ":3: backend cpu has no device 7; it has device"),
        ("dl:\n  backend: vulkan\n", ":2: backend vulkan cannot be used here: none"),
        ("dl:\n  backend: cpu\n  device: cuda:0\n", r":3 and .*:2: device cuda:0 is not one of backend cpu"),
        ("dl:\n  device: 0\n  backend: vulkan\n", ":3: backend vulkan cannot be used here"),
        ("dl:\n  backend: cpu\n  device: 9\n", ":3: backend cpu has no device 9"),
    ],
)
def test_devices_that_are_not_here_name_file_and_line(
    tmp_path: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "_load", lambda name, load=backends._load: "none" if name == "vulkan" else load(name))
    file = write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        create_context_from_config()
    assert str(caught.value).startswith(str(file))
