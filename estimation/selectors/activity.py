"""The activity log in sentences: acts of people, and decisions of stopping rules."""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from string import Formatter
from typing import Any
from urllib.parse import urlencode

from annotate.selectors.campaigns import acts as selectors
from annotate.selectors.campaigns.acts import LoggedAct
from annotate.states import CloseReason
from annotate.text.figures import many, money
from estimation.models import Decision
from estimation.selectors import history
from estimation.selectors.history import Decided

SHOWN = 12
PAGE = 50  # entries
LOOKED_AT = 120  # entries that are read; repeated ones are merged

_VERBS = {
    "create": "created the campaign with {outputs:output}",
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


@dataclass(frozen=True)
class ActivityPart:
    """A part of the activity: acts with these verbs (None: any), and decisions of rules."""

    name: str
    verbs: frozenset[str] | None = None
    decisions: bool = False


@dataclass(frozen=True)
class ActivityWanted:
    """Which page is wanted: the entries of one part, before this act and this decision."""

    part: str = "all"
    act: int | None = None
    decision: int | None = None

    @property
    def address(self) -> str:
        """Return the page's address, after its path."""
        before = f"{self.act or ''}-{self.decision or ''}"
        return f"?{urlencode({'show': self.part, 'before': before})}"


@dataclass(frozen=True)
class ActivityPage:
    """older: the address of the next page; "" on the last one."""

    lines: tuple[ActivityLine, ...]
    older: str


def _part(name: str, verbs: str, *, decisions: bool = False) -> ActivityPart:
    return ActivityPart(name, frozenset(verbs.split()), decisions)


PARTS = {
    "all": ActivityPart("Everything", decisions=True),
    "campaign": _part(
        "Campaign",
        "create imported open pause close finish resume reopen archive delete stop_system "
        "resume_system bound_metrics fee raise_budget "
        "retitle amend_texts amend_screens gold_added gold_confirmed gold_removed gold_share "
        "add_reviewer invite revoke_invitation join change_role "
        "remove_member leave withdraw_links subscribe unsubscribe budget_low",
        decisions=True,
    ),
    "reviews": _part(
        "Reviews",
        "flag review list unlist put_signals_aside clear exclude restore refuse repay block "
        "unblock appeal dismiss_appeal supersede correct_gold",
    ),
    "crowd": _part(
        "Crowd",
        "launch extend stop_batch refill look operation_decided operation_retried "
        "operation_dropped unit_accepted",
    ),
    "pay": _part(
        "Pay",
        "paid_out payout_list payout_undone tutorial_bonuses_due tutorial_bonus_due "
        "failed_try_due failed_try_too_fast bonus "
        "compensation compensation_needed",
    ),
}
_PLACE = re.compile(r"(\d{0,18})-(\d{0,18})", re.ASCII)


def asked(query: Mapping[str, str]) -> ActivityWanted:
    """Read which page an address asks for; what makes no sense asks for the first one."""
    show = query.get("show", "")
    part = show if show in PARTS else "all"
    place = _PLACE.fullmatch(query.get("before", ""))
    act, decision = (int(one) if one else None for one in place.groups()) if place else (None, None)
    return ActivityWanted(part, act, decision)


def lines(campaign_id: int, *, limit: int = SHOWN) -> tuple[ActivityLine, ...]:
    """Return the last acts and decisions in one order, the newest first."""
    return page(campaign_id, ActivityWanted(), size=LOOKED_AT).lines[:limit]


def page(campaign_id: int, wanted: ActivityWanted, *, size: int = PAGE) -> ActivityPage:
    """Return one page of acts and decisions, the newest first; two queries.

    Each of the two is read on from the last one shown, by its id, so that all pages together show
    each entry once while new ones arrive.
    """
    part = PARTS[wanted.part]
    acts: deque[LoggedAct] = deque()
    if part.verbs is None or part.verbs:
        acts += selectors.activity(
            campaign_id,
            limit=size + 1,
            before=wanted.act,
            verbs=part.verbs,
            not_by_rules=_OF_RULES,
        )
    decided: deque[Decided] = deque()
    if part.decisions:
        decided += history.decisions(campaign_id, limit=size + 1, before=wanted.decision)
    shown: list[ActivityLine] = []
    while len(shown) < size and (acts or decided):
        if acts and (not decided or acts[0].at >= decided[0].at):
            wanted = replace(wanted, act=acts[0].id)
            shown.append(_act(acts.popleft()))
        else:
            wanted = replace(wanted, decision=decided[0].id)
            shown.append(_decision(decided.popleft()))
    return ActivityPage(tuple(_told_once(shown)), wanted.address if acts or decided else "")


def _decision(decided: Decided) -> ActivityLine:
    return ActivityLine(decided.at, _ICONS.get(decided.verb, "info"), "Plumbline", decided.text)


def _told_once(ordered: list[ActivityLine]) -> list[ActivityLine]:
    """Merge consecutive lines with the same text and person."""
    runs = (list(run) for _, run in groupby(ordered, key=lambda line: (line.who, line.text)))
    return [replace(run[0], times=len(run)) for run in runs]


def _act(act: LoggedAct) -> ActivityLine:
    return ActivityLine(act.at, "", act.actor or "Plumbline", sentence(act))


def sentence(act: LoggedAct) -> str:
    """Return the predicate, such as "closed the campaign"."""
    sentence = _VERBS.get(act.verb)
    if sentence is None:  # a subject may be a name with braces, so it is not formatted
        return f"{act.verb.replace('_', ' ')} {act.subject}".rstrip()
    more = {"which": act.subject.partition(":")[2]}
    if act.is_listing:
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
        return money(Decimal(value)) if form == "$" else many(int(value), *form.split(","))


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
