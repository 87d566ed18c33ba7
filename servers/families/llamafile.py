"""llamafile's classic server: an old llama.cpp that shows llamafile's page.

Without its own page nothing tells it from llama.cpp, and it is named as that.
"""

from __future__ import annotations

from servers.family import Family, Kind
from servers.marks import has, mark, owned, page

FAMILY = Family(
    slug="llamafile",
    name="llamafile",
    kind=Kind.LLM,
    ports=(8080,),
    api_root="/v1",
    marks=(
        mark(
            owned("llamacpp"),
            page("/", "llamafile"),
            has("/props", "user_name", "assistant_name"),
        ),
    ),
    source="mozilla-ai/llamafile 6b46419 (0.9.3)",
    look_alikes=("llamacpp", "llamafiler"),
)
