"""Rows of the names that must not leave: one encrypted name each."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from gpts.detectors.names import fold
from llmhub.encryption import EncryptedTextField, Unreadable, blind_index


def name_index(name: str) -> str:
    """Equal for names that are found alike: case and accents do not count."""
    return blind_index(f"protected-name:{fold(' '.join(name.split()))}")


class ProtectedName(models.Model):
    """A client, a host, a database: whatever curators want kept in the house."""

    name = EncryptedTextField(_("name"))
    # Equality of names without the name: see llmhub.encryption.blind_index.
    name_index = models.CharField(max_length=64, unique=True, editable=False)

    class Meta:
        verbose_name = _("protected name")
        verbose_name_plural = _("protected names")
        ordering = ["pk"]

    def __str__(self) -> str:
        # Never the name: this text stands in the admin's history.
        return f"protected name {self.pk}" if self.pk else "protected name"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not isinstance(self.name, Unreadable):
            self.name = " ".join(self.name.split())
            self.name_index = name_index(self.name)
        super().save(*args, **kwargs)
