from __future__ import annotations

import pytest
from django.utils.translation import override

from gpts.templatetags.gpt_words import gpt_doubt, gpt_name
from servers.addresses import Origin
from servers.hosting import Hosting
from servers.retained import keep

pytestmark = pytest.mark.django_db


class ComposerWordsTests:
    def test_it_names_a_gpt_in_the_language_of_the_reader(self):
        assert gpt_name("sql-explain") == "SQL explained"
        with override("fr"):
            assert gpt_name("sql-explain") == "SQL expliqué"

    def test_it_says_that_a_gpt_is_gone(self):
        assert gpt_name("nothing") == "nothing: There is no gpt of that name."

    def test_it_says_what_could_not_be_checked(self):
        server = keep(Origin("http", "127.0.0.1", 9), hosting=Hosting.LOOPBACK)
        assert gpt_doubt("sql-explain", server, "m") == (
            "Asks for 4k of context; this server's could not be read"
        )

    def test_it_says_what_contradicts(self):
        server = keep(Origin("http", "192.0.2.7", 9), hosting=Hosting.GLOBAL)
        assert "leaves your network" in gpt_doubt("sql-explain", server, "m")

    @pytest.mark.parametrize("stem", ["", "nothing"])
    def test_it_says_nothing_without_a_gpt_or_a_server(self, stem):
        server = keep(Origin("http", "127.0.0.1", 9), hosting=Hosting.LOOPBACK)
        assert gpt_doubt(stem, server, "m") == ""
        assert gpt_doubt("sql-explain", None, "m") == ""
