"""Names no context may contain, wherever they stand in a path.

Pure, and asked about typed paths, real paths and the targets of links alike. Whole
components are compared, without case, accents' spelling and Windows' loose ends.
"""

from __future__ import annotations

import re
import unicodedata

# Folders and files whose every variant is refused.
_NAMES = frozenset(
    [".env", ".envrc", ".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"]
    + [
        ".venv",
        "venv",
        "env",
        "virtualenv",
        ".virtualenvs",
        "node_modules",
        ".svn",
        ".hg",
    ]
    + [".netrc", "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".pgpass"]
    + [".my.cnf", ".mylogin.cnf", ".htpasswd", ".git-credentials", ".vault-token"]
    + [
        ".password-store",
        ".terraform",
        ".terraformrc",
        ".boto",
        ".s3cfg",
        ".rclone.conf",
    ]
    + [
        ".bash_history",
        ".zsh_history",
        ".python_history",
        ".psql_history",
        ".node_repl",
    ]
    + [".mysql_history", ".sqlite_history", ".lesshst", ".viminfo", ".claude", ".codex"]
    + ["shadow", "gshadow", "sudoers", "master.key", "credentials", "wallet.dat"]
    + ["known_hosts", "authorized_keys", "logins.json", "key3.db", "key4.db", "secring"]
    + ["keyrings", "keychains", "cookies.sqlite", "login data", "tokens.json"]
)
# What such names hold when they end like this: `secrets-prod.yaml`, not secrets.md.
_VAULT = re.compile(
    r"(?:secrets?|credentials?|client_secrets?|service[-_]accounts?|passwords?|passwd"
    r"|htpasswd|tokens?)(?:[-_.][\w.-]*)?\.(?:ya?ml|json|toml|ini|cfg|conf|txt|csv|env"
    r"|xml|properties|plist|xlsx?|enc|bak|old|orig|save|swp|gz|zip|7z)~?"
    r"|secrets?|passwords?|passwd|identity"
)
_SSH_KEY = re.compile(r"id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[-_.~].*)?")
# `.env.local`, `.env~`; what is kept to be copied holds nothing.
_ENV = re.compile(r"\.env(?:[.~_-].*)?|.*\.env")
_ENV_SAMPLES = re.compile(r"\.env\.(?:example|sample|template|dist|defaults)")
# Keys and vaults, also as `server.key.old`.
_SUFFIXES = frozenset(
    ["pem", "key", "p12", "pfx", "pkcs12", "p8", "der", "jks", "keystore", "bks", "ppk"]
    + ["kdbx", "kdb", "psafe3", "agilekeychain", "opvault", "1pif", "gpg", "pgp", "asc"]
    + ["age", "agekey", "ovpn", "keytab", "tfstate", "tfvars", "wallet", "secret"]
    + ["mobileprovision", "keychain", "keychain-db", "truecrypt", "hc", "jceks", "snk"]
)
_SYSTEM = ("proc", "sys", "dev")
_DEEP: tuple[tuple[str, ...], ...] = (
    ("etc", "ssh"),
    ("run", "secrets"),
    ("var", "run", "secrets"),
)
_DEEP += (("etc", "ssl", "private"), (".config", "gcloud"), (".config", "gh"))
# Names Windows opens as devices whatever their suffix.
_WINDOWS_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?"
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]")


def folded(name: str) -> str:
    """One component as every file system might read it.

    Case and composition do not count, nor do the dots and spaces at the end that
    Windows drops, nor a stream behind a colon.
    """
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).casefold()
    plain = plain.partition(":")[0]
    return plain.rstrip(". ") or plain


def is_denied(components: tuple[str, ...]) -> bool:
    """Whether a path of these components, from a root or from `/`, is refused."""
    names = tuple(folded(name) for name in components)
    return any(_is_denied_name(name) for name in names) or any(
        names[start : start + len(deep)] == deep
        for deep in _DEEP
        for start in range(len(names))
    )


def is_system(path: str) -> bool:
    """Whether an absolute path lies in /proc, /sys or /dev."""
    first = next((part for part in path.split("/") if part not in ("", ".")), "")
    return path.startswith("/") and folded(first) in _SYSTEM


def _is_denied_name(name: str) -> bool:
    if name in _NAMES or _WINDOWS_DEVICE.fullmatch(name) or _VAULT.fullmatch(name):
        return True
    if _SSH_KEY.fullmatch(name):
        return not name.endswith(".pub")
    if _ENV.fullmatch(name):
        return not _ENV_SAMPLES.fullmatch(name)
    suffixes = re.split(r"[.~]", name)[1:]
    return any(suffix in _SUFFIXES for suffix in suffixes)
