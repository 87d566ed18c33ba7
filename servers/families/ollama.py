"""Ollama: models of its own store, loaded when asked for.

Its routes are imitated more than any other's: SGLang quotes the sentence at `/`,
LocalAI can be told to say it, Lemonade, KoboldCpp, Docker Model Runner and RamaLama
have `/api/tags`. Its digests are 64 hex digits without a prefix.
"""

from __future__ import annotations

from servers.family import OPENAI_LIST, Family, Kind, Read
from servers.marks import exactly, has, mark, matches, says, starts, text, typed
from servers.shown import PS, TAGS, model_claims, to_show

_SENTENCE = text("/", "Ollama is running")
_VERSION = matches("/api/version", "version", r"\d+\.\d+\.\d+\S*")
_OTHERS = (
    typed("/version", "version", "text"),
    exactly("/v1/models", "id", "object", at="data.*"),
)

FAMILY = Family(
    slug="ollama",
    name="Ollama",
    kind=Kind.LLM,
    ports=(11434,),
    api_root="/v1",
    marks=(
        mark(_SENTENCE, _VERSION, unless=_OTHERS),
        # Before v0.1.14 there was no /api/version.
        mark(
            _SENTENCE,
            typed("/api/tags", "models", "list"),
            unless=(*_OTHERS, starts("/api/tags", "models.?.digest", "sha256:")),
        ),
        # A proxy's page stands at "/".
        mark(
            matches("/api/tags", "models.*.digest", "[0-9a-f]{64}"),
            has("/api/tags", "name", "size", "details", at="models.*"),
            says("/v1/models", "data.?.owned_by", "library"),
            _VERSION,
            unless=(has("/api/tags", "organization", at="models.?"),),
        ),
    ),
    source="ollama/ollama v0.33.0-rc2 (fb307609, 2026-08-21)",
    look_alikes=("localai", "sglang", "lemonade", "koboldcpp", "docker_model_runner"),
    version=(Read("/api/version", "version"),),
    models=(TAGS, OPENAI_LIST),
    surface=(typed("/api/tags", "models", "list"),),
    claim_paths=(TAGS.path, PS),
    read_claims=model_claims,
    shows=to_show,
)
