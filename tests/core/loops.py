"""The formulas of docs/statistics.md written out, one judgment after another.

They serve as the independent source of the tests: no sums of products, no shared code.
"""

import numpy as np

from estimation.core import Sample

Parts = dict[str, float]


def scores_by_item(sample: Sample) -> dict[int, list[float]]:
    """Output -> its scores, in the order of the outputs' first judgments."""
    found: dict[int, list[float]] = {}
    for item, score in zip(sample.item.tolist(), sample.score.tolist(), strict=True):
        found.setdefault(item, []).append(score)
    return found


def metric_of(sample: Sample) -> np.ndarray:
    """(N,) the metric, standardised over all outputs; zeros without one."""
    if sample.metric is None:
        return np.zeros(sample.n_population)
    return (sample.metric - sample.metric.mean()) / sample.metric.std()


def weights(sample: Sample, balance: float) -> np.ndarray:
    """(T,) 1 / (k_i (1 + balance m_j)), to sum 1."""
    k = [int((sample.item == item).sum()) for item in sample.item]
    m = [sum(1 / k[t] for t in np.flatnonzero(sample.annotator == j)) for j in sample.annotator]
    a = np.array([1 / (k_i * (1 + balance * m_j)) for k_i, m_j in zip(k, m, strict=True)])
    return a / a.sum()


def of_people(rows: list[tuple[int, float, float]], *, spread: float, person_share: float) -> Parts:
    """V_person from (person, weight, residual times weight), one for each (item, person).

    spread: the mean square deviation of the scores.
    """
    share: dict[int, float] = {}
    sums: dict[int, float] = {}
    for person, w, u in rows:
        share[person] = share.get(person, 0.0) + w
        sums[person] = sums.get(person, 0.0) + u
    s2, s3, s4 = (sum(s**power for s in share.values()) for power in (2, 3, 4))
    cells, squares = sum(w * w for _, w, _ in rows), sum(u * u for _, _, u in rows)
    by_person, effective = sum(u * u for u in sums.values()), 1 / s2
    factor = max(0.5, (1 - 2 * s3 / s2 + s2) / (1 - s2))
    raw = effective / (effective - 1) * by_person / factor - squares
    people = s2 * s2 / s4
    apart = s2 - cells if s2 - cells > 1e-12 else 0.0
    found = max(0.0, raw) / apart if apart else 0.0
    pulled = (people * found + 10 * person_share * spread) / (people + 10)
    return {
        "A_eff": effective,
        "V_annot": by_person,
        "V_cell": squares,
        "kappa": factor,
        "raw": raw,
        "nu": people,
        "spread": spread,
        "found": found,
        "pulled": pulled,
        "V_person": max(found, pulled) * apart,
    }


def noise_of(sample: Sample) -> tuple[float, float, int]:
    """(MSW, MSW', R); MSW 0 where nothing is judged twice."""
    groups = scores_by_item(sample).values()
    pairs = sample.n_judgments - len(groups)
    within = sum((y - sum(ys) / len(ys)) ** 2 for ys in groups for y in ys)
    prior = 0.5 * (sample.scale.high - sample.scale.low) ** 2 / 2
    return within / pairs if pairs else 0.0, (within + prior) / (pairs + 0.5), pairs


def regression(sample: Sample, *, person_share: float = 0.08, finite: bool = True) -> Parts:
    """One metric, items weighing equally; least squares by numpy."""
    x, groups, scale = metric_of(sample), scores_by_item(sample), sample.scale
    n, size = len(groups), sample.n_population
    xs, ys = [x[item] for item in groups], [sum(g) / len(g) for g in groups.values()]
    mu, b = np.linalg.lstsq(np.column_stack([np.ones(n), xs]), np.array(ys), rcond=None)[0]
    design = np.column_stack([np.ones(n + 4), [*xs, 0, 0, 0, 0]])
    target = np.array([*ys, scale.low, scale.low, scale.high, scale.high])
    guarded, rss, _, _ = np.linalg.lstsq(design, target, rcond=None)
    item_part = float(rss[0]) / (n + 2) * np.linalg.inv(design.T @ design)[0, 0]
    rows = []
    for i, j, y in zip(sample.item, sample.annotator, sample.score, strict=True):
        w = 1 / (n * len(groups[int(i)]))
        rows.append((int(j), w, w * (y - mu - b * x[i])))
    people = of_people(rows, spread=float(sample.score.var()), person_share=person_share)
    msw, msw_prior, pairs = noise_of(sample)
    h = sum(1 / len(g) for g in groups.values()) / n
    f = n / size if finite and pairs else 0.0
    rest = msw_prior * h / size if finite and pairs else 0.0
    return people | {
        "estimate": float(mu),
        "slope": float(b),
        "V_item": float(item_part),
        "MSW": msw,
        "MSW_prior": msw_prior,
        "h": h,
        "f": f,
        "rest": rest,
        "V_item_fpc": float((1 - f) * item_part + rest),
        "centre": float(mu + (1 - f) * (guarded[0] - mu)),
        "variance": float((1 - f) * item_part + rest + people["V_person"]),
        "df": min(n - 2, people["A_eff"] - 1),
    }


def balanced(
    sample: Sample,
    *,
    balance: float = 0.15,
    person_share: float = 0.08,
    finite: bool = True,
    pseudo_rows: bool = True,
) -> Parts:
    """The closed form, with one metric or none."""
    x, w, scale = metric_of(sample), weights(sample, balance), sample.scale
    item, person, y = sample.item.tolist(), sample.annotator.tolist(), sample.score
    x_of, size = x[sample.item], sample.n_population
    about_x, about_y = x_of - w @ x_of, y - w @ y
    sxx = float(w @ about_x**2)
    b = float(w @ (about_x * about_y)) / sxx if sxx > 1e-12 else 0.0
    mu = float(w @ (y - b * x_of))
    of_item = {i: sum(w[t] for t in range(len(y)) if item[t] == i) for i in item}
    typ = sum(value**2 for value in of_item.values())
    ends = [scale.low, scale.low, scale.high, scale.high] if pseudo_rows else []
    centre = (mu + typ * sum(ends)) / (1 + len(ends) * typ)
    squares = sum(
        sum(w[t] * (y[t] - b * x_of[t] - centre) for t in range(len(y)) if item[t] == i) ** 2
        for i in of_item
    )
    at_ends = typ**2 * sum((end - centre) ** 2 for end in ends)
    v_item = (squares + at_ends) / (1 + len(ends) * typ) ** 2
    rows = [(person[t], w[t], w[t] * (y[t] - mu - b * x_of[t])) for t in range(len(y))]
    people = of_people(rows, spread=float(y.var()), person_share=person_share)
    _, msw_prior, pairs = noise_of(sample)
    f = min(1.0, 1 / (size * typ)) if finite and pairs else 0.0
    rest = msw_prior * float((w**2).sum()) / typ / size if finite and pairs else 0.0
    return people | {
        "estimate": mu,
        "slope": b,
        "typ": typ,
        "f": f,
        "V_item": float(v_item),
        "rest": rest,
        "V_item_fpc": float((1 - f) * v_item + rest),
        "centre": float(mu + (1 - f) * (centre - mu)),
        "variance": float((1 - f) * v_item + rest + people["V_person"]),
        "df": min(len(of_item) - 2, people["A_eff"] - 1),
    }
