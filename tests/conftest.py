"""Fixtures of every test: people, and loopback servers that answer recorded bytes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import connection
from hypothesis import settings

from llmhub.roles import grant

# Machines that run tests are shared: how long an example takes says nothing.
settings.register_profile("hub", deadline=None)
settings.load_profile("hub")

# The migrations that make the groups and give them their permissions.
GRANTING = (
    ("servers", "servers.migrations.0002_groups"),
    ("gpts", "gpts.migrations.0001_protected_names"),
    ("gpts", "gpts.migrations.0002_gpts"),
    ("chat", "chat.migrations.0002_groups"),
)


@pytest.fixture(autouse=True)
def groups_are_there(request: pytest.FixtureRequest) -> None:
    """A test with real transactions ends by emptying every table, the groups too."""
    marked = request.node.get_closest_marker("django_db")
    if not marked and not {"db", "transactional_db"} & set(request.fixturenames):
        return
    request.getfixturevalue("db")
    if Group.objects.exists():
        return
    editor = SimpleNamespace(connection=connection)
    for label, module in GRANTING:
        grant(apps, editor, label, import_module(module).GRANTS)


@pytest.fixture
def make_user(db: Any) -> Callable[..., User]:
    """A user in a group: `make_user("ada")` a member, `make_user("cy", "curators")`."""

    def make(name: str, group: str = "members", **more: Any) -> User:
        user = User.objects.create_user(name, password="a long passphrase", **more)
        user.groups.add(Group.objects.get(name=group))
        return user

    return make
