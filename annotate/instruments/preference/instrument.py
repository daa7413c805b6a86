"""Preference: two texts of an item side by side, and one question about them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from annotate.instruments.base import Level, Material, joined
from annotate.instruments.rating.instrument import (
    Definition,
    Example,
    Rating,
    Section,
    example,
    section,
)
from annotate.instruments.rating.questions import Question, question_of

if TYPE_CHECKING:
    from annotate.instruments.base import Words

# Which of two texts is better, and by how much, as one definition of a rating study.


def _preference(same: "Words", *, both_bad: bool = False) -> Question:
    """same: when people say that the texts are about the same."""
    return question_of(
        "preference",
        Level(2, _("First, clearly"), _("You would always take the first one")),
        Level(1, _("First, slightly"), _("A little better as a whole")),
        Level(0, _("About the same"), same),
        Level(-1, _("Second, slightly"), _("A little better as a whole")),
        Level(-2, _("Second, clearly"), _("You would always take the second one")),
        label=_("Preference"),
        ask=_("Which text is better?"),
        both_bad=both_bad,
    )


PREFERENCE = _preference(_("No difference that matters"), both_bad=True)
# An example in two languages, with errors of each.
FIRST = gettext_noop(
    "The harbour museum opens again on Saturday after two years. Entry is free until the end of "
    "the month."
)
SECOND = gettext_noop(
    "The harbour museum opens again on Saturday. The museum was closed for two years, and then "
    "it opens again on Saturday."
)


def _instructions(*more: Example) -> tuple[Section, ...]:
    """more: further examples of answers."""
    return (
        section(
            "",
            _(
                "Read both texts before you answer. Where you see what they were written for, the "
                "better text is the one that serves it better; otherwise it is the one that a "
                "reader would rather have.\n\nWhich text comes first is random, and longer is "
                "not better by itself."
            ),
        ),
        section(
            _("How much better?"),
            examples=(
                example(
                    _("Clearly"),
                    _("You would take the same one again without thinking."),
                ),
                example(
                    _("Slightly"),
                    _("You had to weigh them up, and one of them is a little better."),
                ),
                example(
                    _("About the same"),
                    _("You see no difference that matters, or each is better in its own way."),
                ),
                *more,
            ),
        ),
    )


DEFINITION = Definition(
    key="preference",
    version="2",
    label="Preference",
    task=_("Read both texts, say which one is better."),
    hint=_("Their order is random. Judge each of them as a whole."),
    about=_("You read two texts that computer programs wrote, and say which one is better."),
    steps=(
        _("Read both texts."),
        _("Say which one is better, and by how much."),
    ),
    instructions=_instructions(
        example(_("Both are bad"), _("You would take neither, and neither is better.")),
    ),
    criteria=(PREFERENCE,),
    minutes="1–2",
    example=Material(joined(FIRST, SECOND)),
    compares=True,
)
# In version 1 nobody could say that both texts are bad.
FIRST_VERSION = replace(
    DEFINITION,
    version="1",
    instructions=_instructions(),
    criteria=(_preference(_("Equally good, or equally bad")),),
)


class Preference(Rating):
    title = _("Compare two texts")
    folder = Path(__file__).parent

    def __init__(self, definition: Definition = DEFINITION) -> None:
        super().__init__(definition)

    @property
    def example(self) -> Material:
        """Return an example in the active language."""
        return Material(joined(translation.gettext(FIRST), translation.gettext(SECOND)))
