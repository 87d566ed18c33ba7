"""A budget that a starved process does not lose."""

from __future__ import annotations

import asyncio
import time

import pytest

from servers.patience import Patience


def starve(seconds: float) -> None:
    """Keep the loop from running, as a busy machine does."""
    time.sleep(seconds)


class PatienceTests:
    def test_it_ends_what_takes_longer_than_the_budget(self) -> None:
        async def run() -> None:
            async with Patience(0.1) as patience, patience.bounded():
                await asyncio.Event().wait()

        with pytest.raises(TimeoutError):
            asyncio.run(run())

    def test_it_refuses_what_begins_when_the_budget_is_spent(self) -> None:
        async def run() -> bool:
            async with Patience(0.05) as patience:
                await asyncio.sleep(0.5)
                async with patience.bounded():
                    return True

        with pytest.raises(TimeoutError):
            asyncio.run(run())

    def test_it_counts_no_time_in_which_the_loop_was_kept_from_running(self) -> None:
        async def run() -> float:
            async with Patience(5) as patience:
                await asyncio.sleep(0)
                starve(0.5)
                await asyncio.sleep(0.05)
                return patience.spent

        assert asyncio.run(run()) < 0.4

    def test_it_lets_go_of_what_ends_in_time(self) -> None:
        async def run() -> float:
            async with Patience(5) as patience:
                async with patience.bounded():
                    await asyncio.sleep(0)
                return patience.left

        assert asyncio.run(run()) > 4
