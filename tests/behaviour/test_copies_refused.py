"""What would be a copy where the spec means the object, or be made of what has ended, does not compile."""

from __future__ import annotations

import pytest

from tests.behaviour.test_mistakes import errors_of

LIBRARY = """\
wrapper_lib: {name: wrong, cpp_include: [functional, memory, string, vector]}
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
  struct hears {
      virtual ~hears() = default;
      virtual void heard(mat &) {}
      virtual void seen(const mat &) {}
      virtual void given(mat) {}
  };
handle_types:
  - {name: Mat, cpp_type: mat}
"""
WRONG = {
    "methods": """\
  - {name: Window, cpp_type: window}
  - {name: Shared, cpp_type: counted}
  - {name: Sole, cpp_type: "mat *", cpp_drop: delete h.inner}
  - {name: Ref, cpp_type: "mat *", lent_by: Owner}
  - {name: Adder, cpp_type: "std::function<int(int)>"}
  - name: Owner
    cpp_type: owner
    properties:
      first: {type: Mat, get: {cpp_method: part, keep_alive: h}}  # wrong
      second: {type: Mat, get: part}  # wrong
      third: {type: Mat, get: {cpp_method: part, belongs_to: nothing}}
      held: Sole  # wrong
      theirs: {type: Sole, get: {cpp_method: held, transfer: none, keep_alive: h}}
      grown: Sole
    methods:
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
    ),
    "after a status": ("the lambda returns an expression", "the result is a copy", "Python would change a copy"),
    "functions": ("C++ passes the callable an object that it may change, T &, and the handle would hold a copy",),
    "virtual": ("C++ passes the callable an object that it may change, T &, and the handle would hold a copy",),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("place", WRONG)
def test_copies_and_expressions_do_not_compile(place: str) -> None:
    text = LIBRARY + WRONG[place]
    said = errors_of(text)
    for number, line in enumerate(text.splitlines(), 1):
        assert (f"wrong.wrapper_spec:{number}:" in said) == line.endswith("# wrong"), f"{line}\n{said}"
    assert all(each in said for each in SAID[place])
