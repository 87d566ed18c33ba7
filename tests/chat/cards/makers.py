"""Boards of the tests: one maker, and strategies for any board."""

from __future__ import annotations

from hypothesis import strategies as st

from chat.cards.board import Board, Card, Function, Kind, State, key_of, read_board


def board(*cards, title="Field notes", vision="Notes that never get lost."):
    """A board of `card(...)` rows, read as a file would be."""
    return read_board({"title": title, "vision": vision, "cards": list(cards)})


def card(card_id, title, **more):
    return {"id": card_id, "title": title, **more}


def card_of(found, card_id):
    """The card that surely is there."""
    card = found.card(card_id)
    assert card is not None
    return card


NOTES = board(
    card(
        "k1",
        "Sync",
        goal="Notes reach every device.",
        rules=["Notes sync as soon as there is a connection.", "Nothing is lost."],
        functions=[
            {
                "title": "Sync now",
                "goal": "Start a sync by hand.",
                "rules": ["Press the button."],
                "tests": ["Write a note.", "Press Sync.", "See it elsewhere."],
                "state": "built",
            }
        ],
    ),
    card("k2", "Photos", kind="optional", goal="Pictures in notes."),
)

WORDS = ["sync", "note", "photo", "wifi", "press", "save", "the", "a", "now", "<b>"]
lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
texts = st.one_of(st.just(""), lines)
many = st.lists(lines, max_size=4).map(tuple)
titles = st.lists(
    st.sampled_from(["Sync now", "Pause", "Share", "Print", "Find", "sync all"]),
    unique_by=key_of,
    max_size=4,
)


@st.composite
def functions(draw):
    return tuple(
        Function(
            title, draw(texts), draw(many), draw(many), draw(st.sampled_from(State))
        )
        for title in draw(titles)
    )


@st.composite
def cards(draw, card_id, title):
    return Card(
        card_id,
        title,
        draw(st.sampled_from(Kind)),
        draw(texts),
        draw(many),
        draw(functions()),
    )


@st.composite
def boards(draw):
    count = draw(st.integers(0, 3))
    found = [draw(cards(f"k{n}", f"Card {n}")) for n in range(count)]
    return Board(draw(lines), draw(texts), tuple(found))


@st.composite
def changed(draw, base):
    """The cards of `base` and up to two new ones, as somebody would have them."""
    again = [
        draw(cards(one.id, draw(st.sampled_from([one.title, "Renamed " + one.id]))))
        for one in base.cards
    ]
    new = [draw(cards("", f"New {n}")) for n in range(draw(st.integers(0, 2)))]
    return again + new
