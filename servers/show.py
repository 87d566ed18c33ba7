"""Identities for people on a terminal: plain text, one block a server."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from servers.claims import Claim, Claims
from servers.family import Kind
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
        (_("hosting"), _hosting(identity)),
        (_("why"), "; ".join(f"{why.path} {why.fact}".strip() for why in identity.why)),
        (_("unknown"), ", ".join(identity.unknown)),
        (_("also answers as"), ", ".join(identity.also_answers)),
    ]
    lines = [f"  {name:<16} {value}" for name, value in rows if value]
    lines += [f"    {_claims(one)}" for one in identity.capabilities[:_MODELS_SHOWN]]
    return "\n".join([head, *lines, ""])


def _claims(claims: Claims) -> str:
    """What is known of one model, on a line; an estimate says that it is one."""
    facts = [
        _fact(_("%(value)s tokens"), claims.context_tokens),
        _fact(_("trained with %(value)s"), claims.context_trained),
        _fact(_("%(value)s B parameters"), claims.parameters_billions),
        _fact("%(value)s", claims.quantization),
        _fact(_("%(value)s slots"), claims.slots),
        *(word for word, claim in _able(claims) if claim.value is True),
    ]
    known = ", ".join(fact for fact in facts if fact)
    return f"{claims.model}: {known or _('nothing announced')}"


def _fact(words: str, claim: Claim) -> str:
    if not claim.known:
        return ""
    text = words % {"value": claim.value}
    return _("about %(text)s") % {"text": text} if claim.estimated else text


def _able(claims: Claims) -> list[tuple[str, Claim]]:
    return [
        (_("tools"), claims.tools),
        (_("vision"), claims.vision),
        (_("audio"), claims.audio),
        (_("JSON output"), claims.json_output),
        (_("reasoning"), claims.reasoning),
        (_("embeddings"), claims.embeddings),
        (_("loaded"), claims.loaded),
    ]


def _who(identity: Identity) -> str:
    if identity.problem:
        return identity.problem
    if not identity.is_server:
        return _("no LLM server is recognised")
    kind = f"({identity.kind.value})" if identity.family else ""
    parts = (identity.name, identity.version or "", kind)
    return " ".join(part for part in parts if part)


def _hosting(identity: Identity) -> str:
    """A gateway is as near as it is; where it sends the text to is not known."""
    words = f"{identity.hosting.value} ({identity.hosting.words})"
    if identity.kind is not Kind.GATEWAY:
        return words
    return _("%(hosting)s; a gateway: where a text goes from there is not known") % {
        "hosting": words
    }


def _models(identity: Identity) -> str:
    shown = ", ".join(identity.models[:_MODELS_SHOWN])
    more = len(identity.models) - _MODELS_SHOWN
    return f"{shown} (+{more})" if more > 0 else shown
