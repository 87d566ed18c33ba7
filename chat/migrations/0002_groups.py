"""What members and curators may do in the chat: read, write, and delete their own."""

from __future__ import annotations

from functools import partial

from django.db import migrations

from llmhub.roles import CURATORS, MEMBERS, grant

_OWN = [
    f"{verb}_{noun}"
    for noun in ("conversation", "turn")
    for verb in ("view", "add", "change", "delete")
]
GRANTS = {MEMBERS: _OWN, CURATORS: _OWN}


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.RunPython(
            partial(grant, app_label="chat", grants=GRANTS),
            migrations.RunPython.noop,
        )
    ]
