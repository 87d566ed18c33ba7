"""Nothing of the chat is in the admin: conversations are their owners' alone.

Not registered, so that no list, search, history or export of the admin shows one.
"""

from __future__ import annotations
