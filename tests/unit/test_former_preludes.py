"""What the code of a prelude tells of earlier specs: templates that take handles, and functions that it declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from wrapper_gen.spec.former.migrate import Migrated, migrate

HANDLES = "handle_types: [{name: A, cpp_type: a}, {name: P, cpp_type: p *}]\n"


def migrated(folder: Path, text: str) -> Migrated:
    path = folder / "a.wrapper_spec"
    path.write_text(text, encoding="utf-8")
    return migrate(path, path.name)


def spec(prelude: str, *entries: str, library: str = "") -> str:
    code = "".join(f"  {line}\n" for line in prelude.splitlines())
    listed = "".join(f"  - {{{each}}}\n" for each in entries)
    return f"wrapper_lib: {{name: demo{library}}}\ncpp_prelude: |\n{code}{HANDLES}functions:\n{listed}"


# --- templates over handles -------------------------------------------------------------------------------------------

REFERENCE = 'def: "f(x: A)", cpp: g, cpp_params: [{value: t(x)}]', 'def: "f(x: A)", cpp: g(t(x))'
POINTER = 'def: "f(x: A?)", cpp: g, cpp_params: [{value: "t(1, x)"}]', 'def: "f(x: A?)", cpp: "g(t(1, x))"'


@pytest.mark.parametrize(
    ("before", "after", "entry"),
    [
        ("#define X\nint t(const H &h) { return h.inner.n + h.inner.m; }", "return h.n + h.m;", REFERENCE),
        ("a *t(H &h) { return &h.inner; }", "return &h;", REFERENCE),
        ("int t(int n, const H *h) { return h ? h->inner.n : n; }", "return h ? h->n : n;", POINTER),
        ("a t(int n, H *h) { return h ? h->inner : a{n}; }", "return h ? *h : a{n};", POINTER),
        ("a *t(int, H *h) { if (h) return &h->inner; return nullptr; }", "if (h) return h;", POINTER),
        ("int t(int n, H *h) { return n + h->inner[1] + !h; }", "return n + (*h)[1] + !h;", POINTER),
    ],
)
def test_a_template_takes_what_the_object_holds(
    tmp_path: Path, before: str, after: str, entry: tuple[str, str]
) -> None:
    head, template, rest = before.rpartition("\n")
    made = migrated(tmp_path, spec(f"{head}{template}template <class H>\n{rest}", entry[0]))
    assert made.undecided == ()
    assert after in made.after
    assert made.after.endswith(f"  - {{{entry[1]}}}\n")
    assert "\ncpp_prelude: |\n" in made.after  # in the layout that it had


@pytest.mark.parametrize(
    ("code", "entries"),
    [
        ("int t(const H &h) { return n(h); }", [REFERENCE[0]]),  # it may do anything with it
        ("int t(const H &h) { return h.inner.n; }", [REFERENCE[0], 'def: "k(x: A)", cpp_body: return u(t(x));']),
        ("int t(const H &h) { return h.inner.n; }\nint u(int n) { return t(n); }", [REFERENCE[0]]),
        ("int t(const H *h) { return h->inner.n; }", [REFERENCE[0]]),  # which is no pointer
        ("int t(int, const H *h) { return h->inner->n; }", [POINTER[0].replace("A?", "P?")]),
        ("int t(const H &h) { H copy = h; return h.inner.n; }", [REFERENCE[0]]),
        ("int t(const H &h);", [REFERENCE[0]]),
    ],
)
def test_a_template_that_may_need_the_handle_is_left_to_a_person(tmp_path: Path, code: str, entries: list[str]) -> None:
    made = migrated(tmp_path, spec(f"template <class H>\n{code}", *entries))
    assert code.splitlines()[0] in made.after
    assert "in a call 'x' is no object" in made.undecided[0]


# --- lengths, by what is declared -------------------------------------------------------------------------------------

PACK = 'def: "f(x: bytes) -> i64", cpp: {name}, cpp_params: [x, {{value: 0}}]'


@pytest.mark.parametrize(
    ("code", "name", "call"),
    [
        ("long g(const void *p, size_t n, int flags);", "g", '"g(x, x.size(), 0)"'),
        ("inline long g(std::string_view text, int flags = 0) { return text.size() + flags; }", "g", '"g(x, 0)"'),
        ("namespace lib {\nlong g(const char *, std::size_t, int);\n}", "lib::g", '"lib::g(x, x.size(), 0)"'),
        ("struct g { explicit g(std::string_view text, int flags); };", "g", '"g(x, 0)"'),
        ("long g(const char *p, size_t n, int flags, int more = 2);", "g", '"g(x, x.size(), 0)"'),
    ],
)
def test_a_declaration_tells_whether_there_is_a_length(tmp_path: Path, code: str, name: str, call: str) -> None:
    made = migrated(tmp_path, spec(code, PACK.format(name=name)))
    assert (made.undecided, made.after.count(f"cpp: {call}")) == ((), 1)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("long g(const char *p, size_t n, int flags = 0);", "g"),  # which both calls fit
        ("long g(std::string_view text, int);\nlong g(const char *, size_t, int);", "g"),
        ("long h(int n) { return g(n, 0); }", "g"),  # a call
        ("long g(std::string_view text, int);", "other::g"),
        ("", "g"),
    ],
)
def test_without_a_declaration_a_person_says_it(tmp_path: Path, code: str, name: str) -> None:
    made = migrated(tmp_path, spec(code or "#", PACK.format(name=name)))
    assert "if C++ takes the length of 'x' behind it" in made.undecided[0]


def test_a_header_beside_the_spec_is_read(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/g.h").write_text("long g(const void *p, size_t n, int flags);\n", encoding="utf-8")
    text = spec("#", PACK.format(name="g"), library=", cpp_include: g.h, sources: [lib/g.h]")
    assert 'cpp: "g(x, x.size(), 0)"' in migrated(tmp_path, text).after


# --- what C passes to a callable --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "type_", "where", "made"),
    [
        ("", "fn(i64) -> bool", "first", '{name: FF, type: "fn(a: i64) -> bool", cpp: "(user_data, a)"}'),
        ("", "fn(n: i64, s: text)", "last", '{name: FF, type: "fn(n: i64, s: text)", cpp: "(n, s, user_data)"}'),
        ("", "fn()", "last", "{name: FF, type: fn(), cpp: (user_data)}"),
        (
            "long g(long (*f)(void *data, const void *p, size_t n), void *data);",
            "fn(bytes) -> i64",
            "first",
            '{name: FF, type: "fn(a: bytes) -> i64", cpp: "(user_data, a, a.size())"}',
        ),
        (
            "long g(long (*f)(std::string_view text, void *data), void *data);",
            "fn(bytes) -> i64",
            "last",
            '{name: FF, type: "fn(a: bytes) -> i64", cpp: "(a, user_data)"}',
        ),
    ],
)
def test_the_arguments_of_a_callable_are_listed(tmp_path: Path, code: str, type_: str, where: str, made: str) -> None:
    entry = f'def: "f(f: {type_})", cpp: g, params: {{f: {{user_data: {where}, scope: call}}}}'
    after = migrated(tmp_path, spec(code or "#", entry))
    assert after.undecided == ()
    assert made in after.after
    assert after.after.endswith('  - {def: "f(f: FF)", cpp: g, scope: call}\n')


# --- what nobody has implemented --------------------------------------------------------------------------------------


def test_what_is_not_implemented_stays_as_it_is(tmp_path: Path) -> None:
    entries = "name: f", 'name: g, cpp_fn: "", params: [{name: x, type: i64, doc: n}], return: i64, return_doc: more'
    text = spec("#", *entries)
    made = migrated(tmp_path, text)
    assert (made.after, made.undecided) == (text, ())
    done = migrated(tmp_path, text.replace("name: f", "name: f, cpp_fn: k"))
    assert done.after == text.replace("name: f", "def: f(), cpp: k")


def test_what_is_not_implemented_and_says_more_is_left_to_a_person(tmp_path: Path) -> None:
    made = migrated(tmp_path, spec("#", "name: f, blocking: true"))
    assert "nothing said it" in made.undecided[0]
