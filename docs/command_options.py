"""The page of every command's options, from the command itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from wrapper_gen.cli.commands import main

_OF_ALL = 4
"""An option that so many commands have, with the same words, is told once."""


def page() -> str:
    """What `--help` says of each command, with the options that most have once."""
    commands = {name: command for name, command in main.commands.items() if not command.hidden}
    rows = {name: dict(_rows(command)) for name, command in commands.items()}
    told = [row for each in rows.values() for row in each.items()]
    common = dict.fromkeys(row for row in told if told.count(row) >= _OF_ALL)
    parts = [
        "# Every command and option",
        "What `wrapper-gen COMMAND --help` says, for all commands. [The command](command.md) tells what they are for, "
        "and its exit codes.",
    ]
    for name, command in commands.items():
        usage = " ".join(command.collect_usage_pieces(click.Context(command, info_name=name)))
        own = {option: said for option, said in rows[name].items() if (option, said) not in common}
        rest = [option for option, said in rows[name].items() if (option, said) in common]
        also = f"Also {', '.join(rest)}." if rest else ""
        text = [f"## {name}", f"`wrapper-gen {name} {usage}`", _plain(command.help or ""), _table(own), also]
        parts.append("\n\n".join(filter(None, text)))
    parts.append(f"## Options of several commands\n\n{_table(dict(common.keys()))}")
    return "\n\n".join(parts) + "\n"


def _rows(command: click.Command) -> Iterator[tuple[str, str]]:
    context = click.Context(command)
    for each in command.params:
        if isinstance(each, click.Option) and not each.hidden:
            value = "" if each.is_flag else f" {each.make_metavar(context)}"
            said = _plain(each.help or "")
            said += " Repeatable." if each.multiple and "repeatable" not in said.lower() else ""
            yield f"`{', '.join([*each.opts, *each.secondary_opts])}{value}`", said


def _table(rows: dict[str, str]) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    lines = [f"| {cell(option)} | {cell(said)} |" for option, said in rows.items()]
    return "\n".join(["| option | meaning |", "|---|---|", *lines]) if rows else ""


def _plain(text: str) -> str:
    """As one paragraph, without click's marks."""
    return " ".join(re.sub(r"\x08|\f.*", "", text, flags=re.DOTALL).split())
