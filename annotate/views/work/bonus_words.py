"""Every sentence that tells annotators about the bonus for a tutorial."""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.text.figures import money


def earns(bonus: Decimal, *, after: int) -> str:
    """Return what passing brings; "" where it brings nothing."""
    if not bonus:
        return ""
    said = _("Passing it brings a bonus of %(bonus)s, once.") % {"bonus": money(bonus)}
    return _and(said, due(after))


def promised(bonus: Decimal, *, after: int) -> tuple[str, str]:
    """Return what to say to somebody who has just passed, and when it is due; "" where nothing."""
    if not bonus:
        return "", ""
    if not after:
        return _("You have earned %(amount)s.") % {"amount": money(bonus)}, ""
    return _("A bonus of %(amount)s is promised to you.") % {"amount": money(bonus)}, due(after)


def waits(after: int, counting: int) -> str:
    """Return how far somebody is who was promised a bonus."""
    so_far = ngettext("%(n)d counts so far.", "%(n)d count so far.", counting) % {"n": counting}
    return _and(due(after), so_far)


def due(after: int) -> str:
    """Return when a bonus is due that is not paid for passing alone."""
    if not after:
        return ""
    said = ngettext(
        "The bonus is due once %(n)d of your tasks counts, or earlier if there are no more "
        "for you.",
        "The bonus is due once %(n)d of your tasks count, or earlier if there are no more for you.",
        after,
    )
    return said % {"n": after}


def _and(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
