"""The questions of a rating study, by kind: how each is declared, checked, scored and recalled.

A stored response has the answer to each question under its name. A question that was not asked,
because of the answer to another one, has none.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import AfterValidator, Field, ValidationInfo
from pydantic.functional_validators import PlainValidator

from annotate.common.json import storable
from annotate.common.schemas import (
    Declared,
    Fault,
    Identifier,
    OptionalText,
    Several,
    Text,
    distinct,
    fault,
    refuse,
)
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Criterion, InvalidResponse, Level, Material
from estimation.core import BALANCE, PERSON_SHARE
from estimation.metrics import reading_length

if TYPE_CHECKING:
    from annotate.instruments.base import Words

Answers = Mapping[str, Any]  # of a response, by the names of the questions

EDIT = "edit"
EVIDENCE = "evidence"
REQUIREMENTS = (EDIT, EVIDENCE)
FARTHEST = 100
MOST_LEVELS, MOST_OPTIONS, MOST_CATEGORIES, MOST_SEVERITIES = 7, 8, 60, 6
MOST_BALANCE = 10  # beyond it people count equally whatever they did
MOST_IN_ROW, SHORT_LABEL, SHORT_WORD = 5, 24, 10  # answers, and characters, in 320 px
LONGEST_NAME = 40  # of a criterion
LONGEST_REASON = 2000  # characters
MOST_ERRORS = 100  # marked in one text
TOP = 100  # of a slider
USUAL_ERRORS = 25  # the working range of weighted errors ends here
BOTH_BAD = "both_bad"  # of a comparison: an answer, and the stored list of questions that had it
ORDER, SYSTEMS = "order", "systems"  # of a stored ranking: see `Rank`
# Names that a stored response or a draft uses for something else.
TAKEN = ("edit", "distance", "evidence", "active_seconds")


ShortName = Annotated[Identifier, Field(max_length=30)]
Label = Annotated[Text, Field(max_length=60)]
Cue = Annotated[OptionalText, Field(max_length=200)]


class Condition(Declared):
    """A question is asked only after one of these answers to an earlier question with levels.

    hidden: the score where it is not asked; None: the question is not scored at all.
    """

    question: ShortName
    values: Several[int] = Field(min_length=1, max_length=MOST_LEVELS)
    hidden: float | None = Field(default=None, ge=-FARTHEST, le=FARTHEST)

    def holds(self, answers: Answers) -> bool:
        return answers.get(self.question) in self.values


class Right(Declared):
    """What is right where a tutorial asks one of these questions about a text."""

    def problems(self, asked: Any, material: Material) -> Iterator[Fault]:
        """Yield what does not fit the question or the text."""
        yield from ()

    def fits(self, answer: Any, material: Material) -> bool:
        """Return whether a checked answer is right."""
        raise NotImplementedError

    def said(self, asked: Any) -> str:
        """Return what is right, in words for researchers."""
        raise NotImplementedError


@dataclass(frozen=True)
class Question(Criterion):
    """What people are asked about a text: here one choice among levels; subclasses are other kinds.

    evidence: what to highlight, if a level requires evidence. only_if: when it is asked.
    both_bad: of two texts, whether “Both are bad” can be said beside the tie. It scores as a tie.
    """

    kind = "choice"
    right: ClassVar[type[Right] | None] = None  # tutorials ask levels and free text otherwise
    evidence: "Words" = ""
    only_if: Condition | None = None
    both_bad: bool = False

    @property
    def is_compared(self) -> bool:
        return super().is_compared and self.only_if is None

    def is_asked(self, answers: Answers) -> bool:
        return self.only_if is None or self.only_if.holds(answers)

    def choice(self, value: int) -> Level:
        return next(level for level in self.levels if level.value == value)

    @property
    def offered(self) -> list[tuple[int | str, "Words", "Words"]]:
        """Return the answers in their order on the page: value, label and cue."""
        found: list[tuple[int | str, Words, Words]] = []
        for level in self.levels:
            found.append((level.value, level.label, level.cue))
            if self.both_bad and not level.value:
                cue = gettext("You would take neither")
                found.append((BOTH_BAD, gettext("Both are bad"), cue))
        return found

    @property
    def fits_a_row(self) -> bool:
        """Return whether its answers stand beside each other on a phone."""
        labels = [str(level.label) for level in self.levels]
        if not labels or len(labels) > MOST_IN_ROW or max(map(len, labels)) > SHORT_LABEL:
            return False
        return max(len(word) for label in labels for word in label.split()) <= SHORT_WORD

    @property
    def keys(self) -> int:
        """Return how many number keys answer it."""
        return len(self.levels) + self.both_bad

    @property
    def required(self) -> frozenset[str]:
        """Return everything that one of its levels requires."""
        return frozenset(what for level in self.levels for what in level.requires)

    @property
    def takes_evidence(self) -> bool:
        return EVIDENCE in self.required

    @property
    def scored(self) -> tuple[Criterion, ...]:
        """Return the criteria of its scores; none where it is not scored."""
        hidden_unscored = self.only_if is not None and self.only_if.hidden is None
        return () if hidden_unscored else self._criteria()

    def _criteria(self) -> tuple[Criterion, ...]:
        return (self,)

    def checked(self, given: Any, material: Material) -> Any:
        """Return the answer as it will be stored, or raise `InvalidResponse`."""
        if given is None:
            raise self._unanswered()
        if self.both_bad and given == BOTH_BAD:
            return given
        if type(given) is not int or given not in [level.value for level in self.levels]:
            raise self._refused(
                gettext("“%(label)s” takes one of its levels, nothing else.")
                % {"label": self.label}
            )
        return given

    def scores(self, answer: Any, material: Material) -> dict[str, float]:
        """Return the score of each of its criteria. answer: None where it was not asked."""
        if answer is None:
            assert self.only_if is not None, "every other question is answered"
            hidden = self.only_if.hidden
            return {} if hidden is None else {one.name: hidden for one in self.scored}
        return self._scores(answer, material) if self.scored else {}

    def _scores(self, answer: Any, material: Material) -> dict[str, float]:
        return {self.name: float(answer)}

    def said(self, answer: Any) -> str:
        """Return an answer in words."""
        if answer == BOTH_BAD:
            return gettext("Both are bad")
        return str(self.choice(answer).label)

    def shown(self) -> dict[str, Any]:
        """Return what the page's script needs to know."""
        condition = self.only_if
        return {
            "name": self.name,
            "kind": self.kind,
            "label": str(self.label),
            "question": str(self.question),
            "only_if": condition and {"question": condition.question, "values": condition.values},
            "levels": [
                {
                    "value": level.value,
                    "label": str(level.label),
                    "cue": str(level.cue),
                    "requires": level.requires,
                }
                for level in self.levels
            ],
        }

    def as_data(self) -> dict[str, Any]:
        own = ("only_if", BOTH_BAD)
        found = {name: one for name, one in super().as_data().items() if name not in own}
        return (
            found
            | ({"only_if": _written(self.only_if)} if self.only_if else {})
            | ({BOTH_BAD: True} if self.both_bad else {})
        )

    def declaration(self) -> dict[str, Any]:
        """Return the JSON data that declares it."""
        usual = {"balance": BALANCE, "person_share": PERSON_SHARE}
        own = {name: float(getattr(self, name)) for name in usual}
        return {
            "name": self.name,
            "label": str(self.label),
            "question": str(self.question),
            **({} if self.kind == "choice" else {"kind": self.kind}),
            **(
                {}
                if self.higher_is_better or self.kind == "errors"
                else {"higher_is_better": False}
            ),
            **({"evidence": str(self.evidence)} if self.evidence else {}),
            **{name: value for name, value in own.items() if value != usual[name]},
            **({"only_if": _written(self.only_if)} if self.only_if else {}),
            **self._own_data(),
        }

    def _own_data(self) -> dict[str, Any]:
        levels = {"levels": [_level_data(level) for level in self.levels]}
        return levels | ({BOTH_BAD: True} if self.both_bad else {})

    def _unanswered(self) -> InvalidResponse:
        return self._refused(gettext("“%(label)s” has no answer.") % {"label": self.label})

    def _refused(self, message: str) -> InvalidResponse:
        return InvalidResponse({self.name: message})


def _level_data(level: Level) -> dict[str, Any]:
    found = {"value": level.value, "label": str(level.label), "cue": str(level.cue)}
    return {name: one for name, one in found.items() if one != ""} | (
        {"requires": list(level.requires)} if level.requires else {}
    )


def _written(part: Declared) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_defaults=True)


class Option(Declared):
    """One of several choices: a yes/no criterion of its own."""

    name: Annotated[Identifier, Field(max_length=20)]
    label: Label
    cue: Cue = ""


class ChoicesRight(Right):
    chosen: Several[ShortName] = Field(max_length=MOST_OPTIONS)

    def problems(self, asked: Any, material: Material) -> Iterator[Fault]:
        known = [option.name for option in asked.options]
        for number, name in enumerate(self.chosen):
            if name not in known:
                yield ("chosen", number), f"Must be one of {', '.join(known)}."

    def fits(self, answer: Any, material: Material) -> bool:
        return set(answer) == set(self.chosen)

    def said(self, asked: Any) -> str:
        return str(asked.said(self.chosen))


@dataclass(frozen=True)
class Choices(Question):
    """Several choices, of which any number applies; the answer lists the chosen names."""

    kind = "choices"
    right = ChoicesRight
    options: tuple[Option, ...] = ()

    def _criteria(self) -> tuple[Criterion, ...]:
        return tuple(
            Criterion(
                f"{self.name}_{option.name}",
                low=0,
                high=1,
                higher_is_better=self.higher_is_better,
                label=format_lazy("{}: {}", self.label, option.label),
                question=self.question,
                is_yes_no=True,
                balance=self.balance,
                person_share=self.person_share,
            )
            for option in self.options
        )

    @property
    def keys(self) -> int:
        return len(self.options) + 1  # “None of these”

    def checked(self, given: Any, material: Material) -> list[str]:
        if given is None:
            raise self._unanswered()
        known = [option.name for option in self.options]
        if not isinstance(given, list) or not all(one in known for one in given):
            raise self._refused(
                gettext("“%(label)s” takes a list of its options, nothing else.")
                % {"label": self.label}
            )
        return [name for name in known if name in given]

    def _scores(self, answer: Collection[str], material: Material) -> dict[str, float]:
        return {f"{self.name}_{one.name}": float(one.name in answer) for one in self.options}

    def said(self, answer: Collection[str]) -> str:
        chosen = [option.label for option in self.options if option.name in answer]
        return ", ".join(chosen) or gettext("none of these")

    def shown(self) -> dict[str, Any]:
        return super().shown() | {"options": [option.name for option in self.options]}

    def _own_data(self) -> dict[str, Any]:
        return {"options": list(map(_written, self.options))}


class SliderRight(Right):
    at_least: int = Field(default=0, ge=0, le=TOP)
    at_most: int = Field(default=TOP, ge=0, le=TOP)

    def problems(self, asked: Any, material: Material) -> Iterator[Fault]:
        if not 0 <= self.at_most - self.at_least < TOP:
            yield (), "Needs “at_least”, “at_most” or both, and a number that is wrong."

    def fits(self, answer: Any, material: Material) -> bool:
        return bool(self.at_least <= answer <= self.at_most)

    def said(self, asked: Any) -> str:
        return f"{self.at_least} to {self.at_most}"


@dataclass(frozen=True)
class Slider(Question):
    """A whole number from 0 to 100, between two anchors; nothing is chosen beforehand."""

    kind = "slider"
    right = SliderRight
    anchors: tuple[str, str] = ("", "")

    def checked(self, given: Any, material: Material) -> int:
        if given is None:
            raise self._unanswered()
        if type(given) is not int or not 0 <= given <= TOP:
            raise self._refused(
                gettext("“%(label)s” takes a whole number from 0 to 100.") % {"label": self.label}
            )
        return given

    def said(self, answer: Any) -> str:
        return str(answer)

    def _own_data(self) -> dict[str, Any]:
        return {"left": self.anchors[0], "right": self.anchors[1]}


@dataclass(frozen=True)
class Reason(Question):
    """Free text. It is shown to reviewers and exported, and never scored."""

    kind = "text"
    optional: bool = False

    def _criteria(self) -> tuple[Criterion, ...]:
        return ()

    def checked(self, given: Any, material: Material) -> str:
        text = "" if given is None else given
        if not isinstance(text, str) or not storable(text):
            raise self._refused(gettext("“%(label)s” takes text.") % {"label": self.label})
        if len(text) > LONGEST_REASON:
            raise self._refused(
                gettext("“%(label)s” takes at most %(most)s characters.")
                % {"label": self.label, "most": LONGEST_REASON}
            )
        if not text.strip() and not self.optional:
            raise self._unanswered()
        return text.strip()

    def said(self, answer: Any) -> str:
        return f"“{answer}”" if answer else "–"

    def shown(self) -> dict[str, Any]:
        return super().shown() | {"optional": self.optional}

    def _own_data(self) -> dict[str, Any]:
        return {"optional": True} if self.optional else {}


class RankRight(Right):
    """places: of the texts, in their order; of the best text 1 and of the others 2."""

    places: Several[int] = Field(min_length=2, max_length=instruments_base.MOST_RANKED)

    def problems(self, asked: Any, material: Material) -> Iterator[Fault]:
        try:
            if asked.checked(list(self.places), material) != list(self.places):
                yield ("places",), "Leaves a place out."
        except InvalidResponse:
            yield ("places",), f"Needs a place for each of {len(material.side_by_side)} texts."

    def fits(self, answer: Any, material: Material) -> bool:
        return list(answer) == list(self.places)

    def said(self, asked: Any) -> str:
        return str(asked.said(self.places))


@dataclass(frozen=True)
class Rank(Question):
    """The order of all texts of an item, which stand side by side; equal places are a tie.

    The answer is the place of each text, 1 for the best, in the order in which the annotator saw
    the texts. It is stored in the order of the item's outputs. Beside it stand `ORDER`, the outputs
    in the order of the page, and `SYSTEMS`, how many systems wrote each output.
    best_only: people choose the best text, and all others are second.
    """

    kind = "rank"
    right = RankRight
    best_only: bool = False

    @property
    def ranks(self) -> bool:
        return True

    @property
    def keys(self) -> int:
        return instruments_base.MOST_RANKED

    @property
    def rows(self) -> range:
        """Return the numbers of the texts that there may be, which are those of the places too."""
        return range(1, 1 + instruments_base.MOST_RANKED)

    @property
    def scale_text(self) -> str:
        if self.best_only:
            return "from 0 to 1: the share of items in which its text is the best one"
        return "from 0 to 1: the share of the other systems that it beats; a tie counts half"

    def checked(self, given: Any, material: Material) -> list[int]:
        texts = material.side_by_side
        if given is None:
            raise self._unanswered()
        places = given if isinstance(given, list) else []
        if len(places) != len(texts) or not all(_is_place(one, len(texts)) for one in places):
            if None in places:
                raise self._unanswered()
            raise self._refused(
                gettext("“%(label)s” takes a place from 1 to %(n)s for each text.")
                % {"label": self.label, "n": len(texts)}
            )
        if self.best_only and places.count(1) != 1:
            raise self._unanswered()
        # Only the order counts: 1, 3, 3 and 1, 2, 2 say the same.
        known = sorted(set(places))
        found = [1 + known.index(one) for one in places]
        return [min(one, 2) for one in found] if self.best_only else found

    def ranked(self, places: Sequence[int], systems: Sequence[int]) -> dict[str, float]:
        """Return the score of each text, by the names of `score_names`.

        places: of the texts, by output. systems: how many wrote each. Systems with the same text
        tie: they share what they win.
        """
        names = instruments_base.score_names(self.name)
        if self.best_only:
            return {
                name: float(place == 1) / n
                for name, place, n in zip(names, places, systems, strict=False)
            }
        found = {}
        for name, place in zip(names, places, strict=False):
            each = zip(places, systems, strict=True)
            beaten = sum(n * ((place < other) + (place == other) / 2) for other, n in each)
            found[name] = (beaten - 1 / 2) / (sum(systems) - 1)  # without the system itself
        return found

    def said(self, answer: Sequence[int] | int) -> str:
        """Return places in words: of the texts in their order or, to reviewers, of one text."""
        if isinstance(answer, int):
            if self.best_only:
                return "best" if answer == 1 else "–"
            return f"place {answer}"
        if self.best_only:
            return gettext("Text %(n)s") % {"n": answer.index(1) + 1}
        of_place = [
            " = ".join(str(n) for n, one in enumerate(answer, start=1) if one == place)
            for place in sorted(set(answer))
        ]
        return " > ".join(of_place)

    def shown(self) -> dict[str, Any]:
        return super().shown() | {"best_only": self.best_only}

    def _own_data(self) -> dict[str, Any]:
        return {"best_only": True} if self.best_only else {}


def _is_place(given: Any, most: int) -> bool:
    return type(given) is int and 1 <= given <= most


class Category(Declared):
    """What an error is. group: the heading above it and others, if there is one."""

    name: ShortName
    label: Label
    group: Annotated[OptionalText, Field(max_length=60)] = ""

    @property
    def whole(self) -> str:
        return f"{self.group}: {self.label}" if self.group else self.label


@dataclass(frozen=True)
class Severity:
    """How bad an error is. weight: its part of the score."""

    name: str
    label: "Words"
    weight: float


# The weights of MQM's scoring model (Lommel et al. 2014; themqm.org).
MQM_SEVERITIES = (
    Severity("minor", _("Minor"), 1),
    Severity("major", _("Major"), 5),
    Severity("critical", _("Critical"), 25),
)


class ExpectedError(Declared):
    """An error to find: words of the text, and how it may be called; empty: in any way."""

    text: Annotated[Text, Field(max_length=1000)]
    categories: Several[ShortName] = Field(default=(), max_length=MOST_CATEGORIES)
    severities: Several[ShortName] = Field(default=(), max_length=MOST_SEVERITIES)

    def is_called(self, error: Answers) -> bool:
        """Return whether a marked error has one of its categories and severities."""
        return error["category"] in (self.categories or (error["category"],)) and (
            error["severity"] in (self.severities or (error["severity"],))
        )


class ErrorsRight(Right):
    """errors: all that must be marked, each by itself. others: how many more marks are accepted."""

    errors: Several[ExpectedError] = Field(default=(), max_length=MOST_OPTIONS)
    others: int = Field(default=0, ge=0, le=MOST_ERRORS)

    def problems(self, asked: Any, material: Material) -> Iterator[Fault]:
        known = {
            "categories": [one.name for one in asked.categories],
            "severities": [one.name for one in asked.severities],
        }
        for number, one in enumerate(self.errors):
            if material.visible.count(one.text) != 1:
                yield ("errors", number, "text"), "Must occur once in the text."
            for what, names in known.items():
                for name in getattr(one, what):
                    if name not in names:
                        yield ("errors", number, what), f"Must be among {', '.join(names)}."
        yield from distinct("errors", self.errors, "text")
        if self.others and not self.errors:
            yield ("others",), "Belongs to errors that must be marked."

    def fits(self, answer: Any, material: Material) -> bool:
        found, more = set(), 0
        starts = {one: material.visible.index(one.text) for one in self.errors}
        for error in answer:
            met = [
                one
                for one, start in starts.items()
                if error["start"] < start + len(one.text) and start < error["end"]
            ]
            if len(met) == 1 and met[0].is_called(error):
                found.add(met[0].text)
            else:
                more += 1
        return len(found) == len(self.errors) and more <= self.others

    def said(self, asked: Any) -> str:
        return "; ".join(f"“{one.text}”" for one in self.errors) or "no errors"


@dataclass(frozen=True)
class Errors(Question):
    """Errors that are marked in the text, each with a category and a severity; fewer are better.

    The answer is a list of {start, end, category, severity}, in code points of the visible text;
    category is "" where there are none to choose from.
    per: “words”: the score is the sum of the weights for 100 words of reading (`reading_length`);
    “text”: the sum; “nothing”: the errors are not scored.
    """

    kind = "errors"
    right = ErrorsRight
    categories: tuple[Category, ...] = ()
    severities: tuple[Severity, ...] = MQM_SEVERITIES
    per: str = "words"

    def _criteria(self) -> tuple[Criterion, ...]:
        return () if self.per == "nothing" else (self,)

    @property
    def grouped(self) -> list[tuple[str, list[Category]]]:
        """Return the categories under their headings, in the order of the first of each."""
        groups = dict.fromkeys(one.group for one in self.categories)
        return [(name, [one for one in self.categories if one.group == name]) for name in groups]

    def checked(self, given: Any, material: Material) -> list[dict[str, Any]]:
        if given is None:
            raise self._unanswered()
        if not isinstance(given, list) or len(given) > MOST_ERRORS:
            raise self._refused(
                gettext("“%(label)s” takes a list of at most %(most)s errors.")
                % {"label": self.label, "most": MOST_ERRORS}
            )
        found = sorted((self._error(one, material.visible) for one in given), key=_start)
        for before, after in pairwise(found):
            if after["start"] < before["end"]:
                raise self._refused(gettext("Two of the marked errors overlap."))
        return found

    def _error(self, given: Any, text: str) -> dict[str, Any]:
        try:
            start, end = instruments_base.read_span(given, text)
        except instruments_base.InvalidSpans as problem:
            raise self._refused(str(problem)) from None
        category, severity = given.get("category"), given.get("severity")
        if not self.categories:
            category = ""
        elif category not in [one.name for one in self.categories]:
            severity = None
        if severity not in [one.name for one in self.severities]:
            raise self._refused(
                gettext("An error lacks its category or its severity: “%(words)s”.")
                % {"words": text[start:end][:80]}
            )
        return {"start": start, "end": end, "category": category, "severity": severity}

    def _scores(self, answer: Sequence[Answers], material: Material) -> dict[str, float]:
        weights = {one.name: one.weight for one in self.severities}
        total = float(sum(weights[one["severity"]] for one in answer))
        if self.per == "words":
            total *= 100 / max(1, reading_length(material.visible))
        return {self.name: total}

    def said(self, answer: Sequence[Answers]) -> str:
        if not answer:
            return gettext("no errors")
        categories = {one.name: one.whole for one in self.categories}
        severities = {one.name: str(one.label) for one in self.severities}
        return "; ".join(
            f"{categories[one['category']]} ({severities[one['severity']]})"
            if categories
            else severities[one["severity"]]
            for one in answer
        )

    def shown(self) -> dict[str, Any]:
        return super().shown() | {
            "categories": [[one.name, one.label, one.group] for one in self.categories],
            "severities": [[one.name, str(one.label)] for one in self.severities],
        }

    def as_data(self) -> dict[str, Any]:
        return super().as_data() | {"categories": list(map(_written, self.categories))}

    def _own_data(self) -> dict[str, Any]:
        usual = self.severities == MQM_SEVERITIES
        return {
            "categories": list(map(_written, self.categories)),
            **({} if usual else {"severities": [_severity_data(one) for one in self.severities]}),
            **({} if self.per == "words" else {"per": self.per}),
        }


def _severity_data(one: Severity) -> dict[str, Any]:
    return {"name": one.name, "label": str(one.label), "weight": one.weight}


def _start(error: Mapping[str, Any]) -> int:
    return int(error["start"])


def question_of(
    name: str,
    *levels: Level,
    label: "Words",
    ask: "Words",
    higher_is_better: bool = True,
    evidence: "Words" = "",
    balance: float = BALANCE,
    person_share: float = PERSON_SHARE,
    only_if: Condition | None = None,
    both_bad: bool = False,
) -> Question:
    """Return a question whose scale reaches from its lowest to its highest level."""
    values = [level.value for level in levels]
    return Question(
        name,
        low=min(values),
        high=max(values),
        higher_is_better=higher_is_better,
        label=label,
        question=ask,
        levels=levels,
        evidence=evidence,
        balance=balance,
        person_share=person_share,
        only_if=only_if,
        both_bad=both_bad,
    )


def checked(
    raw: Answers, questions: Sequence[Question], material: Material
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answers to the questions that are asked, and the problems with the others."""
    found: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for one in questions:
        if not one.is_asked(found):
            continue
        try:
            found[one.name] = one.checked(raw.get(one.name), material)
        except InvalidResponse as problem:
            errors |= problem.errors
    return found, errors


# How each kind is declared in JSON.


def _free(name: str) -> str:
    if name in TAKEN:
        raise fault(f"“{name}” means something else here. Choose another name.")
    return name


Requirements = Annotated[Several[Literal["edit", "evidence"]], Field(max_length=len(REQUIREMENTS))]


class LevelShape(Declared):
    value: int = Field(ge=-FARTHEST, le=FARTHEST)
    label: Label
    cue: Annotated[Text, Field(max_length=200)]
    requires: Requirements = ()

    def choice(self, always: tuple[str, ...]) -> Level:
        """Return the level. `always`: what every level of the criterion requires."""
        required = {*always, *self.requires}
        sorted_out = tuple(one for one in REQUIREMENTS if one in required)
        return Level(self.value, self.label, self.cue, sorted_out)


class QuestionShape(Declared):
    """What the declarations of all kinds share."""

    kind: Annotated[str, Field(max_length=20)] = "choice"
    name: Annotated[Identifier, Field(max_length=30), AfterValidator(_free)]
    label: Label
    question: Annotated[Text, Field(max_length=300)]
    higher_is_better: bool = True
    balance: float = Field(default=BALANCE, ge=0, le=MOST_BALANCE)
    person_share: float = Field(default=PERSON_SHARE, ge=0, le=1)
    only_if: Condition | None = None

    def asked(self) -> Question:
        raise NotImplementedError

    def condition_faults(self, earlier: Sequence["QuestionShape"]) -> Iterator[Fault]:
        """Check when it is asked; earlier: the questions before it."""
        if self.only_if is None:
            return
        source = next((one for one in earlier if one.name == self.only_if.question), None)
        if not isinstance(source, ChoiceShape) or source.only_if is not None:
            yield (
                ("only_if", "question"),
                "Must name an earlier question with levels that is always asked.",
            )
            return
        known = [level.value for level in source.levels]
        for number, value in enumerate(self.only_if.values):
            if value not in known:
                levels = ", ".join(map(str, known))
                yield (("only_if", "values", number), f"Is not one of the levels {levels}.")
        if self.only_if.hidden is not None:
            yield from self._hidden_faults(self.only_if.hidden)

    def _hidden_faults(self, hidden: float) -> Iterator[Fault]:
        scored = self.asked().scored
        if not scored:
            yield ("only_if", "hidden"), "Belongs to a question that is scored."
        elif not scored[0].low <= hidden <= scored[0].high:
            low, high = scored[0].low, scored[0].high
            yield ("only_if", "hidden"), f"Must lie on the scale, {low:g} to {high:g}."

    def _shared(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "higher_is_better": self.higher_is_better,
            "balance": self.balance,
            "person_share": self.person_share,
            "only_if": self.only_if,
        }


class ChoiceShape(QuestionShape):
    evidence: Annotated[OptionalText, Field(max_length=200)] = ""
    requires: Requirements = ()
    levels: Several[LevelShape] = Field(min_length=2, max_length=MOST_LEVELS)
    both_bad: bool = False

    def faults(self, context: Any) -> Iterator[Fault]:
        yield from distinct("levels", self.levels, "value")
        yield from distinct("levels", self.levels, "label")

    def asked(self) -> Question:
        levels = (level.choice(self.requires) for level in self.levels)
        return question_of(
            self.name,
            *levels,
            ask=self.question,
            evidence=self.evidence,
            both_bad=self.both_bad,
            **self._shared(),
        )


class ChoicesShape(QuestionShape):
    options: Several[Option] = Field(min_length=1, max_length=MOST_OPTIONS)

    def faults(self, context: Any) -> Iterator[Fault]:
        yield from distinct("options", self.options, "name")
        yield from distinct("options", self.options, "label")
        for number, one in enumerate(self.options):
            whole = f"{self.name}_{one.name}"
            if len(whole) > LONGEST_NAME:
                yield (
                    ("options", number, "name"),
                    f"Makes “{whole}”, which has more than {LONGEST_NAME} characters.",
                )

    def asked(self) -> Question:
        asked = self.question
        return Choices(
            self.name, low=0, high=1, question=asked, options=self.options, **self._shared()
        )


class SliderShape(QuestionShape):
    left: Label = Field(description="Give the words at 0.")
    right: Label = Field(description="Give the words at 100.")

    def asked(self) -> Question:
        anchors = (self.left, self.right)
        return Slider(
            self.name, low=0, high=TOP, question=self.question, anchors=anchors, **self._shared()
        )


class ReasonShape(QuestionShape):
    optional: bool = False

    def asked(self) -> Question:
        return Reason(
            self.name,
            low=0,
            high=1,
            question=self.question,
            optional=self.optional,
            **self._shared(),
        )


class RankShape(QuestionShape):
    best_only: bool = False

    def asked(self) -> Question:
        return Rank(
            self.name,
            low=0,
            high=1,
            question=self.question,
            best_only=self.best_only,
            **self._shared(),
        )


class SeverityShape(Declared):
    name: ShortName
    label: Label
    weight: float = Field(ge=0, le=FARTHEST)


class ErrorsShape(QuestionShape):
    higher_is_better: Literal[False] = False
    categories: Several[Category] = Field(default=(), max_length=MOST_CATEGORIES)
    severities: Several[SeverityShape] = Field(default=(), min_length=1, max_length=MOST_SEVERITIES)
    per: Literal["words", "text", "nothing"] = "words"

    def faults(self, context: Any) -> Iterator[Fault]:
        yield from distinct("categories", self.categories, "name")
        yield from distinct("severities", self.severities, "name")
        yield from distinct("severities", self.severities, "label")

    def asked(self) -> Question:
        own = tuple(Severity(one.name, one.label, one.weight) for one in self.severities)
        return Errors(
            self.name,
            low=0,
            high=USUAL_ERRORS,
            bounded=False,
            question=self.question,
            categories=self.categories,
            severities=own or MQM_SEVERITIES,
            per=self.per,
            **self._shared(),
        )


SHAPES: dict[str, type[QuestionShape]] = {
    "choice": ChoiceShape,
    "choices": ChoicesShape,
    "slider": SliderShape,
    "text": ReasonShape,
    "errors": ErrorsShape,
    "rank": RankShape,
}


def _of_kind(given: Any, info: ValidationInfo) -> QuestionShape:
    kind = given.get("kind") if isinstance(given, dict) else None
    shape = SHAPES.get("choice" if kind is None else kind) if isinstance(kind, str | None) else None
    if shape is None:
        refuse([(("kind",), f"Must be one of {', '.join(SHAPES)}.")])
    return shape.model_validate(given, context=info.context)


if TYPE_CHECKING:
    AnyQuestion = QuestionShape
else:
    AnyQuestion = Annotated[Any, PlainValidator(_of_kind)]
