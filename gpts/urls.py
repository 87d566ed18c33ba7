"""URLs of gpts."""

from __future__ import annotations

from django.urls import path

from gpts import views

app_name = "gpts"
urlpatterns = [
    path("", views.catalogue_page, name="catalogue"),
    path("tiles", views.tiles_fragment, name="tiles"),
    path("list.json", views.catalogue_json, name="json"),
    path("g/<slug:stem>/", views.gpt_page, name="gpt"),
]
