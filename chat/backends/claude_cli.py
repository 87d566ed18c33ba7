"""One question to a Claude Code session of this machine, on the same road as a server.

Runs `claude -p` in its own process group, reads all it writes, and ends the group
whatever happens. It keeps its own history: only the new turn is sent, on its stdin.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.backends.base import Request
from chat.claude.child import (
    GRACE_SECONDS,
    built_environment,
    find_program,
    private_file,
    read_from,
    signal_group,
    size_of,
    text_of,
)
from chat.claude.envelope import Answered, Failed, Printed, read_envelope
from chat.claude.limits import Limit
from chat.claude.lines import LineReader
from chat.claude.program import Abilities, abilities_of, question_argv
from chat.claude.sessions import Session
from chat.errors import BackendError, Fault
from chat.events import Body, Final, RateLimited, Started, Text, Usage
from gpts.gate import Payload

BUDGET_SECONDS = 600.0
OUTPUT_BYTES = 32 * 1024 * 1024
ERROR_BYTES = 8 * 1024
_TICK_SECONDS = 0.1
_CHUNK_BYTES = 256 * 1024
# How long a program that has given its result may still tidy up.
_AFTER_RESULT_SECONDS = 15.0


@dataclass(slots=True)
class Adopted:
    """The session that later questions go to, once there is one of our own."""

    session_id: str = ""


@dataclass(frozen=True, slots=True)
class ClaudeCli:
    """A session as a backend.

    `fork` False continues the session itself, which only the caller may allow. After
    a good answer `adopted` names the session that the envelope named, if that is not
    the one asked; `adopt` is told it (in a thread) before the answer ends.
    """

    session: Session
    fork: bool = True
    budget_seconds: float = BUDGET_SECONDS
    grace_seconds: float = GRACE_SECONDS
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    adopted: Adopted = field(default_factory=Adopted)
    adopt: Callable[[str], None] | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def events(self, request: Request) -> AsyncIterator[Body]:
        yield Started()
        program = find_program(self.environ)
        if program is None:
            raise BackendError(
                Fault.UNREACHABLE, _("There is no claude program on this machine.")
            )
        abilities = await asyncio.to_thread(abilities_of, program, self.environ)
        with ExitStack() as files:
            run = _Run(
                argv=self._argv(program, abilities),
                folder=self._folder(files),
                stdin=files.enter_context(
                    private_file(prompt_of(request.cleared.payload))
                ),
                out=files.enter_context(private_file()),
                err=files.enter_context(private_file()),
            )
            async with contextlib.aclosing(self._bodies(run, abilities)) as bodies:
                async for body in bodies:
                    yield body

    def _argv(self, program: str, abilities: Abilities) -> list[str]:
        return question_argv(
            program,
            self.session.session_id,
            fork=self.fork,
            abilities=abilities,
            directory=_real_folder(self.session.directory),
        )

    def _folder(self, files: ExitStack) -> str:
        """The session's own folder; an empty one where it is not known any more."""
        known = _real_folder(self.session.directory)
        return known or files.enter_context(tempfile.TemporaryDirectory())

    async def _bodies(
        self, run: _Run, abilities: Abilities
    ) -> AsyncGenerator[Body, None]:
        reader = LineReader()
        process = await _start(run, self.environ)
        try:
            # What came after the last look is read by `_pieces` as well.
            async for data in _pieces(process, run, reader, self.budget_seconds):
                for body in reader.feed(data) if abilities.streams else ():
                    yield body
        finally:
            await _end(process, self.grace_seconds)
        ending = list(self._ending(run, process.returncode or 0, reader))
        if self.adopted.session_id and self.adopt:
            await asyncio.to_thread(self.adopt, self.adopted.session_id)
        for body in ending:
            yield body

    def _ending(self, run: _Run, exit_code: int, reader: LineReader) -> Iterator[Body]:
        """What the whole output means; raises BackendError for a failure."""
        printed = Printed(
            text_of(run.out, OUTPUT_BYTES), text_of(run.err, ERROR_BYTES), exit_code
        )
        reading = read_envelope(printed, self.now())
        if isinstance(reading, Failed):
            raise BackendError(reading.fault, reading.message)
        if isinstance(reading, Limit):
            yield RateLimited(reading.resets_at, reading.message)
            return
        if missing := reader.last_text(reading.text):
            yield Text(missing)
        yield self._final(reading)

    def _final(self, answer: Answered) -> Final:
        notes = [*self._session_notes(answer), *_notes(answer)]
        return Final(
            finish_reason=answer.stop_reason,
            model=answer.models[0] if answer.models else "",
            usage=Usage(answer.prompt_tokens, answer.completion_tokens),
            notes=tuple(notes),
        )

    def _session_notes(self, answer: Answered) -> Iterator[str]:
        """Which session answered; a new one is adopted, an unchanged one never."""
        yield _("as of the last saved state of the session")
        asked = self.session.session_id
        if not answer.session_id:
            yield _("no fork id returned")
        elif answer.session_id != asked:
            self.adopted.session_id = answer.session_id
        elif self.fork:
            yield _("the original session itself was continued")


@dataclass(frozen=True, slots=True)
class _Run:
    argv: list[str]
    folder: str
    stdin: IO[bytes]
    out: IO[bytes]
    err: IO[bytes]


def prompt_of(payload: Payload) -> str:
    """What the session is asked: the last question, a gpt's text at its head."""
    system = [m.content for m in payload.messages if m.role == "system"]
    asked = [m.content for m in payload.messages if m.role == "user"]
    return "\n\n".join(part for part in [*system, *asked[-1:]] if part.strip())


def _real_folder(directory: str) -> str:
    path = Path(directory)
    try:
        return directory if path.is_absolute() and path.is_dir() else ""
    except (OSError, ValueError):  # a name that is too long, or holds a NUL
        return ""


async def _start(run: _Run, environ: Mapping[str, str]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *run.argv,
            stdin=run.stdin,
            stdout=run.out,
            stderr=run.err,
            cwd=run.folder,
            env=built_environment(environ),
            start_new_session=True,
        )
    except (OSError, ValueError):
        raise BackendError(
            Fault.UNREACHABLE, _("claude could not be started on this machine.")
        ) from None


async def _pieces(
    process: asyncio.subprocess.Process,
    run: _Run,
    reader: LineReader,
    budget_seconds: float,
) -> AsyncIterator[bytes]:
    """What the program writes, as it comes, until it ends. Bounded in every way."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + budget_seconds
    offset = 0
    finished_at: float | None = None
    while True:
        ended = await _ended(process, _TICK_SECONDS)
        while data := read_from(run.out, offset, _CHUNK_BYTES):
            offset += len(data)
            _bound(run)
            yield data
        if ended:
            return
        _bound(run)
        if loop.time() > deadline:
            seconds = {"seconds": budget_seconds}
            message = _("stopped by the time limit of %(seconds)g s") % seconds
            raise BackendError(Fault.CUT, message)
        if reader.finished:
            finished_at = finished_at or loop.time()
            if loop.time() > finished_at + _AFTER_RESULT_SECONDS:
                return


async def _ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _bound(run: _Run) -> None:
    if size_of(run.out) > OUTPUT_BYTES or size_of(run.err) > OUTPUT_BYTES:
        size = OUTPUT_BYTES // (1024 * 1024)
        message = _("claude printed more than %d MiB and was stopped") % size
        raise BackendError(Fault.PROTOCOL, message)


async def _end(process: asyncio.subprocess.Process, grace_seconds: float) -> None:
    """End the program and all it started: politely, then surely."""
    if process.returncode is None:
        signal_group(process.pid, signal.SIGTERM)
        try:
            await _ended(process, grace_seconds)
        finally:
            signal_group(process.pid, signal.SIGKILL)
    else:
        signal_group(process.pid, signal.SIGKILL)  # what it left running
    await process.wait()


def _notes(answer: Answered) -> Iterator[str]:
    """Facts worth showing with the answer."""
    if answer.denied:
        names = ", ".join(dict.fromkeys(answer.denied))
        count = len(answer.denied)
        words = ngettext(
            "%(count)d tool call was not allowed (%(names)s)",
            "%(count)d tool calls were not allowed (%(names)s)",
            count,
        )
        yield words % {"count": count, "names": names}
    if answer.cost_usd is not None:
        yield _("cost: %.4f US dollars") % answer.cost_usd
    if answer.turns is not None:
        yield ngettext("%d turn", "%d turns", answer.turns) % answer.turns
    if len(answer.models) > 1:
        yield _("models: %s") % ", ".join(answer.models)
    if answer.exit_code > 0:
        yield _("claude ended with exit code %d") % answer.exit_code
