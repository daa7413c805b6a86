"""A batch on Prolific by our pages, and by the API, over HTTP to the stand-in."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.common.numbers import money_text
from annotate.crowds import outbox, reconciling
from annotate.crowds.contract import Claim
from annotate.models import Batch, Campaign, Posting
from annotate.review import reviews
from annotate.work import participations
from tests.crowds.prolific.far_side import TOKEN, ProlificFarSide, prolific_far_side
from tests.crowds.researcher import at, hidden, offered, said
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
ASKED = {"approval_rate": "95", "approved_work": "", "countries": "GB", "languages": "en"}


@pytest.fixture
def far(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProlificFarSide]:
    """What the settings name: no adapter is put in place of the real one."""
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: True)
    with prolific_far_side() as far_side:
        settings.PROLIFIC_BASE_URL, settings.PROLIFIC_API_TOKEN = far_side.server.url, TOKEN
        yield far_side


@pytest.fixture
def study(ada: Client, far: ProlificFarSide) -> Campaign:
    return campaign(
        owner=User.objects.get(),
        crowd="prolific",
        reward=Decimal("0.45"),
        items=32,
        tutorial=True,
        tutorial_bonus=Decimal("0.60"),
        fee_rate=Decimal("0.4"),
        budget=Decimal(200),
    )


def worker() -> None:
    outbox.carry_out_due()
    reconciling.reconcile_all(all_=True)


def read(client: Client, study: Campaign, name: str = "batches") -> str:
    return " ".join(client.get(at(study, name)).content.decode().split())


@pytest.mark.slow
def test_launch_watch_extend_and_stop_by_the_pages(
    ada: Client, far: ProlificFarSide, study: Campaign
) -> None:
    sent, answer = offered(ada, study, tasks=4, minutes=10, **ASKED)
    assert answer.status_code == 200, answer.context["form"].errors
    note = answer.context["offer"].note
    # The campaign's 40 % as a fee on everything.
    amounts = [amount for _what, _each, amount in answer.context["bill"]]
    assert amounts == [Decimal("7.20"), Decimal("2.88"), Decimal("2.40"), Decimal("0.96")]
    assert "Prolific says that it charges £12.80 in all" in note
    assert "is in GBP" in note
    page = answer.content.decode()
    assert "£13.44" in page
    assert "$" not in page, "one currency on the page"
    assert not far.world.studies  # nothing was made for an offer
    launched = ada.post(at(study, "batch-new"), sent, follow=True)
    assert "Launched on 127.0.0.1" in said(launched)[0]
    worker()

    (listing,) = far.postings()
    there = far.world.studies[listing]
    assert (there["reward"], there["total_available_places"]) == (180, 4)
    assert {one["filter_id"] for one in there["filters"]} == {
        "current-country-of-residence",
        "fluent-languages",
        "approval_rate",
        "participant_group_blocklist",
    }
    assert listing in read(ada, study)

    batch = Batch.objects.get()
    address = at(study, "batch-extend", batch.public_id)
    more = {"key": "more", "places": "2", "act": "offer"}
    shown = ada.post(address, more)
    asked_for = {**more, "act": "extend", "confirmed": hidden(shown, "confirmed")}
    for _twice in range(2):
        assert ada.post(address, asked_for).status_code == 302
    worker()
    assert far.world.studies[listing]["total_available_places"] == 6

    unit = far.accept(listing, far.person(1))
    worker()
    assert Posting.objects.get().available == 5
    assert far.world.submission(unit)["status"] == "ACTIVE"

    ada.post(at(study, "batch-stop", batch.public_id))
    worker()
    assert far.world.studies[listing]["status"] == "AWAITING REVIEW"
    assert Posting.objects.get().status == "draining"
    assert "Stopped" in read(ada, study)


def pages(ada: Client, study: Campaign) -> dict[str, str]:
    """What the owner and an annotator read: {name: page}."""
    posting = Posting.objects.get()
    came = Claim(
        posting=posting.public_id,
        person="5f0000000000000000000001",
        unit="s1",
        listing=posting.external_id,
        submit_to="",
    )
    who = participations.arrive(posting.public_id, came, verified=True)
    name = who.annotator.pseudonym
    reviews.open_by_hand(study.pk, who.annotator_id, actor_id=User.objects.get().pk)
    mine = [at(study, one) for one in ("people", "pay", "batches", "batch-new")]
    work = reverse("annotate:me", args=[tokens.participation_token(who.pk)])
    there = [reverse("annotate:campaigns"), reverse("estimation:dashboard", args=[study.public_id])]
    found = {one: ada.get(one) for one in (*mine, *there, work, at(study, "review", name))}
    assert {one.status_code for one in found.values()} == {200}
    return {address: answer.content.decode() for address, answer in found.items()}


@pytest.mark.slow
def test_all_pages_write_money_in_the_currency_of_the_account(
    ada: Client, far: ProlificFarSide, study: Campaign
) -> None:
    sent, _answer = offered(ada, study, tasks=4, minutes=10, **ASKED)
    launched = ada.post(at(study, "batch-new"), sent, follow=True)
    assert "£1.80" in said(launched)[0]
    worker()
    found = pages(ada, study)
    assert money_text(Decimal(1)) == "$1.00", "nothing is left of it after a request"
    assert {address for address, page in found.items() if "$" in page} == set()
    assert len([page for page in found.values() if "£" in page]) == len(found)
    assert "Amount, in £" in found[at(study, "pay")]
    dollars = campaign(owner=User.objects.get(), crowd="mturk", budget=Decimal(200))
    page = read(ada, dollars, "pay")
    assert "$200.00" in page
    assert "£" not in page, "each campaign in its own, whatever came before"


@pytest.mark.slow
def test_a_campaign_of_an_earlier_version_learns_its_currency(
    ada: Client, far: ProlificFarSide, study: Campaign
) -> None:
    sent, _answer = offered(ada, study, tasks=4, minutes=10, **ASKED)
    ada.post(at(study, "batch-new"), sent)
    Campaign.objects.update(currency="USD")  # as the migration leaves it
    worker()
    study.refresh_from_db()
    assert study.currency == "GBP"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("PROLIFIC_API_TOKEN", "", "PROLIFIC_API_TOKEN"),
        ("PROLIFIC_API_TOKEN", "wrong", "refuses our access"),
        ("PROLIFIC_BASE_URL", "http://api.prolific.com", "https://"),
    ],
)
def test_settings_that_are_wrong_say_what_to_do(
    ada: Client,
    far: ProlificFarSide,
    study: Campaign,
    settings: Any,
    setting: str,
    value: str,
    words: str,
) -> None:
    setattr(settings, setting, value)
    _sent, answer = offered(ada, study, tasks=4, minutes=10, approved_work="")
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert 'value="launch"' not in answer.content.decode()
