"""Texts about edits that change little."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.screening.edits.finding import Edits
from annotate.screening.words import (
    ForAnnotators,
    Numbers,
    Task,
    Told,
    of_share,
    within,
)
from annotate.text.figures import number, percent


def _detail(said: Numbers) -> str:
    short, again = said.numbers.get("short") or 0, said.numbers.get("repeated") or 0
    return f"{within(said, percent)}{short:.0f} short and {again:.0f} repeated of {said.n}."


FOR_REVIEWERS = of_share(
    "Short edits",
    "edits",
    "of required edits short or repeated",
    _detail,
)


def _notice(found: Numbers, own: Edits, *, paragraphs: bool) -> Told:
    sentences = []
    short, repeated = found.numbers.get("short"), found.numbers.get("repeated")
    if short is not None and repeated is not None:
        said = _(
            "Of the %(n)d texts that you had to improve, %(short)s changed by fewer than "
            "%(characters)d characters, and %(repeated)s became the same text as another one."
        )
        values = {"n": found.n, "short": number(short, 0), "repeated": number(repeated, 0)}
        sentences.append(said % (values | {"characters": own.characters}))
    limit = _("We look at work where this is more than %(share)s of the edits.")
    return _("Your edits changed little"), [*sentences, limit % {"share": percent(own.share)}]


def _evidence(task: Task) -> str:
    if task.response.get("edit") is None:
        return ""
    n = task.response["distance"]
    return ngettext("%(n)d character changed", "%(n)d characters changed", n) % {"n": n}


FOR_ANNOTATORS = ForAnnotators(
    gettext_lazy("edits that change next to nothing, or repeat themselves"), _notice, _evidence
)
