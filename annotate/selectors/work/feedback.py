"""Annotators' feedback about the work."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Avg, Count
from django.utils import timezone

from annotate.models import Feedback
from annotate.selectors.work.task_page import today

QUESTIONS = ("clarity", "enjoyment", "pay")


@dataclass(frozen=True)
class Average:
    """The mean of one question over its answers, from 1 (worst) to 5; None without answers."""

    name: str
    mean: float | None
    n: int


@dataclass(frozen=True)
class Comment:
    """An anonymous comment. A pseudonym or an exact time could reveal a name."""

    day: date
    text: str


@dataclass(frozen=True)
class Summary:
    averages: tuple[Average, ...]
    comments: tuple[Comment, ...]  # the newest first

    @property
    def is_empty(self) -> bool:
        return not self.comments and not any(average.n for average in self.averages)


def given_today(participation_id: int) -> bool:
    return Feedback.objects.filter(participation=participation_id, at__gte=today()).exists()


def summary(campaign_id: int) -> Summary:
    rows = Feedback.objects.filter(participation__campaign=campaign_id)
    means = rows.aggregate(**{name: Avg(name) for name in QUESTIONS})
    counts = rows.aggregate(**{name: Count(name) for name in QUESTIONS})
    said = rows.exclude(comment="").order_by("-at", "-pk")
    return Summary(
        averages=tuple(Average(name, means[name], counts[name]) for name in QUESTIONS),
        comments=tuple(
            Comment(timezone.localdate(at), text) for at, text in said.values_list("at", "comment")
        ),
    )
