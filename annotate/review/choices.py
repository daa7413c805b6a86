"""The rulings that fit a case, each with what it does and a draft of the answer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from annotate.common.numbers import many, money_text
from annotate.common.text import interface_language
from annotate.review import queries as review_queries
from annotate.review.effects import Effects
from annotate.review.queries import NONE, Case
from annotate.review.rulings import Act
from annotate.screening.gold import GOLD, NOTICED
from annotate.screening.screens import SCREENS

if TYPE_CHECKING:
    from annotate.instruments.base import Words

OPEN, LISTED, CLEARED, EXCLUDED = "open", "listed", "cleared", "excluded"
COUNTS = (NONE, OPEN, LISTED, CLEARED)


@dataclass(frozen=True)
class RulingChoice:
    """One ruling. `when`: statuses that it fits; `fits`: what else must be so."""

    code: str
    acts: tuple[Act, ...]
    when: tuple[str, ...]
    title: str
    text: Callable[[Case, Effects], str]
    button: Callable[[Effects], str]
    draft: "Words" = ""
    fits: Callable[[Case, Effects], bool] = lambda case, effects: True

    @property
    def confirms(self) -> bool:
        return Act.REFUSE in self.acts


@dataclass(frozen=True)
class OfferedRulings:
    """A choice as a case shows it; `key` chooses it."""

    key: int
    code: str
    title: str
    text: str
    button: str
    draft: str


def _judgments(n: int) -> str:
    return many(n, "judgment")


def _paid(_case: Case, effects: Effects) -> str:
    due = f"{money_text(effects.due)} is due" if effects.due else "nothing more is due"
    return f"They are paid in full: {due}."


def _refuses(_case: Case, effects: Effects) -> str:
    least = f" ({asked})" if (asked := least_reason(effects)) else ""
    withheld = f"{money_text(effects.at_stake)} withheld."
    return f"{withheld} Asks for your reason{least} and a second confirmation."


def least_reason(effects: Effects) -> str:
    """Return how long the reason of a refusal has to be; "" where any will do."""
    if effects.least_reason <= 1:
        return ""
    return f"at least {effects.least_reason} characters, as {effects.crowd} asks"


def _exclude(effects: Effects) -> str:
    return f"Exclude {_judgments(effects.counting)}"


def _restores(case: Case, effects: Effects) -> str:
    back = f"{_judgments(effects.excluded)} count again"
    return (
        f"{back}, and {money_text(effects.refused)} is due again."
        if case.review.pay_refused
        else f"{back}."
    )


def _brings_back(effects: Effects) -> str:
    return f"Bring back {_judgments(effects.excluded)}"


def _clears(case: Case) -> str:
    if case.blocked:
        return f"The work counts.{_BLOCK_STAYS}"
    if case.status == LISTED:
        return "The work counts. New tasks were never stopped."
    return "The work counts, and new tasks are given out again."


_OPEN_AGAIN = "The owner’s campaigns give them work again."
_BLOCK_STAYS = " The block stays: no new work in the owner’s campaigns."
# No draft says that somebody looked: the notice says so where the reviewer has opened the case.
_COUNTS = gettext_lazy("Your work counts. Thank you.")
_AGAIN = gettext_lazy("Your work counts again. We are sorry for the trouble.")
_EXCLUDED = gettext_lazy("We leave your work out of our results.")
_STILL_PAID = gettext_lazy("You are paid for it.")

CHOICES = (
    RulingChoice(
        "clear-unblock",
        (Act.CLEAR, Act.UNBLOCK),
        (OPEN, LISTED),
        "Clear, and lift the block",
        lambda _case, _effects: f"The work counts. {_OPEN_AGAIN}",
        lambda _effects: "Clear, and lift the block",
        _COUNTS,
        fits=lambda case, _effects: case.blocked,
    ),
    RulingChoice(
        "clear",
        (Act.CLEAR,),
        (OPEN, LISTED),
        "Clear",
        lambda case, _effects: _clears(case),
        lambda _effects: "Clear this annotator",
        _COUNTS,
    ),
    RulingChoice(
        "exclude",
        (Act.EXCLUDE,),
        COUNTS,
        "Exclude the work from the estimates",
        _paid,
        _exclude,
        _EXCLUDED,
    ),
    RulingChoice(
        "exclude-refuse",
        (Act.EXCLUDE, Act.REFUSE),
        COUNTS,
        "Exclude, and refuse pay…",
        _refuses,
        lambda _effects: "Exclude, and refuse pay…",
        fits=lambda _case, effects: effects.refusable,
    ),
    RulingChoice(
        "exclude-block",
        (Act.EXCLUDE, Act.BLOCK),
        COUNTS,
        "Exclude, and block from future work",
        lambda case, effects: f"{_paid(case, effects)} No new work in the owner’s campaigns.",
        lambda effects: f"{_exclude(effects)} and block",
        _EXCLUDED,
        fits=lambda case, _effects: not case.blocked,
    ),
    RulingChoice(
        "restore-unblock",
        (Act.RESTORE, Act.UNBLOCK),
        (EXCLUDED,),
        "Bring the work back, and lift the block",
        lambda case, effects: f"{_restores(case, effects)} {_OPEN_AGAIN}",
        lambda _effects: "Bring back and lift the block",
        _AGAIN,
        fits=lambda case, _effects: case.blocked,
    ),
    RulingChoice(
        "restore",
        (Act.RESTORE,),
        (EXCLUDED,),
        "Bring the work back",
        lambda case, effects: f"{_restores(case, effects)}{_BLOCK_STAYS * case.blocked}",
        _brings_back,
        _AGAIN,
    ),
    RulingChoice(
        "refuse",
        (Act.REFUSE,),
        (EXCLUDED,),
        "Refuse pay as well…",
        _refuses,
        lambda _effects: "Refuse pay…",
        fits=lambda case, effects: not case.review.pay_refused and effects.refusable,
    ),
    RulingChoice(
        "repay",
        (Act.REPAY,),
        (EXCLUDED,),
        "Restore the pay only",
        lambda _case, effects: (
            f"{money_text(effects.refused)} is due again. The work stays excluded."
        ),
        lambda effects: f"Restore {money_text(effects.refused)}",
        gettext_lazy("You are paid for your work after all."),
        fits=lambda case, _effects: case.review.pay_refused,
    ),
    RulingChoice(
        "block",
        (Act.BLOCK,),
        (EXCLUDED,),
        "Block from future work",
        lambda _case, _effects: "No new work in the owner’s campaigns. Pay stays as it is.",
        lambda _effects: "Block from future work",
        gettext_lazy("We will not offer you further work."),
        fits=lambda case, _effects: not case.blocked,
    ),
    RulingChoice(
        "unblock",
        (Act.UNBLOCK,),
        (NONE, OPEN, LISTED, CLEARED, EXCLUDED),
        "Lift the block",
        lambda _case, _effects: _OPEN_AGAIN,
        lambda _effects: "Lift the block",
        gettext_lazy("You can work for us again."),
        fits=lambda case, _effects: case.blocked,
    ),
)
_STATES = {
    NONE: "not under review",
    OPEN: "waiting for a first ruling",
    CLEARED: "cleared already",
    EXCLUDED: "excluded already",
}
BY_CODE = {choice.code: choice for choice in CHOICES}
# Pay is decided one campaign at a time: limits and amounts differ.
EVERYWHERE = ("clear", "exclude", "exclude-block", "restore", "restore-unblock", "unblock")


def offered(case: Case, effects: Effects) -> list[OfferedRulings]:
    """Return the rulings that fit this case now, numbered by their keys."""
    fitting = [c for c in CHOICES if case.status in c.when and c.fits(case, effects)]
    with override(interface_language(case.campaign.language)):
        drafts = [_draft(choice, case) for choice in fitting]
    return [
        OfferedRulings(
            key,
            choice.code,
            choice.title,
            choice.text(case, effects),
            choice.button(effects),
            draft,
        )
        for key, (choice, draft) in enumerate(zip(fitting, drafts, strict=True), start=1)
    ]


def draft(choice: RulingChoice, case: Case) -> str:
    """Return a draft of the answer in the language of the campaign."""
    with override(interface_language(case.campaign.language)):
        return _draft(choice, case)


def misfit(choice: RulingChoice, case: Case, effects: Effects) -> str:
    """Return why a ruling does not fit a case now; "" if it does."""
    if case.status not in choice.when:
        return f"The work is {_STATES[case.status]}."
    if not choice.fits(case, effects):
        return "Blocked already." if case.blocked else "Not blocked."
    return ""


def _draft(choice: RulingChoice, case: Case) -> str:
    parts = [str(choice.draft)]
    if choice.code in ("exclude", "exclude-block"):
        parts.insert(0, _noticed(flag.screen for flag in review_queries.signs(case.flags)))
        parts.append(str(_STILL_PAID))
    if choice.code == "exclude-block" or (case.blocked and choice.code in ("clear", "restore")):
        parts.append(str(BY_CODE["block"].draft))
    if choice.code in ("clear-unblock", "restore-unblock"):
        parts.append(str(BY_CODE["unblock"].draft))
    return " ".join(filter(None, parts))


def _noticed(screens: Iterable[str]) -> str:
    noticed = {name: screen.annotators.noticed for name, screen in SCREENS.items()}
    noticed[GOLD] = NOTICED
    listed = "; ".join(str(noticed[screen]) for screen in screens if screen in noticed)
    return _("We noticed this: %(what)s.") % {"what": listed} if listed else ""
