"""Texts about answers that look like random choice."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.patterns.finding import Patterns
from annotate.screening.words import (
    ForAnnotators,
    ForReviewers,
    Numbers,
    ScreenAxis,
    Told,
    odds,
    times,
)
from annotate.text.figures import count, many, number


def _detail(said: Numbers) -> str:
    """Return the basis of the verdict, and why it compares no one yet."""
    numbers = {name: value or 0.0 for name, value in said.numbers.items()}
    text = f"From the combinations of answers in {many(said.n, 'judgment')}."
    if (needed := numbers.get("others_needed", 0.0)) > numbers.get("others", 0.0):
        there = count(int(numbers["others"]))
        return f"{text} They are compared once others gave {count(int(needed))}; so far {there}."
    if numbers.get("information_needed", 0.0) > numbers.get("information", 0.0):
        return f"{text} Here, answers to one question say too little about those to the others."
    return text


FOR_REVIEWERS = ForReviewers(
    "Random answers",
    "random answers",
    "to be chosen at random than by a person",
    big=lambda said: times(said.value),
    detail=_detail,
    limit=lambda said: f"Pauses only from {times(said.threshold)}.",
    axis=lambda _values: ScreenAxis(-4, 4, odds, flags_above=True),
)


LEAST_TOLD = 1.0  # 1 of 10: what is more frequent is no news


def _notice(found: Numbers, own: Patterns, *, paragraphs: bool) -> Told:
    sentences = []
    if found.value is not None and found.value >= LEAST_TOLD:
        said = _(
            "Among people who work like the others, answers like these come up by chance in fewer "
            "than 1 of %(n)s."
        )
        sentences.append(said % {"n": number(10 ** min(found.value, 9.0), 0)})
    sentences.append(_("We look at work whose answers to the questions of a task look random."))
    return _("Your answers look random"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("answers that do not go together"), _notice)
