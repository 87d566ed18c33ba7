"""The project's own rows: the wrapped key of blind indexes."""

from __future__ import annotations

from django.db import models

from llmhub.encryption import (
    EncryptedTextField,
    EncryptionError,
    Unreadable,
    new_index_key,
)


class IndexKey(models.Model):
    """One row: the key of every blind index, encrypted under LLMHUB_KEYS."""

    secret = EncryptedTextField(default=new_index_key)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=1), name="one_index_key")
        ]

    def __str__(self) -> str:
        return "index key"

    @classmethod
    def current(cls) -> bytes:
        """The key itself, made at first use. Raises EncryptionError if unreadable."""
        row, _ = cls.objects.get_or_create(pk=1)
        if isinstance(row.secret, Unreadable):
            raise EncryptionError(
                "The hub's index key could not be decrypted: LLMHUB_KEYS lacks its key."
            )
        return bytes.fromhex(row.secret)
