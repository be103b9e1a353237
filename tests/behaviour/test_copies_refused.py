"""What would be a copy where the spec means the object, or be made of what has ended, does not compile."""

from __future__ import annotations

import pytest

from tests.behaviour import packages
from tests.behaviour.test_mistakes import errors_of

LIBRARY = """\
wrapper_lib: {name: wrong, cpp_include: [functional, list, map, memory, string, vector]}
cpp_prelude: |
  struct sum;
  struct mat {
      std::vector<double> v;
      mat() = default;
      mat(const sum &);
      mat(const std::string &text) : v(text.size()) {}
  };
  struct sum { const mat &a, &b; };
  inline mat::mat(const sum &s) : v(s.a.v) {}
  inline sum operator+(const mat &a, const mat &b) { return {a, b}; }
  struct word { std::string of; word(const char *text) : of(text) {} };
  struct window { mat *of; };
  template <> inline constexpr bool wg::is_view<window> = true;
  struct counted { std::shared_ptr<mat> of; long use_count() const { return of.use_count(); } };
  struct owner {
      mat m;
      window w{&m};
      counted c;
      counted &shared() { return c; }
      mat *held = &m;
      mat *grown() { return new mat(m); }
      std::vector<mat *> all{&m};
      std::list<mat *> linked{&m};
      const std::vector<mat *> &listed() const { return all; }
      const std::map<std::string, mat *> &named() const { static const std::map<std::string, mat *> of; return of; }
      std::vector<mat *> made() const { return {new mat(m)}; }
      const std::vector<const char *> &words() const { static const std::vector<const char *> of; return of; }
      mat &part() { return m; }
      mat &operator[](int) { return m; }
      mat &operator()(int) { return m; }
      const mat &seen() const { return m; }
      window &view() { return w; }
      owner &self() { return *this; }
      void visit(const std::function<void(mat &)> &f) { f(m); }
      void look(const std::function<void(const mat &)> &f) { f(m); }
      void copies(const std::function<void(mat)> &f) { f(m); }
      void numbered(const std::function<void(int, mat &)> &f) { f(1, m); }
      template <class F> void any(F f) { f(m); }
      void windows(const std::function<void(window &)> &f) { f(w); }
  };
  inline void each_for_c(void (*f)(mat &, void *), void *data) { mat m; f(m, data); }
  inline void copied_for_c(void (*f)(mat, void *), void *data) { f(mat(), data); }
  inline void in_slots(void (*f)(mat &)) { mat m; f(m); }
  struct tint {
      int r = 1;
      int red() const { return r; }
      int red_by(int times) const { return r * times; }
      bool same(const tint &other) const { return r == other.r; }
      int count() { return r++; }
      int both() const { return r; }
      int both() { return r++; }
      int over(int by) { return r += by; }
      int over(const char *) const { return r; }
  };
  struct bucket {
      tint spare;
      tint &tinted() { return spare; }
      void take(tint &of) { of.r++; }
      void show(const std::function<void(tint &)> &f) { f(spare); }
  };
  struct hears {
      virtual ~hears() = default;
      virtual void heard(mat &) {}
      virtual void seen(const mat &) {}
      virtual void given(mat) {}
  };
handle_types:
  - {name: Mat, cpp_type: mat, methods: [{def: "clear()", cpp: self.v.clear()}]}
"""
WRONG = {
    "methods": """\
  - {name: Window, cpp_type: window}
  - {name: Shared, cpp_type: counted}
  - {name: Sole, cpp_type: "mat *", cpp_drop: delete h.inner}
  - {name: Ref, cpp_type: "mat *", lent_by: Owner}
  - {name: Adder, cpp_type: "std::function<int(int)>"}
  - {name: Word, cpp_type: word, release: value.of.clear()}
  - name: Owner
    cpp_type: owner
    properties:
      first: {type: Mat, get: {cpp_method: part, keep_alive: h}}  # wrong
      second: {type: Mat, get: part}  # wrong
      third: {type: Mat, get: {cpp_method: part, belongs_to: nothing}}
      held: Sole  # wrong
      theirs: {type: Sole, get: {cpp_method: held, transfer: none, keep_alive: h}}
      grown: Sole
      all: "[Sole]"  # wrong
      all_of_it: {type: "[Sole]", get: {cpp_method: all, transfer: none, keep_alive: h}}
    methods:
      - {def: "listed() -> [Sole]"}  # wrong
      - {def: "named() -> {text: Sole}"}  # wrong
      - {def: "paired() -> (Sole, i64)", cpp_method: "[](owner &o) -> std::pair<mat *, int> { return {o.grown(), 1}; }"}
      - {def: "written() -> [Sole]", cpp_body: "return h.inner.linked;"}  # wrong
      - {def: "made() -> [Sole]"}
      - {def: "words() -> [Word]"}
      - {def: "made_here() -> [Sole]", cpp_body: "std::vector<mat *> of = h.inner.made(); return of;"}
      - {def: "plus(a: Mat) -> Mat", cpp_method: "[](const owner &o, const mat &a) { return o.m + a; }"}  # wrong
      - {def: "plus_mat(a: Mat) -> Mat", cpp_method: "[](const owner &o, const mat &a) -> mat { return o.m + a; }"}
      - {def: "made(a: Mat) -> Mat", cpp_body: "return h.inner.m + a.inner;"}
      - {def: "spelled() -> Mat", cpp_method: "[](const owner &) { return std::string(3, ' '); }"}
      - {def: "adder(by: i32) -> Adder", cpp_method: "[](owner &, int by) { return [by](int a) { return a + by; }; }"}
      - {def: "part() -> Mat", keep_alive: h}  # wrong
      - {def: "unsaid() -> Mat", cpp_method: part}  # wrong
      - {def: "copied() -> Mat", cpp_method: part, belongs_to: nothing}
      - {def: "shared() -> Shared"}
      - {def: "__getitem__(i: i32) -> Mat"}  # wrong
      - {def: "unsaid_by_lambda() -> Mat", cpp_method: "[](owner &o) -> mat & { return o.m; }"}  # wrong
      - {def: "__call__(i: i32) -> Mat", keep_alive: h}  # wrong
      - {def: "by_lambda() -> Mat", cpp_method: "[](owner &o) -> mat & { return o.m; }", keep_alive: h}  # wrong
      - {def: "seen() -> Mat", keep_alive: h}
      - {def: "ref() -> Ref", cpp_method: "[](owner &o) { return &o.m; }"}
      - {def: "view() -> Window", keep_alive: h}
      - {def: "visit(f: fn(Mat))", params: {f: {scope: call}}}  # wrong
      - {def: "visit_ref(f: fn(Ref))", cpp_method: visit, params: {f: {scope: call}}}
      - {def: "look(f: fn(Mat))", params: {f: {scope: call}}}
      - {def: "copies(f: fn(Mat))", params: {f: {scope: call}}}
      - {def: "numbered(f: fn(i32, Mat?))", params: {f: {scope: call}}}  # wrong
      - {def: "any(f: fn(Mat))", params: {f: {scope: call}}}
      - {def: "windows(f: fn(Window))", params: {f: {scope: call}}}
""",
    "unchanged": """\
  - name: Read
    cpp_type: tint
    fields: {r: i32, own: {type: i32, cpp: self.r}}
    methods:
      - {def: "red() -> i32"}
      - {def: "red_by(times: i32) -> i32"}
      - {def: "same(other: Read) -> bool"}
      - {def: "twice() -> i32", cpp: "[](const tint &of) { return of.r * 2; }"}
  - {name: Set, cpp_type: tint, fields: {r: mut i32}}
  - {name: Counting, cpp_type: tint, methods: [{def: "count() -> i32"}]}
  - {name: CountingField, cpp_type: tint, fields: {count: i32}}
  - {name: Both, cpp_type: tint, methods: [{def: "both() -> i32"}]}
  - {name: Overloaded, cpp_type: tint, methods: [{def: "over(by: i32) -> i32"}]}
  - {name: Taken, cpp_type: tint, methods: [{def: "red() -> i32"}]}
  - {name: Coded, cpp_type: tint, methods: [{def: "code() -> i32", cpp: self.r++}]}
  - {name: ByLambda, cpp_type: tint, methods: [{def: "code() -> i32", cpp: "[](auto &of) { return of.r++; }"}]}
  - {name: Inside, cpp_type: tint, methods: [{def: "cells() -> array[i32; 1]", cpp: "&self.r", belongs_to: self}]}
  - name: Bucket
    cpp_type: bucket
    fields:
      spare: Read
      spare_set: {type: Set, cpp: spare}  # wrong
    methods:
      - {def: "read() -> Read", cpp: tinted}
      - {def: "read_by_lambda() -> Read", cpp: "[](bucket &of) -> tint & { return of.spare; }"}
      - {def: "set() -> Set", cpp: tinted}  # wrong
      - {def: "copied() -> Set", cpp: tinted, belongs_to: nothing}
      - {def: "counting() -> Counting", cpp: tinted}  # wrong
      - {def: "counting_field() -> CountingField", cpp: tinted}  # wrong
      - {def: "both() -> Both", cpp: tinted}  # wrong
      - {def: "overloaded() -> Overloaded", cpp: tinted}  # wrong
      - {def: "taken() -> Taken", cpp: tinted}  # wrong
      - {def: "take(of: Taken)"}
      - {def: "coded() -> Coded", cpp: tinted}  # wrong
      - {def: "by_lambda() -> ByLambda", cpp: tinted}  # wrong
      - {def: "inside() -> Inside", cpp: tinted}  # wrong
      - {def: "show(f: fn(Read))", scope: call}
      - {def: "show_set(f: fn(Set))", cpp: show, scope: call}  # wrong
""",
    "after a status": """\
  - name: Owner
    cpp_type: owner
    methods:
      - {def: "part() -> Mat", keep_alive: h, raises: &tested {type: state, from: int(h.inner.m.v.size())}}  # wrong
      - {def: "unsaid() -> Mat", cpp_method: part, raises: *tested}  # wrong
      - {def: "copied() -> Mat", cpp_method: part, belongs_to: nothing, raises: *tested}
      - {def: "plus(a: Mat) -> Mat", cpp_method: "[](owner &o, mat &a) { return o.m + a; }", raises: *tested}  # wrong
      - {def: "by_result() -> Mat", cpp_method: self, result: value.part(), keep_alive: h, raises: *tested}  # wrong
errors:
  - {type: state, cpp_type: int, ok: [0], exception: StateError}
""",
    "functions": """\
functions:
  - {def: "each_for_c(f: fn(Mat))", scope: call}  # wrong
  - {def: "copied_for_c(f: fn(Mat))", scope: call}
  - {def: "in_slots(f: fn(Mat))", scope: call}  # wrong
""",
    "virtual": """\
  - name: Hears
    cpp_type: hears
    methods:
      - {def: "Hears()"}
      - {def: "virtual heard(m: Mat)"}  # wrong
      - {def: "virtual seen(m: Mat)"}
      - {def: "virtual given(m: Mat)"}
""",
}
SAID = {
    "methods": (
        "the lambda returns an expression",
        "C++ returns a reference, and the handle type holds its object: the result is a copy",
        "C++ returns an object that may be changed, T &, and the handle type holds its object: Python would",
        "C++ passes the callable an object that it may change, T &, and the handle would hold a copy",
        "Owner.held: each handle of what this reads would release it, and the object has it",
        "C++ keeps the container that this is, T &, with the pointers in it, and each handle would release one of them",
    ),
    "unchanged": (
        "Python would change a copy; if a copy is meant, say belongs_to: nothing, which is needed where",
        "C++ passes the callable an object that it may change, T &, and the handle would hold a copy",
    ),
    "after a status": ("the lambda returns an expression", "the result is a copy", "Python would change a copy"),
    "functions": ("C++ passes the callable an object that it may change, T &, and the handle would hold a copy",),
    "virtual": ("C++ passes the callable an object that it may change, T &, and the handle would hold a copy",),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", WRONG)
def test_copies_and_expressions_do_not_compile(place: str) -> None:
    text = LIBRARY + WRONG[place]
    said = errors_of(text)
    for number, line in enumerate(text.splitlines(), 1):
        assert (f"wrong.wrapper_spec:{number}:" in said) == line.endswith("# wrong"), f"{line}\n{said}"
    assert all(each in said for each in SAID[place])


UNCHANGED = """\
wrapper_lib: {name: badges}
cpp_prelude: |
  struct badge {
      int number = 1;
      int twice() const { return 2 * number; }
      bool is_before(const badge &other) const { return number < other.number; }
  };
  class desk {
      badge first_;
  public:
      badge spare{5};
      badge &first() { return first_; }
      void renumber(int to) { first_.number = spare.number = to; }
  };
handle_types:
  - name: Badge
    cpp_type: badge
    fields: {number: i32}
    methods: [{def: "Badge()"}, {def: "twice() -> i32"}, {def: "is_before(other: Badge) -> bool"}]
  - name: Desk
    cpp_type: desk
    fields: {spare: Badge}
    methods: [{def: "Desk()"}, {def: "first() -> Badge"}, {def: "renumber(to: i32)"}]
"""


def test_where_python_changes_nothing_a_copy_is_taken(engine: str) -> None:
    desk = packages.build_text(UNCHANGED, name="badges").load(engine).Desk()
    first, spare = desk.first(), desk.spare
    assert (first.number, first.twice(), spare.number, first.is_before(spare)) == (1, 2, 5, True)
    desk.renumber(7)
    assert (first.number, spare.number, desk.first().number, desk.spare.number) == (1, 5, 7, 7)
    with pytest.raises(AttributeError):
        first.number = 3
