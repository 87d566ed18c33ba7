"""What can go wrong with gpts, as exceptions.

GptsError
├── NoSuchGpt        no usable gpt goes by that stem; says why where one is known
├── DoesNotFit       its text would travel farther than the gpt allows
└── NotReviewable    this person may not review this text
"""

from __future__ import annotations


class GptsError(Exception):
    """Base of this app's errors; its text is one line that a person can act on."""


class NoSuchGpt(GptsError):
    """No usable gpt goes by that stem."""


class DoesNotFit(GptsError):
    """The server is farther away than the gpt allows, or its config is unreadable."""


class NotReviewable(GptsError):
    """The text has fatal problems, or the reviewer wrote part of it."""
