"""Who looks at a board right now."""

from __future__ import annotations

from chat.cards.presence import GONE_SECONDS, Presence


class PresenceTests:
    def test_it_names_the_others(self):
        presence = Presence()
        assert presence.seen(1, "ada") == []
        assert presence.seen(1, "bob") == ["ada"]
        assert presence.seen(1, "ada") == ["bob"]

    def test_it_keeps_boards_apart(self):
        presence = Presence()
        presence.seen(1, "ada")
        assert presence.seen(2, "bob") == []

    def test_it_forgets_who_has_not_looked_for_a_while(self):
        now = [0.0]
        presence = Presence(lambda: now[0])
        presence.seen(1, "ada")
        now[0] = GONE_SECONDS + 0.1
        assert presence.seen(1, "bob") == []
