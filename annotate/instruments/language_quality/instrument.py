"""Language quality: three Likert questions, and a post-edit if an answer is below the best."""

from dataclasses import replace
from pathlib import Path

from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext_lazy

from annotate.instruments.base import Level, Material
from annotate.instruments.rating.instrument import (
    EDITING,
    HTER,
    Definition,
    Rating,
    example,
    section,
)
from annotate.instruments.rating.questions import EDIT, question_of
from estimation.metrics import HTER_VERSION

# Three questions of three levels each, and the edit: names, wording, scales.
#
# There are three levels because five raised the annotator variance (Chaganty et al. 2018, appendix
# A.1).


IMPROVE = (EDIT,)
FAIR = pgettext_lazy("quality of a text", "Fair")

FLUENCY = question_of(
    "fluency",
    Level(1, _("Fluent"), _("No errors, or one slip you read past")),
    Level(0, _("Partly fluent"), _("Errors, but the meaning is always clear"), IMPROVE),
    Level(-1, _("Not fluent"), _("You have to guess, or it makes no sense"), IMPROVE),
    label=_("Fluency"),
    ask=_("Does it read as natural, correct language?"),
)
REDUNDANCY = question_of(
    "redundancy",
    Level(1, _("Little or none"), _("Nothing is repeated without need")),
    Level(0, _("Some"), _("A phrase or a name is repeated"), IMPROVE),
    Level(-1, _("A lot"), _("Whole sentences could be cut"), IMPROVE),
    label=_("Redundancy"),
    ask=_("Is anything said more often than needed?"),
    balance=0.07,
    person_share=0.06,
)
OVERALL = question_of(
    "overall",
    Level(1, _("Good"), _("You would publish it as it stands")),
    Level(
        0, pgettext_lazy("quality of a text", "Fair"), _("Fine after a short correction"), IMPROVE
    ),
    Level(-1, _("Poor"), _("You would rewrite it from scratch"), IMPROVE),
    label=_("Overall"),
    ask=_("How good is the text as a whole?"),
    balance=0.16,
)
ASKED = (FLUENCY, REDUNDANCY, OVERALL)
QUALITY_CRITERIA = (*ASKED, HTER)


# Language quality, as one definition of a rating study.


DEFINITION_FLUENCY = section(
    _("Fluency: does it read as natural, correct language?"),
    examples=(
        example(_("Fluent"), _("The bridge reopened on Friday after six weeks of repairs.")),
        example(
            _("Partly fluent"),
            _("The bridge have reopened at Friday after six week of repairs."),
            _("Wrong, but clear."),
        ),
        example(
            _("Not fluent"),
            _("Bridge the Friday reopened of repairs after it six."),
            _("You have to guess."),
        ),
        example(
            _("Not fluent"),
            _("The bridge reopened the bridge on Friday after six weeks of Friday."),
            _("It makes no sense."),
        ),
    ),
)
DEFINITION_REDUNDANCY = section(
    _("Redundancy: is anything said more often than needed?"),
    examples=(
        example(_("Little or none"), _("Maria Lopez won the race. She had trained for a year.")),
        example(
            _("Some"),
            _("Maria Lopez won the race. Maria Lopez had trained for a year."),
            _("A pronoun would do."),
        ),
        example(
            _("A lot"),
            _("Maria Lopez won the race. The race was won by Maria Lopez."),
            _("One sentence says it all."),
        ),
    ),
)
DEFINITION = Definition(
    key="language_quality",
    version="2",
    label="Language quality",
    task=_("Read the text and answer three questions."),
    hint=_("Improve it where it falls short. Judge the writing, not whether it is true."),
    about=_("You read short texts that computer programs wrote, and say how good the writing is."),
    steps=(
        _("Read a text."),
        _(
            "Answer three questions about its language: does it read well, does it repeat itself, "
            "and how good is it as a whole?"
        ),
        _("Where it falls short, improve it in a text box."),
    ),
    instructions=(
        section(
            "",
            _(
                "Read the text once as a reader would. Judge how it is written; whether it is "
                "true, complete or interesting does not matter here."
            ),
        ),
        DEFINITION_FLUENCY,
        DEFINITION_REDUNDANCY,
        section(
            _("Overall: how good is the text as a whole?"),
            _(
                "Your own impression, beyond the two questions above: an awkward order, a sentence "
                "that breaks off or a confusing reference counts here."
            ),
        ),
        section(
            _("The edit"),
            _(
                "When any answer is below the best one, improve the text as much as you can: "
                "correct the errors, take out what is repeated, and keep what it says. Do not add "
                "facts. If there is nothing to improve, the answers should say so."
            ),
        ),
    ),
    criteria=ASKED,
    minutes="1–3",
    edit=EDITING.model_copy(
        update={
            "when": _("If an answer is below the best one, you improve the text here."),
            "needed": _("Please improve the text: at least one answer was below the best level."),
            "not_needed": _("An edit is needed only when an answer is below the best one."),
        }
    ),
    example=Material(
        gettext_noop(
            "The harbour museum opens again on Saturday. The museum opens again after the museum "
            "was closed for two years, and entry is free until end of the month."
        )
    ),
)


class LanguageQuality(Rating):
    title = _("Rate short texts")
    folder = Path(__file__).parent

    def __init__(self, version: str = DEFINITION.version, hter_version: str = HTER_VERSION) -> None:
        super().__init__(replace(DEFINITION, version=version), hter_version)

    @property
    def example(self) -> Material:
        """Return an example in the active language, with errors of that language."""
        return Material(translation.gettext(self.definition.example.text))
