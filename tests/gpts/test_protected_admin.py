from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry

from gpts.models import ProtectedName
from gpts.protected import add

pytestmark = pytest.mark.django_db

LIST = "/admin/gpts/protectedname/"


@pytest.fixture
def admin(client, make_user):
    """A client logged in as a curator."""
    client.force_login(make_user("ada", "curators"))
    return client


class ProtectedNameAdminTests:
    def test_it_keeps_a_name_and_leaves_it_out_of_the_history(self, admin):
        admin.post(f"{LIST}add/", {"name": "  Project   Halcyon "})
        assert ProtectedName.objects.get().name == "Project Halcyon"
        entry = LogEntry.objects.get()
        assert "Halcyon" not in f"{entry.object_repr} {entry.change_message}"

    def test_it_shows_names_to_curators(self, admin):
        add(["Halcyon"])
        assert "Halcyon" in admin.get(LIST).content.decode()

    @pytest.mark.parametrize("name", ["", "x", "h\u00e1lcyon", "y" * 201])
    def test_it_refuses_what_is_no_new_name(self, admin, name):
        add(["Halcyon"])
        assert admin.post(f"{LIST}add/", {"name": name}).status_code == 200
        assert ProtectedName.objects.count() == 1

    def test_it_says_what_an_empty_list_means(self, admin):
        assert "nothing leaves the network" in admin.get(LIST).content.decode()

    def test_it_can_be_renamed_and_removed(self, admin):
        add(["Halcyon"])
        row = ProtectedName.objects.get()
        admin.post(f"{LIST}{row.pk}/change/", {"name": "Borealis"})
        assert ProtectedName.objects.get().name == "Borealis"
        admin.post(f"{LIST}{row.pk}/delete/", {"post": "yes"})
        assert not ProtectedName.objects.exists()

    def test_it_lists_an_unreadable_name_that_can_only_be_removed(
        self, admin, settings
    ):
        add(["Halcyon"])
        row = ProtectedName.objects.get()
        settings.LLMHUB_KEYS = ["YW5vdGhlci1rZXktZm9yLXRlc3RzLW9ubHktMDAwMDA="]
        assert "unreadable" in admin.get(LIST).content.decode()
        form = {"name": "Borealis"}
        assert admin.post(f"{LIST}{row.pk}/change/", form).status_code == 403

    def test_it_shows_members_nothing(self, client, make_user):
        client.force_login(make_user("bob"))
        assert client.get(LIST).status_code == 404
