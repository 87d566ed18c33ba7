"""Fixtures of every test: people, and loopback servers that answer recorded bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from hypothesis import settings

# Machines that run tests are shared: how long an example takes says nothing.
settings.register_profile("hub", deadline=None)
settings.load_profile("hub")


@pytest.fixture
def make_user(db: Any) -> Callable[..., User]:
    """A user in a group: `make_user("ada")` a member, `make_user("cy", "curators")`."""

    def make(name: str, group: str = "members", **more: Any) -> User:
        user = User.objects.create_user(name, password="a long passphrase", **more)
        user.groups.add(Group.objects.get(name=group))
        return user

    return make
