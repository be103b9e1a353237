"""Earlier spellings of the spec language, which are read as the present one; the only place that knows them.

`modern` rewrites a document, its data and its places, before anything else looks at it. What a change means is in one
module for each topic. **To add a rule**:

1. Write a function into the module of its topic (`names.py`, …), with a docstring `old → new`. It gets an `At`: the
   mapping (`at.container`), the key that it is for (`at.key`, `at.value`), the mappings around that (`at.around`: of a
   parameter of a method the class and the method), and the whole file (`at.spec`, `at.library`). Nothing has been
   checked: test every value's type, and leave alone what does not fit, for the schema to tell.
2. Change the document by the `At`'s methods, or by those of `at.rewriter` where it is another mapping: `rename`,
   `replace` (a scalar, or by a mapping or list), `insert` behind a key, `remove`, `move`, `undecided` (`TODO`, with the
   reason). Never change `at.container` itself. A rule that finds nothing to do changes nothing.
3. Name it in `RULES`, in a line of its own: where, the key, the function; and `is_silent=True` for a spelling of the
   original format, which is read for good, `is_alone=False` where the change is wrong without those of other rules
   (a deprecation has no fix then, as where it changes other mappings than its own). Of one mapping, the rules of the
   first key go first; where several are for one key, they go in their order. `Where.SPEC` comes before everything else,
   and `Where.END` after it.

A rule must do nothing to what it made: `modern` of a modern document changes nothing. `replace` finds by itself which
part of a new text is the former one (by its start and end); where that is in the middle, give it `pieces`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wrapper_gen.diagnostics import Diagnostic, Fix, Severity
from wrapper_gen.frozen import replace
from wrapper_gen.spec.document import Document
from wrapper_gen.spec.former import (
    callables,
    callbacks,
    calls,
    changed,
    classes,
    defaults,
    endings,
    errors,
    failing,
    iteration,
    kinds,
    layouts,
    library,
    lifetimes,
    memory,
    names,
    options,
    orders,
    owners,
    positions,
    preludes,
    release,
    signatures,
    streams,
    structs,
    waiting,
)
from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.walk import At, Rule, Where, by_place, places

RULES = (
    Rule(Where.SPEC, "errors", errors.errors),
    Rule(Where.SPEC, "cpp_prelude", preludes.templates, is_alone=False, what="`inner` of a handle in a template"),
    Rule(Where.LIBRARY, "init", errors.init),
    Rule(Where.LIBRARY, "init", library.init, is_alone=False),
    Rule(Where.LIBRARY, "guard", library.guard),
    Rule(Where.LIBRARY, "modules", library.modules),
    Rule(Where.LIBRARY, "uses", library.uses),
    Rule(Where.CLASS, "each", errors.each),
    Rule(Where.CLASS, "each", iteration.of_class, is_alone=False),
    Rule(Where.CALLBACK, "raises", errors.raised_in_c),
    Rule(Where.CALLBACK, "name", callbacks.listed, is_alone=False),
    Rule(Where.ENTRY, "name", signatures.define, is_silent=True),
    Rule(Where.ENTRY, "def", signatures.beside, is_silent=True),
    Rule(Where.ENTRY, "handle", owners.owner, is_silent=True),
    Rule(Where.ENTRY, "names", signatures.names),
    Rule(Where.ENTRY, "return_doc", signatures.return_doc),
    Rule(Where.ENTRY, "raises", errors.raises),
    Rule(Where.ENTRY, "result", errors.result),
    Rule(Where.ENTRY, "each", errors.each),
    Rule(Where.ENTRY, "each", iteration.of_entry, is_alone=False),
    Rule(Where.ENTRY, "def", errors.nothing, what="no result, of a status that is thrown away,"),
    Rule(Where.ACCESSOR, "raises", errors.raises),
    Rule(Where.ACCESSOR, "result", errors.result),
    Rule(Where.LIBRARY, "cpp_prefix", names.renamed),
    Rule(Where.LIBRARY, "cpp_case", names.renamed),
    Rule(Where.LIBRARY, "cpp_std", names.renamed),
    Rule(Where.LIBRARY, "python_package", names.renamed),
    Rule(Where.LIBRARY, "python_sources", names.python_sources),
    Rule(Where.LIBRARY, "requires", library.requires),
    Rule(Where.LIBRARY, "dynamic", library.dynamic),
    Rule(Where.LIBRARY, "include_paths", library.folders, is_silent=True),
    Rule(Where.LIBRARY, "search_paths", library.folders, is_silent=True),
    Rule(Where.ENUM, "cpp_prefix", names.renamed),
    Rule(Where.TYPE, "is", names.renamed),
    Rule(Where.TYPE, "free", names.renamed),
    Rule(Where.TYPE, "cases", kinds.cases),
    Rule(Where.CLASS, "cpp_prefix", names.renamed),
    Rule(Where.LIBRARY, "thread_safe", classes.thread),
    Rule(Where.PROPERTY, "get", classes.getter),
    Rule(Where.INTERFACE, "methods", classes.overridden),
    Rule(Where.ENTRY, "static", classes.static),
    Rule(Where.ENTRY, "protected", classes.protected),
    Rule(Where.ENTRY, "params", callables.of_parameters),
    Rule(Where.STRUCT, "fields", callables.of_fields),
    Rule(Where.STRUCT, "make", structs.make),
    Rule(Where.STRUCT, "init", structs.init),
    Rule(Where.STRUCT, "accessors", structs.accessors, is_alone=False),
    Rule(Where.FIELD, "get", structs.getter),
    Rule(Where.FIELD, "mut", structs.reference),
    Rule(Where.LIBRARY, "blocking_drop", release.blocking_drop),
    Rule(Where.CLASS, "blocking_drop", release.blocking_drop),
    Rule(Where.CLASS, "cpp_drop", release.cpp_drop),
    Rule(Where.ENTRY, "transfer", release.transfer),
    Rule(Where.ACCESSOR, "transfer", release.transfer),
    Rule(Where.PROPERTY, "transfer", release.transfer),
    Rule(Where.CLASS, "identity", classes.identity),
    Rule(Where.CLASS, "properties", classes.properties),
    Rule(Where.ENTRY, "out", memory.out),
    Rule(Where.ENTRY, "free", memory.free),
    Rule(Where.ENTRY, "length", memory.length),
    Rule(Where.ACCESSOR, "out", memory.out),
    Rule(Where.ACCESSOR, "free", memory.free),
    Rule(Where.ACCESSOR, "length", memory.length),
    Rule(Where.PARAMETER, "direction", changed.direction),
    Rule(Where.PARAMETER, "order", layouts.of_parameter, is_alone=False),
    Rule(Where.ENTRY, "strides", layouts.strides),
    Rule(Where.ENTRY, "order", layouts.of_result),
    Rule(Where.PARAMETER, "cpp_default", defaults.of_cpp),
    Rule(Where.PROPERTY, "out", memory.out),
    Rule(Where.PROPERTY, "free", memory.free),
    Rule(Where.PROPERTY, "length", memory.length),
    Rule(Where.CLASS, "lent_by", lifetimes.belongs_to),
    Rule(Where.CLASS, "invalidates", lifetimes.ends_of_class),
    *(
        Rule(where, key, rewrite)
        for where in (Where.ENTRY, Where.PROPERTY, Where.ACCESSOR)
        for key, rewrite in (
            ("owned_on_failure", failing.failing),
            ("invalidates", failing.failing),
            ("params", failing.failing),
            ("params", failing.taken),
            ("replaces", lifetimes.replaces),
            ("releases", lifetimes.lets_go),
            ("holds", lifetimes.holds),
            ("keep_alive", lifetimes.kept),
            ("borrow", lifetimes.unending),
            ("borrow", endings.ended_results),
            ("invalidates", endings.ends),
        )
    ),
    Rule(Where.INTERFACE, "each", errors.each),
    Rule(Where.INTERFACE, "each", iteration.of_class, is_alone=False),
    Rule(Where.PROPERTY, "raises", errors.raises),
    Rule(Where.PROPERTY, "result", errors.result),
    Rule(Where.ENTRY, "def", options.named, what="`**` without a name"),
    Rule(Where.ENTRY, "params", positions.said, is_alone=False),
    Rule(Where.ENTRY, "def", positions.unsaid, what="a number as a key, which is no `position` and no `key`,"),
    Rule(Where.ENTRY, "byte_offset", positions.result),
    Rule(Where.ENTRY, "stream", streams.of_entry),
    Rule(Where.ENTRY, "async", waiting.ended),
    Rule(Where.ENTRY, "cpp_params", callbacks.of_virtual),
    *(Rule(where, "cpp_params", orders.arguments) for where in (Where.ENTRY, Where.PROPERTY, Where.ACCESSOR)),
    Rule(Where.ENTRY, "cpp_fn", calls.function, is_silent=True),
    Rule(Where.ENTRY, "cpp_method", calls.member, is_silent=True),
    *(
        Rule(where, key, rewrite, is_silent=True)
        for where in (Where.PROPERTY, Where.ACCESSOR)
        for key, rewrite in (("cpp_fn", calls.accessor_function), ("cpp_method", calls.accessor_member))
    ),
    Rule(Where.ENTRY, "py_name", names.in_python, is_silent=True),
    Rule(Where.END, "streams", streams.section),
    Rule(Where.END, "callbacks", callbacks.section, is_alone=False),
    Rule(Where.END, "wrapper_lib", positions.told, is_silent=True),
    Rule(Where.END, "interfaces", classes.interfaces, is_alone=False),
)
_RULES = by_place(RULES)


def modern(document: Document) -> tuple[Document, list[Diagnostic]]:
    """The document as the present language writes it, and what was found on the way."""
    rewriter = Rewriter(document)
    rewrite(rewriter)
    return rewriter.done(), rewriter.findings


def rewrite(rewriter: Rewriter) -> None:
    """Apply all rules."""
    in_parts: dict[int, list[int]] = {}
    beyond: set[int] = set()
    """Where mappings start from which something has gone elsewhere: written anew, they would have lost it."""
    for rule, at in places(rewriter.document, _RULES, rewriter):
        key, told = at.key, not rule.is_silent
        place = rewriter.key_place(at.container, key) if told else None
        rewriter.start_rule(is_told=told)
        inside = {id(at.container), *map(id, at.container.values())} if told else set()
        rule.rewrite(at)
        if place is not None and rewriter.steps:
            hint = rewriter.told()
            fixes = tuple(rewriter.fixes) if len(rewriter.steps) == 1 else ()  # one that makes a part would break it
            start = rewriter.document.places[id(at.container)][2]
            if not (rule.is_alone and rewriter.touched <= inside):  # elsewhere it may depend on what is around
                fixes = ()
                beyond.add(start)
            elif not fixes:
                in_parts.setdefault(start, []).append(len(rewriter.findings))
            message = (
                f"{rule.what or repr(key)} is a spelling of earlier versions, which 'wrapper-gen migrate' rewrites"
            )
            span = rewriter.document.source.span(*place)
            rewriter.findings.append(Diagnostic("WG290", message, span, hint, Severity.WARNING, fixes=fixes))
    if in_parts:
        _fix_in_braces(rewriter, {start: listed for start, listed in in_parts.items() if start not in beyond})


def _fix_in_braces(rewriter: Rewriter, in_parts: Mapping[int, Sequence[int]]) -> None:
    """Give findings that no single replacement of a key or a value mends one of the mapping that they are in."""
    from wrapper_gen.spec.former.text import rewritten_in_braces  # only for deprecations, and for the command

    document = rewriter.done()
    for at, (start, end, text) in rewritten_in_braces(document, rewriter.changes, in_parts).items():
        fix = Fix("write it as it is said now", document.source.span(start, end), text)
        for number in in_parts[at]:
            rewriter.findings[number] = replace(rewriter.findings[number], fixes=(fix,))


__all__ = ["RULES", "At", "Rule", "Where", "modern"]
