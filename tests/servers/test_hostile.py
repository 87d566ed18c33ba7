"""Whatever a server says, judging and reading it raises nothing."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from servers.entries import list_claims
from servers.evidence import Evidence
from servers.identity import Identity
from servers.ladder import QUESTIONS, families, step
from servers.shown import shown_path
from servers.wire import Reply

KEYS = [
    "data",
    "models",
    "id",
    "name",
    "model",
    "key",
    "owned_by",
    "capabilities",
    "details",
    "status",
    "value",
    "state",
    "meta",
    "n_ctx",
    "permission",
    "permissions",
    "metadata",
    "model_info",
    "general.architecture",
    "parameters",
    "loaded_instances",
    "config",
    "context_length",
    "quantization",
    "error",
    "message",
    "version",
    "info",
    "title",
    "paths",
    "software",
    "result",
    "detail",
    "build",
    "system",
    "devices",
    "build_info",
    "default_generation_settings",
    "total_slots",
    "chat_template_caps",
    "modalities",
    "object",
    "labels",
    "architecture",
    "input_modalities",
    "top_provider",
    "model_type",
    "mode",
    "parent",
    "loaded_models",
    "all_models_loaded",
    "model_ability",
    "results",
    "projector_info",
]
WORDS = [
    *KEYS,
    "llamacpp",
    "vllm",
    "list",
    "chat",
    "tools",
    "8b",
    "",
    "\ud800",
    "a\x00",
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.sampled_from(WORDS)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
STATUSES = st.sampled_from([200, 200, 200, 401, 403, 404, 503])
PATHS = sorted(
    {shown_path("a"), *QUESTIONS}.union(
        *(f.paths | f.asked_when_named | set(f.claim_paths) for f in families())
    )
)
ANSWERS = st.dictionaries(
    st.sampled_from(PATHS), st.tuples(STATUSES, VALUES), max_size=12
)
OTHERS = st.tuples(STATUSES, VALUES)


def evidence_of(answers: dict[str, Any], other: Any) -> Evidence:
    replies = []
    for path in PATHS:
        status, value = answers.get(path, other)
        replies.append(Reply(path, status, {}, json.dumps(value).encode()))
    return Evidence().with_reply(*replies)


class HostileTests:
    @settings(
        max_examples=60,
        deadline=None,  # a busy machine is no fault
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(ANSWERS, OTHERS)
    def test_it_reads_any_answers_without_raising(self, answers, other) -> None:
        evidence = evidence_of(answers, other)
        assert isinstance(step(evidence), Identity)
        for family in families():
            family.state_in(evidence)
            family.version_in(evidence)
            if family.shows:
                family.shows(evidence)
            for claims in (family.read_claims or list_claims)(evidence):
                json.dumps(claims.as_json())
