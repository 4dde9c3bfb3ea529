# SPDX-License-Identifier: Apache-2.0
"""How the command line explains itself: `--help`, and the manual page, from the same parser.

Help is laid out here and not by typer, so that it reads alike with all of its versions: whole
sentences, words where a value stands, a usage line without brackets in brackets, and examples,
which a command gives as its `epilog`, a line each.
"""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

PROGRAM = "switchyard"


def usage(parameter: Any) -> str:
    """An argument as the usage line has it."""
    word = parameter.metavar or parameter.name.upper()
    several = "..." if parameter.nargs != 1 else ""
    return f"{word}{several}" if parameter.required else f"[{word}]{several}"


def name(parameter: Any) -> str:
    """An option with its other names and the word for its value; or an argument."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join(sorted(parameter.opts, key=len))
    flag = parameter.is_flag or parameter.count
    return names if flag else f"{names} {parameter.metavar or parameter.name.upper()}"


def about(parameter: Any) -> str:
    """What a parameter is, what it is otherwise, and between what it must lie."""
    text = str(parameter.help or "")
    more = []
    plain = parameter.default is not None and not callable(parameter.default)
    if plain and parameter.show_default and not isinstance(parameter.default, bool | list | tuple):
        default = getattr(parameter.default, "value", parameter.default)
        if str(default):
            more.append(f"{default} if not given")
    least, most = between(parameter)
    if least is not None:
        more.append(f"from {least} to {most}")
    return f"{text} ({', '.join(more)})" if more else text


def between(parameter: Any) -> tuple[Any, Any]:
    """The least and the most that a number may be; None and None where both are not said."""
    kind = parameter.type
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    return (None, None) if least is None or most is None else (least, most)


def wrong(error: Any) -> str:
    """The line for a parameter that is missing, or whose value is none; empty for other errors."""
    parameter = getattr(error, "param", None)
    if parameter is None:
        return ""
    word = name(parameter).split()[0].rstrip(",")
    if hasattr(error, "param_type"):  # only an error for what is missing has it
        return f"{word}: missing; expected {parameter.metavar}: {about(parameter).rstrip('.')}"
    least, most = between(parameter)
    if least is None:
        return ""
    given = re.match(r"'?(.*?)'? is not ", str(getattr(error, "message", "")))
    value = [given[1]] if given else []
    return f"{' '.join([word, *value])}: expected a whole number from {least} to {most}"


def examples(command: Any) -> list[str]:
    """Command lines that show what it is for."""
    return [line.strip() for line in (command.epilog or "").splitlines() if line.strip()]


def summary(command: Any) -> str:
    """What it does, in a sentence."""
    return " ".join((command.help or "").split("\n\n")[0].split())


class Command(TyperCommand):
    """A command that is explained as above."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """One line."""
        shown = [
            parameter
            for parameter in self.get_params(ctx)
            if not getattr(parameter, "hidden", False)
        ]
        arguments = [
            usage(parameter) for parameter in shown if parameter.param_type_name == "argument"
        ]
        formatter.write_usage(ctx.command_path, " ".join(["[OPTION]...", *arguments]))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = [
                (name(parameter), about(parameter))
                for parameter in self.get_params(ctx)
                if parameter.param_type_name == kind and not getattr(parameter, "hidden", False)
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=24)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are."""
        del ctx
        with formatter.section("Examples"):
            for line in examples(self):
                formatter.write(f"  {line}\n")


class Group(TyperGroup):
    """All commands, each with its whole sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of them."""
        known = [
            (command_name, self.get_command(ctx, command_name))
            for command_name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (command_name, summary(command))
                    for command_name, command in known
                    if command is not None
                ]
            )

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are."""
        del ctx
        with formatter.section("Examples"):
            for line in examples(self):
                formatter.write(f"  {line}\n")


def manual(app: Any) -> str:
    """The manual page of section 1, in roff, of the whole command line."""
    import typer

    group: Any = typer.main.get_command(app)
    context = group.make_context(PROGRAM, [], resilient_parsing=True)
    lines = [
        '.TH SWITCHYARD 1 "" "Switchyard" "User Commands"',
        ".SH NAME",
        f"switchyard \\- {_plain(summary(group)).rstrip('.')}",
        ".SH SYNOPSIS",
        ".B switchyard",
        "[OPTION]... COMMAND [ARGUMENT]...",
        ".SH OPTIONS",
    ]
    lines += _listed(group, context)
    lines.append(".SH COMMANDS")
    for command_name in group.list_commands(context):
        command = group.get_command(context, command_name)
        inner = command.make_context(command_name, [], parent=context, resilient_parsing=True)
        arguments = [
            usage(each) for each in command.get_params(inner) if each.param_type_name == "argument"
        ]
        lines += [f".SS {command_name}", f".B switchyard {_plain(command_name)}"]
        lines += [_plain(" ".join(["[OPTION]...", *arguments])), ".PP"]
        lines += [_plain(" ".join(part.split())) for part in command.help.split("\n\n")]
        lines += _listed(command, inner)
        lines += [".PP", "Examples:", ".nf", *(_plain(line) for line in examples(command)), ".fi"]
    lines += [
        ".SH EXIT STATUS",
        "0: done; 1: a guest, a build or an experiment failed; 2: wrong usage or bad input; "
        "129, 130, 143: ended by SIGHUP, Ctrl\\-C or SIGTERM.",
        ".SH ENVIRONMENT",
        "SWITCHYARD_STORE: where runs are kept; SWITCHYARD_MACHINE: another simulator; "
        "XDG_CACHE_HOME: where the folder switchyard is made for both.",
    ]
    return "\n".join(lines) + "\n"


def _listed(command: Any, context: Any) -> list[str]:
    lines = []
    for parameter in command.get_params(context):
        if not getattr(parameter, "hidden", False):
            lines += [".TP", f".B {_plain(name(parameter))}", _plain(about(parameter)) or "\\&"]
    return lines


def _plain(text: str) -> str:
    """Text without anything that roff would take for a request or a hyphen."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
