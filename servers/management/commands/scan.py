"""`manage.py scan`: find LLM servers, print them as they are found, keep on request."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from servers.addresses import Origin
from servers.discovery.gather import Chosen, gather, parse_source
from servers.discovery.own import look_here
from servers.discovery.ports import parse_ports
from servers.discovery.report import Report, list_json
from servers.discovery.search import search
from servers.discovery.sweep import Pace
from servers.discovery.targets import Plan
from servers.errors import ServersError
from servers.identity import Identity
from servers.ladder import families
from servers.recognise import recognise
from servers.scan_keeping import (
    KeepError,
    Outcome,
    handles_to_be,
    keep_found,
    parse_choice,
)
from servers.scan_output import ScanOutput, unwrapped


class Command(BaseCommand):
    help = "Look for LLM servers. Asks by GET only; keeps nothing unless told to."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("--network", action="append", default=[], metavar="CIDR")
        add("--host", action="append", default=[], metavar="HOST")
        add(
            "--source",
            action="append",
            default=[],
            metavar="NAME",
            help="loopback (default), networks, neighbours, ssh, ssh-tunnels, "
            "ssh-networks:ALIAS, libvirt",
        )
        add("--port", action="append", default=[], metavar="N|all")
        add("--list-targets", action="store_true", help="probe nothing")
        add("--keep", default="", metavar="all|N,..", help="keep what was found")
        add("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        output = ScanOutput(unwrapped(self.stdout), quiet=options["json"])
        try:
            choice = parse_choice(options["keep"])
            plan = self._plan(options)
        except ServersError as error:
            raise CommandError(str(error), returncode=2) from None
        if options["list_targets"]:
            self._list(output, plan, as_json=options["json"])
            sys.exit(0 if plan.targets else 1)
        output.plan(plan)
        report = Report(plan)
        finished = self._run(report, output)
        if not options["json"]:
            output.table(report, handles_to_be(report.servers))
        kept, problem = [], ""
        if choice and finished:
            try:
                kept = keep_found(report.servers, choice)
            except KeepError as error:
                problem = str(error)
        self._conclude(output, report, kept, as_json=options["json"])
        if problem:
            raise CommandError(problem, returncode=1)
        sys.exit(_exit_code(report, finished=finished))

    def _plan(self, options: dict[str, Any]) -> Plan:
        ports = parse_ports(options["port"], _family_ports(options["port"]))
        return gather(
            _chosen(options),
            ports,
            look_here(settings.LLMHUB_ADDRESS),
            cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN,
        )

    def _list(self, output: ScanOutput, plan: Plan, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(list_json(plan), indent=1))
        else:
            output.targets(plan)

    def _run(self, report: Report, output: ScanOutput) -> bool:
        """False when Ctrl-C cut it short; what was found is in the report."""
        try:
            with output.following():
                asyncio.run(self._follow(report, output))
        except KeyboardInterrupt:
            return False
        return True

    async def _follow(self, report: Report, output: ScanOutput) -> None:
        events = search(
            report.plan,
            recognise=_recognise,
            pace=Pace(
                timeout_seconds=settings.LLMHUB_CONNECT_SECONDS,
                heartbeat_seconds=0.1 if output.watched else 2.0,
            ),
            budget_seconds=settings.LLMHUB_PROBE_SECONDS,
        )
        async for event in events:
            report.take(event)
            output.take(event)

    def _conclude(
        self, output: ScanOutput, report: Report, kept: list[Outcome], *, as_json: bool
    ) -> None:
        if as_json:
            document = report.as_json()
            if kept:
                document["kept"] = [one.as_json() for one in kept]
            self.stdout.write(json.dumps(document, indent=1))
            return
        for one in kept:
            name = one.sighting.identity.name or one.sighting.identity.kind
            output.say(one.problem or f"Kept {name} as {one.handle}.")


async def _recognise(origin: Origin, seconds: float) -> Identity:
    return await recognise(
        origin,
        budget_seconds=seconds,
        cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN,
    )


def _family_ports(texts: list[str]) -> list[int]:
    """Every product's own ports, read only where `all` asks for them."""
    if not any("all" in text.lower() for text in texts):
        return []
    return [port for family in families() for port in family.ports]


def _chosen(options: dict[str, Any]) -> list[Chosen]:
    """Typed networks and hosts alone are probed alone; nothing said: this machine."""
    typed = [Chosen("network", text) for text in options["network"]]
    typed += [Chosen("host", text) for text in options["host"]]
    named = [parse_source(text) for text in options["source"]]
    return typed + named or [Chosen("loopback")]


def _exit_code(report: Report, *, finished: bool) -> int:
    if not finished:
        return 130
    return 0 if report.servers else 1
