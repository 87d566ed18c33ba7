"""What can go wrong with gpts, as exceptions.

GptsError
"""

from __future__ import annotations


class GptsError(Exception):
    """Base of this app's errors; its text is one line that a person can act on."""
