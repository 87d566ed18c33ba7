from __future__ import annotations

import pytest
from django.db import connection

from gpts.errors import NotReviewable
from gpts.models import Gpt, PrivateConfig
from gpts.private import Private, keep_private, private_of
from gpts.revisions import DiffLine, diff, restore, review, revise
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(make_user):
    return [make_user(name, "curators") for name in ("ada", "bob", "cy")]


class ReviseTests:
    def test_it_numbers_texts_from_one(self, people):
        gpt = Gpt(stem="mine")
        for number in (1, 2, 3):
            assert revise(gpt, f"text {number}", people[0]).number == number
        assert gpt.current.source == "text 3"
        assert gpt.revisions.count() == 3

    def test_it_makes_no_revision_of_an_equal_text(self, people):
        gpt = Gpt(stem="mine")
        revise(gpt, "a\nb", people[0])
        assert revise(gpt, "a\r\nb", people[1]) is None
        assert gpt.revisions.count() == 1

    def test_it_restores_an_older_text_as_a_new_revision(self, people):
        gpt = Gpt(stem="mine")
        revise(gpt, source(), people[0])
        review(gpt, people[1])
        revise(gpt, "worse", people[0])
        found = restore(gpt, 1, people[2])
        assert (found.number, found.source, found.restores) == (3, source(), 1)
        assert found.author == people[2]
        assert found.reviewed_at is None

    def test_it_goes_with_its_revisions(self, people):
        gpt = Gpt(stem="mine")
        revise(gpt, source(), people[0])
        gpt.delete()
        assert not Gpt.objects.exists()


class ReviewTests:
    def test_it_refuses_the_author(self, people):
        gpt = Gpt(stem="mine")
        revise(gpt, source(), people[0])
        with pytest.raises(NotReviewable, match="Somebody else"):
            review(gpt, people[0])
        assert gpt.current.reviewed_at is None

    def test_it_refuses_everybody_who_wrote_since_the_last_review(self, people):
        ada, bob, cy = people
        gpt = Gpt(stem="mine")
        revise(gpt, source(), ada)
        revise(gpt, source() + "1\n", bob)
        for author in (ada, bob):
            with pytest.raises(NotReviewable, match="Somebody else"):
                review(gpt, author)
        assert review(gpt, cy).reviewed_by == cy

    def test_it_lets_an_author_of_reviewed_text_review_what_came_later(self, people):
        ada, bob, _cy = people
        gpt = Gpt(stem="mine")
        revise(gpt, source(), ada)
        review(gpt, bob)
        revise(gpt, source() + "1\n", bob)
        assert review(gpt, ada).number == 2

    def test_it_refuses_a_text_with_fatal_problems(self, people):
        gpt = Gpt(stem="mine")
        revise(gpt, "---\n", people[0])
        with pytest.raises(NotReviewable, match="fatal problems"):
            review(gpt, people[1])


class DiffTests:
    def test_it_tells_added_lines_from_removed_ones(self):
        assert diff("a\nb\n", "a\nc\n") == [
            DiffLine("place", "@@ -1,2 +1,2 @@"),
            DiffLine("same", " a"),
            DiffLine("removed", "-b"),
            DiffLine("added", "+c"),
        ]

    def test_it_is_empty_for_equal_texts(self):
        assert diff("a\n", "a\n") == []

    def test_it_keeps_lines_that_look_like_headings_of_a_diff(self):
        assert DiffLine("removed", "--- a") in diff("-- a\n", "b\n")


class PrivateTests:
    def test_it_gives_back_what_was_kept(self):
        kept = Private(3, "qwen", {"topic": "x"}, "Say nothing of it.")
        keep_private("mine", kept)
        assert private_of("mine") == kept

    def test_it_stores_nothing_in_the_clear(self):
        keep_private("mine", Private(addition="canary-of-the-hub"))
        with connection.cursor() as cursor:
            cursor.execute("SELECT config FROM gpts_privateconfig")
            assert "canary" not in cursor.fetchone()[0]

    def test_it_removes_an_empty_one(self):
        keep_private("mine", Private(model="qwen"))
        keep_private("mine", Private())
        assert private_of("mine") == Private()

    def test_it_is_unreadable_with_a_lost_key(self, settings):
        keep_private("mine", Private(model="qwen"))
        settings.LLMHUB_KEYS = ["YW5vdGhlci1rZXktZm9yLXRlc3RzLW9ubHktMDAwMDA="]
        assert private_of("mine") == Private(unreadable=True)

    @pytest.mark.parametrize("config", [[], {"inputs": [], "server": "x"}, "text"])
    def test_it_survives_a_config_of_another_shape(self, config):
        PrivateConfig.objects.create(stem="mine", config=config)
        assert private_of("mine").inputs == {}
