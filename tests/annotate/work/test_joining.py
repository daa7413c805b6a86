"""Coming in by a link: landing pages, names that are one, limits on newcomers, blocked names."""

import threading
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client

from annotate.campaigns import life
from annotate.common.errors import Conflict, Invalid, TooMany
from annotate.models import Annotator, Campaign, Participation, Ruling
from annotate.work import participations
from tests.annotate.work.pages.working import invitation, later, submit, work_url
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act = Ruling.Act


def join(made: Campaign, name: str, address: str = "") -> Participation:
    return participations.enter_by_name(made.pk, name=name, address=address)


# ---- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    ["Grace H", "grace h", "GRACE.H", "G r a c e H", "Grасе Н", "grace\u200bh", "Ｇｒａｃｅ-Ｈ"],
)
def test_a_name_is_taken_once_however_it_is_written(client: Client, again: str) -> None:
    made = campaign()
    join(made, "Grace H")
    answer = client.post(invitation(made), {"name": again})
    assert answer.status_code == 409
    assert "or one that looks like it" in answer.content.decode()
    assert Participation.objects.count() == 1


def test_it_is_kept_as_it_was_typed_and_is_free_in_another_study() -> None:
    first, second = campaign(), campaign()
    assert join(first, "  Grace  H ").annotator.external_id == "Grace H"
    assert join(second, "grace h").annotator.external_id == "grace h"
    assert Annotator.objects.count() == 2


@pytest.mark.parametrize("name", ["ß" * 80, "İ" * 80, "ﷺ" * 80, "\U0001f600" * 80, "…" * 80])
def test_a_name_that_grows_when_it_is_compared_is_taken_as_well(name: str) -> None:
    made = campaign()
    assert join(made, name).annotator.external_id == name
    with pytest.raises(Conflict):
        join(made, name)


@pytest.mark.parametrize("name", ["", "  ", "\0", "\u200b\u3164", "x" * 81, "e\u0301" * 81])
def test_what_is_no_name_is_refused(name: str) -> None:
    made = campaign()
    with pytest.raises(Invalid):
        join(made, name)


def test_who_has_a_personal_link_is_not_joined_by_a_namesake() -> None:
    made = campaign()
    participations.enter(made.pk, external_id="Grace H")
    with pytest.raises(Conflict):
        join(made, "grace.h")
    assert participations.enter(made.pk, external_id="grace h").annotator.external_id == "grace h"


def test_who_comes_back_by_their_own_page_finds_their_work(client: Client) -> None:
    made = campaign()
    who = join(made, "Grace H")
    submit(client, who)
    assert "1 task" in client.get(work_url(who)).content.decode()
    assert client.post(invitation(made), {"name": "grace h"}).status_code == 409
    assert "1 task" in client.get(work_url(who)).content.decode()


@pytest.mark.django_db(transaction=True)
def test_of_many_namesakes_at_once_one_comes_in() -> None:
    made = campaign()
    came: list[str] = []
    ready = threading.Barrier(8)

    def attempt(name: str) -> None:
        ready.wait()
        try:
            came.append(join(made, name).annotator.external_id)
        except Conflict:
            pass
        finally:
            connection.close()

    names = ["Grace", "grace", "G.race", "Grасе", "GRACE", "g r a c e", "ｇrace", "grace."]
    threads = [threading.Thread(target=attempt, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(came) == 1
    assert Annotator.objects.count() == Participation.objects.count() == 1


# ---- limits ------------------------------------------------------------------------------------


def test_newcomers_from_one_address_are_limited_in_one_study(client: Client, settings) -> None:
    settings.JOINS_PER_ADDRESS = 3
    made, other = campaign(), campaign()
    for name in ("ann", "bob", "cid"):
        assert client.post(invitation(made), {"name": name}).status_code == 303
    refused = client.post(invitation(made), {"name": "dora"})
    assert refused.status_code == 429
    assert 500 < int(refused["Retry-After"]) <= 601
    page = refused.content.decode()
    assert "from your network just now. Try again in 10 minutes" in page
    assert 'value="dora"' in page
    assert client.post(invitation(other), {"name": "dora"}).status_code == 303
    assert (
        client.post(invitation(made), {"name": "dora"}, REMOTE_ADDR="192.0.2.7").status_code == 303
    )
    assert client.post(invitation(made, "personal")).status_code == 303


def test_newcomers_to_one_study_are_limited_from_everywhere(settings) -> None:
    settings.JOINS_PER_CAMPAIGN = 3
    made = campaign()
    for n in range(3):
        join(made, f"person {n + 5}", f"192.0.2.{n}")
    with pytest.raises(TooMany, match="Very many people"):
        join(made, "dora", "192.0.2.9")


def test_what_one_address_may_not_does_not_shut_others_out(settings) -> None:
    settings.JOINS_PER_ADDRESS, settings.JOINS_PER_CAMPAIGN = 2, 5
    made = campaign()
    for n in range(30):
        try:
            join(made, f"robot {n + 100}", "192.0.2.66")
        except TooMany:
            pass
    assert Participation.objects.count() == 2
    assert join(made, "ann", "192.0.2.1")


def test_zero_is_no_limit(settings) -> None:
    settings.JOINS_PER_ADDRESS = settings.JOINS_PER_CAMPAIGN = 0
    made = campaign()
    for n in range(12):
        join(made, f"person {n + 100}", "192.0.2.1")


def test_a_name_that_cannot_be_does_not_count(settings) -> None:
    settings.JOINS_PER_ADDRESS = 1
    made = campaign()
    for _ in range(5):
        with pytest.raises(Invalid):
            join(made, "", "192.0.2.1")
    join(made, "ann", "192.0.2.1")


# ---- the landing page ---------------------------------------------------------------------


def test_landing_page_says_what_it_is_pays_and_stores(client):
    page = client.get(invitation(campaign(reward=Decimal("0.35"), contact="ada@example.org")))
    text = page.content.decode()
    assert page.status_code == 200
    assert "$0.35" in text
    assert "minutes" in text
    assert "What is stored" in text
    assert "ada@example.org" in text
    assert 'name="name"' in text


def test_a_name_leads_to_a_page_of_ones_own(client):
    made = campaign()
    answer = client.post(invitation(made), {"name": "  Grace  H "})
    assert answer.status_code == 303
    assert answer["Location"].startswith("/work/p/")
    assert Participation.objects.get().annotator.external_id == "Grace H"
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("name", "status"), [("", 422), ("   ", 422), ("x" * 81, 422), ("Taken", 409)]
)
def test_a_name_that_cannot_be_is_explained_at_the_field(client, name, status):
    made = campaign()
    client.post(invitation(made), {"name": "taken"})
    answer = client.post(invitation(made), {"name": name})
    assert answer.status_code == status
    assert 'aria-invalid="true"' in answer.content.decode()
    assert "name-problem" in answer.content.decode()


def test_an_invitation_that_names_somebody_asks_for_no_name_and_may_be_used_again(client):
    url = invitation(campaign(), "grace")
    assert 'name="name"' not in client.get(url).content.decode()
    first, second = client.post(url), client.post(url)
    assert first.status_code == second.status_code == 303
    assert Participation.objects.get().annotator.external_id == "grace"


def test_forged_and_expired_invitations_are_explained(client):
    url = invitation(campaign())
    forged = client.get(url[:-3] + "xx/")
    assert forged.status_code == 404
    assert "not complete" in forged.content.decode()
    with later(400):
        expired = client.get(url)
    assert expired.status_code == 410
    assert "expired" in expired.content.decode()


def test_an_invitation_to_a_campaign_that_is_over_says_so(client):
    made = campaign()
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    for answer in (client.get(invitation(made)), client.post(invitation(made), {"name": "late"})):
        assert answer.status_code == 410
        assert "complete" in answer.content.decode()
    assert not Participation.objects.exists()
