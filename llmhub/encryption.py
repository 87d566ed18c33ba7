"""Everything stored encrypted goes through here: one field, one blind index.

Keys come from LLMHUB_KEYS (the first writes, all read), apart from SECRET_KEY.
A value that no key opens is read as `Unreadable`, so that one lost row spoils no
other, and it can never be written back: ready-made fields return the ciphertext
on a wrong key and encrypt it again on save.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models

if TYPE_CHECKING:
    # Django's fields are generic for the type checker only.
    _TextField = models.TextField[Any, Any]
else:
    _TextField = models.TextField


class EncryptionError(Exception):
    """An encrypted value could not be read or may not be written."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands where a value stood that none of the keys opens."""

    token: str

    def __str__(self) -> str:
        return "unreadable"

    def __bool__(self) -> bool:
        return False


def keyring(keys: tuple[str, ...] | None = None) -> MultiFernet:
    """The keys in force; raises ImproperlyConfigured naming the one that is no key."""
    return _keyring(keys if keys is not None else tuple(settings.LLMHUB_KEYS))


@lru_cache(maxsize=8)
def _keyring(keys: tuple[str, ...]) -> MultiFernet:
    fernets = []
    for number, key in enumerate(keys, 1):
        try:
            fernets.append(Fernet(key))
        except ValueError:
            raise ImproperlyConfigured(
                f"LLMHUB_KEYS: key {number} of {len(keys)} is no Fernet key "
                "(32 bytes, URL-safe base64)."
            ) from None
    if not fernets:
        raise ImproperlyConfigured("LLMHUB_KEYS is empty: run `make setup`.")
    return MultiFernet(fernets)


def encrypt(text: str) -> str:
    return keyring().encrypt(text.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """Raises EncryptionError when no key opens the token."""
    try:
        return keyring().decrypt(token.encode("ascii")).decode()
    except (InvalidToken, UnicodeError):
        raise EncryptionError(
            "A stored value could not be decrypted: LLMHUB_KEYS lacks its key."
        ) from None


class EncryptedTextField(_TextField):
    """Text, encrypted in the database. Read as `str` or `Unreadable`."""

    if TYPE_CHECKING:
        # For django-stubs: what JSON holds is set and read as well.
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, *args: Any) -> Any:
        if value is None:
            return None
        try:
            return self._decode(decrypt(value))
        except EncryptionError:
            return Unreadable(value)

    def get_prep_value(self, value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, Unreadable):
            # Refused rather than stored again under another key.
            raise EncryptionError("An unreadable value cannot be saved.")
        return encrypt(self._encode(value))

    def get_lookup(self, lookup_name: str) -> Any:
        """Ciphertext differs at every write: only `isnull` means anything."""
        return super().get_lookup(lookup_name) if lookup_name == "isnull" else None

    def _encode(self, value: Any) -> str:
        return str(value)

    def _decode(self, text: str) -> Any:
        return text


class EncryptedJSONField(EncryptedTextField):
    """A JSON document, encrypted. Read as what was stored, or `Unreadable`."""

    def _encode(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    def _decode(self, text: str) -> Any:
        return json.loads(text)

    def to_python(self, value: Any) -> Any:
        return value


def blind_index(text: str) -> str:
    """A keyed hash for equality without the text: 64 hex digits.

    Its key is random, kept in the database under the keyring, so that rotating the
    keys changes how it is wrapped and never what is indexed.
    """
    from llmhub.models import IndexKey

    return hmac.new(IndexKey.current(), text.encode(), hashlib.sha256).hexdigest()


def new_index_key() -> str:
    return os.urandom(32).hex()
