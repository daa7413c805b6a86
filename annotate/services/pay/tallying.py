"""Adds facts to tallies, each once: the only writer of `PersonTally` and `SpendingTally`.

Pages read tallies and the facts that are not in them yet, so a tally that is behind costs time and
never a figure. The reasons are in `docs/decisions/037-tallies.md`.
"""

from collections import defaultdict
from dataclasses import astuple, fields
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from annotate.models import PersonTally, SpendingTally, TallyProgress
from annotate.selectors.pay import tallies
from annotate.selectors.pay.tallies import FACTS, Sums, Upto

STEP = 100_000  # facts of a kind in one transaction
SETTLED = timedelta(seconds=5)  # an id may be given a moment before its transaction has a number
AT_ONCE = 200  # keys in one query
# Transactions of all databases of a server are numbered together, and each locks its own number. A
# lock has 32 bits of it; how far it is from this transaction's number tells the rest.
GOING_HERE = """
SELECT count(*) FROM pg_locks LEFT JOIN pg_stat_activity AS session USING (pid)
WHERE locktype = 'transactionid' AND granted AND txid_current() - age(transactionid) < %s
    AND coalesce(session.datname, current_database()) = current_database()
"""
NAMES = tuple(field.name for field in fields(Upto))


def advance() -> int:
    """Add what is settled to the tallies; return how many people it concerned. Safe to repeat."""
    n = 0
    while (found := _step()) is not None:
        n += found
    return n


def rebuild() -> None:
    """Make the tallies again from all facts, in later calls of `advance`."""
    with transaction.atomic():
        _locked().delete()
        PersonTally.objects.all().delete()
        SpendingTally.objects.all().delete()


def recount(campaign_id: int) -> int:
    """Return for how many people, and the campaign itself, the tallies differ from the facts.

    Call it in a transaction.
    """
    upto = Upto.of(_locked())
    facts = tallies.since(Upto(), upto, campaign_id=campaign_id)
    rows = PersonTally.objects.filter(campaign=campaign_id)
    kept = {
        (campaign_id, row.annotator_id): Sums(*(getattr(row, name) for name in tallies.COLUMNS))
        for row in rows
    }
    spent = sum(sums.earned - sums.refused + sums.fees for sums in facts.values())
    noted = SpendingTally.objects.filter(campaign=campaign_id).values_list("amount", flat=True)
    wrong = sum(kept.get(key) != facts.get(key) for key in kept.keys() | facts.keys())
    return wrong + (tallies.cents(noted.first()) != spent)


@transaction.atomic
def _step() -> int | None:
    """Add at most `STEP` facts of each kind; None where nothing is settled."""
    progress = _locked()
    after, upto = Upto.of(progress), Upto.of(progress, "next_")
    if after == upto:
        _note(progress)
        after, upto = Upto.of(progress), Upto.of(progress, "next_")
    if after == upto or not _is_settled(progress):
        return None
    upto = Upto(*(_end(name, getattr(after, name), getattr(upto, name)) for name in NAMES))
    found = tallies.since(after, upto)
    _add(found)
    _spend(found)
    progress.judgment, progress.entry, progress.payout, progress.assignment = astuple(upto)
    progress.save()
    return len(found)


def _locked() -> TallyProgress:
    TallyProgress.objects.get_or_create(pk=1)
    return TallyProgress.objects.select_for_update().get(pk=1)


def _note(progress: TallyProgress) -> None:
    """Note the newest ids, and then which transactions may still add facts with lower ones.

    Those with a lower number than this transaction, which is later than all that have one. A
    snapshot does not say that: its end is the first number after those that are over.
    """
    newest = [_newest(name, getattr(progress, name)) for name in NAMES]
    progress.next_judgment, progress.next_entry, progress.next_payout = newest[:3]
    progress.next_assignment = newest[3]
    progress.horizon = _asked("SELECT txid_current()")
    progress.noted_at = timezone.now()
    progress.save()


def _newest(name: str, least: int) -> int:
    newest = FACTS[name].order_by("-pk").values_list("pk", flat=True).first()
    return max(newest or 0, least)


def _is_settled(progress: TallyProgress) -> bool:
    assert progress.noted_at is not None
    if timezone.now() - progress.noted_at < SETTLED:
        return False
    return _asked(GOING_HERE, progress.horizon) == 0


def _asked(query: str, *values: int) -> int:
    """Return the number that a query answers."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return int(cursor.fetchone()[0])


def _end(name: str, after: int, upto: int) -> int:
    """Return the id of the last fact of this step."""
    rows = FACTS[name].filter(pk__gt=after, pk__lte=upto).order_by("pk")
    last = rows.values_list("pk", flat=True)[STEP - 1 : STEP].first()
    return upto if last is None else last


def _add(found: dict[tallies.Key, Sums]) -> None:
    keys = sorted(found)
    known: dict[tallies.Key, PersonTally] = {}
    for campaign in {campaign for campaign, _annotator in keys}:
        theirs = [annotator for one, annotator in keys if one == campaign]
        for first in range(0, len(theirs), AT_ONCE):
            rows = PersonTally.objects.filter(
                campaign=campaign, annotator__in=theirs[first : first + AT_ONCE]
            )
            known |= {(row.campaign_id, row.annotator_id): row for row in rows}
    rows_ = [_row(key, found[key], known.get(key)) for key in keys]
    PersonTally.objects.bulk_create(
        rows_,
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["campaign", "annotator"],
        update_fields=list(tallies.COLUMNS),
    )


def _spend(found: dict[tallies.Key, Sums]) -> None:
    """Add what people earned, and the fees, to what their campaigns have spent."""
    cents: dict[int, int] = defaultdict(int)
    for (campaign, _annotator), sums in found.items():
        cents[campaign] += sums.earned - sums.refused + sums.fees
    for campaign, n in cents.items():
        tally, _made = SpendingTally.objects.get_or_create(campaign_id=campaign)
        tally.amount += tallies.amount(n)
        tally.save()


def _row(key: tallies.Key, part: Sums, before: PersonTally | None) -> PersonTally:
    sums = Sums(*(getattr(before, name) for name in tallies.COLUMNS)) if before else Sums()
    sums += part
    values = {name: getattr(sums, name) for name in tallies.COLUMNS}
    return PersonTally(campaign_id=key[0], annotator_id=key[1], **values)
