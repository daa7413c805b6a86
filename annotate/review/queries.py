"""Reviews to read: cases, appeals and who answers them, the queue, and a person's own standing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import models
from django.db.models import (
    Count,
    Exists,
    FilteredRelation,
    IntegerField,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.campaigns import facts
from annotate.common import content
from annotate.common import lists as common_lists
from annotate.common.lists import Filter, Listing
from annotate.crowds.adapters import CROWDS
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument
from annotate.models import (
    Annotator,
    Appeal,
    AuditEntry,
    Block,
    Campaign,
    Flag,
    Judgment,
    Membership,
    Participation,
    Payout,
    Review,
    Ruling,
    SignalFinding,
)
from annotate.models.accounts import ON_PEOPLE
from annotate.review import eligibility, evidence
from annotate.screening.base import LISTED, PAUSED, Task, Verdict
from annotate.screening.gold import FOR_REVIEWERS as GOLD_WORDS
from annotate.screening.gold import GOLD
from annotate.screening.screens import SCREENS, is_sum
from annotate.studies import queries as studies_queries
from estimation.metrics import word_spans


def verdict_of(flag: Flag) -> Verdict:
    """Return the numbers that made a screen fire."""
    return Verdict(**flag.verdict)


def signs(flags: Iterable[Flag]) -> list[Flag]:
    """Return each sign once: the latest flag of each screen.

    The sum of all signs is none of its own where one of them stands beside it, unless the sum alone
    has paused the person.
    """
    latest = {flag.screen: flag for flag in flags}
    single = [flag for flag in latest.values() if not is_sum(flag.screen)]
    pauses = any(flag.tier == PAUSED for flag in single)
    return [
        flag
        for flag in latest.values()
        if flag in single or not single or (flag.tier == PAUSED and not pauses)
    ]


# The order in which reviews are ruled on.


NOBODY = (0,)  # no id is 0, and without an id there would be no condition


def with_turn(rows: QuerySet[Review], left: Collection[int]) -> tuple[QuerySet[Review], list[str]]:
    """Return the reviews with what their turn depends on, and the names that order them by it.

    left: those that wait for another person's answer. Appeals come first, by the day their answer
    is due, then the longest waiting, then those that are listed for review only. Appeals that other
    reviewers answer come last.
    """
    waiting = Q(appeals__answered_at=None)  # at most one; joined once, not looked up for each row
    rows = rows.annotate(appealed=FilteredRelation("appeals", condition=waiting)).annotate(
        later=models.Case(
            When(appealed__due_at__isnull=False, then=0),
            When(status=Review.Status.LISTED, then=2),
            default=1,
            output_field=IntegerField(),
        ),
        turn=Coalesce("appealed__due_at", "opened_at"),
        last=models.Case(
            When(pk__in=left or NOBODY, then=1), default=0, output_field=IntegerField()
        ),
    )
    return rows, ["last", "later", "turn", "pk"]


# What an annotator may appeal against, and who may answer.


@dataclass(frozen=True)
class AppealGround:
    """A review that can be appealed against, and whether it can be now.

    until: the deadline; None: as long as the block lasts.
    waits: an appeal is open.
    appealed: there was an appeal since the last flag or ruling; only one is possible.
    block: the block made in this review, if it stands.
    """

    review: Review
    until: datetime | None
    waits: bool
    appealed: bool
    block: Block | None

    @property
    def is_over(self) -> bool:
        return self.until is not None and timezone.now() > self.until

    @property
    def is_open(self) -> bool:
        return not (self.is_over or self.waits or self.appealed)

    @property
    def answerer(self) -> str:
        """Return who answers: "same" if only the person who decided can, else "another"; "" if
        there is no ruling."""
        answerers = who_may_answer(self.review.pk)
        decided = "another" if answerers.others else "same"
        return decided if answerers.rulers else ""


def ground(campaign_id: int, annotator_id: int) -> list[AppealGround]:
    """Return this person's grounds for appeal in this campaign, in constant queries.

    The campaign's own review comes before a block from another campaign.
    """
    block = eligibility.block(campaign_id, annotator_id)
    review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
    there = block.ruling.review if block is not None else None
    here = block if review is not None and review == there else None
    grounds = []
    decided = review is not None and review.status in eligibility.AGAINST
    if review is not None and (decided or here is not None):
        grounds.append(_ground(review, here))
    if there is not None and there != review:
        grounds.append(_ground(there, block))
    return grounds


def _ground(review: Review, block: Block | None) -> AppealGround:
    return AppealGround(
        review=review,
        until=None if block is not None else eligibility.appeal_until(review),
        waits=review.appeals.filter(answered_at=None).exists(),
        appealed=eligibility.appealed(review),
        block=block,
    )


Act = Ruling.Act
# Which act reverses which.
UNDOES = {
    Act.RESTORE: (Act.EXCLUDE, Act.REFUSE),
    Act.REPAY: (Act.REFUSE,),
    Act.UNBLOCK: (Act.BLOCK,),
}
ADVERSE = (Act.EXCLUDE, Act.REFUSE, Act.BLOCK)


@dataclass(frozen=True)
class Answerers:
    """Who may answer an appeal.

    rulers: ids of the authors of rulings in force.
    others: other people who can rule, by id.
    """

    rulers: frozenset[int] = frozenset()
    others: Mapping[int, str] | None = None

    @property
    def names(self) -> list[str]:
        """Return the user names of the people who should answer."""
        return sorted((self.others or {}).values(), key=str.casefold)

    def is_own(self, user_id: int) -> bool:
        """Return whether an appeal would be against a ruling of this person."""
        return user_id in self.rulers

    def bars(self, user_id: int) -> bool:
        """Return whether another person must answer instead of this one."""
        return self.is_own(user_id) and bool(self.others)


def who_may_answer(review_id: int) -> Answerers:
    return answerers_of([review_id])[review_id]


def answerers_of(review_ids: Iterable[int]) -> dict[int, Answerers]:
    """Return who may answer appeals in each of these reviews; always four queries."""
    campaigns = dict(Review.objects.filter(pk__in=review_ids).values_list("pk", "campaign"))
    rulers = _rulers(list(campaigns))
    members: defaultdict[int, dict[int, str]] = defaultdict(dict)
    reviewers = Membership.objects.filter(role__in=Membership.REVIEW)
    active = reviewers.filter(campaign__in=campaigns.values(), user__is_active=True)
    for campaign, user, name in active.values_list("campaign", "user", "user__username"):
        members[campaign][user] = name
    return {
        review: Answerers(
            rulers[review],
            {pk: name for pk, name in members[campaign].items() if pk not in rulers[review]},
        )
        for review, campaign in campaigns.items()
    }


def left_to_others(user_id: int) -> set[int]:
    """Return the reviews whose open appeal another person must answer."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    open_ = Appeal.objects.filter(answered_at=None, review__campaign__in=mine)
    against_me = open_.filter(review__rulings__actor=user_id, review__rulings__act__in=ADVERSE)
    found = set(against_me.values_list("review", flat=True))
    if not found:
        return found
    return {review for review, who in answerers_of(found).items() if who.bars(user_id)}


def _rulers(review_ids: list[int]) -> defaultdict[int, frozenset[int]]:
    """Return, for each review, the authors of the adverse rulings in force."""
    in_force: defaultdict[int, dict[str, int]] = defaultdict(dict)
    rulings = Ruling.objects.filter(review__in=review_ids).order_by("pk")
    for review, act, actor in rulings.values_list("review", "act", "actor"):
        if act in ADVERSE:
            in_force[review][act] = actor
        for undone in UNDOES.get(Act(act), ()):
            in_force[review].pop(undone, None)
    blocks = Block.objects.filter(ruling__review__in=review_ids, ended_at=None)
    blocking = set(blocks.values_list("ruling__review", flat=True))
    found: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
    for review, acts in in_force.items():
        if review not in blocking:  # lifted from a review in another campaign
            acts.pop(Act.BLOCK, None)
        found[review] = frozenset(acts.values())
    return found


# The queue of reviews and the state of one review, without any system.


NONE = "none"  # there is no review yet
RULED_SHOWN = 20


class CaseKey(NamedTuple):
    """What names a case in an address."""

    campaign: str
    pseudonym: str


@dataclass(frozen=True)
class Case:
    """One annotator's work in one campaign, and its review.

    review: not stored where nobody has opened one.
    blocked: whether the campaign's owners have blocked them. judgments: known to be theirs.
    """

    review: Review
    judgments: int
    blocked: bool
    flags: Sequence[Flag] = ()
    rulings: Sequence[Ruling] = ()
    appeals: Sequence[Appeal] = ()

    @property
    def campaign(self) -> Campaign:
        return self.review.campaign

    @property
    def pseudonym(self) -> str:
        return self.review.annotator.pseudonym

    @property
    def key(self) -> CaseKey:
        return CaseKey(self.campaign.public_id, self.pseudonym)

    @property
    def person(self) -> tuple[int, int]:
        """Return the ids of the campaign and of the annotator."""
        return self.review.campaign_id, self.review.annotator_id

    @property
    def status(self) -> str:
        return self.review.status or NONE

    @property
    def seen(self) -> int:
        """Return the id of the last ruling, which a page sends back with the next one (0: none)."""
        return self.rulings[-1].pk if self.rulings else 0

    @property
    def appeal(self) -> Appeal | None:
        """Return the open appeal; None without one."""
        return next((one for one in self.appeals if one.answered_at is None), None)

    @property
    def final_from(self) -> datetime | None:
        """Return when the ruling becomes final; None without a ruling, or with an open appeal."""
        if not self.rulings:
            return None
        return eligibility.final_from(
            since=max(self.review.opened_at, self.rulings[-1].at),
            closed_at=self.campaign.closed_at,
            appealed_at=self.appeal.made_at if self.appeal else None,
        )

    @property
    def is_final(self) -> bool:
        return self.final_from is not None and self.final_from <= timezone.now()

    @property
    def shows_effect(self) -> bool:
        """Return whether review pages show what this exclusion does to the estimates."""
        return self.status == Review.Status.EXCLUDED and self.is_final

    @property
    def was_paused(self) -> bool:
        """Return whether a screen has ever paused this person; others were only listed."""
        return any(flag.tier == PAUSED for flag in self.flags)

    @property
    def collecting(self) -> bool:
        """Return whether excluded judgments are collected again."""
        status = Campaign.Status
        return self.campaign.status in (status.OPEN, status.PAUSED, status.CLOSING)


def ruled(user_id: int, *, campaign: str = "") -> list[Case]:
    """Return the annotators with rulings, the latest first. These may still be reversed."""
    rows = of_user(user_id, campaign).exclude(waits()).filter(ruled_at__isnull=False)
    return cases(rows.order_by("-ruled_at")[:RULED_SHOWN])


def n_waiting(user_id: int, *, campaign: str = "") -> int | None:
    """Return how many wait for this user, in all campaigns or one.

    None if there has never been anything to review.
    """
    mine = of_user(user_id, campaign)
    left = left_to_others(user_id)
    waiting = waits() & ~Q(pk__in=left)
    rows = mine.aggregate(n=Count("pk", filter=waiting), all=Count("pk"))
    return rows["n"] if rows["all"] else None


def case(campaign: Campaign, pseudonym: str) -> Case | None:
    """Return one annotator's case, in constant queries; None if they never entered."""
    who = Annotator.objects.filter(
        Exists(Participation.objects.filter(campaign=campaign, annotator=OuterRef("pk"))),
        pseudonym=pseudonym,
    ).first()
    if who is None:
        return None
    if found := cases(Review.objects.filter(campaign=campaign, annotator=who)):
        return found[0]
    return Case(
        Review(campaign=campaign, annotator=who),
        judgments=evidence.screening_known().filter(campaign=campaign, annotator=who).count(),
        blocked=eligibility.block(campaign.pk, who.pk) is not None,
    )


def everywhere(user_id: int, pseudonym: str) -> list[Case]:
    """Return this annotator's cases in every campaign that this user may review."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    worked = Participation.objects.filter(campaign=OuterRef("pk"), annotator__pseudonym=pseudonym)
    campaigns = Campaign.objects.filter(Exists(worked), pk__in=mine)
    return [found for one in campaigns if (found := case(one, pseudonym)) is not None]


def cases(rows: QuerySet[Review]) -> list[Case]:
    """Return the cases of these reviews in their order; always four queries."""
    judged = (
        evidence.screening_known()
        .filter(campaign=OuterRef("campaign"), annotator=OuterRef("annotator"))
        .order_by()
    )
    n = judged.values("annotator").annotate(n=Count("pk")).values("n")
    owners = Membership.objects.filter(
        campaign=OuterRef(OuterRef("campaign")), role=Membership.Role.OWNER
    )
    blocks = Block.objects.filter(
        annotator=OuterRef("annotator"), ended_at=None, owner__in=owners.values("user")
    )
    found = list(
        rows.select_related("campaign", "annotator")
        .annotate(n=Coalesce(Subquery(n, output_field=IntegerField()), 0), blocked=Exists(blocks))
        .prefetch_related(
            Prefetch("flags", Flag.objects.order_by("pk")),
            Prefetch("rulings", Ruling.objects.select_related("actor").order_by("pk")),
            Prefetch("appeals", Appeal.objects.order_by("pk")),
        )
    )
    return [
        Case(
            one,
            one.n,
            one.blocked,
            list(one.flags.all()),
            list(one.rulings.all()),
            list(one.appeals.all()),
        )
        for one in found
    ]


def trail(case: Case) -> QuerySet[AuditEntry]:
    """Select what was done about this person in the campaign, the newest first."""
    mine = AuditEntry.objects.filter(ON_PEOPLE, campaign=case.campaign)
    subject = f"annotator:{case.review.annotator_id}"
    return mine.filter(subject=subject).select_related("actor")


def waits() -> Q:
    """Return the condition that a review waits for a ruling, a look or an answer."""
    appealed = Appeal.objects.filter(answered_at=None)
    awaited = (Review.Status.OPEN, Review.Status.LISTED)
    return Q(status__in=awaited) | Q(pk__in=appealed.values("review"))


def of_user(user_id: int, campaign: str = "") -> QuerySet[Review]:
    """Select the reviews in the campaigns of this person, or in one of them."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    rows = Review.objects.filter(campaign__in=mine)
    return rows.filter(campaign__public_id=campaign) if campaign else rows


# The queue of reviews page by page: searched, narrowed and sorted by the database.


ROWS, MANY = 25, 100  # on a page
TURN = "turn"  # the order in which reviews are ruled on
SORTS = {TURN: "Most urgent", "new": "Newest", "old": "Oldest", "name": "Annotator"}
# Each order ends with the id, so that all pages together show each review once.
ORDERS: dict[str, list[str]] = {
    "new": ["-opened_at", "-pk"],
    "old": ["opened_at", "pk"],
    "name": ["annotator__pseudonym", "pk"],
}
WAITING, APPEALED, RULED = "waiting", "appeals", "ruled"
PARTS = {WAITING: "Waiting", APPEALED: "Appeals", RULED: "Ruled"}
BY_HAND = "none"  # neither a flag nor a signal
SIGNALS = "signals"  # signals of the page list them
TIERS = {"": "Any", PAUSED: "Paused", LISTED: "Only listed"}
MINE, OTHERS = "me", "others"
RULERS = {"": "Anybody, or not yet", MINE: "Me", OTHERS: "Others"}


def _filters() -> dict[str, tuple[str, dict[str, str]]]:
    """Return the filters: their labels, and the names of their options by value."""
    screens = {key: screen.reviewers.title for key, screen in SCREENS.items()}
    crowds = {key: crowd.label for key, crowd in CROWDS.items()}
    others = {
        GOLD: GOLD_WORDS.title,
        SIGNALS: "Signals of the page",
        BY_HAND: "Put here by hand",
    }
    return {
        "screen": ("Reason", {"": "Any", **screens, **others}),
        "tier": ("Flags", TIERS),
        "crowd": ("Crowd", {"": "Any", **crowds}),
        "by": ("Ruled by", RULERS),
        "rows": ("Rows", {"": str(ROWS), str(MANY): str(MANY)}),
    }


def narrowing() -> dict[str, tuple[str, list[str]]]:
    """Return the filters by their names in an address: the label, and the values."""
    return {
        name: (label, [value for value in options if value])
        for name, (label, options) in _filters().items()
        if name != "rows"
    }


@dataclass(frozen=True)
class Neighbours:
    """Where a review stands in one person's queue, and the keys of the cases beside it.

    place: from 1; None if it is not in the queue. `following` is then the first of the queue.
    """

    n_waiting: int
    place: int | None = None
    previous: CaseKey | None = None
    following: CaseKey | None = None


def asked(query: Mapping[str, str], *, campaign: str = "", size: int = 0) -> Listing:
    """Read what an address asks for; an unknown filter leaves everything in.

    campaign: of one campaign alone; "" for all. size: cases on a page; 0: as many as the address
    asks for.
    """
    filters = [Filter("campaign", "", (), campaign, narrows=False)]
    for name, (label, options) in _filters().items():
        value = query.get(name, "")
        value = value if value in options else ""
        filters.append(Filter(name, label, tuple(options.items()), value, narrows=name != "rows"))
    return common_lists.asked(
        query,
        sorts=SORTS,
        choices=PARTS,
        size=size or int(filters[-1].value or ROWS),
        anchor="queue-h",
        filters=tuple(filters),
    )


def queue_page(user_id: int, wanted: Listing, left: Collection[int]) -> tuple[Listing, list[Case]]:
    """Return one page, and its place in the list; always the same number of queries.

    left: the reviews that wait for another person's answer (`left_to_others`).
    """
    rows, order = _ordering(_matching(user_id, wanted), left, wanted)
    names = [name.removeprefix("-") for name in order]
    found, shown = common_lists.page_beside(rows.values_list(*names, named=True), order, wanted)
    ids = [row.pk for row in shown]
    by_id = {one.review.pk: one for one in cases(Review.objects.filter(pk__in=ids))}
    return found, [by_id[pk] for pk in ids]


def neighbours(
    user_id: int, review_id: int | None, left: Collection[int], wanted: Listing
) -> Neighbours:
    """Return what stands beside a review in this list, among all that this person may rule on.

    left: the reviews that wait for another person's answer.
    """
    rows, order = _ordering(_matching(user_id, wanted).exclude(pk__in=left), (), wanted)
    queue = list(rows.order_by(*order).values_list("pk", flat=True))
    place = queue.index(review_id) + 1 if review_id in queue else None
    after = place or 0  # outside of the queue, its first one follows
    ids = [queue[place - 2] if place and place > 1 else 0, *queue[after : after + 1]]
    # No id is 0, and a query that names none would not be sent: always as many queries.
    beside = Review.objects.filter(pk__in=ids)
    named = beside.values_list("pk", "campaign__public_id", "annotator__pseudonym")
    keys = {pk: CaseKey(public_id, name) for pk, public_id, name in named}
    previous, following = (keys.get(pk) for pk in (*ids, 0)[:2])
    return Neighbours(len(queue), place, previous, following)


def _matching(user_id: int, wanted: Listing) -> QuerySet[Review]:
    rows = of_user(user_id, wanted.chosen("campaign"))
    if wanted.choice == RULED:
        rows = rows.exclude(waits()).filter(ruled_at__isnull=False)
    elif wanted.choice == APPEALED:
        rows = rows.filter(pk__in=Appeal.objects.filter(answered_at=None).values("review"))
    else:
        rows = rows.filter(waits())
    if wanted.search:
        named = Q(annotator__pseudonym__icontains=wanted.search)
        rows = rows.filter(named | Q(campaign__name__icontains=wanted.search))
    if crowd := wanted.chosen("crowd"):
        rows = rows.filter(campaign__crowd=crowd)
    return _by_ruler(_by_flags(rows, wanted), wanted.chosen("by"), user_id)


def _by_flags(rows: QuerySet[Review], wanted: Listing) -> QuerySet[Review]:
    """Narrow to a reason, and to a tier."""
    screen, tier = wanted.chosen("screen"), wanted.chosen("tier")
    flags = Flag.objects.filter(review=OuterRef("pk"))
    signals = Exists(
        SignalFinding.objects.filter(
            campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), listed=True
        )
    )
    if screen == SIGNALS:
        rows = rows.filter(signals)
    elif screen == BY_HAND:
        rows = rows.filter(~Exists(flags), ~signals)
    elif screen:
        rows = rows.filter(Exists(flags.filter(screen=screen)))
    paused = Exists(flags.filter(tier=PAUSED))
    if tier == LISTED:
        return rows.filter(~paused, Exists(flags) | signals)
    return rows.filter(paused) if tier else rows


def _by_ruler(rows: QuerySet[Review], by: str, user_id: int) -> QuerySet[Review]:
    """Narrow to the reviews whose last ruling is of this person, or of another one."""
    if not by:
        return rows
    last = Ruling.objects.filter(review=OuterRef("pk")).order_by("-pk").values("actor")[:1]
    ruled = rows.annotate(ruler=Subquery(last)).filter(ruler__isnull=False)
    return ruled.filter(ruler=user_id) if by == MINE else ruled.exclude(ruler=user_id)


def _ordering(
    rows: QuerySet[Review], left: Collection[int], wanted: Listing
) -> tuple[QuerySet[Review], list[str]]:
    """Return the rows with all that sorts them, and the names that make the order asked for."""
    if order := ORDERS.get(wanted.sort):
        names = order
    elif wanted.choice == RULED:
        names = ["-ruled_at", "-pk"]
    else:
        rows, names = with_turn(rows, left)
    if wanted.backwards:
        names = common_lists.turned(names)
    return rows, names


# What annotators may know of reviews of their own work, without other people and systems.


EXCERPT = 80


@dataclass(frozen=True)
class OwnStanding:
    """What was noticed and decided about a person, as far as it concerns this study.

    review: of their work; None if nothing about it concerns them. notices: the signs that paused
    them. rulings: on the work. appeals: against them. here: what they may appeal against in it.
    elsewhere: a block that was decided after work in another study of the researcher's, whose page
    gives the reason.
    """

    review: Review | None = None
    notices: Sequence[Flag] = ()
    rulings: Sequence[Ruling] = ()
    appeals: Sequence[Appeal] = ()
    here: AppealGround | None = None
    elsewhere: AppealGround | None = None

    @property
    def blocked(self) -> bool:
        """Return whether the researcher's studies are closed to them, wherever that was decided."""
        return self.elsewhere is not None or (self.here is not None and self.here.block is not None)

    @property
    def person_looked(self) -> bool:
        """Return whether the author of the last ruling on the work had opened the case."""
        blocks = (Ruling.Act.BLOCK, Ruling.Act.UNBLOCK)
        about = [one for one in self.rulings if one.act not in blocks]
        return bool(about and about[-1].opened)

    @property
    def appeals_elsewhere(self) -> list[Appeal]:
        """Return what was written since the block; earlier texts belong to the other study."""
        if self.elsewhere is None or self.elsewhere.block is None:
            return []
        since = self.elsewhere.block.ruling.at
        return list(self.elsewhere.review.appeals.filter(made_at__gte=since).order_by("pk"))

    @property
    def form(self) -> str:
        """Return the subject of the only appeal form: "looked", "blocked" or "" (no form)."""
        if self.here and self.here.is_open:
            return "looked"
        return "blocked" if self.elsewhere and self.elsewhere.is_open else ""


def standing_of(participation_id: int) -> OwnStanding:
    """Return the state of this annotator; empty while their identity is not confirmed."""
    who = Participation.objects.get(pk=participation_id)
    if not who.is_sure:
        return OwnStanding()
    review = (
        Review.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
        .select_related("campaign")
        .first()
    )
    found = ground(who.campaign_id, who.annotator_id)
    here = next((one for one in found if one.review == review), None)
    elsewhere = next((one for one in found if one.review != review), None)
    # To be listed has no consequence for them.
    if review is None or (review.status == Review.Status.LISTED and here is None):
        return OwnStanding(elsewhere=elsewhere)
    return OwnStanding(
        review,
        notices=signs(review.flags.filter(tier=PAUSED).order_by("pk")),
        rulings=list(review.rulings.order_by("pk")),
        appeals=list(review.appeals.order_by("pk")),
        here=here,
        elsewhere=elsewhere,
    )


def tasks(participation_id: int) -> list[Task]:
    """Return what this annotator has certainly submitted in the campaign, in order."""
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    found = (
        evidence.screening_known()
        .filter(campaign=who.campaign_id, annotator=who.annotator_id)
        .select_related("output__item")
        .order_by("pk")
    )
    asked = studies_queries.instrument_of(who.campaign)
    form = who.campaign.output_form
    return [_task(number, judgment, asked, form) for number, judgment in enumerate(found, start=1)]


def payouts(participation_id: int) -> list[tuple[datetime, Decimal]]:
    """Return (time, amount) of each recorded payment, with reversed ones as negative amounts."""
    rows = Payout.objects.filter(participation=participation_id).order_by("pk")
    return list(rows.values_list("at", "amount"))


def _task(number: int, judgment: Judgment, instrument: Instrument, form: str) -> Task:
    output, who = judgment.output, judgment.annotator_id
    seen = facts.shown(who, str(output.pk), output.text, output.item)
    each = instrument.shown(seen).split(instruments_base.MARK, 1)
    text = instruments_base.MARK.join(content.beginning(one, form, EXCERPT) for one in each)
    return Task(
        number=number,
        excerpt=text if len(text) <= EXCERPT else f"{text[:EXCERPT].rstrip()}…",
        seconds=evidence.screening_seconds(judgment.active_seconds, judgment.elapsed_seconds),
        response=judgment.response,
        highlights=[
            (
                sum(len(word_spans(one.text[start:end])) for start, end in one.spans),
                len(word_spans(one.text)),
            )
            for one in instrument.highlights(judgment.response, facts.material(output, form))
        ],
    )
