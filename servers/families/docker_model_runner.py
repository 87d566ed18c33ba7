"""Docker Model Runner: models as images, under `/engines`."""

from __future__ import annotations

from servers.family import OPENAI_LIST, Family, Kind, Listing, Read
from servers.marks import has, mark, owned, text

_LIST = "/engines/v1/models"

FAMILY = Family(
    slug="docker_model_runner",
    name="Docker Model Runner",
    kind=Kind.LLM,
    ports=(12434,),
    api_root="/engines/v1",
    marks=(
        mark(text("/", "Docker Model Runner is running")),
        mark(owned("docker"), has("/v1/models", "dmr", at="data.*")),
        # Docker Desktop's build has neither "/" nor /version.
        mark(owned("docker", _LIST)),
    ),
    source="docker/model-runner 642c7211 (v1.2.6+18)",
    look_alikes=("vllm", "ollama"),
    version=(Read("/version", "version"),),
    models=(OPENAI_LIST, Listing(_LIST)),
)
