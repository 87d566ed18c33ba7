"""Connection strings: URLs with credentials, database and file-server addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpts.detectors.addresses import whole
from gpts.detectors.around import is_word, walk_left
from gpts.detectors.hits import Hit
from gpts.detectors.secrets import is_placeholder
from gpts.detectors.words import words

_SCHEME_LIMIT = 30
_AUTHORITY = re.compile(r"[^\s/?#\"'<>`\\^|]{1,320}")
_REST = re.compile(r"[^\s\"'<>`\\]{0,1000}")
_OPEN_SCHEMES = frozenset(["http", "https", "ws", "wss", "hxxp", "hxxps"])
_DATABASES = frozenset(
    ["postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis"]
    + [
        "rediss",
        "amqp",
        "amqps",
        "mssql",
        "sqlserver",
        "oracle",
        "ldap",
        "ldaps",
        "sftp",
    ]
    + [
        "smb",
        "cifs",
        "nfs",
        "rsync",
        "ssh",
        "kafka",
        "clickhouse",
        "bolt",
    ]
    + ["neo4j", "cassandra", "couchbase", "cockroachdb", "db2", "mqtt", "mqtts", "nats"]
    + [
        "memcached",
        "snowflake",
        "imap",
        "imaps",
        "smtp",
        "smtps",
        "telnet",
        "rdp",
        "vnc",
    ]
    + ["valkey", "elasticsearch", "trino", "presto", "hive2", "sybase", "informix"]
)
_HERE = frozenset(["localhost", "127.0.0.1", "[::1]", "host", "hostname", "db"])
_PORT = re.compile(r":\d{0,5}$")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]{8}|0[0-7]{9,11}|\d{8,10}")


def urls(text: str) -> Iterator[Hit]:
    """Credentials, machines and numbers in the authority of a URL."""
    place = text.find("://")
    while place >= 0:
        schemed = place > 1 and is_word(text[place - 1]) and is_word(text[place - 2])
        authority = _AUTHORITY.match(text, place + 3) if schemed else None
        if authority is not None:
            yield from _in_url(text, place, authority)
        place = text.find("://", authority.end() if authority else place + 3)


def _in_url(text: str, place: int, authority: re.Match[str]) -> Iterator[Hit]:
    start = walk_left(text, place, "+.-", _SCHEME_LIMIT)
    scheme = text[start:place].lower()
    user, at, host = authority.group().rpartition("@")
    if not at:
        host = host.rstrip(".,;:)]}") if "[" not in host else host
    bare = _PORT.sub("", host).lower()
    rest = _REST.match(text, authority.end())
    end = rest.end() if rest else authority.end()
    end -= len(text[authority.start() : end]) - len(
        text[authority.start() : end].rstrip(".,;:)]}")
    )
    if scheme and _tells(scheme, user, bare):
        yield Hit("connection", start, end, text[start:end])
    if _NUMBER.fullmatch(bare):
        address = whole(bare)
        if address is not None:
            begin = authority.start() + len(user) + len(at)
            yield Hit("address", begin, begin + len(bare), str(address))


def _tells(scheme: str, user: str, host: str) -> bool:
    """Whether the URL carries a login, or names a machine of the house by its job."""
    name, colon, password = user.partition(":")
    if colon:
        return bool(password) and not _is_blank(password)
    if host in words("public_forges"):
        return False
    if name and not _is_blank(name):
        return scheme not in _OPEN_SCHEMES or len(name) >= 16
    return scheme in _DATABASES and "." in host and host not in _HERE


def _is_blank(text: str) -> bool:
    return is_placeholder(text) and text.lower() not in {"password", "secret", "test"}


def jdbc(kind: str, match: re.Match[str], text: str) -> Hit | None:
    url = match.group().rstrip(".,;)")
    host = re.split(r"[:/;?]", re.split(r"//|@", url, maxsplit=1)[1].lstrip("/"))[0]
    if host.lower() in _HERE and not re.search(r"(?i)(?:password|pwd)=[^&;{$<]", url):
        return None
    return Hit(kind, match.start(), match.start() + len(url), url)


def dsn(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`host=db1 dbname=x user=y password=z`, as libpq reads it."""
    written = match.group().lower()
    host = written[5:].split()[0]
    if not re.search(r"\b(?:user|dbname|password|port)=", written):
        return None
    secret = re.search(r"\bpassword=(\S+)", written)
    if host in _HERE and (secret is None or is_placeholder(secret[1])):
        return None
    return Hit(kind, match.start(), match.end(), match.group())


_ADO_SECRET = re.compile(
    r"(?:password|pwd|accountkey|sharedaccesskey|user id|uid)[ ]?=[ ]?[^;\s]", re.I
)


def ado(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`Server=db1;Database=x;User Id=y;Password=z`."""
    if not _ADO_SECRET.search(match.group()):
        return None
    return Hit(kind, match.start(), match.end(), match.group())


def command_host(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`mysql -h db1 -u root -pSecret`."""
    target = match["target"].lower()
    secret = re.search(r" (?:-p|--password=)(?=\S)", match.group())
    if target in _HERE and not secret:
        return None
    if target.startswith(("$", "<", "{")) or not is_word(target[0]):
        return None
    return Hit(kind, match.start(), match.end(), match.group())
