"""Replays released judgments through the real services, to measure what stopping saves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from django.core.management import call_command
from django.db import connections, transaction

from annotate.campaigns import creating, facts, life
from annotate.campaigns.plans import Plan, Planned
from annotate.campaigns.problems import Row
from annotate.models import Assignment, Campaign, Output
from annotate.models.base import CampaignStatus, CloseReason
from annotate.work import leasing, participations, submitting
from annotate.work.admission import NoTask
from config.local import servers
from estimation import facts as facts_module
from estimation import refresh, scores
from estimation.core import Estimand, Estimate, Sample
from estimation.models import Estimate as EstimateRow
from estimation.read import estimate_rows
from extras.replication.released import Recorded, Release


@dataclass(frozen=True)
class Due:
    """The next recorded judgment, and its output."""

    output_id: int
    recorded: Recorded


def as_recorded(release: Release) -> Planned:
    """Plan as many judgments of each output as were recorded."""

    def planned(row: Row, _position: int) -> int:
        return len(release.judgments_of(row.item, row.output))

    return planned


def recorded_in_order(campaign_id: int, release: Release) -> Iterator[Due]:
    """Yield the recorded judgments in the order in which the campaign leases its slots."""
    outputs = (
        Output.objects.filter(campaign=campaign_id)
        .order_by("item__position", "pk")
        .values_list("pk", "item__key", "text")
    )
    for pk, item, text in list(outputs):
        for recorded in release.judgments_of(item, text):
            yield Due(pk, recorded)


class Recorder:
    """Leases and submits for each recorded annotator, with one participation each."""

    def __init__(self, campaign_id: int) -> None:
        self.campaign_id = campaign_id
        self._participation = cache(self._enter)

    def record(self, due: Due) -> NoTask | None:
        """Lease and submit one judgment; return the refusal if there is no lease.

        Raises RuntimeError if the lease is for another output, which means that the records are not
        in the order of the slots.
        """
        participation_id = self._participation(due.recorded.annotator)
        got = leasing.lease(participation_id)
        if isinstance(got, NoTask):
            return got
        if got.output_id != due.output_id:
            raise RuntimeError(f"leased output {got.output_id}, recorded was {due.output_id}")
        self._submit(got, due.recorded)
        return None

    def _submit(self, assignment: Assignment, recorded: Recorded) -> None:
        submitting.submit_judgment(
            assignment.pk,
            participation_id=assignment.participation_id,
            raw={"scores": recorded.scores},
            active_seconds=recorded.seconds,
        )

    def _enter(self, annotator: str) -> int:
        return participations.enter(self.campaign_id, external_id=annotator).pk


def record_all(
    campaign_id: int, release: Release, *, actor_id: int | None, progress: Callable[[], object]
) -> int:
    """Open the campaign, store every judgment, and close it, in one transaction.

    No stopping rule can act in between. Returns the number of judgments stored.
    """
    taken = 0
    with transaction.atomic():
        life.open_(campaign_id, actor_id=actor_id)
        recorder = Recorder(campaign_id)
        for due in recorded_in_order(campaign_id, release):
            refusal = recorder.record(due)
            if refusal is not None:
                raise RuntimeError(f"a recorded judgment was refused: {refusal.message}")
            taken += 1
            progress()
        life.close(campaign_id, CloseReason.HAND, actor_id=actor_id, recorded=taken)
        life.finish(campaign_id, actor_id=actor_id)
    return taken


def instrument_for(release: Release, *, with_judgments: bool) -> str:
    """Return the instrument of a campaign made from a release."""
    return f"recorded_{release.instrument}" if with_judgments else release.instrument


@contextmanager
def scratch_database() -> Iterator[str]:
    """Point Django at a new, migrated Postgres while the context lasts; yield its host.

    For commands that have not used the database yet: all threads' connections go there. It is
    deleted afterwards.
    """
    before = dict(connections.settings["default"])
    with servers.scratch() as postgres:
        _use(
            {
                **before,
                "ENGINE": "django.db.backends.postgresql",
                "NAME": servers.NAME,
                "USER": servers.NAME,
                "PASSWORD": postgres.passwords[servers.NAME],
                "HOST": postgres.host,
                "PORT": postgres.port,
                "OPTIONS": {},
            }
        )
        try:
            call_command("migrate", verbosity=0)
            yield postgres.host
        finally:
            connections["default"].close()
            _use(before)


def _use(settings: dict[str, Any]) -> None:
    connections["default"].close()
    connections.settings["default"].clear()
    connections.settings["default"].update(settings)
    del connections["default"]


Progress = Callable[[], object]
Estimator = Literal["balanced", "regression"]
ESTIMATORS: tuple[str, ...] = get_args(Estimator)


@dataclass(frozen=True)
class ReplayQuestion:
    """The question of a replay: when would this criterion of this system reach the width?

    estimator: of the campaign's protocol. "regression" is what campaigns that opened before
    balanced weights keep, without a pull of the person variance; without a metric it is the mean.
    """

    system: str
    criterion: str
    width: float
    level: float = 0.95
    metrics: tuple[str, ...] = ()
    estimand: Estimand = "population"
    seed: int = 0
    estimator: Estimator = "balanced"


@dataclass(frozen=True)
class ReplayOutcome:
    """An estimate with its interval (None: none yet) and its basis."""

    estimate: float
    low: float | None
    high: float | None
    n_items: int
    n_judgments: int
    n_annotators: int


@dataclass(frozen=True)
class Replay:
    """The end of the replay, beside the estimate from all the data of the system."""

    stopped: str
    at_stop: ReplayOutcome
    all_data: ReplayOutcome

    def as_data(self) -> dict[str, Any]:
        return {"stopped": self.stopped, **asdict(self.at_stop), "all_data": asdict(self.all_data)}


def replay(
    release: Release, question: ReplayQuestion, *, progress: Progress = lambda: None
) -> Replay:
    """Judge in random item order, as recorded, until the stopping rule closes the campaign.

    It uses ingest, leasing, judgments, estimating and stopping as in a real campaign, without HTTP.
    The cap per annotator is lifted, because the recorded people had none. Raises KeyError for a
    system or criterion that the file does not have.
    """
    campaign_id = _campaign(release, question)
    life.open_(campaign_id)
    everything = list(recorded_in_order(campaign_id, release))
    waiting, recorder = iter(everything), Recorder(campaign_id)
    while not _is_closed(campaign_id):
        if not _record_next(recorder, waiting):
            break
        progress()
        refresh.refresh(campaign_id)
    _settle(campaign_id)
    row = _row(campaign_id, question.criterion)
    reason = facts.design(campaign_id).close_reason
    return Replay(
        stopped="target" if reason == "target" else "exhausted",
        at_stop=_outcome_of_row(row),
        all_data=_outcome(_from_all(campaign_id, everything, question), question.level),
    )


def size(release: Release, system: str) -> int:
    """Return how many judgments the file has of this system."""
    return sum(len(output.judgments) for output in release.of(system))


def _campaign(release: Release, question: ReplayQuestion) -> int:
    rows = release.rows(only=question.system)
    if not rows:
        raise KeyError(f"No system {question.system!r}; there are {', '.join(release.systems)}.")
    plan = Plan(
        name=f"Replay of {question.system}",
        instrument=instrument_for(release, with_judgments=True),
        targets={question.criterion: question.width},
        metrics=question.metrics,
        estimand=question.estimand,
        level=question.level,
        seed=question.seed,
        reward=Decimal(0),
        annotator_cap=None,
        planned=as_recorded(release),
    )
    campaign = creating.create(plan, rows, owner_id=None)
    if question.estimator != facts.ESTIMATOR:
        _keep(campaign.pk, question.estimator)
    scores.ensure(facts.design(campaign.pk))
    return campaign.pk


def _keep(campaign_id: int, estimator: Estimator) -> None:
    """Give a draft the protocol of a campaign that opened before balanced weights."""
    protocol = facts.design(campaign_id).protocol
    kept = protocol.model_copy(update={"estimator": estimator, "criteria": {}})
    Campaign.objects.filter(pk=campaign_id).update(protocol=kept.as_data())


def _is_closed(campaign_id: int) -> bool:
    return facts.design(campaign_id).status == CampaignStatus.CLOSED


def _record_next(recorder: Recorder, waiting: Iterator[Due]) -> bool:
    """Record the next judgment; False if there is none, or none is wanted any more."""
    due = next(waiting, None)
    if due is None:
        return False
    while recorder.record(due) is not None:
        # Closing: the drain is over and closes it, or the interval widened and collection resumes.
        _settle(recorder.campaign_id)
        if _is_closed(recorder.campaign_id):
            return False
    return True


def _settle(campaign_id: int) -> None:
    while refresh.refresh(campaign_id):
        pass


def _row(campaign_id: int, criterion: str) -> EstimateRow:
    return next(row for row in estimate_rows(campaign_id) if row.criterion == criterion)


def _outcome_of_row(row: EstimateRow) -> ReplayOutcome:
    assert row.estimate is not None  # the newest ones have judgments
    return ReplayOutcome(
        row.estimate, row.low, row.high, row.n_items, row.n_judgments, row.n_annotators
    )


def _outcome(result: Estimate, level: float) -> ReplayOutcome:
    ends = result.interval(level) if result.has_interval else None
    return ReplayOutcome(
        result.estimate,
        ends.low if ends else None,
        ends.high if ends else None,
        result.n_items,
        result.n_judgments,
        result.n_annotators,
    )


def _from_all(campaign_id: int, everything: list[Due], question: ReplayQuestion) -> Estimate:
    """Estimate from every recorded judgment, with the library alone."""
    design, systems = facts.design(campaign_id), facts.systems(campaign_id)
    system, metrics = systems[0], facts_module.metric_values(design)
    criterion = next(one for one in design.criteria if one.name == question.criterion)
    place = {int(output): index for index, output in enumerate(system.output)}
    people = {due.recorded.annotator: 0 for due in everything}
    number = {name: index for index, name in enumerate(people)}
    sample = Sample(
        score=np.array([due.recorded.scores[question.criterion] for due in everything]),
        item=np.array([place[due.output_id] for due in everything]),
        annotator=np.array([number[due.recorded.annotator] for due in everything]),
        n_population=system.output.size,
        scale=facts_module.scale_of(criterion),
        metric=facts_module.entering_of(systems, metrics)[system.system_id] if metrics else None,
    )
    return facts_module.estimated(design, criterion, sample)
