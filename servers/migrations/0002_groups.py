"""The two groups, and what curators may do with servers."""

from __future__ import annotations

from functools import partial

from django.db import migrations

from llmhub.roles import CURATORS, MEMBERS, grant

GRANTS = {
    CURATORS: [
        "add_server",
        "change_server",
        "delete_server",
        "view_server",
        "scan",
    ],
    MEMBERS: [],
}


class Migration(migrations.Migration):
    dependencies = [
        ("servers", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.RunPython(
            partial(grant, app_label="servers", grants=GRANTS),
            migrations.RunPython.noop,
        )
    ]
