"""Coming in by an open link: names that are one, limits on newcomers, names that are blocked."""

import threading

import pytest
from django.db import connection
from django.test import Client

from annotate.common.errors import Conflict, Invalid, TooMany
from annotate.models import Annotator, Campaign, Participation, Ruling
from annotate.work import participations
from tests.annotate.work.pages.working import invitation, submit, work_url
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
