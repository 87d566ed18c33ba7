"""The scan page of the admin: choose, watch, stop, keep. Curators only.

Reads and starts the hub's one scan (`scanning.py`); addresses are shown, because
only curators come here, and are written nowhere until something is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from servers.addresses import Origin
from servers.discovery.targets import Plan, Unprobed
from servers.errors import ServersError
from servers.identity import Identity
from servers.recognise import recognise
from servers.retained import kept_servers
from servers.scan_keeping import keep_chosen
from servers.scan_offers import (
    Choice,
    RetypeNeeded,
    aliases,
    offers,
    plan_of,
)
from servers.scan_rows import rows_of
from servers.scanning import Numbers, Scanner, Snapshot, Stage, the_scanner

PAGE = "admin:servers_server_scan"
View = Callable[..., HttpResponse]


def for_scanners(view: View) -> View:
    """Those with `servers.scan`; for everybody else there is nothing here."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.has_perm("servers.scan"):
            raise Http404
        return view(request, *args, **kwargs)

    return admin.site.admin_view(checked)


async def _recognise(origin: Origin, seconds: float) -> Identity:
    return await recognise(
        origin, budget_seconds=seconds, cgnat_is_lan=settings.LLMHUB_CGNAT_IS_LAN
    )


def scanner() -> Scanner:
    return the_scanner(lambda: Scanner(_recognise))


@for_scanners
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    return _page(request, Choice())


def _page(
    request: HttpRequest, choice: Choice, problem: str = "", retype: str = ""
) -> HttpResponse:
    seen = scanner().follow()
    context = {
        **admin.site.each_context(request),
        "title": _("Find servers"),
        "opts": None,
        "offers": offers(),
        "aliases": aliases(),
        "choice": choice,
        "problem": problem,
        "retype": retype,
        "groups": Group.objects.order_by("name"),
        "may_keep": request.user.has_perm("servers.add_server"),
        "seen": seen,
        "progress": progress_of(seen) if seen else None,
        "rows": rows_of(seen.sightings, kept_servers()) if seen else [],
    }
    status = 400 if problem else 200
    return render(request, "servers/scan.html", context, status=status)


@for_scanners
@require_POST
def count(request: HttpRequest) -> HttpResponse:
    """What a choice would ask. Sends nothing to any target."""
    try:
        return JsonResponse(counted(plan_of(read_choice(request))))
    except ServersError as error:
        return JsonResponse(refusal(error), status=400)


@for_scanners
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Begin, or follow the scan that is running. JSON for the script, else a page."""
    scripted = wants_json(request)
    choice = read_choice(request)
    try:
        plan = plan_of(choice)
        if not plan.targets:
            raise ServersError(_("There is nothing to ask: choose where to look."))
    except ServersError as error:
        if scripted:
            return JsonResponse(refusal(error), status=400)
        retype = error.host if isinstance(error, RetypeNeeded) else ""
        return _page(request, choice, str(error), retype)
    started = scanner().start(plan, request.user.get_username(), numbers())
    if started is None:
        messages.info(request, _("A scan is running already: this is it."))
    return JsonResponse({"started": started is not None}) if scripted else _back()


def numbers() -> Numbers:
    return Numbers(settings.LLMHUB_CONNECT_SECONDS, settings.LLMHUB_PROBE_SECONDS)


@for_scanners
@require_POST
def stop(request: HttpRequest) -> HttpResponse:
    scanner().stop()
    return JsonResponse({}) if wants_json(request) else _back()


@for_scanners
@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """A page was closed: what nobody kept goes, unless another page looks."""
    scanner().leave()
    return HttpResponse(status=204)


@for_scanners
@require_safe
def progress(request: HttpRequest) -> HttpResponse:
    """How far the scan is, and the rows from `after` on of scan number `run`."""
    seen = scanner().follow()
    if seen is None:
        return JsonResponse({"run": 0, "stage": "none"})
    same = request.GET.get("run") == str(seen.number)
    after = _number(request.GET.get("after")) if same else 0
    return JsonResponse(progress_of(seen) | {"rows": _rows(request, seen, after)})


def _rows(request: HttpRequest, seen: Snapshot, after: int) -> list[str]:
    """Rows as the page has them, rendered and escaped here and nowhere else."""
    if after >= len(seen.sightings):
        return []
    may_keep = request.user.has_perm("servers.add_server")
    return [
        render_to_string("servers/_scan_row.html", {"row": row, "may_keep": may_keep})
        for row in rows_of(seen.sightings, kept_servers(), after)
    ]


@for_scanners
@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """Keep what was ticked, with one label and one group, in one step."""
    if not request.user.has_perm("servers.add_server"):
        raise PermissionDenied
    places = [_number(text) for text in request.POST.getlist("row")]
    chosen = scanner().chosen(_number(request.POST.get("run")), places)
    if not chosen:
        messages.error(request, _("Nothing was chosen, or that scan is gone."))
        return _back()
    outcomes = keep_chosen(
        chosen, request.POST.get("label", ""), _groups(request.POST.get("group", ""))
    )
    kept = [one.handle for one in outcomes if one.handle]
    if kept:
        text = ngettext("Kept: %(handles)s.", "Kept: %(handles)s.", len(kept))
        messages.success(request, text % {"handles": ", ".join(kept)})
    for one in outcomes:
        if one.problem:
            messages.warning(request, one.problem)
    return _back()


def _groups(text: str) -> tuple[Group, ...]:
    return tuple(Group.objects.filter(pk=_number(text))) if text else ()


def _back() -> HttpResponse:
    return redirect(PAGE)


def read_choice(request: HttpRequest) -> Choice:
    return Choice(
        sources=tuple(dict.fromkeys(request.POST.getlist("source")))[:300],
        typed=request.POST.get("typed", "")[:500],
        retyped=request.POST.get("retyped", "")[:500],
        remote=request.POST.get("remote", "")[:300],
    )


def wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def refusal(error: ServersError) -> dict[str, str]:
    retype = error.host if isinstance(error, RetypeNeeded) else ""
    return {"problem": str(error), "retype": retype}


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


def counted(plan: Plan) -> dict[str, Any]:
    hosts = len({target.host for target in plan.targets})
    total = len(plan.targets)
    addresses = ngettext("%d address", "%d addresses", hosts) % hosts
    words = ngettext(
        "%(total)s port on %(addresses)s", "%(total)s ports on %(addresses)s", total
    ) % {"total": f"{total:,}", "addresses": addresses}
    sources = plan.sources.values()
    problems = dict.fromkeys(found.problem for found in sources if found.problem)
    left_out = [one for found in sources for one in found.unprobed]
    return {
        "targets": total,
        "words": words,
        "problems": list(problems),
        "left_out": reasons(left_out),
    }


def reasons(left_out: Iterable[Unprobed]) -> list[str]:
    """What is not asked and why, once each though two sources say it."""
    return list(dict.fromkeys(f"{o.note or o.host}: {o.reason}" for o in left_out))


def progress_of(seen: Snapshot) -> dict[str, Any]:
    """Numbers and words of a scan, as the page shows them."""
    named = len(seen.servers)
    words = (
        _("%(done)s of %(total)s asked")
        % {"done": f"{seen.done:,}", "total": f"{seen.targets:,}"},
        ngettext("%d open port", "%d open ports", seen.open) % seen.open,
        ngettext("%d server named", "%d servers named", named) % named,
        _("%(seconds).1f s") % {"seconds": seen.seconds},
    )
    return {
        "run": seen.number,
        "stage": seen.stage.value,
        "by": seen.by,
        "done": seen.done,
        "total": max(seen.targets, 1),
        "seen": len(seen.sightings),
        "words": " · ".join(words),
        "closing": closing(seen),
        "left_out": reasons(seen.left_out),
    }


def closing(seen: Snapshot) -> str:
    """The line under the table once the scan is over."""
    parts = []
    if seen.stage is Stage.STOPPED:
        parts.append(_("Stopped before the end."))
    if seen.stage is Stage.FAILED:
        parts.append(_("The scan broke off; the log of the hub says why."))
    if not seen.running and not seen.servers:
        parts.append(_("No server was found."))
    if others := len(seen.others):
        text = "%d open port is no LLM server."
        parts.append(
            ngettext(text, "%d open ports are no LLM server.", others) % others
        )
    return " ".join(parts)
