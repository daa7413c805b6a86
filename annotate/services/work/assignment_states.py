"""The only writer of an assignment's status (data rule 2). `slots` records who holds a slot."""

from collections.abc import Collection
from typing import Any

from annotate.models import Assignment
from annotate.services import audit, transitions

Status = Assignment.Status

# Late work is submitted after its lease has ended. Judged work is lost and restored with its unit.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.LEASED: frozenset({Status.SUBMITTED, Status.VERIFIED, Status.RETURNED, Status.EXPIRED}),
    Status.SUBMITTED: frozenset({Status.VERIFIED, Status.RETURNED}),
    Status.VERIFIED: frozenset({Status.RETURNED}),
    Status.RETURNED: frozenset({Status.SUBMITTED, Status.VERIFIED}),
    Status.EXPIRED: frozenset({Status.SUBMITTED, Status.VERIFIED}),
}
# Other moves are recorded elsewhere: a submission by its judgment, a verification by the audit row
# of the confirmed participation.
AUDITED = (Status.RETURNED, Status.EXPIRED)


def move(
    assignments: Collection[int],
    to: Status,
    *,
    campaign_id: int,
    sources: Collection[Status],
    **fields: Any,
) -> int:
    """Move from one of `sources` to `to`, in the caller's transaction; return how many moved.

    assignments: ids from one campaign. The caller has locked them, in one of `sources`, if there
        are several. `fields` change along with the status.
    """

    def record() -> None:
        subjects = [f"assignment:{pk}" for pk in assignments]
        audit.record_each(to.value, campaign_id=campaign_id, subjects=subjects)

    mine = Assignment.objects.filter(pk__in=assignments)
    recorder = record if to in AUDITED else transitions.elsewhere
    moved = transitions.change(mine, TRANSITIONS, to, sources=sources, record=recorder, **fields)
    assert moved in (0, len(assignments)), "several assignments move only if they are locked"
    return moved
