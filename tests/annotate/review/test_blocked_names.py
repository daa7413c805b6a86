"""A block follows an account into all campaigns of its owner, also from open links."""

import pytest
from django.test import Client

from annotate.common.errors import NotAllowed
from annotate.models import Block, Campaign, Participation, Ruling
from annotate.review import eligibility
from annotate.work import admission, leasing, participations
from tests import reviewed
from tests.annotate.work.pages.working import invitation
from tests.factories import campaign, judge, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act = Ruling.Act


@pytest.fixture
def ada():
    return user("ada")


@pytest.fixture
def study(ada) -> Campaign:
    return campaign(owner=ada)


def join(made: Campaign, name: str) -> Participation:
    return participations.enter_by_name(made.pk, name=name)


def rule(who: Participation, actor, *acts: Act) -> None:
    reviewed.rule(reviewed.flagged(who), actor, *acts)


def barred(who: Participation) -> str:
    return eligibility.barred(who.campaign_id, who.annotator_id)


@pytest.mark.parametrize("name", ["Grace H", "grace.h", "Grасе Н", "ＧＲＡＣＥ Ｈ"])
def test_a_blocked_name_comes_to_no_other_campaign_of_the_owner(
    client: Client, ada, study: Campaign, name: str
) -> None:
    who = join(study, "Grace H")
    judge(who)
    rule(who, ada, Act.EXCLUDE, Act.BLOCK)
    other = campaign(owner=ada)
    answer = client.post(invitation(other), {"name": name})
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "no longer open to this name" in page
    assert "page of your earlier work says why" in page
    assert not Participation.objects.filter(campaign=other).exists()


def test_who_is_at_work_elsewhere_under_that_name_gets_no_more(ada, study: Campaign) -> None:
    other = campaign(owner=ada)
    there = join(other, "GRACE h")
    judge(there)
    who = join(study, "Grace H")
    rule(who, ada, Act.EXCLUDE, Act.BLOCK)
    assert barred(there) == "blocked"
    got = leasing.lease(there.pk)
    assert isinstance(got, admission.NoTask)
    assert got.reason == "blocked"


def test_other_names_and_other_researchers_are_not_concerned(ada, study: Campaign) -> None:
    bob = user("bob")
    other, bobs = campaign(owner=ada), campaign(owner=bob)
    ann, same = join(other, "Ann"), join(bobs, "Grace H")
    rule(join(study, "Grace H"), ada, Act.EXCLUDE, Act.BLOCK)
    assert barred(ann) == barred(same) == ""
    assert join(campaign(owner=bob), "Grace H")
    assert Block.objects.count() == 1


def test_a_block_is_lifted_for_all_of_them(ada, study: Campaign) -> None:
    other, third = campaign(owner=ada), campaign(owner=ada)
    there, who = join(other, "grace"), join(study, "Grace")
    rule(who, ada, Act.EXCLUDE, Act.BLOCK)
    assert Block.objects.filter(ended_at=None).count() == 2
    rule(who, ada, Act.UNBLOCK)
    assert not Block.objects.filter(ended_at=None).exists()
    assert barred(there) == ""
    assert join(third, "Grace")


def test_it_can_be_lifted_where_a_namesake_works(ada, study: Campaign) -> None:
    other = campaign(owner=ada)
    there, who = join(other, "grace"), join(study, "Grace")
    rule(who, ada, Act.EXCLUDE, Act.BLOCK)
    rule(there, ada, Act.UNBLOCK)
    assert not Block.objects.filter(ended_at=None).exists()


def test_who_comes_by_a_personal_link_is_blocked_as_that_person_alone(ada, study) -> None:
    """The researcher has named them: a namesake from an open link is somebody else."""
    personal = participations.enter(campaign(owner=ada).pk, external_id="Grace H")
    rule(join(study, "Grace H"), ada, Act.EXCLUDE, Act.BLOCK)
    assert barred(personal) == ""


def test_who_is_blocked_with_a_personal_link_does_not_come_by_an_open_one(ada, study) -> None:
    who = participations.enter(study.pk, external_id="Grace H")
    rule(who, ada, Act.EXCLUDE, Act.BLOCK)
    other = campaign(owner=ada)
    with pytest.raises(NotAllowed):
        join(other, "grace h")
    again = participations.enter(other.pk, external_id="Grace H")
    assert barred(again) == "blocked"


def test_the_ruling_says_how_many_it_meets(ada, study: Campaign) -> None:
    for _ in range(2):
        join(campaign(owner=ada), "grace")
    rule(join(study, "Grace"), ada, Act.EXCLUDE, Act.BLOCK)
    entry = study.audit.get(verb="block")
    assert entry.detail["done"] == "1 researcher, and 2 of the same name"
