# SPDX-License-Identifier: Apache-2.0
"""What the command line says of itself, and how it lists: for people, for shells, for programs."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
import typer

from switchyard import cli, helps
from switchyard.experiments import EXPERIMENTS

GROUP: Any = typer.main.get_command(cli.app)
COMMANDS = list(GROUP.commands)


def helped(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "switchyard", *arguments, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself_with_examples_that_can_be_given(name: str) -> None:
    command = GROUP.commands[name]
    text = helped(name)
    whole = " ".join(text.split())
    assert helps.summary(command) in whole
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            assert parameter.help, parameter.name
            assert " ".join(helps.about(parameter).split()) in whole.replace("- ", "-")
            assert "<" not in helps.name(parameter)
    said = text.partition("Examples:\n")[2].replace("\\\n", " ").splitlines()
    assert said
    for line in said:
        program, given, *arguments = shlex.split(line)
        assert (program, given) == ("switchyard", name)
        command.make_context(name, arguments)  # raises where they are wrong


def test_no_sentence_is_cut() -> None:
    text = " ".join(helped().split())
    for command in GROUP.commands.values():
        assert helps.summary(command) in text


def test_the_manual_page_has_all_of_it() -> None:
    page = helps.manual(cli.app).replace("\\-", "-")
    for name, command in GROUP.commands.items():
        assert f".SS {name}\n" in page
        for parameter in command.params:
            assert f".B {helps.name(parameter)}\n" in page
    requests = set(re.findall(r"^\.(\S*)", page, re.M))
    assert requests == {"TH", "SH", "SS", "B", "TP", "PP", "nf", "fi"}


def completed(words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", "from switchyard.cli import main; main()"],
        env={
            **os.environ,
            "_SWITCHYARD_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


def test_a_shell_completes_commands_and_names() -> None:
    assert completed("switchyard expe") == ["experiments"]
    assert completed("switchyard run l4-ipc") == ["l4-ipc", "l4-ipc-size"]
    assert "versatilepb" in completed("switchyard boot --machine vers")
    assert "assabet-fass-test" in completed("switchyard build assabet-fass-t")
    assert completed("switchyard bench comp") == ["compute", "compute-i386"]


LISTS = [["machines"], ["machines", "sa1110"], ["experiments"], ["build", "--list"], ["doctor"]]


def listed(arguments: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.execute([*arguments, *([form] if form else [])]) in (0, 1)
    return capsys.readouterr().out


@pytest.mark.parametrize("arguments", LISTS)
def test_what_lists_does_so_for_programs(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    objects = json.loads(listed(arguments, "--json", capsys))
    rows = list(csv.DictReader(io.StringIO(listed(arguments, "--csv", capsys))))
    assert len(objects) == len(rows) > 0
    first = next(iter(objects[0]))
    assert [str(one[first]) for one in objects] == [row[first] for row in rows]
    if arguments == ["experiments"]:
        assert [one["name"] for one in objects] == list(EXPERIMENTS)
    assert cli.execute([*arguments, "--json", "--csv"]) == 2


@pytest.mark.parametrize("arguments", LISTS)
def test_what_is_piped_is_plain(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each row, which `grep` finds whole."""
    text = listed(arguments, "", capsys)
    assert not re.search("[\x1b\u2500-\u257f]|[ \t]$", text, re.M)
    objects = json.loads(listed(arguments, "--json", capsys))
    for one in objects:
        words = " ".join(str(next(iter(one.values()))).split())
        assert any(line.startswith(words) for line in text.splitlines())


@pytest.mark.parametrize("arguments", [["machines", "sa1100"], ["boot", "-k", "k", "-m", "sa1100"]])
def test_a_machine_that_is_nearly_right_is_guessed(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute(arguments) == 2
    assert "did you mean sa1110? expected" in capsys.readouterr().err
