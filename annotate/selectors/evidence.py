"""What counts in a campaign, as plain values and arrays: what `estimation` is made from."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

import numpy as np
from numpy.typing import NDArray

from annotate.instruments import registry
from annotate.instruments.base import Criterion
from annotate.models import Authorship, Campaign, EvidenceChange, Score, System, Target
from estimation.core.parts import Estimand


@dataclass(frozen=True)
class Brief:
    """What was decided about a campaign before any judgment, and where it stands."""

    campaign_id: int
    status: str
    close_reason: str
    metrics: tuple[str, ...]
    estimand: Estimand
    level: float
    targets: dict[str, float]
    criteria: tuple[Criterion, ...]

    @property
    def is_final(self) -> bool:
        return self.status in (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


@dataclass(frozen=True)
class SystemOutputs:
    """A system's N outputs in ascending id: ids and positions are (N,) ints."""

    system_id: int
    name: str
    stop_position: int | None
    output: NDArray[np.int64]
    position: NDArray[np.int64]


@dataclass(frozen=True)
class Scores:
    """The counted scores of one criterion in order of arrival; every array is (T,)."""

    output: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: NDArray[np.float64]


def marks(campaign_id: int, *, before: datetime | None = None) -> list[int]:
    """Return the ids of the marks that no estimate has taken up yet."""
    found = EvidenceChange.objects.filter(campaign=campaign_id)
    if before is not None:
        found = found.filter(at__lt=before)
    return list(found.values_list("pk", flat=True))


def marked_campaigns(*, before: datetime) -> list[int]:
    """Return the campaigns with marks older than `before`."""
    old = EvidenceChange.objects.filter(at__lt=before)
    return list(old.order_by("campaign").values_list("campaign", flat=True).distinct())


def brief(campaign_id: int) -> Brief:
    campaign = Campaign.objects.get(pk=campaign_id)
    targets = Target.objects.filter(campaign=campaign_id).order_by("pk")
    return Brief(
        campaign_id=campaign_id,
        status=campaign.status,
        close_reason=campaign.close_reason,
        metrics=tuple(campaign.metrics),
        estimand=cast(Estimand, campaign.estimand),
        level=campaign.level,
        targets=dict(targets.values_list("criterion", "width")),
        criteria=registry.get(campaign.instrument).criteria,
    )


def systems(campaign_id: int) -> list[SystemOutputs]:
    """Return every system with its outputs, in the order in which they were uploaded."""
    rows = np.array(
        list(
            Authorship.objects.filter(system__campaign=campaign_id)
            .order_by("output")
            .values_list("system", "output", "item__position")
        ),
        dtype=np.int64,
    ).reshape(-1, 3)
    return [
        SystemOutputs(pk, name, stop, mine[:, 1], mine[:, 2])
        for pk, name, stop in System.objects.filter(campaign=campaign_id).values_list(
            "pk", "name", "stop_position"
        )
        for mine in [rows[rows[:, 0] == pk]]
    ]


def scores(campaign_id: int) -> dict[str, Scores]:
    """Return the scores of judgments that hold a place, by criterion."""
    found = (
        Score.objects.filter(judgment__campaign=campaign_id)
        .filter(judgment__assignment__place__isnull=False)
        .order_by("judgment")
        .values_list("criterion", "judgment__output", "judgment__annotator", "value")
    )
    kinds = np.dtype([("c", "U40"), ("o", np.int64), ("a", np.int64), ("v", np.float64)])
    rows = np.fromiter(found.iterator(chunk_size=20_000), dtype=kinds)
    return {
        str(name): Scores(mine["o"], mine["a"], mine["v"])
        for name in np.unique(rows["c"])
        for mine in [rows[rows["c"] == name]]
    }


def campaign_id_of(public_id: str) -> int | None:
    """Return the id of the campaign with this public id, if there is one."""
    return Campaign.objects.filter(public_id=public_id).values_list("pk", flat=True).first()
