"""What a gpt makes of a question from the command line: `ask --gpt`.

Blocking. The gate judges afterwards, as for every other text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from django.conf import settings
from django.utils.translation import gettext as _

from chat.asked import Asked, Unusable
from chat.destinations import placed
from gpts.errors import GptsError
from gpts.fitting import Place, Use, place_of, use
from gpts.gathering import prepared
from gpts.typed import typed_inputs
from servers.addresses import parse_url
from servers.errors import ServersError
from servers.hosting import Hosting, place
from servers.retained import find


def with_gpt(asked: Asked, road: str, stem: str, typed: Iterable[str]) -> Asked:
    """The question as the gpt puts it. Raises Unusable.

    A Claude session has its own system prompt, so the gpt's goes at the head of the
    question there.
    """
    try:
        used = use(stem, _place(road, asked))
        return _filled(asked, road, used, typed)
    except (GptsError, ServersError) as error:
        raise Unusable(str(error)) from error


def _place(road: str, asked: Asked) -> Place:
    """Where the text would go, as classified now."""
    if road == "server":
        kept = find(asked.target)
        destination, _found = placed(kept)
        return place_of(kept, asked.model, destination.hosting)
    if road == "url":
        host = parse_url(asked.target).host
        return Place(place(host, cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN).hosting)
    return Place(Hosting.GLOBAL)


def _filled(asked: Asked, road: str, used: Use, typed: Iterable[str]) -> Asked:
    document = used.entry.document
    given = typed_inputs(document, typed) if document else {}
    made = prepared(used, given)
    rendered = made.rendered
    for name, problem in rendered.problems.items():
        raise Unusable(_("--input %(name)s: %(why)s") % {"name": name, "why": problem})
    parts = [rendered.question, asked.question]
    system = rendered.system
    if road == "claude":
        parts, system = [rendered.system, *parts], ""
    return replace(
        asked,
        question="\n\n".join(part for part in parts if part.strip()),
        system=system,
        params=dict(rendered.params),
        gpt_stem=used.entry.stem,
        doubt=used.unknown,
        also=made.findings,
    )
