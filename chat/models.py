"""Rows of the chat: conversations, their turns, and who runs the engine.

Everything a person wrote or a model answered is encrypted. Rows decide nothing: the
engine and `transcript` do. Nothing here is registered in the admin.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from chat.cards.models import BoardChange as BoardChange
from chat.cards.models import KeptBoard as KeptBoard
from chat.cards.models import KeptProposal as KeptProposal
from chat.cards.models import Round as Round
from llmhub.encryption import EncryptedJSONField, EncryptedTextField
from servers.models import Server

# Below this, keys are rows; from here on they are conversations and turns that live
# in memory only. Both are exact in JavaScript.
TEMPORARY_FROM = 2**52


class Conversation(models.Model):
    """What one person says to one server (or Claude session), turn by turn."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="conversations"
    )
    title = EncryptedTextField(blank=True, default="")
    server = models.ForeignKey(
        Server, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    model = models.TextField(blank=True, default="")
    gpt_stem = models.CharField(max_length=200, blank=True, default="")
    # The id of a Claude Code session of this machine; empty for a server.
    claude_session = models.CharField(max_length=64, blank=True, default="")
    # The fork that answered: later questions go there, and forking ends.
    claude_adopted = models.CharField(max_length=64, blank=True, default="")
    # The process whose pid the person typed to write into its own session.
    claude_holder = models.PositiveIntegerField(null=True, blank=True)
    # Set for the calls of a board's rounds: no conversation of a person's list.
    board = models.ForeignKey(
        "chat.KeptBoard",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="conversations",
    )
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-updated", "-pk")
        indexes = (models.Index(fields=("owner", "-updated"), name="owner_updated"),)
        permissions = (("ask_claude", _("Can question Claude sessions")),)

    def __str__(self) -> str:
        # Never the title: this reaches logs.
        return f"conversation {self.pk}"

    @property
    def temporary(self) -> bool:
        return self.pk is not None and self.pk >= TEMPORARY_FROM


class State(models.TextChoices):
    """Where a turn stands; the last five are the words of `chat.turn.Ending`."""

    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("answering")
    COMPLETED = "completed", _("completed")
    RATE_LIMITED = "rate_limited", _("rate limited")
    INTERRUPTED = "interrupted", _("interrupted")
    TIMEOUT = "timeout", _("timed out")
    FAILED = "failed", _("failed")
    REFUSED = "refused", _("refused")


LIVE_STATES = (State.QUEUED, State.RUNNING)


class Turn(models.Model):
    """One question and what came of it."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.QUEUED)

    # what was asked of whom
    question = EncryptedTextField()
    server = models.ForeignKey(
        Server, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # `server-1 (ollama)` when it was asked; ranks change later.
    server_name = models.CharField(max_length=200, blank=True, default="")
    model_asked = models.TextField(blank=True, default="")
    gpt_stem = models.CharField(max_length=200, blank=True, default="")
    # {"messages": [{"role", "content"}], "model", "params"}: all that is sent.
    sent = EncryptedJSONField(default=dict)
    # The destination's key the person retyped; it holds an address.
    retyped = EncryptedTextField(blank=True, default="")
    findings_confirmed = models.BooleanField(default=False)
    timeout_seconds = models.FloatField(null=True, blank=True)

    # what came
    answer = EncryptedTextField(blank=True, default="")
    reasoning = EncryptedTextField(blank=True, default="")
    # Texts of attempts that a rate limit ended, oldest first.
    earlier = EncryptedJSONField(default=list)
    tools = EncryptedJSONField(default=list)
    notes = EncryptedJSONField(default=list)
    model_answered = models.TextField(blank=True, default="")
    finish_reason = models.TextField(null=True, blank=True)  # noqa: DJ001
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    first_token_s = models.FloatField(null=True, blank=True)
    total_s = models.FloatField(null=True, blank=True)
    tokens_per_s = models.FloatField(null=True, blank=True)
    last_event = models.PositiveBigIntegerField(default=0)

    # how it went
    error = EncryptedTextField(blank=True, default="")
    fault = models.CharField(max_length=20, blank=True, default="")
    resets_at = models.DateTimeField(null=True, blank=True)
    continue_by_itself = models.BooleanField(default=True)
    # Another process (a command) asks the owner of the engine to stop it.
    stop_requested = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("conversation", "number")
        constraints = (
            models.UniqueConstraint(
                fields=("conversation", "number"), name="one_number_per_turn"
            ),
            # One turn at a time in a conversation, whoever asks twice at once.
            models.UniqueConstraint(
                fields=("conversation",),
                condition=Q(state__in=("queued", "running")),
                name="one_live_turn",
            ),
        )
        indexes = (
            models.Index(
                fields=("state",),
                condition=Q(state__in=("queued", "running", "rate_limited")),
                name="unfinished_turns",
            ),
            models.Index(fields=("server", "started"), name="served_recently"),
        )

    def __str__(self) -> str:
        return f"turn {self.pk}"

    @property
    def live(self) -> bool:
        """Whether it waits or is being answered."""
        return self.state in LIVE_STATES


class Piece(models.Model):
    """What arrived for a running turn since the last flush.

    Only deltas are written while an answer streams; when the turn ends they are
    joined into its row and deleted. `number` is the last event they hold.
    """

    turn = models.ForeignKey(Turn, models.CASCADE, related_name="pieces")
    number = models.PositiveBigIntegerField()
    # [answer, reasoning]
    texts = EncryptedJSONField()

    class Meta:
        ordering = ("turn", "number")

    def __str__(self) -> str:
        return f"piece {self.number} of turn {self.turn_id}"


class EngineLease(models.Model):
    """One row: which process runs the turns. It renews; a stale one is taken over."""

    holder = models.CharField(max_length=64)
    machine = models.CharField(max_length=255)
    pid = models.PositiveIntegerField()
    # Clock ticks since boot, so that a reused pid is not taken for the holder.
    pid_started = models.CharField(max_length=32, blank=True)
    renewed = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(pk=1), name="one_engine_lease"),
        )

    def __str__(self) -> str:
        return "engine lease"
