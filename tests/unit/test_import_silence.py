"""What `wrapper-gen import` asks or marks, and does not write in silence: from names, types and comments of headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_imports import importing, spec, words
from wrapper_gen.drafts.report import Became

pytest.importorskip("clang.cindex")

SEVERAL = """\
#include <stddef.h>
#include <stdint.h>
typedef struct demo_file demo_file;
typedef struct { unsigned char id[20]; } demo_id;
demo_file *demo_open(const char *path);
void demo_close(demo_file *f);
int64_t demo_readf_short(demo_file *f, short *ptr, int64_t frames);
int64_t demo_writef_short(demo_file *f, const short *ptr, int64_t frames);
/** @param f the file
 * @param commit the id
 * @param ids the ids to look at
 * @param length how many */
int demo_reachable(demo_file *f, const demo_id *commit, const demo_id ids[], size_t length);
/** @param values_out An array of num_names strings, which are written.
 * @param names An array of num_names strings */
void demo_get_many(const char **values_out, demo_file *f, size_t num_names, const char **names);
void demo_scale(size_t count, float *samples);
int demo_status(demo_file *f, int op, int *current, int *highest, int reset_flag);
int demo_find(const demo_id *id, size_t len);
"""


def test_an_address_beside_a_number_is_asked(tmp_path: Path) -> None:
    found = words(importing(tmp_path, SEVERAL))
    assert {name: why for name, (word, why) in found.items() if word is Became.ASKED} == {
        "demo_readf_short": "whether ptr is one or several: frames may say how many",
        "demo_writef_short": "whether ptr is one or several: frames may say how many",
        "demo_reachable": "whether ids is one or several: length may say how many",
        "demo_get_many": "whether values_out is one or several: num_names may say how many",
        "demo_scale": "whether samples is one or several: count may say how many",
    }
    text = spec(tmp_path)
    assert 'def: "status(op: i32, reset_flag: i32) -> (current: i32, highest: i32, result: i32)"' in text
    assert 'def: "find(id: Id, len: usize) -> i32"' in text


def test_an_address_of_cpp_beside_a_number_is_asked(tmp_path: Path) -> None:
    found = words(importing(tmp_path, "void mix(short *ptr, long frames);\nvoid one(int *out);\n", lang="cpp"))
    assert found["mix"] == (Became.ASKED, "whether ptr is one or several: frames may say how many")
    assert found["one"] == (Became.GUESSED, "C++ writes out")
