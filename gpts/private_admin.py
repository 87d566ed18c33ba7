"""Private configs in the admin. Lists show the stem alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from gpts.forms import PrivateForm
from gpts.models import PrivateConfig
from gpts.private import as_config
from llmhub.encryption import Unreadable

if TYPE_CHECKING:
    # Generic for the type checker only.
    _ModelAdmin = admin.ModelAdmin[PrivateConfig]
else:
    _ModelAdmin = admin.ModelAdmin


@admin.register(PrivateConfig)
class PrivateConfigAdmin(_ModelAdmin):
    form = PrivateForm
    fields = ("stem", "server", "model", "addition", "inputs")
    list_display = ("stem", "state")

    def has_change_permission(
        self, request: HttpRequest, obj: PrivateConfig | None = None
    ) -> bool:
        """A row that no key opens can be removed, not edited."""
        if obj is not None and isinstance(obj.config, Unreadable):
            return False
        return super().has_change_permission(request, obj)

    def save_model(
        self, request: HttpRequest, obj: PrivateConfig, form: Any, change: bool
    ) -> None:
        obj.config = as_config(form.private())
        super().save_model(request, obj, form, change)

    @admin.display(description=_("state"))
    def state(self, row: PrivateConfig) -> str:
        unreadable = isinstance(row.config, Unreadable)
        return str(_("unreadable: its key is missing") if unreadable else _("kept"))
