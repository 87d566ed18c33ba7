"""URLs of gpts."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "gpts"
urlpatterns: list[URLPattern] = []
