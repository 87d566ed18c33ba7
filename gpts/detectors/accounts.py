"""Accounts and machines: home folders, mail addresses, hosts, logins."""

from __future__ import annotations

import re

from gpts.detectors.around import after, before, is_word, walk_left
from gpts.detectors.hits import DOUBTFUL, Hit
from gpts.detectors.words import words

# --- home folders ------------------------------------------------------------------

# What may stand right before /home or /Users; anything else is part of a URL's path.
_POSIX_ROOT = re.compile(
    r"(?:file:(?://[\w.-]{0,60})?|sftp://[\w@.:-]{1,80}|[^/]\S*:|-[A-Za-z])?"
    r"(?:/(?:export|var|usr|nfs\d*|mnt/[\w-]{1,30}|data\d*|srv|net/[\w.-]{1,60}|host"
    r"|rootfs|private|Volumes/[\w.-]{1,30}|System/Volumes/Data))?"
    r"|/\S*:"
)
_REQUEST = re.compile(r"\b(?:GET|POST|PUT|PATCH|HEAD|DELETE|OPTIONS|CONNECT) $")
_DRIVE = re.compile(r"(?:^|[^A-Za-z0-9])(?P<root>(?:/mnt|/cygdrive)?/?[A-Za-z]:?)$")


def account(kind: str, match: re.Match[str], text: str) -> Hit | None:
    return _account(kind, match, match.start())


def posix_account(kind: str, match: re.Match[str], text: str) -> Hit | None:
    start = walk_left(text, match.start(), "/.-@:", 120)
    root = text[start : match.start()]
    if not _POSIX_ROOT.fullmatch(root) or _REQUEST.search(before(text, start, 9)):
        return None
    # Of `PATH=/bin:/home/mira/bin` and `box:/home/mira` only the folder is meant.
    whole = root.startswith(("file:", "/")) and not root.endswith(":")
    return _account(kind, match, start if whole else match.start())


def mac_account(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """/Users, below the root, a volume, or a Windows drive as others write it."""
    hit = posix_account(kind, match, text)
    if hit is not None:
        return hit
    drive = _DRIVE.search(before(text, match.start(), 16))
    return _account(kind, match, match.start() - len(drive["root"])) if drive else None


def _account(kind: str, match: re.Match[str], start: int) -> Hit | None:
    written = match["name"]
    name = written.rstrip(" .,")
    if not name or name[0] in "{$%<[*" or name.casefold() in words("public_accounts"):
        return None
    end = match.end("name") - (len(written) - len(name))
    return Hit(kind, start, end, match.string[start:end])


# --- mail --------------------------------------------------------------------------

_LOCAL_LIMIT = 64  # RFC 5321, section 4.5.3.1.1


def email(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`match` is the @ and the domain; the local part is walked to."""
    start = _local_start(text, match.start())
    local = text[start : match.start()]
    if not local or local.lower() in words("nobody_mail"):
        return None
    domain = match["domain"]
    if domain is not None:
        doubt = _mail_doubt(domain, after(text, match.end(), 1))
        if doubt is None:
            return None
        kind = doubt + kind
    return Hit(kind, start, match.end(), text[start : match.end()].casefold())


def _local_start(text: str, end: int) -> int:
    if text[end - 1] == '"':
        quote = text.rfind('"', max(0, end - _LOCAL_LIMIT), end - 1)
        inner = text[quote + 1 : end - 1]
        return quote if quote >= 0 and inner and "\n" not in inner else end
    start = walk_left(text, end, ".+-%'!#$&*/=?^{|}~", _LOCAL_LIMIT)
    # Only letters, digits and a few marks begin one; `mail=mira@` begins after the `=`.
    local = text[start:end]
    cut = max(local.rfind(char) for char in "=/'&?{|}^*!#$%~")
    if cut >= 0 and not (local[cut] == "'" and cut > 0 and is_word(local[cut - 1])):
        local = local[cut + 1 :]
    return end - len(local.lstrip(".-+"))


def _mail_doubt(domain: str, following: str) -> str | None:
    """The prefix of the kind, or None where this is no mail domain."""
    labels = domain.lower().split(".")
    last = labels[-1]
    if following == "(" or last in words("file_suffixes"):
        return None
    if domain.lower() in words("nobody_domains"):
        return None  # `aes256-gcm@openssh.com` names a cipher
    if all(label.isdigit() for label in labels[:-1]) and len(labels) > 2:
        return None  # a package at a version
    if len(last) == 2 or not last.isascii() or last.startswith("xn--"):
        return ""
    return "" if last in words("top_level_domains") else DOUBTFUL


def spelled_email(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`mira at example dot org`."""
    last = match["domain"].rpartition(" ")[2].lower()
    if len(last) != 2 and last not in words("top_level_domains"):
        return None
    value = re.sub(r" dot ", ".", match.group(), flags=re.I)
    value = re.sub(r" (?:at|\(at\)|@) ", "@", value, flags=re.I)
    return Hit(kind, match.start(), match.end(), value.casefold())


# --- logins ------------------------------------------------------------------------

_SAMPLE_HOSTS = frozenset(
    ["host", "hostname", "server", "remote", "localhost", "127.0.0.1", "your-server"]
    + ["machine", "fileserver-name", "computer", "servername", "server-name"]
    + ["remote-host", "remotehost", "remote_host", "server-ip", "ip", "host.com"]
)


def login(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`ssh mira@box`."""
    user, _at, host = match["target"].partition("@")
    if _is_sample(user, host):
        return None
    return Hit(kind, match.start(), match.end(), match["target"].lower())


def _is_sample(user: str, host: str) -> bool:
    host = host.lower().rstrip(".")
    if host in words("public_forges"):
        return True
    return host in _SAMPLE_HOSTS and user.lower() in words("public_accounts")


def remote_path(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`mira@box:/srv`, `mira@box:~$`, `git@code.corp:group/project`."""
    host = match["host"].lower().rstrip(".")
    start = walk_left(text, match.start(), ".+-", _LOCAL_LIMIT)
    user = text[start : match.start()].lstrip(".+-")
    start = match.start() - len(user)
    if not user or text[start - 1 : start] in {"/", "@", ":"} or _is_sample(user, host):
        return None
    if host.partition(".")[0] in words("package_words") or not _is_reached(
        host, after(text, match.end(), 1)
    ):
        return None
    return Hit(kind, start, match.end("host"), f"{user}@{host}".lower())


def _is_reached(host: str, following: str) -> bool:
    last = host.rpartition(".")[2]
    if following in {"~", "/"}:
        return not host[0].isdigit() or "." in host
    return "." in host and len(last) > 1 and last.isalpha()


def host_line(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`HostName` and `ProxyJump` of ssh's configuration."""
    target = match["target"].lower()
    if target in _SAMPLE_HOSTS or target in words("public_forges") or target == "none":
        return None
    return Hit(kind, match.start("target"), match.end("target"), target)


# --- hosts -------------------------------------------------------------------------

# Suffixes that mean a network and nothing else; the others are words of code too.
_SURE_SUFFIXES = frozenset(["lan", "home.arpa", "localdomain", "localnet", "intranet"])
_LIKELY_SUFFIXES = frozenset(["local", "internal", "corp"])
_HOST_LIMIT = 253


def private_host(kind: str, match: re.Match[str], text: str) -> Hit | None:
    """`match` is the suffix with its dot; the name is walked to."""
    start = walk_left(text, match.start(), ".-", _HOST_LIMIT)
    name = text[start : match.start()].lstrip(".-_")
    start = match.start() - len(name)
    suffix = match["suffix"].lower()
    if not name or f"{name}.{suffix}".lower() in words("public_hosts"):
        return None
    left, right = before(text, start, 4), after(text, match.end(), 3)
    if not (left.endswith(("://", "@")) or re.match(r":\d", right)):
        doubt = _host_doubt(name, suffix, left, right)
        if doubt is None:
            return None
        kind = doubt + kind
    return Hit(kind, start, match.end(), f"{name}.{suffix}".lower())


def _host_doubt(name: str, suffix: str, left: str, right: str) -> str | None:
    """The prefix of the kind, or None where this is code or a file."""
    if right[:1] in {"(", "["} or re.match(r"\s?=[^=]?", right) or left[-1:] == "$":
        return None
    if suffix in _SURE_SUFFIXES:
        return ""
    labels = name.split(".")
    if left.endswith("/") or labels[0].lower() in words("code_words"):
        return None
    if "_" in name or not (name.islower() or name.isupper()):
        return None
    if any(char.isdigit() or char == "-" for char in name):
        return ""
    return "" if suffix in _LIKELY_SUFFIXES or len(labels) > 1 else DOUBTFUL


_LATEX = re.compile(
    r"(?:[hcv]line|(?:top|mid|bottom|c)rule|noalign|multicolumn|begin|end)"
)


def share(kind: str, match: re.Match[str], text: str) -> Hit | None:
    r"""`\\server\share`, or with every backslash doubled as in JSON."""
    written = match.group()
    lead = len(written) - len(written.lstrip("\\"))
    between = match.start("share") - match.end("server")
    server = match["server"]
    if server.lower() in _SAMPLE_HOSTS or "?" in written:
        return None
    if lead != 2 * between or server.lower().startswith("wsl") or _LATEX.match(server):
        return None
    plain = server.isalpha() and not match["share"].endswith("$")
    value = f"//{server}/{match['share']}".lower()
    return Hit((DOUBTFUL if plain else "") + kind, match.start(), match.end(), value)
