"""The one settings file: every value comes from the environment, then from `.env`.

Readers are strict: a value that cannot be read stops the start with one line that
names it. Wrong combinations are system checks (see the `checks` modules).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from llmhub.version import read_version

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = read_version(BASE_DIR / "CHANGELOG.md")

env = environ.Env()
_ENV_FILE = Path(os.environ.get("LLMHUB_ENV_FILE", BASE_DIR / ".env"))
if _ENV_FILE.is_file():
    env.read_env(_ENV_FILE)


def _number(name: str, default: float, *, least: float, most: float) -> float:
    """A number within bounds, or a refusal that says which."""
    text = env.str(name, default=str(default))
    try:
        value = float(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number, not {text!r}.") from None
    if not least <= value <= most:
        raise ImproperlyConfigured(f"{name} must lie between {least:g} and {most:g}.")
    return value


def _switch(name: str, default: bool = False) -> bool:
    """`1/0`, `true/false`, `yes/no`, `on/off`; anything else is refused."""
    text = env.str(name, default="1" if default else "0").strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {text!r}.")


def _words(name: str, default: list[str] | None = None) -> list[str]:
    """A comma-separated list without empty entries."""
    return [word.strip() for word in env.list(name, default=default or []) if word]


def _secret(name: str) -> str:
    value: str = env.str(name, default="")
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: run `make setup`.")
    return value


# --- The hub's own -----------------------------------------------------------------

# Fernet keys, comma-separated: the first one writes, all of them read.
LLMHUB_KEYS = [part.strip() for part in _secret("LLMHUB_KEYS").split(",") if part]
# Where `serve` listens. 8710 is a port no LLM server uses.
LLMHUB_ADDRESS = env.str("LLMHUB_ADDRESS", default="127.0.0.1:8710")
# Names by which browsers reach the hub, beyond the loopback's.
LLMHUB_HOSTS = _words("LLMHUB_HOSTS")
# Served behind TLS: secure cookies, HSTS left to the proxy.
LLMHUB_TLS = _switch("LLMHUB_TLS")
LLMHUB_VAR = Path(env.str("LLMHUB_VAR", default=str(BASE_DIR / "var")))
# Seconds a connection may take during a sweep. Lowering it makes false negatives.
LLMHUB_CONNECT_SECONDS = _number("LLMHUB_CONNECT_SECONDS", 0.30, least=0.05, most=10)
# Seconds recognition may take per (host, port).
LLMHUB_PROBE_SECONDS = _number("LLMHUB_PROBE_SECONDS", 1.0, least=0.1, most=30)
# 100.64.0.0/10 (carrier-grade NAT, Tailscale) counts as lan when this is on.
LLMHUB_CGNAT_IS_LAN = _switch("LLMHUB_CGNAT_IS_LAN")
# Seconds one turn may take, and how long a server may say that it is loading.
LLMHUB_TURN_SECONDS = _number("LLMHUB_TURN_SECONDS", 600, least=1, most=86_400)
LLMHUB_LOADING_SECONDS = _number("LLMHUB_LOADING_SECONDS", 120, least=0, most=3_600)
# Days a conversation is kept after its last turn; 0 keeps it until it is deleted.
LLMHUB_RETENTION_DAYS = int(_number("LLMHUB_RETENTION_DAYS", 90, least=0, most=36_500))
# Folders of gpts as `path` (unreviewed) or `path=reviewed`; later ones override.
LLMHUB_GPT_FOLDERS = _words("LLMHUB_GPT_FOLDERS")
# Folders below which a reviewed gpt may read its declared context.
LLMHUB_CONTEXT_ROOTS = _words("LLMHUB_CONTEXT_ROOTS")
# Commands a reviewed gpt may run, a JSON list; its format stands in the README.
LLMHUB_CONTEXT_COMMANDS = env.json("LLMHUB_CONTEXT_COMMANDS", default=[])
# Questioning this machine's Claude Code sessions.
LLMHUB_CLAUDE = _switch("LLMHUB_CLAUDE")

# --- Django's ----------------------------------------------------------------------

SECRET_KEY = _secret("SECRET_KEY")
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *LLMHUB_HOSTS]
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in LLMHUB_HOSTS if LLMHUB_TLS]
ROOT_URLCONF = "llmhub.urls"
ASGI_APPLICATION = "llmhub.asgi.application"
INSTALLED_APPS = [
    # First: its `runserver` stands before the one of staticfiles.
    "llmhub",
    "llmhub.admin_apps.HubAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "servers",
    "gpts",
    "chat",
]
# Every entry works without a thread hop of its own where Django offers it.
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "llmhub.csp.ContentSecurityPolicyMiddleware",
    "llmhub.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "llmhub" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "llmhub.pages.site",
            ],
        },
    },
]


def _database() -> dict[str, Any]:
    """SQLite in `var/` unless DATABASE_URL names another."""
    default = f"sqlite:///{LLMHUB_VAR / 'hub.sqlite3'}"
    config: dict[str, Any] = env.db("DATABASE_URL", default=default)
    # Requests are answered by a few lasting threads (llmhub.onehop).
    config["CONN_MAX_AGE"] = 600
    config["CONN_HEALTH_CHECKS"] = not config["ENGINE"].endswith("sqlite3")
    if config["ENGINE"].endswith("sqlite3"):
        config["OPTIONS"] = {
            # IMMEDIATE: two writers wait for each other instead of failing at COMMIT.
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": (
                "PRAGMA journal_mode=WAL;"
                "PRAGMA synchronous=NORMAL;"
                "PRAGMA secure_delete=ON;"
                "PRAGMA foreign_keys=ON;"
            ),
        }
    return config


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/accounts/login/"
# By user name AND address: behind a proxy an address alone shuts everybody out.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25  # hours
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = LLMHUB_TLS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = LLMHUB_TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if LLMHUB_TLS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

STATIC_URL = "/static/"
STATIC_ROOT = LLMHUB_VAR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"
    },
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "llmhub" / "locale"]
TIME_ZONE = env.str("LLMHUB_TIME_ZONE", default="UTC")
USE_I18N = True
USE_TZ = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"redact": {"()": "llmhub.redaction.RedactionFilter"}},
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["redact"],
            "formatter": "line",
        }
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        # httpx and the openai client log every URL at INFO.
        "httpx": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "axes": {"level": "WARNING"},
    },
}
