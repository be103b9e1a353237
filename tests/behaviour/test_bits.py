"""Bit-fields and packed members of structs, which have no address: what does not fit them is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: bits}
cpp_prelude: |
  #include <cstdint>
  enum Gear { neutral = 0, first = 1, reverse = 5 };
  typedef struct {
    uint8_t kind : 3, level : 5;
    int trim : 4;
    unsigned lit : 1;
    Gear gear : 2;
    uint16_t length;
    float gain;
    struct { int8_t x; } at[2];
  } frame_t;
  typedef struct __attribute__((packed)) { uint8_t tag; uint32_t serial; double ratio; uint16_t low : 12; } label_t;

enums:
  - {name: Gear, cpp_type: Gear, values: {neutral: neutral, first: first, reverse: reverse}}

structs:
  - name: Frame
    cpp_type: frame_t
    fields:
      kind: {type: u8, cpp: (value.kind), set: value.kind = kind}
      level: {type: i64, cpp: (value.level), set: value.level = level}
      trim: {type: i32, cpp: (value.trim), set: value.trim=trim;, default: 0}
      lit: {type: bool, cpp: (value.lit), set: value.lit = lit, default: false}
      gear: {type: Gear, cpp: (value.gear), set: value.gear = gear, default: neutral}
      length: {type: i64, cpp: (value.length), set: value.length = length, default: 0}
      gain: {type: f64, cpp: (value.gain), set: value.gain = gain, default: 0}
      x: {type: i64, cpp: "value.at[1].x", set: "value.at[1].x = x", default: 0}
  - name: Label
    cpp_type: label_t
    fields:
      tag: u8
      serial: {type: u32, cpp: (value.serial), set: value.serial = serial}
      ratio: {type: f64, cpp: (value.ratio), set: value.ratio = ratio}
      low: {type: u16, cpp: (value.low), set: value.low = low, default: 0}

functions:
  - {def: "seen(frame: Frame) -> Frame", cpp_body: return frame;}
  - {def: "all_seen(labels: [Label]) -> [Label]", cpp_body: return labels;}
"""


@pytest.fixture(scope="module")
def lib(engine: str) -> Any:
    return packages.build_text(SPEC, name="bits").load(engine)


def test_what_fits_comes_back(lib: Any) -> None:
    frame = lib.Frame(7, 31, -8, True, lib.Gear.first, 65535, 0.5, -128)
    assert lib.seen(frame) == frame
    labels = [lib.Label(1, 2**32 - 1, 0.25, 4095), lib.Label(2, 3, 4.5)]
    assert lib.all_seen(labels) == labels


@pytest.mark.trial("packed-and-bit-fields")
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("kind", 8, "kind: the value does not fit the bits of this member"),
        ("level", 32, "level: the value does not fit the bits of this member"),
        ("level", -1, "level: -1 does not fit u8"),
        ("level", 2**40, "level: 1099511627776 does not fit u8"),
        ("trim", 8, "trim: the value does not fit the bits of this member"),
        ("trim", -9, "trim: the value does not fit the bits of this member"),
        ("gear", 5, "gear: the value does not fit the bits of this member"),
        ("length", 65536, "length: 65536 does not fit u16"),
        ("gain", 1e300, "gain: 1e+300 does not fit f32"),
        ("x", 128, "x: 128 does not fit i8"),
    ],
)
def test_what_does_not_fit_is_refused(lib: Any, field: str, value: float, words: str) -> None:
    given = {"kind": 1, "level": 1, field: lib.Gear(value) if field == "gear" else value}
    with pytest.raises(OverflowError) as caught:
        lib.seen(lib.Frame(**given))
    assert str(caught.value) == words
    with pytest.raises(OverflowError, match="low: the value does not fit the bits"):
        lib.all_seen([lib.Label(1, 1, 1), lib.Label(1, 1, 1, 4096)])
