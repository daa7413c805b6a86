"""Habits of honest people that bring them nearer to a screen than others.

Who is lenient gives one answer more often than others do, and who is quick has less time than they
have. If all whom the settings allow to be listed had one habit, that habit would be what is listed.
"""

import numpy as np

from annotate.screening.base import Columns
from estimation.core import Floats, Ints

PARTS = 3  # thirds of the people, in the order of a habit
FEW = 10.0  # people who weigh as much as those who are seen


def parts(columns: Columns) -> Ints:
    """Return (A, H) which third of the people each is of, by each habit, 0 to 2.

    The habits: the level of the answers, the time of tasks, and the size of edits.
    """
    habits = [columns.answers, np.log(np.maximum(columns.seconds, 0.01))]
    if columns.edit_distance is not None:
        habits.append(np.log(np.maximum(columns.edit_distance, 1)))
    return np.column_stack([_thirds(_means(columns, habit)) for habit in habits])


def _means(columns: Columns, values: Floats) -> Floats:
    """Return (A,) the mean of each person's values that are known; the mean of all without any."""
    rows = values.reshape(len(columns.who), -1)
    there, people = np.isfinite(rows), columns.people.size
    total = np.bincount(columns.who, np.where(there, rows, 0.0).sum(axis=1), people)
    n = np.bincount(columns.who, there.sum(axis=1), people)
    return np.where(n > 0, total / np.maximum(n, 1), total.sum() / max(float(n.sum()), 1.0))


def _thirds(values: Floats) -> Ints:
    place = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return np.asarray(place * PARTS // max(place.size, 1))


def concentration(evidence: Floats, part: Ints, most: int) -> float:
    """Return how many times as often people of one third have the most evidence as people do.

    1 if all thirds have it alike, and 3 if one has it all. Few people show little of that.
    evidence: (A,). part: (A, H). most: how many people have the most of it.
    """
    first = np.argsort(-evidence, kind="stable")[:most]
    first = first[evidence[first] > 0]
    counts = np.stack([(part[first] == number).sum(axis=0) for number in range(PARTS)])
    return float(PARTS * (counts.max(initial=0) + FEW / PARTS) / (first.size + FEW))
