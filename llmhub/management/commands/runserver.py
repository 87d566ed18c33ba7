"""`runserver` is `serve`: Django's own would buffer every stream whole."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from llmhub.management.commands import serve


class Command(serve.Command):
    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("addrport", nargs="?", help="the same as --address")

    def handle(self, *args: Any, **options: Any) -> None:
        options["address"] = options["address"] or options["addrport"]
        super().handle(*args, **options)
