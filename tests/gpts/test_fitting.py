from __future__ import annotations

import pytest

from gpts.catalogue import Folder, Shelf
from gpts.errors import DoesNotFit, NoSuchGpt
from gpts.fitting import Place, ranked, use
from gpts.matching import Fit
from gpts.private import Private, keep_private
from servers.claims import Claim, Claims
from servers.hosting import Hosting
from tests.gpts.sources import source

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path, settings):
    """A folder of reviewed gpts with one, `mine`, in it."""
    settings.LLMHUB_GPT_FOLDERS = [f"{tmp_path}=reviewed"]
    header = "requires: {hosting: lan, vision: true}\ninputs: {topic: {default: a}}"
    (tmp_path / "mine.md").write_text(source(header))
    return tmp_path


class UseTests:
    def test_it_repeats_what_could_not_be_checked(self, folder):
        found = use("mine", Place(Hosting.LAN))
        assert found.unknown == "vision could not be checked on this server"

    def test_it_lets_a_person_insist_on_a_model_that_does_not_fit(self, folder):
        claims = Claims("m", vision=Claim(False, "GET /props"))
        found = use("mine", Place(Hosting.LAN, claims))
        assert found.match.verdict is Fit.NO
        assert found.unknown == ""

    def test_it_never_lets_text_travel_farther_than_the_gpt_allows(self, folder):
        with pytest.raises(DoesNotFit, match="asks to stay on your network"):
            use("mine", Place(Hosting.GLOBAL))

    def test_it_keeps_an_unreviewed_gpt_on_this_machine(self, folder, settings):
        settings.LLMHUB_GPT_FOLDERS = [str(folder)]
        with pytest.raises(DoesNotFit, match="not reviewed"):
            use("mine", Place(Hosting.LAN))
        assert use("mine", Place(Hosting.LOOPBACK)).entry.stem == "mine"

    def test_it_refuses_a_gpt_that_is_not_there(self):
        with pytest.raises(NoSuchGpt):
            use("nothing", Place(Hosting.LOOPBACK))

    def test_it_adds_what_the_hub_keeps_to_itself(self, folder):
        keep_private("mine", Private(inputs={"topic": "b", "gone": "x"}, addition="P"))
        tested = use("mine", Place(Hosting.LAN))
        assert tested.render({}).question == "What is b?"
        assert tested.render({"topic": "c"}).question == "What is c?"
        assert tested.render({}).system == "Be brief.\n\nP"

    def test_it_refuses_a_gpt_whose_private_config_is_unreadable(
        self, folder, settings
    ):
        keep_private("mine", Private(addition="P"))
        settings.LLMHUB_KEYS = ["YW5vdGhlci1rZXktZm9yLXRlc3RzLW9ubHktMDAwMDA="]
        with pytest.raises(DoesNotFit, match="cannot be read"):
            use("mine", Place(Hosting.LAN))


class RankedTests:
    def test_it_puts_what_fits_first_and_keeps_the_order_within(self, tmp_path):
        for stem, header in {
            "a-no": "requires: {hosting: loopback}",
            "b-unknown": "requires: {vision: true}",
            "c-ok": "",
            "d-ok": "requires: {hosting: any}",
        }.items():
            (tmp_path / f"{stem}.md").write_text(source(header).replace("A name", stem))
        shelf = Shelf((Folder(tmp_path, reviewed=True),))
        found = ranked(shelf.catalogue().entries.values(), Place(Hosting.LAN))
        assert [(one.rank, one.entry.stem) for one in found] == [
            (1, "c-ok"),
            (2, "d-ok"),
            (3, "b-unknown"),
            (4, "a-no"),
        ]
