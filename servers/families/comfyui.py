"""ComfyUI: makes images. KoboldCpp imitates its `/system_stats`."""

from __future__ import annotations

from servers.family import Family, Kind, Read
from servers.marks import has, mark, says, typed

_STATS = "/system_stats"
_KOBOLD = (says(_STATS, "devices.?.name", "koboldcpp"),)

FAMILY = Family(
    slug="comfyui",
    name="ComfyUI",
    kind=Kind.IMAGE,
    ports=(8188,),
    api_root=None,
    marks=(
        mark(
            typed(_STATS, "system.comfyui_version", "text"),
            has(_STATS, "python_version", at="system"),
            unless=_KOBOLD,
        ),
        # Before it said its version.
        mark(
            has(_STATS, "python_version", "embedded_python", "os", at="system"),
            typed(_STATS, "devices", "list"),
            unless=_KOBOLD,
        ),
    ),
    source="comfyanonymous/ComfyUI 0.3.64",
    look_alikes=("koboldcpp",),
    version=(Read(_STATS, "system.comfyui_version"),),
    models=(),
    surface=(typed(_STATS, "system.comfyui_version", "text"),),
)
