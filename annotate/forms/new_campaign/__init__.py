"""The four steps of a new campaign: each a form for one part of its plan."""

from annotate.forms.new_campaign.base import StepForm
from annotate.forms.new_campaign.file import FileStep
from annotate.forms.new_campaign.people import PeopleStep
from annotate.forms.new_campaign.plan import PlanStep
from annotate.forms.new_campaign.questions import QuestionsStep

__all__ = ["FileStep", "PeopleStep", "PlanStep", "QuestionsStep", "StepForm"]
