"""The two kinds of people, and how migrations give them their permissions.

Knows no app: a migration names the permissions it grants.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser

CURATORS = "curators"
MEMBERS = "members"


def is_curator(user: Any) -> bool:
    """Whether `user` may enter the admin."""
    if isinstance(user, AnonymousUser) or not user.is_active:
        return False
    return bool(user.is_staff or user.groups.filter(name=CURATORS).exists())


def grant(
    apps: Any, schema_editor: Any, app_label: str, grants: dict[str, list[str]]
) -> None:
    """In a migration: create `app_label`'s permissions now and give them to groups.

    `grants` maps a group name to permission codenames of that app. Django makes
    permissions only after all migrations, so they are made here first.
    """
    from django.apps import apps as installed
    from django.contrib.auth.management import create_permissions

    config = installed.get_app_config(app_label)
    create_permissions(
        config, verbosity=0, using=schema_editor.connection.alias, apps=apps
    )
    group_model = apps.get_model("auth", "Group")
    permission_model = apps.get_model("auth", "Permission")
    for group_name, codenames in grants.items():
        group, _ = group_model.objects.get_or_create(name=group_name)
        group.permissions.add(
            *permission_model.objects.filter(
                content_type__app_label=app_label, codename__in=codenames
            )
        )
