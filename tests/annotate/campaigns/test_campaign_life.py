"""The life of a campaign: who may move it, what closing means, where a system's sample ends."""

import time
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.campaigns import life, progress
from annotate.campaigns.problems import Row
from annotate.common.errors import Conflict
from annotate.models import (
    Assignment,
    AuditEntry,
    Campaign,
    ChangeMark,
    LedgerEntry,
    Participation,
    Slot,
    System,
)
from annotate.models.base import CampaignStatus, CloseReason
from annotate.work import leasing, submitting
from tests.annotate.work.storms import (
    at_once,
    check_invariants,
    counted,
    crowd,
    try_submit,
)
from tests.factories import GOOD, campaign, change, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

VERBS = ("open_", "pause", "close", "finish", "resume", "reopen", "archive")
ALLOWED = {
    ("draft", "open_"): "open",
    ("draft", "archive"): "archived",
    ("open", "pause"): "paused",
    ("open", "close"): "closing",
    ("paused", "open_"): "open",
    ("paused", "close"): "closing",
    ("closing", "finish"): "closed",
    ("closing", "resume"): "open",
    ("closed", "reopen"): "open",
    ("closed", "archive"): "archived",
}


def act(verb: str, study: Campaign, actor_id: int) -> object:
    given = {
        "close": {"reason": CloseReason.HAND, "actor_id": actor_id},
        "resume": {"system_ids": []},
        "reopen": {"actor_id": actor_id, "why": "an exclusion widened the interval"},
    }
    return getattr(life, verb)(study.pk, **given.get(verb, {"actor_id": actor_id}))


@pytest.mark.parametrize("status", CampaignStatus.values)
@pytest.mark.parametrize("verb", VERBS)
def test_a_campaign_moves_only_along_the_table(status, verb):
    owner = user()
    study = campaign(owner=owner, is_open=False)
    Campaign.objects.filter(pk=study.pk).update(status=status)
    n_acts = AuditEntry.objects.count()
    try:
        moved = act(verb, study, owner.pk) is not False
    except Conflict:
        moved = False
    study.refresh_from_db()
    assert moved == ((status, verb) in ALLOWED)
    assert study.status == ALLOWED.get((status, verb), status)
    assert AuditEntry.objects.count() == n_acts + moved
    if moved:
        latest = AuditEntry.objects.first()
        assert latest.campaign_id == study.pk
        assert latest.actor_id == (None if verb == "resume" else owner.pk)


def test_closing_stores_the_reason_and_reopening_takes_it_back():
    owner = user()
    study = campaign(owner=owner)
    life.close(study.pk, CloseReason.TARGET, actor_id=owner.pk, width=0.19)
    life.finish(study.pk)
    study.refresh_from_db()
    assert (study.status, study.close_reason) == ("closed", "target")
    assert study.closed_at is not None
    assert AuditEntry.objects.get(verb="close").detail == {"reason": "target", "width": 0.19}
    life.reopen(study.pk, actor_id=owner.pk, why="two people were excluded")
    study.refresh_from_db()
    assert (study.status, study.close_reason, study.closed_at) == ("open", "", None)
    assert AuditEntry.objects.get(verb="reopen").detail == {"why": "two people were excluded"}
    assert not System.objects.filter(stop_position__isnull=False).exists()
    assert isinstance(leasing.lease(person(study).pk), Assignment)


# --- closing (data rule 7)


def gap(study: Campaign, at: int = 0) -> Assignment:
    """Lease a system's first outputs to different people; judge all but the one at `at`."""
    held = [leased(person(study, f"g{i}")) for i in range(3)]
    for number, assignment in enumerate(held):
        if number != at:
            submitting.submit_judgment(
                assignment.pk, participation_id=assignment.participation_id, raw=GOOD
            )
    return held[at]


def one_system(**changes) -> Campaign:
    return campaign(**({"items": 8, "systems": ("alpha",), "double_share": 0} | changes))


def stops(study: Campaign) -> dict[str, int | None]:
    return dict(System.objects.filter(campaign=study).values_list("name", "stop_position"))


def end(assignment: Assignment) -> None:
    leasing.give_back(assignment.pk, participation_id=assignment.participation_id)


def test_after_closing_gaps_are_leased_again_and_nothing_beyond_the_frontier():
    study = one_system()
    lost = gap(study)
    end(lost)
    life.close(study.pk, CloseReason.TARGET)
    assert stops(study) == {"alpha": 3}
    assert leased(person(study, "new")).output_id == lost.output_id
    assert leasing.lease(person(study, "newer").pk).reason == "closing"


def test_a_running_lease_is_accepted_and_paid_after_the_end():
    study = one_system()
    running = gap(study)
    life.close(study.pk, CloseReason.HAND)
    life.finish(study.pk)
    receipt = submitting.submit_judgment(
        running.pk, participation_id=running.participation_id, raw=GOOD
    )
    assert (receipt.counts, receipt.earned) == (True, study.reward)
    assert LedgerEntry.objects.count() == 3
    refusal = leasing.lease(person(study, "new").pk)
    assert (refusal.reason, refusal.final) == ("closed", True)


def test_a_lease_lost_before_closing_is_compensated_beyond_the_frontier():
    study = one_system()
    lost = gap(study, at=2)
    end(lost)
    life.close(study.pk, CloseReason.HAND)
    assert stops(study) == {"alpha": 2}
    receipt = submitting.submit_judgment(lost.pk, participation_id=lost.participation_id, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (False, study.reward)
    assert LedgerEntry.objects.filter(kind="compensation").count() == 1


def test_a_closing_campaign_is_drained_once_its_gaps_are_filled():
    study = one_system()
    running = gap(study)
    life.close(study.pk, CloseReason.TARGET)
    assert not life.drained(study.pk), "a lease is running"
    end(running)
    assert not life.drained(study.pk), "a gap can be leased"
    judge(person(study, "new"))
    assert life.drained(study.pk)


@pytest.mark.parametrize(
    "limit",
    [{"budget": Decimal("0.80")}, {"max_judgments": 2}, {"deadline": timezone.now()}],
    ids=["budget", "max_judgments", "deadline"],
)
def test_gaps_that_a_limit_forbids_do_not_keep_a_campaign_from_draining(limit):
    study = one_system()
    end(gap(study))
    life.close(study.pk, CloseReason.HAND)
    assert not life.drained(study.pk)
    Campaign.objects.filter(pk=study.pk).update(**limit)
    assert life.drained(study.pk)
    alpha = study.systems.get()
    assert progress.unfinished_items(alpha.pk, ranks=False) == 1


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({}, None),
        ({"budget": Decimal("1.60")}, None),
        ({"budget": Decimal("1.59")}, CloseReason.BUDGET),
        ({"max_judgments": 4}, None),
        ({"max_judgments": 3}, CloseReason.MAX_JUDGMENTS),
        ({"deadline": timezone.now() + timedelta(days=1)}, None),
        ({"deadline": timezone.now()}, CloseReason.DEADLINE),
    ],
)
def test_a_limit_names_itself(limit, reason):
    study = one_system()
    for name in "abc":
        judge(person(study, name))
    change(study, **limit)
    assert life.limit_reached(study.pk) == reason
    if reason:
        assert leasing.lease(person(study, "d").pk).reason == reason


def test_a_campaign_is_exhausted_only_when_nothing_runs_any_more():
    study = one_system(items=2)
    judge(person(study, "a"))
    running = leased(person(study, "b"))
    assert life.limit_reached(study.pk) is None
    submitting.submit_judgment(running.pk, participation_id=running.participation_id, raw=GOOD)
    assert life.limit_reached(study.pk) == CloseReason.EXHAUSTED


def test_a_deadline_that_passes_leaves_a_mark_for_the_estimate():
    study = one_system(deadline=timezone.now())
    ChangeMark.objects.all().delete()
    life.expire_all()
    assert ChangeMark.objects.get().reason == "deadline"
    assert ChangeMark.objects.get().campaign_id == study.pk


# --- a system's own end (data rule 8)


def shared() -> Campaign:
    """Six items; alpha and beta wrote the same text for every second one."""
    return campaign(
        double_share=0,
        rows_=[
            Row(
                item=f"item-{i}",
                system=system,
                output=f"Text {i}." if i % 2 else f"Text {i} of {system}.",
                metrics={"quality": 1.0 * i},
            )
            for i in range(6)
            for system in ("alpha", "beta")
        ],
    )


def collect(study: Campaign, who: Participation) -> list[int]:
    """Judge all there is; return the outputs."""
    outputs = []
    while isinstance(got := leasing.lease(who.pk), Assignment):
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=GOOD)
        outputs.append(got.output_id)
    return outputs


def test_a_stopped_systems_own_outputs_are_leased_no_more_but_shared_ones_are():
    study = shared()
    alpha, beta = study.systems.all()
    leased(person(study, "first"))
    assert life.stop_system(alpha.pk, because="narrow enough")
    stopped_at = stops(study)["alpha"]
    assert stops(study)["beta"] is None
    assert AuditEntry.objects.get(verb="stop_system").detail == {"because": "narrow enough"}
    collected = set(collect(study, person(study, "second")))
    wanted = Slot.objects.filter(output__authorships__system=beta, assignment=None)
    assert not wanted.exists(), "beta goes on to its last item"
    own = Slot.objects.filter(position__gte=stopped_at).exclude(output__authorships__system=beta)
    assert own.exists()
    assert not own.filter(output__in=collected).exists()
    both = Slot.objects.filter(output__authorships__system=alpha, position__gte=stopped_at)
    assert both.filter(output__in=collected).exists(), "shared outputs are still judged"


def test_judgments_beyond_the_stop_do_not_move_it():
    study = shared()
    alpha, _beta = study.systems.all()
    leased(person(study, "first"))
    life.stop_system(alpha.pk)
    before = stops(study)["alpha"]
    collect(study, person(study, "second"))
    assert not life.stop_system(alpha.pk), "it has stopped already"
    life.close(study.pk, CloseReason.EXHAUSTED)
    assert stops(study)["alpha"] == before


def test_an_item_counts_as_unfinished_until_each_of_its_planned_judgments_is_in():
    study = campaign(items=4, systems=("alpha",), double_share=1)
    alpha = study.systems.get()
    judge(person(study, "a"))
    life.close(study.pk, CloseReason.HAND)
    assert progress.unfinished_items(alpha.pk, ranks=False) == 1
    running = leased(person(study, "b"))
    assert progress.unfinished_items(alpha.pk, ranks=False) == 1
    submitting.submit_judgment(running.pk, participation_id=running.participation_id, raw=GOOD)
    assert progress.unfinished_items(alpha.pk, ranks=False) == 0


def test_a_resumed_system_collects_again_and_its_evidence_is_marked():
    study = campaign()
    alpha = study.systems.first()
    life.stop_system(alpha.pk)
    ChangeMark.objects.all().delete()
    assert life.resume_system(alpha.pk)
    assert not life.resume_system(alpha.pk)
    assert stops(study)["alpha"] is None
    assert AuditEntry.objects.filter(verb="resume_system").count() == 1
    assert ChangeMark.objects.count() == 1, "judgments beyond the old stop count again"


def test_a_closing_campaign_resumes_for_the_systems_that_need_it_only():
    study = campaign()
    alpha, beta = study.systems.all()
    judge(person(study))
    life.close(study.pk, CloseReason.TARGET)
    assert life.resume(study.pk, [beta.pk], width=0.3)
    assert stops(study)["beta"] is None
    assert stops(study)["alpha"] is not None
    assert AuditEntry.objects.get(verb="resume").detail == {"width": 0.3}
    assert not life.resume(study.pk, [alpha.pk])
    study.refresh_from_db()
    assert study.close_reason == ""


def test_systems_are_neither_stopped_nor_resumed_outside_an_open_campaign():
    study = campaign()
    alpha, beta = study.systems.all()
    life.stop_system(alpha.pk)
    life.pause(study.pk)
    assert not life.stop_system(beta.pk)
    assert not life.resume_system(alpha.pk)


# --- from several threads


@pytest.mark.django_db(transaction=True)
def test_of_several_closers_one_wins():
    study = campaign(items=20)
    reasons = [CloseReason.HAND, CloseReason.TARGET] * 4
    won = at_once([lambda why=why: life.close(study.pk, why) for why in reasons])
    assert sorted(won) == [False] * 7 + [True]
    study.refresh_from_db()
    assert study.close_reason == reasons[won.index(True)]
    assert study.audit.filter(verb="close").count() == 1
    won = at_once([lambda: life.finish(study.pk)] * 4)
    assert sorted(won) == [False] * 3 + [True]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_nothing_beyond_the_frontier_is_leased_once_a_campaign_closes():
    study = campaign(items=60, annotator_cap=None)
    people = crowd(study, 14)

    def toggle() -> None:
        with suppress(Conflict):  # closed meanwhile
            for _ in range(4):
                time.sleep(0.05)
                life.pause(study.pk)
                time.sleep(0.01)
                life.open_(study.pk)

    def close() -> bool:
        time.sleep(0.6)
        return life.close(study.pk, CloseReason.HAND)  # open or paused, whichever

    def work(who: Participation) -> int:
        n_leased = 0
        for _ in range(500):
            got = leasing.lease(who.pk)
            if isinstance(got, Assignment):
                n_leased += try_submit(got, who) is not None
            elif got.reason in ("closing", "closed"):
                return n_leased
            time.sleep(0.02)
        raise AssertionError(f"still {got} after 500 turns")

    jobs = [lambda who=who: work(who) for who in people]
    done = at_once([*jobs, toggle, close])
    assert done[-1] is True
    frontiers = set(System.objects.filter(campaign=study).values_list("stop_position", flat=True))
    assert None not in frontiers
    assert sum(done[:-2]) == counted(study)
    beyond = Slot.objects.filter(assignment__isnull=False, position__gte=max(frontiers))
    assert not beyond.exists()
    assert not progress.free(study.pk).exists(), "a gap before the frontier was left"
    assert life.drained(study.pk)
    check_invariants(study)
