"""Rows of boards: the board itself, what was said, what is proposed, what changed.

Everything a person wrote or a model answered is encrypted. Rows decide nothing.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from llmhub.encryption import EncryptedJSONField, EncryptedTextField
from servers.models import Server


class KeptBoard(models.Model):
    """A board of one person, or of a group whose members all work on it."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="boards"
    )
    group = models.ForeignKey(
        Group, models.SET_NULL, null=True, blank=True, related_name="boards"
    )
    # The document of `board.Board.as_json`.
    content = EncryptedJSONField(default=dict)
    # Grows with every change of anything a page shows: followers ask by it.
    version = models.PositiveBigIntegerField(default=1)
    # Of a gpt that is improved in conversation: its texts are the cards.
    gpt_stem = models.CharField(max_length=80, blank=True, default="")
    # Whom the next message goes to.
    server = models.ForeignKey(
        Server, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    model = models.TextField(blank=True, default="")
    claude_session = models.CharField(max_length=64, blank=True, default="")
    # One of LLMHUB_CONTEXT_ROOTS, whose files a round may show the model.
    code_root = EncryptedTextField(blank=True, default="")
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-updated", "-pk")

    def __str__(self) -> str:
        # Never the title: this reaches logs.
        return f"board {self.pk}"


class RoundState(models.TextChoices):
    """Where a round stands."""

    RUNNING = "running", _("answering")
    DONE = "done", _("answered")
    FAILED = "failed", _("failed")


class Round(models.Model):
    """One message about a board, its answer, and the call that is under way."""

    board = models.ForeignKey(KeptBoard, models.CASCADE, related_name="rounds")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    message = EncryptedTextField()
    answer = EncryptedTextField(blank=True, default="")
    # The board as it was sent: what the answer changes is measured against it.
    base = EncryptedJSONField(default=dict)
    state = models.CharField(
        max_length=8, choices=RoundState.choices, default=RoundState.RUNNING
    )
    calls = models.PositiveSmallIntegerField(default=0)
    # The call under way, or the last one.
    turn = models.ForeignKey(
        "chat.Turn", models.SET_NULL, null=True, blank=True, related_name="rounds"
    )
    # {"reply", "fault"}: what the call under way is shown.
    attempt = EncryptedJSONField(null=True, blank=True)
    error = EncryptedTextField(blank=True, default="")
    ignored = EncryptedJSONField(default=list)
    asked_of = models.CharField(max_length=200, blank=True, default="")
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("board", "pk")
        constraints = (
            # One round at a time on a board, whoever sends twice at once.
            models.UniqueConstraint(
                fields=("board",), condition=Q(state="running"), name="one_live_round"
            ),
        )

    def __str__(self) -> str:
        return f"round {self.pk}"


class Decision(models.TextChoices):
    """What became of a proposal."""

    OPEN = "open", _("open")
    ACCEPTED = "accepted", _("accepted")
    REFUSED = "refused", _("refused")


class KeptProposal(models.Model):
    """One proposal of a round, in the order of the answer."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="proposals")
    number = models.PositiveIntegerField()
    # The document of `stored.to_json`.
    content = EncryptedJSONField()
    decision = models.CharField(
        max_length=8, choices=Decision.choices, default=Decision.OPEN
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    decided = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("round", "number")

    def __str__(self) -> str:
        return f"proposal {self.pk}"


class BoardChange(models.Model):
    """History: who changed a card, when, and from which remark.

    `before` and `after` are the card's document, None where there was, or is, none.
    """

    board = models.ForeignKey(KeptBoard, models.CASCADE, related_name="changes")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    proposal = models.ForeignKey(
        KeptProposal, models.SET_NULL, null=True, related_name="changes"
    )
    # What was said, kept when the conversation is cleared.
    remark = EncryptedTextField(blank=True, default="")
    card = EncryptedTextField()
    what = EncryptedTextField(blank=True, default="")
    before = EncryptedJSONField(null=True)
    after = EncryptedJSONField(null=True)
    undone = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("board", "-pk")

    def __str__(self) -> str:
        return f"change {self.pk}"
