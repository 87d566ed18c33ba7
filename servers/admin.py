"""Servers in the admin: looking, adding by address, ordering, forgetting.

Curators see addresses; history and messages carry handles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from servers import retained, scan_urls
from servers.forms import ServerForm
from servers.ladder import name_of_family
from servers.models import Server

if TYPE_CHECKING:
    # Generic for the type checker only.
    _ModelAdmin = admin.ModelAdmin[Server]
else:
    _ModelAdmin = admin.ModelAdmin


@admin.register(Server)
class ServerAdmin(_ModelAdmin):
    form = ServerForm
    list_display = (
        "handle",
        "label_or_state",
        "family_name",
        "default_model",
        "hosting",
        "visible_to",
        "key_is_set",
    )
    list_display_links = ("handle", "label_or_state")
    ordering = ("position", "pk")
    actions = ("make_first", "move_up", "move_down")
    filter_horizontal = ("groups",)
    fieldsets = (
        (None, {"fields": ("url", "label", "even_if_down")}),
        (_("Key"), {"fields": ("new_key", "clear_key")}),
        (_("Use"), {"fields": ("default_model", "slots", "groups", "fallback")}),
    )

    def get_urls(self) -> list[Any]:
        """The scan page stands before the pages of single rows."""
        return [*scan_urls.urlpatterns, *super().get_urls()]

    def get_fieldsets(self, request: HttpRequest, obj: Server | None = None) -> Any:
        """What has no key yet has none to remove."""
        if obj is not None and obj.api_key:
            return self.fieldsets
        return (
            self.fieldsets[0],
            (_("Key"), {"fields": ("new_key",)}),
            self.fieldsets[2],
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Server]:
        return super().get_queryset(request).prefetch_related("groups")

    def has_change_permission(
        self, request: HttpRequest, obj: Server | None = None
    ) -> bool:
        """A row that no key opens can be forgotten, not edited."""
        if obj is not None and obj.unreadable:
            return False
        return super().has_change_permission(request, obj)

    def save_model(
        self, request: HttpRequest, obj: Server, form: Any, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        obj.load_rank()
        if form.identity is not None:
            self.message_user(request, evidence_of(form.identity), messages.INFO)

    @admin.display(description=_("handle"), ordering="position")
    def handle(self, server: Server) -> str:
        return server.handle

    @admin.display(description=_("label"))
    def label_or_state(self, server: Server) -> str:
        return str(_("unreadable")) if server.unreadable else server.label or "-"

    @admin.display(description=_("family"), ordering="family")
    def family_name(self, server: Server) -> str:
        return name_of_family(server.family) or str(_("unknown"))

    @admin.display(description=_("visible to"))
    def visible_to(self, server: Server) -> str:
        names = [group.name for group in server.groups.all()]
        return ", ".join(names) or str(_("every member"))

    @admin.display(description=_("key"), boolean=True)
    def key_is_set(self, server: Server) -> bool:
        return bool(server.api_key)

    @admin.action(description=_("Make first (conversations start with it)"))
    def make_first(self, request: HttpRequest, chosen: QuerySet[Server]) -> None:
        retained.reorder([server.pk for server in chosen])
        self.say_moved(request, chosen.count())

    @admin.action(description=_("Move up"))
    def move_up(self, request: HttpRequest, chosen: QuerySet[Server]) -> None:
        self.move(request, chosen, step=-1)

    @admin.action(description=_("Move down"))
    def move_down(self, request: HttpRequest, chosen: QuerySet[Server]) -> None:
        self.move(request, chosen, step=1)

    def move(self, request: HttpRequest, chosen: QuerySet[Server], step: int) -> None:
        order = [server.pk for server in retained.kept_servers()]
        retained.reorder(moved(order, {server.pk for server in chosen}, step))
        self.say_moved(request, chosen.count())

    def say_moved(self, request: HttpRequest, count: int) -> None:
        text = ngettext("%d server moved.", "%d servers moved.", count) % count
        self.message_user(request, text, messages.SUCCESS)


def moved(order: list[int], chosen: set[int], step: int) -> list[int]:
    """`order` with every chosen one a place up (-1) or down (+1), never past an end."""
    found = list(order if step < 0 else reversed(order))
    for index in range(1, len(found)):
        if found[index] in chosen and found[index - 1] not in chosen:
            found[index - 1], found[index] = found[index], found[index - 1]
    return found if step < 0 else found[::-1]


def evidence_of(identity: Any) -> str:
    """What answered and why it was named so, in one line."""
    if not identity.answered:
        return str(_("Nothing answered; it is kept as it was typed."))
    name = " ".join(part for part in (identity.name, identity.version) if part)
    why = "; ".join(f"{reason.path}: {reason.fact}" for reason in identity.why)
    return f"{name or _('Unknown software')} ({identity.state}). {why}"
