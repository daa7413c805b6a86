"""The contract of an instrument: how people are asked, and what is scored.

Instruments know no database and no request: plain values in and out.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import blake2b, md5
from math import ceil, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.common import content
from annotate.common.content import TextForm
from estimation.core import BALANCE, PERSON_SHARE
from estimation.metrics import reading_length

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from annotate.instruments.tutorials import Tutorial
    from estimation.core import Distance

    Words = str | _StrPromise  # translated when it is shown


# Spans of a text: highlighted parts, as [start, end) pairs of code points.
#
# Every instrument and tutorial that asks for evidence uses it. `static/js/spans.js` merges in the
# same way, so people see what is stored.


Span = list[int]  # as in JSON

# Unicode's White_Space, which is also a browser's \p{White_Space}; Python's \s has four more.
SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*")


class InvalidSpans(ValueError):
    """Spans that cannot be parts of their text."""


def read_spans(given: Any, text: str) -> list[Span]:
    """Return the merged spans that a browser sent as `{start, end, text}`.

    Raises `InvalidSpans` for a malformed span, one out of range or of white space only, and one
    whose words differ from the text: it belongs to another paragraph, or counts other units.
    """
    if not isinstance(given, list):
        raise InvalidSpans(_("Highlights are a list."))
    return merge((read_span(one, text) for one in given), text)


def merge(spans: Iterable[Iterable[int]], text: str) -> list[Span]:
    """Return the sorted spans. Those that overlap, touch or have only space between become one."""
    merged: list[Span] = []
    for start, end in sorted(map(tuple, spans)):
        if merged and _is_space(text[merged[-1][1] : start]):
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def read_span(one: Any, text: str) -> Span:
    """Return one span that a browser sent, or raise `InvalidSpans`."""
    if not isinstance(one, Mapping):
        raise InvalidSpans(_("A highlight has a start, an end and its words."))
    start, end = one.get("start"), one.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise InvalidSpans(_("A highlight lies outside of the text."))
    words = text[start:end]
    if one.get("text") != words:
        raise InvalidSpans(_("A highlight has other words than the text. Highlight it again."))
    if _is_space(words):
        raise InvalidSpans(_("A highlight has no words in it."))
    return [start, end]


def _is_space(text: str) -> bool:
    return SPACE.fullmatch(text) is not None


# The texts of the highlighter's script (static/js/highlighter.js).


def strings() -> dict[str, Any]:
    return {
        "added": _("Highlighted: “%(words)s”"),
        "removed": _("No longer highlighted: “%(words)s”"),
        "all_removed": _("All highlights removed"),
        "undone": _("Undone"),
        "nothing_to_undo": _("Nothing to undo"),
        "started": _("From “%(words)s”: now choose the last word"),
        "word_highlighted": _("%(words)s, highlighted"),
        "mode_label": _("Highlighting by keys"),
        "mode_on": _(
            "Highlighting by keys. Arrows move from word to word, space starts and ends a "
            "highlight or removes one, Escape leaves."
        ),
        "mode_off": _("Highlighting by keys is off"),
    }


# Sentences with a number in them, for scripts.


# A number in each plural category, in the languages that have it (Intl.PluralRules).
SAMPLES = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}


def by_number(say: Callable[[int], str]) -> dict[str, str]:
    """Return the result of `say` for each category, without those that equal "other"."""
    said = {category: say(n) for category, n in SAMPLES.items()}
    return {
        name: words for name, words in said.items() if name == "other" or words != said["other"]
    }


# Two texts of one item as one output: the first system's text, a mark, the second one's.
#
# Who judges a pair sees it in one of its two orders. The order depends on the person and the pair
# alone, so it is the same after a reload and on the server that reads the answer.


MARK = "\n\n⁂⁂⁂\n\n"  # between the texts; no text of a pair may contain it
BETWEEN = " vs. "  # between the names of two systems


def joined(first: str, second: str) -> str:
    """Return the text of a pair."""
    return f"{first}{MARK}{second}"


def parts(text: str) -> tuple[str, str]:
    """Return the two texts of a pair. The second is "" where the text is not one of a pair."""
    first, _mark, second = text.partition(MARK)
    return first, second


def visible(text: str, form: str) -> tuple[str, ...]:
    """Return the visible text of an output (`TextForm`), or both of a pair."""
    return tuple(content.visible(one, form) for one in text.split(MARK, 1))


def name(first: str, second: str) -> str:
    """Return the name under which two systems are compared."""
    return f"{first}{BETWEEN}{second}"


def is_turned(annotator_id: int, task: str) -> bool:
    """Return whether this person sees this pair with its second text first: half of them do."""
    digest = blake2b(f"{annotator_id}:{task}".encode(), digest_size=1).digest()
    return bool(digest[0] & 1)


@dataclass(frozen=True)
class Level:
    """One answer to a criterion's question, with the cue that says when to choose it.

    requires: what choosing it requires: an edit of the text, evidence in it, or both.
    """

    value: int
    label: "Words"
    cue: "Words"
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Criterion:
    """A question to people, or a value computed from their work, on one scale.

    `bounded=False` makes low..high a working range only: scores may lie outside it
    (docs/statistics.md, "Unbounded criteria"). `balance` and `person_share` come from the variance
    components that scores of this kind typically have; a campaign keeps those it opened with.
    """

    name: str
    low: float
    high: float
    bounded: bool = True
    higher_is_better: bool = True
    label: "Words" = ""
    question: "Words" = ""
    levels: tuple[Level, ...] = ()
    is_yes_no: bool = False
    balance: float = BALANCE
    person_share: float = PERSON_SHARE

    @property
    def title(self) -> str:
        """Return what pages call it: its label, or its name where it has none."""
        return str(self.label) or self.name

    @property
    def distance(self) -> "Distance":
        """Return the distance between judgments with which agreement is measured."""
        if self.is_yes_no or len(self.levels) == 2:
            return "nominal"
        return "ordinal" if self.levels else "interval"

    @property
    def scale_text(self) -> str:
        better = "higher" if self.higher_is_better else "lower"
        span = f"from {self.low:g} to {self.high:g}" if self.bounded else f"from {self.low:g} up"
        return f"{span.replace('-', '−')}, {better} is better"

    @property
    def most_apart(self) -> float:
        """Return the largest difference that it can show, in score units: a margin is smaller."""
        return self.high - self.low

    @property
    def tie(self) -> float:
        """Return the score of two compared texts that are equally good: the middle of the scale."""
        return (self.low + self.high) / 2

    @property
    def is_compared(self) -> bool:
        """Return whether reviewers and screens compare its answers: everybody chooses a level."""
        return bool(self.levels)

    @property
    def compares(self) -> bool:
        """Return whether its question is about two texts."""
        return False

    @property
    def ranks(self) -> bool:
        """Return whether one answer scores all texts of an item."""
        return False

    @property
    def wins_of(self) -> str:
        """Return the criterion whose wins it counts, in comparisons of two texts; "" otherwise."""
        return ""

    @property
    def both_bad_of(self) -> str:
        """Return the criterion for which it counts “Both are bad”; "" otherwise.

        It says nothing about which text is better.
        """
        return ""

    def as_data(self) -> dict[str, Any]:
        """Return what a page or an API client needs to know."""
        return {**asdict(self), "label": str(self.label), "question": str(self.question)} | {
            "levels": [
                {"value": level.value, "label": str(level.label), "cue": str(level.cue)}
                for level in self.levels
            ]
        }


@dataclass(frozen=True)
class TextBeside:
    """One text of an item whose texts are shown side by side, as one annotator sees it.

    task: this annotator's own task on it, if there is one. answer: what they answered, in words.
    number: its place among the item's outputs by their ids, from 0. systems: how many wrote it.
    """

    text: str
    is_rated: bool = False
    task: int | None = None
    answer: str = ""
    number: int = 0
    systems: int = 1


@dataclass(frozen=True)
class Material:
    """A system's output, and what of its item can stand beside it: see `beside`.

    form: how the text is shown (`TextForm`).
    words: of the text, by its reading length; 0 where they are not counted yet.
    turned: of a pair of texts, whether this annotator sees its second text first.
    side_by_side: all texts of the item in this annotator's order, where they are shown.
    """

    text: str
    input: str = ""
    paragraphs: tuple[str, ...] = ()
    form: str = TextForm.PLAIN
    turned: bool = False
    words: int = 0
    side_by_side: tuple[TextBeside, ...] = ()
    reference: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """Return the two texts of a pair, in the order in which this annotator sees them."""
        first, second = parts(self.text)
        return (second, first) if self.turned else (first, second)

    @cached_property
    def visible(self) -> str:
        """Return the text as people see it, whose characters highlights count."""
        return content.visible(self.text, self.form)


READING = (250, 150)  # words a minute of quick and of careful readers
NUMBER = re.compile(r"[0-9]+")


class Showing(Protocol):
    """A plan, campaign or study, which says what of an item it shows."""

    @property
    def shows_input(self) -> bool | None: ...
    @property
    def shows_reference(self) -> bool: ...


def beside(instrument: "Instrument", study: Showing) -> set[str]:
    """Return what of an item annotators see beside its texts: its input, its reference."""
    needed = instrument.needs_input or instrument.needs_paragraphs
    shown = {"input": study.shows_input or needed, "reference": study.shows_reference}
    return {name for name, is_shown in shown.items() if is_shown}


def usual_minutes(instrument: "Instrument", material: Material, *, beside: Collection[str]) -> str:
    """Return the minutes of a task: the announced ones, or those of reading if it takes longer."""
    words = 0
    if not instrument.ranks:  # there the text is one of those side by side
        words = material.words or reading_length(material.visible)
    if "input" in beside:
        words += reading_length(input_as_text(material.input, material.paragraphs))
    if "reference" in beside:
        words += reading_length(material.reference)
    words += sum(reading_length(one.text) for one in material.side_by_side if not one.is_rated)
    quick, careful = (ceil(words / speed) for speed in READING)
    announced = max(map(int, NUMBER.findall(instrument.minutes)), default=careful)
    if careful <= announced:
        return instrument.minutes
    return f"{quick}–{careful}" if quick < careful else f"{careful}"


def input_as_text(text: str, paragraphs: Sequence[str]) -> str:
    """Return all of an item's input as one text, with blank lines between its paragraphs."""
    return "\n\n".join(filter(None, (text, *paragraphs)))


class InvalidResponse(ValueError):
    """A response that cannot be accepted; `errors` maps each field to what to do about it."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(str(message) for message in errors.values()))
        self.errors = dict(errors)


# The words that annotators marked: the highlights in a stored response of any instrument.


def are_taken(instrument: "Instrument") -> bool:
    """Return whether this instrument asks for highlights."""
    definition = getattr(instrument, "definition", None)
    asked = ("takes_evidence", "marks_errors")
    return instrument.needs_paragraphs or any(getattr(definition, one, False) for one in asked)


def marked(
    response: Mapping[str, Any], *, text: str, paragraphs: Sequence[str]
) -> list[dict[str, Any]]:
    """Return each highlight of a response: its position and its words.

    `text`: the output; `paragraphs`: of its item. Highlights of the output name the `criterion`
    that they explain, those of a paragraph its `number`, from 1. `start` and `end` count code
    points from 0; the end is excluded.
    """
    found = [
        {"criterion": criterion, "paragraph": None, **one}
        for criterion, spans in _mapping(response.get("evidence")).items()
        for one in _words(spans, text)
    ]
    found += [
        {"criterion": question, "paragraph": None, **one, "text": text[one["start"] : one["end"]]}
        for question, errors in response.items()
        for one in _list(errors)
        if "severity" in _mapping(one)
    ]
    verdicts = zip(_list(response.get("verdicts")), paragraphs, strict=False)
    for number, (verdict, paragraph) in enumerate(verdicts, start=1):
        spans = _list(_mapping(verdict).get("spans"))
        found += [
            {"criterion": None, "paragraph": number, **one} for one in _words(spans, paragraph)
        ]
    return found


def _words(spans: Iterable[Sequence[int]], text: str) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "text": text[start:end]} for start, end in spans]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# How a stored response is read by reviewers, screens, and its annotator.


Key = tuple[str, int]  # a question's name, and the number of its paragraph (0: none)
Edges = list[list[tuple[int, int]]]  # where the words of each paragraph begin and end


@dataclass(frozen=True)
class Question:
    """A question with levels, asked once per task or per paragraph; `levels`: (value, label).

    of_paragraphs: it is asked about each paragraph.
    """

    name: str
    label: str
    levels: tuple[tuple[float, str], ...]
    of_paragraphs: bool = False

    @property
    def heading(self) -> str:
        """Return the heading above all of its answers."""
        return f"{self.label}s" if self.of_paragraphs else self.label

    def said(self, value: float) -> str:
        return dict(self.levels)[value]

    @property
    def spread(self) -> float:
        """Return the largest possible difference between two answers."""
        values = [value for value, _label in self.levels]
        return max(values) - min(values)


@dataclass(frozen=True)
class Highlight:
    """The marked words of one text, as pairs of code points; `title` says which text it is."""

    title: str
    text: str
    spans: Sequence[Sequence[int]]


class Observed(NamedTuple):
    """One judgment, with what a screen may know of the response and the material.

    input_words: 0 where the input is not shown.
    paragraphs: where the words of each begin and end, if the instrument needs paragraphs.
    """

    response: Mapping[str, Any]
    text_words: int
    input_words: int
    paragraphs: Edges


class Instrument:
    """The contract of an instrument, with what most of them share; `registry.py` lists them.

    Questions and columns are by default those of criteria with levels. A criterion without levels
    is not among the questions: reviewers do not compare it, and screens see the time that was
    taken, but not the answer.

    scoring: the version of the scoring; it changes whenever a response's score may change.
    template: of the annotator's page; "" if the instrument has no page.
    folder: of its built-in tutorials, `tutorial.LANGUAGE.json`.
    title: what annotators read if the study has none. about: their work in a sentence.
    minutes: the announced minutes for one task, such as "1–3".
    needs_paragraphs: every item must have a question and paragraphs.
    needs_input: every item must have an input, which is shown.
    compares: two texts of an item are judged together, so that a system is a pair.
    shows_others: the item's other texts are shown next to the rated one.
    ranks: one task is all texts of an item, and its judgment scores each of them: see
        `score_names`.
    partial: a judgment may lack some criteria.
    """

    key: str
    version: str = "1"
    scoring: str = "1"
    label: str
    criteria: tuple[Criterion, ...]
    template: str = ""
    folder: Path | None = None
    title: "Words"
    about: "Words" = ""
    minutes: str = ""
    needs_paragraphs: bool = False
    needs_input: bool = False
    compares: bool = False
    shows_others: bool = False
    ranks: bool = False
    partial: bool = False

    @property
    def shows_all(self) -> bool:
        """Return whether all texts of an item stand on one page."""
        return self.shows_others or self.ranks

    @property
    def example(self) -> Material:
        """Return the example in the preview: a sentence or two in the active language."""
        return Material("")

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        """Return the response as it will be stored, or raise `InvalidResponse`."""
        raise NotImplementedError

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Return the score of each criterion. It depends only on the stored response."""
        raise NotImplementedError

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        """Return whether `scores` may take seconds, so that a separate task computes them."""
        return False

    @property
    def asked(self) -> Sequence[Any]:
        """Return what is asked, of every kind; tutorials can ask it too."""
        return ()

    def questions(self) -> tuple[Question, ...]:
        """Return the questions with levels, in the order in which they are asked."""
        return tuple(
            Question(
                criterion.name,
                str(criterion.label),
                tuple((float(level.value), str(level.label)) for level in criterion.levels),
            )
            for criterion in self.criteria
            if criterion.is_compared
        )

    def answers(self, response: Mapping[str, Any]) -> dict[Key, float]:
        """Return the value of each answer in a stored response."""
        return {(one.name, 0): float(response[one.name]) for one in self.questions()}

    def said(self, asked: Question, response: Mapping[str, Any]) -> str:
        """Return the answer to a question of the whole task in words, as reviewers read it."""
        return asked.said(self.answers(response)[asked.name, 0])

    def highlights(self, response: Mapping[str, Any], material: Material) -> list[Highlight]:
        """Return the highlights, text by text."""
        return []

    def recalled(self, response: Mapping[str, Any]) -> str:
        """Return the answers in one line, as their annotator gave them."""
        given = [(one, response.get(one.name)) for one in self.questions()]
        return ", ".join(
            f"{one.label}: {label}"
            for one, chosen in given
            for value, label in one.levels
            if value == chosen
        )

    def answered(self, response: Mapping[str, Any]) -> str:
        """Return the answers in one line for reviewers, who see a pair in its own order."""
        return self.recalled(response)

    def other_answers(self, response: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the label of what is not among `questions`, and the answer in words."""
        return []

    def reopened(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response as the draft from which its annotator corrects it."""
        return dict(response)

    def of_text(self, response: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Return of a ranking what it says of the text with this number, from 0."""
        raise NotImplementedError

    def columns(self, judgments: Sequence[Observed]) -> dict[str, Any]:
        """Return the screens' columns of the judgments: fields of `screening.base.Columns`."""
        read = [one.text_words + one.input_words for one in judgments]
        return {"words": np.array(read, dtype=np.float64)} | _alike(self, judgments)

    def shown(self, material: Material) -> str:
        """Return the output's text as the page's script gets it."""
        return material.text

    def page(self, material: Material) -> dict[str, Any]:
        """Return the data about the task for the page's script."""
        return {}

    def strings(self) -> dict[str, Any]:
        """Return the texts of the page's script, in the active language."""
        return {}

    def tutorial(self, language: str) -> "Tutorial | None":
        """Return the built-in tutorial in this language, or in the nearest available one."""
        return None


def _alike(instrument: Instrument, judgments: Sequence[Observed]) -> dict[str, Any]:
    """Return the criteria that share the first one's levels; none if no criterion has levels."""
    asked = [criterion for criterion in instrument.criteria if criterion.is_compared]
    if not asked:
        return {}
    levels = _levels(asked[0])
    names = [criterion.name for criterion in asked if _levels(criterion) == levels]
    scores = {
        name: np.array([one.response[name] for one in judgments], dtype=np.float64)
        for name in names
    }
    return {"levels": levels, "scores": scores}


def _levels(criterion: Criterion) -> tuple[float, ...]:
    return tuple(sorted(float(level.value) for level in criterion.levels))


# Answers that are known to be right: what a gold item expects, and the chance of a guess.
#
# They are stored as {question: [values]}; a question about a paragraph is called "name.number".


Expected = Mapping[str, Sequence[float]]
MOST = 40  # answers about one item


def is_right(instrument: Instrument, expected: Expected, response: Mapping[str, Any]) -> bool:
    """Return whether a stored response gives all expected answers."""
    given = instrument.answers(response)
    return all(given.get(_key(name)) in values for name, values in expected.items())


def chance(instrument: Instrument, expected: Expected) -> float:
    """Return the probability of the right answers if each level is as likely as the others."""
    levels = {one.name: len(one.levels) for one in instrument.questions()}
    return prod(len(set(values)) / levels[_key(name)[0]] for name, values in expected.items())


def said(instrument: Instrument, expected: Expected) -> list[tuple[str, str]]:
    """Return each question and its right answers, in words."""
    asked = {one.name: one for one in instrument.questions()}
    found = []
    for name, values in expected.items():
        question, number = asked[_key(name)[0]], _key(name)[1]
        label = f"{question.label} {number}" if number else question.label
        found.append((label, " or ".join(question.said(float(one)) for one in values)))
    return found


def problems(instrument: Instrument, expected: Any, material: Material) -> Iterator[str]:
    """Yield what is wrong with expected answers that somebody has written down."""
    if not isinstance(expected, dict) or not expected:
        yield "says no right answer. Give at least one question and its right answers."
        return
    if len(expected) > MOST:
        yield f"expects more than {MOST} answers."
        return
    asked = {one.name: one for one in instrument.questions()}
    for name, values in expected.items():
        yield from _problems_of(name, values, asked, material)


def _problems_of(
    name: str, values: Any, asked: Mapping[str, Question], material: Material
) -> Iterator[str]:
    question, number = asked.get(_key(name)[0]), _key(name)[1]
    if question is None:
        yield f"expects an answer to {_short(name)}; the questions are {', '.join(asked)}."
        return
    if question.of_paragraphs != (number > 0) or number > len(material.paragraphs):
        form = f"“{question.name}.1”" if question.of_paragraphs else f"“{question.name}”"
        yield f"expects an answer to {_short(name)}; it is called {form}, and so on."
        return
    levels = [value for value, _label in question.levels]
    if not isinstance(values, list) or not values or not all(_is_in(v, levels) for v in values):
        known = ", ".join(f"{value:g}" for value in levels)
        yield f"needs a list of right answers to “{name}” among {known}."
    elif len(set(values)) == len(levels):
        yield f"takes every answer to “{name}” as right, so no answer can be wrong."


def _is_in(value: Any, levels: Sequence[float]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value in levels


def _short(name: str) -> str:
    return f"“{name if len(name) <= 40 else name[:40] + '…'}”"


def _key(name: str) -> Key:
    question, dot, number = name.rpartition(".")
    if dot and number.isascii() and number.isdecimal() and len(number) < 6:
        return question, int(number)
    return name, 0


# All texts of an item on one page: which order an annotator sees them in.
#
# The order depends on the person and the outputs alone, so it is the same after a reload, in a
# correction and in the query that leases the next text.


def place(annotator_id: int, output_id: int) -> str:
    """Return what an annotator’s texts are sorted by, as in the query of a lease."""
    return md5(str(output_id * annotator_id).encode(), usedforsecurity=False).hexdigest()


def with_others(material: Material, others: Sequence[str], *, ranks: bool = False) -> Material:
    """Return an example with other texts after its own. ranks: none of them is the rated one."""
    rated = TextBeside(material.text, is_rated=not ranks)
    beside = (TextBeside(text, number=number) for number, text in enumerate(others, start=1))
    return replace(material, side_by_side=(rated, *beside))


# A judgment that ranks the texts of an item gives each of them a score of its own. Their names tell
# which text, by its place among the item's outputs.


MOST_RANKED = 6  # texts of one item


def score_names(criterion: str) -> list[str]:
    """Return the names under which a ranking's scores on a criterion are stored, text by text."""
    return [f"{criterion}_{number}" for number in range(1, 1 + MOST_RANKED)]


def text_of_score(name: str) -> tuple[str, int]:
    """Return the criterion of such a name, and the place of the text, from 0."""
    criterion, _line, number = name.rpartition("_")
    return criterion, int(number) - 1


# The criteria, and the three possible answers about a paragraph.
#
# A paragraph shows that the answer is correct, incorrect, or neither (Chaganty et al. 2018,
# appendix A.2).


ANY_CORRECT = Criterion(
    "any_correct", low=0, high=1, label="Any correct", is_yes_no=True, balance=0.14
)
AVG_CORRECT = Criterion("avg_correct", low=0, high=1, label="Average correct", balance=0.10)
CORRECTNESS_CRITERIA = (ANY_CORRECT, AVG_CORRECT)

CORRECT, NEITHER, INCORRECT = 1, 0, -1
VERDICTS = (
    Level(
        CORRECT, gettext_lazy("The answer is correct"), gettext_lazy("It says so, or implies it")
    ),
    Level(NEITHER, gettext_lazy("Neither"), gettext_lazy("It leaves the answer open")),
    Level(
        INCORRECT, gettext_lazy("The answer is incorrect"), gettext_lazy("It rules the answer out")
    ),
)
