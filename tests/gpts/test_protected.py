from __future__ import annotations

import pytest
from django.conf import settings
from django.db import connection

from gpts import protected
from gpts.detectors.scan import scan
from gpts.protected_models import ProtectedName
from servers import retained
from servers.addresses import Origin
from servers.memory import forget_all

pytestmark = pytest.mark.django_db


def finds(text: str) -> bool:
    return bool(scan(text, protected.names().matcher))


def keep(host: str, label: str = "", family: str = "") -> None:
    retained.keep(Origin("http", host, 8080), label=label, family=family)


class NamesTests:
    def test_it_is_checked_and_empty_at_first(self):
        known = protected.names()

        assert (known.checked, known.entered) == (True, 0)

    def test_it_finds_what_was_entered(self):
        protected.add(["Zeppelin Works"])

        assert finds("for ZEPPELIN works")
        assert protected.names().entered == 1

    def test_it_protects_hosts_and_labels_and_does_not_count_them(self):
        keep("gpu-cellar.example", label="Cellar rack")

        assert finds("at gpu-cellar.example") and finds("the cellar rack")
        assert protected.names().entered == 0

    @pytest.mark.parametrize("label", ["GPU", "ollama", "Llama 3.1", "qwen2.5", "vLLM"])
    def test_it_protects_no_label_that_names_a_product(self, label):
        keep("gpu-cellar.example", label=label)

        assert not finds(f"use {label} here")

    def test_it_protects_no_loopback(self):
        keep("localhost")

        assert not finds("open localhost")

    def test_it_is_not_checked_where_a_name_is_unreadable(self):
        protected.add(["Zeppelin Works"])
        table = ProtectedName._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET name = 'lost'")  # noqa: S608
        forget_all()

        assert not protected.names().checked

    def test_it_creates_no_database_by_asking(self, tmp_path, monkeypatch):
        missing = tmp_path / "none.sqlite3"
        database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(missing)}
        monkeypatch.setitem(settings.DATABASES, "default", database)

        assert not protected.names().checked
        assert not missing.exists()


class ListTests:
    def test_it_enters_a_name_once_in_any_spelling(self):
        assert protected.add(["Zürich DB", "zurich  db"]) == 1
        assert protected.entered_names() == ["Zürich DB"]

    def test_it_stores_no_name_in_clear(self):
        protected.add(["Zeppelin Works"])
        table = ProtectedName._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")  # noqa: S608
            stored = str(cursor.fetchall())

        assert "eppelin" not in stored
        assert "eppelin" not in str(ProtectedName.objects.get())

    def test_it_removes_a_name_in_any_spelling(self):
        protected.add(["Zürich DB"])

        assert protected.remove(["ZURICH db", "other"]) == 1
        assert not finds("the zürich db")

    @pytest.mark.parametrize("text", ["", " ", "x", "?!", "x" * 201])
    def test_it_refuses_what_is_no_name(self, text):
        with pytest.raises(protected.NameRefused):
            protected.add(["Zeppelin Works", text])

        assert protected.entered_names() == []
