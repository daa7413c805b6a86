"""Every sentence about the rounds of a tutorial."""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.crowds.tariffs import ZERO
from annotate.selectors.pay.promises import ROUNDS
from annotate.selectors.work.task_page import Visit
from annotate.selectors.work.tutorial_runs import RoundResult, Status
from annotate.text.figures import money
from annotate.views.work import unit_words


def rules(status: Status, visit: Visit) -> str:
    """Return the rules of the tutorial: what passes, and what follows a failed round."""
    counts = ngettext(
        "Your first answers count: you pass with %(mark)d of %(n)d right.",
        "Your first answers count: you pass with %(mark)d of %(n)d right.",
        status.asked,
    )
    why = _("After each answer you read why it is right or not.")
    said = [counts % {"mark": status.mark, "n": status.asked}, why, _then(status, visit)]
    return " ".join([*_earlier(status), *said])


def ended(failed: RoundResult, tried: Decimal = ZERO, offered: Decimal = ZERO) -> str:
    """Return what a failed round means, for the person who has just ended it.

    tried: what is paid for the try; offered: what the study pays honest people for it.
    """
    said = _("%(right)d of %(n)d first answers were right, and %(mark)d are needed.")
    told = said % {"right": failed.right, "n": failed.asked, "mark": failed.mark}
    if failed.number >= ROUNDS and tried:
        return " ".join([told, _("You are paid %(amount)s for trying.") % {"amount": money(tried)}])
    if failed.number >= ROUNDS and offered:
        fast = _("Your answers came faster than anyone can read, so the try is not paid.")
        return " ".join([told, fast])
    if failed.number >= ROUNDS:
        return told
    return " ".join([told, _("You may try once more, with other questions.")])


def _earlier(status: Status) -> list[str]:
    if status.before is None:
        return []
    said = _("This is your second and last round. In the first, %(right)d of %(n)d were right.")
    return [said % {"right": status.before.right, "n": status.before.asked}]


def _then(status: Status, visit: Visit) -> str:
    if status.number >= ROUNDS:
        last = _("If you do not pass this round, this study ends here for you.")
        return " ".join([last, _back(visit), *_paid(status)])
    once = _(
        "If you do not pass, you may try once more with other questions. If that does not work "
        "either, this study ends here for you."
    )
    return " ".join([once, _back(visit), *_paid(status)])


def _paid(status: Status) -> list[str]:
    if not status.for_failing:
        return []
    said = _(
        "If you complete both rounds without passing, you are still paid %(amount)s, once, unless "
        "your answers come faster than anyone can read."
    )
    return [said % {"amount": money(status.for_failing)}]


def _back(visit: Visit) -> str:
    if visit.unit is None:
        return _("This won’t affect you in other studies.")
    said = _("You then return the work at %(crowd)s, without pay. Nothing counts against you here.")
    return said % {"crowd": unit_words.label(visit.study.crowd)}
