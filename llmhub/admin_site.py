"""The admin: Django's own, with the hub's name, style sheet and one login page."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from llmhub.roles import is_curator


class HubAdminSite(admin.AdminSite):
    site_header = _("LLM Hub")
    site_title = _("LLM Hub")
    index_title = _("Curation")
    # Not "admin/index.html": that one would extend itself, being found twice.
    index_template = "admin/hub_index.html"

    def has_permission(self, request: HttpRequest) -> bool:
        """Curators and staff; everybody else is told that there is nothing here."""
        return is_curator(request.user)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Django would send a member to a second login page; here it is a 404."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.user.is_authenticated and not self.has_permission(request):
                raise Http404
            return inner(request, *args, **kwargs)

        return guarded

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Anonymous visitors met the login page before; members meet a 404."""
        raise Http404
