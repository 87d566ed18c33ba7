"""What a typed message asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.commands import WORDS, Command, Name, Nothing, Text, Unknown, read


class CommandTests:
    @pytest.mark.parametrize("name", list(Name))
    def test_it_reads_every_command_and_explains_it(self, name):
        assert read(f"/{name.value}") == Command(name)
        assert str(WORDS[name])

    @pytest.mark.parametrize(
        ("message", "command"),
        [
            ("  /new  ", Command(Name.NEW)),
            ("/NEW", Command(Name.NEW)),
            ("/new\n", Command(Name.NEW)),
            ("/model qwen/qwen3-8b", Command(Name.MODEL, "qwen/qwen3-8b")),
            ("/srv\tworkshop  box ", Command(Name.SERVER, "workshop  box")),
            ("/? x", Command(Name.HELP, "x")),
        ],
    )
    def test_it_reads_what_follows(self, message, command):
        assert read(message) == command

    @pytest.mark.parametrize(
        "message",
        [
            "hello",
            "1",
            "42",
            "/1",
            "/",
            "//",
            "//new",
            "/usr/bin/env is missing",
            "/new/",
            "/abcdefghijklm",
            "/new1",
            "/new.",
            "/??",
            "new",
            "say /new",
            "/new\nand more",
            "/etc\u2028passwd",
            "\\/new",
        ],
    )
    def test_it_leaves_text_as_it_is(self, message):
        assert read(message) == Text(message)

    @pytest.mark.parametrize(
        ("message", "name"),
        [
            ("/foo", "foo"),
            ("/Temp is full", "Temp"),
            ("/abcdefghijkl", "abcdefghijkl"),
            ("/café", "café"),
        ],
    )
    def test_it_names_what_looks_like_a_command_and_is_none(self, message, name):
        assert read(message) == Unknown(name)

    @pytest.mark.parametrize("message", ["", " ", "\n\t", "\u2003"])
    def test_it_finds_nothing_in_blanks(self, message):
        assert read(message) == Nothing()

    @given(st.text())
    def test_it_never_changes_a_text(self, message):
        found = read(message)
        if isinstance(found, Text):
            assert found.text == message
        elif not isinstance(found, Nothing):
            assert message.strip().startswith("/")
