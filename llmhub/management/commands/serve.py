"""`serve`: the web server, in this one process, until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import resource
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _

from llmhub.asgi import application
from llmhub.listening import Address, CannotListen, listen, read_address

# Open streams are told to go before; this bounds what does not listen.
GRACE_SECONDS = 2
BACKLOG = 2048
# Threads that answer pages hand over to the streams' loop sooner than Python's 5 ms.
SWITCH_SECONDS = 0.001
# A hundred streams make garbage that counting frees; looking for cycles can wait.
GC_THRESHOLDS = (20_000, 20, 20)


class HubServer(uvicorn.Server):
    """Says when it is ready, and lets the event streams go before it stops."""

    def __init__(
        self, config: uvicorn.Config, front: Any, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._front = front
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What was loaded stays: no collection need walk through it again.
        gc.collect()
        gc.freeze()
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._front.hub.leave()
        await super().shutdown(sockets)


class Command(BaseCommand):
    help = (
        "Serve the hub until Ctrl-C or SIGTERM. Answers in progress are then kept as "
        "far as they came."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--address",
            metavar="HOST:PORT",
            help=f"where to listen (default: {settings.LLMHUB_ADDRESS})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        _refuse_unmigrated()
        try:
            wanted = read_address(options["address"] or settings.LLMHUB_ADDRESS)
            listener = listen(wanted, BACKLOG)
        except CannotListen as error:
            raise CommandError(str(error)) from None
        with listener:
            sys.setswitchinterval(SWITCH_SECONDS)
            gc.set_threshold(*GC_THRESHOLDS)
            _refuse_a_second_one()
            _raise_file_limit()
            self._serve(Address(wanted.host, listener.getsockname()[1]), listener)

    def _serve(self, address: Address, listener: socket.socket) -> None:
        def ready() -> None:
            said = _("LLM Hub serves on http://%(address)s/ (Ctrl-C stops it)")
            self.stdout.write(said % {"address": address})
            self.stdout.flush()

        server = HubServer(configuration(), application, ready)
        try:
            asyncio.run(server.serve(sockets=[listener]))
        except KeyboardInterrupt:
            return
        except SystemExit:
            raise CommandError(application.problem or _("The hub stopped.")) from None


def configuration() -> uvicorn.Config:
    """How uvicorn serves the hub; the asyncio loop had a quarter of uvloop's delay."""
    return uvicorn.Config(
        application,
        loop="asyncio",
        lifespan="on",
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=settings.LLMHUB_TLS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _refuse_unmigrated() -> None:
    """Raises CommandError rather than serve pages that break at the first click."""
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        said = _("The database cannot be used: %(error)s") % {"error": error}
        raise CommandError(said) from None
    if plan:
        said = _("The database is not prepared (%(count)d steps): run `make setup`.")
        raise CommandError(said % {"count": len(plan)})


def _refuse_a_second_one() -> None:
    """The lifespan finds out as well, but speaks through a log."""
    problem = application.hub.taken()
    if problem:
        raise CommandError(problem)


def _raise_file_limit() -> None:
    """Every open page is an open file; the default of many systems is 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
