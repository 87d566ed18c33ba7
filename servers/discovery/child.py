"""Other programs' output (`ip`, `ssh`, `virsh`): asked once, bounded in every way.

An argument list, a built environment, a timeout, bounded output, a process group of
its own that is gone afterwards. Knows no program; what it prints is for the sources.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

OUTPUT_LIMIT_BYTES = 1024 * 1024
# An allow list: no key, no SECRET_KEY and no DATABASE_URL can slip through it.
_PASSED_ON = (
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "LIBVIRT_DEFAULT_URI",
    "KRB5CCNAME",
)
# Where `ip` may be, though a person's PATH often leaves these out.
_MORE_PATH = ("/usr/sbin", "/sbin")
_CHUNK_BYTES = 64 * 1024
_ERROR_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Printed:
    """What a program said. `text` and `error` are decoded, whatever the bytes."""

    text: str
    error: str
    code: int

    @property
    def complaint(self) -> str:
        """Its error output as one short line."""
        return " ".join(self.error.split())[:_ERROR_CHARACTERS]

    def said(self, name: str) -> str:
        """Why it failed: its own words, or its code."""
        ended = _("%(name)s ended with %(code)s") % {"name": name, "code": self.code}
        return self.complaint or ended


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why a program could not be asked, in words for a person."""

    reason: str


def built_environment(source: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child: what it needs, in the C locale, without secrets."""
    source = os.environ if source is None else source
    chosen = {name: source[name] for name in _PASSED_ON if name in source}
    path = os.pathsep.join([source.get("PATH") or os.defpath, *_MORE_PATH])
    return {**chosen, "PATH": path, "LC_ALL": "C", "LANG": "C"}


def ask(
    argv: Sequence[str],
    *,
    timeout_seconds: float,
    limit_bytes: int = OUTPUT_LIMIT_BYTES,
) -> Printed | NoAnswer:
    """Run `argv` and return what it printed, or why it gave no answer.

    Blocking. A program that asks for a password finds no terminal and no input.
    """
    try:
        child = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=built_environment(),
            start_new_session=True,
        )
    except FileNotFoundError:
        return NoAnswer(_("%(name)s is not installed here") % {"name": argv[0]})
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or _("it cannot be run")
        return NoAnswer(f"{argv[0]}: {reason}")
    with child:
        try:
            return _collect(child, argv[0], timeout_seconds, limit_bytes)
        finally:
            _end(child)


def _collect(
    child: subprocess.Popen[bytes], name: str, seconds: float, limit_bytes: int
) -> Printed | NoAnswer:
    late = _("%(name)s did not answer within %(seconds)s s")
    much = _("%(name)s printed more than %(kib)s KiB")
    deadline = time.monotonic() + seconds
    texts = {child.stdout: bytearray(), child.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for pipe in texts:
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return NoAnswer(late % {"name": name, "seconds": f"{seconds:g}"})
            for key, _events in selector.select(left):
                chunk = os.read(key.fd, _CHUNK_BYTES)
                if not chunk:
                    selector.unregister(key.fileobj)
                texts[key.fileobj] += chunk  # type: ignore[index]
            if any(len(text) > limit_bytes for text in texts.values()):
                return NoAnswer(much % {"name": name, "kib": limit_bytes // 1024})
    try:
        code = child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return NoAnswer(late % {"name": name, "seconds": f"{seconds:g}"})
    out, err = (bytes(text).decode("utf-8", "replace") for text in texts.values())
    return Printed(out, err, code)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Nothing it started outlives the question."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
