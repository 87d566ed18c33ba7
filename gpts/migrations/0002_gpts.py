"""Gpts of the database, their revisions and private configs, and who keeps them."""

from __future__ import annotations

from functools import partial

import django.core.validators
import django.db.models.deletion
import gpts.rows
import llmhub.encryption
from django.conf import settings
from django.db import migrations, models

from llmhub.roles import CURATORS, MEMBERS, grant

GRANTS = {
    CURATORS: [
        "add_gpt",
        "change_gpt",
        "delete_gpt",
        "view_gpt",
        "review_gpt",
        "view_revision",
        "add_privateconfig",
        "change_privateconfig",
        "delete_privateconfig",
        "view_privateconfig",
    ],
    MEMBERS: ["view_gpt"],
}


class Migration(migrations.Migration):
    dependencies = [
        ("gpts", "0001_protected_names"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Gpt",
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
                (
                    "stem",
                    models.CharField(
                        help_text="What it is called by commands and links: a file's name.",
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9_-]{0,79}\\Z",
                                "Use small letters, digits, - and _ only.",
                            )
                        ],
                        verbose_name="stem",
                    ),
                ),
            ],
            options={
                "verbose_name": "gpt",
                "verbose_name_plural": "gpts",
                "ordering": ["stem"],
                "permissions": [("review_gpt", "Can review gpts of others")],
            },
        ),
        migrations.CreateModel(
            name="PrivateConfig",
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
                (
                    "stem",
                    models.CharField(
                        max_length=80,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9_-]{0,79}\\Z",
                                "Use small letters, digits, - and _ only.",
                            )
                        ],
                        verbose_name="stem",
                    ),
                ),
                (
                    "config",
                    llmhub.encryption.EncryptedJSONField(
                        default=gpts.rows.no_private_config,
                        verbose_name="private config",
                    ),
                ),
            ],
            options={
                "verbose_name": "private config",
                "verbose_name_plural": "private configs",
                "ordering": ["stem"],
            },
        ),
        migrations.CreateModel(
            name="Revision",
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
                ("number", models.PositiveIntegerField(verbose_name="revision")),
                ("source", models.TextField(verbose_name="source")),
                (
                    "created",
                    models.DateTimeField(auto_now_add=True, verbose_name="written"),
                ),
                (
                    "restores",
                    models.PositiveIntegerField(null=True, verbose_name="restores"),
                ),
                (
                    "reviewed_at",
                    models.DateTimeField(null=True, verbose_name="reviewed"),
                ),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="author",
                    ),
                ),
                (
                    "gpt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="gpts.gpt",
                    ),
                ),
                (
                    "reviewed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="reviewed by",
                    ),
                ),
            ],
            options={
                "verbose_name": "revision",
                "verbose_name_plural": "revisions",
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="gpt",
            name="current",
            field=models.OneToOneField(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="current_of",
                to="gpts.revision",
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(
                fields=("gpt", "number"), name="one_revision_each"
            ),
        ),
        migrations.RunPython(
            partial(grant, app_label="gpts", grants=GRANTS),
            migrations.RunPython.noop,
        ),
    ]
