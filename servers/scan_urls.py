"""Where the scan page stands below the admin's servers."""

from __future__ import annotations

from django.urls import path

from servers import scan_views

urlpatterns = [
    path("scan/", scan_views.page, name="servers_server_scan"),
    path("scan/count/", scan_views.count, name="servers_server_scan_count"),
    path("scan/start/", scan_views.start, name="servers_server_scan_start"),
    path("scan/stop/", scan_views.stop, name="servers_server_scan_stop"),
    path("scan/leave/", scan_views.leave, name="servers_server_scan_leave"),
    path("scan/progress/", scan_views.progress, name="servers_server_scan_progress"),
    path("scan/keep/", scan_views.keep, name="servers_server_scan_keep"),
]
