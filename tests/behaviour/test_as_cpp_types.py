"""Arguments that may be missing, and out-parameters, `as` C++ types; and `std::function` under `lang: c`."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES
from tests.behaviour.test_mistakes import mistake_in

CODE = """\
wrapper_lib: {name: knobs, lang: c, cpp_include: [cstdarg, cstring, functional]}
cpp_prelude: |
  struct knob { int at; };
  inline int knob_set(knob *k, int what, ...) {
    va_list more;
    va_start(more, what);
    const void *given = va_arg(more, const void *);
    va_end(more);
    if (given == nullptr) return -1;
    if (what == 0) return k->at + static_cast<int>(std::strlen(static_cast<const char *>(given)));
    return what == 1 ? k->at + static_cast<const knob *>(given)->at : static_cast<const unsigned char *>(given)[0];
  }
  template <class... A>
  int knob_set_any(const knob *k, A... a) { return knob_set(const_cast<knob *>(k), a...); }
  inline long live = 0;
  inline int knob_find(knob **out, int at) {
    ++live;
    *out = new knob{at};
    return at < 0;
  }
  inline int knob_find_any(void **out, int at) { return knob_find(reinterpret_cast<knob **>(out), at); }
  inline void knob_free(const knob *k) {
    --live;
    delete k;
  }
  inline std::function<int(int)> kept;
  inline void keep(std::function<int(int)> f) { kept = f; }
  inline int fire(int n) { return kept(n); }
  struct hooks { std::function<int(int)> on; };
  inline void keep_hooks(const hooks *h) { kept = h->on; }
errors:
  - {type: st, cpp_type: int, ok: value == 0}
structs:
  - {name: Hooks, cpp_type: hooks, fields: {on: {type: fn(i32) -> i32, scope: held}}}
enums:
  - {name: Text, cpp_type: int, values: {NAME: 1}}
  - {name: Number, cpp_type: int, values: {SIZE: 1}}
handle_types:
  - name: Knob
    cpp_type: const knob *
    cpp_drop: knob_free
    methods:
$METHODS
functions:
  - {def: "find(at: i32) -> Knob", cpp: "knob_find((knob * *)&out, at)", raises: st}
  - {def: "find_any(at: i32) -> Knob", cpp: "knob_find_any((void * *)&out, at)", raises: st}
  - {def: "keep(f: fn(i32) -> i32)", params: {f: {scope: held}}}
  - {def: "keep_hooks(h: Hooks)"}
  - {def: "fire(n: i32) -> i32"}
  - {def: "put(option: Number, value: i64) -> i64", cpp_body: return value;}
  - {def: "put(option: Text, value: text) -> i64", cpp_body: return -1;}
  - {def: "kind(value: bool) -> text", cpp_body: return "bool";}
  - {def: "kind(value: i64) -> text", cpp_body: return "int";}
  - {def: "live() -> i64", cpp_body: return live;}
"""
SETS = {
    "text(t: text?)": "0, (const char *)t",
    "detour(t: text?)": "0, (const char *)(t ? t->c_str() : nullptr)",
    "plain_detour(t: text)": "0, (const char *)t.c_str()",
    "unsigned_text(t: text)": "0, (const unsigned char *)t",
    "other(k: Knob?)": "1, (const knob *)k",
    "some_other(k: Knob)": "1, (const void *)k",
    "data(d: bytes?)": "2, (const void *)d",
}


METHODS = "\n".join(
    f"      - {{def: '{head} -> i32', cpp: '::knob_set_any(self, {arguments})'}}" for head, arguments in SETS.items()
)


@pytest.fixture(params=ENGINES)
def knobs(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build_text(CODE.replace("$METHODS", METHODS), name="knobs").load(request.param)


@pytest.mark.trial("as-for-what-may-be-missing")
def test_what_may_be_missing_is_null(knobs: ModuleType) -> None:
    knob, other = knobs.find(2), knobs.find_any(5)
    assert [knob.text("abc"), knob.text(None), knob.detour("abc"), knob.detour(None)] == [5, -1, 5, -1]
    assert [knob.plain_detour("abc"), knob.unsigned_text("abc")] == [5, 5]
    assert [knob.other(other), knob.other(None), knob.some_other(other)] == [7, -1, 7]
    assert [knob.data(b"a"), knob.data(None)] == [97, -1]


@pytest.mark.parametrize("name", ["text", "detour", "plain_detour", "unsigned_text"])
def test_a_text_has_no_other_nul(knobs: ModuleType, name: str) -> None:
    with pytest.raises(ValueError, match=r"^t: embedded null character$"):
        getattr(knobs.find(2), name)("a\0b")


def test_a_failing_call_releases_what_it_wrote(knobs: ModuleType) -> None:
    before = knobs.live()
    for find in (knobs.find, knobs.find_any):
        with pytest.raises(knobs.KnobsError):
            find(-1)
    assert knobs.live() == before


def test_a_function_of_c_plus_plus_is_held_under_lang_c(knobs: ModuleType) -> None:
    knobs.keep(lambda n: n + 1)
    assert knobs.fire(4) == 5
    knobs.keep_hooks(knobs.Hooks(lambda n: n * 2))
    assert knobs.fire(4) == 8


def test_a_bool_is_an_int_where_no_form_takes_bools(knobs: ModuleType) -> None:
    assert [knobs.put(knobs.Number.SIZE, True), knobs.put(knobs.Number.SIZE, 7)] == [1, 7]
    assert [knobs.kind(True), knobs.kind(1)] == ["bool", "int"]
    with pytest.raises(TypeError, match="takes no"):
        knobs.put(knobs.Text.NAME, True)


@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_a_number_for_an_enum_is_reported_at_the_field(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", compiler)
    text = """\
wrapper_lib: {name: wrong, lang: c}
cpp_prelude: |
  typedef enum { low, high } level;
  struct entry { int size; level at; };
structs:
  - name: Entry
    cpp_type: entry
    fields:
      size: i32
      at: i32
functions:
  - {def: "first(e: Entry) -> Entry", cpp_body: return e;}
"""
    found = mistake_in(text).diagnostic
    assert (found.span.line, found.message) == (
        10,
        "the spec declares a number for a field that holds an enum of C++",
    )
