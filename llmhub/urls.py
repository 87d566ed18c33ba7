"""Where everything is: the chat at the root, servers, gpts, the admin, the login."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_safe


@require_safe
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """For a supervisor: this process answers. Asks neither database nor server."""
    return HttpResponse("ok\n", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("accounts/login/", auth_views.LoginView.as_view(), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path(
        "accounts/password/",
        auth_views.PasswordChangeView.as_view(success_url="/"),
        name="password_change",
    ),
    path("admin/", admin.site.urls),
    path("servers/", include("servers.urls")),
    path("gpts/", include("gpts.urls")),
    path("", include("chat.urls")),
]
