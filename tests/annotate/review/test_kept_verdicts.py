"""What the screens found is kept for reviewers: one person's row, equal to a fresh screening."""

import io
import random
from statistics import median

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Campaign, Review, Ruling, ScreenedAnnotator, Screening
from annotate.models import review as models_review
from annotate.review import evidence, reviews, rulings
from annotate.screening.base import Verdict
from tests import reviewed
from tests.crowds.clock import Clock
from tests.factories import campaign, person, user
from tests.seeds import walks

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def recomputed(made: Campaign, annotator_id: int) -> tuple[list[evidence.Screened], float | None]:
    """Return what a reviewer's page shows, from the judgments alone."""
    columns = evidence.columns(made)
    assert columns is not None
    found: dict[str, list[Verdict]] = {}
    for one in reviews.verdicts_of(made, columns):
        found.setdefault(one.screen, []).append(one)
    shown = []
    for each in found.values():
        if any(one.n for one in each):
            (own,) = (one for one in each if one.annotator == annotator_id)
            rest = (one.value for one in each if one is not own and one.value is not None)
            shown.append(evidence.Screened(own, tuple(sorted(rest))))
    others = columns.seconds[columns.annotator != annotator_id]
    return shown, float(median(others)) if others.size else None


def people_of(made: Campaign) -> list[int]:
    rows = made.participations.order_by("annotator").values_list("annotator", flat=True)
    return sorted(set(rows))


@pytest.mark.slow
@pytest.mark.parametrize("seed", walks(3))
def test_what_is_kept_is_what_a_fresh_screening_finds(
    seed: int, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After random work, exclusions and reversals, for each person with work not yet ruled on."""
    monkeypatch.setattr(reviews, "VERDICTS_AT_ONCE", 2)
    choose = random.Random(seed)
    owner = user()
    made = campaign(owner=owner, items=25, double_share=1.0, targets={"overall": 0.01})
    for _round in range(4):
        for _turn in range(choose.randrange(3, 14)):
            who = person(made, choose.choice("abcde"))
            if models_review.Review.objects.filter(annotator=who.annotator).exists():
                continue
            reviewed._judge(
                who, choose.uniform(1, 90), overall=choose.choice([1, 0, -1]), edit=EDIT
            )
        rule_on_somebody(made, choose, owner.pk)
        clock.move(minutes=1)
        reviews.screen(made.pk)
        made.refresh_from_db()
        ruled = Review.objects.filter(campaign=made).values_list("annotator", flat=True)
        for annotator_id in set(people_of(made)) - set(ruled):
            look = evidence.look(made, annotator_id)
            if not look.seconds:
                continue
            assert (list(look.screens), look.others_seconds) == recomputed(made, annotator_id)
            assert not look.awaited


EDIT = "The council of the district met on Monday, as it is told, and it will again."


def rule_on_somebody(made: Campaign, choose: random.Random, actor_id: int) -> None:
    pk = choose.choice(people_of(made))
    review_id = reviews.open_by_hand(made.pk, pk, actor_id=actor_id)
    review = Review.objects.get(pk=review_id)
    last = review.rulings.order_by("-pk").first()
    act = Ruling.Act.RESTORE if review.status == "excluded" else Ruling.Act.EXCLUDE
    rulings.rule(
        review_id, [act], actor_id=actor_id, reason="Because.", seen=last.pk if last else 0
    )


@pytest.mark.slow
def test_excluded_work_keeps_the_evidence_of_its_exclusion(clock: Clock) -> None:
    review = reviewed.case(user())
    made, owner = review.campaign, review.campaign.memberships.get().user_id
    before = evidence.look(made, review.annotator_id)
    rulings.rule(review.pk, [Ruling.Act.EXCLUDE], actor_id=owner, reason="Spam.")
    clock.move(minutes=1)
    reviews.screen(made.pk)
    made.refresh_from_db()
    after = evidence.look(made, review.annotator_id)
    assert [one.verdict for one in after.screens] == [one.verdict for one in before.screens]
    with np.load(io.BytesIO(Screening.objects.get().values)) as kept:
        others = [tuple(kept[name].tolist()) for name in kept.files]
    assert [one.others for one in after.screens] == others, "of today, without this person"
    assert not after.awaited


def test_before_the_first_screening_the_page_says_so() -> None:
    made = campaign(owner=user())
    who = person(made)
    assert evidence.look(made, who.annotator_id) == evidence.Look()
    reviewed._judge(who, 5.0)
    look = evidence.look(made, who.annotator_id)
    assert (look.screens, look.at, look.awaited) == ((), None, True)


def test_verdicts_are_kept_at_most_once_in_a_time_and_the_rest_by_a_task(clock: Clock) -> None:
    """200 people may be written in a second; a periodic task keeps what came too soon."""
    review = reviewed.case(user())
    made = review.campaign
    Screening.objects.update(people=40_000, at=timezone.now())
    reviewed._judge(person(made, "a"), 30.0)
    reviews.screen(made.pk)
    made.refresh_from_db()
    assert Screening.objects.get().state != made.screened
    assert evidence.look(made, review.annotator_id).awaited
    assert reviews.keep_due() == 0
    clock.move(seconds=199)
    assert reviews.keep_due() == 0
    clock.move(seconds=2)
    assert reviews.keep_due() == 1
    assert Screening.objects.get().state == made.screened
    assert not evidence.look(made, review.annotator_id).awaited
    assert reviews.keep_due() == 0


def test_a_campaign_of_an_earlier_version_is_kept_by_the_task() -> None:
    review = reviewed.case(user())
    before = evidence.look(review.campaign, review.annotator_id)
    Screening.objects.all().delete()
    ScreenedAnnotator.objects.all().delete()
    assert reviews.keep_due() == 1
    after = evidence.look(review.campaign, review.annotator_id)
    assert after.screens == before.screens


def test_an_outdated_screening_keeps_nothing() -> None:
    review = reviewed.case(user())
    made = review.campaign
    columns = evidence.columns(made)
    assert columns is not None
    Screening.objects.all().delete()
    assert not reviews.keep(made.pk, "9:9:9", columns, [])
    assert not Screening.objects.exists()


@pytest.mark.slow
def test_one_persons_evidence_takes_as_many_queries_in_a_large_crowd() -> None:
    made = reviewed.case(user(), items=30).campaign
    few = asked(made)
    for n in range(12):
        reviewed._judge(person(made, f"more {n}"), 20.0 + n)
    reviewed.screened(made)
    assert asked(made) == few <= 4


def asked(made: Campaign) -> int:
    annotator_id = people_of(made)[0]
    with CaptureQueriesContext(connection) as queries:
        assert evidence.look(made, annotator_id).screens
    return len(queries)
