"""What every test of the chat leaves behind, taken away."""

from __future__ import annotations

import pytest

from chat.temporary import memory


@pytest.fixture(autouse=True)
def no_memories():
    """Temporary conversations outlive the rows of their owners."""
    yield
    memory.clear()
