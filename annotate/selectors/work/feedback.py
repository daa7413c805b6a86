"""Annotators' feedback about the work."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Avg, Count, Q
from django.utils import timezone

from annotate.models import Feedback
from annotate.selectors.listings import Listing
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
    comments: tuple[Comment, ...]  # of one page of `listing`, the newest first
    listing: Listing

    @property
    def is_empty(self) -> bool:
        return not self.comments and not any(average.n for average in self.averages)


def given_today(participation_id: int) -> bool:
    return Feedback.objects.filter(participation=participation_id, at__gte=today()).exists()


def summary(campaign_id: int, listing: Listing) -> Summary:
    rows = Feedback.objects.filter(participation__campaign=campaign_id)
    means = {f"mean_{name}": Avg(name) for name in QUESTIONS}
    counts = {f"n_{name}": Count(name) for name in QUESTIONS}
    found = rows.aggregate(**means, **counts, comments=Count("pk", filter=~Q(comment="")))
    listing = listing.found(found["comments"])
    said = rows.exclude(comment="").order_by("-at", "-pk").values_list("at", "comment")
    return Summary(
        averages=tuple(
            Average(name, found[f"mean_{name}"], found[f"n_{name}"]) for name in QUESTIONS
        ),
        comments=tuple(Comment(timezone.localdate(at), text) for at, text in said[listing.rows]),
        listing=listing,
    )
