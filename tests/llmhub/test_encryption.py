"""Encrypted fields, lost keys and the blind index."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import FieldError, ImproperlyConfigured
from django.db import connection, transaction

from llmhub.encryption import (
    EncryptionError,
    Unreadable,
    blind_index,
    decrypt,
    encrypt,
    keyring,
)
from llmhub.models import IndexKey
from servers.models import EMPTY_PRIVATE, Server

CANARY = "canary-4417-secret"


def make_server(**private) -> Server:
    server = Server(private={**EMPTY_PRIVATE, "host": "10.1.2.3", "port": 1, **private})
    server.save()
    return server


class KeyringTests:
    def test_it_opens_what_it_closed(self):
        assert decrypt(encrypt("péché")) == "péché"

    def test_it_writes_with_the_first_key_and_reads_with_all(self, settings):
        old = settings.LLMHUB_KEYS
        token = encrypt("kept")
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode(), *old]
        assert decrypt(token) == "kept"
        settings.LLMHUB_KEYS = old
        with pytest.raises(EncryptionError, match="LLMHUB_KEYS"):
            settings.LLMHUB_KEYS = [Fernet.generate_key().decode()]
            decrypt(token)

    @pytest.mark.parametrize("token", ["", "not a token", "gAAAA", "é"])
    def test_it_refuses_what_is_no_token(self, token):
        with pytest.raises(EncryptionError):
            decrypt(token)

    def test_it_names_the_key_that_is_none_without_showing_it(self):
        good = Fernet.generate_key().decode()
        with pytest.raises(ImproperlyConfigured, match="key 2 of 2") as caught:
            keyring((good, "short-and-secret"))
        assert "short-and-secret" not in str(caught.value)


@pytest.mark.django_db
class EncryptedFieldTests:
    def test_it_stores_no_clear_text(self):
        make_server(label=CANARY, api_key=CANARY)
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM servers_server")
            assert CANARY not in repr(cursor.fetchall())

    def test_it_reads_a_lost_value_as_unreadable_and_spoils_no_other(self, settings):
        lost = make_server(label="lost")
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode()]
        IndexKey.objects.all().delete()
        found = make_server(label="found", host="10.1.2.4")
        rows = {row.pk: row for row in Server.objects.all()}
        assert isinstance(rows[lost.pk].private, Unreadable)
        assert rows[found.pk].label == "found"

    def test_it_never_writes_an_unreadable_value_back(self, settings):
        pk = make_server(label="lost").pk
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode()]
        row = Server.objects.get(pk=pk)
        with pytest.raises(EncryptionError), transaction.atomic():
            row.save()
        with connection.cursor() as cursor:
            cursor.execute("SELECT private FROM servers_server")
            assert cursor.fetchone()[0] == row.private.token

    def test_it_refuses_to_search_in_ciphertext(self):
        with pytest.raises(FieldError):
            Server.objects.filter(private="x").exists()


@pytest.mark.django_db
class BlindIndexTests:
    def test_it_is_equal_for_equal_text_only(self):
        assert blind_index("a") == blind_index("a")
        assert blind_index("a") != blind_index("b")

    def test_it_survives_the_rotation_of_keys(self, settings):
        before = blind_index("a")
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode(), *settings.LLMHUB_KEYS]
        assert blind_index("a") == before

    def test_it_fails_loudly_when_its_own_key_is_lost(self, settings):
        blind_index("a")
        settings.LLMHUB_KEYS = [Fernet.generate_key().decode()]
        with pytest.raises(EncryptionError, match="index key"):
            blind_index("a")
