"""URLs of chat. The event stream /turns/<key>/events is served beside Django."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat import claude_pages, posts, states, views

app_name = "chat"
urlpatterns: list[URLPattern] = [
    path("", views.start, name="list"),
    path("send", posts.begin, name="begin"),
    path("preview", posts.preview, name="preview_new"),
    path("choose", posts.choose, name="choose_new"),
    path("search", views.search_page, name="search"),
    path("states", states.states, name="states"),
    path("claude/", claude_pages.sessions, name="claude"),
    path("claude/rows", claude_pages.rows, name="claude_rows"),
    path("claude/begin", claude_pages.begin, name="claude_begin"),
    path("c/<int:pk>", views.conversation, name="conversation"),
    path("c/<int:pk>/earlier", views.earlier, name="earlier"),
    path("c/<int:pk>/sent", views.sent, name="sent"),
    path("c/<int:pk>/save", views.save, name="save"),
    path("c/<int:pk>/send", posts.send, name="send"),
    path("c/<int:pk>/preview", posts.preview, name="preview"),
    path("c/<int:pk>/choose", posts.choose, name="choose"),
    path("c/<int:pk>/rename", posts.rename, name="rename"),
    path("c/<int:pk>/delete", posts.delete, name="delete"),
    path("turns/<int:pk>/fragment", views.fragment, name="fragment"),
    path("turns/<int:pk>/stop", posts.stop, name="stop"),
    path("turns/<int:pk>/continue", posts.resume, name="continue"),
    path("turns/<int:pk>/by-itself", posts.by_itself, name="by_itself"),
    path("turns/<int:pk>/again", posts.again, name="again"),
]
