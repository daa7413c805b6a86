"""How people come: by link, or through the stand-in for MTurk, whose records are compared."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User

from annotate.campaigns import facts
from annotate.common.tokens import invitation_token
from annotate.crowds import adapters, batches, reconciling
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import Terms
from annotate.models import Participation, Payout
from annotate.models.base import CampaignStatus
from annotate.pay import budget as pay_budget
from annotate.pay import settling, tallies
from annotate.review.rulings import Act
from extras.demo import people
from extras.demo.environment import free_port
from extras.mturk_simulator import workers
from extras.mturk_simulator.server import RunningServer, serve
from extras.mturk_simulator.world import AssignmentState, World

ZERO = Decimal("0.00")


def compared(campaign_id: int, world: World) -> dict[str, Any]:
    """Return the crowd's records, our ledger, and whether they agree.

    waiting: extra pay of people without a submission, whom no bonus can reach.
    """
    rows = crowds_queries.of_campaign(campaign_id)
    every = tallies.accounts_of_campaign(campaign_id)
    bonuses = Payout.objects.filter(participation__campaign=campaign_id, entry__isnull=False)
    ours = {
        "hits": {one.posting.external_id for row in rows for one in row.postings} - {""},
        "approved": sum(row.units.approved for row in rows),
        "rejected": sum(row.units.rejected for row in rows),
        "bonuses": bonuses.count(),
    }
    with world.lock:
        units = [*world.assignments.values(), *world.earlier]
        approved = [one for one in units if one.state == AssignmentState.APPROVED]
        theirs = {
            "hits": set(world.hits),
            "approved": len(approved),
            "rejected": sum(one.state == AssignmentState.REJECTED for one in units),
            "bonuses": len(world.bonuses),
        }
        rewards = [(one.worker, one.hit.type.reward) for one in approved]
        paid = _by_person([*rewards, *((one.worker, one.amount) for one in world.bonuses)])
    due = _by_person((one.external_id, one.due) for one in every)
    waiting = sum((amount for who, amount in due.items() if who not in paid), ZERO)
    sums = tallies.totals(every)
    same = ours == theirs and paid == _by_person((one.external_id, one.paid) for one in every)
    return {
        **theirs,
        "hits": len(world.hits),
        "paid": str(sum(paid.values(), ZERO)),
        "ledger": str(sums.earned - sums.refused),
        "waiting": str(waiting),
        "agree": same and sums.due == waiting,
    }


def quiet(campaign_id: int) -> bool:
    """Return whether nothing is open at the crowd, and no one there waits for a decision."""
    if crowds_queries.operations_move(crowds_queries.operation_counts(campaign_id)):
        return False
    rows = crowds_queries.of_campaign(campaign_id)
    return all(row.is_over and not row.units.handed_in + row.units.confirmed for row in rows)


def _by_person(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Return what each person has received; people without pay are left out."""
    found: dict[str, Decimal] = {}
    for who, amount in amounts:
        found[who] = found.get(who, ZERO) + amount
    return {who: amount for who, amount in found.items() if amount}


FUNDS = Decimal(1000)
SUPPLY = 2.0  # seconds between two checks for free units
Acts = Sequence[Act]


@dataclass(frozen=True)
class Place:
    """An address, and what to do there."""

    name: str
    address: str
    do: str


class ByLink:
    """How people find the campaign, enter and are paid: here they follow the open invitation.

    against: the stand-in reviewer's acts against careless work; the first possible one is used.
    minutes: its duration, in words. note, ending: further information, before and after the
        campaign has closed.
    """

    crowd = "link"
    budget = Decimal(450)
    against: Sequence[Acts] = ([Act.EXCLUDE],)
    minutes = "three minutes"
    note = ending = invitation = ""
    by: type[people.DemoVisit] = people.DemoVisit

    def environment(self) -> dict[str, str]:
        """Return the additional environment variables of the demonstration."""
        return {}

    def ready(self) -> AbstractContextManager[None]:
        """Run what must exist before the campaign."""
        return nullcontext()

    def begin(self, campaign_id: int) -> None:
        """Announce the open campaign."""
        self.invitation = f"{settings.PUBLIC_URL}/work/join/{invitation_token(campaign_id)}/"

    @property
    def start(self) -> str:
        """The address where people begin."""
        return self.invitation

    def name(self, person: people.DemoPerson) -> str:
        """Return this person's name in the campaign."""
        return person.name

    def supply(self, campaign_id: int) -> None:
        """Keep work on offer while the campaign collects. The invitation is always available."""

    def unconfirmed(self, campaign_id: int) -> int:
        """Return how many submitted units the crowd has not confirmed."""
        return 0

    def settled(self, campaign_id: int) -> bool:
        """Compare with the crowd; return whether nothing is in progress."""
        return True

    def report(self, campaign_id: int) -> dict[str, Any]:
        return {}

    def places(self, dashboard: str) -> list[Place]:
        """Return further places to look at, besides the dashboard."""
        return [Place("Annotator", self.invitation, "enter any name and judge along")]

    def told(self, result: dict[str, Any]) -> str:
        """Return the result in words."""
        return ""


class OnMTurk(ByLink):
    """People find HITs on a stand-in for MTurk that runs in this process. It is not Amazon."""

    crowd = "mturk"
    by = people.OnSite
    budget = Decimal(900)
    against: Sequence[Acts] = ([Act.EXCLUDE, Act.REFUSE], [Act.EXCLUDE])
    minutes = "four minutes"  # work counts once its whole unit is confirmed
    note = (
        "The crowd is a stand-in for MTurk on this machine, not Amazon: it needs no account, and "
        "no one is paid.\nSubmit or return what you accept there: the campaign waits for it, up "
        "to 15 minutes.\n"
    )
    ending = "Its HITs have expired; the last work is being approved and paid, for a minute.\n"

    def __init__(self, *, look: int, approve_after: timedelta) -> None:
        """look: seconds between two comparisons with the crowd. approve_after: reviewers' time."""
        self.look = look
        self.terms = Terms(
            "Rate short news summaries",
            "Read five short texts, answer three questions about each, and correct the errors.",
            ("news", "reading", "rating", "summaries"),
            tasks=5,
            minutes=6,
            duration=timedelta(minutes=15),
            lifetime=timedelta(days=1),
            auto_approval=timedelta(days=3),
            approve_after=approve_after,
        )
        self.endpoint: RunningServer
        self._looked = 0.0
        self._launched = 0

    def environment(self) -> dict[str, str]:
        """Point the product at the stand-in, without real credentials and with short intervals."""
        return {
            "MTURK_ENDPOINT_URL": f"http://localhost:{free_port()}",
            "AWS_ACCESS_KEY_ID": "demonstration",
            "AWS_SECRET_ACCESS_KEY": "of-nobody",
            "DEMO_LOOK_SECONDS": str(self.look),
        }

    @contextmanager
    def ready(self) -> Iterator[None]:
        port = urlsplit(adapters.setting("MTURK_ENDPOINT_URL")).port or 0
        with serve(port, balance=FUNDS) as self.endpoint:
            yield

    def begin(self, campaign_id: int) -> None:
        self.supply(campaign_id)

    def name(self, person: people.DemoPerson) -> str:
        return workers.worker_id(person.name)

    @property
    def start(self) -> str:
        return self.endpoint.url

    def supply(self, campaign_id: int) -> None:
        """Launch more units when none are left, as a researcher would.

        It also decides to pay units that were submitted with less work than they held.
        """
        now = time.monotonic()
        if now - self._looked < SUPPLY:
            return
        self._looked = now
        self._decide(campaign_id)
        if facts.design(campaign_id).status != CampaignStatus.OPEN:
            return
        left = any(one.units for one in pay_budget.untaken(campaign_id))
        if not left and (places := batches.suggested_places(campaign_id, self.terms.tasks)):
            self._launch(campaign_id, places)

    def _launch(self, campaign_id: int, places: int) -> None:
        self._launched += 1
        offer = batches.offer(campaign_id, self.terms, places=places)
        batches.launch(
            campaign_id,
            self.terms,
            places=places,
            actor_id=User.objects.get().pk,
            confirmed=offer.total,
            key=f"demonstration-{self._launched}",
        )

    def _decide(self, campaign_id: int) -> None:
        for unit in pay_budget.disputed(campaign_id):
            settling.accept(unit.pk, actor_id=User.objects.get().pk)

    def unconfirmed(self, campaign_id: int) -> int:
        units = Participation.objects.filter(campaign=campaign_id)
        return units.filter(status=Participation.Status.HANDED_IN).count()

    def settled(self, campaign_id: int) -> bool:
        reconciling.reconcile_all(all_=True)
        self._decide(campaign_id)
        return quiet(campaign_id)

    def report(self, campaign_id: int) -> dict[str, Any]:
        return {"crowd": compared(campaign_id, self.endpoint.state)}

    def places(self, dashboard: str) -> list[Place]:
        site = self.endpoint.url
        return [
            Place("Batches", f"{dashboard}batches/", "what is published, submitted, decided, paid"),
            Place("Worker", f"{site}/?worker=you", "be a worker: accept a HIT, do it, hand it in"),
            Place("Requester", f"{site}/requester", "all that the stand-in for MTurk knows"),
        ]

    def told(self, result: dict[str, Any]) -> str:
        said = result["crowd"]
        agree = "Both sides agree." if said["agree"] else "The two sides do NOT agree."
        return (
            f"The crowd paid ${said['paid']} for {said['approved']} assignments in {said['hits']} "
            f"HITs and {said['bonuses']} bonuses, and rejected {said['rejected']}; our ledger says "
            f"${said['ledger']}. {agree}\n"
        )


class NoStandIn(Exception):
    """This crowd cannot be shown without an account. The message says which can."""


def coming_by(crowd: str, *, quick: bool) -> ByLink:
    """Return how people come from this crowd. Raises `NoStandIn`."""
    if crowd == ByLink.crowd:
        return ByLink()
    if crowd == OnMTurk.crowd:
        if quick:
            return OnMTurk(look=1, approve_after=timedelta(seconds=5))
        return OnMTurk(look=3, approve_after=timedelta(seconds=60))
    raise NoStandIn(
        f"There is a stand-in for MTurk only, so {adapters.crowd_label(crowd)} cannot be shown "
        "without an account: try “make demo CROWD=mturk”, or “make demo” for people who come by "
        "link. How to use Prolific for real is in docs/crowds.md."
    )
