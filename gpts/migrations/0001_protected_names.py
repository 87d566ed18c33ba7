"""Protected names, and that curators keep them."""

from __future__ import annotations

from functools import partial

from django.db import migrations, models

import llmhub.encryption
from llmhub.roles import CURATORS, grant

GRANTS = {
    CURATORS: [
        "add_protectedname",
        "change_protectedname",
        "delete_protectedname",
        "view_protectedname",
    ]
}


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.CreateModel(
            name="ProtectedName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("name", llmhub.encryption.EncryptedTextField(verbose_name="name")),
                (
                    "name_index",
                    models.CharField(editable=False, max_length=64, unique=True),
                ),
            ],
            options={
                "verbose_name": "protected name",
                "verbose_name_plural": "protected names",
                "ordering": ["pk"],
            },
        ),
        migrations.RunPython(
            partial(grant, app_label="gpts", grants=GRANTS),
            migrations.RunPython.noop,
        ),
    ]
