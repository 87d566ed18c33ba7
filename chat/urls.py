"""URLs of chat. The event stream /turns/<key>/events is served beside Django."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat import (
    board_pages,
    board_posts,
    claude_pages,
    conversation_posts,
    posts,
    states,
    views,
)

app_name = "chat"
urlpatterns: list[URLPattern] = [
    path("", views.start, name="list"),
    path("send", posts.begin, name="begin"),
    path("preview", posts.preview, name="preview_new"),
    path("choose", posts.choose, name="choose_new"),
    path("search", views.search_page, name="search"),
    path("states", states.states, name="states"),
    path("boards/", board_pages.boards, name="boards"),
    path("boards/new", board_posts.new, name="board_new"),
    path("boards/improve", board_posts.improve, name="board_improve"),
    path("boards/<int:pk>/", board_pages.board, name="board"),
    path("boards/<int:pk>/live", board_pages.live, name="board_live"),
    path("boards/<int:pk>/history", board_pages.history, name="board_history"),
    path("boards/<int:pk>/board.json", board_pages.as_json, name="board_json"),
    path("boards/<int:pk>/board.zip", board_pages.as_markdown, name="board_zip"),
    path(
        "boards/<int:pk>/cards/<str:card>.md",
        board_pages.card_as_markdown,
        name="board_card",
    ),
    path("boards/<int:pk>/say", board_posts.say_it, name="board_say"),
    path("boards/<int:pk>/stop", board_posts.stop, name="board_stop"),
    path("boards/<int:pk>/clear", board_posts.clear, name="board_clear"),
    path("boards/<int:pk>/choose", board_posts.choose, name="board_choose"),
    path("boards/<int:pk>/decide", board_posts.decide, name="board_decide"),
    path("boards/<int:pk>/undo", board_posts.undo, name="board_undo"),
    path("boards/<int:pk>/state", board_posts.state, name="board_state"),
    path("boards/<int:pk>/edit", board_posts.edit, name="board_edit"),
    path("boards/<int:pk>/remove", board_posts.remove, name="board_remove"),
    path("boards/<int:pk>/delete", board_posts.delete, name="board_delete"),
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
    path("c/<int:pk>/rename", conversation_posts.rename, name="rename"),
    path("c/<int:pk>/delete", conversation_posts.delete, name="delete"),
    path("turns/<int:pk>/fragment", views.fragment, name="fragment"),
    path("turns/<int:pk>/stop", posts.stop, name="stop"),
    path("turns/<int:pk>/continue", posts.resume, name="continue"),
    path("turns/<int:pk>/by-itself", posts.by_itself, name="by_itself"),
    path("turns/<int:pk>/again", posts.again, name="again"),
]
