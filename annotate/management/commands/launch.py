"""`manage.py launch CAMPAIGN --places 20 --title T --description D`: a batch from a terminal."""

import uuid
from argparse import ArgumentParser
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.campaigns import amendments, facts
from annotate.common.errors import Conflict, Invalid, ServiceError
from annotate.crowds import batches
from annotate.crowds.adapters import CrowdEnvironment, world_of_posting
from annotate.crowds.batches import Offer
from annotate.crowds.contract import USUAL_AUTO_APPROVAL, Audience, Terms
from annotate.crowds.postings import by_field
from annotate.management.plan_options import money

DEFAULTS = Terms(title="", description="")


class Command(BaseCommand):
    help = (
        "Shows the cost of a batch of a campaign and the reasons against it. With --confirm TOTAL, "
        "the total that was shown, it is launched. Without a worker, `manage.py sync` publishes it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the public id, as in its address")
        parser.add_argument("--places", type=int, help="submissions; by default all missing")
        parser.add_argument("--confirm", type=money, metavar="TOTAL", help="launch it for this")
        parser.add_argument(
            "--environment", default="", help="the one that was shown; needed for real money"
        )
        parser.add_argument(
            "--key", default="", help="of this request: the same key launches only once"
        )
        parser.add_argument(
            "--fee-rate",
            type=money,
            help="let the campaign calculate with this fee from now on: 0.4286 is 42.86 %%",
        )
        _add_terms(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        campaign_id = facts.campaign_id_of(options["campaign"])
        if campaign_id is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        if options["fee_rate"] is not None:
            _reckon(campaign_id, options["fee_rate"])
        if options["tasks"] is None:
            options["tasks"] = batches.usual_tasks(campaign_id)
        try:
            terms = _terms(options)
        except (OverflowError, ValueError):
            raise CommandError("Minutes, hours and days are numbers of usual size.") from None
        if options["key"] and (made := batches.made_with(campaign_id, options["key"])):
            self.stdout.write(f"Batch {made.public_id} was launched with this key already.")
            return
        places = options["places"]
        if places is None:
            places = _suggested(campaign_id, terms.tasks)
        offer = batches.offer(campaign_id, terms, places=places)
        self.stdout.write(_in_words(offer))
        if problems := by_field(offer.problems):
            lines = [f"{name}: {message}" for name, message in problems.items()]
            raise CommandError("\n".join(["It cannot be launched.", *lines]))
        if options["confirm"] is None:
            self.stdout.write(f"Nothing was launched. Add {_confirmation(offer)} to launch it.")
            return
        if _world(offer).is_real and options["environment"] != offer.environment:
            raise CommandError(f"This is real money: add {_confirmation(offer)} to launch it.")
        self._launch(campaign_id, terms, places, options)

    def _launch(self, campaign_id: int, terms: Terms, places: int, options: dict[str, Any]) -> None:
        try:
            batch = batches.launch(
                campaign_id,
                terms,
                places=places,
                actor_id=None,
                confirmed=options["confirm"],
                key=options["key"] or uuid.uuid4().hex,
            )
        except ServiceError as error:
            raise CommandError(f"Nothing was launched. {error.message}") from None
        self.stdout.write(
            f"Launched batch {batch.public_id}: the worker publishes it now; without one, run "
            "`manage.py sync`."
        )


def _add_terms(parser: ArgumentParser) -> None:
    given = parser.add_argument_group("terms")
    given.add_argument("--title", required=True)
    given.add_argument("--description", required=True)
    given.add_argument("--keyword", action="append", default=[], dest="keywords")
    given.add_argument(
        "--tasks", type=int, help="per submission; by default as last launched, or as suggested"
    )
    given.add_argument(
        "--minutes",
        type=float,
        default=DEFAULTS.minutes,
        help="that a submission takes, as announced",
    )
    given.add_argument(
        "--minutes-allowed", type=float, default=DEFAULTS.duration / timedelta(minutes=1)
    )
    given.add_argument(
        "--days",
        type=float,
        default=DEFAULTS.lifetime / timedelta(days=1),
        help="that it can be found at the crowd",
    )
    given.add_argument(
        "--review-hours",
        type=float,
        default=DEFAULTS.approve_after / timedelta(hours=1),
        help="before undisputed work is approved and paid",
    )
    given.add_argument(
        "--auto-approval-days",
        type=float,
        help=f"after which the crowd approves automatically ({USUAL_AUTO_APPROVAL.days})",
    )
    people = parser.add_argument_group("audience")
    people.add_argument("--country", action="append", default=[], metavar="CODE")
    people.add_argument("--language", action="append", default=[], metavar="CODE")
    people.add_argument("--approval-rate", type=int, help="percent of earlier work approved")
    people.add_argument("--approved-work", type=int, help="submissions approved before")


def _terms(options: dict[str, Any]) -> Terms:
    approval = options["auto_approval_days"]
    return Terms(
        title=options["title"],
        description=options["description"],
        keywords=tuple(options["keywords"]),
        tasks=options["tasks"],
        minutes=options["minutes"],
        duration=timedelta(minutes=options["minutes_allowed"]),
        lifetime=timedelta(days=options["days"]),
        auto_approval=None if approval is None else timedelta(days=approval),
        approve_after=timedelta(hours=options["review_hours"]),
        audience=Audience(
            countries=tuple(options["country"]),
            languages=tuple(options["language"]),
            approval_rate=options["approval_rate"],
            approved_work=options["approved_work"],
        ),
    )


def _reckon(campaign_id: int, share: Decimal) -> None:
    try:
        amendments.change_fee(campaign_id, share, actor_id=None)
    except Invalid as invalid:
        raise CommandError(" ".join(invalid.errors.values())) from None
    except Conflict as refused:
        raise CommandError(refused.message) from None


def _suggested(campaign_id: int, tasks: int) -> int:
    """Return what is missing, as far as the budget and the account cover it."""
    if tasks < 1:
        return 1
    if places := batches.suggested_places(campaign_id, tasks, balance=batches.balance(campaign_id)):
        return places
    raise CommandError(
        "There is nothing to launch: every planned judgment is given, in progress or offered "
        "already, or the budget or the account at the crowd covers no more."
    )


def _in_words(offer: Offer) -> str:
    where = f"{offer.label}, {offer.environment}" if offer.environment else offer.label
    asked = f"{offer.places} submissions of {offer.terms.tasks} tasks, {offer.judgments} judgments"
    if offer.gold:
        asked += f" and {offer.gold} gold items"
    if not offer.sizes:
        return f"{where}: {asked}."
    lines = [
        f"{where}: {asked}, in {offer.postings} posting{'s' if offer.postings != 1 else ''}.",
        f"  for each submission  {offer.money(offer.reward)}",
        f"  rewards        {offer.money(offer.bill.rewards)}",
        f"  fees           {offer.money(offer.bill.work.fee)}",
        *_bonuses(offer),
        f"  at most        {offer.money(offer.total)}",
        f"  balance there  {offer.money(offer.balance) or 'not known'}",
        f"  budget left    {offer.money(offer.left) or 'no limit'}",
    ]
    return "\n".join([*lines, *([f"  {offer.note}"] if offer.note else [])])


def _world(offer: Offer) -> CrowdEnvironment:
    return world_of_posting(offer.campaign.crowd, offer.environment)


def _confirmation(offer: Offer) -> str:
    real = f" --environment {offer.environment}" if _world(offer).is_real else ""
    return f"--confirm {offer.total}{real}"


def _bonuses(offer: Offer) -> list[str]:
    bonuses = offer.bill.bonuses
    if not bonuses.reward:
        return []
    return [
        f"  bonuses        {offer.money(bonuses.reward)}, for the tutorial, if all people are new",
        f"  fees on them   {offer.money(bonuses.fee)}",
    ]
