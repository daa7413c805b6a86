"""Small campaigns for the screens, every number given or drawn from a seed."""

from dataclasses import replace

import numpy as np

from annotate.screening import Columns, Settings, run, screen_all

CRITERIA = ("fluency", "redundancy", "overall")
# Where a test has few people and judgments, as few must do as a yardstick.
SMALL = Settings.from_dict({"crowd": {"people": 3, "judgments": 12}})


def columns(annotator, scores=None, **more):
    """Columns with everything usual that is not given: lone outputs, 40 s, 50 words."""
    annotator = np.asarray(annotator)
    size = annotator.size
    usual = {
        "output": np.arange(size),
        "order": np.arange(size, dtype=float),
        "seconds": np.full(size, 40.0),
        "words": np.full(size, 50.0),
    }
    if scores is not None:
        table = np.asarray(scores, dtype=float)
        more["scores"] = {name: table[:, c] for c, name in enumerate(CRITERIA[: table.shape[1]])}
    return Columns(annotator, **{**usual, **more})


def crowd(seed=0, *, people=12, each=20):
    """A campaign of people who agree, edit and take their time; each output judged twice."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.repeat(np.arange(people), each)).reshape(-1, 2)
    who = who[who[:, 0] != who[:, 1]]
    quality = rng.normal(size=(len(who), 1)).repeat(2, axis=0)
    latent = quality + 0.7 * rng.normal(size=(2 * len(who), 3))
    scores = np.digitize(latent, [-1, 0.2]) - 1.0
    output = np.repeat(np.arange(len(who)), 2)
    distance = np.where((scores < 1).any(axis=1), rng.integers(10, 90, output.size), np.nan)
    found = columns(
        who.ravel(),
        scores,
        output=output,
        seconds=rng.uniform(20, 90, output.size),
        edit_distance=distance,
        edit_text=np.arange(output.size),
    )
    return reordered(found, rng.permutation(output.size))


def reordered(found, rows):
    """The same judgments in another order of rows; `order` still says when each arrived."""
    lone = ("annotator", "output", "order", "seconds", "words", "edit_distance", "edit_text")
    cut = {name: getattr(found, name)[rows] for name in lone}
    return replace(found, **cut, scores={k: v[rows] for k, v in found.scores.items()})


def changed(found, who, **values):
    """The columns with some values replaced in all rows of one annotator."""
    mine = found.annotator == who
    new = {}
    for name, value in values.items():
        column = getattr(found, name).astype(float).copy()
        column[mine] = value
        new[name] = column
    return replace(found, **new)


def rescored(found, who, table):
    """The columns with other answers for one annotator; (n, 3) or one row for all."""
    mine = found.annotator == who
    scores = {name: column.copy() for name, column in found.scores.items()}
    for c, column in enumerate(scores.values()):
        column[mine] = np.broadcast_to(np.asarray(table, float), (mine.sum(), 3))[:, c]
    return replace(found, scores=scores)


def verdict(screen, found, who, settings=SMALL):
    """One annotator's verdict."""
    return next(each for each in run(screen, found, settings) if each.annotator == who)


def flagged(found, settings=SMALL):
    """{(screen, annotator)} of all who are flagged."""
    return {(v.screen, v.annotator) for v in screen_all(found, settings) if v.flagged}
