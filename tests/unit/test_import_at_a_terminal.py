"""Answers of `import --answers`: parts of answers, help, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from wrapper_gen.cli import main
from wrapper_gen.cli.exit_codes import INTERRUPTED

pytest.importorskip("clang.cindex")

from wrapper_gen.drafts.answers import Question, State
from wrapper_gen.drafts.partial_answers import completed

TREE = """\
typedef struct demo_node demo_node;
typedef struct demo_parser demo_parser;
/** Makes a node. */
demo_node *demo_node_new(void);
void demo_node_free(demo_node *node);
demo_node *demo_node_first_child(demo_node *node);
demo_node *demo_node_next(demo_node *node);
/** Adds a child. */
void demo_node_append_child(demo_node *node, demo_node *child);
/** Puts a child in the place of another one. */
void demo_node_replace(demo_node *node, demo_node *other);
demo_parser *demo_parser_new(void);
void demo_parser_free(demo_parser *parser);
/** Gives what was parsed. */
demo_node *demo_parser_finish(demo_parser *parser);
char *demo_node_text(const demo_node *node);
"""
KEEPS = {"uses": ["a_use"], "ask": ["a_add", "a_insert_after", "a_insert_before"]}


@pytest.mark.parametrize(
    ("group", "value", "typed", "whole"),
    [
        ("keeps", KEEPS, "takes", "{uses: [a_use], takes: [a_add, a_insert_after, a_insert_before]}"),
        ("keeps", KEEPS, "takes: a_add", "{uses: [a_use], ask: [a_insert_after, a_insert_before], takes: [a_add]}"),
        ("keeps", KEEPS, "holds: [a_insert_.*, b]",
         "{uses: [a_use], ask: [a_add], holds: [a_insert_after, a_insert_before, b]}"),
        ("keeps", KEEPS, "takes: [a_use, a_add], holds: [a_insert_.*]",
         "{uses: [], takes: [a_use, a_add], holds: [a_insert_after, a_insert_before]}"),
        ("keeps", KEEPS, "takes: [(]", "{uses: [a_use], ask: [a_add, a_insert_after, a_insert_before], takes: [(]}"),
        ("keeps", KEEPS, "{takes: [a_add]}", "{takes: [a_add]}"),
        ("keeps", KEEPS, "skip", "skip"),
        ("keeps", KEEPS, "ask", "ask"),
        ("keeps", KEEPS, "takes: [", "{takes: [}"),
        ("keeps", {"uses": ["a_use"]}, "takes", "takes"),
        ("entries", {"ask": ["f", "g"]}, "skip", "{skip: [f, g]}"),
        ("memory", "?", "release: free", "{release: free}"),
        ("records", {"handle": "A", "release": "f"}, "belongs_to: {root: A}",
         "{handle: A, release: f, belongs_to: {root: A}}"),
        ("statuses", {"name": "E", "ok": [0]}, "of: all, ok: [1]", "{name: E, ok: [1], of: all}"),
        ("leave", "for tests", "no: yes", "no: yes"),
        ("lengths", "?", "text", "text"),
    ],
)  # fmt: skip
def test_a_part_of_an_answer_keeps_the_rest(group: str, value: Any, typed: str, whole: str) -> None:
    asked = Question(group, "key", value, "", State.OPEN, 0, "", value)
    assert completed(asked, typed) == whole


def answered(tmp_path: Path, *lines: str, code: int = 0) -> tuple[str, str]:
    """What the command says, and the answers that it writes."""
    (tmp_path / "demo.h").write_text(TREE, encoding="utf-8")
    arguments = ["demo.h", "--lib", "demo", "--include", str(tmp_path), "-o", str(tmp_path), "--answers"]
    done = CliRunner().invoke(main, ["import", *arguments], input="".join(f"{line}\n" for line in lines))
    assert done.exit_code == code, done.output
    return done.output, (tmp_path / "demo.import").read_text(encoding="utf-8")


def order(said: str) -> list[str]:
    return [line.partition("] ")[2].partition(" (")[0] for line in said.splitlines() if line.startswith("[")]


def test_one_goes_back_to_change_an_answer(tmp_path: Path) -> None:
    said, answers = answered(tmp_path, "<", "borrowed", "", "?", "<", "<", "owned", *[""] * 12)
    first, second, third = "results: demo_node", "keeps: demo_node", "memory: char *"
    assert order(said)[:7] == [first, first, second, third, second, first, second]
    assert "this is the first question" in said
    assert said.count("release: free}: what frees") == 1
    assert "ask: [demo_parser_finish]" not in answers
    assert "owned: [demo_node_new, demo_parser_finish], borrowed: [demo_node_first_child, demo_node_next]" in answers
    assert (
        "  proposed: {owned: [demo_node_new], borrowed: [demo_node_first_child, demo_node_next, demo_parser_fin" in said
    )


def test_what_an_answer_brings_up_is_asked_next(tmp_path: Path) -> None:
    said, _ = answered(tmp_path, "owned", "takes", "release: free", "belongs_to: {root: Node}", *[""] * 12)
    late = order(said)[order(said).index("records: demo_node") + 1 :]
    assert any(each.startswith("ends: ") for each in late)


@pytest.mark.parametrize(
    ("lines", "code"),
    [(["owned", "takes", "release: free"], 0), (["owned", "takes"], INTERRUPTED), (["owned"], INTERRUPTED)],
)
def test_a_pipe_may_end_where_nothing_is_open(tmp_path: Path, lines: list[str], code: int) -> None:
    """What is only proposed is kept then."""
    said, answers = answered(tmp_path, *lines, code=code)
    assert ("stopped: the answers so far are in" in said) == bool(code)
    assert "borrowed: [demo_node_first_child, demo_node_next]" in answers
    assert ("{release: free}" in answers) != bool(code)
