"""Temporary conversations: the same objects as rows, in memory alone, never saved.

They are gone with the process. Thread-safe; bounded per person, oldest first.
"""

from __future__ import annotations

import secrets
import threading
from typing import Any

from chat.models import LIVE_STATES, TEMPORARY_FROM, Conversation, Turn

CONVERSATIONS_PER_PERSON = 20


class Memory:
    """Conversations and their turns by key, in the order they were begun."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._conversations: dict[int, Conversation] = {}
        self._turns: dict[int, Turn] = {}

    def add_conversation(self, conversation: Conversation) -> Conversation:
        """Give it a key. A person's oldest one without a live turn makes room."""
        with self._lock:
            self._make_room(conversation.owner_id)
            conversation.pk = self._new_key(self._conversations)
            self._conversations[conversation.pk] = conversation
        return conversation

    def add_turn(self, turn: Turn) -> bool:
        """Number and keep it; False while its conversation has a live turn."""
        with self._lock:
            before = self.turns(turn.conversation_id)
            if any(other.state in LIVE_STATES for other in before):
                return False
            turn.pk = self._new_key(self._turns)
            turn.number = before[-1].number + 1 if before else 1
            self._turns[turn.pk] = turn
        return True

    def conversation(self, owner_id: int, pk: int) -> Conversation:
        """Raises Conversation.DoesNotExist unless it is this person's."""
        found = self._conversations.get(pk)
        if found is None or found.owner_id != owner_id:
            raise Conversation.DoesNotExist
        return found

    def turn(self, pk: int) -> Turn:
        """Raises Turn.DoesNotExist."""
        found = self._turns.get(pk)
        if found is None:
            raise Turn.DoesNotExist
        return found

    def conversations(self, owner_id: int) -> list[Conversation]:
        """This person's, newest first."""
        with self._lock:
            found = [c for c in self._conversations.values() if c.owner_id == owner_id]
        return found[::-1]

    def turns(self, conversation_pk: int) -> list[Turn]:
        with self._lock:
            return [
                turn
                for turn in self._turns.values()
                if turn.conversation_id == conversation_pk
            ]

    def delete(self, conversation_pk: int) -> None:
        with self._lock:
            self._conversations.pop(conversation_pk, None)
            for turn in self.turns(conversation_pk):
                del self._turns[turn.pk]

    def clear(self) -> None:
        with self._lock:
            self._conversations.clear()
            self._turns.clear()

    def _make_room(self, owner_id: int) -> None:
        theirs = self.conversations(owner_id)
        for oldest in theirs[CONVERSATIONS_PER_PERSON - 1 :]:
            if not any(turn.live for turn in self.turns(oldest.pk)):
                self.delete(oldest.pk)

    def _new_key(self, taken: dict[int, Any]) -> int:
        while True:
            key = TEMPORARY_FROM + secrets.randbelow(TEMPORARY_FROM)
            if key not in taken:
                return key


memory = Memory()
