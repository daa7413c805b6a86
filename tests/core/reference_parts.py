"""The parts of the reference: standardised metrics, weights, slopes, the person part, the interval.

Written from the formulas alone, with loops over judgments; it shares no code with the engine. A
judgment is a tuple (item, person, score). An item is the number of its row in the metrics.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import lambertw
from scipy.stats import norm
from scipy.stats import t as student


def items_of(judgments):
    return sorted({item for item, _, _ in judgments})


def count_by_item(judgments):
    counts = {}
    for item, _, _ in judgments:
        counts[item] = counts.get(item, 0) + 1
    return counts


def item_means(judgments, weights):
    """The mean score of each item, by weights within the item."""
    total, weight = {}, {}
    for (item, _, y), w in zip(judgments, weights, strict=True):
        total[item] = total.get(item, 0.0) + w * y
        weight[item] = weight.get(item, 0.0) + w
    return {item: total[item] / weight[item] for item in total}


# --- metrics


def standardise(metrics, n_population, judged):
    """x_i = (g_i − mean)/sd over all N outputs (divisor N), as item → vector.

    A metric that is constant over the population or over the judged items is left out.
    """
    rows = {item: [] for item in range(n_population)}
    if metrics is None:
        return {item: np.zeros(0) for item in rows}
    columns = np.asarray(metrics, dtype=float).reshape(n_population, -1).T
    for column in columns:
        if max(column) == min(column):
            continue
        seen = [column[item] for item in judged]
        if max(seen) == min(seen):
            continue
        mean = sum(column) / n_population
        sd = math.sqrt(sum((value - mean) ** 2 for value in column) / n_population)
        for item in rows:
            rows[item].append((column[item] - mean) / sd)
    return {item: np.array(row) for item, row in rows.items()}


# --- weights


def equal_weights(judgments):
    """w_ij = 1/(n·k_i)."""
    counts = count_by_item(judgments)
    return [1 / (len(counts) * counts[item]) for item, _, _ in judgments]


def balanced_weights(judgments, balance):
    """w_ij ∝ 1/(k_i·(1 + λ·m_j)), m_j = Σ_i 1/k_i over j's judgments; sum 1."""
    counts = count_by_item(judgments)
    work = {}
    for item, person, _ in judgments:
        work[person] = work.get(person, 0.0) + 1 / counts[item]
    raw = [1 / (counts[item] * (1 + balance * work[person])) for item, person, _ in judgments]
    return [w / sum(raw) for w in raw]


def item_weights(judgments, weights):
    """W_i = Σ_j w_ij."""
    found = {}
    for (item, _, _), w in zip(judgments, weights, strict=True):
        found[item] = found.get(item, 0.0) + w
    return found


# --- slopes


def least_squares(y, x, row_weight):
    """Intercept, slopes and number of independent slopes of weighted least squares.

    The shortest slopes where several fit equally well. All arguments are item → value.
    """
    items = sorted(y)
    total = sum(row_weight[i] for i in items)
    y_mean = sum(row_weight[i] * y[i] for i in items) / total
    x_mean = sum(row_weight[i] * x[i] for i in items) / total
    design = np.array([math.sqrt(row_weight[i]) * (x[i] - x_mean) for i in items])
    target = np.array([math.sqrt(row_weight[i]) * (y[i] - y_mean) for i in items])
    if design.shape[1] == 0:
        return y_mean, np.zeros(0), 0
    slopes, _, rank, _ = np.linalg.lstsq(design, target, rcond=1e-10)
    return y_mean - float(x_mean @ slopes), slopes, int(rank)


def ridge_slopes(y, x, row_weight, penalty):
    """argmin_b Σ_i weight_i·(y_i − a − x_i·b)² + penalty·|b|², with a free a."""
    items = sorted(y)
    width = len(x[items[0]])
    if math.isinf(penalty) or width == 0:
        return np.zeros(width)
    total = sum(row_weight[i] for i in items)
    y_mean = sum(row_weight[i] * y[i] for i in items) / total
    x_mean = sum(row_weight[i] * x[i] for i in items) / total
    left, right = penalty * np.eye(width), np.zeros(width)
    for i in items:
        left += row_weight[i] * np.outer(x[i] - x_mean, x[i] - x_mean)
        right += row_weight[i] * (x[i] - x_mean) * (y[i] - y_mean)
    return np.linalg.solve(left, right)


def cross_fitted(y, x, row_weight, penalty):
    """The ridge slopes of each item, fitted on all other items; weights sum to 1 over all."""
    total = sum(row_weight[i] for i in y)
    weight = {i: row_weight[i] / total for i in y}
    return {i: ridge_slopes({k: y[k] for k in y if k != i}, x, weight, penalty) for i in y}


# --- variance components


def one_way_msw(judgments):
    """Mean square within items and R, the number of replicate judgments."""
    counts = count_by_item(judgments)
    means = item_means(judgments, [1.0] * len(judgments))
    within = sum((y - means[item]) ** 2 for item, _, y in judgments)
    replicates = len(judgments) - len(counts)
    return (within / replicates if replicates else None), replicates


# --- the person part (V_person, in three steps)


def person_part(cells, spread, person_share):
    """V_person and its parts.

    `cells` maps (item, person) to (u, w); w adds up to a person's share. `spread` is s²_y.
    """
    share, residual, per_person = {}, {}, {}
    for (_, person), (u, w) in cells.items():
        share[person] = share.get(person, 0.0) + w
        residual[person] = residual.get(person, 0.0) + u
        per_person[person] = per_person.get(person, 0) + 1
    s2 = sum(s**2 for s in share.values())
    s3 = sum(s**3 for s in share.values())
    s4 = sum(s**4 for s in share.values())
    w2 = sum(w**2 for _, w in cells.values())
    a_eff = 1 / s2
    found = {"A_eff": a_eff, "S2": s2, "w2": w2, "V_person": None, "s2_y": spread}
    found |= {"s3_factor": None, "raw": None, "nu": s2**2 / s4, "pull": None}
    found |= {"V_annot": sum(u**2 for u in residual.values())}
    found |= {"V_cell": sum(u**2 for u, _ in cells.values())}
    if len(share) == 1 or a_eff <= 1:
        return found
    kappa = max(0.5, (1 - 2 * s3 / s2 + s2) / (1 - s2))
    raw = a_eff / (a_eff - 1) * found["V_annot"] / kappa - found["V_cell"]
    found |= {"s3_factor": kappa, "raw": raw}
    if max(per_person.values()) == 1:
        return found | {"V_person": 0.0, "pull": {"active": False, "value": None, "own": None}}
    own = max(0.0, raw) / (s2 - w2)
    pulled = (found["nu"] * own + 10 * person_share * spread) / (found["nu"] + 10)
    found["pull"] = {"active": pulled > own, "value": pulled, "own": own}
    return found | {"V_person": max(own, pulled) * (s2 - w2)}


# --- the interval


def with_ends(estimate, centre, std_error, df, level):
    """low and high around the centre; an end that misses the estimate is moved to it."""
    half = student.ppf((1 + level) / 2, df) * std_error
    return {"low": min(centre - half, estimate), "high": max(centre + half, estimate)}


def mixture_x(alpha):
    """x* = −W₋₁(−α²/e) − 1."""
    return float(-lambertw(-(alpha**2) / math.e, -1).real - 1)


def sequence_half(variance, t, alpha, t_opt):
    """Half the width of the asymptotic confidence sequence after t items."""
    rho2 = mixture_x(alpha) / t_opt
    inside = 2 * (t * rho2 + 1) / (t**2 * rho2) * math.log(math.sqrt(t * rho2 + 1) / alpha)
    return math.sqrt(variance * t) * math.sqrt(inside)


def ppi_plus_plus(y, x, pool, level):
    """PPI++ for a mean: labelled y with x, and x of the unlabelled pool; divisors as ppi_py's."""
    n, m = len(y), len(pool)
    y_mean, x_mean = sum(y) / n, sum(x) / n
    pool_mean = sum(pool) / m if m else x_mean
    both = list(x) + list(pool)
    middle = sum(both) / (n + m)
    covariance = sum((a - y_mean) * (b - x_mean) for a, b in zip(y, x, strict=True)) / n
    variance = sum((v - middle) ** 2 for v in both) / (n + m - 1)
    usable = m > 0 and max(both) > min(both)
    power = covariance / ((1 + n / m) * variance) if usable else 0.0
    estimate = y_mean + power * (pool_mean - x_mean)
    rectified = [a - power * b for a, b in zip(y, x, strict=True)]
    middle = sum(rectified) / n
    pool_part = power**2 * sum((v - pool_mean) ** 2 for v in pool) / m / m if m else 0.0
    own_part = sum((r - middle) ** 2 for r in rectified) / n / n
    std_error = math.sqrt(pool_part + own_part)
    half = norm.ppf((1 + level) / 2) * std_error
    return {
        "estimate": estimate,
        "centre": estimate,
        "std_error": std_error,
        "low": estimate - half,
        "high": estimate + half,
        "power": power,
    }
