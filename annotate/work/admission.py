"""Whether an annotator gets a task, and why not; and what a campaign offers on its crowd."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.campaigns import progress
from annotate.campaigns.progress import since
from annotate.common.numbers import money_text
from annotate.crowds.queries import STUCK
from annotate.models import Assignment, Batch, Campaign, Operation, Participation, Posting
from annotate.models.base import CloseReason
from annotate.pay import budget, promise_queries
from annotate.pay.budget import TO_COME, promised_tasks
from annotate.review import eligibility
from annotate.work import picking, task, tutorial_queries
from annotate.work import units as work_units
from annotate.work.picking import TaskCounts

FUNDS = "funds"  # the code of operations that the account at a crowd could not pay for

Stage = Posting.Status
Unit = Participation.Status


@dataclass(frozen=True)
class PublishedWork:
    """What is offered.

    launched: whether a batch was ever launched.
    publishing: postings that the crowd does not have yet.
    untaken: units that people may take now.
    at_work: units in progress and in time, with `promised` tasks left.
    waited: time since the newest batch was launched, rounded down.
    retried, stuck, unfunded: operations at the crowd that are retried automatically, that wait for
        a person, and that the account could not pay for.
    """

    launched: bool = False
    publishing: int = 0
    untaken: int = 0
    at_work: int = 0
    promised: int = 0
    waited: timedelta | None = None
    retried: int = 0
    stuck: int = 0
    unfunded: int = 0

    @property
    def is_offered(self) -> bool:
        return bool(self.publishing or self.untaken)


def offered(campaign_id: int) -> PublishedWork:
    """Return what is offered; five queries."""
    now = timezone.now()
    newest = Batch.objects.filter(campaign=campaign_id).aggregate(at=Max("created_at"))["at"]
    units = Participation.objects.filter(campaign=campaign_id, tasks__isnull=False)
    in_time = Q(deadline_at=None) | Q(deadline_at__gt=now)
    return PublishedWork(
        launched=newest is not None,
        waited=since(newest, now),
        at_work=units.filter(in_time, status=Unit.ACTIVE).count(),
        promised=promised_tasks(campaign_id),
        **_postings(campaign_id, now),
        **_acts(campaign_id),
    )


def _postings(campaign_id: int, now: datetime) -> dict[str, int]:
    """Count postings by state. Stopped postings, as after a pause, never continue."""
    stays = ~Q(participations__status=Unit.LEFT)
    rows = (
        Posting.objects.filter(batch__campaign=campaign_id, batch__stopped_at=None)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now), status__in=TO_COME)
        .annotate(taken=Count("participations", filter=stays))
        .values_list("status", "places", "taken")
    )
    found = list(rows)
    return {
        "publishing": sum(status == Stage.PLANNED for status, _, _ in found),
        "untaken": sum(
            max(0, places - taken) for status, places, taken in found if status == Stage.OPEN
        ),
    }


def _acts(campaign_id: int) -> dict[str, int]:
    """Count as `operations` does: a message means that something did not go as planned."""
    told = Q(status__in=Operation.OPEN) & ~Q(message="")
    counts: dict[str, int] = Operation.objects.filter(campaign=campaign_id).aggregate(
        retried=Count("pk", filter=told),
        stuck=Count("pk", filter=Q(status__in=STUCK)),
        unfunded=Count("pk", filter=Q(code=FUNDS) & (Q(status__in=STUCK) | told)),
    )
    return counts


# Decides whether an annotator gets a task, and why not: limits, tutorials, units, rulings.
#
# It writes nothing. Leasing calls it under the lock of the campaign.


AT_ONCE = 2  # open assignments per participation: the second is the prefetch
COLLECTING = (Campaign.Status.OPEN, Campaign.Status.CLOSING)


@dataclass(frozen=True)
class NoTask:
    """No lease, and the reason. `final`: asking again later cannot help."""

    reason: str
    message: str
    final: bool


def within(campaign: Campaign, who: Participation) -> Q:
    """Return the condition on a campaign's totals under which it covers one more task.

    The budget already keeps money for the tasks of a paid unit. Call it with the campaign's lock,
    before a bonus falls due.
    """
    found = Q()
    if campaign.max_judgments is not None:
        found &= Q(held__lt=campaign.max_judgments)
    if campaign.budget is not None and who.tasks is None:
        each = budget.price(campaign).total
        most = campaign.budget - budget.of_tutorials(campaign) - each
        found &= Q(spent__lte=most - F("leased") * each)
    return found


def gate(campaign: Campaign, who: Participation, *, n_open: int = 0) -> NoTask | None:
    """Return why this person gets no new task: a limit, or a tutorial that comes first.

    A tutorial in progress may be finished and is paid whatever the limits are. A new one starts
    only if a task can follow it.
    """
    if refusal := personal(campaign, who, n_open=n_open) or _limit(campaign, who):
        return refusal
    step = tutorial_queries.step(campaign, who)
    if step == tutorial_queries.TutorialStep.PASSED:
        return None
    if not picking.is_any(campaign.pk, who.annotator_id):
        return none_free(campaign)
    if who.tasks is None:  # a paid unit already includes the bonus and one judgment
        extra = budget.tariff(campaign).bonus(promise_queries.held(campaign, who.annotator)).total
        paid = budget.affordable(campaign, extra=extra)
    else:
        paid = budget.affordable(campaign, tasks=0)
    if paid:
        return _tutorial()
    message = _(
        "The rest of this study’s budget is for people who have already taken its tutorial. "
        "Thank you for coming!"
    )
    return NoTask("budget", message, final=False)


def personal(
    campaign: Campaign,
    who: Participation,
    *,
    n_open: int = 0,
    step: tutorial_queries.TutorialStep | None = None,
    now: TaskCounts | None = None,
) -> NoTask | None:
    """Return the reason of `gate` that does not depend on the work of others, if there is one.

    step, now: how far the person is, where it is known.
    """
    if over := closed_unit(who):
        return over
    if eligibility.released(campaign, who.annotator_id):
        message = _("Your part in this study has ended. What you have earned stays yours.")
        return NoTask("released", message, final=True)
    if who.tasks is not None:
        judged = work_units.judged(who.pk) if now is None else now.judged
        if judged + n_open >= who.tasks:
            return NoTask("done", _("All tasks are done. Thank you!"), final=True)
    owed = task.owed(campaign, who)
    if owed and campaign.status in COLLECTING:
        return first(owed)
    step = step or tutorial_queries.step(campaign, who)
    if step == tutorial_queries.TutorialStep.UNDER_WAY:
        return _tutorial()
    if step == tutorial_queries.TutorialStep.FAILED:
        return _failed(campaign, who)
    return _kept_out(campaign, who, n_open=n_open, held=None if now is None else now.held)


def goes_back_to_work(participation_id: int) -> bool:
    """Return whether a task, or what comes before it, may wait on the page of this work."""
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    nothing = personal(who.campaign, who)
    if nothing is None or nothing.reason in ("tutorial", "consent", "background"):
        return True
    return nothing.reason in ("cap", "closed") and open_of(who.pk).exists()


def first(owed: task.Owed) -> NoTask:
    """Return that something comes before the next task."""
    return NoTask(owed, _("Before you begin"), final=False)


def closed_unit(who: Participation) -> NoTask | None:
    """Return why a paid unit of a marketplace takes no more work; None if it does."""
    if who.tasks is None:
        return None
    if who.status == Participation.Status.LEFT:
        message = _("This work was returned, or its time is over. Accept it again to go on.")
        return NoTask("left", message, final=True)
    if who.status != Participation.Status.ACTIVE:
        return NoTask("handed_in", _("You have handed in this work. Thank you!"), final=True)
    if who.deadline_at is not None and timezone.now() >= who.deadline_at:
        return NoTask("time", _("The time for this work is over."), final=True)
    return None


def has_room(who: Participation, *, besides: Assignment) -> bool:
    """Return whether this assignment fits into its paid unit of a marketplace.

    The tasks done and open in the unit count. The budget keeps money for the unit's tasks.
    """
    if who.tasks is None:
        return False
    others = open_of(who.pk).exclude(pk=besides.pk).count()
    return work_units.judged(who.pk) + others < who.tasks


def more(campaign: Campaign, who: Participation) -> bool:
    """Return whether this person has or would get another task. The campaign is locked."""
    n_open = open_of(who.pk).count()
    if n_open or gate(campaign, who) is not None:
        return bool(n_open)
    return picking.is_any(campaign.pk, who.annotator_id)


def goes_on(campaign: Campaign, who: Participation) -> bool:
    """Return whether this person has, or may still be offered, a task in this campaign.

    Pauses and reviews end. Only a limit, or the lack of free slots, is final.
    """
    if campaign.status in (Campaign.Status.DRAFT, Campaign.Status.PAUSED):
        return True
    if eligibility.released(campaign, who.annotator_id):
        return False
    if eligibility.barred(campaign.pk, who.annotator_id):
        return True
    mine = Assignment.objects.filter(campaign=campaign, annotator=who.annotator_id)
    if mine.filter(status=Assignment.Status.LEASED).exists():
        return True
    if campaign.status not in COLLECTING or at_cap(campaign, who):
        return False
    if not picking.is_any(campaign.pk, who.annotator_id):
        return False
    if who.tasks is None:
        return blocked(campaign) is None
    if blocked(campaign, promised=True) is not None:
        return False
    at_work = Participation.objects.filter(
        campaign=campaign, annotator=who.annotator_id, status=Participation.Status.ACTIVE
    )
    return at_work.exists() or _untaken(campaign)


def offers(campaign: Campaign) -> bool:
    """Return whether this campaign of a marketplace may still give tasks to people in general."""
    if campaign.status in (Campaign.Status.DRAFT, Campaign.Status.PAUSED):
        return True
    over = campaign.status not in COLLECTING or blocked(campaign, promised=True) is not None
    return not over and progress.free(campaign.pk).exists() and _untaken(campaign)


def _untaken(campaign: Campaign) -> bool:
    return any(one.units for one in budget.untaken(campaign.pk))


def at_cap(campaign: Campaign, who: Participation, *, held: int | None = None) -> bool:
    """held: how many of their tasks count, where it is known."""
    if campaign.annotator_cap is None:
        return False
    return (held_by(who) if held is None else held) >= campaign.annotator_cap


def _tutorial() -> NoTask:
    return NoTask("tutorial", _("A short tutorial comes before your first task."), final=False)


def _failed(campaign: Campaign, who: Participation) -> NoTask:
    message = _(
        "Thank you for trying. Two rounds of the tutorial are all that this study has, and neither "
        "was passed, so there are no tasks for you in it. That says nothing about other studies."
    )
    if paid := promise_queries.paid_for_trying(campaign.pk, who.annotator_id):
        said = _("You are paid %(amount)s for trying.") % {"amount": money_text(paid)}
        message = f"{message} {said}"
    return NoTask("tutorial_failed", message, final=True)


def _kept_out(
    campaign: Campaign, who: Participation, *, n_open: int, held: int | None = None
) -> NoTask | None:
    if campaign.status not in COLLECTING:
        return _not_collecting(campaign)
    if n_open >= AT_ONCE:
        return NoTask("enough", _("Finish one of your open tasks first."), final=False)
    if bar := eligibility.barred(campaign.pk, who.annotator_id):
        return _barred(bar if who.is_sure else eligibility.HIDDEN)
    if at_cap(campaign, who, held=held):
        message = _("You have done as many tasks as one person may in this study. Thank you!")
        return NoTask("cap", message, final=True)
    return None


def _limit(campaign: Campaign, who: Participation) -> NoTask | None:
    if reason := blocked(campaign, promised=who.tasks is not None):
        message = _("This study has all the judgments that it can take. Thank you!")
        # A lease or a tutorial that is given up makes room again, unless the time is over.
        settled = blocked(campaign, for_now=False) and not progress.open_leases(campaign.pk)
        over = reason == CloseReason.DEADLINE or bool(settled)
        return NoTask(reason, message, final=over)
    return None


def _barred(reason: str) -> NoTask:
    messages = {
        "review": _(
            "A person is looking at your work in this study before you go on. “Your work and pay” "
            "shows what was noticed, and you can answer it there."
        ),
        "excluded": _("Your work in this study has ended. “Your work and pay” says why."),
        "blocked": _(
            "This researcher’s studies are no longer open to you. “Your work and pay” says why, "
            "and you can answer it there."
        ),
        eligibility.HIDDEN: _("There is no task for you in this study at the moment."),
    }
    return NoTask(reason, messages[reason], final=reason in ("excluded", "blocked"))


def _not_collecting(campaign: Campaign) -> NoTask:
    if campaign.status == Campaign.Status.DRAFT:
        return NoTask("draft", _("This study has not started yet. Please come back later."), False)
    if campaign.status == Campaign.Status.PAUSED:
        return NoTask("paused", _("This study is paused. Please come back later."), final=False)
    message = _("This study is complete: it has all the judgments it needs. Thank you!")
    return NoTask("closed", message, final=True)


def none_free(campaign: Campaign) -> NoTask:
    """Return that no slot is free for this person."""
    if campaign.status == Campaign.Status.CLOSING:
        message = _(
            "This study has nearly all it needs; its last tasks are with other people. "
            "Thank you! You may close this page."
        )
        return NoTask("closing", message, final=False)
    message = _("No task is available right now. One may open up when someone returns it.")
    return NoTask("waiting", message, final=False)


def blocked(
    campaign: Campaign, *, for_now: bool = True, promised: bool = False
) -> CloseReason | None:
    """Return the limit that forbids any further lease in this campaign; None without one.

    for_now: money that may become free again counts as spent: the bonuses of tutorials in progress,
        and promised tasks that are not leased.
    promised: the budget already keeps money for this lease.
    """
    if campaign.deadline is not None and timezone.now() >= campaign.deadline:
        return CloseReason.DEADLINE
    if campaign.max_judgments is not None and progress.held(campaign.pk) >= campaign.max_judgments:
        return CloseReason.MAX_JUDGMENTS
    if not promised and not budget.affordable(campaign, for_now=for_now):
        return CloseReason.BUDGET
    return None


def over_cap(assignment: Assignment, campaign: Campaign) -> bool:
    """Return whether this assignment, which is already counted as held, exceeds the cap."""
    cap = campaign.annotator_cap
    return cap is not None and held_by(assignment) > cap


def held_by(who: Participation | Assignment) -> int:
    """Return how many assignments of this annotator, open or submitted, count toward the cap."""
    mine = Assignment.objects.filter(campaign_id=who.campaign_id, annotator_id=who.annotator_id)
    return mine.filter(status__in=Assignment.HELD, gold=None).count()


def open_of(participation_id: int) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        participation=participation_id, status=Assignment.Status.LEASED
    )
