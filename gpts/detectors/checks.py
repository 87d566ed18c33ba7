"""The checks rules.yaml may name: each decides about one match."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpts.detectors import accounts, addresses, checksums, connections, secrets
from gpts.detectors.hits import Hit

Check = Callable[[str, re.Match[str], str], Hit | None]

CHECKS: dict[str, Check] = {
    "account": accounts.account,
    "ado": connections.ado,
    "assigned": secrets.assigned,
    "card": checksums.card,
    "command_host": connections.command_host,
    "dsn": connections.dsn,
    "email": accounts.email,
    "header_key": secrets.header_key,
    "host_line": accounts.host_line,
    "iban": checksums.iban,
    "integer": addresses.integer,
    "jdbc": connections.jdbc,
    "jwt": secrets.jwt,
    "login": accounts.login,
    "mac": addresses.mac,
    "mac_account": accounts.mac_account,
    "mixed": secrets.mixed,
    "posix_account": accounts.posix_account,
    "private_host": accounts.private_host,
    "private_integer": addresses.private_integer,
    "private_key": secrets.private_key,
    "quad": addresses.quad,
    "remote_path": accounts.remote_path,
    "share": accounts.share,
    "spelled_email": accounts.spelled_email,
    "tail_key": secrets.tail_key,
}
