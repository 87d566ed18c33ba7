"""The rows of gpts written in the admin, their revisions, and private configs.

Storage alone: what an edit or a review means is decided in `revisions`.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from llmhub.encryption import EncryptedJSONField

stem_is_usable = RegexValidator(
    r"^[a-z0-9][a-z0-9_-]{0,79}\Z",
    _("Use small letters, digits, - and _ only."),
)


class Gpt(models.Model):
    """A gpt that lives in the database. Its text is that of the current revision."""

    stem = models.CharField(
        _("stem"),
        max_length=80,
        unique=True,
        validators=[stem_is_usable],
        help_text=_("What it is called by commands and links: a file's name."),
    )
    current = models.OneToOneField(
        "Revision",
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="current_of",
    )

    class Meta:
        verbose_name = _("gpt")
        verbose_name_plural = _("gpts")
        ordering = ["stem"]
        permissions = [("review_gpt", "Can review gpts of others")]

    def __str__(self) -> str:
        return self.stem


class Revision(models.Model):
    """One text that a gpt had. Never changed after it was written, but for its review.

    `restores` is the number of the older revision whose text this one brought back.
    """

    gpt = models.ForeignKey(Gpt, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField(_("revision"))
    source = models.TextField(_("source"))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("author"),
    )
    created = models.DateTimeField(_("written"), auto_now_add=True)
    restores = models.PositiveIntegerField(_("restores"), null=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("reviewed by"),
    )
    reviewed_at = models.DateTimeField(_("reviewed"), null=True)

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["gpt", "number"], name="one_revision_each")
        ]

    def __str__(self) -> str:
        return f"{self.gpt} #{self.number}"


def no_private_config() -> dict[str, Any]:
    return {}


class PrivateConfig(models.Model):
    """What this hub adds to a gpt and no repository sees, by stem, encrypted.

    Keys: server (primary key), model, inputs (by name), addition.
    """

    stem = models.CharField(
        _("stem"), max_length=80, unique=True, validators=[stem_is_usable]
    )
    config = EncryptedJSONField(_("private config"), default=no_private_config)

    class Meta:
        verbose_name = _("private config")
        verbose_name_plural = _("private configs")
        ordering = ["stem"]

    def __str__(self) -> str:
        return self.stem
