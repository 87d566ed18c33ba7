"""URLs of kept servers."""

from __future__ import annotations

from django.urls import path

from servers import views

app_name = "servers"
urlpatterns = [
    path("", views.server_list, name="list"),
    path("states/", views.states, name="states"),
    path("<slug:handle>/", views.server_card, name="card"),
    path("<slug:handle>/card/", views.card_fragment, name="card_fragment"),
]
