"""What starts and ends the library, in the bridge."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.model import Code, Module
from wrapper_gen.tiers.bridge.statuses import alias, struct
from wrapper_gen.views.placement import placed


@frozen
class LifetimeView:
    """The statements that start and end the library; empty where there is nothing to do."""

    start: str
    end: str


def lifetime_view(module: Module) -> LifetimeView | None:
    """None where the library needs neither."""
    lifetime = module.library.lifetime
    if lifetime is None:
        return None
    end = ""
    if lifetime.shutdown:
        end = placed(Code(f"    static_cast<void>({_called(lifetime.shutdown)});", lifetime.shutdown.span), module)
    return LifetimeView(_start(lifetime.init, lifetime.raises, module) if lifetime.init else "", end)


def _start(init: Code, raises: str | None, module: Module) -> str:
    called = _called(init)
    statuses = [error for error in module.errors if error.ok]
    named = next((error for error in statuses if error.type == raises), None)
    if named:
        line = f"    wg::check<{struct(named, module)}>(wg::status<{alias(named, module)}>({called}));"
    else:
        types = ", ".join(struct(error, module) for error in statuses)
        line = f"    wg::check_start{f'<{types}>' * bool(types)}([]() -> decltype(auto) {{ return {called}; }});"
    return placed(Code(line, init.span), module)


def _called(code: Code) -> str:
    """An expression as it is; a name is called."""
    text = code.text.strip()
    is_name = all(names.is_identifier(part) for part in text.split("::") if part)
    return f"{text}()" if is_name else text
