"""Random campaigns, small and strange ones too, for comparing the engine with the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

KINDS = {
    "ternary": (-1.0, 1.0),
    "binary .1": (0.0, 1.0),
    "binary .5": (0.0, 1.0),
    "binary .9": (0.0, 1.0),
    "proportion": (0.0, 1.0),
    "edit": (0.0, 2.0),
    "constant": (1.0, 5.0),
}
METRICS = (
    "good",
    "useless",
    "heavy",
    "ties",
    "constant",
    "constant where judged",
    "copy",
    "mirror",
)


@dataclass(frozen=True)
class Campaign:
    """What is drawn. `doubles` is the share of items with two judgments (some have three)."""

    seed: int
    outputs: int
    judged: float
    doubles: float
    people: int
    uneven: float
    everybody_once: bool
    kind: str
    metric: str
    shared: float


@dataclass(frozen=True)
class System:
    """One system's judgments (item, person, score) and the metrics of its N outputs."""

    rows: list[tuple[int, int, float]]
    metric: np.ndarray


campaigns = st.builds(
    Campaign,
    seed=st.integers(0, 2**32 - 1),
    outputs=st.integers(30, 200),
    judged=st.one_of(st.just(1.0), st.floats(0.15, 1.0)),
    doubles=st.one_of(st.just(0.0), st.just(1.0), st.floats(0.01, 0.99)),
    people=st.integers(3, 60),
    uneven=st.sampled_from([0.0, 1.0, 2.0]),
    everybody_once=st.sampled_from([False, False, False, True]),
    kind=st.sampled_from(sorted(KINDS)),
    metric=st.sampled_from(METRICS),
    shared=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
)


def draw(campaign: Campaign, n_metrics: int = 1) -> tuple[System, System]:
    """Two systems judged by one crowd; a share of their outputs has the very same judgments."""
    rng = np.random.default_rng(campaign.seed)
    order = rng.permutation(campaign.outputs)
    n_judged = min(campaign.outputs, max(5, round(campaign.judged * campaign.outputs)))
    activity = np.exp(campaign.uneven * rng.normal(size=campaign.people))
    lenient = 0.5 * rng.normal(size=campaign.people)
    quality = rng.normal(size=campaign.outputs)
    first = _judge(campaign, rng, order[:n_judged], activity, lenient, quality, 0)
    fewer = order[: max(4, n_judged - int(rng.integers(0, 4)))]
    worse = 0.6 * quality + 0.8 * rng.normal(size=campaign.outputs) - 0.3
    second = _judge(campaign, rng, fewer, activity, lenient, worse, 10_000)
    same = set(fewer[: round(campaign.shared * len(fewer))].tolist())
    if campaign.shared == 1:
        second = list(first)
    else:
        second = [row for row in second if row[0] not in same]
        second += [row for row in first if row[0] in same]
    columns = [
        np.column_stack([_metric(campaign, rng, order[:n_judged], q) for _ in range(n_metrics)])
        for q in (quality, worse)
    ]
    if campaign.metric == "copy":
        columns[1] = columns[0]
    if campaign.metric == "mirror":
        columns[1] = 5 - 2 * columns[0]
    return System(first, columns[0]), System(second, columns[1])


def _judge(campaign, rng, items, activity, lenient, quality, newcomer):
    rows = []
    for item in items:
        wanted = 1 + (rng.random() < campaign.doubles) + (rng.random() < 0.2 * campaign.doubles)
        number = min(int(wanted), campaign.people)
        chances = activity / activity.sum()
        for person in rng.choice(campaign.people, size=number, replace=False, p=chances):
            y = _score(campaign.kind, rng, quality[item] + lenient[person] + rng.normal())
            who = newcomer + len(rows) if campaign.everybody_once else int(person)
            rows.append((int(item), who, y))
    return [rows[k] for k in rng.permutation(len(rows))]


def _score(kind, rng, value):
    """A score of that kind from a standard value; `edit` may exceed its working range."""
    if kind == "ternary":
        return float(np.clip(np.round(value), -1, 1))
    if kind == "proportion":
        return float(np.round(1 / (1 + np.exp(-value)) * 7) / 7)
    if kind == "edit":
        return float(max(0.0, 0.4 * np.exp(0.7 * value) - 0.2))
    if kind == "constant":
        return 3.0
    return float(value > {"binary .1": 2.2, "binary .5": 0.0, "binary .9": -2.2}[kind])


def _metric(campaign, rng, judged, quality):
    noise = rng.normal(size=campaign.outputs)
    if campaign.metric == "constant":
        return np.full(campaign.outputs, 0.1)
    if campaign.metric == "constant where judged":
        noise[judged] = 0.1
        return noise
    if campaign.metric == "useless":
        return noise
    if campaign.metric == "heavy":
        return np.exp(2 * (0.7 * quality + 0.7 * noise))
    if campaign.metric == "ties":
        return np.round(0.7 * quality + 0.7 * noise)
    return 100 + 0.7 * quality + 0.7 * noise
