"""App configuration of the admin: Django's, with the hub's own site."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class HubAdminConfig(AdminConfig):
    default_site = "llmhub.admin_site.HubAdminSite"
