"""More than two people judge a share of the items, as often as planned and nobody twice."""

import random
import re
from collections import Counter

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotate.campaigns.plans import plan_of
from annotate.common.errors import Invalid
from annotate.models import Assignment, Judgment, Slot
from annotate.work import leasing, submitting
from estimation import refresh
from tests.annotate.researcher import PLAN, at, begun
from tests.estimation.collecting import answer, people
from tests.factories import campaign, user
from tests.reviewed import logged_in

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.mark.parametrize(("share", "raters"), [(0.5, 3), (1.0, 10), (0.0, 5)])
def test_a_share_of_the_items_has_so_many_slots(share: float, raters: int) -> None:
    made = campaign(items=20, systems=("alpha",), double_share=share, raters=raters)
    slots = Counter(made.slots.values_list("output", flat=True))
    assert Counter(slots.values()) == Counter(
        {n: k for n, k in ((raters, int(20 * share)), (1, int(20 * (1 - share)))) if k}
    )
    made.refresh_from_db()
    assert made.planned == made.slots.count() == 20 * (1 + share * (raters - 1))
    assert made.planned_twice == 20 * share
    assert plan_of(made).raters == raters


@pytest.mark.slow
def test_each_rater_is_another_person_and_agreement_takes_all_of_them() -> None:
    owner = user()
    made = campaign(
        owner=owner, items=12, systems=("alpha",), double_share=1.0, raters=3, metrics=()
    )
    crowd = people(made, 4)
    chance = random.Random(3)
    for _round in range(12):
        for number, who in enumerate(crowd):
            got = leasing.lease(who.pk)
            if isinstance(got, Assignment):
                raw = answer(got.output_id, number, chance)
                submitting.submit_judgment(got.pk, participation_id=who.pk, raw=raw)
    assert not Slot.objects.filter(campaign=made, assignment=None).exists()
    judged = Counter(Judgment.objects.filter(campaign=made).values_list("output", flat=True))
    assert set(judged.values()) == {3}
    pairs = Judgment.objects.filter(campaign=made).values_list("output", "annotator")
    assert len(set(pairs)) == len(pairs) == 36
    refresh.refresh(made.pk)
    client = logged_in(owner)
    page = client.get(f"/campaigns/{made.public_id}/report/").content.decode()
    assert "were planned for 3 people" in " ".join(re.sub("<[^>]+>", "", page).split())
    assert client.get(f"/api/v1/campaigns/{made.public_id}/").json()["raters"] == 3


@pytest.mark.parametrize("raters", [1, 0, 11, -3])
def test_other_numbers_are_refused(raters: int) -> None:
    with pytest.raises(Invalid, match="Between 2 and 10 people"):
        campaign(items=2, raters=raters)


def test_more_raters_than_people_are_refused() -> None:
    with pytest.raises(Invalid) as refused:
        campaign(items=2, double_share=0.5, raters=4, people=3)
    assert refused.value.errors == {
        "raters": "You have 3 people, so 4 cannot judge one item. Let fewer judge it, or say that "
        "you have more people."
    }
    assert campaign(items=2, double_share=0.5, raters=3, people=3).raters == 3
    assert campaign(items=2, double_share=0, raters=4, people=3).people == 3, "nobody judges again"


def test_the_form_and_the_api_say_so_at_the_field(client: Client) -> None:
    owner = user("ada")
    client.force_login(owner)
    of = begun(client)
    typed = PLAN | {"beyond": "1", "revision": of.revision, "raters": "4", "people": "3"}
    refused = client.post(at(of, "plan"), typed)
    assert refused.status_code == 422
    assert "so 4 cannot judge one item" in refused.context["form"].errors["raters"][0]
    assert client.post(at(of, "plan"), typed | {"people": ""}).status_code == 302
    api = APIClient()
    api.force_authenticate(owner)
    body = {"name": "News", "targets": {"overall": 0.2}, "raters": 4, "people": 3}
    body |= {"outputs": [{"item": "i", "system": "A", "output": "Text."}], "metrics": []}
    answer = api.post("/api/v1/campaigns/", body, format="json")
    assert answer.status_code == 422
    assert "so 4 cannot judge one item" in str(answer.json()["errors"]["raters"])
