"""Campaigns of honest people like those of a campaign, with the same tasks in the same order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from annotate.screening.base import Columns
from annotate.screening.calibration.answering import Answering
from annotate.screening.calibration.working import Logs
from annotate.screening.timing.finding import fastest
from estimation.core import Floats

ENDED = 20  # so many tasks that ended early have a model of their own


@dataclass(frozen=True, eq=False)
class Honest:
    """What honest people of a campaign do.

    times: of tasks with all parts, and of those that ended before their paragraphs, as two kinds.
    edits: the size of edits on how bad the answers are. required: whether the best answers alone
        need no edit, as in the campaign.
    """

    answering: Answering
    times: Logs
    edits: Logs | None

    @classmethod
    def fitted(cls, columns: Columns, usable: NDArray[np.bool_], belief: Floats) -> Honest:
        """Return the model of the usable people; usable: (A,), belief: (T,), see `Answering`."""
        rows = usable[columns.who]
        words = np.log(np.maximum(columns.words, 1))
        seconds = np.log(np.maximum(columns.seconds, 0.01))
        part = rows & np.isfinite(seconds)
        ended = _ended(columns)[part]
        kind = ended.astype(np.int64) if ended.sum() >= ENDED else None
        times = Logs.fitted(columns.who[part], words[part], seconds[part], kind)
        edits = None
        if columns.edit_distance is not None:
            part = rows & np.isfinite(columns.edit_distance)
            size = np.log(np.maximum(columns.edit_distance[part], 1))
            edits = Logs.fitted(columns.who[part], _badness(columns, columns.answers)[part], size)
        return cls(Answering.fitted(columns, usable, belief), times, edits)

    def campaign(self, columns: Columns, looking: Floats, rng: Generator) -> Columns:
        """Return new work on the same tasks by as many people.

        looking: (A,) 1 for people who look at the output as usual, 0 who do not, -1 who answer
        upside down. These are like honest people in everything else: they edit what is really bad.
        """
        reasons, look = self.answering.reasons(columns, rng), looking[columns.who]
        answers = self.answering.answers(columns, reasons, look)
        made = answered(columns, answers, rng)
        people, x = made.people.size, np.log(np.maximum(made.words, 1))
        seconds = self.times.drawn(made.who, people, x, rng, _ended(made).astype(np.int64))
        made = replace(made, seconds=np.maximum(seconds, fastest(made)))
        if self.edits is None:
            return made
        careful = self.answering.careful(reasons, look, rng)
        seen = self.answering.answers(columns, careful, np.ones(len(look)))
        size = np.ceil(self.edits.drawn(made.who, people, _badness(columns, seen), rng))
        needed = made.answers.min(axis=1, initial=np.inf) < max(columns.levels)
        if not made.answers.shape[1] and columns.edit_distance is not None:
            needed = np.isfinite(columns.edit_distance)
        return replace(
            made,
            edit_distance=np.where(needed, np.maximum(size, 1), np.nan),
            edit_text=np.where(needed, np.arange(size.size), -1),
        )


def answered(columns: Columns, answers: Floats, rng: Generator) -> Columns:
    """Return the columns with other answers, and the words that these require reading."""
    count = len(columns.scores)
    scores = dict(zip(columns.scores, answers[:, :count].T, strict=True))
    if columns.plausible is None or columns.verdicts is None:
        return replace(columns, scores=scores, highlights=None)
    plausible = answers[:, count]
    ended = columns.plausible == 0
    there = np.isfinite(columns.verdicts)
    # How many paragraphs and words a task has is known only where the answer required them.
    source = np.arange(ended.size)
    known = np.flatnonzero(~ended)
    if known.size:
        source = np.where(ended, rng.choice(known, ended.size), source)
    verdicts = np.where(there[source], answers[:, count + 1 :], np.nan)
    verdicts[plausible == 0] = np.nan
    short = columns.words[ended] if ended.any() else np.array([float(columns.words.min())])
    words = np.where(plausible == 0, rng.choice(short, ended.size), columns.words[source])
    return replace(
        columns,
        scores=scores,
        plausible=plausible,
        verdicts=verdicts,
        words=words,
        highlights=None,
    )


def _ended(columns: Columns) -> NDArray[np.bool_]:
    if columns.plausible is None:
        return np.zeros(len(columns.who), dtype=bool)
    return np.asarray(columns.plausible == 0)


def _badness(columns: Columns, answers: Floats) -> Floats:
    """Return (T,) how far the ratings among the answers (T, C) are from the best, 0 to 1."""
    if not columns.scores:
        return np.zeros(len(answers))
    best, worst = max(columns.levels), min(columns.levels)
    return np.asarray(
        (best - answers[:, : len(columns.scores)].mean(axis=1)) / max(best - worst, 1e-9)
    )
