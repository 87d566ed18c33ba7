"""The ports a scan knocks on. A port says where to knock, never who answers."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from servers.addresses import parse_port
from servers.errors import AddressError

# In this order per host; the reason stands beside each.
DEFAULT_PORTS: dict[int, str] = {
    11434: "Ollama, and whatever takes its place",
    1234: "LM Studio, mistral.rs",
    5001: "KoboldCpp",
    1337: "Jan",
    4891: "GPT4All",
    8080: "llama.cpp, LocalAI, llamafile, mlx-lm, llama-swap, Open WebUI",
    5000: "TabbyAPI, text-generation-webui",
    8000: "vLLM, llama-cpp-python, FastChat, transformers serve, NVIDIA NIM",
    3000: "Open WebUI in Docker, TGI, one-api, BentoML",
    8081: "a second server on 8080's machine",
    5002: "a second KoboldCpp",
    52415: "exo",
    4000: "LiteLLM",
    30000: "SGLang",
    9997: "Xinference",
    2242: "Aphrodite",
    23333: "LMDeploy",
    13305: "Lemonade",
    12434: "Docker Model Runner",
    7860: "text-generation-webui's page, Stable Diffusion web pages",
}


def parse_ports(texts: Iterable[str], families: Iterable[int] = ()) -> tuple[int, ...]:
    """Typed ports in order, or the default ones; `all` adds every family's own.

    Raises AddressError.
    """
    chosen: dict[int, None] = {}
    for text in texts:
        for part in text.split(","):
            if part.strip().lower() == "all":
                chosen.update(dict.fromkeys([*DEFAULT_PORTS, *families]))
            else:
                chosen[_one(part.strip())] = None
    return tuple(chosen or DEFAULT_PORTS)


def _one(text: str) -> int:
    try:
        return parse_port(text)
    except AddressError:
        raise AddressError(
            _("--port takes a number from 1 to 65535, or `all`.")
        ) from None
