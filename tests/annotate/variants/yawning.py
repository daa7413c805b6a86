"""A screen of no use: it flags who has judged a lot. One module, as its words are short."""

import numpy as np

from annotate.screening.base import (
    Columns,
    CrowdThresholds,
    ForAnnotators,
    ForReviewers,
    NoticeText,
    Screen,
    ScreenAxis,
    ScreenFinding,
    Thresholds,
    Verdict,
    between,
)


class Yawns(Thresholds):
    """More than `yawns` judgments."""

    yawns: int = between(5, 1, 1000)


def find(columns: Columns, own: Yawns, limits: CrowdThresholds) -> ScreenFinding:
    n = columns.judgments
    return ScreenFinding(
        "yawning",
        columns.people,
        evidence=np.where(n > own.yawns, 9.0, 0.0),
        past=n > own.yawns,
        value=n.astype(float),
        threshold=float(own.yawns),
        n=n,
        enough=n > 0,
    )


def _notice(found: Verdict, own: Yawns, *, paragraphs: bool) -> NoticeText:
    return "You may have yawned", [f"We look at work with more than {own.yawns} yawns."]


YAWNING = Screen(
    "yawning",
    "yawns",
    Yawns,
    find,
    ForReviewers(
        "Yawning",
        "yawns",
        "yawns in all",
        big=lambda said: f"{said.value:.0f}",
        detail=lambda said: "The others slept.",
        limit=lambda said: f"Flags above {said.threshold:.0f} yawns.",
        axis=lambda values: ScreenAxis(0, max(values), str, flags_above=True),
    ),
    ForAnnotators("some yawns", _notice, lambda task: "a long yawn"),
)
