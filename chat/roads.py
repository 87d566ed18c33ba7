"""From a server to the backend that talks to it. Reads settings; sends nothing."""

from __future__ import annotations

from django.conf import settings

from chat.backends.openai_http import OpenAIBackend
from chat.backends.sending import Patience
from chat.backends.upstream import Upstream, upstream_at
from servers.hosting import Placed
from servers.retained import Kept


def upstream_of(kept: Kept) -> Upstream:
    """A kept server, its API root completed by what its family is known for."""
    return upstream_at(
        kept.origin,
        name=str(kept),
        api_key=kept.api_key,
        family_root=kept.api_root,
    )


def backend_for(upstream: Upstream, placed: Placed) -> OpenAIBackend:
    """The backend of one turn; its connection goes to `placed` and nowhere else."""
    patience = Patience(loading_seconds=settings.LLMHUB_LOADING_SECONDS)
    return OpenAIBackend(upstream, patience=patience, placed=placed)


def server_road(kept: Kept, placed: Placed) -> OpenAIBackend:
    """How the engine reaches a kept server."""
    return backend_for(upstream_of(kept), placed)
