"""Identities for people on a terminal: plain text, one block a server."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from servers.identity import Identity

_MODELS_SHOWN = 8


def table(found: Iterable[Identity]) -> str:
    """One block per identity: who, at which state, with what, and why."""
    return "\n".join(_block(identity) for identity in found)


def _block(identity: Identity) -> str:
    origin = identity.origin
    head = origin.url() if origin else ""
    rows = [
        (_("answers"), _who(identity)),
        (_("state"), identity.state.value if identity.state else ""),
        (_("models"), _models(identity)),
        (_("chat root"), identity.api_root or ""),
        (_("hosting"), f"{identity.hosting.value} ({identity.hosting.words})"),
        (_("why"), "; ".join(f"{why.path} {why.fact}".strip() for why in identity.why)),
        (_("unknown"), ", ".join(identity.unknown)),
        (_("also answers as"), ", ".join(identity.also_answers)),
    ]
    lines = [f"  {name:<16} {value}" for name, value in rows if value]
    return "\n".join([head, *lines, ""])


def _who(identity: Identity) -> str:
    if identity.problem:
        return identity.problem
    if not identity.is_server:
        return _("no LLM server is recognised")
    kind = f"({identity.kind.value})" if identity.family else ""
    parts = (identity.name, identity.version or "", kind)
    return " ".join(part for part in parts if part)


def _models(identity: Identity) -> str:
    shown = ", ".join(identity.models[:_MODELS_SHOWN])
    more = len(identity.models) - _MODELS_SHOWN
    return f"{shown} (+{more})" if more > 0 else shown
