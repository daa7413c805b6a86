"""What reviewers see of each of a few people in one line: time, agreement, flags, tutorial."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Sum

from annotate.models import Flag, Judgment, ScreenedAnnotator
from annotate.screening.screens import n_signs
from annotate.selectors.work import tutorial_records

AGREEMENT = "agreement"  # the screen


@dataclass(frozen=True)
class PersonRecord:
    """seconds: active time of all judgments. agreement: as the screen last measured it.

    flags: how many screens have flagged the person. tutorial: the share of right first answers in
    the last round. None where something is not known.
    """

    seconds: float | None = None
    agreement: float | None = None
    flags: int = 0
    tutorial: float | None = None

    @property
    def told(self) -> bool:
        """Return whether there is more to tell than flags."""
        return any(one is not None for one in (self.seconds, self.agreement, self.tutorial))

    @property
    def minutes(self) -> float | None:
        return None if self.seconds is None else self.seconds / 60


def of(campaign_id: int, annotators: Collection[int]) -> dict[int, PersonRecord]:
    """Return the records of these people, in a constant number of queries."""
    rounds = tutorial_records.of(campaign_id, annotators)
    seconds, agreement = _seconds(campaign_id, annotators), _agreement(campaign_id, annotators)
    flags = _flags(campaign_id, annotators)
    return {
        pk: PersonRecord(
            seconds.get(pk),
            agreement.get(pk),
            n_signs(flags.get(pk, ())),
            rounds[pk][-1].share if pk in rounds else None,
        )
        for pk in annotators
    }


def _seconds(campaign_id: int, annotators: Collection[int]) -> dict[int, float]:
    rows = Judgment.objects.filter(campaign=campaign_id, annotator__in=annotators)
    sums = rows.order_by().values("annotator").annotate(seconds=Sum("active_seconds"))
    return dict(sums.values_list("annotator", "seconds"))


def _agreement(campaign_id: int, annotators: Collection[int]) -> dict[int, float | None]:
    rows = ScreenedAnnotator.objects.filter(campaign=campaign_id, annotator__in=annotators)
    return {
        pk: verdict["value"]
        for pk, verdicts in rows.values_list("annotator", "verdicts")
        for verdict in verdicts
        if verdict["screen"] == AGREEMENT
    }


def _flags(campaign_id: int, annotators: Collection[int]) -> dict[int, set[str]]:
    found: defaultdict[int, set[str]] = defaultdict(set)
    rows = Flag.objects.filter(review__campaign=campaign_id, review__annotator__in=annotators)
    for pk, screen in rows.values_list("review__annotator", "screen"):
        found[pk].add(screen)
    return found
