"""The state of an annotator in the tutorial of a campaign, or of a preview."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from statistics import median

from django.db.models import F, Sum
from django.utils import timezone

from annotate.crowds.prices import ZERO
from annotate.instruments import tutorials
from annotate.instruments.base import Instrument
from annotate.instruments.tutorials import WORD, Question, Tutorial
from annotate.models import Campaign, Participation, TutorialAnswer, TutorialRound, TutorialRun
from annotate.pay import promise_queries
from annotate.pay.promise_queries import RESERVED, ROUNDS
from annotate.studies import queries as studies_queries
from annotate.work.task import Study


class TutorialStep(Enum):
    """How far a person is: may start it, is in it with the bonus reserved, has passed it, or has
    failed both rounds of this campaign."""

    BEFORE = "before"
    UNDER_WAY = "under way"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True)
class Status:
    """The tutorial, the round, and what passing it promises (0 if promised before).

    questions: those of the round, none before it begins. answered: keys of those that have their
    answer. before: the failed first round; None in the first one.
    for_failing: what the study pays for both rounds completed and not passed.
    """

    tutorial: Tutorial
    questions: tuple[Question, ...]
    answered: frozenset[str]
    bonus: Decimal
    number: int = 1
    asked: int = 0
    mark: int = 0
    before: TutorialRound | None = None
    for_failing: Decimal = ZERO

    @property
    def total(self) -> int:
        return len(self.questions)

    @property
    def done(self) -> int:
        return len(self.answered)

    @property
    def current(self) -> Question | None:
        """Return the first question of the round that has no answer yet."""
        return next((one for one in self.questions if one.key not in self.answered), None)


def required(campaign_id: int) -> Tutorial | None:
    """Return the tutorial that annotators of this campaign take first; None without one."""
    return studies_queries.of_campaign(Campaign.objects.get(pk=campaign_id))


def step(campaign: Campaign, who: Participation) -> TutorialStep:
    """Return how far this person is. A campaign without a tutorial needs no query."""
    tutorial = studies_queries.of_campaign(campaign)
    if tutorial is None:
        return TutorialStep.PASSED
    run = run_of(who.annotator_id, tutorial)
    if run is not None and run.passed_at is not None:
        return TutorialStep.PASSED
    if failed_rounds(campaign.pk, who.annotator_id) >= ROUNDS:
        return TutorialStep.FAILED
    begun = run is not None and is_reserved(run, who.pk)
    return TutorialStep.UNDER_WAY if begun else TutorialStep.BEFORE


def failed_rounds(campaign_id: int, annotator_id: int) -> int:
    """Return how many rounds this person has failed in a campaign, in any version."""
    return TutorialRound.objects.filter(
        campaign=campaign_id, annotator=annotator_id, passed=False
    ).count()


def status(participation_id: int) -> Status | None:
    """Return this person's state; None where the campaign requires no tutorial."""
    who = Participation.objects.select_related("campaign", "annotator").get(pk=participation_id)
    tutorial = studies_queries.of_campaign(who.campaign)
    if tutorial is None:
        return None
    run = run_of(who.annotator_id, tutorial)
    round_ = last_round(run)
    return Status(
        tutorial=tutorial,
        questions=tutorials.questions(tutorial, round_.drawn) if round_ else (),
        answered=answered(round_),
        bonus=promise_queries.to_earn(who.campaign, who.annotator),
        number=round_.number if round_ else 1,
        asked=round_.asked if round_ else tutorial.n_asked,
        mark=round_.mark if round_ else tutorials.mark(tutorial.n_asked),
        before=_before(round_),
        for_failing=promise_queries.for_failing(who.campaign, who.annotator),
    )


def run_of(annotator_id: int, tutorial: Tutorial) -> TutorialRun | None:
    return TutorialRun.objects.filter(
        annotator=annotator_id, instrument=tutorial.instrument, version=tutorial.version
    ).first()


def last_round(run: TutorialRun | None) -> TutorialRound | None:
    """Return the newest round of a run; only this one may be open."""
    rounds = TutorialRound.objects.filter(run=run)
    return rounds.order_by("-pk").first() if run is not None else None


def answered(round_: TutorialRound | None) -> frozenset[str]:
    """Return the keys of the questions of a round that have their answer."""
    if round_ is None:
        return frozenset()
    return frozenset(TutorialAnswer.objects.filter(round=round_).values_list("question", flat=True))


def covered(annotator_id: int, tutorial: Tutorial) -> frozenset[str]:
    """Return the digests of this tutorial's questions that earlier passed versions contained: all
    of them where it replaces one of these versions."""
    runs = TutorialRun.objects.filter(
        annotator=annotator_id, instrument=tutorial.instrument, passed_at__isnull=False
    )
    passed = dict(runs.values_list("version", "covers"))
    found = {digest for covers in passed.values() for digest in covers}
    mine = frozenset(one.digest for one in tutorial.questions)
    replaced = TutorialRun.ALL in found or not passed.keys().isdisjoint(tutorial.replaces)
    return mine if replaced else mine & found


def _before(round_: TutorialRound | None) -> TutorialRound | None:
    if round_ is None or round_.number == 1:
        return None
    earlier = TutorialRound.objects.filter(
        campaign=round_.campaign_id, annotator=round_.annotator_id, passed=False, pk__lt=round_.pk
    )
    return earlier.order_by("-pk").first()


def is_reserved(run: TutorialRun, participation_id: int) -> bool:
    """Return whether the budget of this participation's campaign reserves this run's bonus."""
    return run.participation_id == participation_id and run.started_at > timezone.now() - RESERVED


NOTHING = Decimal("0.00")


def preview_study(instrument: Instrument, *, language: str) -> Study:
    """Return the substitute for a campaign on the page of an instrument's example."""
    return Study(
        id=0,
        title=instrument.label,
        instrument=instrument,
        language=language,
        contact="",
        reward=NOTHING,
        lease_minutes=Campaign().lease_minutes,
        annotator_cap=None,
        over=False,
        tutorial_bonus=NOTHING,
    )


def preview_status(tutorial: Tutorial, place: int) -> Status:
    """Return the state of a person who reaches the sample at this place, from 1."""
    samples = tutorial.samples
    done = frozenset(one.key for one in samples[: place - 1]) - {samples[place - 1].key}
    n = tutorial.n_asked
    return Status(tutorial, samples, done, bonus=NOTHING, asked=n, mark=tutorials.mark(n))


# How annotators first answered a tutorial: evidence for reviewers and screens.


def tutorial_records_of(
    campaign_id: int, annotators: Collection[int] | None = None
) -> dict[int, list[TutorialRound]]:
    """Return each annotator's ended rounds of the tutorial that a campaign asks, the oldest first.

    `seconds`: the active time of the answers whose time the page told; None without any.
    Rounds in other campaigns with the same instrument count too: a tutorial is passed once. People
    who passed before there were rounds have none. One query for the campaign, one for the rounds.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    rounds = TutorialRound.objects.filter(
        run__instrument=campaign.instrument, ended_at__isnull=False
    )
    if annotators is None:
        here = campaign.participations.values("annotator")
        rounds = rounds.filter(annotator__in=here)
    else:
        rounds = rounds.filter(annotator__in=annotators)
    found: dict[int, list[TutorialRound]] = {}
    timed = rounds.annotate(seconds=Sum("answers__active_seconds"), minutes=F("seconds") / 60)
    for row in timed.order_by("ended_at", "pk"):
        found.setdefault(row.annotator_id, []).append(row)
    return found


# Detects tutorials answered faster than anyone reads, by the server's clock.


# Faster than anyone works, as for the screen of work that is too fast.
WORDS_PER_MINUTE = 500  # that are read
SCANNING = 2500  # words of paragraphs per minute, which people search
LEAST = 1.2  # seconds to see a question, decide and answer


def too_fast(campaign_id: int, annotator_id: int) -> bool:
    """Return whether half of the answers in an ended round took less than reading does.

    The time of an answer is that since the one before it.
    """
    tutorial = studies_queries.of_campaign(Campaign.objects.get(pk=campaign_id))
    assert tutorial is not None, "a round belongs to a tutorial"
    rounds = TutorialRound.objects.filter(
        campaign=campaign_id, annotator=annotator_id, ended_at__isnull=False
    )
    paces = (list(_paces(round_, tutorial)) for round_ in rounds)
    return any(median(found) < 1 for found in paces if found)


def _paces(round_: TutorialRound, tutorial: Tutorial) -> Iterator[float]:
    """Yield each answer's time as a share of the time that reading its question takes."""
    questions = {one.key: one for one in tutorials.questions(tutorial, round_.drawn)}
    before = round_.begun_at
    for answer in round_.answers.order_by("at", "pk"):
        if question := questions.get(answer.question):
            yield (answer.at - before).total_seconds() / _reading(question)
        before = answer.at


def _reading(question: Question) -> float:
    """Return the seconds that the fastest readers need for a question's texts."""
    read = [getattr(question, name, "") for name in ("text", "second", "question", "answer")]
    read += [step.title + step.text for step in getattr(question, "steps", ())]
    read += getattr(question, "others", ())
    searched = [one.text for one in getattr(question, "paragraphs", ())]
    n, m = (sum(len(WORD.findall(text)) for text in texts) for texts in (read, searched))
    return max(LEAST, 60 * (n / WORDS_PER_MINUTE + m / SCANNING))
