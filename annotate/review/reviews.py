"""The only writer of reviews: opened by screens, by signals or by hand, and moved by rulings."""

import io
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotate.common import audit, locks, marks
from annotate.common import rows as common_rows
from annotate.common.errors import Conflict
from annotate.crowds import people as crowds_people
from annotate.models import (
    Campaign,
    CaseOpened,
    Flag,
    ResultsSeen,
    Review,
    Ruling,
    ScreenedAnnotator,
    Screening,
    SignalFinding,
)
from annotate.models.base import CampaignStatus
from annotate.review import evidence
from annotate.review.evidence import listing, waiting
from annotate.screening.arrays import medians_of_others
from annotate.screening.base import LISTED, PAUSED, Columns, Verdict
from annotate.screening.screens import Settings, screen_all
from annotate.screening.signals import signals_on

Key = tuple[int, int]  # a campaign's id and an annotator's


def opened(user_id: int, keys: Collection[Key]) -> set[Key]:
    """Return those of these cases that a person has opened since their newest flag; one query."""
    campaigns, people = ({key[part] for key in keys} for part in (0, 1))
    flags = Flag.objects.filter(
        review__campaign=OuterRef("campaign"), review__annotator=OuterRef("annotator")
    )
    mine = CaseOpened.objects.filter(
        user=user_id, campaign__in=campaigns, annotator__in=people
    ).annotate(flagged=Subquery(flags.order_by("-at").values("at")[:1]))
    since = mine.filter(Q(flagged=None) | Q(at__gte=F("flagged")))
    return set(since.values_list("campaign", "annotator")) & set(keys)


# Keeps the screens' verdicts, so that a reviewer's page reads one person's row.
#
# Every judgment changes the verdicts on everybody a little. Writing all rows after each one would
# cost more than screening, so a campaign's verdicts are kept at most once in a time that grows with
# its people. What is left over is kept by a periodic task.


PEOPLE_A_SECOND = 200  # so that a few percent of a worker's time go into it
AT_ONCE = 30.0  # seconds after which one run of the task ends
VERDICTS_AT_ONCE = 2000  # people whose rows are written at once
_USUAL = [(one.name, one.default) for one in fields(Verdict)]
FIELDS = ("campaign_id", "annotator_id", "state", "at", "verdicts", "others_seconds")


def verdicts_of(campaign: Campaign, columns: Columns, flagged_only: bool = False) -> list[Verdict]:
    """Return what the screens say of everybody who works on, with the campaign's cut-offs."""
    chosen = Settings.from_dict(campaign.screening)
    said = screen_all(columns, chosen, evidence.cutoffs(campaign.pk), flagged_only)
    return [verdict for verdict in said if verdict.annotator > 0]


def keep(campaign_id: int, state: str, columns: Columns, said: Sequence[Verdict]) -> bool:
    """Store what the screens found at `state`; return False if that is not due, or outdated."""
    if not is_due(campaign_id):
        return False
    shown = _by_screen(said)
    with transaction.atomic():
        made = {"state": state, "at": timezone.now(), "people": columns.people.size}
        Screening.objects.update_or_create(
            campaign_id=campaign_id, defaults={**made, "values": _values(shown)}
        )
        if not Campaign.objects.filter(pk=campaign_id, screened=state).exists():
            transaction.set_rollback(True)  # a later screening keeps its own
            return False
        # The row above is locked: no other screening stores the same people now.
        rows = _rows(campaign_id, state, columns, shown)
        while batch := list(islice(rows, VERDICTS_AT_ONCE)):
            people = [person for _campaign, person, *_ in batch]
            before = ScreenedAnnotator.objects.filter(campaign=campaign_id, annotator__in=people)
            before.delete()
            common_rows.insert(ScreenedAnnotator, FIELDS, batch)
    return True


def is_due(campaign_id: int) -> bool:
    """Return whether verdicts are to be kept again."""
    last = Screening.objects.filter(campaign=campaign_id).values_list("at", "people").first()
    return last is None or timezone.now() >= last[0] + pause(last[1])


def keep_due() -> int:
    """Keep the verdicts that no screening has kept yet; return for how many campaigns."""
    ends, kept = time.monotonic() + AT_ONCE, 0
    for campaign in _due():
        columns = evidence.columns(campaign)
        if columns is not None and time.monotonic() < ends:
            kept += keep(campaign.pk, campaign.screened, columns, verdicts_of(campaign, columns))
    return kept


def _due() -> list[Campaign]:
    """Return the screened campaigns whose verdicts are from before, those without any first."""
    kept = Screening.objects.filter(campaign=OuterRef("pk"))
    never = Campaign.objects.filter(~Exists(kept)).exclude(screened="").order_by("pk")
    old = Screening.objects.exclude(state=F("campaign__screened")).select_related("campaign")
    now = timezone.now()
    return [
        *never,
        *(one.campaign for one in old.defer("values") if now >= one.at + pause(one.people)),
    ]


def pause(people: int) -> timedelta:
    """Return the time in which what was found on so many people is not written again."""
    return timedelta(seconds=people / PEOPLE_A_SECOND)


def _by_screen(said: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Return the verdicts of each screen that has looked at anything."""
    screens: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in said:
        screens[verdict.screen].append(verdict)
    return {name: each for name, each in screens.items() if any(one.n for one in each)}


def _values(shown: Mapping[str, Sequence[Verdict]]) -> bytes:
    columns = {
        name: np.sort([one.value for one in each if one.value is not None])
        for name, each in shown.items()
    }
    file = io.BytesIO()
    np.savez(file, **columns)  # type: ignore[arg-type]
    return file.getvalue()


def _told(verdict: Verdict) -> dict[str, object]:
    """Return the verdict without what it says by default; `asdict` would copy deeply."""
    return {name: value for name, usual in _USUAL if (value := getattr(verdict, name)) != usual}


def _rows(
    campaign_id: int, state: str, columns: Columns, shown: Mapping[str, Sequence[Verdict]]
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of `FIELDS` for each person."""
    verdicts: defaultdict[int, list[Verdict]] = defaultdict(list)
    for each in shown.values():
        for verdict in each:
            verdicts[verdict.annotator].append(verdict)
    medians = medians_of_others(columns.who, columns.seconds, columns.people.size)
    others = [None if np.isnan(median) else float(median) for median in medians]
    now = timezone.now()
    for person, median in zip(columns.people.tolist(), others, strict=True):
        if person > 0:  # the others are work that was cleared
            yield campaign_id, person, state, now, list(map(_told, verdicts[person])), median


# The only writer of a review's status and of whether its pay is refused (data rule 2).
#
# The callers write the reason for the change in the same transaction: a flag or a ruling, which is
# a fact, and its audit row (`reviews`, `rulings`).


Status = Review.Status

# A screen may fire again on cleared work. Excluded work can only be restored.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.OPEN: frozenset({Status.CLEARED, Status.EXCLUDED}),
    Status.LISTED: frozenset({Status.OPEN, Status.CLEARED, Status.EXCLUDED}),
    Status.CLEARED: frozenset({Status.OPEN, Status.LISTED, Status.EXCLUDED}),
    Status.EXCLUDED: frozenset({Status.CLEARED}),
}


def begin(
    campaign_id: int, annotator_id: int, *, now: datetime, to: Status = Status.OPEN
) -> Review:
    """Open or list the first review of this annotator's work in a campaign."""
    return Review.objects.create(
        campaign_id=campaign_id, annotator_id=annotator_id, status=to, opened_at=now
    )


def open_again(review: Review, to: Status, *, now: datetime) -> bool:
    """Move a cleared or listed review to open, or a cleared one to listed; False from others."""
    sources = [one for one, targets in TRANSITIONS.items() if to in targets]
    return bool(_change(review, to, sources, opened_at=now))


def rule(review: Review, to: Status, *, now: datetime) -> None:
    """Move to the state that a ruling gives; raises `Conflict` if the state has changed."""
    if not _change(review, to, [Status(review.status)], ruled_at=now):
        raise Conflict("Another reviewer has ruled meanwhile. Look again.")
    review.status = to


def switch_pay(review: Review, *, refused: bool) -> None:
    """Refuse the pay, or restore it; raises `Conflict` where it is already so."""
    mine = Review.objects.filter(pk=review.pk, pay_refused=not refused)
    if not mine.update(pay_refused=refused):
        raise Conflict("Pay is refused already." if refused else "No pay is refused.")
    review.pay_refused = refused


def _change(review: Review, to: Status, sources: list[Status], **times: datetime) -> int:
    mine = Review.objects.filter(pk=review.pk)
    return audit.change(mine, TRANSITIONS, to, sources=sources, record=audit.elsewhere, **times)


# Reviews of annotators: opened by flags or by hand, and closed by rulings.


# After these rulings, the screens look at new work.
COLLECTING = (CampaignStatus.OPEN, CampaignStatus.PAUSED, CampaignStatus.CLOSING)
ARMING = (Ruling.Act.CLEAR, Ruling.Act.RESTORE)


def flag(campaign_id: int, annotator_id: int, found: Iterable[Verdict]) -> list[str]:
    """Open or list a review for screens that fired; return the new ones.

    A screen flags a person once for each tier, and the reviewer's ruling on it stands; it can fire
    again on work after a ruling. With a pausing flag, new leases pause, and the campaign becomes
    final only after the ruling. A listing flag has no consequence but a place in the queue.
    Excluded work receives no further flags.
    """
    now, found = timezone.now(), list(found)
    with transaction.atomic():
        locks.campaign(campaign_id)
        review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
        if review is not None and review.status == Status.EXCLUDED:
            return []
        arming = review.rulings.filter(act__in=ARMING).count() if review else 0
        rows = review.flags.filter(arming=arming).values_list("screen", "tier") if review else ()
        known = {(screen, tier) for screen, own in rows for tier in (own, LISTED)}
        fired = [verdict for verdict in found if (verdict.screen, verdict.tier) not in known]
        if not fired:
            return []
        pausing = any(verdict.tier == PAUSED for verdict in fired)
        to = Status.OPEN if pausing else Status.LISTED
        if review is None:
            review = begin(campaign_id, annotator_id, now=now, to=to)
        else:
            open_again(review, to, now=now)
        made = [
            Flag.objects.create(
                review=review,
                screen=verdict.screen,
                verdict=asdict(verdict),
                at=now,
                tier=verdict.tier,
                arming=arming,
            )
            for verdict in fired
        ]
        names = [verdict.screen for verdict in fired]
        tier = PAUSED if pausing else LISTED
        _record("flag", campaign_id, annotator_id, screens=names, tier=tier)
        marks.mark(campaign_id, "flag")
        if pausing:
            first = next(one for one in made if one.tier == PAUSED)
            crowds_people.noticed(review, flag_id=first.pk)
    return names


def open_by_hand(campaign_id: int, annotator_id: int, *, actor_id: int) -> int:
    """Open a review without a flag; return its id. Safe to repeat."""
    with transaction.atomic():
        locks.campaign(campaign_id)
        review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
        if review is None:
            review = begin(campaign_id, annotator_id, now=timezone.now())
            _record("review", campaign_id, annotator_id, actor_id=actor_id)
    return review.pk


def locked(review_id: int) -> Review:
    """Lock the review's campaign until the end of the transaction, and read the review again."""
    locks.campaign(Review.objects.values_list("campaign_id", flat=True).get(pk=review_id))
    return Review.objects.select_related("campaign").get(pk=review_id)


def _record(
    verb: str, campaign_id: int, annotator_id: int, *, actor_id: int | None = None, **detail: Any
) -> None:
    subject = f"annotator:{annotator_id}"
    audit.record(verb, campaign_id=campaign_id, actor_id=actor_id, subject=subject, **detail)


def screen(campaign_id: int) -> int:
    """Screen every annotator of a campaign; return how many are newly flagged.

    The same judgments are never screened twice. A refresh screens before it decides, so no campaign
    becomes final on unscreened work.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    state = evidence.state(campaign_id)
    if campaign.screened == state or (columns := evidence.columns(campaign)) is None:
        return 0
    keeps = is_due(campaign_id)
    found = verdicts_of(campaign, columns, not keeps)
    fresh = _news(campaign_id, [one for one in found if one.flagged])
    with transaction.atomic():
        if fresh:
            locks.campaign(campaign_id)  # before its row is written: who waits for it holds nothing
        moved = Campaign.objects.filter(pk=campaign_id, screened=campaign.screened).update(
            screened=state
        )
        by_person = groupby(sorted(fresh, key=lambda v: v.annotator), lambda v: v.annotator)
        new = sum(moved and bool(flag(campaign_id, who, list(one))) for who, one in by_person)
    if keeps:
        keep(campaign_id, state, columns, found)
    return new


def screen_due() -> int:
    """Screen the collecting campaigns whose verdicts are old; return how many people it flags.

    A refresh of a large campaign leaves the screens to this.
    """
    ends = time.monotonic() + AT_ONCE
    collecting = Campaign.objects.filter(status__in=COLLECTING).order_by("pk")
    return sum(
        screen(campaign_id)
        for campaign_id in collecting.values_list("pk", flat=True)
        if time.monotonic() < ends and is_due(campaign_id)
    )


def _news(campaign_id: int, fired: list[Verdict]) -> list[Verdict]:
    """Return the verdicts that no flag tells yet, of people whose work is not excluded.

    Each look at everybody fires again for whoever is listed already, and that should lock nothing.
    `flag` looks again with the campaign's lock.
    """
    excluded = Review.objects.filter(campaign=campaign_id, status=Status.EXCLUDED)
    gone = set(excluded.values_list("annotator", flat=True))
    armed = Count("review__rulings", filter=Q(review__rulings__act__in=ARMING))
    flags = Flag.objects.filter(review__campaign=campaign_id).annotate(armed=armed)
    rows = flags.filter(arming=F("armed")).values_list("review__annotator", "screen", "tier")
    known = {(who, screen, tier) for who, screen, own in rows for tier in (own, LISTED)}
    return [
        one
        for one in fired
        if one.annotator not in gone and (one.annotator, one.screen, one.tier) not in known
    ]


def record_results_seen(campaign_id: int, user_id: int) -> None:
    """Record that this person sees the results, once between two rulings of the campaign."""
    ruled = Ruling.objects.filter(review__campaign=OuterRef("pk")).order_by("-pk")
    seen = ResultsSeen.objects.filter(campaign=OuterRef("pk"), user=user_id)
    newest, last_seen = (
        Campaign.objects.filter(pk=campaign_id)
        .values_list(
            Subquery(ruled.values("pk")[:1]),
            Subquery(seen.order_by("-after_ruling").values("after_ruling")[:1]),
        )
        .get()
    )
    after = newest or 0
    if last_seen is None or last_seen < after:
        made = ResultsSeen(
            campaign_id=campaign_id, user_id=user_id, after_ruling=after, at=timezone.now()
        )
        ResultsSeen.objects.bulk_create([made], ignore_conflicts=True)


def record_opened(campaign_id: int, annotator_id: int, user_id: int) -> None:
    """Record that this person has opened a case, once after each newest flag."""
    if not opened(user_id, [(campaign_id, annotator_id)]):
        CaseOpened.objects.create(
            campaign_id=campaign_id, annotator_id=annotator_id, user_id=user_id, at=timezone.now()
        )


# Puts people whom signals of the page list into the queue of reviews, and takes them out again.
#
# A listed person works and is paid as before, and no campaign waits for a look at them. Such a
# review has no flag: what signals say is read from their findings, as long as these are kept.


BATCH = 500


def list_by_signals() -> int:
    """List people with signals that no reviewer has put aside; return how many are new.

    Reviewed people are left as they are, whatever the ruling was.
    """
    reviewed = Review.objects.filter(campaign=OuterRef("campaign"), annotator=OuterRef("annotator"))
    rows = SignalFinding.objects.filter(~Exists(reviewed), listed=True).select_related("campaign")
    new = [
        (row.campaign_id, row.annotator_id)
        for row in rows.order_by("pk").iterator(chunk_size=BATCH)
        if waiting(row) and signals_on(row.campaign.screening)
    ]
    return sum(_list(campaign_id, annotator_id) for campaign_id, annotator_id in new)


def _list(campaign_id: int, annotator_id: int) -> bool:
    with transaction.atomic():
        locks.campaign(campaign_id)
        if Review.objects.filter(campaign=campaign_id, annotator=annotator_id).exists():
            return False
        begin(campaign_id, annotator_id, now=timezone.now(), to=Status.LISTED)
        _record("list", campaign_id, annotator_id)
    return True


def put_aside(campaign_id: int, annotator_id: int, *, actor_id: int) -> bool:
    """Put the signals on somebody aside; who is in the queue for nothing else leaves it.

    They are off the list until other evidence comes. False if there is nothing to put aside. The
    annotator is not told, and nothing changes for them.
    """
    with transaction.atomic():
        locks.campaign(campaign_id)
        mine = SignalFinding.objects.filter(campaign=campaign_id, annotator=annotator_id)
        row = mine.select_for_update().first()
        if row is None or not (new := listing(row) - set(row.aside)):
            return False
        mine.update(aside=sorted(listing(row) | set(row.aside)))
        _record(
            "put_signals_aside", campaign_id, annotator_id, actor_id=actor_id, kinds=sorted(new)
        )
        unlist(campaign_id, annotator_id, actor_id=actor_id)
    return True


def unlist(campaign_id: int, annotator_id: int, *, actor_id: int | None = None) -> bool:
    """Take somebody out of the queue whom nothing but signals has put there."""
    with transaction.atomic():
        locks.campaign(campaign_id)
        mine = _listed_without_flag().filter(campaign=campaign_id, annotator=annotator_id)
        ids = list(mine.values_list("pk", flat=True))
        gone, _by_model = Review.objects.filter(pk__in=ids).delete()
        if gone:
            _record("unlist", campaign_id, annotator_id, actor_id=actor_id)
    return bool(gone)


def unlist_forgotten() -> int:
    """Take out those whose signals have been erased; return how many."""
    kept = SignalFinding.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), listed=True
    )
    rows = _listed_without_flag().filter(~Exists(kept))
    return sum(unlist(*key) for key in rows.values_list("campaign", "annotator"))


def _listed_without_flag() -> QuerySet[Review]:
    """Select the reviews that hold no fact: only a place in the queue."""
    return Review.objects.filter(
        status=Status.LISTED, flags=None, rulings=None, appeals=None, ruled_at=None
    )
