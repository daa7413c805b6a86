"""The client about how people are asked and looked at: screens, instruments, imports, the log."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from plumbline_client import Conflict, Import, NotAllowed, NotFound, Plumbline, Refused

from annotate.accounts import tokens
from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport, Membership
from annotate.studies import tutorials
from tests.annotate.own import HELPFUL, helpful
from tests.client.test_client import PLAN, ROWS, file_of
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def owner() -> User:
    return User.objects.get(username="ada")


def test_screens_are_set_changed_and_their_changes_told(ada: Plumbline) -> None:
    made = ada.create("News", ROWS, **PLAN, screening={"timing": {"share": 0.25}})
    screens = ada.screens(made.id)
    before = screens.state()
    assert before.settings["timing"]["share"] == 0.25
    assert (before.at_opening, before.amendments) == (None, ())
    ada.open(made.id)
    with pytest.raises(Refused) as silent:
        screens.change({"timing": {"share": 0.5}})
    assert set(silent.value.errors) == {"reason"}
    after = screens.change({"timing": {"share": 0.5}}, reason="Too many were listed.")
    assert after.at_opening is not None
    assert (after.settings["timing"]["share"], after.at_opening["timing"]["share"]) == (0.5, 0.25)
    (amendment,) = after.amendments
    assert (amendment.actor, amendment.why) == ("ada", "Too many were listed.")
    assert amendment.changes == {"timing.share": (0.25, 0.5)}
    assert amendment.at.tzinfo is not None
    with pytest.raises(Refused):
        screens.change({"charm": {"share": 1}}, reason="No.")
    Campaign.objects.update(status="closed")
    with pytest.raises(Conflict):
        screens.change({"timing": {"share": 0.3}}, reason="Late.")


def test_instruments_are_listed_read_and_defined(ada: Plumbline) -> None:
    instruments = ada.instruments()
    built_in = {one.key: one for one in instruments if one.built_in}
    language = built_in["language_quality"]
    assert (language.reference, language.definition) == ("language_quality", None)
    assert [one.name for one in language.criteria] == ["fluency", "redundancy", "overall", "edit"]
    assert language.criteria[0].higher_is_better
    made = instruments.define(helpful())
    assert (made.reference, made.built_in, made.definition) == ("helpfulness@1", False, HELPFUL)
    assert instruments.define(helpful()) == made, "the identical one exists"
    assert instruments.define(helpful(hint="Other.")).version == "2"
    assert instruments.read("helpfulness@1") == made
    assert instruments.read("helpfulness").version == "2"
    assert {"helpfulness@1", "helpfulness@2"} <= {one.reference for one in instruments}
    with pytest.raises(Refused) as wrong:
        instruments.define(helpful(key="Bad Key"))
    assert set(wrong.value.errors) == {"key"}
    with pytest.raises(Conflict):
        instruments.define(helpful(key="language_quality"))
    for odd in ("nothing", "../imports", "a/b", "language_quality@x"):
        with pytest.raises(NotFound):
            instruments.read(odd)


def test_a_tutorial_is_stored_once_and_listed(ada: Plumbline) -> None:
    instruments = ada.instruments()
    content = json.loads(tutorials.tutorial_file("language_quality", "en")) | {"title": "Ours"}
    assert list(instruments.tutorials("language_quality")) == []
    made = instruments.store_tutorial("language_quality", content)
    assert (made.instrument, made.title, made.language) == ("language_quality", "Ours", "en")
    assert made.n_questions == len(content["questions"])
    assert instruments.store_tutorial("language_quality", content) == made
    assert list(instruments.tutorials("language_quality")) == [made]
    assert "en" in instruments.languages("language_quality")
    used = ada.create("News", ROWS, **(PLAN | {"tutorial": True}), tutorial_id=made.id)
    assert used.data["tutorial_required"]
    with pytest.raises(Refused) as wrong:
        instruments.store_tutorial("language_quality", content | {"language": 3})
    assert set(wrong.value.errors) == {"language"}


def test_the_log_is_told_page_by_page_to_those_who_see_results(
    ada: Plumbline, live_server: Any
) -> None:
    made = campaign(owner=owner(), items=2)
    acts = list(ada.activity(made.public_id))
    assert [one.verb for one in acts] == ["open", "create"]
    assert (acts[0].actor, acts[0].text) == ("", "opened it for judgments")
    assert acts[1].at <= acts[0].at
    ada.pause(made.public_id)
    newest = next(ada.activity(made.public_id))
    assert (newest.actor, newest.verb, newest.text) == ("ada", "pause", "paused it")
    person(made)
    assert list(ada.activity(made.public_id, show="reviews")) == []
    pages = ada.listed(made.public_id, "activity", page_size=1)
    assert [one["id"] for one in pages] == [one.id for one in ada.activity(made.public_id)]
    eve = user("eve")
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    with (
        Plumbline(live_server.url, token=tokens.make_token(eve.pk, "eve")[1]) as reviewer,
        pytest.raises(NotAllowed),
    ):
        next(reviewer.activity(made.public_id))


def large(word: str = " word") -> list[dict[str, Any]]:
    return [row | {"output": str(row["output"]) + word * 9_000} for row in ROWS]


def test_the_progress_of_an_import_is_told(ada: Plumbline, tmp_path: Path) -> None:
    told: list[Import] = []

    def work(_seconds: float) -> None:
        if len(told) == 1:
            CampaignImport.objects.update(done=3, total=7)
        else:
            imports.run_due()

    ada._sleep = work
    made = ada.create("Large", file_of(tmp_path, large()), **PLAN, progress=told.append)
    assert (told[0].status, told[-1].status, told[-1].campaign) == ("reading", "done", made.id)
    assert len({one.id for one in told}) == 1
    assert (told[1].done, told[1].total) == (3, 7)
    assert [one.id for one in ada.imports()] == [told[0].id]
    with pytest.raises(Conflict):
        ada.cancel_import(told[0].id)


def test_lists_are_followed_while_rows_come(ada: Plumbline) -> None:
    made = campaign(owner=owner(), items=2)
    for n in range(5):
        person(made, f"p{n}")
    rows = ada._at.pages(
        f"campaigns/{made.public_id}/accounts/", rows="accounts", page_size=2, sort="name"
    )
    seen = [next(rows)["external_id"]]
    for name in ("a", "p15", "z"):
        person(made, name)
    seen += [one["external_id"] for one in rows]
    assert seen == ["p0", "p1", "p15", "p2", "p3", "p4", "z"]
