"""The language server for specs, through its protocol: what an editor asks of it, and what it says."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.language_servers import Document, LanguageServer
from tests.lsp.large_spec import large, processor_time, questions
from wrapper_gen.lsp import signature_tokens
from wrapper_gen.lsp.findings import findings
from wrapper_gen.lsp.type_words import TYPE_WORDS

pytest.importorskip("pygls")

COMMAND = [sys.executable, "-m", "wrapper_gen", "lsp"]
ZLIB_H = Path("/usr/include/zlib.h")
needs_zlib = pytest.mark.skipif(not ZLIB_H.exists(), reason="needs zlib.h: apt install zlib1g-dev")

ZLIB = """\
wrapper_lib:
  name: zlib
  lang: c
  cpp_include: zlib.h
  requires: zlib
errors:
  - {name: ZlibError, cpp_type: int, ok: [Z_OK], message: zError(value)}
enums:
  - {name: Flush, cpp_type: unsigned, prefix: Z_, values: [NO_FLUSH, FINISH]}
handle_types:
  - name: Deflater
    doc: A stream that compresses.
    cpp_type: z_stream
    in_place: true
    release: deflateEnd(value)
    prefix: deflate
    methods:
      - {def: "bound(size: u64) -> u64", cpp: deflateBound, doc: At most.}
      - {def: "params(level: i32, flush: Flush = NO_FLUSH)", cpp: "deflateParams(self, level, flush)",
         raises: ZlibError}
functions:
  - {def: "zlibVersion() -> text"}
  - {def: "compressBound(sourceLen: u64) -> u64", doc: "How large 😀 it gets", cpp: compressBound}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specs")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LanguageServer]:
    snippets = {"completion": {"completionItem": {"snippetSupport": True}}}
    server = LanguageServer(COMMAND, folder, textDocument=snippets)
    yield server
    assert server.close() == 0
    assert "Traceback" not in server.errors, server.errors


@pytest.fixture
def opened(server: LanguageServer, folder: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Opens texts, and closes them in the end."""
    documents: list[Document] = []

    def open_(text: str, name: str = "") -> Document:
        path = folder / (name or f"{request.node.name.partition('[')[0]}{len(documents)}.wrapper_spec")
        documents.append(Document(server, path, text, "wrapper-spec"))
        return documents[-1]

    yield open_
    for each in documents:
        each.close()


def labels(answer: Any) -> list[str]:
    return [each["label"] for each in answer["items"]]


def item(answer: Any, label: str) -> Any:
    (found,) = [each for each in answer["items"] if each["label"] == label]
    return found


# --- diagnostics and fixes --------------------------------------------------------------------------------------------


def test_a_right_spec_has_no_findings(opened: Any) -> None:
    assert opened("wrapper_lib: {name: fine}\nfunctions: [{def: 'f() -> i64'}]\n").diagnostics() == []


def test_findings_are_those_of_the_loader_at_the_character(opened: Any) -> None:
    document = opened('wrapper_lib: {name: lib}\nfunctions:\n  - {doc: "😀é", def: "f(x: i65)"}\n')
    (found,) = document.diagnostics()
    assert found["code"] == "WG030"
    assert found["severity"] == 1
    assert found["source"] == "wrapper-gen"
    assert document.within(found["range"]) == "i65"
    assert "unknown type 'i65'" in found["message"]


def test_columns_are_those_of_the_encoding_that_both_sides_know(folder: Path) -> None:
    text = 'wrapper_lib: {name: lib}\nfunctions:\n  - {doc: "😀é", def: "f(x: i65)"}\n'
    columns = {}
    for encoding in ("utf-8", "utf-16", "utf-32"):
        server = LanguageServer(COMMAND, folder, general={"positionEncodings": [encoding]})
        try:
            assert server.capabilities["positionEncoding"] == encoding
            (found,) = Document(server, folder / "a.wrapper_spec", text, "yaml").diagnostics()
            columns[encoding] = found["range"]["start"]["character"]
        finally:
            server.kill()
    before = text.splitlines()[2].partition("i65")[0]
    assert columns == {
        "utf-8": len(before.encode()),
        "utf-16": len(before.encode("utf-16-le")) // 2,
        "utf-32": len(before),
    }


def test_a_fix_can_be_applied(opened: Any) -> None:
    document = opened("wrapper_lib: {name: lib, lang: TODO}\nfunctions: [{def: 'f()'}]\n")
    (finding,) = document.diagnostics()
    assert finding["code"] == "WG102"
    actions = document.of("codeAction", range=finding["range"], context={"diagnostics": [finding]})
    assert {each["kind"] for each in actions} == {"quickfix"}
    chosen = next(each for each in actions if each["title"].startswith("c:"))
    document.change(document.applied(chosen["edit"]["changes"][document.uri]))
    assert "lang: c}" in document.text
    assert document.diagnostics() == []


def test_a_misspelt_key_is_mended(opened: Any) -> None:
    document = opened("wrapper_lib: {name: lib}\nfunctions: [{def: 'f()', rises: nothing}]\n")
    (finding,) = document.diagnostics()
    (action,) = document.of("codeAction", range=finding["range"], context={"diagnostics": [finding]})
    assert action["isPreferred"]
    assert "raises: nothing" in document.applied(action["edit"]["changes"][document.uri])


def test_actions_are_those_of_the_place_that_is_asked_for(opened: Any) -> None:
    document = opened("wrapper_lib: {name: lib}\nfunctions: [{def: 'f()', rises: nothing}]\n")
    start = {"line": 0, "character": 0}
    assert document.of("codeAction", range={"start": start, "end": start}, context={"diagnostics": []}) == []


def test_former_spellings_are_struck_through(opened: Any) -> None:
    document = opened("wrapper_lib: {name: lib, cpp_prefix: l_}\nfunctions: [{def: f()}]\n")
    assert [each.get("tags") for each in document.diagnostics() if each["code"] == "WG290"] == [[2]]


def test_text_that_is_not_saved_counts_in_the_spec_that_uses_it(opened: Any, folder: Path) -> None:
    (folder / "base.wrapper_spec").write_text("wrapper_lib: {name: base}\n", encoding="utf-8")
    user = opened("wrapper_lib: {name: top, uses: {base: base.wrapper_spec}}\nfunctions: [{def: 'f(x: base.Shape)'}]\n")
    assert [each["code"] for each in user.diagnostics()]
    opened("wrapper_lib: {name: base}\nhandle_types: [{name: Shape, cpp_type: shape}]\n", "base.wrapper_spec")
    assert user.diagnostics(matching=lambda listed: not listed) == []


# --- completion -------------------------------------------------------------------------------------------------------


def test_keys_are_completed_with_what_they_mean(opened: Any) -> None:
    document = opened("wrapper_lib:\n  name: lib\n  \nfunctions:\n  - def: f()\n    ra\n")
    found = document.at("completion", "name: lib\n  ")
    assert {"lang", "cpp_include", "requires"} <= set(labels(found))
    assert "name" not in labels(found)
    entry = document.at("completion", "    ra")
    raises = item(entry, "raises")
    assert raises["textEdit"]["newText"] == "raises: "
    assert document.within(raises["textEdit"]["range"]) == "ra"
    assert "a status that is not ok is raised" in raises["documentation"]["value"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("wrapper_lib: {name: lib, |}\n", "cpp_include"),
        ("wrapper_lib: {name: lib}\n|", "handle_types"),
        ("wrapper_lib: {name: lib}\nha|", "handle_types"),
        ("wrapper_lib: {name: lib}\nhandle_types:\n  - |", "cpp_type"),
        ("wrapper_lib: {name: lib}\nhandle_types:\n  - na|\n", "name"),
        ("wrapper_lib: {name: lib}\nhandle_types:\n  |", "name"),
        ("wrapper_lib: {name: lib}\nhandle_types:\n  - name: A\n    |\nfunctions: []\n", "cpp_type"),
        ("wrapper_lib: {name: lib}\nhandle_types: [{name: A, methods: [{def: f(), |\n", "raises"),
        ("wrapper_lib: {name: lib}\nfunctions:\n  - def: 'f(size: i32)'\n    params: {|}\n", "size"),
        ("wrapper_lib: {name: lib}\nfunctions:\n  - def: 'f(size: i32)'\n    params:\n      |\n", "size"),
        ("wrapper_lib: {name: lib, lang: |}\n", "c"),
        ("wrapper_lib: {name: lib}\nfunctions:\n  - {def: f(), blocking: |}\n", "true"),
        ("errors: [{name: E, cpp_type: int, ok: [0]}]\nwrapper_lib: {name: l, raises: |\n", "E"),
        ("wrapper_lib: {name: l}\nfunctions:\n  - {def: 'f(a: text)', belongs_to: |}\n", "a"),
        ("wrapper_lib: {name: l}\nfunctions:\n  - {def: 'f(a: text)', capacity: |}\n", "a"),
        (
            "wrapper_lib: {name: l}\nerrors: [{name: E, cpp_type: int, ok: 0, exceptions: [{name: A, also: |",
            "ValueError",
        ),
        ("wrapper_lib: {name: l}\nhandle_types:\n  - {name: Shape}\nfunctions: [{def: 'f(a: |", "Shape"),
        ("wrapper_lib: {name: l}\nhandle_types:\n  - {name: Shape}\nfunctions: [{def: 'f() -> [|", "Shape"),
        ("wrapper_lib: {name: l}\nfunctions: [{def: 'f(a: |)'}]", "duration"),
        ("wrapper_lib: {name: l}\nenums: [{name: E, values: [RED]}]\nfunctions: [{def: 'f(a: E = |)'}]", "RED"),
        ("wrapper_lib: {name: l}\nstructs: [{name: P, fields: {x: |}}]", "f64"),
        ("wrapper_lib: {name: l}\nhandle_types:\n  - {name: A}\n  - {name: B, extends: |}", "A"),
    ],
)
def test_what_can_stand_there_is_offered(opened: Any, text: str, wanted: str) -> None:
    before, _, after = text.partition("|")
    document = opened(before + after)
    position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    params = {"textDocument": {"uri": document.uri}, "position": position}
    assert wanted in labels(document.server.ask("textDocument/completion", params))


def test_types_of_other_specs_are_offered(opened: Any, folder: Path) -> None:
    text = "wrapper_lib: {name: geo}\nhandle_types: [{name: Vec, cpp_type: Vec}]\n"
    (folder / "geo.wrapper_spec").write_text(text, encoding="utf-8")
    document = opened("wrapper_lib: {name: top, uses: {geo: geo.wrapper_spec}}\nfunctions: [{def: 'f(x: )'}]\n")
    assert "geo.Vec" in labels(document.at("completion", "f(x: "))


@needs_zlib
def test_functions_of_c_are_offered_in_a_def_with_their_signatures(opened: Any) -> None:
    document = opened(ZLIB.replace('{def: "zlibVersion() -> text"}', '{def: "comp"}'))
    wait_for_headers(document)
    compress = item(document.at("completion", '{def: "comp', '"}'), "compressBound")
    assert compress["textEdit"]["newText"] == "compressBound(sourceLen: u64) -> u64"
    assert compress["detail"] == "uLong compressBound(uLong sourceLen)"
    assert "upper bound" in compress["documentation"]["value"]
    assert document.within(compress["textEdit"]["range"]) == "comp"


@needs_zlib
def test_methods_are_offered_without_the_prefix_of_their_class_and_the_object(opened: Any) -> None:
    document = opened(ZLIB.replace('{def: "bound(size: u64) -> u64", cpp: deflateBound, doc: At most.}', "def: Pri"))
    wait_for_headers(document)
    prime = item(document.at("completion", "def: Pri"), "Prime")
    assert prime["textEdit"]["newText"] == '"Prime(bits: i32, value: i32)"'
    assert document.within(prime["textEdit"]["range"]) == "Pri"


@needs_zlib
def test_cpp_is_completed_with_the_library_and_the_entry(opened: Any) -> None:
    document = opened(ZLIB.replace("deflateParams(self, level, flush)", "deflateP(self, l"))
    wait_for_headers(document)
    assert "deflateParams" in labels(document.at("completion", '"deflateP'))
    assert {"level", "flush", "self"} <= set(labels(document.at("completion", "(self, l")))


@needs_zlib
@pytest.mark.parametrize(
    ("entry", "call"),
    [
        ('{def: "prime(bits: i32, value: i32)", cpp: deflatePr', '"deflatePrime(self, bits, value)"'),
        ('{def: "prime(bits: i32)", cpp: "deflatePr', "deflatePrime(self, bits, value)"),
        (
            '{def: "set(dictionary: bytes)", cpp: "deflateSetD',
            "deflateSetDictionary(self, dictionary, dictionary.size())",
        ),
        ('{def: "copy(source: Deflater)", cpp: "deflateCop', "deflateCopy(self, source)"),
        ('{def: "pending() -> (pending: u32, bits: i32)", cpp: deflatePen', '"deflatePending(self, &pending, &bits)"'),
    ],
)
def test_calls_are_offered_with_their_arguments(opened: Any, entry: str, call: str) -> None:
    document = opened(ZLIB.replace('{def: "bound(size: u64) -> u64", cpp: deflateBound, doc: At most.}', f"{entry}"))
    wait_for_headers(document)
    inserted = [each["textEdit"]["newText"] for each in document.at("completion", entry)["items"]]
    assert call in inserted


@needs_zlib
def test_parameters_of_c_are_offered_with_their_types_and_without_the_object(opened: Any) -> None:
    document = opened(ZLIB.replace('"bound(size: u64) -> u64"', '"bound("'))
    wait_for_headers(document)
    found = document.at("completion", '"bound(')
    assert [(each["label"], each["textEdit"]["newText"]) for each in found["items"]] == [
        ("sourceLen", "sourceLen: u64")
    ]


def test_a_default_is_of_the_enum_of_its_parameter(opened: Any) -> None:
    document = opened(
        ZLIB.replace("[NO_FLUSH, FINISH]}", "[NO_FLUSH, FINISH]}\n  - {name: E, cpp_type: e, values: [A]}")
    )
    found = labels(document.at("completion", "flush: Flush = ", "NO_FLUSH)"))
    assert {"NO_FLUSH", "FINISH"} <= set(found)
    assert "A" not in found


def test_items_of_a_list_in_brackets_get_braces(opened: Any) -> None:
    document = opened("wrapper_lib: {name: l}\nfunctions: []\n")
    found = item(document.at("completion", "functions: ["), "def")
    assert found["textEdit"]["newText"] == '{def: "$0"}'
    assert found["insertTextFormat"] == 2


@needs_zlib
def test_values_of_enums_and_statuses_are_completed_from_the_header(opened: Any) -> None:
    document = opened(ZLIB.replace("[NO_FLUSH, FINISH]", "[NO_FLUSH, F]").replace("[Z_OK]", "[Z_STR]"))
    wait_for_headers(document)
    assert "FINISH" in labels(document.at("completion", "NO_FLUSH, F"))
    assert "Z_STREAM_END" in labels(document.at("completion", "[Z_STR"))


@needs_zlib
def test_arguments_of_a_call_are_shown(opened: Any) -> None:
    document = opened(ZLIB)
    wait_for_headers(document)
    found = document.at("signatureHelp", '"deflateParams(self, ')
    assert found["activeParameter"] == 1
    (only,) = found["signatures"]
    assert [each["label"] for each in only["parameters"]] == ["z_streamp strm", "int level", "int strategy"]


def wait_for_headers(document: Document) -> None:
    """A hover over a name of C waits until the headers are read."""
    pytest.importorskip("clang")
    for _ in range(100):
        if "deflateEnd" in hovered(document, "release: deflateE"):
            return
    raise AssertionError("zlib.h is not read")


# --- hover, definition ------------------------------------------------------------------------------------------------


def hovered(document: Document, before: str, after: str = "") -> str:
    found = document.at("hover", before, after)
    return found["contents"]["value"] if found else ""


def test_a_key_is_explained_by_the_schema(opened: Any) -> None:
    text = hovered(opened(ZLIB), "in_pl")
    assert "made on the heap" in text
    assert "Default: `false`" in text


def test_types_are_explained(opened: Any) -> None:
    document = opened(ZLIB)
    assert "A stream that compresses." in hovered(document, "name: Defl")
    assert "enum" in hovered(document, "flush: Fl", "ush = ")
    assert "without a sign" in hovered(document, "size: u6", "4) ->")


@needs_zlib
def test_c_declarations_and_their_comments_are_shown(opened: Any) -> None:
    pytest.importorskip("clang")
    document = opened(ZLIB)
    named = hovered(document, 'def: "boun')
    assert "uLong deflateBound(z_streamp strm, uLong sourceLen)" in named
    assert "upper bound" in named
    assert "zlib.h:" in named
    assert "const char *zlibVersion(void)" in hovered(document, "zlibVer").replace("()", "(void)")
    assert "deflateParams" in hovered(document, '"deflatePar')
    assert "struct z_stream_s" in hovered(document, "cpp_type: z_st")
    assert "#define Z_FINISH" in hovered(document, "NO_FLUSH, FIN")
    assert "zError" in hovered(document, "message: zErr")


@needs_zlib
def test_members_of_the_class_are_found_in_its_methods(opened: Any) -> None:
    pytest.importorskip("clang")
    document = opened(ZLIB.replace("message: zError(value)", "message: {Deflater: self->msg, else: zError(value)}"))
    assert "last error message" in hovered(document, "self->ms")


@needs_zlib
def test_definitions_lie_in_the_header_and_in_the_spec(opened: Any) -> None:
    pytest.importorskip("clang")
    document = opened(ZLIB)
    header = ZLIB_H.read_text(encoding="utf-8").splitlines()
    (bound,) = document.at("definition", 'def: "boun')
    assert bound["uri"] == ZLIB_H.as_uri()
    assert "deflateBound" in header[bound["range"]["start"]["line"]]
    (called,) = document.at("definition", "cpp: compressB")
    assert "compressBound" in header[called["range"]["start"]["line"]]
    (flush,) = document.at("definition", "flush: Fl")
    assert flush["uri"] == document.uri
    assert document.within(flush["range"]) == "Flush"
    (raised,) = document.at("definition", "raises: Zlib")
    assert document.within(raised["range"]) == "ZlibError"
    (included,) = document.at("definition", "cpp_include: zli")
    assert included["uri"] == ZLIB_H.as_uri()


def test_a_default_is_a_value_of_the_enum_of_its_parameter(opened: Any) -> None:
    enums = "[{name: A, cpp_type: a, values: [ON, OFF]}, {name: B, cpp_type: b, values: [ON, OFF]}]"
    document = opened(
        f"wrapper_lib: {{name: l}}\nenums: {enums}\nfunctions: [{{def: 'f(a: A = ON, b: B = ON | OFF)'}}]\n"
    )
    assert "of the enum B" in hovered(document, "b: B = O")
    assert "of the enum A" in hovered(document, "a: A = O")
    (found,) = document.at("definition", "ON | O")
    assert found["range"]["start"] == document.place("cpp_type: b, values: [ON, ", "OFF")


def test_what_the_spec_has_of_cpp_is_found_there(opened: Any) -> None:
    text = "wrapper_lib: {name: l}\ncpp_prelude: |\n  inline int half(int x) { return x / 2; }\n"
    document = opened(f"{text}functions: [{{def: 'f(x: i32) -> i32', cpp: half}}]\n")
    assert "inline int half(int x)" in hovered(document, "cpp: ha")
    (found,) = document.at("definition", "cpp: ha")
    assert found["range"]["start"] == document.place("inline int ", "half")


def test_words_of_a_call_are_explained(opened: Any) -> None:
    document = opened(ZLIB)
    assert "the object of the call" in hovered(document, "(sel", "f, level")
    assert "what the call returned" in hovered(document, "zError(val")


def test_prose_is_not_explained(opened: Any) -> None:
    assert hovered(opened(ZLIB), "A stre") == ""


def test_a_header_that_is_nowhere_is_said_without_being_an_error(opened: Any) -> None:
    document = opened("wrapper_lib: {name: l, cpp_include: nowhere_at_all.h}\nfunctions: [{def: f()}]\n")
    (found,) = document.diagnostics()
    assert found["severity"] == 3
    assert document.within(found["range"]) == "nowhere_at_all.h"


def test_a_header_that_does_not_parse_is_said_with_its_place(opened: Any, folder: Path) -> None:
    pytest.importorskip("clang")
    (folder / "broken.h").write_text("int fine(void);\nint broken(nothing_such x);\n", encoding="utf-8")
    document = opened("wrapper_lib: {name: l, lang: c, cpp_include: broken.h, requires: [{dirs: .}]}\n")
    (found,) = document.diagnostics(matching=bool)
    assert found["severity"] == 3
    assert "broken.h:2:" in found["message"]


def test_headers_of_headers_are_the_librarys_in_its_folders(opened: Any, folder: Path) -> None:
    pytest.importorskip("clang")
    (folder / "inner").mkdir()
    (folder / "inner" / "deep.h").write_text("/// Deep down.\nint deep(int a);\n", encoding="utf-8")
    (folder / "outer.h").write_text('#include "inner/deep.h"\n', encoding="utf-8")
    document = opened(
        "wrapper_lib: {name: l, lang: c, cpp_include: outer.h, requires: [{dirs: .}]}\nfunctions: [{def: deep()}]\n"
    )
    assert "Deep down." in hovered(document, "def: de")


def test_a_changed_header_is_read_again(opened: Any, folder: Path) -> None:
    pytest.importorskip("clang")
    header = folder / "own" / "mine.h"
    header.parent.mkdir()
    header.write_text("int first(int a);\n", encoding="utf-8")
    document = opened(
        "wrapper_lib: {name: l, lang: c, cpp_include: mine.h, requires: [{dirs: own}]}\nfunctions: [{def: first()}]\n"
    )
    assert "int first(int a)" in hovered(document, "def: fir")
    header.write_text("/* What changed. */\nint first(long b);\n", encoding="utf-8")
    for _ in range(600):
        if "What changed." in hovered(document, "def: fir"):
            break
        time.sleep(0.1)
    assert "int first(long b)" in hovered(document, "def: fir")


PLANE_HPP = """\
#include <memory>
namespace geo {
/// A direction and a length.
class Vec {
public:
    explicit Vec(double x, double y = 0);
    /// How long it is.
    double Norm() const;
    double ScaledNorm(double by, int *steps) const;
    bool operator==(const Vec &) const;
};
enum class Mode { Fast, Exact };
double hull(const Vec &of, Mode how);
}  // namespace geo
"""
PLANE = """\
wrapper_lib: {name: plane, cpp_include: plane.hpp, prefix: "geo::", case: pascal, requires: [{dirs: [plane]}]}
enums:
  - {name: Mode, cpp_type: "geo::Mode", prefix: "geo::Mode::", values: [Fast, ]}
handle_types:
  - name: Vec
    cpp_type: std::shared_ptr<geo::Vec>
    fields: {norm: f64}
    methods:
      - {def: "Vec(x: f64, y: f64 = 0)"}
      - {def: ""}
functions:
  - {def: "hull(of: Vec, how: Mode = Fast) -> f64", cpp: "geo::hull(of, how)"}
"""


def test_classes_of_cpp_are_known_by_their_members(opened: Any, folder: Path) -> None:
    pytest.importorskip("clang")
    (folder / "plane").mkdir()
    (folder / "plane" / "plane.hpp").write_text(PLANE_HPP, encoding="utf-8")
    document = opened(PLANE)
    assert "How long it is." in hovered(document, "fields: {nor", "m: f64")
    assert "geo::Vec::Vec(double x, double y)" in hovered(document, '{def: "Ve', "c(x")
    assert "double geo::hull(const Vec &of, Mode how)" in hovered(document, 'cpp: "geo::hu')
    assert "A direction and a length." in hovered(document, "shared_ptr<geo::V")
    offered = document.at("completion", '{def: "', '"}')
    drafts = {each["label"]: each["textEdit"]["newText"] for each in offered["items"]}
    assert drafts["norm"] == "norm() -> f64"
    assert drafts["scaled_norm"] == "scaled_norm(by: f64) -> (steps: i32, result: f64)"
    assert "Exact" in labels(document.at("completion", "values: [Fast, "))
    (defined,) = document.at("definition", "Mode = Fa")
    assert document.within(defined["range"]) == "Fast"


# --- outline and colours ----------------------------------------------------------------------------------------------


def test_symbols_are_the_sections_and_their_entries(opened: Any) -> None:
    document = opened(ZLIB)
    found = {each["name"]: each for each in document.of("documentSymbol")}
    assert list(found) == ["wrapper_lib", "errors", "enums", "handle_types", "functions"]
    (deflater,) = found["handle_types"]["children"]
    assert (deflater["name"], deflater["kind"]) == ("Deflater", 5)
    assert [(each["name"], each["detail"]) for each in deflater["children"]] == [
        ("bound", "(size: u64) -> u64"),
        ("params", "(level: i32, flush: Flush = NO_FLUSH)"),
    ]
    assert [each["name"] for each in found["functions"]["children"]] == ["zlibVersion", "compressBound"]
    assert document.within(deflater["selectionRange"]) == "Deflater"


def test_specs_of_the_original_format_have_symbols_and_what_they_call(opened: Any, folder: Path) -> None:
    pytest.importorskip("clang")
    (folder / "former").mkdir()
    (folder / "former" / "wild.h").write_text("/* All of it. */\nint wild_size(int of);\n", encoding="utf-8")
    library = "{name: wild, lang: c, cpp_include: wild.h, include_paths: [former]}"
    entry = "{name: size, cpp_fn: wild_size, params: [{name: of, type: i32}], return: i32}"
    document = opened(f"wrapper_lib: {library}\nfunctions:\n  - {entry}\n")
    functions = document.of("documentSymbol")[1]["children"]
    assert [each["name"] for each in functions] == ["size"]
    assert "All of it." in hovered(document, "{name: siz", "e, cpp_fn")
    assert "All of it." in hovered(document, "cpp_fn: wild_si")
    assert "wild_size" in labels(document.at("completion", "cpp_fn: wild"))


def test_signatures_have_semantic_tokens(opened: Any) -> None:
    document = opened(ZLIB)
    legend = document.server.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    numbers = document.of("semanticTokens/full")["data"]
    line = character = 0
    found = []
    for at in range(0, len(numbers), 5):
        down, right, length, kind, _ = numbers[at : at + 5]
        line, character = line + down, right + (character if not down else 0)
        start, end = {"line": line, "character": character}, {"line": line, "character": character + length}
        found.append((document.within({"start": start, "end": end}), legend[kind]))
    wanted = [("params", "method"), ("level", "parameter"), ("i32", "type"), ("flush", "parameter"), ("Flush", "enum")]
    assert [each for each in found if each in wanted] == wanted
    assert ("NO_FLUSH", "enumMember") in found
    assert ("zlibVersion", "function") in found


# --- texts that are being typed ---------------------------------------------------------------------------------------


def test_the_last_of_many_quick_changes_counts(opened: Any) -> None:
    document = opened("wrapper_lib: {name: l}\n")
    for end in range(1, len(ZLIB), 40):
        document.change(ZLIB[:end])
    document.change("wrapper_lib: {name: l}\nfunctions: [{def: 'f(x: i65)'}]\n")
    (found,) = document.diagnostics()
    assert document.within(found["range"]) == "i65"


def test_a_document_that_is_closed_at_once_leaves_nothing(server: LanguageServer, folder: Path) -> None:
    document = Document(server, folder / "gone.wrapper_spec", "wrapper_lib: {nam: l}\n", "yaml")
    number = server.send(
        "textDocument/hover", {"textDocument": {"uri": document.uri}, "position": document.place("na")}
    )
    document.close()
    server.answer(number)
    again = Document(server, folder / "gone.wrapper_spec", "wrapper_lib: {name: l}\n", "yaml")
    assert again.diagnostics(matching=lambda listed: not listed) == []
    again.close()
    assert server.ask("textDocument/documentSymbol", {"textDocument": {"uri": document.uri}}) is None


def test_other_yaml_is_left_alone(server: LanguageServer, folder: Path) -> None:
    document = Document(server, folder / "other.yaml", "services: {web: 1}\n", "yaml")
    assert document.of("documentSymbol") is None
    document.close()


def test_several_documents_are_apart(opened: Any) -> None:
    documents = [opened(f"wrapper_lib: {{name: l}}\nfunctions: [{{def: 'f(x: T{i})'}}]\n") for i in range(5)]
    for i, each in enumerate(documents):
        (found,) = each.diagnostics()
        assert each.within(found["range"]) == f"T{i}"


ODD = [
    *(
        "",
        "\n",
        "-",
        "- ",
        "{",
        "[[[[",
        "{" * 3000,
        "- " * 3000,
        "a: " * 100,
        '"',
        "'",
        ": ",
        "|",
        "a: |",
        "\t",
        "\ufeff",
    ),
    *("? a\n: b", "---\n---", "a\x00b", "wrapper_lib: &a [*a]", "wrapper_lib: {name: \ud800}"),
    "wrapper_lib:\r\n  name: l\r\n  ",
    'wrapper_lib: {name: l}\nfunctions:\n- def: "f(a: \\"',
    "wrapper_lib: 3\nfunctions: 4\nenums: {a: b}",
    "wrapper_lib: {name: l}\nhandle_types: {name: {name: 1}}\nerrors: [[1]]\nfunctions: [{def: [1]}]\nenums: [1]",
]


def test_no_text_makes_the_server_stumble(opened: Any) -> None:
    chosen = random.Random(1)
    document = opened("wrapper_lib: {name: l}\n")
    texts = ODD + [half_typed(chosen) for _ in range(60)]
    for text in texts:
        document.change(text)
        lines = text.split("\n")
        for _ in range(4):
            line = chosen.randrange(len(lines))
            position = {"line": line, "character": chosen.randrange(len(lines[line]) + 2)}
            for method in ("completion", "hover", "definition", "signatureHelp"):
                document.of(method, position=position)
        document.of("documentSymbol")
        document.of("semanticTokens/full")
        start, end = {"line": 0, "character": 0}, {"line": len(lines), "character": 0}
        document.of("codeAction", range={"start": start, "end": end}, context={"diagnostics": []})


def half_typed(chosen: random.Random) -> str:
    start = chosen.randrange(len(ZLIB))
    text = ZLIB[: chosen.choice([start, len(ZLIB)])]
    for _ in range(chosen.randrange(4)):
        at = chosen.randrange(len(text) + 1)
        text = (
            text[:at] + chosen.choice(['"', "'", "{", "}", "[", "]", ":", "\n", "  ", ",", "#", "|", "- "]) + text[at:]
        )
    return text


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_an_answer_about_200_entries_takes_no_longer_than_reading_them_a_few_times(opened: Any, folder: Path) -> None:
    document = opened(large(200))
    assert document.diagnostics() == []
    spec = folder / "read.wrapper_spec"
    spec.write_text(document.text, encoding="utf-8")
    for name, ask in questions(document).items():
        reading, answering = time.process_time(), processor_time(document.server.process.pid)
        for _ in range(10):  # in turn: what slows the machine down slows both
            ask()
            assert not findings(spec, {})
        reading, answering = time.process_time() - reading, processor_time(document.server.process.pid) - answering
        assert answering < 5 * reading, name


# --- the command ------------------------------------------------------------------------------------------------------


def test_without_libclang_the_rest_works_and_says_what_to_install(folder: Path) -> None:
    program = "import sys; sys.modules['clang'] = None; from wrapper_gen.lsp import serve; serve('0')"
    server = LanguageServer([sys.executable, "-c", program], folder)
    try:
        document = Document(server, folder / "zlib.wrapper_spec", ZLIB, "yaml")
        (found,) = document.diagnostics(matching=bool)
        assert found["severity"] == 3
        assert "pip install 'wrapper-gen[import]'" in found["message"]
        assert "`deflateBound`" in hovered(document, 'def: "boun')
    finally:
        server.kill()


def test_the_server_ends_when_its_editor_is_gone(folder: Path) -> None:
    server = LanguageServer(COMMAND, folder)
    assert server.process.stdin is not None
    server.process.stdin.close()
    server.process.wait(60)
    server.kill()


def test_each_word_for_a_type_is_explained() -> None:
    assert set(signature_tokens.builtin_types()) <= set(TYPE_WORDS)
