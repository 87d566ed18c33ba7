"""Settings of the tests: the product's, with keys of their own and no `.env`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ["LLMHUB_ENV_FILE"] = "/nonexistent"
os.environ.setdefault("SECRET_KEY", "tests-only-not-a-secret")
os.environ.setdefault("LLMHUB_KEYS", "Zm9yLXRlc3RzLW9ubHktMDEyMzQ1Njc4OWFiY2RlZmc=")
os.environ.setdefault(
    "LLMHUB_VAR", str(Path(tempfile.gettempdir()) / f"llmhub-tests-{os.getuid()}")
)

from llmhub.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SERVESTATIC_AUTOREFRESH = True
SERVESTATIC_USE_FINDERS = True

# A file: the engine's threads have connections of their own, and a database in
# memory locks whole tables between them.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {  # noqa: F405
        "NAME": str(Path(tempfile.gettempdir()) / f"llmhub-tests-{os.getpid()}.sqlite3")
    }
