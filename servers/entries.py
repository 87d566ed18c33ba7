"""Claims out of one entry of a model list, whoever sent it.

Many products say the same things under many names; the names stand here as data. What
only one product says, or says otherwise, stands in that product's file. Pure.
"""

from __future__ import annotations

from servers.announced import (
    Entry,
    billions,
    estimated_parameters,
    first,
    merged,
    over,
    parameter_count,
)
from servers.claims import UNKNOWN, Claim, Claims
from servers.evidence import Evidence
from servers.family import OPENAI_LIST, Listing, name_of

# The window of one request, the nearest to what will serve it first.
_WINDOW = (
    "top_provider.context_length",
    "meta.n_ctx",
    "loaded_context_length",
    "dmr.context_window",
    "metadata.max_request_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_input_tokens",
    "max_seq_len",
    "n_ctx",
    "max_context_length",
)
_TRAINED = ("meta.n_ctx_train", "max_context_window")
_QUANTIZATION = (
    "meta.ftype",
    "quantization.name",
    "quantization",
    "dmr.quantization",
    "details.quantization_level",
)
_PARAMETERS = ("params_string", "dmr.parameters", "details.parameter_size")

# Lists of words, and the words that mean a capability in them.
_LISTS = ("capabilities", "labels", "model_ability", "supported_parameters")
_TOOLS = (
    "tools",
    "tool",
    "tool_use",
    "tool-calling",
    "tool_calling",
    "function_calling",
    "function-calling",
    "trained_for_tool_use",
)
_VISION = ("vision", "multimodal", "image_input")
_AUDIO = ("audio", "audio_input", "audio-input")
_REASONING = ("reasoning", "thinking", "include_reasoning")
_JSON = ("structured_outputs", "response_format", "json_mode", "json_schema")
_EMBEDDINGS = ("embedding", "embeddings", "embed")
_CHAT = ("completion", "chat", "text-generation", "generate")

_LOADED = {"loaded": True, "ready": True, "running": True}
# Whatever else a status says, the model is loaded when it is asked, or not at all.
_NOT_LOADED = {
    "unloaded",
    "not-loaded",
    "loading",
    "downloading",
    "downloaded",
    "sleeping",
    "failed",
    "reloading",
    "unloading",
    "stopped",
}
_STATUS = ("status.value", "status", "state")

_CHAT_KINDS = {"llm", "vlm", "chat", "completion", "text-generation", "responses"}
_EMBEDDING_KINDS = {"embedding", "embeddings", "rerank", "reranking", "reranker"}
_OTHER_KINDS = {
    "image",
    "image_generation",
    "audio",
    "audio_speech",
    "audio_transcription",
    "transcription",
    "tts",
    "video",
    "moderation",
}
_KINDS = ("type", "mode", "model_type")


def list_claims(
    evidence: Evidence, listing: Listing = OPENAI_LIST
) -> tuple[Claims, ...]:
    """Claims of every entry of a list; none when it cannot be read."""
    request = f"GET {listing.path}"
    entries = listing.entries(evidence) or []
    named = ((name_of(entry, listing.names), entry) for entry in entries)
    return merged(
        entry_claims(name, Entry(entry, request))
        for name, entry in named
        if name and name not in listing.none
    )


def adapted_claims(evidence: Evidence) -> tuple[Claims, ...]:
    """A list of vLLM's kind: an adapter's card has no window, its parent's has.

    With an unknown parent it stays unknown: never the first card's.
    """
    entries = OPENAI_LIST.entries(evidence) or []
    parents = {name_of(entry): Entry(entry, "").at("parent") for entry in entries}
    found = {claims.model: claims for claims in list_claims(evidence)}
    return tuple(
        _adapted(claims, found.get(str(parents.get(claims.model))))
        for claims in found.values()
    )


def _adapted(claims: Claims, parent: Claims | None) -> Claims:
    window = parent.context_tokens if parent else UNKNOWN
    if claims.context_tokens.known or not window.known or parent is None:
        return claims
    source = f"{window.source} of its parent {parent.model}"
    return over(claims, context_tokens=Claim(window.value, source))


def entry_claims(model: str, entry: Entry) -> Claims:
    """What one entry says of its model."""
    kind, source = _kind(entry)
    embeds = first(_said(entry, _EMBEDDINGS), _is(kind in _EMBEDDING_KINDS, source))
    return Claims(
        model,
        context_tokens=entry.tokens(*_WINDOW),
        context_trained=_trained(entry),
        parameters_billions=first(_size(entry), estimated_parameters(model)),
        quantization=entry.word(*_QUANTIZATION),
        tools=first(_flag(entry, _TOOLS, "supportsTools"), _said(entry, _TOOLS)),
        vision=first(
            _modality(entry, "image"),
            _flag(entry, _VISION, "multimodal"),
            _said(entry, _VISION),
            _is(kind == "vlm", source),
        ),
        audio=first(
            _modality(entry, "audio"), _flag(entry, _AUDIO), _said(entry, _AUDIO)
        ),
        json_output=first(_flag(entry, _JSON), _said(entry, _JSON)),
        reasoning=first(
            _flag(entry, _REASONING, "supportsReasoning"), _said(entry, _REASONING)
        ),
        embeddings=embeds,
        loaded=_loaded(entry),
        chat=_chat(entry, kind, source, embeds),
    )


def _trained(entry: Entry) -> Claim:
    """Where a provider's own limit is in force, the other one is the model's."""
    provider = entry.tokens("top_provider.context_length")
    model = entry.tokens("context_length") if provider.known else UNKNOWN
    return first(entry.tokens(*_TRAINED), model)


def _size(entry: Entry) -> Claim:
    count, known = "meta.n_params", "model_size_in_billions"
    return first(
        parameter_count(entry.at(count), f"{entry.request} {count}"),
        billions(entry.at(known), f"{entry.request} {known}"),
        entry.parameters(*_PARAMETERS),
    )


def _flag(entry: Entry, names: tuple[str, ...], *fields: str) -> Claim:
    """A true or false of its own, in `capabilities` or beside it."""
    places = [f"capabilities.{name}" for name in names] + list(fields)
    return entry.truth(*places)


def _said(entry: Entry, names: tuple[str, ...]) -> Claim:
    return first(*(entry.among(place, *names) for place in _LISTS))


def _modality(entry: Entry, name: str) -> Claim:
    places = ("architecture.input_modalities", "input_modalities")
    return first(*(entry.among(place, name, whole=True) for place in places))


def _is(fact: bool, source: str) -> Claim:
    return Claim(True, source) if fact else UNKNOWN


def _kind(entry: Entry) -> tuple[str, str]:
    """What the entry calls itself, and where."""
    for place in _KINDS:
        value = entry.at(place)
        if isinstance(value, str):
            return value.lower(), f"{entry.request} {place}"
    return "", ""


def _loaded(entry: Entry) -> Claim:
    for place in _STATUS:
        value = entry.at(place)
        if isinstance(value, str) and value in _LOADED.keys() | _NOT_LOADED:
            return Claim(_LOADED.get(value, False), f"{entry.request} {place} {value}")
    return UNKNOWN


def _chat(entry: Entry, kind: str, source: str, embeds: Claim) -> Claim:
    """Never by name: by the entry's kind or by its whole list of capabilities."""
    if kind in _CHAT_KINDS:
        return Claim(True, source)
    if kind in _EMBEDDING_KINDS | _OTHER_KINDS:
        return Claim(False, source)
    said = _said(entry, _CHAT)
    if not said.known and embeds.value is True:
        return Claim(False, embeds.source)
    return said
