"""Paired differences beside the same formulas, written one judgment after another."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Sample, difference
from tests.core import loops
from tests.core.cases import random_sample

SIGNS = (1, -1)
seeds = st.integers(0, 10_000)
few = settings(max_examples=20, deadline=None)


def common(*systems: Sample) -> list[Sample]:
    both = np.intersect1d(*(s.item for s in systems))
    kept = []
    for s in systems:
        rows = np.isin(s.item, both)
        first = {name: getattr(s, name)[rows] for name in ("score", "item", "annotator")}
        kept.append(replace(s, **first))
    return kept


def rows_of(s: Sample) -> list[tuple[int, int, float]]:
    return list(zip(s.item.tolist(), s.annotator.tolist(), s.score.tolist(), strict=True))


def shares(systems: list[Sample], balance: float) -> list[dict[tuple[int, int], float]]:
    """Of each system {(item, person): a}: 1 / (k (1 + balance m)), m half of the person's work."""
    equal = [{(i, j): 1 / int((s.item == i).sum()) for i, j, _ in rows_of(s)} for s in systems]
    work: dict[int, float] = {}
    for side in equal:
        for (_, j), value in side.items():
            work[j] = work.get(j, 0.0) + value / 2
    return [{(i, j): v / (1 + balance * work[j]) for (i, j), v in side.items()} for side in equal]


def of_item(side: dict[tuple[int, int], float]) -> dict[int, float]:
    found: dict[int, float] = {}
    for (i, _), value in side.items():
        found[i] = found.get(i, 0.0) + value
    return found


def by_loops(systems: list[Sample], *, balance: float | None, person_share: float) -> loops.Parts:
    """balance None: items weigh equally, by least squares. No finite-population correction."""
    reach, given_weights = systems[0].scale.high - systems[0].scale.low, balance is not None
    weight = shares(systems, balance or 0.0)
    total = [of_item(side) for side in weight]
    items = sorted(total[0])
    w_item = np.array([total[0][i] + total[1][i] if given_weights else 1.0 for i in items])
    w_item /= w_item.sum()
    mean = [dict.fromkeys(items, 0.0) for _ in SIGNS]
    for side, s in enumerate(systems):
        for i, j, y in rows_of(s):
            mean[side][i] += weight[side][i, j] / total[side][i] * y
    d = np.array([mean[0][i] - mean[1][i] for i in items])
    metrics = [loops.metric_of(s)[items] for s in systems if s.metric is not None]
    x = np.column_stack([np.ones(len(items)), *metrics])
    plain = sm.WLS(d, x, w_item).fit().params
    slopes = plain[1:] if metrics else np.zeros(2)
    rows: dict[tuple[int, int], tuple[float, float]] = {}
    for side, sign in enumerate(SIGNS):
        b, metric = sign * slopes[side], loops.metric_of(systems[side])
        own = sum(w * (mean[side][i] - b * metric[i]) for w, i in zip(w_item, items, strict=True))
        for i, j, y in rows_of(systems[side]):
            w = w_item[items.index(i)] * weight[side][i, j] / total[side][i]
            share, u = rows.get((i, j), (0.0, 0.0))
            rows[i, j] = share + w / 2, u + sign * w * (y - b * metric[i] - own)
    spread = float(w_item @ (d - w_item @ d) ** 2)
    people = loops.of_people(
        [(j, share, u) for (_, j), (share, u) in rows.items()],
        spread=spread,
        person_share=person_share,
    )
    if given_weights:
        centre, v_item, typ = weighted_part(w_item, d - x[:, 1:] @ plain[1:], reach)
        df = len(items) - 2
    else:
        guarded = sm.OLS(
            np.r_[d, 0, 0, reach, -reach],
            np.vstack([x, np.column_stack([np.ones(4), np.zeros((4, x.shape[1] - 1))])]),
        ).fit()
        centre, v_item, typ = guarded.params[0], guarded.bse[0] ** 2, 1 / len(items)
        df = len(items) - x.shape[1]
    return people | {
        "estimate": plain[0],
        "centre": centre,
        "V_item": v_item,
        "typ": typ,
        "variance": v_item + people["V_person"],
        "df": min(df, people["A_eff"] - 1),
    }


def weighted_part(weight: np.ndarray, left: np.ndarray, reach: float) -> tuple[float, float, float]:
    """(centre, V_item, typ) with the pseudo-rows 0, 0, reach, -reach."""
    typ = float((weight**2).sum())
    centre = float(weight @ left) / (1 + 4 * typ)
    squares = float((weight**2 * (left - centre) ** 2).sum())
    at_ends = sum((end - centre) ** 2 for end in (0.0, 0.0, reach, -reach))
    return centre, (squares + typ**2 * at_ends) / (1 + 4 * typ) ** 2, typ


def assert_same(found, expected: loops.Parts) -> None:
    part = found.variance
    pairs = {
        "estimate": found.estimate,
        "centre": found.centre,
        "V_item": part.item,
        "V_annot": part.annotator_sum,
        "V_cell": part.cell_sum,
        "kappa": part.s3_factor,
        "raw": part.annotator_raw,
        "V_person": part.annotator,
        "A_eff": found.effective_annotators,
        "variance": found.std_error**2,
        "df": found.df,
    }
    for name, value in pairs.items():
        assert value == pytest.approx(expected[name], rel=1e-8, abs=1e-12), name


def two(seed: int, *, metric: bool = True) -> list[Sample]:
    """Two systems judged by the same nine people, not all on the same items."""
    systems = [
        random_sample(seed, judgments=120, items=45),
        random_sample(seed + 1, judgments=110, items=45),
    ]
    return systems if metric else [replace(s, metric=None) for s in systems]


@given(seed=seeds, person_share=st.sampled_from([0.0, 0.08, 1.0]))
@few
def test_the_regression_by_loops(seed, person_share):
    systems = two(seed)
    options = {"finite_population": False, "person_share": person_share}
    result = difference(*systems, estimator="regression", **options)
    assert_same(result, by_loops(common(*systems), balance=None, person_share=person_share))


@given(
    seed=seeds,
    balance=st.sampled_from([0.0, 0.03, 0.15, 8.0]),
    person_share=st.sampled_from([0.0, 0.08, 1.0]),
    metric=st.booleans(),
)
@few
def test_balanced_weights_by_loops(seed, balance, person_share, metric):
    systems = two(seed, metric=metric)
    options = {"balance": balance, "person_share": person_share}
    result = difference(*systems, **options, finite_population=False)
    assert_same(result, by_loops(common(*systems), **options))


@pytest.mark.parametrize("balance", [None, 0.0, 0.15])
@pytest.mark.parametrize("seed", range(3))
def test_the_finite_population_shrinks_items_and_the_shift_of_the_centre(seed, balance):
    systems = two(seed)
    expected = by_loops(common(*systems), balance=balance, person_share=0.08)
    options = {"estimator": "regression"} if balance is None else {"balance": balance}
    result = difference(*systems, **options)
    left = 1 - min(1.0, 1 / (90 * expected["typ"]))
    assert 0 < left < 1
    shift = expected["centre"] - expected["estimate"]
    assert result.variance.item == pytest.approx(left * expected["V_item"])
    assert result.centre == pytest.approx(expected["estimate"] + left * shift)
    assert result.variance.annotator == pytest.approx(expected["V_person"])


def test_balanced_weights_count_the_work_on_both_systems():
    # A person who judges much of the second system weighs less in the first one, too.
    first, second = two(5, metric=False)
    busy = second.annotator == 0
    fewer = replace(
        second,
        score=second.score[~busy],
        item=second.item[~busy],
        annotator=second.annotator[~busy],
    )
    for pair in ((first, second), (first, fewer)):
        result = difference(*pair, balance=0.5, finite_population=False)
        assert_same(result, by_loops(common(*pair), balance=0.5, person_share=0.08))
    plain = [difference(first, s, balance=0.5).estimate for s in (second, fewer)]
    assert plain[0] != plain[1]
