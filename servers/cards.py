"""A server's card: what a reading means, in rows a template can print. Pure."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from servers.cache import Reading
from servers.claims import Claim, Claims

# Column headings of the claims table; the order people ask in.
HEADINGS = {
    "context_tokens": gettext_lazy("Context window"),
    "context_trained": gettext_lazy("Trained context"),
    "parameters_billions": gettext_lazy("Parameters"),
    "quantization": gettext_lazy("Quantization"),
    "tools": gettext_lazy("Tool calling"),
    "vision": gettext_lazy("Vision"),
    "audio": gettext_lazy("Audio"),
    "json_output": gettext_lazy("JSON output"),
    "reasoning": gettext_lazy("Reasoning"),
    "embeddings": gettext_lazy("Embeddings"),
    "slots": gettext_lazy("Parallel slots"),
    "loaded": gettext_lazy("Loaded"),
    "chat": gettext_lazy("Chat"),
}
# A list of thousands would make a page of megabytes; the picker filters them all.
MODELS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One claim as people read it. `degree` is read, estimated or unknown."""

    heading: str
    text: str
    degree: str
    source: str


@dataclass(frozen=True, slots=True)
class ModelCard:
    name: str
    rows: tuple[Row, ...]
    known: int


@dataclass(frozen=True, slots=True)
class Card:
    reading: Reading
    age_seconds: int
    models: tuple[ModelCard, ...]
    more_models: int


def card_of(reading: Reading) -> Card:
    models = tuple(model_card(claims) for claims in reading.claims[:MODELS_SHOWN])
    return Card(
        reading=reading,
        age_seconds=round(time.time() - reading.at),
        models=models,
        more_models=max(0, len(reading.claims) - MODELS_SHOWN),
    )


def model_card(claims: Claims) -> ModelCard:
    rows = tuple(
        row_of(item.name, getattr(claims, item.name)) for item in fields(claims)[1:]
    )
    known = sum(row.degree != "unknown" for row in rows)
    return ModelCard(claims.model, rows, known)


def row_of(name: str, claim: Claim) -> Row:
    degree = "unknown"
    if claim.known:
        degree = "estimated" if claim.estimated else "read"
    return Row(str(HEADINGS[name]), words_of(name, claim), degree, claim.source)


def words_of(name: str, claim: Claim) -> str:
    """The value as a person says it; `about` before an estimate."""
    value = claim.value
    if value is None:
        return str(_("unknown"))
    if isinstance(value, bool):
        return str(_("yes")) if value else str(_("no"))
    if name.startswith("context"):
        return str(_("%(n)s tokens") % {"n": f"{value:,}"})
    if name == "parameters_billions":
        text = f"{value:g} B"
        return str(_("about %(n)s") % {"n": text}) if claim.estimated else text
    return str(value)
