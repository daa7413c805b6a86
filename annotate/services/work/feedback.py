"""Annotators' opinions of the work: optional, once a day per participation."""

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.errors import Conflict, Invalid
from annotate.models import Feedback, Participation
from annotate.selectors.work import feedback

LEVELS = range(1, 6)
LONGEST = 2000


def give(
    participation_id: int,
    *,
    clarity: int | None = None,
    enjoyment: int | None = None,
    pay: int | None = None,
    comment: str = "",
) -> Feedback:
    """Store an opinion. Each part is optional, but not all may be missing.

    Raises `Invalid` for a level that does not exist or an overlong comment, and `Conflict` where
    this participation has given feedback today.
    """
    levels = {"clarity": clarity, "enjoyment": enjoyment, "pay": pay}
    comment = comment.strip()
    _check(levels, comment)
    with transaction.atomic():
        # Of two simultaneous clicks, the second waits here and then finds the first.
        Participation.objects.select_for_update().get(pk=participation_id)
        if feedback.given_today(participation_id):
            raise Conflict(_("You have told us today already. Thank you!"), code="already")
        return Feedback.objects.create(participation_id=participation_id, comment=comment, **levels)


def _check(levels: dict[str, int | None], comment: str) -> None:
    wrong = [name for name, level in levels.items() if level is not None and level not in LEVELS]
    errors = {name: _("Choose one of the five answers, or none.") for name in wrong}
    if len(comment) > LONGEST:
        message = _("At most %(most)d characters, please; these are %(n)d.")
        errors["comment"] = message % {"most": LONGEST, "n": len(comment)}
    if not comment and all(level is None for level in levels.values()):
        errors["comment"] = _("Nothing is filled in yet. All of it is optional.")
    if errors:
        raise Invalid(errors)
