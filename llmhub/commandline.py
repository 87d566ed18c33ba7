"""Every command starts here, so that no fault of the surroundings ends in a traceback.

Turns what a person can mend (settings, keys, database) into one line; what is left
is a bug of ours and keeps its traceback.
"""

from __future__ import annotations

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, OperationalError

from llmhub.encryption import EncryptionError

UNUSABLE = 2
FAILED = 1

# What SQLite and PostgreSQL say, and what it means for the person who reads it.
_DATABASE_SENTENCES = (
    ("no such table", "The database has no tables yet: run `manage.py migrate`."),
    ("does not exist", "The database is not set up yet: run `manage.py migrate`."),
    ("no such column", "The database is older than the hub: run `manage.py migrate`."),
    ("database is locked", "The database is busy: another process writes. Try again."),
    ("readonly database", "The database is read-only: check who owns its files."),
    ("unable to open", "The database file cannot be opened: check its folder."),
    ("not a database", "The database file is damaged or something else."),
    ("malformed", "The database file is damaged: restore a backup."),
    ("refused", "The database server does not answer: check DATABASE_URL."),
)


def run(argv: list[str]) -> int:
    """Run the command of `argv`; the exit code for the shell."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "llmhub.settings")
    # Whatever a command writes (database, WAL, backups) is its owner's alone.
    os.umask(0o077)
    try:
        # Named here: Django would hide a settings error behind "unknown command".
        __import__(os.environ["DJANGO_SETTINGS_MODULE"])
        execute_from_command_line(argv)
    except ImproperlyConfigured as error:
        return _say(str(error), UNUSABLE)
    except EncryptionError as error:
        return _say(str(error), FAILED)
    except DatabaseError as error:
        return _say(database_sentence(error), FAILED)
    except KeyboardInterrupt:
        return _say("Stopped.", 130)
    except BrokenPipeError:
        # `... | head` closed our output: nothing to say, nobody to say it to.
        sys.stdout = None
        return FAILED
    return 0


def database_sentence(error: DatabaseError) -> str:
    """One line for a database that cannot be used."""
    text = str(error)
    for mark, sentence in _DATABASE_SENTENCES:
        if mark in text:
            return sentence
    kind = "does not answer" if isinstance(error, OperationalError) else "refused"
    return f"The database {kind}: {text.splitlines()[0][:200] if text else 'no reason'}"


def _say(text: str, code: int) -> int:
    sys.stderr.write(" ".join(text.split()) + "\n")
    return code
