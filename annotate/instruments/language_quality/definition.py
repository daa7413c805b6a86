"""Language quality, as one definition of a rating study."""

from dataclasses import replace

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from annotate.instruments.base import Material
from annotate.instruments.language_quality.criteria import ASKED
from annotate.instruments.rating.definition import EDITING, Definition, Example, Section

FLUENCY = Section(
    _("Fluency: does it read as natural, correct language?"),
    examples=(
        Example(_("Fluent"), _("The bridge reopened on Friday after six weeks of repairs.")),
        Example(
            _("Partly fluent"),
            _("The bridge have reopened at Friday after six week of repairs."),
            _("Wrong, but clear."),
        ),
        Example(
            _("Not fluent"),
            _("Bridge the Friday reopened of repairs after it six."),
            _("You have to guess."),
        ),
        Example(
            _("Not fluent"),
            _("The bridge reopened the bridge on Friday after six weeks of Friday."),
            _("It makes no sense."),
        ),
    ),
)
REDUNDANCY = Section(
    _("Redundancy: is anything said more often than needed?"),
    examples=(
        Example(_("Little or none"), _("Maria Lopez won the race. She had trained for a year.")),
        Example(
            _("Some"),
            _("Maria Lopez won the race. Maria Lopez had trained for a year."),
            _("A pronoun would do."),
        ),
        Example(
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
        Section(
            "",
            _(
                "Read the text once as a reader would. Judge how it is written; whether it is "
                "true, complete or interesting does not matter here."
            ),
        ),
        FLUENCY,
        REDUNDANCY,
        Section(
            _("Overall: how good is the text as a whole?"),
            _(
                "Your own impression, beyond the two questions above: an awkward order, a sentence "
                "that breaks off or a confusing reference counts here."
            ),
        ),
        Section(
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
    edit=replace(
        EDITING,
        when=_("If an answer is below the best one, you improve the text here."),
        needed=_("Please improve the text: at least one answer was below the best level."),
        not_needed=_("An edit is needed only when an answer is below the best one."),
    ),
    example=Material(
        gettext_noop(
            "The harbour museum opens again on Saturday. The museum opens again after the museum "
            "was closed for two years, and entry is free until end of the month."
        )
    ),
)
