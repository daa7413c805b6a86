"""Every sentence about a paid unit of a marketplace and about the bonus for a tutorial."""

from datetime import timedelta
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate import adapters
from annotate.instruments.tutorials.content import Tutorial
from annotate.selectors.work.units import Unit, UnitOffer
from annotate.text.figures import money


def tries(amount: Decimal) -> str:
    """Return what a failed try is paid; "" if nothing."""
    if not amount:
        return ""
    said = _("If you try honestly and do not pass, you are paid %(amount)s.")
    return said % {"amount": money(amount)}


def earns(bonus: Decimal, *, after: int) -> str:
    """Return what passing earns; "" if nothing."""
    if not bonus:
        return ""
    said = _("Passing it brings a bonus of %(bonus)s, once.") % {"bonus": money(bonus)}
    return _and(said, due(after))


def promised(bonus: Decimal, *, after: int) -> tuple[str, str]:
    """Return the sentence for a person who has just passed, and when the bonus is due; "" if
    none."""
    if not bonus:
        return "", ""
    if not after:
        return _("You have earned %(amount)s.") % {"amount": money(bonus)}, ""
    return _("A bonus of %(amount)s is promised to you.") % {"amount": money(bonus)}, due(after)


def waits(after: int, counting: int) -> str:
    """Return the sentence about an annotator's progress towards a promised bonus."""
    so_far = ngettext("%(n)d counts so far.", "%(n)d count so far.", counting) % {"n": counting}
    return _and(due(after), so_far)


def due(after: int) -> str:
    """Return when a bonus is due that is not paid for passing alone."""
    if not after:
        return ""
    said = ngettext(
        "You get the bonus after %(n)d accepted task, or earlier if there are no more for you.",
        "You get the bonus after %(n)d accepted tasks, or earlier if there are no more for you.",
        after,
    )
    return said % {"n": after}


def _and(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def label(crowd: str) -> str:
    return adapters.label(crowd)


def begin(crowd: str) -> str:
    """Return how to get from an example to real tasks."""
    return _("Accept this work at %(crowd)s to begin.") % {"crowd": label(crowd)}


def offered(offer: UnitOffer, tutorial: Tutorial | None, bonus: Decimal, *, after: int) -> str:
    """Return the description of a unit: its tasks, its pay, and what precedes them."""
    holds = ngettext(
        "This work holds %(n)d task and pays %(reward)s.",
        "This work holds %(n)d tasks and pays %(reward)s.",
        offer.tasks,
    )
    said = [holds % {"n": offer.tasks, "reward": money(offer.reward)}]
    if tutorial is not None:
        first = ngettext(
            "A tutorial comes first, once: it takes about %(n)d minute.",
            "A tutorial comes first, once: it takes about %(n)d minutes.",
            tutorial.minutes,
        )
        said.append(first % {"n": tutorial.minutes})
        said.append(earns(bonus, after=after))
    return " ".join(filter(None, said))


def how_paid(offer: UnitOffer) -> str:
    """Return how pay reaches who works there."""
    said = _(
        "%(crowd)s pays the %(reward)s once your work is approved: %(time)s after you hand it in, "
        "or later if a person looks at it first. What a tutorial earns, and any bonus, is paid as "
        "a bonus after that."
    )
    time = _length(offer.approve_after)
    return said % {"crowd": label(offer.crowd), "reward": money(offer.reward), "time": time}


def _length(time: timedelta) -> str:
    minutes, hours = (max(1, round(time.total_seconds() / unit)) for unit in (60, 3600))
    if minutes < 50:
        return ngettext("about %(n)d minute", "about %(n)d minutes", minutes) % {"n": minutes}
    if hours <= 48:
        return ngettext("about %(n)d hour", "about %(n)d hours", hours) % {"n": hours}
    days = round(hours / 24)
    return ngettext("about %(n)d day", "about %(n)d days", days) % {"n": days}


def stored(crowd: str) -> str:
    """Return which data is stored about the annotator."""
    said = _(
        "We store your id at %(crowd)s, your answers and edits, and how long each task took. The "
        "researcher sees the id for paying you only; published data carry a random code in its "
        "place."
    )
    return said % {"crowd": label(crowd)}


def title(unit: Unit) -> str:
    """Return one line about the state of a unit whose work is over."""
    return {
        "handed_in": _("Your work is saved. Hand it in, so that you are paid."),
        "confirmed": _("Your work has arrived. Thank you!"),
        "approved": _("Your work is approved. Thank you!"),
        "rejected": _("Pay for this work was refused"),
    }.get(unit.status, "")


def done(unit: Unit) -> str:
    """Return how much was done, and that the rest is paid too where it could not be had."""
    said = ngettext(
        "You did %(done)d of %(n)d task.", "You did %(done)d of %(n)d tasks.", unit.offer.tasks
    )
    told = [said % {"done": unit.done, "n": unit.offer.tasks}]
    if unit.topped_up:
        rest = _("No more are to be had, so you are paid for the others as well: %(amount)s.")
        told.append(rest % {"amount": money(unit.topped_up)})
    if unit.given_back and unit.done < unit.offer.tasks:
        told.append(_("You returned some undone: a person decides whether the work is paid."))
    return " ".join(told)


def lost(crowd: str) -> str:
    """Return the sentence about work that was done in a submission and never handed in."""
    said = _(
        "It was not handed in at %(crowd)s, so what you did in it cannot be paid there. If it was "
        "not you who returned it, ask the researcher."
    )
    return said % {"crowd": label(crowd)}


def give_back(crowd: str) -> str:
    """Return the request to an annotator for whom there is no task."""
    said = _(
        "Please return the work at %(crowd)s. You lose nothing by that: it does not count against "
        "you here, and what you have earned before stays yours."
    )
    return said % {"crowd": label(crowd)}


def unsure(crowd: str) -> str:
    """Return why a page shows one submission only, and where the others are."""
    said = _(
        "%(crowd)s tells us who you are once you hand this work in. Until then it could be "
        "anybody, so this page shows this work and nothing else of yours. If we have noticed "
        "something in your earlier work here, or decided about it, we write to you through "
        "%(crowd)s as soon as it passes that on: the address in the message opens your own page, "
        "where you can answer."
    )
    return said % {"crowd": label(crowd)}


def stage(status: str, n: int) -> str:
    """Return one line on `n` submissions at a stage."""
    known = {
        "active": _("Being worked on"),
        "handed_in": _("Handed in, not confirmed yet"),
        "confirmed": _("Confirmed, awaiting approval"),
        "approved": _("Approved"),
        "rejected": _("Refused"),
        "left": _("Returned, or out of time"),
    }
    return f"{n} × {known.get(status, status)}"
