"""A judgment that supersedes another one: both stay, and everything counts the later one alone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.campaigns import contents_api as campaigns_api
from annotate.campaigns import facts, life
from annotate.common.errors import Conflict
from annotate.models import (
    AuditEntry,
    Campaign,
    ChangeMark,
    Judgment,
    LedgerEntry,
    Output,
    Participation,
    PendingScore,
    Review,
    Score,
)
from annotate.models.base import ImmutableError
from annotate.review import rulings
from annotate.work import scoring, submitting
from tests.factories import GOOD, campaign, judge, person, user
from tests.reviewed import flagged

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

POOR = {**GOOD, "fluency": 0, "overall": -1}


@pytest.fixture
def made() -> Campaign:
    return campaign(owner=user(), items=12)


@pytest.fixture
def who(made: Campaign) -> Participation:
    """Two people with three judgments each; this is the first."""
    for name in ("p1", "p2"):
        for _ in range(3):
            judge(person(made, name))
    scoring.ensure(made.pk)
    return person(made)


def first(who: Participation) -> Judgment:
    return Judgment.objects.filter(annotator=who.annotator_id).earliest("pk")


def correct(judgment: Judgment, response: dict[str, Any] = POOR) -> Judgment:
    later = submitting.supersede(judgment.pk, response=response)
    scoring.ensure(judgment.campaign_id)
    return Judgment.objects.get(pk=later)


def overall(campaign_id: int) -> list[float]:
    return sorted(facts.scores(campaign_id).value["overall"])


def test_the_later_one_counts_and_the_earlier_stays_as_it_was(who: Participation) -> None:
    earlier = first(who)
    assert overall(who.campaign_id) == [1.0] * 6
    later = correct(earlier)
    assert overall(who.campaign_id) == [-1.0] + [1.0] * 5
    assert Judgment.every.get(pk=earlier.pk).response == earlier.response
    assert (later.supersedes, later.assignment_id) == (earlier, earlier.assignment_id)
    assert not Judgment.objects.filter(pk=earlier.pk).exists()
    assert ChangeMark.objects.filter(campaign=who.campaign_id).exists()
    assert AuditEntry.objects.filter(verb="supersede", subject=f"judgment:{earlier.pk}").exists()


# Every reader of the campaign is compared in test_correcting.py; these are not among them.
COUNTS: dict[str, Callable[[Participation], object]] = {
    "scores in a range": lambda who: Score.of(who.campaign_id).count(),
    "API, judgments": lambda who: (
        campaigns_api.judgment_rows(who.campaign, with_texts=False, ranks=False)
        .filter(superseded_at=None)
        .count()
    ),
    "API, annotators": lambda who: sorted(
        (one["judgments"], one["counting"], one["excluded"])
        for one in campaigns_api.contributions(
            who.campaign, list(campaigns_api.annotators(who.campaign))
        )
    ),
    "of the outputs": lambda who: sorted(
        one.judgments.count() for one in Output.objects.filter(campaign=who.campaign)
    ),
    "ledger": lambda who: list(LedgerEntry.objects.order_by("pk").values_list("amount", "key")),
}


@pytest.mark.parametrize("count", COUNTS)
def test_nothing_counts_both(who: Participation, count: str) -> None:
    before = COUNTS[count](who)
    later = correct(first(who))
    assert COUNTS[count](who) == before
    correct(later, GOOD)
    assert COUNTS[count](who) == before


def test_an_earlier_one_that_waits_for_its_scores_keeps_nothing_waiting(
    who: Participation,
) -> None:
    earlier = first(who)
    now = timezone.now()
    PendingScore.objects.create(judgment=earlier, campaign=who.campaign, due_at=now)
    correct(earlier)
    assert not PendingScore.objects.exists()
    # A worker that had read it before notes that it takes long.
    PendingScore.objects.create(judgment=earlier, campaign=who.campaign, due_at=now)
    assert facts.waiting(who.campaign_id) == 0
    scoring.score_waiting()
    assert not PendingScore.objects.exists()


def test_what_is_unique_is_so_among_those_that_count(who: Participation) -> None:
    earlier = first(who)
    fields = {
        field.attname: getattr(earlier, field.attname)
        for field in Judgment._meta.concrete_fields
        if field.name != "id"
    }
    another = Judgment.objects.exclude(annotator=who.annotator_id).earliest("pk")
    of_another = {"annotator_id": another.annotator_id, "output_id": another.output_id}
    of_another["assignment_id"] = another.assignment_id
    twice = (
        fields | of_another | {"assignment_id": earlier.assignment_id},  # of one assignment
        fields | {"assignment_id": another.assignment_id},  # of one person and output
    )
    for wrong in twice:
        with pytest.raises(IntegrityError), transaction.atomic():
            Judgment.objects.create(**wrong)
    correct(earlier)
    Judgment.every.create(**{**fields, "superseded_at": timezone.now()})


def test_an_excluded_judgment_is_ruled_on_before_it_is_corrected(who: Participation) -> None:
    review = flagged(who)
    owner = who.campaign.memberships.get().user_id
    rulings.rule(review.pk, [rulings.Act.EXCLUDE], actor_id=owner, reason="Too fast.")
    with pytest.raises(Conflict, match="excluded"):
        correct(first(who))
    assert Judgment.every.filter(superseded_at__isnull=False).count() == 0


def test_a_corrected_judgment_is_excluded_and_restored_like_any_other(
    who: Participation,
) -> None:
    later, owner = correct(first(who)), who.campaign.memberships.get().user_id
    review = flagged(who)
    made = rulings.rule(review.pk, [rulings.Act.EXCLUDE], actor_id=owner, reason="Too fast.")
    assert made[0].exclusions.count() == 3
    assert made[0].exclusions.filter(judgment=later).exists()
    assert overall(who.campaign_id) == [1.0] * 3
    seen = made[0].pk
    rulings.rule(review.pk, [rulings.Act.RESTORE], actor_id=owner, reason="Right.", seen=seen)
    assert overall(who.campaign_id) == [-1.0] + [1.0] * 5
    assert Review.objects.get().status == "cleared"


def test_a_repeated_submit_is_told_of_the_judgment_that_counts(who: Participation) -> None:
    later = correct(first(who))
    task = later.assignment_id
    receipt = submitting.submit_judgment(task, participation_id=who.pk, raw=GOOD)
    assert (receipt.judgment_id, receipt.already, receipt.counts) == (later.pk, True, True)


def test_a_correction_is_a_fact_too(who: Participation) -> None:
    later = correct(first(who))
    with pytest.raises(ImmutableError):
        Judgment.every.filter(pk=later.pk).update(response={})
    with pytest.raises(ImmutableError):
        later.campaign.judgments.all().delete()
    assert not Judgment.supersede(later.supersedes_id, at=timezone.now())


def test_a_closed_campaign_is_estimated_again_after_a_correction(who: Participation) -> None:
    life.close(who.campaign_id, "hand")
    before = ChangeMark.objects.count()
    correct(first(who))
    assert ChangeMark.objects.count() == before + 1
