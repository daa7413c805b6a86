"""Named experts: who enters, when an output counts, and what a release changes and leaves."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.campaigns import exports, facts, life, members, plans, progress, totals
from annotate.common import locks, tokens
from annotate.common.errors import Conflict, Invalid, NotAllowed, NotFound
from annotate.models import (
    AuditEntry,
    Campaign,
    ChangeMark,
    Expert,
    Judgment,
    LedgerEntry,
    Review,
    Slot,
)
from annotate.models.base import MemberRole
from annotate.pay import budget, promise_queries
from annotate.work import admission, leasing, participations, scoring, submitting
from tests.annotate.panels import NAMES, come, give, panel, release
from tests.annotate.passing import pass_tutorial
from tests.annotate.work.pages.working import invitation, work_url
from tests.estimation.reviewed import exclude, rule
from tests.factories import GOOD, leased, person, user
from tests.reviewed import logged_in

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def counting(made: Campaign) -> dict[str, int]:
    """Return how many judgments of each person count, as estimates and exports have it."""
    scoring.ensure(made.pk)
    scores = facts.scores(made.pk)
    names = {one.annotator_id: one.annotator.external_id for one in made.participations.all()}
    found = [names[pk] for pk in scores.annotator.tolist()]
    now = exports.moment(made.pk)
    exported = [row["annotator"] for row in exports.judgments(now, answers=False) if row["counts"]]
    assert sorted(exported) == sorted(
        one.annotator.pseudonym
        for one in made.participations.all()
        for _ in range(found.count(one.annotator.external_id))
    )
    scores = exports.scores(exports.moment(made.pk))
    in_csv = [row["counts"] for row in scores if row["criterion"] == "overall"]
    assert sum(in_csv) == len(found)
    return {name: found.count(name) for name in sorted(set(found))}


def facts_agree(made: Campaign) -> None:
    made.refresh_from_db()
    assert made.planned == made.slots.count()
    each = {made.slots.filter(output=output).count() for output in made.outputs.all()}
    assert each == {made.raters}
    assert made.raters == made.experts.filter(released_at=None).count()
    assert made.planned_twice == made.planned_outputs
    (_name, wrong), *rest = totals.each([made.public_id], mend=False)
    assert (wrong, rest) == ([], [])


def test_an_output_counts_when_all_experts_have_judged_it(client: Client) -> None:
    ada = user()
    made = panel(owner=ada)
    ann, bob, cem = come(made)
    give(ann, 2)
    give(bob, 2)
    assert counting(made) == {}
    assert progress.count_slots(made.pk).outputs_judged == 0
    assert progress.items(made.pk, most=9, ranks=False, by_all=True)[made.systems.get().pk] == (
        0,
        4,
    )
    client.force_login(ada)
    (listed,) = {row["counts"] for row in _api(client, made, "judgments/")["results"]}
    assert listed is False
    assert {row["counting"] for row in _api(client, made, "annotators/")["results"]} == {0}
    page = client.get(reverse("annotate:item", args=[made.public_id, 1])).content.decode()
    assert page.count("Waits for other experts") == 2
    give(cem)
    assert counting(made) == dict.fromkeys(NAMES, 1), "the first output"
    assert progress.count_slots(made.pk).outputs_judged == 1
    assert progress.items(made.pk, most=9, ranks=False, by_all=True)[made.systems.get().pk] == (
        1,
        4,
    )
    assert sum(row["counts"] for row in _api(client, made, "judgments/")["results"]) == 3
    page = client.get(reverse("annotate:item", args=[made.public_id, 1])).content.decode()
    assert "Waits for other experts" not in page


def test_without_named_experts_each_judgment_counts_alone() -> None:
    made = panel(names=(), double_share=1.0, raters=3, annotator_cap=None, estimand="panel")
    give(person(made, "Ann Lee"), 2)
    assert counting(made) == {"Ann Lee": 2}


def _api(client: Client, made: Campaign, path: str) -> Any:
    return client.get(f"/api/v1/campaigns/{made.public_id}/{path}").json()


@pytest.mark.slow
def test_everybody_judges_everything_beyond_any_cap() -> None:
    made = panel(items=30, names=NAMES[:2])
    for who in come(made, NAMES[:2]):
        assert give(who, 40) == 30
    assert counting(made) == dict.fromkeys(NAMES[:2], 30)
    facts_agree(made)


# Who enters.


def test_nobody_else_enters(client: Client) -> None:
    made = panel()
    with pytest.raises(NotAllowed):
        participations.enter(made.pk, external_id="Eve")
    with pytest.raises(NotAllowed):
        participations.enter_by_name(made.pk, name="Ann Lee")
    for link in (invitation(made), invitation(made, "Eve")):
        for answer in (client.get(link), client.post(link, {"name": "Ann Lee"})):
            assert answer.status_code == 403
            assert "for people who were named" in answer.content.decode()
    assert not made.participations.exists()
    assert client.get(invitation(made, "Ann Lee")).status_code == 200
    assert client.post(invitation(made, "Ann Lee")).status_code == 303
    assert made.participations.get().annotator.external_id == "Ann Lee"


def test_a_released_expert_enters_no_more_and_keeps_their_page(client: Client) -> None:
    made = panel()
    ann, *_others = come(made)
    give(ann)
    task = leased(ann)
    page = work_url(ann)
    release(made, "Ann Lee")
    task.refresh_from_db()
    assert task.status == "returned"
    for answer in (
        client.get(invitation(made, "Ann Lee")),
        client.post(invitation(made, "Ann Lee")),
    ):
        assert answer.status_code == 403
    got = leasing.lease(ann.pk)
    assert isinstance(got, admission.NoTask)
    assert (got.reason, got.final) == ("released", True)
    assert "Your part in this study has ended." in client.get(page).content.decode()
    me = reverse("annotate:me", args=[tokens.participation_token(ann.pk)])
    assert "0.40" in client.get(me).content.decode()
    facts_agree(made)


# Release and replacement.


def test_without_a_replacement_the_others_count_alone() -> None:
    made = panel()
    ann, bob, cem = come(made)
    for who in (ann, bob, cem):
        give(who, 2)
    give(bob)
    give(cem)
    assert counting(made) == dict.fromkeys(NAMES, 2)
    pay = list(LedgerEntry.objects.order_by("pk").values())
    ChangeMark.objects.all().delete()
    release(made, "Ann Lee")
    assert counting(made) == {"Bob Ray": 3, "Cem Ünal": 3}, "the third lacks only the released one"
    assert (made.raters, made.planned) == (2, 8)
    facts_agree(made)
    assert Judgment.objects.count() == 8, "facts stay"
    assert list(LedgerEntry.objects.order_by("pk").values()) == pay
    assert not Review.objects.exists()
    assert ChangeMark.objects.filter(reason="experts").count() == 1
    (entry,) = AuditEntry.objects.filter(verb="release_expert")
    assert (entry.detail["expert"], entry.detail["why"]) == ("Ann Lee", "They are ill.")
    assert give(bob, 9) == 1
    assert give(cem, 9) == 1
    assert counting(made) == {"Bob Ray": 4, "Cem Ünal": 4}
    assert not Slot.objects.filter(campaign=made, assignment=None).exists()


def test_a_replacement_begins_at_the_first_item() -> None:
    made = panel()
    for who in come(made):
        give(who, 3)
    release(made, "Bob Ray", "Dora Mai")
    assert counting(made) == {}
    assert (made.raters, made.planned) == (3, 12)
    facts_agree(made)
    assert plans.plan_of(made).experts == ("Ann Lee", "Cem Ünal", "Dora Mai")
    dora = person(made, "Dora Mai")
    assert leased(dora).output is not None
    assert leased(dora).output.item.position == 0
    give(dora, 2)
    assert counting(made) == {"Ann Lee": 2, "Cem Ünal": 2, "Dora Mai": 2}
    (entry,) = AuditEntry.objects.filter(verb="replace_expert")
    assert (entry.detail["expert"], entry.detail["replacement"]) == ("Bob Ray", "Dora Mai")


def test_somebody_who_never_came_can_be_released() -> None:
    made = panel()
    ann, bob = come(made, NAMES[:2])
    give(ann, 4)
    give(bob, 3)
    release(made, "Cem Ünal")
    assert counting(made) == {"Ann Lee": 3, "Bob Ray": 3}
    facts_agree(made)
    with pytest.raises(NotAllowed):
        person(made, "Cem Ünal")


def test_two_experts_stay() -> None:
    made = panel(names=NAMES[:2])
    with pytest.raises(Invalid, match="At least 2 experts"):
        release(made, "Ann Lee")
    assert made.experts.filter(released_at=None).count() == 2
    release(made, "Ann Lee", "Dora Mai")
    facts_agree(made)


@pytest.mark.parametrize("name", ["Bob Ray", "bob  ray", "Ann Lee", "\u200b", "x" * 81])
def test_a_replacement_is_a_new_visible_name(name: str) -> None:
    made = panel()
    with pytest.raises(Invalid) as refused:
        release(made, "Ann Lee", name)
    assert "replacement" in refused.value.errors
    assert not AuditEntry.objects.filter(verb="replace_expert").exists()


def test_a_name_is_not_given_again() -> None:
    made = panel()
    release(made, "Ann Lee", "Dora Mai")
    with pytest.raises(Invalid, match="the same"):
        release(made, "Bob Ray", "Ann Lee")
    for gone in ("Ann Lee", "Eve"):
        with pytest.raises(NotFound):
            release(made, gone)


def test_late_work_of_a_released_expert_is_paid_and_counts_nothing() -> None:
    made = panel()
    ann, *_others = come(made)
    task = leased(ann)
    release(made, "Ann Lee", "Dora Mai")
    receipt = submitting.submit_judgment(task.pk, participation_id=ann.pk, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (False, made.reward)
    assert not Slot.objects.filter(assignment=task).exists()
    facts_agree(made)


def test_an_exclusion_that_is_reversed_gives_a_released_expert_no_slot(ada: User) -> None:
    made = panel(owner=ada)
    ann, bob, cem = come(made)
    for who in (ann, bob, cem):
        give(who)
    exclude(ann, ada, "too_fast")
    release(made, "Ann Lee", "Dora Mai")
    review = Review.objects.get()
    rule(review, ada, "restore")
    assert not Slot.objects.filter(assignment__annotator=ann.annotator).exists()
    facts_agree(made)
    give(person(made, "Dora Mai"))
    assert counting(made) == {"Bob Ray": 1, "Cem Ünal": 1, "Dora Mai": 1}


def test_what_exclusions_change_is_seen_as_if_nobody_were_excluded(ada: User) -> None:
    made = panel(owner=ada)
    for who in (cast := come(made)):
        give(who, 2)
    exclude(cast[0], ada, "too_fast")
    assert counting(made) == {}, "every output lacks one expert"
    assert facts.scores(made.pk, with_excluded=True).annotator.size == 6


def test_a_promised_bonus_falls_due(ada: User) -> None:
    made = panel(owner=ada, tutorial=True, tutorial_bonus=Decimal("0.75"))
    ann, *_others = come(made)
    pass_tutorial(ann)
    give(ann)
    assert promise_queries.open_of(made.pk, [ann.annotator_id]).exists()
    assert not LedgerEntry.objects.filter(kind="tutorial").exists()
    release(made, "Ann Lee")
    assert LedgerEntry.objects.get(kind="tutorial").participation == ann


def test_it_depends_on_the_state() -> None:
    made = panel(is_open=False)
    release(made, "Ann Lee")
    facts_agree(made)
    life.open_(made.pk)
    for who in come(made, NAMES[1:]):
        give(who, 4)
    life.close(made.pk, Campaign.Reason.HAND, actor_id=None)
    life.finish(made.pk, actor_id=None, reason="hand")
    with pytest.raises(Conflict, match="Reopen it"):
        release(made, "Bob Ray", "Dora Mai")
    life.archive(made.pk, actor_id=None)
    with pytest.raises(Conflict, match="archived"):
        release(made, "Bob Ray", "Dora Mai")


def test_a_closed_campaign_lets_an_expert_go() -> None:
    made = panel()
    for who in come(made):
        give(who, 4)
    life.close(made.pk, Campaign.Reason.HAND, actor_id=None)
    life.finish(made.pk, actor_id=None, reason="hand")
    release(made, "Bob Ray")
    assert counting(made) == {"Ann Lee": 4, "Cem Ünal": 4}


def test_the_campaign_is_locked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    made, asked = panel(), []
    lock = locks.campaign

    def locked(pk: int) -> Campaign:
        asked.append(Expert.objects.filter(campaign=pk, released_at=None).count())
        return lock(pk)

    monkeypatch.setattr(locks, "campaign", locked)
    release(made, "Ann Lee")
    assert asked[0] == 3


# The page and the API.


@pytest.fixture
def ada() -> User:
    return user()


def links(text: str) -> list[tuple[str, int]]:
    """Return the name and the number of each link in a text."""
    found = map(tokens.read_invitation, re.findall(r"/work/join/([^/]+)/", text))
    return [(name, number) for _campaign, name, number in found if name]


def linked(text: str) -> list[str]:
    return [name for name, _number in links(text)]


def as_api(who: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(who)
    return client


def test_the_page_shows_links_and_releases(ada: User) -> None:
    made = panel(owner=ada)
    client = logged_in(ada)
    address = reverse("annotate:people", args=[made.public_id])
    page = client.get(address).content.decode()
    assert linked(page) == list(NAMES)
    assert "One link for everybody" not in page
    assert client.post(address, {"names": "Eve"}).status_code == 409
    act = reverse("annotate:expert-release", args=[made.public_id])
    refused = client.post(act, {"name": "Ann Lee", "why": ""})
    assert refused.status_code == 422
    assert "Say why" in refused.content.decode()
    refused = client.post(act, {"name": "Ann Lee", "why": "Ill.", "replacement": "bob ray"})
    assert refused.status_code == 422
    assert "the same name" in refused.content.decode()
    assert made.experts.filter(released_at=None).count() == 3
    done = client.post(act, {"name": "Ann Lee", "why": "Ill.", "replacement": "Dora Mai"})
    assert done.status_code == 302
    page = client.get(address).content.decode()
    assert linked(page) == ["Bob Ray", "Cem Ünal", "Dora Mai"]
    assert "Ann Lee was released on" in page
    assert client.post(act, {"name": "Ann Lee", "why": "Ill."}).status_code == 404


def test_the_api_shows_links_and_releases(ada: User) -> None:
    made = panel(owner=ada)
    client = as_api(ada)
    address = f"/api/v1/campaigns/{made.public_id}/"
    listed = client.get(f"{address}experts/").json()
    assert [(one["name"], one["released_at"]) for one in listed] == [(n, None) for n in NAMES]
    assert linked(str(listed)) == list(NAMES)
    assert client.get(f"{address}links/").json() == {"open": "", "personal": []}
    assert client.post(f"{address}links/", {"names": ["Eve"]}, format="json").status_code == 409
    assert client.post(f"{address}links/withdraw/").status_code == 200
    (number,) = {number for _name, number in links(str(client.get(f"{address}experts/").json()))}
    assert number == 1, "earlier links are withdrawn"
    act = f"{address}experts/release/"
    for body in ({"name": "Ann Lee"}, {"reason": "Ill."}, {"name": "Ann Lee", "reason": " "}):
        assert client.post(act, body, format="json").status_code == 422
    assert client.post(act, {"name": "Eve", "reason": "?"}, format="json").status_code == 404
    body = {"name": "Ann Lee", "reason": "Ill.", "replacement": "Dora Mai"}
    done = client.post(act, body, format="json")
    assert done.status_code == 200
    assert [(one["name"], bool(one["link"])) for one in done.json()] == [
        ("Bob Ray", True),
        ("Cem Ünal", True),
        ("Dora Mai", True),
        ("Ann Lee", False),
    ]


def test_only_those_who_run_it_see_links_and_release(ada: User) -> None:
    made = panel(owner=ada)
    for role in (MemberRole.REVIEWER, MemberRole.VIEWER, MemberRole.COLLABORATOR):
        other = user(role.value)
        members.join(made.pk, other.pk, role, by=ada.pk)
        runs = role == MemberRole.COLLABORATOR
        page = logged_in(other).get(reverse("annotate:people", args=[made.public_id]))
        assert (NAMES[0] in page.content.decode()) == runs, role
        client = as_api(other)
        address = f"/api/v1/campaigns/{made.public_id}/experts/"
        assert client.get(address).status_code == (200 if runs else 403)
        body = {"name": "Ann Lee", "reason": "Ill."}
        answer = client.post(f"{address}release/", body, format="json")
        assert answer.status_code == (200 if runs else 403)
    assert as_api(user("eve")).get(address).status_code == 404


def test_a_campaign_without_named_experts_has_none(ada: User) -> None:
    made = panel(owner=ada, names=())
    client = as_api(ada)
    address = f"/api/v1/campaigns/{made.public_id}/experts/"
    assert client.get(address).json() == []
    answer = client.post(f"{address}release/", {"name": "A", "reason": "b"}, format="json")
    assert answer.status_code in (404, 422)


def test_the_highest_cost_includes_what_was_paid_and_counts_no_more() -> None:
    made = panel(reward=Decimal("0.40"))  # 4 items × 3 experts
    ann, *_others = come(made)
    assert give(ann, 4) == 4
    assert budget.highest_cost(made).amount == Decimal("4.80")
    release(made, "Ann Lee", "Dora Mai")
    assert budget.highest_cost(made).amount == Decimal("6.40")
