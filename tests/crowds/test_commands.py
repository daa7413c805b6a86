"""`manage.py launch`, `sync` and `stop`: a batch's life from a terminal."""

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.crowds import outbox
from annotate.crowds.contract import from_json
from annotate.models import Batch, Campaign, Posting
from tests.crowds.batches.launching import launched
from tests.crowds.scripted import NO_MONEY, Scripted
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def run(command: str, *options: str) -> str:
    out = StringIO()
    call_command(command, *options, stdout=out)
    return out.getvalue()


def launch(made: Campaign, *options: str) -> str:
    return run("launch", made.public_id, "--title", "Rate news", "--description", "Read.", *options)


def test_without_a_total_it_only_shows_the_offer(made: Campaign):
    printed = launch(made, "--places", "20", "--tasks", "2")
    assert "20 submissions of 2 tasks, 40 judgments, in 3 postings" in printed
    assert "at most        $24.00" in printed
    assert "Add --confirm 24.00" in printed
    assert not Batch.objects.exists()


def test_with_the_total_that_was_shown_it_is_launched(made: Campaign):
    printed = launch(
        made,
        "--places",
        "20",
        "--tasks",
        "2",
        "--confirm",
        "24.00",
        "--country",
        "DE",
        "--keyword",
        "news",
        "--review-hours",
        "12",
        "--days",
        "2",
    )
    batch = Batch.objects.get()
    assert batch.public_id in printed
    terms = from_json(batch.terms)
    assert (terms.keywords, terms.audience.countries) == (("news",), ("DE",))
    assert terms.approve_after.total_seconds() == 12 * 3600


def test_without_a_number_it_takes_what_is_missing(made: Campaign):
    printed = launch(made)
    assert f"{-(-made.slots.count() // 5)} submissions of 5 tasks" in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--places", "5", "--tasks", "1", "--confirm", "1"), r"may cost \$3.00 now"),
        (("--places", "0"), "places: Ask for"),
        (("--places", "5", "--tasks", "0"), "tasks: One submission"),
        (("--places", "5", "--days", "nan"), "numbers of usual size"),
        (("--places", "5", "--days", "1e300"), "numbers of usual size"),
    ],
)
def test_what_cannot_be_launched_is_told(made: Campaign, options: tuple[str, ...], said: str):
    with pytest.raises(CommandError, match=said):
        launch(made, *options)
    assert not Batch.objects.exists()


def test_real_money_needs_its_world_named(made: Campaign, scripted: Scripted):
    scripted.environment = "production"
    terms = ("--places", "5", "--tasks", "1", "--confirm", "3.00")
    for wrong in ((), ("--environment", "sandbox")):
        with pytest.raises(CommandError, match=r"--confirm 3\.00 --environment production"):
            launch(made, *terms, *wrong)
    assert not Batch.objects.exists()
    assert "Launched" in launch(made, *terms, "--environment", "production")


def test_a_key_launches_once(made: Campaign):
    terms = ("--tasks", "4", "--places", "4", "--confirm", "9.60", "--key", "again")
    first, again = launch(made, *terms), launch(made, *terms)
    assert "Launched batch" in first
    assert "already" in again
    assert Batch.objects.count() == 1


def test_sync_does_not_wait_for_what_was_mended(made: Campaign, scripted: Scripted):
    launched(made, places=5)
    scripted.environment = "production"
    assert "is pending. This belongs to" in run("sync")
    scripted.environment = "sandbox"
    assert "postings, open: 0 → 1" in run("sync")


def test_sync_does_what_is_due_and_says_what_changed(made: Campaign, scripted: Scripted):
    scripted.will("publish", NO_MONEY)
    launched(made, places=14)
    printed = run("sync")
    assert "postings, being published: 2 → 0" in printed
    assert "postings, open: 0 → 1" in printed
    assert "is refused. The account is empty. Top up the account" in printed
    assert "Nothing has changed." in run("sync")
    with pytest.raises(CommandError, match="positive"):
        run("sync", "--seconds", "0")


def test_stop_is_for_one_batch_or_all(made: Campaign, scripted: Scripted):
    first, _second = launched(made, places=5, key="1"), launched(made, places=5, key="2")
    assert run("stop", made.public_id, "--batch", first.public_id).count("is being stopped") == 1
    assert Posting.objects.filter(status="closed").count() == 1
    assert run("stop", made.public_id).count("is being stopped") == 1
    assert "Nothing was running." in run("stop", made.public_id)
    assert outbox.carry_out_due() == 0
    with pytest.raises(CommandError, match="no batch"):
        run("stop", campaign(reward=Decimal(1)).public_id, "--batch", first.public_id)
