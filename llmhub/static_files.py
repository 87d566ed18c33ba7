"""Static files by ServeStatic, which works on the loop alone.

Pages are answered in threads (see `onehop`), where this middleware stands aside;
the front door sends everything below STATIC_URL to Django's own handler.
"""

from __future__ import annotations

from typing import Any

from asgiref.sync import iscoroutinefunction
from django.core.exceptions import MiddlewareNotUsed
from servestatic.middleware import ServeStaticMiddleware


class StaticFilesMiddleware(ServeStaticMiddleware):  # type: ignore[misc]
    sync_capable = True

    def __init__(self, get_response: Any) -> None:
        if not iscoroutinefunction(get_response):
            raise MiddlewareNotUsed
        super().__init__(get_response)
