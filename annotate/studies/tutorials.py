"""Tutorials for researchers: a first draft, the built-in files, and what answers are told.

Each question of a draft asks for one level of one criterion. Its text is one of the definition's
own examples where one has the level's label, otherwise it is empty: the researcher writes it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils import translation
from django.utils.translation import gettext as _

from annotate.common.text import interface_language
from annotate.instruments.base import VERDICTS, Criterion, Instrument, Level
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.registry import INSTRUMENTS
from annotate.instruments.tutorials import (
    MOST_QUESTIONS,
    Choice,
    Edit,
    Evidence,
    Paragraph,
    Practice,
    Question,
)

if TYPE_CHECKING:
    from annotate.instruments.base import Words


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


# The unchanged files of the built-in tutorials, as a starting point.


def languages(key: str) -> list[str]:
    """Return the languages of an instrument's built-in tutorial."""
    folder = _folder(key)
    return (
        [path.name.split(".")[1] for path in sorted(folder.glob("tutorial.*.json"))]
        if folder
        else []
    )


def tutorial_file(key: str, language: str) -> str:
    """Return the file of one language; KeyError names the existing ones."""
    known = languages(key)
    if language not in known:
        raise KeyError(f"No tutorial in {language!r}; there are {', '.join(known) or 'none'}.")
    folder = _folder(key)
    assert folder is not None, "its languages are those of files in it"
    return (folder / f"tutorial.{language}.json").read_text(encoding="utf-8")


def _folder(key: str) -> Path | None:
    return INSTRUMENTS[key].folder if key in INSTRUMENTS else None


# The feedback after each answer of a tutorial, for researchers who review it.


Answer = tuple["Words", bool, str]  # an answer, whether it is accepted, and the feedback


def feedback_on_answers(question: Question) -> list[tuple[str, list[Answer]]]:
    """Return the answers to a whole question (under ""), or to each of its paragraphs."""
    if isinstance(question, Choice):
        said = question.feedback
        answers: list[Answer] = [
            (one.label, one.value in question.accepted, said[str(one.value)])
            for one in question.options
        ]
        return [("", answers)]
    if isinstance(question, Edit):
        return [("", _edit(question))]
    if isinstance(question, Practice):
        right, wrong = question.feedback.right, question.feedback.wrong
        answers = [(question.right_in_words, True, right), ("Anything else", False, wrong)]
        return [("", answers)]
    if isinstance(question, Evidence):
        return [
            (f"Paragraph {number}", _paragraph(one))
            for number, one in enumerate(question.paragraphs, start=1)
        ]
    return []


def _edit(question: Edit) -> list[Answer]:
    return [
        *((f"Exactly “{one}”", True, question.feedback) for one in question.alternatives),
        ("No rule finds a fault: error gone, facts kept, nothing new", True, question.feedback),
        *(
            (_too_often(one.at_most, one.strings), False, one.feedback)
            for one in (*question.defects, *question.slips)
        ),
        *((f"Without {_any(one.any_of)}", False, one.feedback) for one in question.meaning),
    ]


def _too_often(at_most: int, strings: Sequence[str]) -> str:
    return f"{_any(strings)} more than {at_most} times" if at_most else f"Still {_any(strings)}"


def _any(strings: Sequence[str]) -> str:
    return " or ".join(f"“{one}”" for one in strings)


def _paragraph(paragraph: Paragraph) -> list[Answer]:
    verdicts: list[Answer] = [
        (one.label, one.value == paragraph.verdict, paragraph.feedback[str(one.value)])
        for one in VERDICTS
    ]
    said = paragraph.highlight
    if said is None:
        return verdicts
    expected = " and ".join(f"“{one}”" for one in paragraph.evidence)
    return [
        *verdicts,
        (f"Then highlighted: {expected}, up to the whole sentence", True, said.good),
        ("More than the sentence", False, said.poor),
        ("None of these words", False, said.none),
    ]
