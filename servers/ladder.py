"""From the evidence so far to the next questions, or to an Identity. Pure.

Owns the ORDER of the families and of the questions. Does no I/O, so that a live scan,
a folder of captures and a body pasted in a shell all take the same road.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module

from servers.bodies import MISSING, printable
from servers.evidence import Evidence
from servers.family import OPENAI_LIST, Family, Kind, Listing, State
from servers.identity import Identity, Why
from servers.marks import Mark, Verdict

# First agreement wins. Marks exclude their look-alikes themselves; the place matters
# where a product answers as another one too, and the reason stands beside it.
ORDER: tuple[str, ...] = (
    "openai",  # by host name alone
    # Gateways before what they pass through: they copy their engines' answers.
    "litellm",
    "llama_swap",  # lists llama.cpp's fields
    "olla",  # answers /version
    "vllm_router",  # owned_by vllm, /version
    "sglang_router",  # owned_by of its workers
    "bifrost",
    "portkey",
    "tensorzero",
    "envoy_ai_gateway",
    "new_api",  # has all of One API's keys
    "one_api",
    # Pages over other servers: any path answers 200.
    "open_webui",
    "anythingllm",
    "librechat",
    "chat_ui",
    "lobehub",
    "sillytavern",  # answers /version
    # Those that imitate somebody, before the one they imitate.
    "tabbyapi",  # KoboldCpp's version
    "aphrodite",  # KoboldCpp's version, vLLM's routes
    "koboldcpp",  # Ollama's, ComfyUI's and llama.cpp's routes
    "localai",  # Ollama's routes and, when told to, its sentence
    "lemonade",  # Ollama's and LM Studio's routes
    "docker_model_runner",  # Ollama's routes, /version
    "ramalama",  # Ollama's /api/tags
    "nim",  # fronts vLLM
    "gpustack",  # answers /version
    "tensorrt_llm",  # answers /version
    "ray_serve",
    "lmdeploy",
    "sglang",  # Ollama's sentence in quotes
    "vllm_mlx",
    "vllm",
    "xinference",
    "lmstudio",
    "textgen_webui",
    "jan",
    "cortexcpp",
    "exo",
    "gpt4all",
    "mistralrs",
    "mlx_vlm",  # a header of its own
    "omlx",
    "llama_cpp_python",
    "llamafiler",
    "llamafile",  # an old llama.cpp with another page
    "llamacpp",
    "tgi",
    "tei",
    "infinity",
    "transformers_serve",
    "fastchat",
    "mlc_llm",
    "ovms",
    "triton",
    "foundry_local",
    "tabby",
    "nexa",
    "bentoml",
    "comfyui",  # KoboldCpp imitates it
    "sd_webui",
    "ollama",  # imitated most, so late
    "mlx_lm",  # told by what it lacks, so last
)

# What is asked of somebody nobody's answer has hinted at yet. The first four name
# most; families' further paths are asked when one of their facts already agrees.
QUESTIONS: tuple[str, ...] = (
    "/v1/models",  # owned_by, entries' keys, 401 bodies
    "/",  # sentences and titles
    "/version",  # exact key sets, and how an unknown path is answered
    "/api/tags",  # whom it imitates, if anybody
    # Made when first asked, which takes a cold LiteLLM seconds: only of the nameless.
    "/openapi.json",  # titles and routes
    "/props",
    "/.well-known/serviceinfo",
    "/api/config",
    "/api/extra/version",
    "/api/version",
    "/lmstudio-greeting",
    "/info",
    "/status",
    "/api/status",
    "/v1/cluster/auth",
    "/v1/address",
    "/v2",
    "/v1/metadata",
    "/readiness",
    "/engines/v1/models",
    "/api/v1/health",
    "/v1/internal/model/info",
    "/system_stats",
    "/internal/ping",
    "/api/v2/public-config",
    "/manifest.webmanifest",
    "/api-docs/openapi.json",
    "/docs.json",
)

FIRST = 4  # questions of the first round
ROUND = 6  # of every later one
MOST = 32  # requests to one server, whatever it answers
KEPT = 4  # of them for what a name found at the very end still asks
OPENAI_HOST = "api.openai.com"


def name_of_family(slug: str) -> str:
    """The product's name as its makers write it; the slug for one not declared."""
    names = {family.slug: family.name for family in families()}
    return names.get(slug, slug)


def api_root_of(slug: str) -> str | None:
    """Where the family's OpenAI-shaped chat lives; "/v1" for one not declared."""
    roots = {family.slug: family.api_root for family in families()}
    return roots.get(slug, "/v1")


@cache
def families() -> tuple[Family, ...]:
    """Every declared product, in ORDER."""
    modules = (import_module(f"servers.families.{slug}") for slug in ORDER)
    return tuple(module.FAMILY for module in modules)


@cache
def family_of(slug: str) -> Family | None:
    return next((family for family in families() if family.slug == slug), None)


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask these paths next. `named` once a product is known (and asks for itself)."""

    paths: tuple[str, ...]
    named: str | None = None


def step(evidence: Evidence, *, port: int = 0, done: bool = False) -> Ask | Identity:
    """The next questions, or the conclusion.

    `port` orders the questions only. `done` when no answer can come any more.
    """
    room = 0 if done else MOST - len(evidence.answers) - len(evidence.silences)
    judged = _judged(evidence)
    found = next((one for one in judged if one[2] is Verdict.AGREES), None)
    if found:
        family, mark, _ = found
        wanted = tuple(family.wanted(evidence))[: max(room, 0)]
        if wanted:
            return Ask(wanted, family.slug)
        return _named(evidence, family, mark)
    paths = _questions(evidence, judged, port, room)
    return Ask(paths) if paths else unnamed(evidence)


Judged = tuple[Family, Mark, Verdict]


def _judged(evidence: Evidence) -> list[Judged]:
    """Every mark that agrees or may still agree, in ORDER: the first that agrees
    decides."""
    found: list[Judged] = []
    for family in families():
        for mark in family.marks:
            verdict = mark.judged(evidence)
            if verdict is not Verdict.DIFFERS:
                found.append((family, mark, verdict))
    return found


def _questions(
    evidence: Evidence, judged: list[Judged], port: int, room: int
) -> tuple[str, ...]:
    """Where a fact agrees already, that mark's other paths; else the next in line."""
    if room <= 0:
        return ()
    if not evidence.answers and not evidence.silences:
        return QUESTIONS[:FIRST]
    warm = tuple(_warm(evidence, judged))
    if warm:
        return warm[: min(ROUND, room)]
    return tuple(_in_line(evidence, port))[: min(ROUND, max(room - KEPT, 0))]


def _warm(evidence: Evidence, judged: list[Judged]) -> dict[str, None]:
    """Paths that would complete a mark with a fact that agrees, in ORDER."""
    paths: dict[str, None] = {}
    for _, mark, verdict in judged:
        if verdict is Verdict.OPEN and mark.warm(evidence):
            paths |= dict.fromkeys(mark.missing(evidence))
    return paths


def _in_line(evidence: Evidence, port: int) -> dict[str, None]:
    """QUESTIONS not asked yet, those of the port's usual owners first."""
    usual = [family for family in families() if port in family.ports]
    owners = frozenset().union(*(family.paths for family in usual))
    left = [path for path in QUESTIONS if not evidence.asked(path)]
    return dict.fromkeys(sorted(left, key=lambda path: path not in owners))


# --- Conclusions -------------------------------------------------------------------


def _unknown(family: Family, evidence: Evidence) -> tuple[str, ...]:
    unlisted = bool(family.models) and family.models_in(evidence) is None
    silent = not family.version_in(evidence)
    facts = (("version", silent), ("models", unlisted))
    return tuple(name for name, missing in facts if missing)


def read_again(identity: Identity, family: Family, evidence: Evidence) -> Identity:
    """The same server, by what it says to somebody it knows (a key was sent)."""
    models = family.models_in(evidence)
    return replace(
        identity,
        version=family.version_in(evidence) or identity.version,
        state=family.state_in(evidence),
        models=identity.models if models is None else models,
        unknown=_unknown(family, evidence),
    )


def _named(evidence: Evidence, family: Family, mark: Mark) -> Identity:
    models = family.models_in(evidence)
    version = family.version_in(evidence)
    return Identity(
        kind=family.kind,
        family=family.slug,
        name=family.name,
        version=version or None,
        state=family.state_in(evidence),
        models=models or (),
        api_root=family.api_root if mark.api_root is None else mark.api_root,
        why=tuple(Why(fact.path, printable(str(fact), 300)) for fact in mark.facts),
        unknown=_unknown(family, evidence),
        also_answers=_imitated(evidence, family),
    )


def _imitated(evidence: Evidence, named: Family) -> tuple[str, ...]:
    """Whose marks or surface the evidence at hand would satisfy too."""
    return tuple(
        family.slug
        for family in families()
        if family is not named
        and (
            any(mark.judged(evidence) is Verdict.AGREES for mark in family.marks)
            or any(f.judged(evidence) is Verdict.AGREES for f in family.surface)
        )
    )


# Where a list of models may stand in somebody nameless: OpenAI's field, and the one
# a router used instead.
LISTS = (OPENAI_LIST, Listing(field="models"))


def unnamed(evidence: Evidence) -> Identity:
    """Nobody's mark: something with models, something with a key, or neither."""
    for listing in LISTS:
        entries = listing.entries(evidence)
        models = listing.models(evidence)
        if entries is None:
            continue
        # An empty list is anybody's, unless it says that it is OpenAI's.
        says_list = evidence.json(listing.path).get("object") == "list"
        if models or (not entries and says_list):
            fact = f"{listing.field} lists {len(models or ())} models"
            return Identity(
                kind=Kind.COMPATIBLE,
                name="OpenAI-compatible",
                state=State.READY if models else State.EMPTY,
                models=models or (),
                api_root="/v1",
                why=(Why(listing.path, fact),),
                unknown=("family", "version"),
            )
    return _wants_key(evidence) or _no_server(evidence)


def _wants_key(evidence: Evidence) -> Identity | None:
    """A 401 of an API, not of a page that asks a browser for a password."""
    answer = evidence.answers.get(OPENAI_LIST.path)
    if answer is None or answer.status != 401 or answer.page:
        return None
    return Identity(
        kind=Kind.WANTS_KEY,
        name="A server that wants a key",
        state=State.AUTH,
        why=(Why(OPENAI_LIST.path, "401"),),
        unknown=("family", "version", "models"),
    )


def _no_server(evidence: Evidence) -> Identity:
    if not evidence.answers:
        return Identity(kind=Kind.OTHER, why=_silences(evidence))
    why = [
        Why(path, _said(evidence, path))
        for path in (OPENAI_LIST.path, "/")
        if path in evidence.answers
    ]
    return Identity(kind=Kind.HTTP, why=tuple(why))


def _said(evidence: Evidence, path: str) -> str:
    answer = evidence.answers[path]
    location = printable(answer.headers.get("location"), 200)
    if 300 <= answer.status < 400 and location:
        return f"{answer.status}, a redirect to {location} (not followed)"
    what = "a page" if answer.page else "no model list"
    if answer.json is not MISSING and not answer.page:
        what = "JSON, no model list"
    return f"{answer.status}, {what}"


def _silences(evidence: Evidence) -> tuple[Why, ...]:
    first = next(iter(evidence.silences.values()), None)
    return (Why(first.path, first.reason.value),) if first else ()


def by_host(host: str) -> Identity | None:
    """OpenAI is named by its host and asked nothing."""
    if host != OPENAI_HOST:
        return None
    family = family_of("openai")
    if family is None:
        return None
    return replace(
        _named(Evidence(), replace(family, models=()), Mark(())),
        state=State.AUTH,
        why=(Why("", f"the host is {OPENAI_HOST}"),),
        unknown=("version", "models"),
    )
