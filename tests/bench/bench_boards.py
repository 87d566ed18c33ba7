"""A board of 200 cards, 50 of them changed: the diff, and the page's server time.

`python -m tests.bench boards`. Targets: 150 ms and 120 ms.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CARDS, CHANGED, TIMES = 200, 50, 9


def a_board() -> dict[str, Any]:
    return {
        "title": "A product",
        "vision": "Many cards.",
        "cards": [_card(number) for number in range(CARDS)],
    }


def _card(number: int) -> dict[str, Any]:
    function = {
        "goal": f"Somebody does the thing number {number} without help.",
        "rules": [f"Rule {n} of thing {number} holds at all times." for n in range(3)],
        "tests": [f"Step {n}: press button {number}, see it done." for n in range(4)],
    }
    return {
        "id": f"k{number}",
        "title": f"Part {number}",
        "kind": "core",
        "goal": f"Part {number} is good for everybody who uses part {number}.",
        "rules": [f"Rule {n} of part {number} is true of it." for n in range(4)],
        "functions": [{**function, "title": f"Do {n}"} for n in range(3)],
    }


def an_answer() -> str:
    cards = [_card(number) for number in range(CHANGED)]
    for card in cards:
        card["goal"] += " It is quick as well."
        card["rules"] = [*card["rules"][1:], "A new rule that nobody had before."]
        card["functions"][0]["tests"].append("Step 9: look once more.")
        card["functions"].append({"title": "More", "tests": ["Try it."]})
        for function in card["functions"]:
            function.pop("state", None)
    return json.dumps({"answer": "Done.", "cards": cards})


def milliseconds(work: Callable[[], Any]) -> float:
    work()
    took = []
    for _ in range(TIMES):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return statistics.median(took) * 1000


def main() -> None:
    folder = Path(tempfile.mkdtemp("-boards"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'hub.sqlite3'}"
    import django

    django.setup()
    _measure()


def _measure() -> None:
    from django.contrib.auth.models import Group, User
    from django.core.management import call_command
    from django.test import Client

    from chat.cards import store, stored
    from chat.cards.answer import Answer, read_answer
    from chat.cards.board import read_board
    from chat.cards.models import KeptProposal, Round, RoundState
    from chat.cards.target import proposals_of

    board = read_board(a_board())
    reply = an_answer()
    answer = read_answer(reply)
    if not isinstance(answer, Answer):
        raise SystemExit(answer.reason)
    found = proposals_of(board, answer)
    print(f"{CARDS} cards, {CHANGED} changed: {len(found)} proposals")
    print(f"reading the answer   {milliseconds(lambda: read_answer(reply)):7.1f} ms")
    diff = milliseconds(lambda: proposals_of(board, answer))
    print(f"the diff             {diff:7.1f} ms (target 150)")

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("ada")
    user.groups.add(Group.objects.get(name="members"))
    row = store.keep(user, board)
    done = Round.objects.create(
        board=row, person=user, message="m", base=board.as_json(), state=RoundState.DONE
    )
    KeptProposal.objects.bulk_create(
        KeptProposal(round=done, number=n, content=stored.to_json(one))
        for n, one in enumerate(found, 1)
    )
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    place = f"/boards/{row.pk}/"
    page = milliseconds(lambda: client.get(place))
    print(f"the board's page     {page:7.1f} ms (target 120), all proposals open")
    quiet = milliseconds(lambda: client.get(f"{place}live?version={row.version}"))
    print(f"a look without news  {quiet:7.1f} ms")
    KeptProposal.objects.filter(number__gt=CHANGED).delete()
    page = milliseconds(lambda: client.get(place))
    print(f"the board's page     {page:7.1f} ms (target 120), {CHANGED} proposals open")


if __name__ == "__main__":
    main()
