"""The dashboard of a campaign: its activity in sentences, and all its content as one value."""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from itertools import groupby
from string import Formatter
from typing import Any
from urllib.parse import urlencode

from django.utils import timezone

from annotate.campaigns import (
    exports,
    members,
    planner,
)
from annotate.campaigns import (
    facts as campaigns_facts,
)
from annotate.campaigns import (
    lists as campaigns_lists,
)
from annotate.campaigns import (
    progress as campaigns_progress,
)
from annotate.campaigns.lists import CampaignFacts
from annotate.campaigns.progress import Availability, Liveness, Progress
from annotate.common.numbers import many, money_text
from annotate.models import AuditEntry
from annotate.models.base import CampaignStatus as Status
from annotate.models.base import CloseReason
from annotate.pay import budget
from annotate.pay import queries as pay_queries
from annotate.pay.budget import Deadline, HighestCost
from annotate.review import effects, eligibility
from annotate.review.effects import ExcludedCounts, RulingStatistics
from annotate.screening.base import LISTED
from annotate.work import admission
from annotate.work.admission import PublishedWork
from estimation import read
from estimation.core.planning import Forecast
from estimation.models import Decision, EndForecast, MetricScore
from estimation.pages import criteria, numbers
from estimation.pages.advice import Advice, Outlook, advise, told_late
from estimation.pages.criteria import (
    Adjustment,
    ContrastTable,
    CriterionRow,
    Saving,
    ShownCell,
    criterion_rows,
    notices_of,
)
from estimation.pages.numbers import Sensitivity, ShownAgreement
from estimation.read import Awaited

ZERO = Decimal(0)

# The activity log in sentences: acts of people, and decisions of stopping rules.


SHOWN = 12
PAGE = 50  # entries
LOOKED_AT = 120  # entries that are read; repeated ones are merged

_VERBS = {
    "create": "created the campaign with {outputs:output}",
    "import_judgments": "imported {judgments:judgment} made elsewhere",
    "open": "opened it for judgments",
    "pause": "paused it",
    "close": "ended collection: {why}",
    "finish": "closed it",
    "resume": "went on collecting",
    "reopen": "reopened it: {why}",
    "bound_metrics": "let metrics enter estimates bounded: {why}",
    "archive": "archived it",
    "delete": "deleted the draft",
    "stop_system": "ended the sample of {which}",
    "resume_system": "let {which} collect again",
    "flag": "stopped an annotator for a review",
    "list": "listed an annotator as worth a look",
    "unlist": "took an annotator off the list of those worth a look",
    "put_signals_aside": "put aside what the page of an annotator had signalled",
    "review": "began to review an annotator",
    "clear": "cleared an annotator",
    "exclude": "excluded an annotator’s work",
    "restore": "brought an annotator’s work back",
    "refuse": "refused an annotator’s pay",
    "repay": "restored an annotator’s pay",
    "block": "blocked an annotator from future work",
    "unblock": "lifted the block on an annotator",
    "appeal": "received an annotator’s appeal",
    "dismiss_appeal": "dismissed an annotator’s appeal",
    "supersede": "stored an annotator’s correction of a text",
    "correct_gold": "stored an annotator’s correction of a gold item, whose first answer counts",
    "launch": "launched a batch of {places:place} for at most {cost:$}",
    "extend": "added {places:place} to a batch for at most {cost:$}",
    "stop_batch": "stopped a batch",
    "unit_accepted": "decided to pay a submission in doubt",
    "raise_budget": "raised the budget from {was:$} to {now:$}",
    "fee": "changed its fee from {was} to {now}",
    "payout_list": "listed {amount:$} for {people:person,people} to be paid by hand",
    "paid_out": "marked {amount:$} for {people:person,people} as paid",
    "payout_undone": "took back that {amount:$} was paid",
    "bonus": "gave an annotator a bonus of {amount:$}",
    "compensation": "gave an annotator a compensation of {amount:$}",
    "compensation_needed": "kept late work that the budget does not pay",
    "tutorial_bonus_due": "let a promised bonus of {amount:$} fall due",
    "failed_try_due": "let {amount:$} for a failed tutorial fall due",
    "failed_try_too_fast": "paid nothing for a failed tutorial that nobody could have read",
    "tutorial_bonuses_due": "let the promised bonuses of {people:person,people} fall due",
    "refill": "offered {gaps:gap} to new people",
    "operation_decided": "said whether an operation at the crowd happened ({kind})",
    "operation_retried": "retried an operation at the crowd ({kind})",
    "operation_dropped": "dropped an operation at the crowd ({kind})",
    "look": "compared its postings with the crowd",
    "retitle": "changed what annotators read: “{title}”",
    "amend_texts": "changed what annotators read: {changed}",
    "amend_screens": "changed the settings of the screens: {changed}",
    "gold_added": "added {items:gold item}",
    "gold_confirmed": "confirmed {items:gold item}",
    "gold_removed": "removed {items:gold item}",
    "gold_share": "made {now} of 25 tasks gold items (before: {was})",
    "add_reviewer": "added {name} as a reviewer",
    "invite": "made an invitation as {role}",
    "revoke_invitation": "withdrew an invitation as {role}",
    "join": "joined as {role}",
    "change_role": "changed the role of {name} from {was} to {role}",
    "remove_member": "took the role of {role} from {name}",
    "leave": "left the campaign, and was its {role}",
    "withdraw_links": "withdrew the links for annotators",
    "release_expert": "released the expert {expert}: {why}",
    "replace_expert": "replaced the expert {expert} by {replacement}: {why}",
    "subscribe": "asked to be told what happens, by {channel}",
    "unsubscribe": "ended notifications by {channel}",
    "budget_low": "noticed that 80 % of the budget is spent or promised",
}
_ICONS: dict[str, str] = {
    Decision.Verb.STOP_SYSTEM: "check",
    Decision.Verb.CLOSE: "stop",
    Decision.Verb.FINISH: "check",
}
# A rule's acts are shown by its decisions, which say more than the log.
_OF_RULES = {"close", "finish", "resume", "stop_system", "resume_system"}


@dataclass(frozen=True)
class ActivityLine:
    at: datetime
    icon: str
    who: str
    text: str
    times: int = 1  # consecutive repetitions; the last one is shown


Before = tuple[int | None, int | None]  # entries before this act, and before this decision


def _named(name: str, verbs: str) -> tuple[str, frozenset[str]]:
    return name, frozenset(verbs.split())


# The parts of the log: the name of each, and the verbs of its acts (None: all).
PARTS: Mapping[str, tuple[str, frozenset[str] | None]] = {
    "all": ("Everything", None),
    "campaign": _named(
        "Campaign",
        "create imported import_judgments open pause close finish resume reopen archive delete "
        "stop_system resume_system bound_metrics fee raise_budget "
        "retitle amend_texts amend_screens gold_added gold_confirmed gold_removed gold_share "
        "add_reviewer invite revoke_invitation join change_role "
        "remove_member leave withdraw_links release_expert replace_expert "
        "subscribe unsubscribe budget_low",
    ),
    "reviews": _named(
        "Reviews",
        "flag review list unlist put_signals_aside clear exclude restore refuse repay block "
        "unblock appeal dismiss_appeal supersede correct_gold",
    ),
    "crowd": _named(
        "Crowd",
        "launch extend stop_batch refill look operation_decided operation_retried "
        "operation_dropped unit_accepted",
    ),
    "pay": _named(
        "Pay",
        "paid_out payout_list payout_undone tutorial_bonuses_due tutorial_bonus_due "
        "failed_try_due failed_try_too_fast bonus "
        "compensation compensation_needed",
    ),
}
WITH_DECISIONS = ("all", "campaign")  # parts that show what rules decided, too
_PLACE = re.compile(r"(\d{0,18})-(\d{0,18})", re.ASCII)


def asked(query: Mapping[str, str]) -> tuple[str, Before]:
    """Read which part and page an address asks for; what makes no sense asks for the first one."""
    show, place = query.get("show", ""), _PLACE.fullmatch(query.get("before", ""))
    act, decision = (int(one) if one else None for one in place.groups()) if place else (None, None)
    return show if show in PARTS else "all", (act, decision)


def lines(campaign_id: int, *, limit: int = SHOWN) -> tuple[ActivityLine, ...]:
    shown, _older = activity_page(campaign_id, "all", size=LOOKED_AT)
    return shown[:limit]


def activity_page(
    campaign_id: int, part: str, before: Before = (None, None), *, size: int = PAGE
) -> tuple[tuple[ActivityLine, ...], str]:
    """Return one page of acts and decisions, the newest first; two queries.

    Also the address of the next page, after its path; "" on the last one.

    Each of the two is read on from the last one shown, by its id, so that all pages together show
    each entry once while new ones arrive.
    """
    (_name, verbs), (last_act, last_decision) = PARTS[part], before
    found = exports.acts_of(campaign_id, verbs=verbs).exclude(actor=None, verb__in=_OF_RULES)
    if last_act is not None:
        found = found.filter(pk__lt=last_act)
    acts = deque(found[: size + 1])
    decided: deque[Decision] = deque()
    if part in WITH_DECISIONS:
        rows = Decision.objects.filter(campaign=campaign_id).order_by("-id")
        if last_decision is not None:
            rows = rows.filter(pk__lt=last_decision)
        decided += rows[: size + 1]
    shown: list[ActivityLine] = []
    while len(shown) < size and (acts or decided):
        if acts and (not decided or acts[0].at >= decided[0].at):
            act = acts.popleft()
            last_act = act.id
            shown.append(ActivityLine(act.at, "", act.who or "Plumbline", sentence(act)))
        else:
            rule = decided.popleft()
            last_decision = rule.pk
            icon = _ICONS.get(rule.verb, "info")
            shown.append(ActivityLine(rule.at, icon, "Plumbline", rule.text))
    asked_next = {"show": part, "before": f"{last_act or ''}-{last_decision or ''}"}
    return tuple(_told_once(shown)), f"?{urlencode(asked_next)}" if acts or decided else ""


def _told_once(ordered: list[ActivityLine]) -> list[ActivityLine]:
    runs = (list(run) for _, run in groupby(ordered, key=lambda line: (line.who, line.text)))
    return [replace(run[0], times=len(run)) for run in runs]


def sentence(act: AuditEntry) -> str:
    """Return the predicate, such as "closed the campaign"."""
    sentence = _VERBS.get(act.verb)
    if sentence is None:  # a subject may be a name with braces, so it is not formatted
        return f"{act.verb.replace('_', ' ')} {act.subject}".rstrip()
    more = {"which": act.subject.partition(":")[2]}
    if act.verb == "flag" and act.detail.get("tier") == LISTED:
        sentence = _VERBS["list"]
    return _Sentence().vformat(sentence, (), _Details(act.detail | more))


class _Sentence(Formatter):
    """Formats counts and amounts.

    `{places:place}` gives a number with its noun (`person,people` for an irregular plural),
    `{cost:$}` an amount.
    """

    def format_field(self, value: Any, form: str) -> str:
        if not form or not isinstance(value, int | str | Decimal) or value == "":
            return str(value)
        return money_text(Decimal(value)) if form == "$" else many(int(value), *form.split(","))


class _Details(dict[str, Any]):
    """The details of a log entry; values that an old entry lacks are left out."""

    def __missing__(self, key: str) -> str:
        if key == "changed":
            return ", ".join(_readable(name) for name in sorted(self.get("changes", ())))
        if key != "why":
            return ""
        reason = self.get("reason", "")
        return str(CloseReason(reason).label if reason in CloseReason.values else reason)


def _readable(path: str) -> str:
    """Return `too fast: seconds` for `too_fast.seconds`."""
    return path.replace("_", " ").replace(".", ": ")


# The content of the dashboard, as one value: equal values mean that nothing has changed.


LIVE = (Status.OPEN, Status.CLOSING)
COLLECTS = (Status.OPEN, Status.PAUSED, Status.CLOSING)
SOON = timedelta(days=2)  # a deadline this near is mentioned


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    """What the dashboard shows, and what its advice is made from.

    price: of one judgment, with the crowd's fee. most: the highest cost of all planned judgments.
    n_pending: counting judgments whose scores take long.
    n_waiting: annotators who wait for a reviewer's ruling.
    n_in_doubt: paid units that wait for a decision.
    near: when the crowd automatically pays units that are held here.
    at_closing: width, and whether it was at its target, by system and criterion.
    limit: what forbids any further lease.
    reserved: the rest of the budget is reserved for work in progress.
    deadline_soon: it is near enough to mention.
    due: pay by hand, computed once the campaign is closed.
    expected: what a draft is expected to take, by its plan.
    short: what the budget lacks for one more place at the crowd.
    """

    facts: CampaignFacts
    progress: Progress
    price: Decimal
    most: HighestCost
    rows: tuple[CriterionRow, ...]
    metric_done: int = 0
    n_pending: int = 0
    at: datetime | None = None
    lines: tuple[ActivityLine, ...] = ()
    comparisons: tuple[ContrastTable, ...] = ()
    ranking: numbers.Rankings = field(default_factory=numbers.Rankings)
    n_waiting: int = 0
    agreed: tuple[ShownAgreement, ...] = ()
    excluded: ExcludedCounts = field(default_factory=ExcludedCounts)
    conduct: RulingStatistics = field(default_factory=RulingStatistics)
    forecast: EndForecast | None = None
    availability: Availability = field(default_factory=Availability)
    n_experts_excluded: int = 0  # of the named ones
    liveness: Liveness = field(default_factory=Liveness)
    offered: PublishedWork = field(default_factory=PublishedWork)
    at_closing: Mapping[tuple[int, str], tuple[float | None, bool]] = field(default_factory=dict)
    limit: CloseReason | None = None
    reserved: bool = False
    deadline_soon: bool = False
    n_in_doubt: int = 0
    near: Deadline | None = None
    due: Decimal = ZERO
    expected: Forecast | None = None
    short: Decimal = ZERO

    @property
    def status(self) -> Status:
        return Status(self.facts.status)

    @property
    def market(self) -> str:
        return self.facts.marketplace

    @property
    def missing(self) -> int:
        return 0 if self.limit else self.progress.missing

    @property
    def wide(self) -> tuple[ShownCell, ...]:
        return tuple(cell for cell in self.primary if not cell.at_target)

    @property
    def is_enough(self) -> bool:
        return not (self.ranking.open_pairs if self.facts.is_ranking else self.wide)

    @property
    def is_gap(self) -> bool:
        """Return whether a closing campaign misses judgments that nothing offers at its crowd."""
        closing = self.status == Status.CLOSING
        return closing and bool(self.market and self.missing) and not self.can_come

    @property
    def unconfirmed(self) -> int:
        return max(0, self.progress.running - self.liveness.leases) if self.market else 0

    @property
    def can_come(self) -> bool:
        """Return whether a judgment may still arrive without any act by the owner."""
        if self.liveness.leases:
            return True
        if not self.missing:
            return False
        if self.market:
            return bool(self.offered.at_work) or self.offered.is_offered
        return self.reserved or self.availability.takeable > 0

    def silent(self, at_least: timedelta) -> bool:
        silence = self.liveness.silence
        return silence is None or silence >= at_least

    @property
    def primary_rows(self) -> tuple[CriterionRow, ...]:
        return tuple(row for row in self.rows if row.is_primary)

    @property
    def secondary_rows(self) -> tuple[CriterionRow, ...]:
        return tuple(row for row in self.rows if not row.is_primary and row.is_shown)

    @property
    def is_large(self) -> bool:
        """Return whether its pictures are folded, because there are too many to compare."""
        return len(self.primary) > criteria.FEW

    @property
    def has_table(self) -> bool:
        """Return whether a table shows all systems and criteria; few estimates need none."""
        return self.is_shown and (self.is_large or bool(self.secondary_rows))

    @property
    def primary(self) -> tuple[ShownCell, ...]:
        return tuple(cell for row in self.primary_rows for cell in row.cells)

    @property
    def n_at_target(self) -> int:
        return sum(cell.at_target for cell in self.primary)

    @property
    def doubt_untold(self) -> int:
        """Return the paid units that wait for the owner, unless the advice mentions them."""
        return 0 if self.advice.key == "in_doubt" else self.n_in_doubt

    @property
    def stuck_untold(self) -> int:
        """Return the operations that wait for the owner, unless the advice mentions them."""
        return 0 if self.advice.key in ("unfunded", "stuck") else self.offered.stuck

    @property
    def n_wide(self) -> int:
        return len(self.primary) - self.n_at_target

    @property
    def zone(self) -> str:
        return timezone.get_current_timezone_name()

    @property
    def live(self) -> bool:
        """Return whether the numbers may change without an act of the researcher."""
        begins = self.facts.recorded is not None and self.at is None
        return begins or self.facts.status in LIVE or self.metric_left > 0 or self.n_pending > 0

    @property
    def late(self) -> str:
        return told_late(self.liveness) if self.liveness.behind else ""

    @property
    def provisional(self) -> bool:
        return not self.facts.is_final

    @property
    def metric_left(self) -> int:
        return max(0, self.progress.outputs - self.metric_done) if self.facts.metrics else 0

    @property
    def effective_annotators(self) -> float | None:
        """Return the lowest number of the primary estimates, which limits what can be said."""
        found = [cell.shown.effective_annotators for cell in self.primary if cell.shown]
        return min(found, default=None)

    @property
    def is_shown(self) -> bool:
        """Return whether any primary estimate rests on enough items to be shown."""
        return any(row.is_shown for row in self.primary_rows)

    @property
    def awaited(self) -> tuple[tuple[str, Awaited], ...]:
        cells = self.primary_rows[0].cells if self.primary_rows else ()
        return tuple((cell.system.name, cell.awaited) for cell in cells if cell.awaited)

    @property
    def awaited_by_all(self) -> str:
        """Return the same in one sentence, if several systems wait for equally many items."""
        needed = {awaited.needed for _, awaited in self.awaited}
        if len(self.awaited) < 2 or len(needed) > 1 or self.facts.is_final:
            return ""
        return f"Estimates of a system appear after {many(needed.pop(), 'judged item')}."

    @property
    def awaited_differences(self) -> Awaited | None:
        return numbers.awaited(self.comparisons)

    @property
    def shows_differences(self) -> bool:
        """Return whether to show differences: after estimates, so that waiting is stated once."""
        return bool(self.comparisons) and (self.is_shown or not self.awaited_differences)

    @property
    def awaited_agreement(self) -> Awaited | None:
        planned = self.progress.doubled
        return numbers.agreement_awaited(self.agreed, planned=planned, final=self.facts.is_final)

    @property
    def saving(self) -> Saving:
        """Return what the metrics have saved so far, over all systems."""
        if not self.facts.metrics or self.facts.is_ranking:
            return criteria.OF_RANKING if self.facts.metrics else criteria.NO_METRIC
        samples = [
            [(c.row, c.target) for c in self.primary if c.system == system and c.row and c.target]
            for system in self.facts.systems
        ]
        return criteria.of_campaign(samples, judged=self.progress.judged, price=self.price)

    @property
    def advice(self) -> Advice:
        return advise(self)

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(self.excluded, self.conduct, self.primary)

    @property
    def outlook(self) -> Outlook:
        return Outlook(self, self.forecast)

    @property
    def widened(self) -> list[tuple[ShownCell, float]]:
        """Return the intervals that an exclusion after closing made wider than their targets.

        Each with its width at closing, when it was at its target.
        """
        if self.status != Status.CLOSED or not self.excluded.annotators_since:
            return []
        found = []
        for cell in self.primary:
            key = cell.system.system_id, cell.criterion.name
            width, reached = self.at_closing.get(key, (None, False))
            if reached and width is not None and not cell.at_target:
                found.append((cell, width))
        return found

    @property
    def notices(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        ended = ((self.ended_early, ()),) if self.ended_early else ()
        return (*ended, *notices_of(self.primary))

    @property
    def ended_early(self) -> str:
        """Return what an early end means for the intervals; "" where it was not early."""
        return numbers.early_end_note(self.facts, self.primary, judged=self.progress.judged)

    @property
    def fingerprint(self) -> str:
        """Return a digest of this content. A page with the same digest is up to date."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def of_campaign(campaign: Any, adjustment: Adjustment = "holm") -> Dashboard:
    """Return the dashboard of a campaign as its page shows it.

    The number of queries depends only on the campaign's status, its crowd, and whether every
    estimate exists.
    adjustment: of the differences, for many pairs; the places of systems follow from it.
    """
    facts, pk = campaigns_lists.facts(campaign), campaign.pk
    collects, market = facts.status in COLLECTS, bool(facts.marketplace)
    most = budget.highest_cost(campaign)
    newest = list(read.newest([pk], facts.criterion_names))
    ranked = numbers.rankings(facts, tables := numbers.tables(facts, adjustment), newest)
    who = campaigns_progress.by_person(pk)
    counts = campaigns_progress.progress(pk, cap=facts.annotator_cap, people=who)
    scored = MetricScore.objects.filter(campaign=pk, metric__in=facts.metrics)
    limit, reserved = _limits(campaign) if collects else (None, False)
    return Dashboard(
        facts=facts,
        progress=counts,
        price=most.of_judgment,
        most=most,
        rows=criterion_rows(
            facts,
            newest,
            price=most.of_judgment,
            items=read.items(facts, newest),
            places=ranked.places,
            decisions=ranked.decisions,
            compared=tables,
        ),
        metric_done=scored.count() // max(1, len(facts.metrics)),
        n_pending=campaigns_facts.waiting(pk),
        at=max((row.at for row in newest), default=None),
        lines=lines(pk),
        comparisons=tables,
        ranking=ranked,
        n_waiting=eligibility.waiting(pk),
        agreed=numbers.agreed(facts, planned=counts.doubled),
        excluded=effects.excluded(pk, since=facts.closed_at),
        conduct=effects.ruling_statistics_of(pk),
        forecast=EndForecast.objects.filter(campaign=pk).order_by("-pk").first(),
        # Who can judge more, during collection only.
        availability=campaigns_progress.availability_of(
            pk, facts.annotator_cap, counts.missing, who
        )
        if facts.status in LIVE
        else Availability(),
        n_experts_excluded=len(members.excluded_experts(campaign)),
        liveness=campaigns_progress.liveness(pk, lease_minutes=facts.lease_minutes),
        offered=admission.offered(pk) if market else PublishedWork(),
        at_closing=read.at_closing(pk, facts.closed_at),
        limit=limit,
        reserved=reserved,
        deadline_soon=facts.deadline is not None and facts.deadline < timezone.now() + SOON,
        n_in_doubt=budget.count_disputed(pk) if market else 0,
        near=budget.next_deadline(pk) if market else None,
        # What is to be paid by hand, once nothing more is earned.
        due=pay_queries.totals(pk).due if facts.status == Status.CLOSED and not market else ZERO,
        expected=planner.of_campaign(campaign) if facts.status == Status.DRAFT else None,
        short=budget.short_of_a_place(campaign) if collects else ZERO,
    )


def _limits(campaign: Any) -> tuple[CloseReason | None, bool]:
    """Return what forbids further leases permanently, and whether something does for now."""
    if not admission.blocked(campaign):
        return None, False
    limit = admission.blocked(campaign, for_now=False)
    return limit, limit is None
