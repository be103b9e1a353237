"""All questions about headers, in an order in which each can use the answers to those before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from wrapper_gen.drafts.answers import Questions
from wrapper_gen.drafts.decisions import SKIPPED, Decisions, LibraryOptions, RecordRole
from wrapper_gen.drafts.questions import (
    calls,
    constants,
    kept_memory,
    left_out,
    lifetimes,
    ownership,
    records_c,
    records_cpp,
    startup,
    statuses,
    templates,
    written,
)
from wrapper_gen.drafts.questions.context import Context
from wrapper_gen.drafts.uses import uses
from wrapper_gen.frozen import replace
from wrapper_gen.headers import CFunction, Headers


def ask(headers: Headers, options: LibraryOptions, questions: Questions, exported: Collection[str]) -> Decisions:
    """Everything that the answers, and what is proposed, decide about these headers."""
    started = startup.ask(headers, questions)
    left = left_out.ask(headers, questions, exported) | startup.left_out(headers, started)
    functions = [each for each in headers.all_functions() if each.key not in left]
    context = Context(options, headers, questions, functions, uses(headers, functions))
    found_statuses = statuses.ask(context)
    roles = records_c.ask(context) if options.is_c else records_cpp.ask(context)
    context = replace(context, functions=[each for each in functions if not _is_of_no_class(each, roles, options)])
    owned, borrowed = ownership.ask_results(context, roles)
    keeps = lifetimes.ask_keeps(context, roles, owned)
    return Decisions(
        options=options,
        headers=headers,
        functions=functions,
        left_out=left,
        library=started,
        roles=roles,
        statuses=found_statuses,
        owned=owned,
        borrowed=borrowed,
        keeps=keeps,
        keeps_memory=kept_memory.ask(context, roles),
        referring=frozenset() if options.is_c else lifetimes.referring(functions, keeps),
        ends=lifetimes.ask_ends(context, roles, borrowed),
        released_by=ownership.ask_memory(context),
        callables=calls.ask_callables(context) if options.is_c else {},
        lengths=calls.ask_lengths(context) if options.is_c else {},
        buffers=calls.ask_buffers(context) if options.is_c else {},
        instances={} if options.is_c else templates.ask(context),
        writes=written.ask(context),
        macro_enums=constants.ask(context, found_statuses),
        skipped_constants=constants.skipped(context),
    )


def _is_of_no_class(function: CFunction, roles: Mapping[str, Sequence[RecordRole]], options: LibraryOptions) -> bool:
    """Whether a function is of a class of C++ that is left out, or of a template: nothing is asked of it."""
    if options.is_c or not function.owner:
        return False
    found = roles.get(function.owner, ())
    return not found or found[0].kind == SKIPPED
