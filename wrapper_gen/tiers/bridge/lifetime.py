"""What starts and ends the library, in the bridge."""

from __future__ import annotations

from wrapper_gen.expressions import called
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Code, Module
from wrapper_gen.tiers.bridge.status_names import struct
from wrapper_gen.views.placement import placed


@frozen
class LifetimeView:
    """The statements that start and end the library; empty where there is nothing to do."""

    start: str
    end: str


def lifetime_view(module: Module) -> LifetimeView | None:
    """None where the library needs neither."""
    lifetime = module.library.init
    if lifetime is None:
        return None
    end = ""
    if lifetime.shutdown:
        end = placed(Code(f"    static_cast<void>({called(lifetime.shutdown.text)});", lifetime.shutdown.span), module)
    return LifetimeView(_start(lifetime.init, lifetime.raises, module) if lifetime.init else "", end)


def _start(init: Code, raises: str | None, module: Module) -> str:
    start = called(init.text)
    statuses = [error for error in module.errors if error.ok]
    named = next((error for error in statuses if error.type == raises), None)
    others = [error for error in statuses if named is None or error.cpp_type != named.cpp_type or error is named]
    types = ", ".join(struct(error, module) for error in others)
    line = f"    wg::check_start{f'<{types}>' * bool(types)}([]() -> decltype(auto) {{ return {start}; }});"
    return placed(Code(line, init.span), module)
