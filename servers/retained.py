"""What the rest of the hub knows of kept servers: values, found by handle.

The one place that reads `Server` rows for others. Blocking (ORM); knows no page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from llmhub.roles import CURATORS
from servers.addresses import Origin
from servers.errors import AlreadyKept, NotKept
from servers.hosting import Hosting
from servers.ladder import api_root_of, name_of_family
from servers.memory import forget_all, remembered
from servers.models import EMPTY_PRIVATE, Server, index_of, next_position

LABEL_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept server at this moment. `str()` is safe anywhere: handle and family.

    `slots` is None where unknown. `unreadable`: no key opens its private config, and
    label, origin and key are empty. The key and the origin are not in the repr.
    """

    pk: int
    handle: str
    label: str
    family: str
    default_model: str
    hosting: Hosting
    slots: int | None
    fallback: int | None
    origin: Origin
    api_key: str
    unreadable: bool = False

    @property
    def product(self) -> str:
        """The software's name for people ("llama.cpp"); empty where unknown."""
        return name_of_family(self.family)

    @property
    def api_root(self) -> str:
        """The path below the origin where OpenAI's API starts ("/v1", "" the root).

        Of a family that one cannot chat with in that way: "/v1", and asking says so.
        """
        root = api_root_of(self.family)
        return "/v1" if root is None else root

    def __str__(self) -> str:
        return f"{self.handle} ({self.family})" if self.family else self.handle

    def __repr__(self) -> str:
        return f"<Kept {self}>"


def _kept(row: Server) -> Kept:
    return Kept(
        pk=row.pk,
        handle=row.handle,
        label=row.label,
        family=row.family,
        default_model=row.default_model,
        hosting=Hosting.read(row.hosting),
        slots=row.slots,
        fallback=row.fallback_id,
        origin=row.origin,
        api_key=row.api_key,
        unreadable=row.unreadable,
    )


def kept_servers() -> list[Kept]:
    """Every kept server by rank, unreadable ones included."""
    return [server for server, _groups in remembered("servers", _load)]


def visible_to(user: Any) -> list[Kept]:
    """What this person may talk to, by rank; handles are ranks among ALL servers.

    A server with no group is visible to every member; curators see all.
    """
    if not user.is_active:
        return []
    theirs = dict(user.groups.values_list("pk", "name"))
    all_of_them = user.is_staff or CURATORS in theirs.values()
    return [
        server
        for server, groups in remembered("servers", _load)
        if all_of_them or not groups or groups & theirs.keys()
    ]


def _load() -> list[tuple[Kept, frozenset[int]]]:
    """Every server by rank, with the groups that may see it."""
    groups: dict[int, set[int]] = {}
    pairs = Server.groups.through.objects.values_list("server_id", "group_id")
    for server, group in pairs:
        groups.setdefault(server, set()).add(group)
    return [
        (_kept(row), frozenset(groups.get(row.pk, ()))) for row in Server.objects.all()
    ]


def find(text: str, user: Any | None = None) -> Kept:
    """A server by handle or label, among those `user` may see (all without one).

    Raises NotKept; two servers with the label asked for are not found by it.
    """
    wanted = text.strip()
    servers = kept_servers() if user is None else visible_to(user)
    for server in servers:
        if server.handle == wanted.lower():
            return server
    labelled = [s for s in servers if s.label and s.label.lower() == wanted.lower()]
    if len(labelled) == 1:
        return labelled[0]
    if labelled:
        raise NotKept(_("Several servers have that label: use the handle."))
    raise NotKept(_("No kept server goes by that handle or label."))


def get(pk: int, user: Any | None = None) -> Kept:
    """A server by primary key, if `user` may see it. Raises NotKept."""
    servers = kept_servers() if user is None else visible_to(user)
    for server in servers:
        if server.pk == pk:
            return server
    raise NotKept(_("That server is not kept any more."))


def already_kept(origin: Origin) -> Kept | None:
    """The kept server at this address, if there is one."""
    row = Server.objects.filter(address_index=index_of(origin)).first()
    return _kept(row) if row else None


def keep(
    origin: Origin,
    *,
    family: str = "",
    hosting: Hosting = Hosting.GLOBAL,
    label: str = "",
    api_key: str = "",
    default_model: str = "",
    slots: int | None = None,
    groups: tuple[Any, ...] = (),
) -> Kept:
    """Keep a server, behind all others. Raises AlreadyKept with its handle."""
    row = Server(
        private={
            **EMPTY_PRIVATE,
            "label": label.strip()[:LABEL_CHARACTERS],
            "scheme": origin.scheme,
            "host": origin.host,
            "port": origin.port,
            "prefix": origin.prefix,
            "api_key": api_key,
        },
        family=family,
        hosting=hosting.value,
        default_model=default_model,
        slots=slots,
        position=next_position(),
    )
    try:
        with transaction.atomic():
            row.save()
            row.groups.set(groups)
    except IntegrityError:
        there = already_kept(origin)
        handle = there.handle if there else _("a server")
        raise AlreadyKept(
            _("Already kept as %(handle)s.") % {"handle": handle}
        ) from None
    return _kept(Server.objects.get(pk=row.pk))


def forget(pk: int) -> None:
    """Remove a server and everything kept of it."""
    Server.objects.filter(pk=pk).delete()


def reorder(pks: list[int]) -> None:
    """Put these servers first, in this order; the others follow as they were."""
    rest = [pk for pk in Server.objects.values_list("pk", flat=True) if pk not in pks]
    with transaction.atomic():
        for position, pk in enumerate([*pks, *rest], 1):
            Server.objects.filter(pk=pk).update(position=position)
    forget_all()
