"""Gpts in the admin: writing with a live check, revisions, restoring, reviewing.

Every change goes through `revisions`; the admin's own saving writes nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from gpts.catalogue import catalogue
from gpts.entries import Layer
from gpts.errors import NotReviewable
from gpts.forms import GptForm
from gpts.live import checked
from gpts.models import Gpt, Revision
from gpts.reading import read_document
from gpts.revisions import authors_since_review, diff, restore, review, revise
from gpts.writing import write_document

if TYPE_CHECKING:
    # Generic for the type checker only.
    _ModelAdmin = admin.ModelAdmin[Gpt]
else:
    _ModelAdmin = admin.ModelAdmin


@admin.register(Gpt)
class GptAdmin(_ModelAdmin):
    form = GptForm
    fields = ("stem", "source", "base")
    list_display = ("stem", "title", "standing", "last_author")
    search_fields = ("stem",)
    list_select_related = ("current__author", "current__reviewed_by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Gpt]:
        rows = super().get_queryset(request)
        return rows.select_related("current__author", "current__reviewed_by")

    def get_readonly_fields(
        self, request: HttpRequest, obj: Gpt | None = None
    ) -> tuple[str, ...]:
        """Links, commands and the private config know a gpt by its stem."""
        return ("stem",) if obj else ()

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """`?copy=STEM` begins with the text of that gpt, under its stem."""
        initial: dict[str, Any] = dict(super().get_changeform_initial_data(request))
        copied = catalogue().get(request.GET.get("copy", ""))
        if copied is not None and copied.document is not None:
            initial["stem"] = copied.stem
            initial["source"] = write_document(copied.document)
        return initial

    def save_model(
        self, request: HttpRequest, obj: Gpt, form: Any, change: bool
    ) -> None:
        revise(obj, form.cleaned_data["source"], request.user)

    @admin.display(description=_("name"))
    def title(self, gpt: Gpt) -> str:
        document = read_document(gpt.current.source).document if gpt.current else None
        return document.name if document else "-"

    @admin.display(description=_("review"))
    def standing(self, gpt: Gpt) -> str:
        current = gpt.current
        if current is None or current.reviewed_at is None:
            return str(_("waits for its review"))
        return str(_("reviewed by %(name)s")) % {"name": current.reviewed_by or "?"}

    @admin.display(description=_("last edited by"))
    def last_author(self, gpt: Gpt) -> str:
        return str(gpt.current.author or "-") if gpt.current else "-"

    # --- the page around the form --------------------------------------------------

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        gpt = Gpt.objects.filter(pk=object_id).first() if object_id else None
        source = request.POST.get("source", "")
        if not source:
            source = gpt.current.source if gpt and gpt.current else ""
        extra = {"checked": checked(source) if source else None, "gpt": gpt}
        if gpt is not None:
            extra |= self.review_state(request, gpt)
        return super().changeform_view(
            request, object_id, form_url, extra | (extra_context or {})
        )

    def review_state(self, request: HttpRequest, gpt: Gpt) -> dict[str, Any]:
        revisions = gpt.revisions.select_related("author", "reviewed_by")
        return {
            "revisions": revisions[:50],
            "may_review": request.user.has_perm("gpts.review_gpt"),
            "is_author": request.user.pk in authors_since_review(gpt),
            "why_aside": why_aside(gpt),
        }

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path("check/", wrap(require_POST(self.check_view)), name="gpts_gpt_check"),
            path(
                "<int:pk>/revisions/<int:number>/",
                wrap(require_safe(self.revision_view)),
                name="gpts_gpt_revision",
            ),
            path(
                "<int:pk>/restore/<int:number>/",
                wrap(require_POST(self.restore_view)),
                name="gpts_gpt_restore",
            ),
            path(
                "<int:pk>/review/",
                wrap(require_POST(self.review_view)),
                name="gpts_gpt_review",
            ),
        ]
        return [*own, *super().get_urls()]

    def check_view(self, request: HttpRequest) -> HttpResponse:
        """The problems of a text and its match with each kept server. Keeps nothing."""
        if not (
            self.has_change_permission(request) or self.has_add_permission(request)
        ):
            raise PermissionDenied
        return JsonResponse(checked(request.POST.get("source", "")).as_json())

    def revision_view(self, request: HttpRequest, pk: int, number: int) -> HttpResponse:
        """One revision, and what it changed or what would change back."""
        gpt, revision = self.revision(request, pk, number)
        current = gpt.current
        against = current if current and current.pk != revision.pk else None
        before = gpt.revisions.filter(number__lt=number).first()
        old, new = (revision, against) if against else (before, revision)
        context = {
            **self.admin_site.each_context(request),
            "title": str(revision),
            "opts": self.opts,
            "gpt": gpt,
            "revision": revision,
            "current": against,
            "before": before,
            "lines": diff(old.source if old else "", new.source),
            "may_change": self.has_change_permission(request),
        }
        return render(request, "admin/gpts/gpt/revision.html", context)

    def restore_view(self, request: HttpRequest, pk: int, number: int) -> HttpResponse:
        if not self.has_change_permission(request):
            raise PermissionDenied
        gpt, _revision = self.revision(request, pk, number)
        made = restore(gpt, number, request.user)
        if made is None:
            text = _("Revision %(number)s is the current text already.")
            self.message_user(request, text % {"number": number}, messages.INFO)
        else:
            self.log_change(request, gpt, f"Revision {number} restored.")
            text = _("Revision %(number)s is back; it waits for a review.")
            self.message_user(request, text % {"number": number}, messages.SUCCESS)
        return self.to_gpt(gpt)

    def review_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The reviewer names the revision that was read: no newer one passes."""
        if not request.user.has_perm("gpts.review_gpt"):
            raise PermissionDenied
        gpt = get_object_or_404(self.get_queryset(request), pk=pk)
        read = request.POST.get("revision", "")
        if gpt.current is None or read != str(gpt.current.number):
            text = _("The text changed meanwhile: read it again.")
            self.message_user(request, text, messages.WARNING)
            return self.to_gpt(gpt)
        try:
            review(gpt, request.user)
        except NotReviewable as error:
            self.message_user(request, str(error), messages.ERROR)
        else:
            self.log_change(request, gpt, f"Revision {read} reviewed.")
            self.message_user(request, _("Reviewed."), messages.SUCCESS)
        return self.to_gpt(gpt)

    def revision(
        self, request: HttpRequest, pk: int, number: int
    ) -> tuple[Gpt, Revision]:
        if not self.has_view_permission(request):
            raise PermissionDenied
        gpt = get_object_or_404(self.get_queryset(request), pk=pk)
        return gpt, get_object_or_404(gpt.revisions, number=number)

    def to_gpt(self, gpt: Gpt) -> HttpResponseRedirect:
        return HttpResponseRedirect(reverse("admin:gpts_gpt_change", args=[gpt.pk]))


def why_aside(gpt: Gpt) -> str:
    """Why the catalogue does not use it, in words; empty where it does."""
    for entry in catalogue().aside:
        if entry.stem == gpt.stem and entry.layer is Layer.DATABASE:
            return entry.why_not_usable
    return ""
