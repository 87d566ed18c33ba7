"""`rotate_keys`: everything under the first key, nothing lost."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command

from llmhub.management.commands.rotate_keys import encrypted_fields
from servers.models import EMPTY_PRIVATE, Server


@pytest.mark.django_db
class RotateKeysTests:
    def rotate(self) -> dict[str, int]:
        out = StringIO()
        try:
            call_command("rotate_keys", "--json", stdout=out)
        except SystemExit as exit_code:
            assert exit_code.code == 1
        return json.loads(out.getvalue())

    def test_it_lets_the_old_key_go(self, settings):
        server = Server(private={**EMPTY_PRIVATE, "host": "h", "port": 1, "label": "x"})
        server.save()
        fresh = Fernet.generate_key().decode()
        settings.LLMHUB_KEYS = [fresh, *settings.LLMHUB_KEYS]
        assert self.rotate()["unreadable"] == 0
        settings.LLMHUB_KEYS = [fresh]
        found = Server.objects.get()
        assert (found.label, found.address_index) == ("x", server.address_index)

    def test_it_counts_what_no_key_opens_and_leaves_it(self, settings):
        Server(private={**EMPTY_PRIVATE, "host": "h", "port": 1}).save()
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode()]
        assert self.rotate() == {"written": 0, "unreadable": 2}

    def test_it_knows_every_encrypted_field(self):
        names = {(model.__name__, field) for model, field in encrypted_fields()}
        assert {("Server", "private"), ("IndexKey", "secret")} <= names
