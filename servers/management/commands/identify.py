"""`identify URL...`: who answers there, and why. Needs no database, keeps nothing."""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import ArgumentParser
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from servers.addresses import Origin, parse_url
from servers.claims import Claims
from servers.errors import AddressError
from servers.identity import Identity
from servers.reading import read_server
from servers.recognise import each
from servers.show import table

_KEY_BYTES = 4_096
_INTERRUPTED = 130  # what a shell says of Ctrl-C


class Command(BaseCommand):
    help = "Say which software answers at each URL, and why."
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "urls", nargs="+", metavar="URL", help="A server's root or its API root."
        )
        parser.add_argument(
            "--key-file",
            metavar="FILE",
            help="A file with the key of the ONE server named (- reads it from standard"
            " input). It goes to that exact origin only, with TLS verified.",
        )
        parser.add_argument(
            "--json", action="store_true", help="Print one JSON document."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        origins = _origins(options["urls"])
        key = _key(options["key_file"], len(origins))
        try:
            found = asyncio.run(_identified(origins, key))
        except KeyboardInterrupt:
            raise SystemExit(_INTERRUPTED) from None
        if options["json"]:
            rows = [_row(identity) for identity in found]
            self.stdout.write(json.dumps(rows, ensure_ascii=True, indent=1))
        else:
            self.stdout.write(table(found), ending="")
        if not any(identity.is_server for identity in found):
            raise SystemExit(1)


def _origins(texts: list[str]) -> list[Origin]:
    """Every URL, or exit code 2 naming the place of the bad one, never its text."""
    origins = []
    for place, text in enumerate(texts, start=1):
        try:
            origins.append(parse_url(text))
        except AddressError as error:
            where = f"URL {place}: " if len(texts) > 1 else ""
            raise CommandError(f"{where}{error}", returncode=2) from None
    return origins


def _key(file: str | None, count: int) -> str:
    if file is None:
        return ""
    if count != 1:
        raise CommandError(_("A key goes to one URL: name one."), returncode=2)
    try:
        text = sys.stdin.read(_KEY_BYTES) if file == "-" else Path(file).read_text()
    except (OSError, UnicodeDecodeError):
        raise CommandError(_("The key file cannot be read."), returncode=2) from None
    key = text.strip()
    if not key or not key.isascii() or not key.isprintable() or len(key) > _KEY_BYTES:
        raise CommandError(_("The key file holds no usable key."), returncode=2)
    return key


async def _identified(origins: list[Origin], key: str) -> list[Identity]:
    """Each with its models' claims: a URL that was typed is designated."""
    found: dict[int, Identity] = {}

    def read(origin: Origin) -> Awaitable[tuple[Identity, tuple[Claims, ...]]]:
        return read_server(
            origin,
            key,
            budget_seconds=settings.LLMHUB_PROBE_SECONDS,
            cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN,
        )

    async for place, (identity, _claims) in each(origins, read):
        found[place] = identity
    return [found[place] for place in range(len(origins))]


def _row(identity: Identity) -> dict[str, Any]:
    row = identity.as_json()
    row["capabilities"] = [claims.as_json() for claims in identity.capabilities]
    if identity.problem:
        row["problem"] = identity.problem
    return row
