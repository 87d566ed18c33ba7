"""What is never asked of a server, and how much of an answer is read.

Owns the lists; `wire.py` obeys them whatever a family's file asks for.
"""

from __future__ import annotations

from urllib.parse import unquote

SMALL = 8 * 1024
LIST = 256 * 1024
DESIGNATED = 4 * 1024 * 1024
_LARGE_PATHS = frozenset(
    {
        "/api/models",
        "/api/tags",
        "/api/v0/models",
        "/api/v1/models",
        "/api/v1/openai/models",
        "/engines/v1/models",
        "/models",
        "/olla/models",
        "/openapi.json",
        "/props",
        "/server_info",
        "/v1/models",
        "/v1/models/capabilities",
        "/v3/models",
    }
)

# Each of these costs somebody else something when read: a generated token, a drained
# queue, a woken or unloaded model, a stopped server, a rewritten file, a sent mail.
FORBIDDEN = frozenset(
    {
        "/health_generate",
        "/slots",
        "/metrics",
        "/perf_metrics",
        "/steady_clock_offset",
        "/flush_cache",
        "/start_profile",
        "/stop_profile",
        "/freeze_gc",
        "/release_memory_occupation",
        "/resume_memory_occupation",
        "/slow_down",
        "/open_session",
        "/configure_logging",
        "/terminate",
        "/nodes/terminate_all",
        "/unload",
        "/api/env-dump",
    }
)
FORBIDDEN_BELOW = (
    "/upstream/",
    "/models/load/",
    "/models/unload/",
    "/comfyui/",
    "/api/oauth",
    "/api/reset_password",
    "/api/verification",
)
# Generates a token on SGLang and calls every model on LiteLLM: asked only of a server
# that already has another name, by that name's own file.
HEALTH = "/health"
# The one request that is no GET: a designated Ollama or LocalAI describes a model.
SHOW = "/api/show"


def is_forbidden(path: str, *, health: bool = False) -> bool:
    """Whether `path` is never asked. `health` is the leave a named family may have.

    Spellings that a server would read as the same path (`//slots`, `/%73lots`,
    `/slots/`) are the same path here.
    """
    if "?" in path or "#" in path:
        return True
    plain = "/" + "/".join(part for part in unquote(path).split("/") if part)
    if "?" in plain or ".." in plain.split("/"):
        return True
    plain = plain.lower()
    if plain == HEALTH:
        return not health
    below = f"{plain}/"
    return plain in FORBIDDEN or below.startswith(FORBIDDEN_BELOW)


def cap_of(path: str) -> int:
    """Bytes of body read from a server nobody designated."""
    return LIST if path in _LARGE_PATHS else SMALL
