"""Several people whom one ruling is about: the state of each, in constant queries."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Q, QuerySet, Sum

from annotate import adapters
from annotate.crowds.tariffs import CENT, ZERO
from annotate.models import Exclusion, Judgment, LedgerEntry, Payout, Review, Ruling
from annotate.selectors.review import appeal_rights, records, reviews, screening
from annotate.selectors.review.effects import Effects
from annotate.selectors.review.queues import CaseKey
from annotate.selectors.review.reviews import Case, RuledReview

Kind = LedgerEntry.Kind
Key = tuple[int, int]  # a campaign's id and an annotator's


class Together(NamedTuple):
    """One person among several. others: the names of those who answer this appeal instead."""

    case: Case
    effects: Effects
    others: list[str]


def of(user_id: int, keys: Collection[CaseKey]) -> list[Together]:
    """Return these reviews in the order of `keys`, without those that this person may not see.

    Pay is refused one person at a time, so the effects say that none can be refused here.
    """
    rows = _rows(user_id, keys)
    ids = [row.pk for row in rows]
    flags, rulings, appeals = records.flags(ids), _rulings(ids), records.appeals_of(ids)
    answerers = appeal_rights.of_reviews(ids)
    sums = _Sums(rows)
    found = {}
    for row in rows:
        appeal_waits = any(one.answered_at is None for one in appeals[row.pk])
        who = answerers[row.pk]
        others = who.names if appeal_waits and who.bars(user_id) else []
        case = _case(row, flags[row.pk], rulings[row.pk], appeals[row.pk], sums)
        found[CaseKey(case.campaign, case.pseudonym)] = Together(case, sums.effects(row), others)
    return [found[key] for key in keys if key in found]


def _rows(user_id: int, keys: Collection[CaseKey]) -> list[Any]:
    mine = reviews.of_user(user_id).filter(
        campaign__public_id__in={key.campaign for key in keys},
        annotator__pseudonym__in={key.pseudonym for key in keys},
    )
    rows = mine.select_related("campaign", "annotator").annotate(
        blocked=Exists(reviews.blocks_of_review())
    )
    wanted = set(keys)
    return [
        row for row in rows if CaseKey(row.campaign.public_id, row.annotator.pseudonym) in wanted
    ]


def _rulings(review_ids: Collection[int]) -> defaultdict[int, tuple[RuledReview, ...]]:
    found: defaultdict[int, tuple[RuledReview, ...]] = defaultdict(tuple)
    rows = Ruling.objects.filter(review__in=review_ids).select_related("actor").order_by("pk")
    for row in rows:
        found[row.review_id] += (reviews.ruled_review(row),)
    return found


def _case(
    row: Any,
    flags: tuple[records.Fired, ...],
    rulings: tuple[RuledReview, ...],
    appeals: tuple[records.AppealRecord, ...],
    sums: "_Sums",
) -> Case:
    return Case(
        campaign_id=row.campaign_id,
        campaign=row.campaign.public_id,
        campaign_name=row.campaign.name,
        campaign_status=row.campaign.status,
        closed_at=row.campaign.closed_at,
        language=row.campaign.language,
        annotator_id=row.annotator_id,
        pseudonym=row.annotator.pseudonym,
        review_id=row.pk,
        status=row.status,
        pay_refused=row.pay_refused,
        blocked=row.blocked,
        since=row.opened_at,
        judgments=sums.judgments[row.campaign_id, row.annotator_id],
        flags=flags,
        rulings=rulings,
        appeals=appeals,
        trail=(),
    )


class _Sums:
    """Judgments and money of several people in their campaigns; five queries."""

    def __init__(self, rows: Collection[Review]) -> None:
        campaigns = {row.campaign_id for row in rows}
        people = {row.annotator_id for row in rows}
        given = Judgment.objects.filter(campaign__in=campaigns, annotator__in=people)
        known = screening.known().filter(campaign__in=campaigns, annotator__in=people)
        out = Exclusion.objects.filter(
            judgment__campaign__in=campaigns, judgment__annotator__in=people, restored_at=None
        )
        paying = {
            "participation__campaign__in": campaigns,
            "participation__annotator__in": people,
        }
        entries = LedgerEntry.objects.filter(**paying)
        refused = Sum("amount", filter=Q(kind__in=(Kind.REFUSAL, Kind.REINSTATEMENT)))
        by_judge, by_payee = ("campaign", "annotator"), "participation__"
        self.judgments = _counted(known, by_judge)
        self.counting = _counted(given.filter(assignment__slot__isnull=False), by_judge)
        self.excluded = _counted(out, ("judgment__campaign", "judgment__annotator"))
        payee = (f"{by_payee}campaign", f"{by_payee}annotator")
        self.earned = _money(entries, payee, all=Sum("amount"), refused=refused)
        self.paid = _money(Payout.objects.filter(**paying), payee, all=Sum("amount"))

    def effects(self, row: Any) -> Effects:
        key = (row.campaign_id, row.annotator_id)
        earned, paid = self.earned[key], self.paid[key]
        return Effects(
            counting=self.counting[key],
            excluded=self.excluded[key],
            due=(earned["all"] - paid["all"]).quantize(CENT),
            at_stake=ZERO,
            refused=-earned["refused"].quantize(CENT),
            undecided=0,
            refusable_until=None,
            paid_out=False,
            least_reason=1,
            crowd=adapters.label(row.campaign.crowd),
        )


def _counted(rows: QuerySet[Any], names: tuple[str, str]) -> defaultdict[Key, int]:
    counts: defaultdict[Key, int] = defaultdict(int)
    for campaign, person, n in rows.order_by().values_list(*names).annotate(n=Count("pk")):
        counts[campaign, person] = n
    return counts


def _money(
    rows: QuerySet[Any], names: tuple[str, str], **sums: Sum
) -> defaultdict[Key, Mapping[str, Decimal]]:
    nothing = dict.fromkeys((*sums, "refused"), ZERO)
    found: defaultdict[Key, Mapping[str, Decimal]] = defaultdict(lambda: nothing)
    for campaign, person, *amounts in (
        rows.order_by().values(*names).annotate(**sums).values_list(*names, *sums)
    ):
        found[campaign, person] = nothing | {
            name: amount or ZERO for name, amount in zip(sums, amounts, strict=True)
        }
    return found
