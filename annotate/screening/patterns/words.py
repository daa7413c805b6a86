"""Texts about answers that look like random choice."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.patterns.finding import Patterns
from annotate.screening.words import ForAnnotators, ForReviewers, Numbers, ScreenAxis, Told
from annotate.text.figures import count, many, number


def _odds(value: float | None) -> str:
    """Return the odds whose logarithm to base 10 is `value`."""
    if value is None:
        return "–"
    size = f"over {count(10**6)}" if abs(value) > 6 else count(round(10 ** abs(value)))
    return f"{size} : 1" if value >= 0 else f"1 : {size}"


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
    "odds of random choice against a person",
    big=lambda said: _odds(said.value),
    detail=_detail,
    limit=lambda said: f"Flags from {_odds(said.threshold)}.",
    axis=lambda _values: ScreenAxis(-4, 4, _odds, flags_above=True),
)


def _notice(found: Numbers, own: Patterns, *, paragraphs: bool) -> Told:
    sentences = []
    if found.value is not None:
        said = _(
            "Random choice would give such answers about %(odds)s times as often as one of the "
            "others would."
        )
        sentences.append(said % {"odds": number(10 ** min(found.value, 9.0), 0)})
    limit = _("We look at work where this is %(odds)s times or more.")
    sentences.append(limit % {"odds": number(own.odds, 0)})
    return _("Your answers go together as if they were drawn at random"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("answers that do not go together"), _notice)
