"""Texts about highlights that show little."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.evidence.finding import EvidenceThresholds
from annotate.screening.words import (
    ForAnnotators,
    Numbers,
    Task,
    Told,
    of_share,
    within,
)
from annotate.text.figures import percent

WAYS = {
    "one_word": "one word",
    "whole": "whole paragraphs",
    "disjoint": "apart from all others’",
}


def _detail(said: Numbers) -> str:
    shares = [
        f"{words} {percent(said.numbers[name])}"
        for name, words in WAYS.items()
        if said.numbers.get(name) is not None
    ]
    listed = ", ".join(shares)
    return f"{within(said, percent)}{listed[:1].upper()}{listed[1:]}."


FOR_REVIEWERS = of_share(
    "Thin evidence",
    "highlights",
    "of judgments on thin highlights",
    _detail,
)


def _notice(found: Numbers, own: EvidenceThresholds, *, paragraphs: bool) -> Told:
    ways = [
        ("one_word", _("a single word: %(share)s of your tasks")),
        ("whole", _("the whole paragraph: %(share)s of your tasks")),
        ("disjoint", _("nothing that anybody else highlighted: %(share)s of your tasks")),
    ]
    shares = [(text, found.numbers.get(way)) for way, text in ways]
    said = "; ".join(text % {"share": percent(part)} for text, part in shares if part is not None)
    most = _("Most of your highlights in a task were %(ways)s.")
    sentences = [most % {"ways": said}] if said else []
    limit = _("We look at work where one of these is more than %(share)s.")
    sentences.append(limit % {"share": percent(own.share)})
    return _("Your highlights do not explain much"), sentences


def _evidence(task: Task) -> str:
    each = _("%(n)d of %(all)d words")
    return ", ".join(each % {"n": n, "all": whole} for n, whole in task.highlights)


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("highlights that show little"), _notice, _evidence)
