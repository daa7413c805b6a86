"""The thresholds of gold are settings of the screens: fixed at opening, amended with a reason."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import amendments, life
from annotate.common.errors import Invalid
from annotate.models import AuditEntry, Flag, GoldFinding, GoldLook
from annotate.tasks import look_at_gold
from tests.annotate.gold.study import campaign, do
from tests.factories import person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LOWER = {"gold": {"level": 0.95}}


def later() -> int:
    GoldLook.objects.update(at=timezone.now() - timedelta(minutes=5))
    return int(look_at_gold())


def missed_two_of_three(study):
    """Return a person with 3 answers, 2 of them missed: .028 of honest people miss as many."""
    who, wrong, n = person(study, "tired"), 0, 0
    while n < 3:
        is_gold = do(who, is_right=wrong >= 2)[0].gold_id is not None
        n, wrong = n + is_gold, wrong + is_gold
    return who


def test_an_amended_level_lists_and_is_logged():
    study = campaign(items=60, annotator_cap=None, share=12)
    who = missed_two_of_three(study)
    assert look_at_gold() == 0
    assert later() == 0
    with pytest.raises(Invalid, match="Say why"):
        amendments.change(study.pk, LOWER, actor_id=None)
    amendments.change(study.pk, LOWER, actor_id=None, reason="Few items.")
    assert later() == 1
    assert GoldFinding.objects.get(annotator=who.annotator).listed
    flag = Flag.objects.get()
    assert (flag.screen, flag.tier) == ("gold", "list")
    assert flag.verdict["threshold"] == pytest.approx(2 / 3)
    assert later() == 0
    (entry,) = AuditEntry.objects.filter(verb="amend_screens")
    assert entry.detail["changes"] == {"gold.level": [0.99, 0.95]}
    # Back again: the flag stays, as those of the screens do.
    amendments.change(study.pk, {"gold": {"level": 0.99}}, actor_id=None, reason="Too many.")
    assert later() == 0
    assert not GoldFinding.objects.get(annotator=who.annotator).listed
    assert Flag.objects.count() == 1


def test_fewer_answers_may_be_asked_for():
    study = campaign(items=60, annotator_cap=None, share=12, screening={"gold": {"minimum": 4}})
    amendments.change(study.pk, LOWER, actor_id=None, reason="Few items.")
    missed_two_of_three(study)
    assert look_at_gold() == 0
    amendments.change(study.pk, {"gold": {"minimum": 3}}, actor_id=None, reason="Fewer.")
    assert later() == 1


def test_the_page_of_gold_says_what_the_thresholds_come_to(client):
    client.force_login(ada := user())
    study = campaign(owner=ada, is_open=False)
    url = reverse("annotate:gold", args=[study.public_id])

    def told() -> str:
        text = " ".join(client.get(url).content.decode().replace("\u00a0", " ").split())
        return text.split('id="rule-h"')[1].split("</section>")[0]

    assert "at most 1 % of people who work with care" in told()
    assert "So 3 of 3, 3 of 5 or 5 of 10 missed list a person." in told()
    assert "Change this" in told()
    amendments.change(study.pk, LOWER, actor_id=None)
    assert "at most 5 %" in told()
    assert "So 2 of 3, 3 of 5 or 4 of 10 missed list a person." in told()
    amendments.change(study.pk, {"gold": {"level": 0.99999, "minimum": 9}}, actor_id=None)
    assert "at most 0.001 %" in told()
    assert "So 7 of 9 or 7 of 10 missed" in told()
    life.open_(study.pk)
    assert "Amend this" in told()
    assert f"/campaigns/{study.public_id}/screens/#group-gold" in told()
