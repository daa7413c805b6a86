"""A rating study as data: questions with levels, what each level requires, and wording."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from annotate.instruments.base import Criterion, Level, Material
from annotate.instruments.rating import comparing
from estimation.core import BALANCE, PERSON_SHARE

if TYPE_CHECKING:
    from annotate.instruments.wording import Words

EDIT = "edit"
EVIDENCE = "evidence"
REQUIREMENTS = (EDIT, EVIDENCE)
HTER = Criterion(
    EDIT,
    low=0,
    high=2,
    bounded=False,
    higher_is_better=False,
    label=_("Edit"),
    question=_(
        "Words changed to make the text good, as a share of its words (HTER); in scripts without "
        "blanks, characters"
    ),
    balance=0.03,
    person_share=0.03,
)


@dataclass(frozen=True)
class Choice(Level):
    """A level, and what choosing it requires: an edit of the text, evidence in it, or both."""

    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question(Criterion):
    """A criterion that people are asked about."""

    levels: tuple[Choice, ...] = ()
    evidence: "Words" = ""  # what to highlight, if a level requires evidence

    def choice(self, value: int) -> Choice:
        return next(level for level in self.levels if level.value == value)

    @property
    def required(self) -> frozenset[str]:
        """Return everything that one of its levels requires."""
        return frozenset(what for level in self.levels for what in level.requires)

    @property
    def takes_evidence(self) -> bool:
        return EVIDENCE in self.required


def question(
    name: str,
    *levels: Choice,
    label: "Words",
    ask: "Words",
    higher_is_better: bool = True,
    evidence: "Words" = "",
    balance: float = BALANCE,
    person_share: float = PERSON_SHARE,
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
    )


@dataclass(frozen=True)
class Example:
    """A sentence or two, the right level, and optionally the reason."""

    label: "Words"
    text: "Words"
    note: "Words" = ""


@dataclass(frozen=True)
class Section:
    """One part of the instructions; blank lines separate its paragraphs."""

    title: "Words"
    text: "Words" = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class EditWording:
    """The wording about the edit: when it is required, how to do it, and why it is not required."""

    title: "Words"
    hint: "Words"
    when: "Words"
    needed: "Words"
    not_needed: "Words"


EDITING = EditWording(
    title=_("Now improve the text as much as you can"),
    hint=_("Keep what the text says."),
    when=_("With some answers, you improve the text here."),
    needed=_("Please improve the text: one of your answers asks for it."),
    not_needed=_("These answers ask for no edit."),
)


@dataclass(frozen=True)
class Definition:
    """One version of a rating study: everything that annotators see, and what is scored.

    `language`: of its wording; "" if the wording is translated.
    `input_label`: the heading above the item's input; "" if the input is not shown.
    `compares`: people see two texts of an item; a level's value is how much better the first is.
    `shows_others`: the item's other texts stand beside the one that is rated.
    """

    key: str
    label: str
    task: "Words"
    about: "Words"
    criteria: tuple[Question, ...]
    example: Material
    version: str = "1"
    language: str = ""
    hint: "Words" = ""
    steps: tuple["Words", ...] = ()
    instructions: tuple[Section, ...] = ()
    minutes: str = "1–3"
    input_label: "Words" = ""
    edit: EditWording = EDITING
    compares: bool = False
    shows_others: bool = False

    @property
    def asks_for_edits(self) -> bool:
        return any(EDIT in criterion.required for criterion in self.criteria)

    @property
    def takes_evidence(self) -> bool:
        return any(criterion.takes_evidence for criterion in self.criteria)

    @property
    def scored(self) -> tuple[Criterion, ...]:
        """Return the criteria of its scores: those asked about, with the share of wins of each
        where texts are compared, and the edit if it is possible."""
        if self.compares:
            return tuple(comparing.scored(self.criteria))
        return (*self.criteria, HTER) if self.asks_for_edits else self.criteria

    @property
    def digits(self) -> tuple[int, ...]:
        """Return the number keys that answer its questions."""
        return tuple(range(1, 1 + max(len(criterion.levels) for criterion in self.criteria)))
