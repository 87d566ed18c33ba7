"""The protected names in force: the curators' list, and kept servers' hosts and labels.

Owns adding, removing and reading them; what is done about a name found is the gate's.
"""

from __future__ import annotations

import ipaddress
import pkgutil
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models.signals import post_delete, post_save
from django.utils.translation import gettext as _

import servers.families
from gpts.detectors.names import NOT_CHECKED, NameMatcher, Names, fold
from gpts.errors import GptsError
from gpts.protected_models import ProtectedName, name_index
from llmhub.encryption import EncryptionError, Unreadable
from servers.memory import forget_all, remembered
from servers.retained import Kept, kept_servers

NAME_CHARACTERS = 200
_SHORTEST_LABEL = 4
_LETTERS = re.compile(r"[^a-z0-9]+")
# Families of models: a label that is only one of these names nothing of the house.
_MODEL = re.compile(
    r"(?:aya|claude|codellama|codestral|commandr|deepseek|devstral|falcon|gemini|gemma"
    r"|glm|gptoss|gpt|granite|grok|hermes|internlm|kimi|llama|magistral|ministral"
    r"|mistral|mixtral|nemotron|olmo|phi|qwen|qwq|smollm|starcoder|tinyllama|vicuna|yi)"
    r"(?:\d+b?|v|it|mini|small|medium|large|max|pro|coder|chat|instruct|turbo)*"
)


class NameRefused(GptsError):
    """A text that cannot be a protected name; says why."""


def names() -> Names:
    """The names in force now; not checked where no database can be read.

    A name no key opens leaves the list unread: nothing found then proves nothing.
    """
    if not _database_there():
        return NOT_CHECKED
    try:
        entered = remembered("names", _entered)
        kept = kept_servers()
    except (DatabaseError, EncryptionError):
        # No table yet, or no database in reach: the gate is told, not broken.
        return NOT_CHECKED
    if entered is None:
        return NOT_CHECKED
    return Names(
        _matcher(frozenset((*entered, *_of_servers(kept)))), True, len(entered)
    )


@lru_cache(maxsize=4)
def _matcher(all_names: frozenset[str]) -> NameMatcher:
    return NameMatcher(all_names)


def _database_there() -> bool:
    """Whether connecting creates nothing: SQLite makes an empty file where none is."""
    database = settings.DATABASES["default"]
    name = str(database["NAME"])
    if not database["ENGINE"].endswith("sqlite3") or ":memory:" in name:
        return True
    return name.startswith("file:") or Path(name).is_file()


def _entered() -> list[str] | None:
    """The curators' names, or None where one of them is unreadable."""
    found = list(ProtectedName.objects.values_list("name", flat=True))
    return None if any(isinstance(name, Unreadable) for name in found) else found


def _of_servers(kept: Iterable[Kept]) -> Iterable[str]:
    known = _product_words()
    for server in kept:
        if server.unreadable:
            continue  # its host and label are lost, and spoil no other's
        if not _is_loopback(server.origin.host):
            yield server.origin.host
        model = _squeeze(server.default_model.rpartition("/")[2])
        if _tells(server.label, known | {model}):
            yield server.label


def _tells(label: str, known: frozenset[str]) -> bool:
    """Whether a label names something of the house and not a product or a model."""
    word = _squeeze(label)
    if len(label.strip()) < _SHORTEST_LABEL or word in known:
        return False
    return not _MODEL.fullmatch(word)


@lru_cache(maxsize=1)
def _product_words() -> frozenset[str]:
    """One file per product: their names are the products'."""
    files = pkgutil.iter_modules(servers.families.__path__)
    return frozenset(_squeeze(module.name) for module in files)


def _squeeze(text: str) -> str:
    return _LETTERS.sub("", fold(text))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# --- the curators' list ------------------------------------------------------------


def entered_names() -> list[str | Unreadable]:
    """What curators entered, oldest first."""
    return list(ProtectedName.objects.values_list("name", flat=True))


def add(texts: Iterable[str]) -> int:
    """Enter names; ones already there are left. Returns how many were new.

    Raises NameRefused for the first text that cannot be a name, entering none.
    """
    cleaned = [clean_name(text) for text in texts]
    new = 0
    with transaction.atomic():
        for name in cleaned:
            _row, created = ProtectedName.objects.get_or_create(
                name_index=name_index(name), defaults={"name": name}
            )
            new += created
    return new


def remove(texts: Iterable[str]) -> int:
    """Take names off the list; returns how many were on it."""
    indexes = [name_index(text) for text in texts]
    removed, _by_model = ProtectedName.objects.filter(name_index__in=indexes).delete()
    return removed


def clean_name(text: str) -> str:
    """One line with single spaces. Raises NameRefused.

    A name of one letter would be found in every line: two letters or digits at least.
    """
    name = " ".join(text.split())
    if len(name) > NAME_CHARACTERS:
        raise NameRefused(_("A protected name has at most 200 characters."))
    if sum(char.isalnum() for char in name) < 2:
        raise NameRefused(_("A protected name has at least two letters or digits."))
    return name


post_save.connect(forget_all, sender=ProtectedName)
post_delete.connect(forget_all, sender=ProtectedName)
