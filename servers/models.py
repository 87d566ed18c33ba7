"""The servers a curator keeps. One row each, and nothing about what was not kept.

Owns storage alone: what a row means to the rest of the hub is `retained.Kept`.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from django.db import models
from django.db.models import F, Func, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from llmhub.encryption import EncryptedJSONField, Unreadable, blind_index
from servers.addresses import Origin
from servers.hosting import Hosting

EMPTY_PRIVATE = {
    "label": "",
    "scheme": "http",
    "host": "",
    "port": 0,
    "prefix": "",
    "api_key": "",
}


def empty_private() -> dict[str, Any]:
    return dict(EMPTY_PRIVATE)


class RankedManager(models.Manager["Server"]):
    """Every row carries `rank`: 1 for the first by position, among ALL servers."""

    def get_queryset(self) -> models.QuerySet[Server]:
        up_to_this = (
            models.QuerySet(Server, using=self._db)
            .filter(
                Q(position__lt=OuterRef("position"))
                | Q(position=OuterRef("position"), pk__lte=OuterRef("pk"))
            )
            .order_by()
            .annotate(rank=Func(F("pk"), function="COUNT"))
            .values("rank")
        )
        rows = super().get_queryset()
        return rows.annotate(rank=Subquery(up_to_this)).order_by("position", "pk")


class Server(models.Model):
    """A retained server. `str()` is its handle and family, never label or address."""

    private = EncryptedJSONField(_("private config"), default=empty_private)
    # Equality of addresses without the address: see llmhub.encryption.blind_index.
    address_index = models.CharField(max_length=64, unique=True, editable=False)
    family = models.CharField(_("family"), max_length=40, blank=True)
    default_model = models.CharField(_("default model"), max_length=300, blank=True)
    hosting = models.CharField(
        _("hosting"),
        max_length=10,
        choices=[(rung.value, rung.value) for rung in Hosting],
        default=Hosting.GLOBAL.value,
    )
    slots = models.PositiveSmallIntegerField(
        _("parallel slots"),
        null=True,
        blank=True,
        help_text=_("How many turns it answers at once; one where this is empty."),
    )
    groups = models.ManyToManyField(
        Group,
        verbose_name=_("groups"),
        blank=True,
        help_text=_("Who may see it. With no group, every member does."),
    )
    fallback = models.ForeignKey(
        "self",
        verbose_name=_("fallback"),
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        help_text=_("Offered, never taken silently, when this server does not answer."),
    )
    position = models.PositiveIntegerField(_("position"), default=0, db_index=True)

    objects = RankedManager()

    class Meta:
        ordering = ["position", "pk"]
        base_manager_name = "objects"
        verbose_name = _("server")
        verbose_name_plural = _("servers")
        permissions = [("scan", "Can look for servers")]

    def __str__(self) -> str:
        return f"{self.handle} ({self.family})" if self.family else self.handle

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self.unreadable:
            self.address_index = index_of(self.origin)
        super().save(*args, **kwargs)

    @property
    def handle(self) -> str:
        """`server-N` by rank; `server-?` for a row that was not loaded with one."""
        return f"server-{getattr(self, 'rank', None) or '?'}"

    def load_rank(self) -> None:
        """Learn the handle of a row that was just saved."""
        vars(self)["rank"] = vars(Server.objects.get(pk=self.pk))["rank"]

    @property
    def unreadable(self) -> bool:
        """Whether no key in LLMHUB_KEYS opens the private config."""
        return isinstance(self.private, Unreadable)

    @property
    def label(self) -> str:
        return "" if self.unreadable else str(self.private.get("label", ""))

    @property
    def api_key(self) -> str:
        return "" if self.unreadable else str(self.private.get("api_key", ""))

    @property
    def origin(self) -> Origin:
        """Where it answers. Of an unreadable row: nowhere."""
        if self.unreadable:
            return Origin("http", "", 0)
        private = self.private
        return Origin(
            str(private["scheme"]),
            str(private["host"]),
            int(private["port"]),
            str(private["prefix"]),
        )

    def move_to(self, origin: Origin) -> None:
        """Give it another address. A changed address drops its key with it."""
        if origin == self.origin:
            return
        self.private = {
            **self.private,
            "scheme": origin.scheme,
            "host": origin.host,
            "port": origin.port,
            "prefix": origin.prefix,
            "api_key": "",
        }


def index_of(origin: Origin) -> str:
    """The blind index of an address: equal for equal origins, whatever the label."""
    return blind_index(origin.url())


def next_position() -> int:
    """The position behind every kept server."""
    found = Server.objects.aggregate(last=Coalesce(models.Max("position"), 0))
    return int(found["last"]) + 1
