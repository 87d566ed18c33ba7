"""Stable Diffusion web UIs (AUTOMATIC1111, Forge): make images.

KoboldCpp and Xinference serve `/sdapi` too; the empty object at `/internal/ping`
is the web UI's.
"""

from __future__ import annotations

from servers.family import Family, Kind, Listing
from servers.marks import exactly, has, mark, page

_MODELS = "/sdapi/v1/sd-models"
_PING = exactly("/internal/ping")

FAMILY = Family(
    slug="sd_webui",
    name="Stable Diffusion web UI",
    kind=Kind.IMAGE,
    ports=(7860,),
    api_root=None,
    marks=(
        mark(_PING, has(_MODELS, "title", "model_name", "filename", at="*")),
        mark(_PING, page("/", "Stable Diffusion")),
    ),
    source="lllyasviel/stable-diffusion-webui-forge",
    look_alikes=("koboldcpp", "xinference"),
    models=(Listing(_MODELS, "", ("title", "model_name")),),
)
