"""A first version of a tutorial for an instrument, made of its definition: two rounds of questions.

Each question asks for one level of one criterion. Its text is one of the definition's own examples
where an example has the level's label, otherwise it is empty: the researcher writes it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from annotate.instruments.base import Criterion, Instrument, Level
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.tutorials.content import MOST_QUESTIONS
from annotate.text.languages import interface_language

LONGEST_SECTION = 60
LONGEST_PROMPT = 400
ROUNDS = 2

Content = dict[str, Any]


def criteria(instrument: Instrument) -> dict[str, Criterion]:
    """Return the criteria with levels, which questions can ask about, by their names."""
    return {one.name: one for one in instrument.criteria if one.levels}


def input_label(instrument: Instrument) -> str:
    """Return the heading above the input, in the researcher's words if they have one."""
    own = instrument.definition.input_label if isinstance(instrument, Rating) else ""
    return str(own) or "Input"


def draft(instrument: Instrument) -> Content:
    """Return a tutorial that lacks only texts: of each level one question in each round."""
    language = _language(instrument)
    with translation.override(interface_language(language)):
        questions = list(_questions(instrument))
        return {
            "instrument": instrument.key,
            "version": "1",
            "language": language,
            "title": str(instrument.label),
            "asked": max(1, len(questions) // ROUNDS),
            "questions": questions,
        }


def blank(instrument: Instrument, criterion: Criterion, keys: Sequence[str]) -> Content:
    """Return a question about a criterion whose right level is open. keys: those in use."""
    with translation.override(interface_language(_language(instrument))):
        return _question(instrument, criterion, None, key=_free(keys))


def _questions(instrument: Instrument) -> Iterator[Content]:
    known = criteria(instrument)
    most = max(1, MOST_QUESTIONS // (ROUNDS * max(1, len(known))))
    keys: list[str] = []
    for criterion in known.values():
        for level in _spread(criterion.levels, most):
            texts = [*_examples(instrument, level), "", ""][:ROUNDS]
            for text in texts:
                keys.append(_free(keys))
                yield _question(instrument, criterion, level, key=keys[-1], text=text)


def _question(
    instrument: Instrument, criterion: Criterion, right: Level | None, *, key: str, text: str = ""
) -> Content:
    return {
        "key": key,
        "kind": "choice",
        "section": str(criterion.label)[:LONGEST_SECTION],
        "prompt": _prompt(instrument, criterion),
        **({"question": ""} if instrument.needs_input else {}),
        "text": text,
        **({"second": ""} if instrument.compares else {}),
        "criterion": criterion.name,
        "accepted": [right.value] if right else [],
        "feedback": {str(one.value): _why(one, right) for one in criterion.levels},
    }


def _prompt(instrument: Instrument, criterion: Criterion) -> str:
    task = instrument.definition.task if isinstance(instrument, Rating) else criterion.question
    return str(task)[:LONGEST_PROMPT]


def _why(chosen: Level, right: Level | None) -> str:
    if right is None:
        return ""
    cue = str(right.cue)
    told = {"label": right.label, "cue": cue if cue.endswith((".", "!", "?")) else f"{cue}."}
    if chosen == right:
        return _("Right: “%(label)s”. %(cue)s") % told
    return _("Look again. The right answer is “%(label)s”. %(cue)s") % told


def _language(instrument: Instrument) -> str:
    own = instrument.definition.language if isinstance(instrument, Rating) else ""
    return own or "en"


def _examples(instrument: Instrument, level: Level) -> list[str]:
    """Return the texts of the instructions' examples of a level."""
    if not isinstance(instrument, Rating):
        return []
    sections = instrument.definition.instructions
    examples = (one for section in sections for one in section.examples)
    return [str(one.text) for one in examples if str(one.label) == str(level.label)]


def _spread(levels: Sequence[Level], most: int) -> list[Level]:
    """Return at most `most` of the levels: the outer ones, and others evenly between them."""
    if len(levels) <= most:
        return list(levels)
    last = len(levels) - 1
    places = {round(n * last / max(1, most - 1)) for n in range(most)}
    return [levels[place] for place in sorted(places)]


def _free(keys: Sequence[str]) -> str:
    """Return the first of q1, q2, … that is not in use."""
    return next(key for n in range(1, len(keys) + 2) if (key := f"q{n}") not in keys)
