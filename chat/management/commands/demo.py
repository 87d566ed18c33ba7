"""`demo`: a real llama.cpp server with a tiny model, and the hub beside it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from chat.demo.llama_server import NoLlamaServer, Options, running
from servers import retained
from servers.addresses import Origin
from servers.errors import AlreadyKept
from servers.hosting import Hosting

PORT = 8711


class Command(BaseCommand):
    help = (
        "For somebody without any LLM server: start llama.cpp with a tiny model (it "
        "answers gibberish, fast), keep it, and serve the hub beside it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        model = tiny_model()
        try:
            with running(Options(str(model), PORT, most_tokens=400)):
                self.stdout.write(f"A tiny llama.cpp answers on 127.0.0.1:{PORT}.")
                call_command("start", prepare_only=True, stdout=self.stdout)
                keep_it()
                connection.close()
                call_command("serve", stdout=self.stdout)
        except NoLlamaServer as error:
            raise CommandError(f"{error} Keep a server of your own instead.") from None


def tiny_model() -> Path:
    """The model's file, written at the first demo."""
    try:
        tiny = import_module("chat.demo.tiny_model")
    except ImportError:  # gguf and numpy come with what the tests need
        raise CommandError("gguf is not installed: run `make demo`.") from None
    path = settings.LLMHUB_VAR / "demo" / "tiny.gguf"
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        tiny.write_tiny_model(path)
    return Path(path)


def keep_it() -> None:
    """Keep the demo's server, once."""
    try:
        retained.keep(
            Origin("http", "127.0.0.1", PORT),
            family="llamacpp",
            hosting=Hosting.LOOPBACK,
            label="Demo",
            default_model="tiny",
            slots=1,
        )
    except AlreadyKept:
        return
