"""Extensions of setuptools: what is wrong with a spec is told as the command tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("setuptools")

WRONG = """\
wrapper_lib: {name: half}
functions:
  - {def: "half(of: f65) -> f64", cpp: of / 2}
"""


@pytest.mark.parametrize(
    ("texts", "spec", "told"),
    [
        ({"half": WRONG}, "half.wrapper_spec", ["half.wrapper_spec:3:21: error: ", "  3 | ", "^^^", "  hint: did you"]),
        (
            {"half": WRONG},
            "hulf.wrapper_spec",
            ["hulf.wrapper_spec:1:1: error: no such file", "hint: did you mean 'ha"],
        ),
        ({}, ".", [".:1:1: error: no .wrapper_spec file in this folder", "hint: name a .wrapper_spec file"]),
        (
            {"a": WRONG, "b": WRONG},
            ".",
            [".:1:1: error: this is a folder, not a spec", "hint: make an extension for each"],
        ),
    ],
)
def test_a_wrong_spec_is_a_report(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    texts: dict[str, str],
    spec: str,
    told: list[str],
) -> None:
    from wrapper_gen.setup_helpers import WrapperGenExtension

    monkeypatch.chdir(tmp_path)
    for name, text in texts.items():
        (tmp_path / f"{name}.wrapper_spec").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        WrapperGenExtension(spec)
    assert ended.value.code == 3
    said = capsys.readouterr().err
    assert [each for each in told if each not in said] == []
    assert not (tmp_path / "src").exists()


def test_warnings_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from wrapper_gen.setup_helpers import WrapperGenExtension

    monkeypatch.chdir(tmp_path)
    spec = WRONG.replace("f65", "f64") + "handle_types: [{name: F, cpp_type: F *}]\n"
    (tmp_path / "half.wrapper_spec").write_text(spec, encoding="utf-8")
    assert WrapperGenExtension("half.wrapper_spec").packages[0] == "half_ffi"
    assert "half.wrapper_spec:4:36: warning: 'F *' has no destructor" in capsys.readouterr().err
