"""Fixtures: a machine with, or without, a `claude` program."""

from __future__ import annotations

import pytest

from tests.chat.claude.machine import Machine


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)
