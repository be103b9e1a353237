"""Calls of a stream: each is made again until all of its input is taken, and what it writes is the result."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen import names
from wrapper_gen.model import Function, Module, Streaming
from wrapper_gen.queries import error_of, possible_errors
from wrapper_gen.quoting import c_string
from wrapper_gen.tiers.bridge.deduced import Deduced
from wrapper_gen.tiers.bridge.reports import given, objects_of_call, of_status, tested, written_result
from wrapper_gen.tiers.bridge.user_code import parameter_names
from wrapper_gen.tiers.bridge.ways import untold
from wrapper_gen.tiers.bridge.windows import source, type_of
from wrapper_gen.types.hints import Way
from wrapper_gen.types.rows import ResultRow
from wrapper_gen.types.spelling import descriptor
from wrapper_gen.types.tuples import items_of


def streamed(found: Deduced, streaming: Streaming, function: Function, out: ResultRow, module: Module) -> Iterator[str]:
    """The statements that make the calls, and return what they have written."""
    own = dict(zip((p.name for p in function.parameters), parameter_names(function), strict=True))
    windows = f"{type_of(source(streaming), 'wg_source')}, {type_of(streaming.stream.output, 'wg_sink')}"
    yield f"auto wg_stream = wg::stream<{windows}>(wg_engine, wg_source, wg_sink);"
    yield f"const auto wg_step = [&]() {{ {' '.join(_step(found.call, function, out, module))} }};"
    shown = c_string(names.python(streaming.limit))
    limit = f"wg::checked<wg::usize>({own[streaming.limit]}, {shown})" if streaming.limit else "0"
    data = own.get(streaming.input, "std::string_view()")
    run = f"wg_stream.run({data}, {limit}, wg_step, {found.is_last})"
    others = items_of(function.returns)[1:]
    if not others:
        yield f"return {run}.room;"
        return
    yield f"auto wg_streamed = {run};"
    yield "[[maybe_unused]] auto &wg_value = wg_streamed.value;"
    value = "wg_value"
    if function.reported.result:
        value = f"{names.said_of('result', function)}({given(function, uses_value=True)})"
    types = [f"wg::Value<{descriptor(each, Way.RESULT, module.name)}>" for each in others]
    made = [f"wg::convert<{type_}>({each})" for type_, each in zip(types, ("wg_streamed.taken", value), strict=False)]
    kind = "std::pair" if len(others) == 1 else "std::tuple"
    items = ", ".join(["std::move(wg_streamed.room)", *made])
    whole = f"{kind}<decltype(wg_streamed.room), {', '.join(types)}>({items})"
    yield written_result(whole, out)


def _step(call: str, function: Function, out: ResultRow, module: Module) -> Iterator[str]:
    """One call, its status tested."""
    yield f"auto wg_value = {call};"
    if error := error_of(function, module):
        yield from tested(of_status(function), error, function, out, module)
    elif own := untold(function, module):
        yield f"static_cast<void>({own}::test(wg_value{objects_of_call(function, possible_errors(function, module))}));"
    yield "return wg_value;"
