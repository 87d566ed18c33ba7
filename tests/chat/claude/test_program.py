"""What an installed version can do, by its own help."""

from __future__ import annotations

import pytest

from chat.claude.program import Abilities, abilities_of, question_argv, read_help
from tests.chat.claude.machine import HELP, SESSION, STREAM_HELP

ONE_LINE = """
  --output-format <format>  Output format (choices: "text", "json", "stream-json")
  --input-format <format>   Input format (choices: "text", "stream-json")
"""
ONLY_INPUT = """
  --output-format <format>  Output format (choices: "text", "json")
  --input-format <format>   Input format (choices: "text", "stream-json")
"""


class HelpTests:
    @pytest.mark.parametrize("text", [STREAM_HELP, ONE_LINE])
    def test_it_knows_a_version_that_streams(self, text):
        assert read_help(text).streams

    @pytest.mark.parametrize("text", ["", HELP, ONLY_INPUT, "error: unknown option"])
    def test_it_takes_every_other_for_one_that_does_not(self, text):
        assert read_help(text) == Abilities()

    def test_it_believes_an_option_only_where_it_is_listed(self):
        text = f"{ONE_LINE}\n  Use --include-partial-messages with care.\n"
        assert not read_help(text).partial_messages
        assert read_help(STREAM_HELP).partial_messages

    def test_it_asks_a_version_once(self, machine):
        machine.install(help_text=STREAM_HELP)
        program = str(machine.folder / "bin/claude")
        assert abilities_of(program, machine.environ).streams
        (machine.folder / "help").write_text("")
        assert abilities_of(program, machine.environ).streams

    def test_it_asks_an_updated_version_again(self, machine):
        machine.install(help_text=STREAM_HELP)
        program = machine.folder / "bin/claude"
        assert abilities_of(str(program), machine.environ).streams
        program.write_text("#!/bin/sh\necho nothing new\n")
        assert not abilities_of(str(program), machine.environ).streams

    def test_it_expects_nothing_of_a_program_that_is_gone(self, machine):
        assert abilities_of("/nonexistent/claude", machine.environ) == Abilities()


class ArgumentTests:
    def argv(self, **more):
        options = {"fork": True, "abilities": Abilities(), **more}
        return question_argv("claude", SESSION, **options)

    def test_it_may_only_read_in_every_form(self):
        for abilities in (Abilities(), Abilities(True, True, True)):
            for fork in (True, False):
                argv = self.argv(abilities=abilities, fork=fork)
                at = argv.index("--tools")
                assert argv[at : at + 4] == [
                    "--tools",
                    "Read,Glob,Grep",
                    "--permission-mode",
                    "dontAsk",
                ]

    def test_it_lets_no_other_server_of_tools_in_where_it_can(self):
        assert "--strict-mcp-config" in self.argv(abilities=Abilities(strict_mcp=True))
        assert "--strict-mcp-config" not in self.argv()

    def test_it_passes_no_system_prompt(self):
        argv = self.argv(abilities=Abilities(True, True, True), directory="/srv/p")
        assert not [word for word in argv if "system" in word]
