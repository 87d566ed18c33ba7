"""A real hub in a process of its own, for benchmarks and for tests that kill it.

`python -m tests.hub PORT SLOTS PEOPLE CONVERSATIONS` fills its database and prints
{"people": [{"name", "cookie"}], "conversations": [[pk, person's number], ...]}.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SERVES = re.compile(r"http://127\.0\.0\.1:(\d+)/")


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "llmhub.settings",
        "LLMHUB_ENV_FILE": "/nonexistent",
        "SECRET_KEY": "tests-only-not-a-secret",
        "LLMHUB_KEYS": "Zm9yLXRlc3RzLW9ubHktMDEyMzQ1Njc4OWFiY2RlZmc=",
        "LLMHUB_VAR": str(folder),
        "PYTHONUNBUFFERED": "1",
    }


@dataclass
class HubProcess:
    """Folder, port and process of a hub; `known` is what the filling printed."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp("-hub")))
    port: int = 0
    process: subprocess.Popen[str] | None = None
    known: dict[str, Any] = field(default_factory=dict)

    def prepare(
        self, upstream_port: int, slots: int, people: int, conversations: int
    ) -> None:
        for argv in (["migrate", "-v0"], ["collectstatic", "-v0", "--noinput"]):
            self.manage(*argv)
        numbers = (upstream_port, slots, people, conversations)
        argv = [sys.executable, "-m", "tests.hub", *map(str, numbers)]
        self.known = json.loads(self._run(argv))

    def manage(self, *argv: str) -> str:
        return self._run([sys.executable, "manage.py", *argv])

    def _run(self, argv: list[str]) -> str:
        done = subprocess.run(
            argv,
            cwd=ROOT,
            env=environment(self.folder),
            capture_output=True,
            text=True,
            timeout=120,
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        return done.stdout

    def start(self) -> None:
        with (self.folder / "stderr.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--address", "127.0.0.1:0"],
                cwd=ROOT,
                env=environment(self.folder),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        line = self.process.stdout.readline()
        found = SERVES.search(line)
        if found is None:
            raise RuntimeError(f"the hub did not start: {line}{self.log()[-2000:]}")
        self.port = int(found[1])

    def end(self, number: int = signal.SIGTERM) -> float:
        """Send a signal, wait, and say how long it took."""
        began = time.monotonic()
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(30)
            self.process.stdout.close()
            self.process = None
        return time.monotonic() - began

    def remove(self) -> None:
        if self.process is not None:
            self.end(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def log(self) -> str:
        return (self.folder / "stderr.log").read_text()


def fill(port: int, slots: int, people: int, conversations: int) -> dict[str, Any]:
    from django.contrib.auth.models import Group, User
    from django.test import Client

    from chat import transcript
    from servers.addresses import parse_url
    from servers.hosting import Hosting
    from servers.retained import keep

    origin = parse_url(f"http://127.0.0.1:{port}")
    server = keep(
        origin,
        family="llamacpp",
        hosting=Hosting.LOOPBACK,
        slots=slots,
        default_model="bench",
    )
    members = Group.objects.get(name="members")
    known: dict[str, Any] = {"people": [], "conversations": []}
    users = []
    for number in range(people):
        user = User.objects.create_user(f"person{number}")
        user.groups.add(members)
        client = Client()
        client.force_login(user, "django.contrib.auth.backends.ModelBackend")
        cookie = client.cookies["sessionid"].value
        known["people"].append({"name": user.username, "cookie": cookie})
        users.append(user)
    for number in range(conversations):
        begun = transcript.begin(users[number % people], server=server)
        known["conversations"].append([begun.pk, number % people])
    return known


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(fill(*map(int, sys.argv[1:]))))
