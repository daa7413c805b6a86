"""The lock of a campaign, and the order in which rows are locked.

Rows are locked in one order everywhere, or transactions could wait for each other in a circle:

1. the marks that an estimator clears, by primary key (`change_marks.clear`)
2. the campaign (`campaign`)
3. participations
4. assignments, by primary key where there are several
5. slots
6. tutorial runs
7. what only is added or deleted: judgments, ledger, drafts, marks, audit
8. batches, then postings, then operations of the outbox

A transaction may begin at any of them and must not go back: a transaction that holds an assignment
never asks for the campaign. On Postgres this includes an UPDATE that found its row changed and so
changed nothing: it had to wait, and keeps the row locked until its transaction ends. So a step that
may be repeated under the lock of the campaign is a separate transaction (`judgments._in_time`, then
`_late`).

Code that moves a marketplace's participation out of `active` locks the campaign first and ends its
open leases in the same transaction (`end_leases`). A submit is then either committed before, or
finds its lease ended and reads the participation under the lock.
"""

from annotate.models import Campaign


def campaign(campaign_id: int) -> Campaign:
    """Lock the campaign's row until the end of the transaction."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
